//! The FMU `rod_hinged`: a rod in a vertical plane, hinged at its first end.
//!
//! # Equations
//! ```text
//! m l^2/3 alpha = -m g l/2 sin phi + l (cos phi fx_b + sin phi fy_b) + m_b
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Hinged;

macrostep_export::export_fmu!(Hinged);
