//! The FMU `payload`: a point mass in a bushing on the tip of another body.
//!
//! # Equations
//! ```text
//! force = k (r - r_tip) + c (v - v_tip),   m v' = m gravity - force
//! ```
//! Everything is declared in `macrostep_models_flexible`; this crate only exports it.

use macrostep_models_flexible::Payload;

macrostep_export::export_fmu!(Payload);
