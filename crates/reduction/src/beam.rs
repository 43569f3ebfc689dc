//! A free–free Euler–Bernoulli beam by its modes, stepped exactly under held nodal forces and a harmonic force.
//!
//! ```text
//! η̈_k + 2 ζ ω_k η̇_k + ω_k² η_k = Σ_i φ_k,i F_i + φ_k,0 sin Ω t,   y_i = Σ φ_k,i η_k
//! ```
//!
//! With F held, (η, η̇, sin, cos, 1) is a linear system and its exponential is the exact step.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | η_k, ω_k | modal coordinate (√kg m) and frequency (rad/s) |
//! | φ_k,i | mass-normalised mode k at node i |
//! | ζ | modal damping ratio, zero for the two rigid modes |
//! | Ω | frequency of the external force on node 0, rad/s |

use crate::{Error, Shapes};
use macrostep_flexible::eigen::Modes;
use macrostep_flexible::element::beam::{bending_mass, bending_stiffness};
use nalgebra::{DMatrix, DVector, Matrix5, Vector3};

/// Constants of the beam; the default is the validation example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamConstants {
    /// Number of nodes, at equal distances. Default 167.
    pub nodes: usize,
    /// Length in m. Default 1.
    pub length_m: f64,
    /// Bending stiffness E I in N m². Default steel, 20 × 5 mm about the weak axis.
    pub bending_n_m2: f64,
    /// Mass per length in kg/m.
    pub mass_kg_m: f64,
    /// Damping ratio of the elastic modes. Default 0.002.
    pub damping: f64,
    /// Amplitude of the force on node 0 in N. Default 1.
    pub force_n: f64,
    /// Its frequency in Hz. Default 15.
    pub frequency_hz: f64,
}

impl Default for BeamConstants {
    fn default() -> Self {
        let (width, height) = (0.020_f64, 0.005_f64);
        Self {
            nodes: 167,
            length_m: 1.0,
            bending_n_m2: 2e11 * width * height.powi(3) / 12.0,
            mass_kg_m: 7850.0 * width * height,
            damping: 0.002,
            force_n: 1.0,
            frequency_hz: 15.0,
        }
    }
}

/// The beam in its lowest modes: definition only.
#[derive(Debug, Clone)]
pub struct ModalBeam {
    constants: BeamConstants,
    /// φ, nodes × modes: deflections of mass-normalised modes, the two rigid ones first.
    shapes: DMatrix<f64>,
    /// ω in rad/s.
    frequencies: Vec<f64>,
}

/// State of the beam: η, η̇ and the time.
#[derive(Debug, Clone, PartialEq)]
pub struct BeamState {
    /// Modal coordinates.
    pub amplitude: DVector<f64>,
    /// Their rates.
    pub rate: DVector<f64>,
    /// Steps done.
    pub steps: usize,
}

/// Exact step of one size.
#[derive(Debug, Clone)]
pub struct BeamStep {
    step_s: f64,
    modes: Vec<Matrix5<f64>>,
}

impl ModalBeam {
    /// The `modes` lowest modes (two rigid ones included) of cubic elements between the nodes.
    ///
    /// # Errors
    /// [`Error::Parameter`] for impossible constants, [`Error::Modes`] when the eigenvalue problem fails.
    pub fn new(constants: BeamConstants, modes: usize) -> Result<Self, Error> {
        // Constants that make a beam, and no more modes than it has.
        let positive = [
            ("length_m", constants.length_m),
            ("bending_n_m2", constants.bending_n_m2),
            ("mass_kg_m", constants.mass_kg_m),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::Parameter { name, value, expected: "a positive number" });
            }
        }
        let n = constants.nodes;
        if n < 3 || modes < 3 || modes > 2 * n {
            let expected = "at least 3 and at most twice the nodes (themselves at least 3)";
            return Err(Error::Parameter { name: "modes", value: modes as f64, expected });
        }
        // The assembled beam: deflection and slope at each node.
        let h = constants.length_m / (n - 1) as f64;
        let (mut stiffness, mut mass) = (DMatrix::zeros(2 * n, 2 * n), DMatrix::zeros(2 * n, 2 * n));
        for e in 0..n - 1 {
            let mut k = stiffness.fixed_view_mut::<4, 4>(2 * e, 2 * e);
            k += bending_stiffness(constants.bending_n_m2, h, 0.0);
            let mut m = mass.fixed_view_mut::<4, 4>(2 * e, 2 * e);
            m += bending_mass(constants.mass_kg_m, 0.0, h, 0.0);
        }
        // A shift of the size of the first elastic eigenvalue, (4.73/L)⁴ EI/ρA.
        let shift = 500.0 * constants.bending_n_m2 / constants.mass_kg_m / constants.length_m.powi(4);
        let found = Modes::dense(&stiffness, &mass, shift)?;
        // Rigid modes are taken from geometry: a double eigenvalue gives any mixture of the two.
        let mut shapes = DMatrix::from_fn(n, modes, |i, k| found.vectors[(2 * i, k)]);
        let total = constants.mass_kg_m * constants.length_m;
        for i in 0..n {
            let x = i as f64 * h - 0.5 * constants.length_m;
            shapes[(i, 0)] = 1.0 / total.sqrt();
            shapes[(i, 1)] = x / (total * constants.length_m.powi(2) / 12.0).sqrt();
        }
        let frequencies = (0..modes).map(|k| if k < 2 { 0.0 } else { found.values[k].max(0.0).sqrt() }).collect();
        Ok(Self { constants, shapes, frequencies })
    }

    /// φ, nodes × modes.
    pub fn shapes(&self) -> &DMatrix<f64> {
        &self.shapes
    }

    /// ω in rad/s.
    pub fn frequencies(&self) -> &[f64] {
        &self.frequencies
    }

    /// Node positions along x and the elastic modes up to `modes` (rigid ones counted) as shapes along y.
    ///
    /// # Errors
    /// Those of [`Shapes::new`].
    pub fn interface_shapes(&self, modes: usize) -> Result<Shapes, Error> {
        let n = self.constants.nodes;
        let h = self.constants.length_m / (n - 1) as f64;
        let positions = (0..n).map(|i| Vector3::x() * (i as f64 * h)).collect();
        let column = |k: usize| (0..n).map(|i| Vector3::y() * self.shapes[(i, k)]).collect();
        Shapes::new(positions, (2..modes.min(self.shapes.ncols())).map(column).collect())
    }

    /// At rest.
    pub fn rest(&self) -> BeamState {
        let zero = DVector::zeros(self.frequencies.len());
        BeamState { amplitude: zero.clone(), rate: zero, steps: 0 }
    }

    /// Deflections y of all nodes in m.
    pub fn deflections(&self, state: &BeamState) -> DVector<f64> {
        &self.shapes * &state.amplitude
    }

    /// Modal forces of vertical nodal forces, one a node.
    pub fn modal_force(&self, forces: &DVector<f64>) -> DVector<f64> {
        self.shapes.tr_mul(forces)
    }

    fn drive(&self) -> f64 {
        std::f64::consts::TAU * self.constants.frequency_hz
    }

    fn ratio(&self, mode: usize) -> f64 {
        if mode < 2 { 0.0 } else { self.constants.damping }
    }

    /// Exact steps of `step_s` seconds.
    pub fn step(&self, step_s: f64) -> BeamStep {
        let drive = self.drive();
        let one = |(k, omega): (usize, &f64)| {
            let mut system = Matrix5::zeros();
            system[(0, 1)] = 1.0;
            system[(1, 0)] = -omega * omega;
            system[(1, 1)] = -2.0 * self.ratio(k) * omega;
            system[(1, 2)] = self.shapes[(0, k)] * self.constants.force_n;
            system[(1, 4)] = 1.0;
            system[(2, 3)] = drive;
            system[(3, 2)] = -drive;
            (system * step_s).exp()
        };
        BeamStep { step_s, modes: self.frequencies.iter().enumerate().map(one).collect() }
    }

    /// One exact step under modal forces held constant.
    pub fn advance(&self, step: &BeamStep, state: &mut BeamState, modal_force: &DVector<f64>) {
        let (sine, cosine) = (self.drive() * step.step_s * state.steps as f64).sin_cos();
        for (k, matrix) in step.modes.iter().enumerate() {
            let x = nalgebra::Vector5::new(state.amplitude[k], state.rate[k], sine, cosine, modal_force[k]);
            state.amplitude[k] = matrix.row(0).transpose().dot(&x);
            state.rate[k] = matrix.row(1).transpose().dot(&x);
        }
        state.steps += 1;
    }

    /// The exact trajectory of beam and vertical springs (stiffness k in N/m under every node) solved together:
    /// deflections, nodes × (steps + 1).
    pub fn monolithic(&self, spring_n_m: f64, step_s: f64, steps: usize) -> DMatrix<f64> {
        // Deflections and rates of all modes; springs couple them: −k Φᵀ Φ.
        let m = self.frequencies.len();
        let mut system = DMatrix::zeros(2 * m + 2, 2 * m + 2);
        system.view_mut((0, m), (m, m)).fill_with_identity();
        let coupling = self.shapes.tr_mul(&self.shapes) * -spring_n_m;
        system.view_mut((m, 0), (m, m)).copy_from(&coupling);
        // The modes, and the force on node 0 as one more oscillator.
        for (k, omega) in self.frequencies.iter().enumerate() {
            system[(m + k, k)] -= omega * omega;
            system[(m + k, m + k)] = -2.0 * self.ratio(k) * omega;
            system[(m + k, 2 * m)] = self.shapes[(0, k)] * self.constants.force_n;
        }
        let drive = self.drive();
        system[(2 * m, 2 * m + 1)] = drive;
        system[(2 * m + 1, 2 * m)] = -drive;
        // Exact steps; the sine begins at zero.
        let transition = (system * step_s).exp();
        let mut x = DVector::zeros(2 * m + 2);
        x[2 * m + 1] = 1.0;
        let mut all = DMatrix::zeros(self.constants.nodes, steps + 1);
        for i in 1..=steps {
            x = &transition * x;
            all.set_column(i, &(&self.shapes * x.rows(0, m)));
        }
        all
    }
}
