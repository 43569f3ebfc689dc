//! FMUs and systems as other people's tools write them: each class of them made anew with a small FMU of our own.
#![cfg(target_os = "linux")]
#![allow(dead_code)] // each module uses its part of the kit

mod check;
mod descriptions;
mod feed_through;
mod logger;
#[path = "../hostile/make.rs"]
mod make;
mod meshes;
mod numerics;
mod records;
#[path = "../hostile/run.rs"]
mod run;
mod ssp;
mod start_values;
mod tolerance;
