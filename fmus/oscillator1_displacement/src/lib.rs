//! The FMU `oscillator1_displacement`: mass 1, which owns the coupling and is driven by the displacement of mass 2.
//!
//! # Equations
//! ```text
//! m a = -k x - c v - f_c + f_ext,   f_c = k_c (x - xi) + c_c (v - xi_dot)
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Oscillator1Displacement;

macrostep_export::export_fmu!(Oscillator1Displacement);
