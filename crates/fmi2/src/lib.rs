#![doc = include_str!("../README.md")]
//!
//! The C binary interface of FMI 2.0 for co-simulation, as the header files `fmi2TypesPlatform.h`,
//! `fmi2FunctionTypes.h` and `fmi2Functions.h` define it.
//!
//! One set of declarations serves both directions: a library of ours exports these functions, and a master fills a
//! [`Functions`] table from the symbols of a library. Statuses are plain integers, because a foreign library can return
//! any integer, and an `enum` holding an undeclared value is undefined behaviour.
//!
//! References: FMI 2.0.5, sections 2.1 (common functions) and 4.2 (co-simulation).
#![allow(unsafe_code)]

mod functions;
mod table;
mod types;

pub use functions::*;
#[doc(hidden)]
pub use table::c_name;
pub use types::*;
