//! The FMU `oscillator1_hardening`: mass 1, which owns a coupling that hardens and is driven by the displacement of mass 2.
//!
//! # Equations
//! ```text
//! m a = -k x - c v - f_c + f_ext
//! f_c = k_c d + k_3 d^3 + c_c dd/dt,   d = x - xi
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Oscillator1Hardening;

macrostep_export::export_fmu!(Oscillator1Hardening);
