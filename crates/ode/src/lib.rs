#![doc = include_str!("../README.md")]
//!
//! Ordinary differential equations written once and used in every arithmetic: real numbers to integrate them, dual
//! numbers for exact derivatives, truncated Taylor series for time derivatives of any order.
//!
//! A [`System`] states the equations ż = f(p, z, u, u̇) and y = g(p, z, u, u̇). [`micro`] integrates it by steps of a fixed
//! length, [`exact`] by the matrix exponential with polynomial forcing; [`adaptive`] integrates what is known only when it runs, with steps of
//! a chosen length. Nothing here knows of FMI.

pub mod adaptive;
mod dense;
mod derive;
mod dual;
pub mod exact;
mod matrix;
pub mod micro;
mod phi;
mod polynomial;
mod scalar;
mod system;
mod taylor;
mod trace;

pub use dense::{MAX_NODES, lobatto_node};
pub use derive::output_series;
pub use dual::Dual;
pub use matrix::Matrix;
pub use phi::phi_functions;
pub use polynomial::{MAX_DEGREE, Polynomials};
pub use scalar::{Scalar, Vector};
pub use system::{Point, System};
pub use taylor::Taylor;
pub use trace::Trace;
