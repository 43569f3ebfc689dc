//! The FMU `beam_full`: the beam on springs with positions and forces of all 167 nodes.
//!
//! # Equations
//! ```text
//! eta_k'' + 2 damping w_k eta_k' + w_k^2 eta_k = sum_i phi_ki F_iy + phi_k1 force sin(2 pi frequency t)
//! ```
//! Everything is declared in `macrostep_models_flexible`; this crate only exports it.

use macrostep_models_flexible::BeamFull;

macrostep_export::export_fmu!(BeamFull);
