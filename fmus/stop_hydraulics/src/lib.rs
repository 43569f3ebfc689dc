//! The FMU `stop_hydraulics`: the cylinder that moves a mass against a stop, with the interface model inside.
//!
//! # Equations
//! ```text
//! lam_k = A1 p1 - A2 p2 - b_f w_k,   w_{k+1} = w_k + h_f (W lam_k + b),   s_{k+1} = s_k + h_f w_{k+1}
//! ```
//! Everything is declared in `macrostep_models_mechanics`; this crate only exports it.

use macrostep_models_mechanics::StopHydraulics;

macrostep_export::export_fmu!(StopHydraulics);
