//! Files, processes and values that go wrong: nothing is lost, nothing is wrong in silence, and the exit code says so.
#![cfg(target_os = "linux")]
#![allow(dead_code)] // each module uses its part of the kit

mod bounds;
mod divergence;
mod floating_point;
mod locks;
#[path = "../hostile/make.rs"]
mod make;
mod overwrite;
mod recover;
mod resume;
#[path = "../hostile/run.rs"]
mod run;
mod signals;
mod steps;
mod values;
mod watched;
