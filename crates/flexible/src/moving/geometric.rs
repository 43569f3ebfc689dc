//! Geometric stiffening: the effect of a load on the stiffness of the body that carries it.
//!
//! A load b, with the stress σ of one static solution of the full model clamped at its reference connector, stiffens (or
//! softens) the body by
//!
//! ```text
//! K_b,kl = ∫ σ_ij (∂_i Sᵏ)·(∂_j Sˡ) dV
//! ```
//!
//! Loads are linear combinations of unit ones: inertia forces of an acceleration a − g + A R with A = ω̇̃ + ω̃² (three uniform
//! fields, nine that grow with a coordinate), and a force f at each connector:
//!
//! ```text
//! K_geo = −Σ (a − g)_j K[ρ e_j] − Σ A_ji K[ρ R_i e_j] + Σ f_c,i K[e_i at c],      Q −= K_geo q
//! ```
//!
//! (a, ω̇) and ω in it are those of the *rigid* body with the same momentum, loads and joint, or of the driven frame: these
//! stresses follow slow motions, not the waves in the body, which would pump energy into it. So K_geo depends on states and
//! inputs alone, and the mass matrix stays what it is.
//!
//! By reciprocity −K[e_i at c] is also the second-order displacement of connector c: what bends draws in. It belongs to the
//! connector's position and velocity, x_c,i −= ½ qᵀ K q, so that a force there does its work on what is seen to move.
//!
//! Momentum and moment of momentum are conserved exactly; energy to second order in the deflections over the length, because
//! the moment of inertia does not follow the drawing in. Torques at connectors and second-order rotations are left out.
//!
//! # Notation
//! | symbol | meaning | unit |
//! |---|---|---|
//! | K_b | reduced geometric stiffness of a unit load | its unit per kg m |
//! | σ | stress of the unit load | Pa |
//! | a, ω̇ | acceleration of the origin and rate of spin of the rigid body, body axes | m/s², rad/s² |
//!
//! # References
//! [Wallrapp 1991] O. Wallrapp, R. Schwertassek, *Representation of geometric stiffening in multibody system simulation*,
//! International Journal for Numerical Methods in Engineering 32 (1991) (unit loads, initial stresses).

use super::solve::{frame_mass, lock};
use super::state::{FRAME, orientation, vector};
use super::{FlexibleBody, Loads, Workspace};
use nalgebra::{Matrix3, UnitQuaternion, Vector3, Vector6};
use serde::{Deserialize, Serialize};

/// A symmetric n × n matrix by its upper triangle, row after row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Symmetric(pub Vec<f64>);

/// Rows of the upper triangle of an n × n matrix with the index of each row.
fn rows(values: &[f64], n: usize) -> impl Iterator<Item = (usize, &[f64])> {
    let mut rest = values;
    (0..n).map(move |k| {
        let (row, left) = rest.split_at(n - k);
        rest = left;
        (k, row)
    })
}

impl Symmetric {
    /// Entries of the upper triangle of an n × n matrix.
    pub fn entries(n: usize) -> usize {
        n * (n + 1) / 2
    }

    /// y = A x.
    pub(super) fn apply(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (k, row) in rows(&self.0, x.len()) {
            let mut sum = row[0] * x[k];
            for ((a, xl), yl) in row[1..].iter().zip(&x[k + 1..]).zip(&mut y[k + 1..]) {
                sum += a * xl;
                *yl += a * x[k];
            }
            y[k] += sum;
        }
    }

    /// aᵀ A b.
    pub fn form(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut all = 0.0;
        for (k, row) in rows(&self.0, a.len()) {
            all += row[0] * a[k] * b[k];
            for ((value, al), bl) in row[1..].iter().zip(&a[k + 1..]).zip(&b[k + 1..]) {
                all += value * (a[k] * bl + al * b[k]);
            }
        }
        all
    }
}

/// Geometric stiffness of the unit loads of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GeometricStiffness {
    /// K[ρ e_j], three matrices.
    pub uniform: Vec<Symmetric>,
    /// K[ρ R_i e_j] at 3 i + j, nine matrices.
    pub linear: Vec<Symmetric>,
    /// K[e_i at c] of each connector, three matrices; none for the reference connector.
    pub connectors: Vec<Vec<Symmetric>>,
}

impl GeometricStiffness {
    /// Whether the parts have the sizes of a body with `n` elastic coordinates and `connectors` connectors.
    pub(super) fn fits(&self, n: usize, connectors: usize) -> bool {
        let sound = |all: &[Symmetric]| all.iter().all(|a| a.0.len() == Symmetric::entries(n));
        self.uniform.len() == 3
            && self.linear.len() == 9
            && self.connectors.len() == connectors
            && self.connectors.iter().all(|c| (c.is_empty() || c.len() == 3) && sound(c))
            && sound(&self.uniform)
            && sound(&self.linear)
    }

    /// K_geo of inertia forces into `sum`: of accelerations `uniform` (m/s²) + `gradient` R.
    fn inertial(&self, uniform: Vector3<f64>, gradient: &Matrix3<f64>, sum: &mut Symmetric) {
        sum.0.fill(0.0);
        let linear = (0..9).map(|ij| gradient[(ij % 3, ij / 3)]);
        let factors = uniform.iter().copied().chain(linear);
        for (factor, matrix) in factors.zip(self.uniform.iter().chain(&self.linear)).filter(|(f, _)| *f != 0.0) {
            sum.0.iter_mut().zip(&matrix.0).for_each(|(sum, k)| *sum -= factor * k);
        }
    }
}

impl FlexibleBody {
    /// The matrices K[e_i at c] of a connector; none without geometric stiffness.
    pub(super) fn connector_stiffness(&self, connector: usize) -> &[Symmetric] {
        self.geometric.as_ref().and_then(|g| g.connectors.get(connector)).map_or(&[], Vec::as_slice)
    }

    /// −aᵀ K b of a connector in body axes: m for elastic coordinates; zero without geometric stiffness.
    ///
    /// Its position has ½ of it for q and q, its velocity that of q and q̇.
    pub fn drawn_in(&self, connector: usize, a: &[f64], b: &[f64]) -> Vector3<f64> {
        match self.connector_stiffness(connector) {
            [x, y, z] => -Vector3::new(x.form(a, b), y.form(a, b), z.form(a, b)),
            _ => Vector3::zeros(),
        }
    }

    /// Subtracts K_geo q of the inertia forces from the elastic forces.
    pub(super) fn stiffen(&self, values: &[f64], loads: &Loads, work: &mut Workspace) {
        let Some(geometric) = &self.geometric else { return };
        let (q, q_rate) = values[FRAME..].split_at(self.modes());
        let to_body = orientation(values).inverse();
        let gravity = to_body * loads.gravity;
        let spin = vector(values, 10);
        let (a, spin_rate, spin) = match work.driven {
            Some((a, spin_rate)) => (a, spin_rate, spin),
            None => self.rigid_motion(q_rate, spin, to_body, loads, work),
        };
        let gradient = spin_rate.cross_matrix() + spin.cross_matrix() * spin.cross_matrix();
        geometric.inertial(a - gravity, &gradient, &mut work.geometric);
        work.geometric.apply(q, &mut work.product);
        work.elastic.iter_mut().zip(&work.product).for_each(|(e, k)| *e -= k);
    }

    /// Acceleration of the origin, rate of spin and spin of the undeformed body, held by the joint, in body axes.
    fn rigid_motion(
        &self,
        q_rate: &[f64],
        spin: Vector3<f64>,
        to_body: UnitQuaternion<f64>,
        loads: &Loads,
        work: &Workspace,
    ) -> (Vector3<f64>, Vector3<f64>, Vector3<f64>) {
        let s = self.first_moments[0];
        let j_matrix = Matrix3::from_fn(|j, l| self.second_moment(j, l, 0, 0));
        let theta = Matrix3::identity() * j_matrix.trace() - j_matrix;
        let mut mass = frame_mass(self.mass_kg, &s, &theta);
        // The rigid body has the momentum of the flexible one: the frame turns with the waves at its connector.
        let mut moving = Vector6::zeros();
        for ((c, b), rate) in self.first_moments[1..].iter().zip(&work.b).zip(q_rate) {
            moving += Vector6::new(c.x, c.y, c.z, b.x, b.y, b.z) * *rate;
        }
        lock(work.joint, &mut mass, &mut moving);
        // A body whose mass is on one line has no such motion, and nothing to stiffen.
        let Some(factor) = mass.cholesky() else { return (Vector3::zeros(), Vector3::zeros(), Vector3::zeros()) };
        let spin = spin + factor.solve(&moving).fixed_rows::<3>(3);
        // Newton and Euler.
        let gravity = to_body * loads.gravity;
        let mut force = gravity * self.mass_kg - spin.cross(&spin.cross(&s));
        let mut torque = s.cross(&gravity) - spin.cross(&(theta * spin));
        for (connector, wrench) in self.connectors.iter().zip(&loads.wrenches) {
            let f = to_body * wrench.force;
            force += f;
            torque += connector.position.cross(&f) + to_body * wrench.torque;
        }
        let mut right = Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
        lock(work.joint, &mut mass, &mut right);
        let solved = factor.solve(&right);
        (solved.fixed_rows::<3>(0).into_owned(), solved.fixed_rows::<3>(3).into_owned(), spin)
    }
}
