//! Recording: what a run leaves behind.

mod recorder;
mod trace;

pub(crate) use recorder::Recorder;
pub use recorder::Observer;
pub use trace::{Column, Trace, TraceError};
