//! FMUs and systems as other people's tools write them: each class of them made anew with a small FMU of our own.
#![cfg(target_os = "linux")]
#![allow(dead_code)] // each module uses its part of the kit

mod feed_through;
#[path = "../hostile/make.rs"]
mod make;
mod numerics;
#[path = "../hostile/run.rs"]
mod run;
