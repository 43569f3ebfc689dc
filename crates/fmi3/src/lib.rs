#![doc = include_str!("../README.md")]
//!
//! They are those of the header files `fmi3PlatformTypes.h`, `fmi3FunctionTypes.h` and `fmi3Functions.h`. A master fills a [`Functions`] table from
//! the symbols of a library. Statuses and truth values are plain integers, because a foreign library can return any integer, and a `bool` or an
//! `enum` that holds an undeclared value is undefined behaviour.
//!
//! References: FMI 3.0.2, sections 2.2 (platform), 2.3 (common functions) and 4.2 (co-simulation).
#![allow(unsafe_code)]

mod functions;
mod types;

pub use functions::*;
pub use types::*;
