//! The systems this program carries, each a [`Scenario`] of its FMUs: what files in TOML and SSP are read into.
//!
//! | name | module | cut as |
//! |---|---|---|
//! | `case-1`, `case-2`, `test-model` | [`Oscillator`] | f-s, s-f, s-s, f-f |
//! | `nonlinear-spring` | [`nonlinear_spring()`] | f-f, f-s, s-f, s-s |
//! | `chain` | [`chain()`] | f-f, s-f |
//! | `circuit` | [`circuit()`] | f-s, s-f, s-s, f-f |
//! | `cylinder` | [`cylinder()`] | |
//! | `crane`, `actuator` | [`Multirate`] | manoeuvres |
//! | `beam` | [`beam()`] | full, reduced |
//! | `pendulum` | [`pendulum()`] | |
//! | `double-pendulum` | [`double_pendulum()`] | linear, hold |
//!
//! `NAME:VARIANT` chooses another than the first.

pub mod beam;
pub mod chain;
pub mod circuit;
#[cfg(feature = "full")]
mod crane;
pub mod cylinder;
mod double_pendulum;
#[cfg(feature = "full")]
mod multirate;
mod named;
mod oscillator;
mod parts;
mod pendulum;
#[cfg(feature = "full")]
mod plant;
pub mod spring;

pub use beam::beam;
pub use chain::chain;
pub use circuit::circuit;
pub use cylinder::cylinder;
pub use double_pendulum::{ANGLES, double_pendulum};
#[cfg(feature = "full")]
pub use multirate::{Delivery, MICRO_S, Multirate, Order, Place, Prediction, STEP_S, Scheme};
pub use named::{BuiltIn, FULL, all, find, named, unknown};
pub use oscillator::{Coupling, Integrator, Kind, Oscillator};
pub use pendulum::{GRAVITY_M_S2, MICRO_STEP_S, PAYLOAD, pendulum};
#[cfg(feature = "full")]
pub use plant::{Manoeuvre, Plant};
pub use spring::nonlinear_spring;

#[cfg(doc)]
use macrostep_system::Scenario;
