//! The FMU `transmission_line`: an electrical transmission line of 20 cells, driven by the currents into both ends.
//!
//! # Equations
//! ```text
//! C_k du_k = i_(k-1) - i_k - G_k u_k,   L/20 di_k = u_k - u_(k+1) - R/20 i_k
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Cable;

macrostep_export::export_fmu!(Cable);
