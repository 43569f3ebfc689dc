//! Quadratic hexahedron with 20 nodes (H20, CalculiX/Abaqus C3D20), fully integrated.
//!
//! Corner nodes (rᵢ, sᵢ, tᵢ = ±1):
//!
//! ```text
//! Nᵢ = (1 + r rᵢ)(1 + s sᵢ)(1 + t tᵢ)(r rᵢ + s sᵢ + t tᵢ − 2) / 8
//! ```
//!
//! middle nodes (for rᵢ = 0; cyclic): `Nᵢ = (1 − r²)(1 + s sᵢ)(1 + t tᵢ) / 4`. Stiffness and mass are integrated with
//! 3 × 3 × 3 Gauss points.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | r, s, t | natural coordinates in [−1, 1] |
//!
//! # References
//! Zienkiewicz, Taylor, Zhu, *The Finite Element Method: Its Basis and Fundamentals*, 6th ed., section 4.11.

use super::solid::{Point, Shape};
use nalgebra::Vector3;

/// Nodes of an element.
pub const NODES: usize = 20;

/// Natural coordinates of the nodes in C3D20 order: corners, then middles of bottom, top and vertical edges.
pub const NATURAL: [[f64; 3]; NODES] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [0.0, -1.0, -1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, -1.0],
    [-1.0, 0.0, -1.0],
    [0.0, -1.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [-1.0, 0.0, 1.0],
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
];

/// The six faces S1 to S6 of C3D20, each with its eight local nodes (corners, then middles).
pub const FACES: [[usize; 8]; 6] = [
    [0, 1, 2, 3, 8, 9, 10, 11],
    [4, 7, 6, 5, 15, 14, 13, 12],
    [0, 4, 5, 1, 16, 12, 17, 8],
    [1, 5, 6, 2, 17, 13, 18, 9],
    [2, 6, 7, 3, 18, 14, 19, 10],
    [3, 7, 4, 0, 19, 15, 16, 11],
];

/// The twelve edges: corner, middle, corner.
pub const EDGES: [[usize; 3]; 12] = [
    [0, 8, 1],
    [1, 9, 2],
    [2, 10, 3],
    [3, 11, 0],
    [4, 12, 5],
    [5, 13, 6],
    [6, 14, 7],
    [7, 15, 4],
    [0, 16, 4],
    [1, 17, 5],
    [2, 18, 6],
    [3, 19, 7],
];

/// Abscissae and weights of the three-point Gauss rule.
const GAUSS: [(f64, f64); 3] =
    [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];

/// Values and natural gradients of the 20 shape functions at (r, s, t).
pub fn shape(point: [f64; 3]) -> Shape<NODES> {
    let mut value = [0.0; NODES];
    let mut gradient = [Vector3::zeros(); NODES];
    for (i, node) in NATURAL.iter().enumerate() {
        // One factor per direction: linear at corners and along the two other edges, a bubble along its own edge.
        let f: [f64; 3] =
            std::array::from_fn(|d| if node[d] == 0.0 { 1.0 - point[d] * point[d] } else { 1.0 + point[d] * node[d] });
        let df: [f64; 3] = std::array::from_fn(|d| if node[d] == 0.0 { -2.0 * point[d] } else { node[d] });
        let product = f[0] * f[1] * f[2];
        let slope = Vector3::new(df[0] * f[1] * f[2], f[0] * df[1] * f[2], f[0] * f[1] * df[2]);
        if i < 8 {
            let sum = point[0] * node[0] + point[1] * node[1] + point[2] * node[2] - 2.0;
            value[i] = product * sum / 8.0;
            gradient[i] = (slope * sum + Vector3::from(*node) * product) / 8.0;
        } else {
            value[i] = product / 4.0;
            gradient[i] = slope / 4.0;
        }
    }
    (value, gradient)
}

/// The 27 integration points of stiffness and mass.
pub(super) fn points() -> Vec<Point<NODES>> {
    let rule = || GAUSS.into_iter();
    let line = |(r, wr)| rule().flat_map(move |(s, ws)| rule().map(move |(t, wt)| (shape([r, s, t]), wr * ws * wt)));
    rule().flat_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Matrices, Solid};
    use crate::{Error, Material};
    use nalgebra::SMatrix;

    fn matrices(nodes: &[Vector3<f64>], material: &Material, label: usize) -> Result<Matrices, Error> {
        Solid::C3d20.matrices(nodes, material, label)
    }

    fn distorted() -> [Vector3<f64>; NODES] {
        NATURAL.map(|n| {
            let x = Vector3::from(n) * 0.5;
            x + Vector3::new(0.08 * x.y * x.z, 0.05 * x.x * x.x, 0.06 * x.x * x.y)
        })
    }

    #[test]
    fn shape_functions_interpolate_and_sum_to_one() {
        for (i, node) in NATURAL.iter().enumerate() {
            let (value, _) = shape(*node);
            for (j, v) in value.iter().enumerate() {
                assert!((v - f64::from(u8::from(i == j))).abs() < 1e-15);
            }
        }
        let (value, gradient) = shape([0.3, -0.7, 0.2]);
        assert!((value.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        assert!(gradient.iter().sum::<Vector3<f64>>().norm() < 1e-14);
    }

    #[test]
    fn rigid_motions_cost_nothing_and_uniform_strain_costs_its_energy() {
        let material = Material::new(2.0e11, 0.3, 7850.0).unwrap();
        let nodes = distorted();
        let element = matrices(&nodes, &material, 1).unwrap();
        let scale = element.stiffness.amax();
        for motion in 0..6 {
            let u = SMatrix::<f64, 60, 1>::from_fn(|row, _| {
                let x = nodes[row / 3];
                let axis = Vector3::ith(motion % 3, 1.0);
                if motion < 3 { axis[row % 3] } else { axis.cross(&x)[row % 3] }
            });
            assert!((&element.stiffness * u).amax() < 1e-13 * scale);
        }
        // u_x = x: energy density (λ + 2μ)/2, volume from the mass.
        let u = SMatrix::<f64, 60, 1>::from_fn(|row, _| if row % 3 == 0 { nodes[row / 3].x } else { 0.0 });
        let volume = element.mass.sum() / material.density_kg_m3;
        let (lambda, mu) = material.lame_pa();
        let energy = (u.transpose() * &element.stiffness * u)[0];
        assert!((energy / ((lambda + 2.0 * mu) * volume) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn mass_of_a_brick_is_exact() {
        let material = Material::new(2.0e11, 0.3, 7850.0).unwrap();
        let nodes = NATURAL.map(|n| Vector3::new(0.5 * n[0], 1.5 * n[1], 2.5 * n[2]));
        let element = matrices(&nodes, &material, 1).unwrap();
        let ones = SMatrix::<f64, 20, 1>::repeat(1.0);
        let along = SMatrix::<f64, 20, 1>::from_fn(|i, _| nodes[i].z);
        let moment = |a: &SMatrix<f64, 20, 1>| (a.transpose() * &element.mass * a)[0];
        // Mass ρ V and second moment ρ V L²/12.
        assert!((moment(&ones) / (7850.0 * 15.0) - 1.0).abs() < 1e-14);
        assert!((moment(&along) / (7850.0 * 15.0 * 25.0 / 12.0) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn inverted_element_is_refused() {
        let material = Material::new(2.0e11, 0.3, 7850.0).unwrap();
        let mut nodes = NATURAL.map(Vector3::from);
        nodes.swap(0, 6);
        assert!(matches!(matrices(&nodes, &material, 7), Err(Error::Jacobian { element: 7, .. })));
    }
}
