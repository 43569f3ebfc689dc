//! What a run leaves behind.

pub mod trace;

pub use trace::{Column, Trace};
