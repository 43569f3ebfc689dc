//! The `coupling` FMU.
