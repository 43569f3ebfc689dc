//! The FMU `beam_reduced`: the beam on springs with its reduced interface.
//!
//! # Equations
//! ```text
//! eta_k'' + 2 damping w_k eta_k' + w_k^2 eta_k = sum_j phi_kj g_jy + phi_k1 force sin(2 pi frequency t)
//! ```
//! Everything is declared in `macrostep_models_flexible`; this crate only exports it.

use macrostep_models_flexible::BeamReduced;

macrostep_export::export_fmu!(BeamReduced);
