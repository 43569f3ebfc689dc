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
//! *corrector* repeats the window with a better guess. Each of these knows nothing of the others; `window.rs` and
//! `station.rs` are where they meet. All that changes in a run is one value, the state in `state.rs`.

mod account;
mod algebraic;
mod balance;
mod bond;
mod change;
mod constraint;
mod control;
mod declared;
mod definition;
mod dense;
mod doubt;
mod error;
mod event;
mod excursion;
mod feed;
mod feedthrough;
mod grid;
mod growth;
mod guess;
mod history;
mod ids;
mod interface;
mod iteration;
mod jacobian;
mod law;
mod line;
mod link;
mod map;
mod method;
mod outside;
mod power;
mod pre_step;
mod relay;
mod repetition;
mod requirements;
mod resolution;
mod run;
mod savable;
mod saved_state;
mod schedule;
mod second_look;
mod segment;
mod series;
mod settings;
mod sizes;
mod state;
mod station;
mod statistics;
mod supply;
mod system;
mod time;
mod verdict;
mod window;
mod work;

pub mod correct;
pub mod predict;
pub mod record;
pub mod unit;

pub use account::Account;
pub use constraint::{Constraint, End, Opening, Relation};
pub use control::Course;
pub use doubt::Unconverged;
pub use error::{Diverged, RunError, SystemError};
pub use event::{Assigned, Direction, Event, Happened};
pub use feedthrough::Supplied;
pub use grid::Grid;
pub use history::History;
pub use ids::{ChannelId, InterfaceId, LawId, LineId, Signal, UnitId};
pub use law::{Law, LinearMap, SAMPLED_MAX as LAW_SIZE_MAX, SpringDamper};
pub use line::{Line, LineAccount, Local};
pub use link::Passage;
pub use map::{OneStepMap, loop_gain, spectral_radius};
pub use method::{EnergyCorrection, Estimate, Method, Sampling, StepControl};
pub use run::{Simulation, windows_and_rest};
pub use saved_state::SavedState;
pub use schedule::{Op, Plan, Schedule};
pub use segment::{DEGREE_MAX, Jet, Segment, interpolate};
pub use series::Series;
pub use station::Refresh;
pub use statistics::Statistics;
pub use system::{Port, System};
pub use time::{Clock, Span, Tick};
pub use verdict::{Grade, Second, Verdict};
pub use work::WORK_TOLERANCE;
