//! The FMU `oscillator2_line`: mass 2 at an end of a line with delay, driven by the wave that arrives.
//!
//! # Equations
//! ```text
//! m a = -k x - c v + f_c + f_ext
//! f_c = wave - Z v
//! ```
//! Everything is declared in `macrostep_models`; this crate only exports it.

use macrostep_models::Oscillator2Line;

macrostep_export::export_fmu!(Oscillator2Line);
