//! The errors of this crate; every variant carries the values needed to act on it.

use thiserror::Error;

/// Anything that can be refused while a body is discretised, imported, reduced or advanced.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A material constant outside its admissible range.
    #[error("material `{name}` is {value}, expected {expected}")]
    Material {
        /// Name of the constant.
        name: &'static str,
        /// Value found.
        value: f64,
        /// Admissible range in words.
        expected: &'static str,
    },
    /// An element whose Jacobian is not positive at an integration point.
    #[error("element {element} is inverted or degenerate: Jacobian determinant {determinant:e} m³")]
    Jacobian {
        /// Label of the element.
        element: usize,
        /// Determinant found, in m³.
        determinant: f64,
    },
    /// A beam element without length or without a valid section.
    #[error("beam element {element}: {what}")]
    Beam {
        /// Index of the element.
        element: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A line of a text file that cannot be understood.
    #[error("{format}, line {line}: {what}")]
    Parse {
        /// Format of the file.
        format: &'static str,
        /// Line number, from 1.
        line: usize,
        /// What was found and what was expected.
        what: String,
    },
    /// A model that is well formed but not supported.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// A named set or surface that the mesh does not have.
    #[error("no set or surface `{name}`, the mesh has: {known}")]
    UnknownSet {
        /// Name asked for.
        name: String,
        /// Names there are.
        known: String,
    },
    /// Two quantities whose sizes do not fit.
    #[error("{what}: found {found}, expected {expected}")]
    Shape {
        /// Quantity with the wrong size.
        what: &'static str,
        /// Size found.
        found: usize,
        /// Size expected.
        expected: usize,
    },
    /// A connector without slave nodes.
    #[error("connector `{connector}` has no slave nodes")]
    NoSlaves {
        /// Name of the connector.
        connector: String,
    },
    /// A node that belongs to two connectors.
    #[error("node {node} belongs to connectors `{first}` and `{second}`")]
    SharedNode {
        /// Label of the node.
        node: usize,
        /// First connector.
        first: String,
        /// Second connector.
        second: String,
    },
    /// Slave nodes that do not determine the motion of the master.
    #[error("slave nodes of connector `{connector}` fix {rank} of {expected} motions of its master")]
    RankDeficient {
        /// Name of the connector.
        connector: String,
        /// Rank of the slave map.
        rank: usize,
        /// Number of master variables.
        expected: usize,
    },
    /// No connector with this index.
    #[error("connector {index} does not exist, there are {count}")]
    NoConnector {
        /// Index asked for.
        index: usize,
        /// Number of connectors.
        count: usize,
    },
    /// A matrix that could not be factorised.
    #[error("{what} could not be factorised: {reason}")]
    Factorisation {
        /// Which matrix.
        what: &'static str,
        /// Reason given by the factorisation.
        reason: String,
    },
    /// An eigenvalue iteration that did not converge.
    #[error("eigenvalue {index} has relative residual {residual:e} after {steps} block steps, tolerance {tolerance:e}")]
    Eigen {
        /// Index of the first eigenvalue above tolerance.
        index: usize,
        /// Its residual.
        residual: f64,
        /// Block steps made.
        steps: usize,
        /// Tolerance asked for.
        tolerance: f64,
    },
    /// A reduction basis that cannot represent rigid motions.
    #[error("the reduction basis misses rigid-body mode {mode}: relative remainder {remainder:e}")]
    MissingRigidMode {
        /// Index of the mode, 0 to 5 (three translations, three rotations).
        mode: usize,
        /// Part of the mode outside the span.
        remainder: f64,
    },
    /// A basis with linearly dependent columns.
    #[error("the reduction basis is rank deficient: {rank} independent of {columns} columns")]
    DependentBasis {
        /// Independent columns.
        rank: usize,
        /// Columns given.
        columns: usize,
    },
    /// A mass matrix that is not one scalar per pair of nodes.
    #[error(
        "the moving frame needs one mass scalar per node pair: nodes {first}, {second} differ by {relative:e} relative to the largest entry"
    )]
    MassNotScalar {
        /// Label of the first node.
        first: usize,
        /// Label of the second node.
        second: usize,
        /// Deviation found.
        relative: f64,
    },
    /// A mass matrix that gives a body no mass.
    #[error("the mass along x is {mass_kg:e} kg, expected a positive one: are stiffness and mass exchanged?")]
    NoMass {
        /// Sum of the entries of displacements along x.
        mass_kg: f64,
    },
    /// Given matrices of nodes with rotations: where the mass beside such a node is they do not tell.
    #[error(
        "node {node} has rotations: the moving frame takes stored matrices of solids only, whose nodes have no rotations; structures of beams are assembled from their elements"
    )]
    RotationalInertia {
        /// Label of the node.
        node: usize,
    },
    /// A step that could not be completed.
    #[error("time {time_s} s: {what} (step {step_s:e} s)")]
    Step {
        /// Time reached, in s.
        time_s: f64,
        /// Step size, in s.
        step_s: f64,
        /// What failed.
        what: &'static str,
    },
    /// Stored data that cannot be read back.
    #[error("stored body: {0}")]
    Stored(String),
}
