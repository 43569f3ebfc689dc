//! The `oscillator1_displacement` FMU.
