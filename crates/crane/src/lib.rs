//! The hydraulic crane and the actuator on a stop: mechanics and hydraulics, each for itself.
//!
//! | module | what it is |
//! |---|---|
//! | [`crane`] | 18 bodies, 22 joints, two hydraulic cylinders, a gripper and a log |
//! | [`actuator`] | one cylinder moving a mass against a stop, with dry friction |
//!
//! Reference: A. Peiret, F. González, J. Kövecses, M. Teichmann, *Interface models in co-simulation of nonsmooth
//! systems*, section 4, for the crane's structure; its data here are this project's own.

pub mod actuator;
pub mod crane;
pub mod cylinder;
