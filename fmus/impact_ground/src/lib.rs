//! The FMU `impact_ground`: the ground that says what momentum an impact leaves a ball with.
//!
//! # Equations
//! ```text
//! p_after = p - (1 + restitution) m (v - z_rate)
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Ground;

macrostep_export::export_fmu!(Ground);
