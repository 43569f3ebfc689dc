#![doc = include_str!("../README.md")]
//!
//! A run of a simulation: the loop over its macro steps, the rows it leaves on disk while it goes on, checkpoints that continue it
//! bit by bit, and the clock it may keep to.
//!
//! [`Steps::run`] makes the macro steps of an initialised [`Simulation`](macrostep_master::Simulation). Rows go to a [`Sink`], most
//! often [`Rows`]: a file ([`Stream`]), curves for pictures ([`Thinned`]), memory ([`Collected`]); beside known values they have
//! errors ([`Comparison`]). An interrupt, or a [`Cut`] of the
//! caller, ends the run at a communication point.
//!
//! [`Cut`]: macrostep_import::isolation::Cut

pub mod checkpoint;
mod claim;
mod clock;
mod collected;
mod comparison;
mod error;
mod finite;
mod number;
mod rows;
mod sink;
mod steps;
mod stream;
mod tail;
mod thinned;
mod timed;
mod trace;

pub use checkpoint::{Checkpoint, CheckpointWriter};
pub use claim::{Claim, folder_at, identity, take, taken};
pub use clock::{Clock, RealTime};
pub use collected::Collected;
pub use comparison::{Comparison, Known, Made, OutputError, Values};
pub use error::Error;
pub use finite::NotFinite;
pub use rows::Rows;
pub use sink::{Sink, goes_on};
pub use steps::{Progress, Steps};
pub use stream::{Stream, Written};
pub use thinned::Thinned;
pub use timed::Times;
pub use trace::{TraceError, read_trace, write_trace};
