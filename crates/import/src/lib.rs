#![doc = include_str!("../README.md")]
//!
//! FMUs of any tool as units of the master: [`fmu`] in this process, [`isolation`] in processes of their own.
//!
//! All `unsafe` code of the master's side is here: foreign libraries are loaded and called, memory is shared with other
//! processes. In a browser there is neither: there this crate has the words for faces and files, and no FMU.

pub mod address;
mod face;
#[cfg(not(target_family = "wasm"))]
pub mod fmu;
#[cfg(not(target_family = "wasm"))]
pub mod isolation;
pub mod regular;

pub use face::{Face, INTEGRATOR_TOLERANCE};
