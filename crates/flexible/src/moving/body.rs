//! The definition of a deformable body: inertia invariants, stiffness, damping and connector shapes.

use super::GeometricStiffness;
use crate::Method;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Rayleigh damping D = α M + β K; zero by default.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Rayleigh {
    /// α in 1/s.
    pub alpha_per_s: f64,
    /// β in s.
    pub beta_s: f64,
}

/// Shapes of one connector in the elastic coordinates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConnectorShape {
    /// Name of the connector.
    pub name: String,
    /// Undeformed position in body axes, from the reference connector, m.
    pub position: Vector3<f64>,
    /// S_c, one displacement per elastic coordinate.
    pub translation: Vec<Vector3<f64>>,
    /// Θ_c, one rotation per elastic coordinate; empty for a point, such as a node of a solid, which has none and takes forces only.
    pub rotation: Vec<Vector3<f64>>,
}

impl ConnectorShape {
    /// Whether it is a point: without a rotation of its own, so that no torque can act on it.
    pub fn is_point(&self) -> bool {
        self.rotation.is_empty() && !self.translation.is_empty()
    }
}

/// A deformable body in its moving frame: everything that does not change in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlexibleBody {
    /// Total mass in kg.
    pub mass_kg: f64,
    /// cᵃ, a = 0 … n, in kg m (a = 0) and √kg.
    pub first_moments: Vec<Vector3<f64>>,
    /// Dᵃᵇ_jl at index ((3 j + l)(n + 1) + a)(n + 1) + b.
    pub second_moments: Vec<f64>,
    /// ε_jim Dˡᵏ_ji at index (m n + l) n + k: the gyroscopic part of h.
    pub gyroscopic: Vec<f64>,
    /// Ω²_k in rad²/s², ascending.
    pub stiffness: Vec<f64>,
    /// Modal damping α + β Ω²_k in 1/s.
    pub damping: Vec<f64>,
    /// Index of the connector the frame is fixed to.
    pub reference: usize,
    /// The connectors, the reference one included (with zero shapes).
    pub connectors: Vec<ConnectorShape>,
    /// How the basis was made.
    pub method: Method,
    /// Geometric stiffness of unit loads; `None` is a body without geometric stiffening. Stored behind all else.
    #[serde(skip)]
    pub geometric: Option<GeometricStiffness>,
}

impl FlexibleBody {
    /// Number of elastic coordinates n.
    pub fn modes(&self) -> usize {
        self.stiffness.len()
    }

    /// Frequencies in Hz with the reference connector clamped, ascending.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.stiffness.iter().map(|k| k.max(0.0).sqrt() / std::f64::consts::TAU).collect()
    }

    /// A warning when the spin (rad/s) exceeds 0.3 of the first natural frequency of a body without geometric
    /// stiffening: there it shows.
    pub fn spin_warning(&self, spin_rad_s: f64) -> Option<String> {
        let first = self.stiffness.first()?.max(0.0).sqrt();
        (self.geometric.is_none() && spin_rad_s.abs() > 0.3 * first).then(|| {
            format!(
                "spin {spin_rad_s:.3} rad/s is above 0.3 of the first natural frequency {first:.3} rad/s: \
                 geometric stiffening is not modelled"
            )
        })
    }

    /// Dᵃᵇ_jl.
    pub(crate) fn second_moment(&self, j: usize, l: usize, a: usize, b: usize) -> f64 {
        let p = self.modes() + 1;
        self.second_moments[((3 * j + l) * p + a) * p + b]
    }
}
