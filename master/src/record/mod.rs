//! Recording of a run.

mod observer;
mod trace;

pub use observer::Observer;
pub use trace::{Column, ColumnKind, Trace};
