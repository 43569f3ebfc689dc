//! The FMU `free_ball`: a ball in free fall that takes impulses.
//!
//! # Equations
//! ```text
//! d height/dt = v,   dv/dt = a = f/m - g
//! ```
//! A change of p by dp changes v by dp/m at once. Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Ball;

macrostep_export::export_fmu!(Ball);
