//! The `oscillator2_displacement` FMU.
