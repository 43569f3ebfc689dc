//! The FMU `incline_block`: a block on an incline with dry friction.
//!
//! # Equations
//! ```text
//! M v+ - A^T z = M v + H (f_a - c + D^T lam_i),   H lo <= z <= H hi complementary to A v+ + C z + phi/H
//! w = D v,   der(w) = W lam_i + b
//! ```
//! Everything is declared in `macrostep_models_mechanics`; this crate only exports it.

use macrostep_models_mechanics::InclineBlock;

macrostep_export::export_fmu!(InclineBlock);
