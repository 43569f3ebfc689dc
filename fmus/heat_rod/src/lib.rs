//! The FMU `heat_rod`: a heat-conducting rod, reduced from its matrices.
//!
//! # Equations
//! ```text
//! A1 xi' + A0 xi = B eta,   xi_m = B' xi
//! ```
//! Everything is declared in `macrostep_models_flexible`; this crate only exports it.

use macrostep_models_flexible::ReducedRod;

macrostep_export::export_fmu!(ReducedRod);
