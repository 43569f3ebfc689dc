//! All tests that couple FMUs or start the program: a folder a theme, one binary, so that the program is linked once.
#![allow(dead_code)] // not every theme uses all of the kit

#[path = "kit/common.rs"]
mod common;
#[path = "kit/counting.rs"]
mod counting;
#[path = "../examples/crane/main.rs"]
mod crane;
#[path = "kit/errors.rs"]
mod errors;
#[path = "../examples/flexible/main.rs"]
mod flexible;
#[path = "../examples/interface/main.rs"]
mod interface;
#[path = "kit/limited.rs"]
mod limited;
#[cfg(target_os = "linux")]
#[path = "kit/make.rs"]
mod make;
#[path = "kit/run.rs"]
mod run;

mod commands;
mod container;
mod events;
#[cfg(target_os = "linux")]
mod faults;
mod fit;
mod fmus;
#[cfg(target_os = "linux")]
mod foreign;
#[cfg(target_os = "linux")]
mod hostile;
mod house;
mod joints;
mod methods;
mod sweep;
mod systems;
