//! The `oscillator1_force` FMU.
