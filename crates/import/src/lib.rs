#![doc = include_str!("../README.md")]
//!
//! FMUs of any tool as units of the master: [`fmu`] in this process, [`isolation`] in processes of their own.
//!
//! All `unsafe` code of the master's side is here: foreign libraries are loaded and called, memory is shared with other
//! processes.

pub mod fmu;
pub mod isolation;
