//! The `oscillator2_force` FMU.
