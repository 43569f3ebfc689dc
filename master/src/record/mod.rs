//! Recording of a run.

mod number;
mod recorder;
mod trace;

pub use number::write_number;
pub use recorder::Observer;
pub(crate) use recorder::Recorder;
pub use trace::{Column, ColumnKind, Trace, TraceError};
