//! Static deflection of the long beam under f_z, t_x and t_y together at its free end.
//!
//! ```text
//! u_z = f_z L³/3EI − t_y L²/2EI,   φ_x = t_x L/GJ,   φ_y = t_y L/EI − f_z L²/2EI,   J = 0.1406 side⁴
//! ```
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | u_z, φ_x, φ_y | deflection (m) and rotations (rad) of the free end |
//! | EI, GJ | bending and Saint-Venant torsion stiffness, N m² |

use macrostep_flexible::mesh::long_beam;
use macrostep_flexible::{Basis, Error, Material};
use nalgebra::{DMatrix, Vector3, Vector6};

use super::{clamped_static, tie};

/// f_z in N, t_x and t_y in N m.
pub const LOAD: f64 = 1e-4;
/// Length in m.
pub const LENGTH_M: f64 = 1.0;
const SIDE_M: f64 = 0.01;
/// J/side⁴ of a square section.
const TORSION: f64 = 0.140_577_014_955_155;
/// Deviations of u_z, φ_x, φ_y the slides give, per cent: from theory and, reduced against unreduced, from ANSYS.
pub const SLIDES_PERCENT: [[f64; 3]; 2] = [[0.06, 0.80, 0.08], [4.08e-3, 1.75e-3, 1.36e-3]];

/// Deflections of the free end, (u_z, φ_x, φ_y) in m and rad.
#[derive(Debug, Clone)]
pub struct LongBeam {
    /// Of the full finite element model.
    pub full: Vector3<f64>,
    /// Of the model reduced by Craig–Bampton 12 + 10.
    pub reduced: Vector3<f64>,
    /// By Euler–Bernoulli and Saint-Venant.
    pub theory: Vector3<f64>,
    /// Position along the beam and deflection u_z of the nodes on its axis, m.
    pub line: Vec<(f64, f64)>,
}

/// E 2e11 Pa, ν 0.3, ρ 7850 kg/m³ (which a static example does not use).
///
/// # Errors
/// Never: the constants are sound.
pub fn material() -> Result<Material, Error> {
    Material::new(2e11, 0.3, 7850.0)
}

impl LongBeam {
    /// Solves the full and the reduced model.
    ///
    /// # Errors
    /// Those of assembly, factorisation and reduction.
    pub fn new() -> Result<Self, Error> {
        let (mesh, material) = (long_beam(), material()?);
        let (structure, tied) = tie(&mesh, &material, &["CLAMP", "TIP"])?;
        // The full model, clamped: the tip's six variables come after those of the clamp.
        let mut load = DMatrix::zeros(tied.chain.size(), 1);
        (8..11).for_each(|i| load[(i, 0)] = LOAD);
        let u = clamped_static(&tied.chain, &load)?;
        let field = tied.map.multiply(&u);
        // The deflected axis, for a picture.
        let on_axis = |n: &usize| structure.nodes[*n].y.abs() < 1e-9 && structure.nodes[*n].z.abs() < 1e-9;
        let nodes = (0..structure.nodes.len()).filter(on_axis);
        let mut line: Vec<(f64, f64)> = nodes.map(|n| (structure.nodes[n].x, field[(3 * n + 2, 0)])).collect();
        line.sort_by(|a, b| a.0.total_cmp(&b.0));

        // The reduced model under the same load.
        let basis = Basis::craig_bampton(&tied.chain, 10)?;
        let fixed = basis.fixed(&tied.chain, 0)?;
        let stiffness = fixed.tr_mul(&(tied.chain.a0.project(&basis.vectors) * &fixed));
        let tip = basis.vectors.rows(6, 6) * &fixed;
        let singular = || Error::Factorisation { what: "reduced clamped stiffness", reason: "singular".into() };
        let wrench = Vector6::new(0.0, 0.0, LOAD, LOAD, LOAD, 0.0);
        let moved = &tip * stiffness.cholesky().ok_or_else(singular)?.solve(&tip.tr_mul(&wrench));
        Ok(Self {
            full: Vector3::new(u[8], u[9], u[10]),
            reduced: Vector3::new(moved[2], moved[3], moved[4]),
            theory: Vector3::new(theory_u_z(&material, LENGTH_M), theory_phi_x(&material), theory_phi_y(&material)),
            line,
        })
    }

    /// Deviation of the full model from theory, per cent.
    pub fn deviation_percent(&self) -> Vector3<f64> {
        deviation(self.full, self.theory)
    }

    /// Deviation of the reduced from the full model, per cent.
    pub fn reduced_deviation_percent(&self) -> Vector3<f64> {
        deviation(self.reduced, self.full)
    }
}

fn deviation(a: Vector3<f64>, b: Vector3<f64>) -> Vector3<f64> {
    a.zip_map(&b, |a, b| 100.0 * (a / b - 1.0))
}

fn bending(material: &Material) -> f64 {
    material.young_pa * SIDE_M.powi(4) / 12.0
}

/// u_z (m) at a distance `x` (m) from the clamp, by beam theory.
pub fn theory_u_z(material: &Material, x: f64) -> f64 {
    LOAD * x * x * ((3.0 * LENGTH_M - x) / 6.0 - 0.5) / bending(material)
}

fn theory_phi_x(material: &Material) -> f64 {
    LOAD * LENGTH_M / (material.shear_pa() * TORSION * SIDE_M.powi(4))
}

fn theory_phi_y(material: &Material) -> f64 {
    LOAD * (LENGTH_M - LENGTH_M.powi(2) / 2.0) / bending(material)
}
