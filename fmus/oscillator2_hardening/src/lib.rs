//! The FMU `oscillator2_hardening`: mass 2, which owns a coupling that hardens and is driven by the displacement of mass 1.
//!
//! # Equations
//! ```text
//! m a = -k x - c v + f_c + f_ext
//! f_c = k_c d + k_3 d^3 + c_c dd/dt,   d = xi - x
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Oscillator2Hardening;

macrostep_export::export_fmu!(Oscillator2Hardening);
