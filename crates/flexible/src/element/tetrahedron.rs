//! Quadratic tetrahedron with 10 nodes (T10, CalculiX/Abaqus C3D10).
//!
//! With the volume coordinates L₁ = 1 − r − s − t, L₂ = r, L₃ = s, L₄ = t:
//!
//! ```text
//! corners:  Nᵢ = Lᵢ (2 Lᵢ − 1)          middles, between corners a and b:  N = 4 L_a L_b
//! ```
//!
//! The stiffness is integrated with 4 points (exact for straight edges), the mass with 15 (degree 5; exact for straight
//! edges, where the integrand has degree 4). CalculiX takes 4 points for the mass, too, whose element matrix has rank 4: its
//! frequencies differ by some tenths of a per cent on a coarse mesh and have the same limit.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | r, s, t | natural coordinates, r, s, t ≥ 0 and r + s + t ≤ 1 |
//! | L | volume coordinates |
//!
//! # References
//! Zienkiewicz, Taylor, Zhu, *The Finite Element Method: Its Basis and Fundamentals*, 6th ed., section 4.10.
//! Walkington, *Quadrature on simplices of arbitrary dimension* (2000), the rule of degree 5.

use super::solid::{Point, Shape};
use nalgebra::Vector3;

/// Nodes of an element.
pub const NODES: usize = 10;

/// The four faces S1 to S4 of C3D10, each with its six local nodes (corners, then middles).
pub const FACES: [[usize; 6]; 4] = [[0, 1, 2, 4, 5, 6], [0, 3, 1, 7, 8, 4], [1, 3, 2, 8, 9, 5], [2, 3, 0, 9, 7, 6]];

/// The six edges: corner, middle, corner. The order is that of the middle nodes.
pub const EDGES: [[usize; 3]; 6] = [[0, 4, 1], [1, 5, 2], [2, 6, 0], [0, 7, 3], [1, 8, 3], [2, 9, 3]];

/// Gradients of the volume coordinates along r, s and t.
const SLOPES: [[f64; 3]; 4] = [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// √15 and √5, which are no constants of the language.
const ROOT_15: f64 = 3.872_983_346_207_417;
const ROOT_5: f64 = 2.236_067_977_499_79;
/// Volume of the element in natural coordinates.
const VOLUME: f64 = 1.0 / 6.0;

/// Volume coordinates and weight of an integration point; the weights add up to the volume 1/6.
type Place = ([f64; 4], f64);

/// Where one volume coordinate is `own` and the others are `rest`.
fn near_corner(corner: usize, own: f64, rest: f64) -> [f64; 4] {
    std::array::from_fn(|i| if i == corner { own } else { rest })
}

/// The rule of degree 2 with 4 points.
fn four_points() -> [Place; 4] {
    let rest = (5.0 - ROOT_5) / 20.0;
    std::array::from_fn(|corner| (near_corner(corner, 1.0 - 3.0 * rest, rest), VOLUME / 4.0))
}

/// The rule of degree 5 with 15 points: the centre, four near the faces, four near the corners, six near the edges.
fn fifteen_points() -> [Place; 15] {
    std::array::from_fn(|k| match k {
        0 => ([0.25; 4], VOLUME * 16.0 / 135.0),
        1..=8 => {
            let root = if k <= 4 { ROOT_15 } else { -ROOT_15 };
            let rest = (7.0 - root) / 34.0;
            (near_corner((k - 1) % 4, 1.0 - 3.0 * rest, rest), VOLUME * (2665.0 + 14.0 * root) / 37_800.0)
        }
        _ => {
            let [a, _, b] = EDGES[k - 9];
            let at = |i: usize| (if i == a || i == b { 5.0 + ROOT_15 } else { 5.0 - ROOT_15 }) / 20.0;
            (std::array::from_fn(at), VOLUME * 10.0 / 189.0)
        }
    })
}

/// Values and natural gradients of the 10 shape functions at the volume coordinates `l`.
fn shape(l: [f64; 4]) -> Shape<NODES> {
    let slope = SLOPES.map(Vector3::from);
    let mut value = [0.0; NODES];
    let mut gradient = [Vector3::zeros(); NODES];
    for i in 0..4 {
        value[i] = l[i] * (2.0 * l[i] - 1.0);
        gradient[i] = slope[i] * (4.0 * l[i] - 1.0);
    }
    for [a, middle, b] in EDGES {
        value[middle] = 4.0 * l[a] * l[b];
        gradient[middle] = (slope[a] * l[b] + slope[b] * l[a]) * 4.0;
    }
    (value, gradient)
}

/// The integration points of the stiffness.
pub(super) fn stiffness_points() -> Vec<Point<NODES>> {
    four_points().map(|(l, weight)| (shape(l), weight)).to_vec()
}

/// The integration points of the mass.
pub(super) fn mass_points() -> Vec<Point<NODES>> {
    fifteen_points().map(|(l, weight)| (shape(l), weight)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Matrices, Solid};
    use crate::{Error, Material};
    use nalgebra::DVector;

    fn matrices(nodes: &[Vector3<f64>], material: &Material, label: usize) -> Result<Matrices, Error> {
        Solid::C3d10.matrices(nodes, material, label)
    }

    /// Volume coordinates of the nodes.
    fn natural() -> [[f64; 4]; NODES] {
        let mut all = [[0.0; 4]; NODES];
        for (i, l) in all.iter_mut().enumerate().take(4) {
            l[i] = 1.0;
        }
        for [a, middle, b] in EDGES {
            (all[middle][a], all[middle][b]) = (0.5, 0.5);
        }
        all
    }

    /// A skewed element; `bent` moves its middle nodes off the straight edges.
    fn nodes(bent: f64) -> [Vector3<f64>; NODES] {
        let corners = [[0.1, 0.0, 0.0], [1.0, 0.2, -0.1], [0.3, 0.9, 0.1], [0.2, 0.1, 1.2]].map(Vector3::from);
        let mut turn = 0.0_f64;
        natural().map(|l| {
            turn += 1.0;
            let off = if l.contains(&0.5) {
                Vector3::new(turn.sin(), turn.cos(), (2.0 * turn).sin())
            } else {
                Vector3::zeros()
            };
            corners.iter().zip(l).map(|(x, l)| x * l).sum::<Vector3<f64>>() + off * bent
        })
    }

    fn steel() -> Material {
        Material::new(2.0e11, 0.3, 7850.0).unwrap()
    }

    /// ∫ rᵃ sᵇ tᶜ over the element in natural coordinates: a! b! c! / (a + b + c + 3)!.
    fn monomial(powers: [u32; 3]) -> f64 {
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        powers.map(factorial).iter().product::<f64>() / factorial(powers.iter().sum::<u32>() + 3)
    }

    #[test]
    fn rules_have_their_degrees() {
        let holds = |points: &[Place], degree: u32| {
            let mut all = true;
            for (a, b, c) in (0..=degree)
                .flat_map(|a| (0..=degree - a).map(move |b| (a, b)))
                .flat_map(|(a, b)| (0..=degree - a - b).map(move |c| (a, b, c)))
            {
                let power = |l: [f64; 4]| l[1].powi(a as i32) * l[2].powi(b as i32) * l[3].powi(c as i32);
                let sum: f64 = points.iter().map(|(l, w)| w * power(*l)).sum();
                all &= (sum - monomial([a, b, c])).abs() < 1e-16;
            }
            all
        };
        assert!(holds(&four_points(), 2) && !holds(&four_points(), 3));
        assert!(holds(&fifteen_points(), 5) && !holds(&fifteen_points(), 6));
    }

    #[test]
    fn shape_functions_interpolate_and_sum_to_one() {
        for (i, node) in natural().iter().enumerate() {
            for (j, v) in shape(*node).0.iter().enumerate() {
                assert!((v - f64::from(u8::from(i == j))).abs() < 1e-15);
            }
        }
        let (value, gradient) = shape([0.15, 0.2, 0.4, 0.25]);
        assert!((value.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        assert!(gradient.iter().sum::<Vector3<f64>>().norm() < 1e-14);
    }

    #[test]
    fn rigid_motions_cost_nothing_and_uniform_strain_costs_its_energy() {
        for bent in [0.0, 0.02] {
            let nodes = nodes(bent);
            let element = matrices(&nodes, &steel(), 1).unwrap();
            for motion in 0..6 {
                let u = DVector::from_fn(3 * NODES, |row, _| {
                    let axis = Vector3::ith(motion % 3, 1.0);
                    if motion < 3 { axis[row % 3] } else { axis.cross(&nodes[row / 3])[row % 3] }
                });
                assert!((&element.stiffness * u).amax() < 1e-13 * element.stiffness.amax());
            }
            // Nothing but the six rigid motions is free.
            let values = element.stiffness.clone().symmetric_eigenvalues();
            assert_eq!(values.iter().filter(|v| **v < 1e-9 * values.amax()).count(), 6);
        }
        // u_x = x: energy density (λ + 2μ)/2; straight edges, so that both rules see the same volume.
        let nodes = nodes(0.0);
        let element = matrices(&nodes, &steel(), 1).unwrap();
        let u = DVector::from_fn(3 * NODES, |row, _| if row % 3 == 0 { nodes[row / 3].x } else { 0.0 });
        let volume = element.mass.sum() / 7850.0;
        let (lambda, mu) = steel().lame_pa();
        let energy = u.dot(&(&element.stiffness * &u));
        assert!((energy / ((lambda + 2.0 * mu) * volume) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn mass_of_a_straight_element_is_the_closed_form() {
        let nodes = nodes(0.0);
        let element = matrices(&nodes, &steel(), 1).unwrap();
        let edge = |i: usize| nodes[i] - nodes[0];
        let volume = edge(1).cross(&edge(2)).dot(&edge(3)) / 6.0;
        // Second moment of L₁: ∫ L₁² dV = V/10, through the interpolation of L₁ by the nodes.
        let first = DVector::from_iterator(NODES, natural().iter().map(|l| l[0]));
        assert!((element.mass.sum() / (7850.0 * volume) - 1.0).abs() < 1e-13);
        assert!((first.dot(&(&element.mass * &first)) / (7850.0 * volume / 10.0) - 1.0).abs() < 1e-13);
        // ∫ N₁² dV = V/70 and ∫ N₅² dV = 8 V/105, of degree 4.
        assert!((element.mass[(0, 0)] / (7850.0 * volume / 70.0) - 1.0).abs() < 1e-13);
        assert!((element.mass[(4, 4)] / (7850.0 * volume * 8.0 / 105.0) - 1.0).abs() < 1e-13);
    }

    #[test]
    fn faces_point_outwards_and_inverted_elements_are_refused() {
        let corners = nodes(0.0);
        let centre = (corners[0] + corners[1] + corners[2] + corners[3]) / 4.0;
        for face in FACES {
            let [a, b, c] = [0, 1, 2].map(|k| corners[face[k]]);
            // The corners of C3D10 run clockwise seen from outside.
            assert!((b - a).cross(&(c - a)).dot(&(a - centre)) < 0.0);
            for k in 0..3 {
                let middle = (corners[face[k]] + corners[face[(k + 1) % 3]]) / 2.0;
                assert!((corners[face[3 + k]] - middle).norm() < 1e-12);
            }
        }
        let mut turned = corners;
        turned.swap(0, 1);
        assert!(matches!(matrices(&turned, &steel(), 7), Err(Error::Jacobian { element: 7, .. })));
    }
}
