//! Linear hexahedron with 8 nodes and incompatible modes (CalculiX/Abaqus C3D8I).
//!
//! Beside the 8 linear shape functions the element has three modes of its own for each displacement, which let it bend:
//!
//! ```text
//! u = Σ Nᵢ uᵢ + (1 − r²) α₁ + (1 − s²) α₂ + (1 − t²) α₃,   Nᵢ = (1 + r rᵢ)(1 + s sᵢ)(1 + t tᵢ) / 8
//! K = K_uu − K_uα K_αα⁻¹ K_αu,   α = −K_αα⁻¹ K_αu u
//! ```
//!
//! Gradients of the modes are taken with the Jacobian of the centre, times its determinant over the local one, so that a patch
//! of elements passes the patch test in any shape. Stiffness and mass are integrated with 2 × 2 × 2 Gauss points; the mass
//! is that of the 8 shape functions.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | r, s, t | natural coordinates in [−1, 1] |
//! | α | amplitudes of the incompatible modes, m |
//!
//! # References
//! Taylor, Beresford, Wilson, *A non-conforming element for stress analysis*, International Journal for Numerical Methods in
//! Engineering 10 (1976).

use super::hexahedron::NATURAL;
use super::solid::{Entry, Gradients, Matrices, Shape, in_space, jacobian};
use crate::{Error, Material};
use nalgebra::{DMatrix, Vector3};

/// Nodes of an element.
pub const NODES: usize = 8;
/// Incompatible modes a displacement.
const MODES: usize = 3;

/// The six faces S1 to S6, each with its four local nodes.
pub const FACES: [[usize; 4]; 6] = [[0, 1, 2, 3], [4, 7, 6, 5], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0]];

/// The twelve edges: corner, corner, corner, where an element of second order has its middle node.
pub const EDGES: [[usize; 3]; 12] = [
    [0, 1, 1],
    [1, 2, 2],
    [2, 3, 3],
    [3, 0, 0],
    [4, 5, 5],
    [5, 6, 6],
    [6, 7, 7],
    [7, 4, 4],
    [0, 4, 4],
    [1, 5, 5],
    [2, 6, 6],
    [3, 7, 7],
];

/// Values and natural gradients of the 8 shape functions at (r, s, t).
fn shape(place: [f64; 3]) -> Shape<NODES> {
    let (mut value, mut gradient) = ([0.0; NODES], [Vector3::zeros(); NODES]);
    for (i, node) in NATURAL.iter().take(NODES).enumerate() {
        let f: [f64; 3] = std::array::from_fn(|d| 1.0 + place[d] * node[d]);
        value[i] = f[0] * f[1] * f[2] / 8.0;
        gradient[i] = Vector3::new(node[0] * f[1] * f[2], f[0] * node[1] * f[2], f[0] * f[1] * node[2]) / 8.0;
    }
    (value, gradient)
}

/// The eight Gauss points; each has the weight 1.
fn places() -> [[f64; 3]; 8] {
    let at = 1.0 / 3.0_f64.sqrt();
    std::array::from_fn(|i| NATURAL[i].map(|side| at * side))
}

/// Gradients in space of the shape functions and of the incompatible modes at every Gauss point, values, and volume.
type Extended = ([Vector3<f64>; NODES + MODES], [f64; NODES], f64);

fn extended(nodes: &[Vector3<f64>; NODES], label: usize) -> Result<Vec<Extended>, Error> {
    let centre = jacobian(nodes, &shape([0.0; 3]).1);
    let singular = || Error::Jacobian { element: label, determinant: centre.determinant() };
    let inverse = centre.try_inverse().ok_or_else(singular)?;
    let at = |place: [f64; 3]| {
        let (value, natural) = shape(place);
        let (gradient, determinant) = in_space(nodes, natural, label)?;
        let scale = centre.determinant() / determinant;
        let all = std::array::from_fn(|i| match i.checked_sub(NODES) {
            None => gradient[i],
            Some(d) => inverse.column(d) * (-2.0 * place[d] * scale),
        });
        Ok((all, value, determinant))
    };
    places().into_iter().map(at).collect()
}

/// Stiffness of nodes and modes, 33 × 33, and α by u, 9 × 24.
fn condensation(points: &[Extended], material: &Material, label: usize) -> Result<(DMatrix<f64>, DMatrix<f64>), Error> {
    let mut all = Matrices::zeros(NODES + MODES);
    points.iter().for_each(|(gradient, _, volume)| all.add_stiffness(gradient, material, *volume));
    let (u, a) = (3 * NODES, 3 * MODES);
    let own = all.stiffness.view((u, u), (a, a)).into_owned();
    let singular = || Error::Jacobian { element: label, determinant: 0.0 };
    let inverse = own.cholesky().ok_or_else(singular)?;
    let amplitudes = -inverse.solve(&all.stiffness.view((u, 0), (a, u)).into_owned());
    Ok((all.stiffness, amplitudes))
}

/// Integrates stiffness and mass of the element with its nodes at `nodes` (m).
pub(super) fn matrices(nodes: &[Vector3<f64>; NODES], material: &Material, label: usize) -> Result<Matrices, Error> {
    let points = extended(nodes, label)?;
    let (all, amplitudes) = condensation(&points, material, label)?;
    let mut element = Matrices::zeros(NODES);
    let (u, a) = (3 * NODES, 3 * MODES);
    element.stiffness.copy_from(&(all.view((0, 0), (u, u)) + all.view((0, u), (u, a)) * amplitudes));
    points.iter().for_each(|(_, value, volume)| element.add_mass(value, material, *volume));
    Ok(element)
}

/// What displacements of the nodes make of the gradient at the integration points, through the incompatible modes, too.
pub(super) fn gradients(
    nodes: &[Vector3<f64>; NODES],
    material: &Material,
    label: usize,
) -> Result<Vec<Gradients>, Error> {
    let points = extended(nodes, label)?;
    let (_, amplitudes) = condensation(&points, material, label)?;
    let at = |(gradient, _, volume): &Extended| {
        let own = (0..3 * NODES).map(|i| (i, i % 3, gradient[i / 3]));
        let through = (0..3 * MODES).flat_map(|mode| {
            let (m, column) = (mode % 3, gradient[NODES + mode / 3]);
            let row = amplitudes.row(mode).into_owned();
            (0..3 * NODES).map(move |i| (i, m, column * row[i]))
        });
        (own.chain(through).collect::<Vec<Entry>>(), *volume)
    };
    Ok(points.iter().map(at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DVector;

    fn distorted() -> [Vector3<f64>; NODES] {
        std::array::from_fn(|i| {
            let x = Vector3::from(NATURAL[i]) * 0.5;
            x + Vector3::new(0.08 * x.y * x.z, 0.05 * x.x * x.y, 0.06 * x.x * x.y)
        })
    }

    fn steel() -> Material {
        Material::new(2.0e11, 0.3, 7850.0).unwrap()
    }

    #[test]
    fn rigid_motions_cost_nothing_and_uniform_strain_costs_its_energy() {
        let nodes = distorted();
        let element = matrices(&nodes, &steel(), 1).unwrap();
        let values = element.stiffness.clone().symmetric_eigenvalues();
        assert_eq!(values.iter().filter(|v| **v < 1e-9 * values.amax()).count(), 6);
        let u = DVector::from_fn(3 * NODES, |row, _| if row % 3 == 0 { nodes[row / 3].x } else { 0.0 });
        let volume = element.mass.sum() / 7850.0;
        let (lambda, mu) = steel().lame_pa();
        assert!((u.dot(&(&element.stiffness * &u)) / ((lambda + 2.0 * mu) * volume) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_bent_brick_has_the_moment_of_a_beam() {
        // u = (x z, 0, 0) on the nodes: pure bending of a long brick, E I κ² L with ν = 0; without the modes it is stiffer.
        let material = Material::new(2.0e11, 0.0, 7850.0).unwrap();
        let nodes: [Vector3<f64>; NODES] =
            std::array::from_fn(|i| Vector3::from(NATURAL[i]).component_mul(&Vector3::new(2.0, 0.5, 0.1)));
        let element = matrices(&nodes, &material, 1).unwrap();
        let u = DVector::from_fn(3 * NODES, |row, _| {
            let x = nodes[row / 3];
            if row % 3 == 0 { x.x * x.z } else { 0.0 }
        });
        let energy = u.dot(&(&element.stiffness * &u));
        let expected = 2.0e11 * 1.0 * 0.2_f64.powi(3) / 12.0 * 4.0;
        assert!((energy / expected - 1.0).abs() < 1e-12, "{energy} {expected}");
    }

    #[test]
    fn gradients_are_those_of_the_stiffness() {
        let (nodes, material) = (distorted(), steel());
        let element = matrices(&nodes, &material, 1).unwrap();
        let u = DVector::from_fn(3 * NODES, |row, _| (row as f64 * 1.7).sin());
        let (lambda, mu) = material.lame_pa();
        let mut energy = 0.0;
        for (entries, volume) in gradients(&nodes, &material, 1).unwrap() {
            let mut h = nalgebra::Matrix3::zeros();
            for (row, m, g) in entries {
                let mut column = h.column_mut(m);
                column += g * u[row];
            }
            let strain = (h + h.transpose()) * 0.5;
            energy += volume * (lambda * strain.trace().powi(2) + 2.0 * mu * strain.norm_squared());
        }
        assert!((energy / u.dot(&(&element.stiffness * &u)) - 1.0).abs() < 1e-12);
    }
}
