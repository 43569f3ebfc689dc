//! The FMU `stop_mass`: a mass on a vertical guide with dry friction, below a stop.
//!
//! # Equations
//! ```text
//! M v+ - A^T z = M v + H (f_a - c + D^T lam_i),   H lo <= z <= H hi complementary to A v+ + C z + phi/H
//! w = D v,   der(w) = W lam_i + b
//! ```
//! Everything is declared in `macrostep_models_mechanics`; this crate only exports it.

use macrostep_models_mechanics::StopMass;

macrostep_export::export_fmu!(StopMass);
