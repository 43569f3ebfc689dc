//! Inertia, quadratic terms and loads at a state, without allocation; equations in [`crate::moving`].

use super::state::{FRAME, Loads, orientation, vector};
use super::{BodyState, FlexibleBody, Joint, Symmetric};
use crate::Error;
use nalgebra::{DMatrix, Matrix3, Vector3, Vector6};

/// Scratch memory of the dynamics of one body; its content is only valid during a call.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Gᵇ_jl at (3 j + l)(n + 1) + b.
    pub(super) g: Vec<f64>,
    /// First moment s.
    pub(super) s: Vector3<f64>,
    /// K_geo of inertia forces; empty without geometric stiffness.
    pub(super) geometric: Symmetric,
    /// A matrix times q.
    pub(super) product: Vec<f64>,
    /// Acceleration of the origin and rate of spin of a driven frame, body axes.
    pub(super) driven: Option<(Vector3<f64>, Vector3<f64>)>,
    /// Θ.
    pub(super) theta: Matrix3<f64>,
    /// b^k.
    pub(super) b: Vec<Vector3<f64>>,
    /// Loads minus quadratic terms: frame force and torque.
    pub(super) frame: Vector6<f64>,
    /// The same for the elastic coordinates.
    pub(super) elastic: Vec<f64>,
    /// Solution: (a, ω̇) in body axes.
    pub(super) frame_acceleration: Vector6<f64>,
    /// Solution: q̈.
    pub(super) elastic_acceleration: Vec<f64>,
    /// Diagonal of E.
    pub(super) diagonal: Vec<f64>,
    /// What holds the frame.
    pub(super) joint: Joint,
}

impl Workspace {
    /// Memory for a body.
    pub fn new(body: &FlexibleBody) -> Self {
        let n = body.modes();
        Self {
            g: vec![0.0; 9 * (n + 1)],
            s: Vector3::zeros(),
            geometric: Symmetric(vec![0.0; body.geometric.as_ref().map_or(0, |_| Symmetric::entries(n))]),
            product: vec![0.0; n],
            driven: None,
            theta: Matrix3::zeros(),
            b: vec![Vector3::zeros(); n],
            frame: Vector6::zeros(),
            elastic: vec![0.0; n],
            frame_acceleration: Vector6::zeros(),
            elastic_acceleration: vec![0.0; n],
            diagonal: vec![1.0; n],
            joint: Joint::Free,
        }
    }

    /// Holds the frame by a joint from now on; a new workspace leaves it free.
    pub fn hold(&mut self, joint: Joint) {
        self.joint = joint;
    }

    /// Acceleration of the origin (m/s²) and rate of spin (rad/s²), both in body axes, of the last solution.
    pub fn frame_acceleration(&self) -> (Vector3<f64>, Vector3<f64>) {
        let a = &self.frame_acceleration;
        (Vector3::new(a[0], a[1], a[2]), Vector3::new(a[3], a[4], a[5]))
    }

    /// Elastic accelerations q̈ of the last solution.
    pub fn elastic_acceleration(&self) -> &[f64] {
        &self.elastic_acceleration
    }
}

impl FlexibleBody {
    /// Accelerations of a free body into the workspace: see [`Workspace::frame_acceleration`] and
    /// [`Workspace::elastic_acceleration`].
    ///
    /// # Errors
    /// [`Error::Shape`] when the state has another number of coordinates, [`Error::Factorisation`] when the mass
    /// matrix is singular.
    pub fn accelerations(&self, state: &BodyState, loads: &Loads, work: &mut Workspace) -> Result<(), Error> {
        self.check(state)?;
        self.balance(state.values(), loads, work);
        work.diagonal.fill(1.0);
        self.solve_free(work)
    }

    /// Derivative of a flat state, in the order of [`BodyState`], into `rate`.
    ///
    /// # Errors
    /// As [`FlexibleBody::accelerations`]; both slices must have the length of a state of this body.
    pub fn rate(&self, values: &[f64], loads: &Loads, work: &mut Workspace, rate: &mut [f64]) -> Result<(), Error> {
        let n = self.modes();
        self.balance(values, loads, work);
        work.diagonal.fill(1.0);
        self.solve_free(work)?;
        let turn = orientation(values);
        let (a, spin_rate) = work.frame_acceleration();
        rate[0..3].copy_from_slice(&values[7..10]);
        let spin = nalgebra::Quaternion::from_imag(vector(values, 10) * 0.5);
        let norm = Vector3::new(values[3], values[4], values[5]).norm_squared() + values[6] * values[6];
        rate[3..7].copy_from_slice((turn.quaternion() * spin * norm.sqrt()).coords.as_slice());
        rate[7..10].copy_from_slice((turn * a).as_slice());
        rate[10..13].copy_from_slice(spin_rate.as_slice());
        rate[FRAME..FRAME + n].copy_from_slice(&values[FRAME + n..]);
        rate[FRAME + n..].copy_from_slice(&work.elastic_acceleration);
        Ok(())
    }

    /// The full mass matrix, (6 + n) × (6 + n), at the state; for inspection, it allocates.
    ///
    /// # Errors
    /// [`Error::Shape`] when the state has another number of coordinates.
    pub fn mass_matrix(&self, state: &BodyState) -> Result<DMatrix<f64>, Error> {
        self.check(state)?;
        let mut work = Workspace::new(self);
        self.inertia(state.elastic(), &mut work);
        let n = self.modes();
        let mut mass = DMatrix::zeros(6 + n, 6 + n);
        mass.view_mut((0, 0), (6, 6)).copy_from(&self.frame_mass(&work));
        for k in 0..n {
            for i in 0..3 {
                for (row, value) in [(i, self.first_moments[k + 1][i]), (3 + i, work.b[k][i])] {
                    mass[(row, 6 + k)] = value;
                    mass[(6 + k, row)] = value;
                }
            }
            for l in 0..n {
                mass[(6 + k, 6 + l)] = (0..3).map(|j| self.second_moment(j, j, k + 1, l + 1)).sum();
            }
        }
        Ok(mass)
    }

    /// Loads minus quadratic, elastic and damping terms, length 6 + n (force, torque, Q), of a free body; it allocates.
    ///
    /// # Errors
    /// [`Error::Shape`] when the state has another number of coordinates.
    pub fn generalized_forces(&self, state: &BodyState, loads: &Loads) -> Result<Vec<f64>, Error> {
        self.held_forces(state, loads, Joint::Free)
    }

    /// As [`FlexibleBody::generalized_forces`], of a body whose frame is held by `joint`: its stresses are others.
    ///
    /// # Errors
    /// As [`FlexibleBody::generalized_forces`].
    pub fn held_forces(&self, state: &BodyState, loads: &Loads, joint: Joint) -> Result<Vec<f64>, Error> {
        self.check(state)?;
        let mut work = Workspace::new(self);
        work.hold(joint);
        self.balance(state.values(), loads, &mut work);
        Ok(work.frame.iter().chain(&work.elastic).copied().collect())
    }

    /// Refuses a state of another body.
    pub(super) fn check(&self, state: &BodyState) -> Result<(), Error> {
        let (found, expected) = (state.modes(), self.modes());
        if found != expected { Err(Error::Shape { what: "elastic coordinates", found, expected }) } else { Ok(()) }
    }

    /// s, G, Θ and B at the elastic coordinates.
    pub(super) fn inertia(&self, q: &[f64], work: &mut Workspace) {
        // First moment s = Σ q_a C_a, with q₀ = 1.
        let p = self.modes() + 1;
        work.s = self.first_moments[0];
        for (c, qk) in self.first_moments[1..].iter().zip(q) {
            work.s += c * *qk;
        }
        // Gᵇ = D⁰ᵇ + Σ q_k Dᵏᵇ, row after row so that the inner loop runs over b.
        let mut j_matrix = Matrix3::zeros();
        for jl in 0..9 {
            let block = &self.second_moments[jl * p * p..(jl + 1) * p * p];
            let (head, tail) = block.split_at(p);
            let g = &mut work.g[jl * p..(jl + 1) * p];
            g.copy_from_slice(head);
            for (row, qk) in tail.chunks_exact(p).zip(q) {
                for (g, d) in g.iter_mut().zip(row) {
                    *g += qk * d;
                }
            }
            let sum: f64 = g[1..].iter().zip(q).map(|(g, q)| g * q).sum();
            j_matrix[(jl / 3, jl % 3)] = g[0] + sum;
        }
        // Θ = tr(J) I − J.
        work.theta = Matrix3::identity() * j_matrix.trace() - j_matrix;
        // B: the vector of the antisymmetric part of Gᵇ.
        let g = &work.g;
        for (k, b) in work.b.iter_mut().enumerate() {
            let at = |j: usize, l: usize| g[(3 * j + l) * p + k + 1];
            *b = Vector3::new(at(1, 2) - at(2, 1), at(2, 0) - at(0, 2), at(0, 1) - at(1, 0));
        }
    }

    /// Loads minus quadratic terms at a flat state, into `work.frame` and `work.elastic`.
    pub(super) fn balance(&self, values: &[f64], loads: &Loads, work: &mut Workspace) {
        let n = self.modes();
        let (q, q_rate) = values[FRAME..].split_at(n);
        let spin = vector(values, 10);
        self.inertia(q, work);
        self.subtract_quadratic(q, q_rate, spin, work);
        self.add_loads(q, orientation(values), loads, work);
        self.stiffen(values, loads, work);
    }

    fn subtract_quadratic(&self, q: &[f64], q_rate: &[f64], spin: Vector3<f64>, work: &mut Workspace) {
        // Rates of the moments: Σ q̇ C and Σ q̇ G.
        let (n, p) = (q.len(), q.len() + 1);
        let moving: Vector3<f64> = self.first_moments[1..].iter().zip(q_rate).map(|(c, rate)| c * *rate).sum();
        let mut h_matrix = Matrix3::zeros();
        for jl in 0..9 {
            let g = &work.g[jl * p + 1..(jl + 1) * p];
            h_matrix[(jl / 3, jl % 3)] = g.iter().zip(q_rate).map(|(g, rate)| g * rate).sum();
        }
        // Centrifugal and Coriolis parts of force and torque.
        let force = spin.cross(&spin.cross(&work.s)) + spin.cross(&moving) * 2.0;
        let torque = spin.cross(&(work.theta * spin)) + (spin * h_matrix.trace() - h_matrix.transpose() * spin) * 2.0;
        work.frame.fixed_rows_mut::<3>(0).copy_from(&-force);
        work.frame.fixed_rows_mut::<3>(3).copy_from(&-torque);

        // h_k: centrifugal part with ω̃² = ω ωᵀ − ω² I, then the gyroscopic part, then stiffness and damping.
        let square = spin * spin.transpose() - Matrix3::identity() * spin.norm_squared();
        work.elastic.fill(0.0);
        for jl in 0..9 {
            let factor = square[(jl % 3, jl / 3)];
            for (e, g) in work.elastic.iter_mut().zip(&work.g[jl * p + 1..(jl + 1) * p]) {
                *e -= factor * g;
            }
        }
        for (m, block) in self.gyroscopic.chunks_exact((n * n).max(1)).enumerate() {
            for (row, rate) in block.chunks_exact(n.max(1)).zip(q_rate) {
                let factor = 2.0 * rate * spin[m];
                for (e, d) in work.elastic.iter_mut().zip(row) {
                    *e -= factor * d;
                }
            }
        }
        // Stiffness and damping are diagonal in modes.
        for k in 0..n {
            work.elastic[k] -= self.stiffness[k] * q[k] + self.damping[k] * q_rate[k];
        }
    }

    fn add_loads(&self, q: &[f64], turn: nalgebra::UnitQuaternion<f64>, loads: &Loads, work: &mut Workspace) {
        // Gravity acts on the mass and the first moments.
        let to_body = turn.inverse();
        let gravity = to_body * loads.gravity;
        let mut force = gravity * self.mass_kg;
        let mut torque = work.s.cross(&gravity);
        for (e, c) in work.elastic.iter_mut().zip(&self.first_moments[1..]) {
            *e += c.dot(&gravity);
        }
        for (index, (connector, wrench)) in self.connectors.iter().zip(&loads.wrenches).enumerate() {
            // A wrench in the axes of the body, at the connector as it is displaced.
            let (f, t) = (to_body * wrench.force, to_body * wrench.torque);
            let mut at = connector.position;
            for (s, qk) in connector.translation.iter().zip(q) {
                at += s * *qk;
            }
            // Where the body is stiffened by loads, the point of action also moves by −½ qᵀ K q, and the force resists by K q.
            for (i, matrix) in self.connector_stiffness(index).iter().enumerate() {
                matrix.apply(q, &mut work.product);
                at[i] -= 0.5 * q.iter().zip(&work.product).map(|(q, k)| q * k).sum::<f64>();
                work.elastic.iter_mut().zip(&work.product).for_each(|(e, k)| *e -= f[i] * k);
            }
            // Force and torque on the frame, and generalised forces by the connector's shapes; a point has no rotations.
            force += f;
            torque += at.cross(&f) + t;
            let mut rotations = connector.rotation.iter();
            for (e, s) in work.elastic.iter_mut().zip(&connector.translation) {
                *e += s.dot(&f) + rotations.next().map_or(0.0, |r| r.dot(&t));
            }
        }
        // Onto the frame.
        let mut frame = work.frame.fixed_rows_mut::<3>(0);
        frame += force;
        let mut frame = work.frame.fixed_rows_mut::<3>(3);
        frame += torque;
    }
}
