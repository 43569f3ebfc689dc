//! Slaves for FMI 2.0 co-simulation in safe Rust.
//!
//! A *model* is the immutable definition of a slave and its equations; a *memory* is everything that changes. An
//! *instance* joins both with the state machine of FMI 2.0.5, section 4.2.4, and offers them as a [`Slave`], the
//! object-safe mirror of the functions of the standard. The same object stands behind the C functions of an FMU and
//! behind a native unit, so that both give equal bits.

mod fault;
mod phase;
mod slave;
mod snapshot;

pub use fault::Fault;
pub use phase::Phase;
pub use slave::{Outcome, Slave};
pub use snapshot::Snapshot;
