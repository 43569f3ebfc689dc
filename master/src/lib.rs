//! A master for FMI 2.0 co-simulation.

pub mod unit;
