//! The hydraulic crane, the actuator on a stop, and native drivers that couple them.
//!
//! | module | what it is |
//! |---|---|
//! | [`cosim`] | a multibody system and a fast subsystem coupled at communication points, in plain Rust |
//! | [`crane`] | 18 bodies, 22 joints, two hydraulic cylinders, a gripper and a log |
//! | [`actuator`] | one cylinder moving a mass against a stop, with dry friction |
//! | [`oscillator`] | a mass on an exact oscillator, for the stability thresholds of linear theory |
//!
//! Reference: A. Peiret, F. González, J. Kövecses, M. Teichmann, *Interface models in co-simulation of nonsmooth
//! systems*, section 4, for the crane's structure; its data here are this project's own.

pub mod actuator;
pub mod cosim;
pub mod crane;
pub mod cylinder;
pub mod oscillator;
