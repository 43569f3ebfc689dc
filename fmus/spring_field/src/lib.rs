//! The FMU `spring_field`: a vertical spring under each node of the beam.
//!
//! # Equations
//! ```text
//! F_y = -k (y - y0)
//! ```
//! Everything is declared in `macrostep_models_flexible`; this crate only exports it.

use macrostep_models_flexible::Springs;

macrostep_export::export_fmu!(Springs);
