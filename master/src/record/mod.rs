//! Recording of a run.

mod number;
mod recorder;
mod trace;

pub use number::{NUMBER_MOST, Numbers, write_number};
pub use recorder::Observer;
pub(crate) use recorder::Recorder;
pub use trace::{Column, ColumnKind, Trace, TraceError};
