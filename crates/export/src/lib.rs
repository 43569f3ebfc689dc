#![doc = include_str!("../README.md")]
//!
//! A [`macrostep_slave::Model`] behind the C functions of FMI 2.0 and of FMI 3.0 ([`three`]), in one library.
//!
//! [`export_fmu!`] writes the exported functions; the body of each is one call into a generic function of [`calls`], which
//! checks pointers, contains panics and logs what fails. After a panic the instance is dead: every further call but
//! `fmi2FreeInstance` returns `fmi2Fatal`.
//!
//! # Threads
//! One call of an instance at a time, as FMI has it, from whatever thread. A second one while the first is running, also one
//! out of the host's logger, returns `fmi2Error` and leaves the instance as it is; `fmi2FreeInstance` does not free it then.
//! The call that was running logs how many were refused.
//!
//! # Log
//! Messages of failed calls go to the categories `logStatusError`, `logStatusDiscard` and `logStatusFatal`, which are on
//! from the start; `logEvents` follows `loggingOn`. `fmi2SetDebugLogging` switches them: all with no list, else exactly
//! those of the list. A category the model does not declare is never used.
#![allow(unsafe_code)]

pub mod calls;
mod exports;
mod log;
mod pointers;
mod shell;
pub mod three;
mod uri;

pub use macrostep_fmi2 as fmi2;
pub use macrostep_fmi3 as fmi3;
