//! Straight beam element with two nodes and six degrees of freedom each.
//!
//! Bending in one plane with shear number Φ = 12 E I / (G A_s L²) (Euler–Bernoulli for Φ = 0), coordinates
//! (w₁, φ₁, w₂, φ₂):
//!
//! ```text
//! k = E I / (L³ (1 + Φ)) [ 12        6L         −12      6L
//!                          6L      (4+Φ)L²      −6L    (2−Φ)L²
//!                         −12       −6L          12     −6L
//!                          6L      (2−Φ)L²      −6L    (4+Φ)L² ]
//! ```
//!
//! with the consistent mass of the same shape functions, translational and rotary. Axial and torsional parts are
//! linear: (E A / L) [1 −1; −1 1], (G J / L) [1 −1; −1 1], (ρ A L / 6) [2 1; 1 2], (ρ I_p L / 6) [2 1; 1 2].
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | A, A_s | area, shear area, m² |
//! | I, J, I_p | second moment, torsion constant, polar moment, m⁴ |
//! | Φ | shear number |
//!
//! # References
//! Przemieniecki, *Theory of Matrix Structural Analysis*, 1968, equations 5.116 (stiffness) and 11.29 (mass).

use crate::structure::{Assembly, Dof};
use crate::{Error, Material, Sparse, Structure};
use nalgebra::{Matrix3, Matrix4, SMatrix, Vector3};
use serde::{Deserialize, Serialize};

/// Constants of a beam's cross-section.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Area A in m².
    pub area_m2: f64,
    /// Second moment about the local y axis in m⁴ (bending in the local x–z plane).
    pub second_y_m4: f64,
    /// Second moment about the local z axis in m⁴ (bending in the local x–y plane).
    pub second_z_m4: f64,
    /// Torsion constant J in m⁴.
    pub torsion_m4: f64,
    /// Shear areas along y and z in m²; `None` is Euler–Bernoulli without rotary inertia.
    pub shear_m2: Option<[f64; 2]>,
}

/// A beam between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beam {
    /// Indices of the two nodes.
    pub nodes: [usize; 2],
    /// The section.
    pub section: Section,
    /// A vector in the local x–y plane, not parallel to the beam.
    pub up: Vector3<f64>,
}

impl Section {
    /// Rectangle of `width` (local y) by `height` (local z), both in m; shear factor 5/6 if `shear`.
    pub fn rectangle(width: f64, height: f64, shear: bool) -> Self {
        let area = width * height;
        let (long, short) = (width.max(height), width.min(height));
        // Saint-Venant series of the rectangle; the terms left out are below 1e-15 of the sum.
        let sum: f64 = (0..2000)
            .map(|i| {
                let n = f64::from(2 * i + 1);
                (n * std::f64::consts::PI * long / (2.0 * short)).tanh() / n.powi(5)
            })
            .sum();
        let ratio = short / long;
        let torsion = long * short.powi(3) / 3.0 * (1.0 - 192.0 / std::f64::consts::PI.powi(5) * ratio * sum);
        Self {
            area_m2: area,
            second_y_m4: width * height.powi(3) / 12.0,
            second_z_m4: height * width.powi(3) / 12.0,
            torsion_m4: torsion,
            shear_m2: shear.then_some([5.0 / 6.0 * area; 2]),
        }
    }
}

/// Bending stiffness (4 × 4) from E I (N m²), length (m) and shear number.
pub fn bending_stiffness(ei: f64, length: f64, shear: f64) -> Matrix4<f64> {
    let l = length;
    let (a, b, c, d) = (12.0, 6.0 * l, (4.0 + shear) * l * l, (2.0 - shear) * l * l);
    Matrix4::new(a, b, -a, b, b, c, -b, d, -a, -b, a, -b, b, d, -b, c) * (ei / (l.powi(3) * (1.0 + shear)))
}

/// Consistent bending mass (4 × 4) from ρ A (kg/m), ρ I (kg m, zero without rotary inertia), length and shear number.
pub fn bending_mass(per_length: f64, rotary: f64, length: f64, shear: f64) -> Matrix4<f64> {
    let (l, p) = (length, shear);
    // Both parts have the same pattern of equal entries.
    let fill = |d1: f64, c1: f64, d2: f64, c2: f64, r1: f64, r2: f64| {
        Matrix4::new(d1, c1, d2, -c2, c1, r1, c2, r2, d2, c2, d1, -c1, -c2, r2, -c1, r1)
    };
    // ∫ N Nᵀ dx of the deflections, then ∫ N Nᵀ dx of the rotations of the section.
    let translation = fill(
        13.0 / 35.0 + 0.7 * p + p * p / 3.0,
        (11.0 / 210.0 + 11.0 * p / 120.0 + p * p / 24.0) * l,
        9.0 / 70.0 + 0.3 * p + p * p / 6.0,
        (13.0 / 420.0 + 3.0 * p / 40.0 + p * p / 24.0) * l,
        (1.0 / 105.0 + p / 60.0 + p * p / 120.0) * l * l,
        -(1.0 / 140.0 + p / 60.0 + p * p / 120.0) * l * l,
    );
    let rotation = fill(
        1.2,
        (0.1 - 0.5 * p) * l,
        -1.2,
        -(0.1 - 0.5 * p) * l,
        (2.0 / 15.0 + p / 6.0 + p * p / 3.0) * l * l,
        (-1.0 / 30.0 - p / 6.0 + p * p / 6.0) * l * l,
    );
    (translation * (per_length * l) + rotation * (rotary / l)) / (1.0 + p).powi(2)
}

/// Stiffness and mass (12 × 12) in local axes, per node (u, v, w, φx, φy, φz).
fn local_matrices(section: &Section, material: &Material, length: f64) -> (SMatrix<f64, 12, 12>, SMatrix<f64, 12, 12>) {
    let mut k = SMatrix::zeros();
    let mut m = SMatrix::zeros();
    let (e, g, rho) = (material.young_pa, material.shear_pa(), material.density_kg_m3);
    let per_length = rho * section.area_m2;
    let polar = rho * (section.second_y_m4 + section.second_z_m4);
    for (at, stiff, inertia) in [(0, e * section.area_m2, per_length), (3, g * section.torsion_m4, polar)] {
        for (i, j) in [(at, at), (at, at + 6), (at + 6, at), (at + 6, at + 6)] {
            let same = i == j;
            k[(i, j)] = if same { stiff / length } else { -stiff / length };
            m[(i, j)] = inertia * length / if same { 3.0 } else { 6.0 };
        }
    }
    // In the x–z plane a positive rotation about y lowers w with x, hence the sign.
    let planes = [
        ([1, 5, 7, 11], [1.0, 1.0, 1.0, 1.0], section.second_z_m4, 0),
        ([2, 4, 8, 10], [1.0, -1.0, 1.0, -1.0], section.second_y_m4, 1),
    ];
    for (rows, signs, second, direction) in planes {
        let shear = section.shear_m2.map_or(0.0, |s| 12.0 * e * second / (g * s[direction] * length.powi(2)));
        let rotary = if section.shear_m2.is_some() { rho * second } else { 0.0 };
        let stiff = bending_stiffness(e * second, length, shear);
        let inertia = bending_mass(per_length, rotary, length, shear);
        for i in 0..4 {
            for j in 0..4 {
                let sign = signs[i] * signs[j];
                k[(rows[i], rows[j])] += sign * stiff[(i, j)];
                m[(rows[i], rows[j])] += sign * inertia[(i, j)];
            }
        }
    }
    (k, m)
}

/// Rows at a place on a beam, in its 12 global coordinates.
pub(crate) struct Station {
    /// Share of the length.
    pub weight: f64,
    /// Position in m.
    pub position: Vector3<f64>,
    /// Displacement of the axis.
    pub displacement: SMatrix<f64, 3, 12>,
    /// Its derivative along the axis, 1/m.
    pub slope: SMatrix<f64, 3, 12>,
    /// Rotation of the section where it carries inertia: without shear areas only that about the axis.
    pub rotation: SMatrix<f64, 3, 12>,
}

/// Abscissae in [0, 1] and weights of the Gauss rule with four points.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_9, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Deflection, slope and rotation of the section at x = ξ L by (w₁, φ₁, w₂, φ₂) in one plane.
fn bending_shapes(xi: f64, length: f64, shear: f64) -> [[f64; 4]; 3] {
    let (x, l, p) = (xi, length, shear);
    let all = [
        // The deflection w(ξ).
        [
            1.0 - 3.0 * x * x + 2.0 * x.powi(3) + p * (1.0 - x),
            l * (x - 2.0 * x * x + x.powi(3) + 0.5 * p * (x - x * x)),
            3.0 * x * x - 2.0 * x.powi(3) + p * x,
            l * (x.powi(3) - x * x - 0.5 * p * (x - x * x)),
        ],
        // ∂w/∂x.
        [
            (-6.0 * x + 6.0 * x * x - p) / l,
            1.0 - 4.0 * x + 3.0 * x * x + 0.5 * p * (1.0 - 2.0 * x),
            (6.0 * x - 6.0 * x * x + p) / l,
            3.0 * x * x - 2.0 * x - 0.5 * p * (1.0 - 2.0 * x),
        ],
        // Rotation of the section, without the shear angle.
        [
            (-6.0 * x + 6.0 * x * x) / l,
            1.0 - 4.0 * x + 3.0 * x * x + p * (1.0 - x),
            (6.0 * x - 6.0 * x * x) / l,
            3.0 * x * x - 2.0 * x + p * x,
        ],
    ];
    all.map(|row| row.map(|value| value / (1.0 + p)))
}

impl Beam {
    /// Local axes as columns and length (m); `None` where there are none.
    fn axes(&self, nodes: &[Vector3<f64>]) -> Option<(Matrix3<f64>, f64)> {
        let [a, b] = [nodes.get(self.nodes[0])?, nodes.get(self.nodes[1])?];
        let length = (b - a).norm();
        let x = (b - a).try_normalize(0.0)?;
        let z = x.cross(&self.up).try_normalize(0.0)?;
        Some((Matrix3::from_columns(&[x, z.cross(&x), z]), length))
    }

    /// Local axes as columns, length (m), and the rows at four places, exact for the consistent mass.
    pub(crate) fn stations(
        &self,
        nodes: &[Vector3<f64>],
        material: &Material,
    ) -> Option<(Matrix3<f64>, f64, [Station; 4])> {
        let (axes, length) = self.axes(nodes)?;
        let (e, g, section) = (material.young_pa, material.shear_pa(), &self.section);
        // Rows in local axes, as maps of global displacements and rotations.
        let global = |local: SMatrix<f64, 3, 12>| {
            let mut all = SMatrix::<f64, 3, 12>::zeros();
            for block in 0..4 {
                let columns = axes * local.fixed_columns::<3>(3 * block) * axes.transpose();
                all.fixed_columns_mut::<3>(3 * block).copy_from(&columns);
            }
            all
        };
        let station = |(xi, weight): (f64, f64)| {
            // Axial displacement and torsion are linear.
            let [mut u, mut slope, mut turn] = [SMatrix::<f64, 3, 12>::zeros(); 3];
            (u[(0, 0)], u[(0, 6)]) = (1.0 - xi, xi);
            (turn[(0, 3)], turn[(0, 9)]) = (1.0 - xi, xi);
            (slope[(0, 0)], slope[(0, 6)]) = (-1.0 / length, 1.0 / length);
            // Bending in both planes: across and about which axis, and with which degrees of freedom.
            let planes = [
                (1, 2, [1, 5, 7, 11], 1.0, section.second_z_m4, 0),
                (2, 1, [2, 4, 8, 10], -1.0, section.second_y_m4, 1),
            ];
            for (across, about, columns, sign, second, direction) in planes {
                let shear = section.shear_m2.map_or(0.0, |s| 12.0 * e * second / (g * s[direction] * length.powi(2)));
                let [w, along, angle] = bending_shapes(xi, length, shear);
                for (i, column) in columns.into_iter().enumerate() {
                    // A positive rotation about y lowers w with x.
                    let flip = if i % 2 == 1 { sign } else { 1.0 };
                    u[(across, column)] = flip * w[i];
                    slope[(across, column)] = flip * along[i];
                    if section.shear_m2.is_some() {
                        turn[(about, column)] = sign * flip * angle[i];
                    }
                }
            }
            let position = nodes[self.nodes[0]] + axes.column(0) * (xi * length);
            Station { weight, position, displacement: global(u), slope: global(slope), rotation: global(turn) }
        };
        Some((axes, length, GAUSS.map(station)))
    }
}

impl Structure {
    /// Assembles a frame of beams, six degrees of freedom per node (x, y, z, rotations about x, y, z), node-major.
    ///
    /// # Errors
    /// [`Error::Beam`] for a beam without length, a section without area or an `up` along the beam.
    pub fn frame(nodes: &[Vector3<f64>], beams: &[Beam], material: &Material) -> Result<Self, Error> {
        let (mut stiffness, mut mass) = (Vec::new(), Vec::new());
        for (element, beam) in beams.iter().enumerate() {
            let refuse = |what| Err(Error::Beam { element, what });
            // Two nodes that are there, and a section with area between them.
            let [Some(a), Some(b)] = beam.nodes.map(|n| nodes.get(n)) else {
                return refuse("a node does not exist");
            };
            let axis = b - a;
            let length = axis.norm();
            if length <= 0.0 || !beam.section.area_m2.is_finite() || beam.section.area_m2 <= 0.0 {
                return refuse("length and area must be positive");
            }
            // Local axes: x along the beam, y towards `up`.
            let x = axis / length;
            let side = x.cross(&beam.up);
            if side.norm() < 1e-9 * beam.up.norm().max(f64::MIN_POSITIVE) {
                return refuse("`up` is parallel to the beam");
            }
            let z = side.normalize();
            let axes = Matrix3::from_columns(&[x, z.cross(&x), z]);
            // The element's matrices in global axes, added to those of its nodes.
            let mut turn = SMatrix::<f64, 12, 12>::zeros();
            for block in 0..4 {
                turn.fixed_view_mut::<3, 3>(3 * block, 3 * block).copy_from(&axes.transpose());
            }
            let (k, m) = local_matrices(&beam.section, material, length);
            let (k, m) = (turn.transpose() * k * turn, turn.transpose() * m * turn);
            let global = |i: usize| 6 * beam.nodes[i / 6] + i % 6;
            for j in 0..12 {
                for i in 0..12 {
                    stiffness.push((global(i), global(j), k[(i, j)]));
                    mass.push((global(i), global(j), m[(i, j)]));
                }
            }
        }
        // Six degrees of freedom a node, in the order of the nodes.
        let size = 6 * nodes.len();
        let dofs = (0..size).map(|i| Dof { node: i / 6, direction: i % 6 }).collect();
        let (stiffness, mass) = (Sparse::from_triplets(size, &stiffness)?, Sparse::from_triplets(size, &mass)?);
        let labels = (1..=nodes.len()).collect();
        let structure = Self::new(nodes.to_vec(), labels, dofs, stiffness, mass)?;
        Ok(Self { assembly: Assembly::Beams(beams.to_vec(), *material), ..structure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rigid_motions_cost_nothing_and_carry_the_right_inertia() {
        let material = Material::new(2.0e11, 0.3, 7850.0).unwrap();
        for shear in [false, true] {
            let section = Section::rectangle(0.02, 0.01, shear);
            let nodes = [Vector3::zeros(), Vector3::new(0.3, 0.1, 0.2), Vector3::new(0.5, -0.2, 0.3)];
            let up = Vector3::new(0.0, 0.3, 1.0);
            let beams = [[0, 1], [1, 2]].map(|nodes| Beam { nodes, section, up });
            let frame = Structure::frame(&nodes, &beams, &material).unwrap();
            let rigid = frame.rigid_modes(Vector3::zeros());
            assert!(frame.stiffness.multiply(&rigid).amax() < 1e-12 * frame.stiffness.max_abs());
            let length = (nodes[1] - nodes[0]).norm() + (nodes[2] - nodes[1]).norm();
            assert!((frame.mass_kg() / (7850.0 * 2e-4 * length) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn shear_deflection_of_a_tip_load_is_exact() {
        let material = Material::new(2.0e11, 0.3, 7850.0).unwrap();
        let (length, section) = (0.2, Section::rectangle(0.04, 0.05, true));
        let (k, _) = local_matrices(&section, &material, length);
        // Clamp node 1 and load w of node 2.
        let free = [8, 10];
        let sub = nalgebra::Matrix2::from_fn(|i, j| k[(free[i], free[j])]);
        let w = sub.try_inverse().unwrap()[(0, 0)];
        let ei = material.young_pa * section.second_y_m4;
        let shear = material.shear_pa() * section.shear_m2.unwrap()[1];
        assert!((w / (length.powi(3) / (3.0 * ei) + length / shear) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn torsion_constant_of_a_square() {
        assert!((Section::rectangle(1.0, 1.0, false).torsion_m4 - 0.140_577_014_955_155).abs() < 1e-12);
    }
}
