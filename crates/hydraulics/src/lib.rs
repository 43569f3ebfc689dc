//! Hydraulic cylinders with valve, spool and position controller, and the micro steps of multirate co-simulation.
//!
//! A fast subsystem gives forces λ and takes the interface speed w. Over a macro step H it is integrated with micro
//! steps `h_f`; where the speed between communication points comes from is the [`Prediction`], what is handed back to
//! the slow subsystem is the [`Delivery`].
//!
//! | piece | what it is |
//! |---|---|
//! | [`Cylinder`], [`CylinderState`] | definition and state of one actuator |
//! | [`Circuit`] | several cylinders, a [`FastSide`] |
//! | [`FastSide`] | what the micro steps need of a fast subsystem |
//! | [`window()`] | the micro steps of one macro step |
//!
//! Units are SI throughout.

mod circuit;
mod cylinder;
mod profile;
mod window;

pub use circuit::{Circuit, CircuitState};
pub use cylinder::{Cylinder, CylinderState, Relief, Valve, orifice};
pub use profile::{Profile, Trapezoid};
pub use window::{Delivery, FastSide, Forces, Interface, Prediction, Window, WindowError, window};
