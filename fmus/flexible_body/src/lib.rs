//! The FMU `flexible_body`: a deformable body in its moving frame, read from `resources/body.bin`.
//!
//! # Equations
//! ```text
//! r_c = r0 + A (R_c + S_c q),   Mass(q) (a, w', q'') = loads - quadratic terms - K q - D q'
//! ```
//! Everything is declared in `macrostep_models_flexible`; this crate only exports it.

use macrostep_models_flexible::Body;

macrostep_export::export_fmu!(Body);
