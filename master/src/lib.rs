//! A master for FMI 2.0 co-simulation.

pub mod record;
pub mod report;
pub mod unit;
