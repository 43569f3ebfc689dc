//! The FMU `surface_pressure`: a pressure on each facet of a surface makes forces on its nodes, along normals that turn with it.
//!
//! # Equations
//! ```text
//! F_i = sum of p_f (integral of N_i n dA) over the facets f of node i
//! ```
//! Everything is declared in `macrostep_models_flexible`; this crate only exports it.

use macrostep_models_flexible::Facets;

macrostep_export::export_fmu!(Facets);
