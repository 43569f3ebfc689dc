//! The FMU `coupling`: the spring-damper law between the masses.
//!
//! # Equations
//! ```text
//! f = k_c (x1 - x2) + c_c (v1 - v2)
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Coupling;

macrostep_export::export_fmu!(Coupling);
