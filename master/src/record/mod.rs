//! Recording of a run.

mod recorder;
mod trace;

pub use recorder::Observer;
pub(crate) use recorder::Recorder;
pub use trace::{Column, ColumnKind, Trace};
