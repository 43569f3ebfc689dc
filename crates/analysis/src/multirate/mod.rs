//! A multibody system and the hydraulics that drive it, coupled at communication points H apart while the hydraulics take
//! micro steps h_f.
//!
//! | choice | values | where it acts |
//! |---|---|---|
//! | [`Prediction`] | hold, linear, interface model | interface speed within a macro step as the hydraulics see it |
//! | [`Order`] | Jacobi, fast first | whether the mechanics use the force of this macro step or of the last |
//! | [`Delivery`] | end, mean | which force the mechanics get |
//! | [`Place`] | fast unit, master | who integrates the prediction |
//!
//! The scheme is part of every result. With the interface model inside the fast unit, one `fmi2DoStep` is a macro step, in
//! any master; with the prediction in the master, the fast unit is stepped every micro step as a plain slave that takes
//! speeds and gives forces.
//!
//! Reference: \[Peiret\], section 4, for the crane's structure.

pub mod animation;
mod build;
mod outcome;
mod run;

pub use build::{build, check};
pub use macrostep_benchmarks::{Delivery, MICRO_S, Manoeuvre, Multirate, Order, Place, Plant, Prediction, Scheme};
pub use outcome::{Columns, Energy, Outcome, Verdict, errors, judge};
pub use run::{Limits, Recording, Watched, run};
