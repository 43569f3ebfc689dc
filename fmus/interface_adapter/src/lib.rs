//! The FMU `interface_adapter`: the linear map of a reduced interface and its dual.
//!
//! # Equations
//! ```text
//! u = T u_int,   g_int = T' F
//! ```
//! Everything is declared in `macrostep_models_flexible`; this crate only exports it.

use macrostep_models_flexible::Adapter;

macrostep_export::export_fmu!(Adapter);
