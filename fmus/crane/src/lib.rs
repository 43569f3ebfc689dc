//! The FMU `crane`: a hydraulic crane of 18 bodies and 22 joints that grasps a log, without its cylinders.
//!
//! # Equations
//! ```text
//! M v+ - A^T z = M v + H (f_a - c + D^T lam_i),   H lo <= z <= H hi complementary to A v+ + C z + phi/H
//! w = D v,   der(w) = W lam_i + b
//! ```
//! Everything is declared in `macrostep_models_mechanics`; this crate only exports it.

use macrostep_models_mechanics::Crane;

macrostep_export::export_fmu!(Crane);
