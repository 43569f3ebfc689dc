//! The FMU `oscillator1_force`: mass 1, driven by the coupling force.
//!
//! # Equations
//! ```text
//! m a = -k x - c v - f + f_ext
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Oscillator1Force;

macrostep_export::export_fmu!(Oscillator1Force);
