//! The FMU `impact_ground`: the ground that computes the momentum of a ball after an impact.
//!
//! # Equations
//! ```text
//! p_after = p - (1 + restitution) m (v - z_rate)
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Ground;

macrostep_export::export_fmu!(Ground);
