#![doc = include_str!("../README.md")]
//!
//! Slaves for FMI 2.0 co-simulation in safe Rust.
//!
//! A [`Model`] is the immutable definition of a slave and its equations; a [`Memory`] is everything that changes. An
//! [`Instance`] joins both with the state machine of FMI 2.0.5, section 4.2.4, and offers them as a [`Slave`], the
//! object-safe mirror of the functions of the standard. The same object stands behind the C functions of an FMU and
//! behind a native unit, so that both give equal bits.
//!
//! A model given by ordinary differential equations implements [`Equations`] and becomes a [`Model`] as [`Ode`].

mod access;
mod bytes;
mod equations;
mod fault;
mod instance;
mod memory;
mod message;
mod model;
mod ode;
mod phase;
mod prelude;
mod shared;
mod slave;
mod snapshot;

pub use equations::{Declaration, Equations};
pub use fault::Fault;
pub use instance::Instance;
pub use memory::{Memory, Shape};
pub use message::{Message, Topic};
pub use model::{Group, MICRO_STEPS_MAX, Model, Span};
pub use ode::Ode;
pub use phase::Phase;
pub use prelude::{builder, capabilities};
pub use shared::{Shared, shared};
pub use slave::{Outcome, Slave, Tangent};
pub use snapshot::Snapshot;
