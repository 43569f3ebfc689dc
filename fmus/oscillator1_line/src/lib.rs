//! The FMU `oscillator1_line`: mass 1 at an end of a line with delay, driven by the wave that arrives.
//!
//! # Equations
//! ```text
//! m a = -k x - c v - f_c + f_ext
//! f_c = wave + Z v
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Oscillator1Line;

macrostep_export::export_fmu!(Oscillator1Line);
