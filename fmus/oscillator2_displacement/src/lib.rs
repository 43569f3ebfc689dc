//! The FMU `oscillator2_displacement`: mass 2, which owns the coupling and is driven by the displacement of mass 1.
//!
//! # Equations
//! ```text
//! m a = -k x - c v + f_c + f_ext,   f_c = k_c (xi - x) + c_c (xi_dot - v)
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Oscillator2Displacement;

macrostep_export::export_fmu!(Oscillator2Displacement);
