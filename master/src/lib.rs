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
//! *corrector* repeats the window with a better guess. Each of these knows nothing of the others; `window.rs` and
//! `station.rs` are where they meet.

mod algebraic;
mod books;
mod change;
mod control;
mod dense;
mod error;
mod feed;
mod feedthrough;
mod grid;
mod guess;
mod history;
mod interface;
mod jacobian;
mod law;
mod link;
mod map;
mod memento;
mod method;
mod power;
mod relay;
mod requirements;
mod run;
mod schedule;
mod segment;
mod series;
mod sizes;
mod station;
mod system;
mod time;
mod window;
mod work;

pub mod correct;
pub mod predict;
pub mod record;
pub mod unit;

pub use control::{Course, Estimate, StepControl};
pub use error::{Diverged, RunError};
pub use grid::Grid;
pub use history::History;
pub use law::{Law, LinearMap, SpringDamper};
pub use map::{OneStepMap, loop_gain, spectral_radius};
pub use memento::{Memento, Numbers};
pub use method::{Method, Sampling};
pub use power::{Account, EnergyCorrection};
pub use run::{Simulation, Statistics, Unconverged, windows_and_rest};
pub use schedule::{Op, Plan, Schedule};
pub use segment::{DEGREE_MAX, Jet, Segment, interpolate};
pub use series::Series;
pub use station::Refresh;
pub use system::{ChannelId, InterfaceId, LawId, Port, Signal, Supplied, System, SystemError, UnitId};
pub use time::{Clock, Span, Tick};
pub use work::WORK_TOLERANCE;
