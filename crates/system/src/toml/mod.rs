//! Scenarios as TOML: read with the place of everything, written for people.
//!
//! The format by example is in `docs/keys.md`. Unknown keys are refused with their line, so that a misspelt setting
//! is never ignored.

mod file;
mod read;
mod write;

pub use read::read;
pub use write::{bonds, key, write};
