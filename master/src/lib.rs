#![doc = include_str!("../README.md")]
//!
//! A master for FMI 2.0 co-simulation.
//!
//! ```text
//! System: units ─ channels ─ laws ─ connections          Method: predictor × schedule × correction
//!            └──────────────┬──────────────────────────────────────┘
//!                       Simulation ── window after window ──► Observer
//! ```
//!
//! In a window the *plan* (made from the schedule) says when units advance and when their samples are published;
//! *histories* know signals up to their end, the *predictor* is asked beyond it, *laws* stand on connections, and a
//! *corrector* repeats the window with a better guess. Each of these knows nothing of the others; `step/window.rs` and
//! `step/unit_port` are where they meet. All that changes in a run is one value, the state in `step/state.rs`.
//!
//! Folders import only from folders further up in this list:
//!
//! | folder | content |
//! |---|---|
//! | `unit` | what is coupled: the trait, native units, threads |
//! | `signal` | samples over time and polynomials |
//! | `system` | the definition of what is coupled to what |
//! | `method` | the definition of how: predictors, schedules, correctors |
//! | `record` | rows and who reads them |
//! | `step` | a window: everything that changes in a run, and what changes it |
//! | `run` | windows after windows, checks before the first, the verdict after the last |

mod error;
mod ids;
mod method;
mod run;
mod savable;
mod signal;
mod step;
mod system;
mod time;

pub mod record;
pub mod unit;

pub use error::{Diverged, RunError, SystemError};
pub use ids::{ChannelId, InterfaceId, LawId, LineId, Signal, UnitId};
pub use method::schedule::{Op, Plan, Schedule};
pub use method::{EnergyCorrection, Estimate, Method, Sampling, StepControl};
pub use method::{correct, predict};
pub use run::grid::Grid;
pub use run::map::{OneStepMap, loop_gain, spectral_radius};
pub use run::saved_state::SavedState;
pub use run::verdict::{Grade, Second, Verdict};
pub use run::{Simulation, windows_and_rest};
pub use signal::history::History;
pub use signal::segment::{DEGREE_MAX, Jet, Segment, interpolate};
pub use signal::series::Series;
pub use step::account::Account;
pub use step::control::Course;
pub use step::doubt::Unconverged;
pub use step::events::Happened;
pub use step::joints::Opening;
pub use step::statistics::Statistics;
pub use step::work::WORK_TOLERANCE;
pub use system::constraint::{Constraint, End};
pub use system::event::{Assigned, Direction, Event};
pub use system::feedthrough::Supplied;
pub use system::law::{Law, LinearMap, SAMPLED_MAX as LAW_SIZE_MAX, SpringDamper};
pub use system::laws::{Affine, NonlinearSpring, Orifice, Scaled};
pub use system::line::{Line, LineAccount, Local};
pub use system::link::Passage;
pub use system::refresh::Refresh;
pub use system::relation::Relation;
pub use system::{Port, System};
pub use time::{Clock, Span, Tick};
