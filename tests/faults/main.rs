//! Files, processes and values that go wrong: nothing is lost, nothing is wrong in silence, and the exit code says so.
#![cfg(target_os = "linux")]
#![allow(dead_code)] // each module uses its part of the kit

#[path = "../hostile/make.rs"]
mod make;
#[path = "../hostile/run.rs"]
mod run;
mod steps;
