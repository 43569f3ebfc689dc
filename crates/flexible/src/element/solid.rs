//! Isoparametric solids: the trait of an element type, and the integrals that all types share.
//!
//! ```text
//! K = ∫ Bᵀ C B dV,   m_ij = ∫ ρ N_i N_j dV,   M = m ⊗ I₃
//! ```
//!
//! For isotropic material the 3 × 3 block of K is `K_ij = ∫ λ gᵢ gⱼᵀ + μ gⱼ gᵢᵀ + μ (gᵢ·gⱼ) I dV` with gᵢ = ∇Nᵢ.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | N | shape functions |
//! | λ, μ | Lamé constants |
//! | gᵢ | gradient of shape function i in space |
//!
//! # References
//! Zienkiewicz, Taylor, Zhu, *The Finite Element Method: Its Basis and Fundamentals*, 6th ed., chapters 4 and 5.

use crate::element::{brick, hexahedron, tetrahedron};
use crate::{Error, Material};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// A type of solid element; nodes and faces in the order of CalculiX and Abaqus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Solid {
    /// Quadratic hexahedron with 20 nodes.
    C3d20,
    /// Quadratic tetrahedron with 10 nodes.
    C3d10,
    /// Linear hexahedron with 8 nodes and incompatible modes.
    C3d8i,
}

/// Matrices of one element.
pub struct Matrices {
    /// Stiffness K in N/m, rows and columns node-major (x, y, z of node 1, …).
    pub stiffness: DMatrix<f64>,
    /// Mass scalars m in kg, one per node pair; the full mass is m ⊗ I₃.
    pub mass: DMatrix<f64>,
}

/// Values and natural gradients of the shape functions at a point.
pub(super) type Shape<const N: usize> = ([f64; N], [Vector3<f64>; N]);

/// Shape functions at an integration point, and its weight in natural coordinates.
pub(super) type Point<const N: usize> = (Shape<N>, f64);

/// What a displacement of the nodes makes of the gradient ∂_i u_m: its place (node-major), m, and the column over i (1/m).
pub type Entry = (usize, usize, Vector3<f64>);

/// The gradient at an integration point by the displacements of the nodes, and the volume of the point (m³).
pub type Gradients = (Vec<Entry>, f64);

impl Solid {
    /// All types.
    pub const ALL: [Solid; 3] = [Solid::C3d20, Solid::C3d10, Solid::C3d8i];

    /// Its name in a deck.
    pub fn name(self) -> &'static str {
        match self {
            Solid::C3d20 => "C3D20",
            Solid::C3d10 => "C3D10",
            Solid::C3d8i => "C3D8I",
        }
    }

    /// Nodes of an element.
    pub fn nodes(self) -> usize {
        match self {
            Solid::C3d20 => hexahedron::NODES,
            Solid::C3d10 => tetrahedron::NODES,
            Solid::C3d8i => brick::NODES,
        }
    }

    /// Local nodes of face `side` (S1 is 0): corners, then the middles that follow each corner. `None` where there is no
    /// such face.
    pub fn face(self, side: usize) -> Option<&'static [usize]> {
        match self {
            Solid::C3d20 => hexahedron::FACES.get(side).map(|face| face.as_slice()),
            Solid::C3d10 => tetrahedron::FACES.get(side).map(|face| face.as_slice()),
            Solid::C3d8i => brick::FACES.get(side).map(|face| face.as_slice()),
        }
    }

    /// Number of faces.
    pub fn faces(self) -> usize {
        match self {
            Solid::C3d20 => hexahedron::FACES.len(),
            Solid::C3d10 => tetrahedron::FACES.len(),
            Solid::C3d8i => brick::FACES.len(),
        }
    }

    /// Corners of a face, which come first among its nodes.
    pub fn corners(self) -> usize {
        match self {
            Solid::C3d20 | Solid::C3d8i => 4,
            Solid::C3d10 => 3,
        }
    }

    /// Whether the element has nodes in the middle of its edges.
    pub fn is_quadratic(self) -> bool {
        self != Solid::C3d8i
    }

    /// Local nodes of the edges: corner, middle, corner; without middle nodes the corner stands twice.
    pub fn edges(self) -> &'static [[usize; 3]] {
        match self {
            Solid::C3d20 => &hexahedron::EDGES,
            Solid::C3d10 => &tetrahedron::EDGES,
            Solid::C3d8i => &brick::EDGES,
        }
    }

    /// Integrates stiffness and mass of the element with its nodes at `nodes` (m), as many as the type has.
    ///
    /// # Errors
    /// [`Error::Jacobian`] when the element is inverted at an integration point; `label` names it there. [`Error::Shape`] for
    /// another number of nodes.
    pub fn matrices(self, nodes: &[Vector3<f64>], material: &Material, label: usize) -> Result<Matrices, Error> {
        match self {
            Solid::C3d20 => {
                let points = hexahedron::points();
                integrate(self.of(nodes)?, [&points, &points], material, label)
            }
            Solid::C3d10 => {
                let points = [tetrahedron::stiffness_points(), tetrahedron::mass_points()];
                integrate(self.of(nodes)?, [&points[0], &points[1]], material, label)
            }
            Solid::C3d8i => brick::matrices(self.of(nodes)?, material, label),
        }
    }

    /// Gradients at the integration points of the stiffness.
    ///
    /// # Errors
    /// As [`Solid::matrices`].
    pub fn gradients(self, nodes: &[Vector3<f64>], material: &Material, label: usize) -> Result<Vec<Gradients>, Error> {
        match self {
            Solid::C3d20 => gradients(self.of(nodes)?, &hexahedron::points(), label),
            Solid::C3d10 => gradients(self.of(nodes)?, &tetrahedron::stiffness_points(), label),
            Solid::C3d8i => brick::gradients(self.of(nodes)?, material, label),
        }
    }

    /// The nodes, as many as the type has.
    fn of<const N: usize>(self, nodes: &[Vector3<f64>]) -> Result<&[Vector3<f64>; N], Error> {
        let other = |_| Error::Shape { what: "nodes of an element", found: nodes.len(), expected: self.nodes() };
        nodes.try_into().map_err(other)
    }
}

impl Matrices {
    /// Zero matrices of an element with `nodes` nodes.
    pub(super) fn zeros(nodes: usize) -> Self {
        Self { stiffness: DMatrix::zeros(3 * nodes, 3 * nodes), mass: DMatrix::zeros(nodes, nodes) }
    }

    /// Adds λ gᵢ gⱼᵀ + μ gⱼ gᵢᵀ + μ (gᵢ·gⱼ) I of one integration point of volume `weight` (m³).
    pub(super) fn add_stiffness(&mut self, gradient: &[Vector3<f64>], material: &Material, weight: f64) {
        let (lambda, mu) = material.lame_pa();
        for (j, gj) in gradient.iter().enumerate() {
            for (i, gi) in gradient.iter().enumerate() {
                let dot = mu * gi.dot(gj);
                for b in 0..3 {
                    for a in 0..3 {
                        let mut k = lambda * gi[a] * gj[b] + mu * gj[a] * gi[b];
                        if a == b {
                            k += dot;
                        }
                        self.stiffness[(3 * i + a, 3 * j + b)] += weight * k;
                    }
                }
            }
        }
    }

    /// Adds ρ Nᵢ Nⱼ of one integration point of volume `weight` (m³).
    pub(super) fn add_mass(&mut self, value: &[f64], material: &Material, weight: f64) {
        for (j, nj) in value.iter().enumerate() {
            for (i, ni) in value.iter().enumerate() {
                self.mass[(i, j)] += material.density_kg_m3 * weight * ni * nj;
            }
        }
    }
}

/// Stiffness and mass by their integration points.
fn integrate<const N: usize>(
    nodes: &[Vector3<f64>; N],
    [stiffness, mass]: [&[Point<N>]; 2],
    material: &Material,
    label: usize,
) -> Result<Matrices, Error> {
    let mut element = Matrices::zeros(N);
    for ((_, natural), weight) in stiffness {
        let (gradient, determinant) = in_space(nodes, *natural, label)?;
        element.add_stiffness(&gradient, material, weight * determinant);
    }
    for ((value, natural), weight) in mass {
        let (_, determinant) = in_space(nodes, *natural, label)?;
        element.add_mass(value, material, weight * determinant);
    }
    Ok(element)
}

/// Gradients in space and volume at each of the points.
fn gradients<const N: usize>(
    nodes: &[Vector3<f64>; N],
    points: &[Point<N>],
    label: usize,
) -> Result<Vec<Gradients>, Error> {
    let at = |((_, natural), weight): &Point<N>| {
        let (gradient, determinant) = in_space(nodes, *natural, label)?;
        Ok(((0..3 * N).map(|i| (i, i % 3, gradient[i / 3])).collect(), weight * determinant))
    };
    points.iter().map(at).collect()
}

/// Gradients in space of the shape functions with the natural gradients `natural`, and the Jacobian determinant (m³).
///
/// # Errors
/// [`Error::Jacobian`] where the determinant is not positive.
pub(super) fn in_space<const N: usize>(
    nodes: &[Vector3<f64>; N],
    natural: [Vector3<f64>; N],
    label: usize,
) -> Result<([Vector3<f64>; N], f64), Error> {
    let jacobian = jacobian(nodes, &natural);
    let determinant = jacobian.determinant();
    match jacobian.try_inverse() {
        Some(inverse) if determinant > 0.0 => Ok((natural.map(|g| inverse * g), determinant)),
        _ => Err(Error::Jacobian { element: label, determinant }),
    }
}

/// Derivatives of the position by the natural coordinates, m: row d is that by coordinate d.
pub(super) fn jacobian<const N: usize>(nodes: &[Vector3<f64>; N], natural: &[Vector3<f64>; N]) -> Matrix3<f64> {
    let mut jacobian = Matrix3::zeros();
    for (x, g) in nodes.iter().zip(natural) {
        jacobian += g * x.transpose();
    }
    jacobian
}
