//! The errors of this crate.

use thiserror::Error;

/// Anything an interface reduction refuses.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// Sizes that do not fit.
    #[error("{what}: found {found}, expected {expected}")]
    Shape {
        /// Quantity with the wrong size.
        what: &'static str,
        /// Size found.
        found: usize,
        /// Size expected.
        expected: usize,
    },
    /// A value that is not finite.
    #[error("{what} {index} is not a finite number")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// Index of the row or node.
        index: usize,
    },
    /// What a body's equations refuse.
    #[error("{0}")]
    Body(String),
    /// No nodes or only zero shapes.
    #[error("the body has no shapes to reduce")]
    Empty,
    /// Fewer nodes than independent shapes.
    #[error("{nodes} nodes cannot carry {rank} independent shapes")]
    TooFewNodes {
        /// Nodes there are.
        nodes: usize,
        /// Independent scalar shapes.
        rank: usize,
    },
    /// A node listed twice or not in the body.
    #[error("interface node {node} is listed twice or is not among {count} nodes")]
    BadNode {
        /// The node.
        node: usize,
        /// Nodes of the body.
        count: usize,
    },
    /// Interface nodes that do not determine the coordinates.
    #[error("interface nodes do not determine the shapes: condition number {condition:e}, limit {limit:e}")]
    IllConditioned {
        /// Condition number of Q_int.
        condition: f64,
        /// Largest accepted.
        limit: f64,
    },
    /// A beam or spring constant outside its range.
    #[error("`{name}` is {value}, expected {expected}")]
    Parameter {
        /// Name of the constant.
        name: &'static str,
        /// Value found.
        value: f64,
        /// Admissible range in words.
        expected: &'static str,
    },
    /// An eigenvalue problem of the beam that failed.
    #[error(transparent)]
    Modes(#[from] macrostep_flexible::Error),
}
