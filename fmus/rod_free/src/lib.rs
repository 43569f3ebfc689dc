//! The FMU `rod_free`: a rod that moves freely in a vertical plane.
//!
//! # Equations
//! ```text
//! m a_c = f_a + f_b - (0, m g),   m l^2/12 alpha = l/2 n (f_b - f_a) + m_a + m_b
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Free;

macrostep_export::export_fmu!(Free);
