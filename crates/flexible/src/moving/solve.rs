//! The linear system of the accelerations: free, driven, residual and reaction.
//!
//! ```text
//! [M_rr  W] [(a, ω̇)]   [frame  ]        (M_rr − W E⁻¹ Wᵀ) (a, ω̇) = frame − W E⁻¹ elastic
//! [Wᵀ    E] [q̈     ] = [elastic],       q̈ = E⁻¹ (elastic − Wᵀ (a, ω̇))
//! ```
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | M_rr | [m I, −s̃; s̃, Θ] |
//! | W | [C; B] |
//! | E | I, or I + γ' D + β' K inside an implicit step |

use super::{BodyState, FlexibleBody, FrameMotion, Joint, Loads, Workspace, Wrench};
use crate::Error;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// [m I, −s̃; s̃, Θ].
pub(super) fn frame_mass(mass_kg: f64, s: &Vector3<f64>, theta: &Matrix3<f64>) -> Matrix6<f64> {
    let mut mass = Matrix6::identity() * mass_kg;
    let s = s.cross_matrix();
    mass.fixed_view_mut::<3, 3>(0, 3).copy_from(&-s);
    mass.fixed_view_mut::<3, 3>(3, 0).copy_from(&s);
    mass.fixed_view_mut::<3, 3>(3, 3).copy_from(theta);
    mass
}

/// A locked motion keeps the acceleration zero; its equation gives the reaction, which nobody asks for here.
pub(super) fn lock(joint: Joint, mass: &mut Matrix6<f64>, right: &mut Vector6<f64>) {
    for i in (0..6).filter(|i| joint.locks()[*i]) {
        mass.row_mut(i).fill(0.0);
        mass.column_mut(i).fill(0.0);
        (mass[(i, i)], right[i]) = (1.0, 0.0);
    }
}

impl FlexibleBody {
    /// [m I, −s̃; s̃, Θ].
    pub(super) fn frame_mass(&self, work: &Workspace) -> Matrix6<f64> {
        frame_mass(self.mass_kg, &work.s, &work.theta)
    }

    /// Column k of W = [C; B].
    fn coupling(&self, work: &Workspace, k: usize) -> Vector6<f64> {
        let (c, b) = (&self.first_moments[k + 1], &work.b[k]);
        Vector6::new(c[0], c[1], c[2], b[0], b[1], b[2])
    }

    /// Solves [M_rr W; Wᵀ E] (a, ω̇, q̈) = (frame, elastic).
    pub(super) fn solve_free(&self, work: &mut Workspace) -> Result<(), Error> {
        let mut schur = self.frame_mass(work);
        let mut right = work.frame;
        for k in 0..self.modes() {
            let w = self.coupling(work, k);
            let scaled = w / work.diagonal[k];
            right -= scaled * work.elastic[k];
            schur.syger(-1.0, &scaled, &w, 1.0);
        }
        lock(work.joint, &mut schur, &mut right);
        let factor = schur.cholesky().ok_or_else(|| Error::Factorisation {
            what: "mass matrix of the moving frame",
            reason: "not positive definite".into(),
        })?;
        work.frame_acceleration = factor.solve(&right);
        self.solve_driven(work);
        Ok(())
    }

    /// q̈ = E⁻¹ (elastic − Wᵀ (a, ω̇)) with the frame's acceleration already in the workspace.
    pub(super) fn solve_driven(&self, work: &mut Workspace) {
        for k in 0..self.modes() {
            let inertial = self.coupling(work, k).dot(&work.frame_acceleration);
            work.elastic_acceleration[k] = (work.elastic[k] - inertial) / work.diagonal[k];
        }
    }

    /// Replaces the right-hand side by the residual (loads − quadratic) − Mass · acceleration, for given accelerations.
    pub(super) fn residual(&self, frame: &Vector6<f64>, elastic: &[f64], work: &mut Workspace) {
        let mut inertial = self.frame_mass(work) * frame;
        for (k, q) in elastic.iter().enumerate() {
            let w = self.coupling(work, k);
            inertial += w * *q;
            work.elastic[k] -= w.dot(frame) + q;
        }
        work.frame -= inertial;
    }

    /// Force and torque (world axes, at the origin of the frame) that a driven frame needs for its motion, beyond the
    /// loads.
    ///
    /// # Errors
    /// [`Error::Shape`] when the state has another number of coordinates.
    pub fn reaction(
        &self,
        state: &BodyState,
        loads: &Loads,
        motion: &FrameMotion,
        work: &mut Workspace,
    ) -> Result<Wrench, Error> {
        // The motion of the frame in axes of the body.
        self.check(state)?;
        let turn = state.orientation();
        let a = turn.inverse() * motion.acceleration;
        let rate = motion.spin_rate;
        work.driven = Some((a, rate));
        // Elastic accelerations under the loads and that motion.
        self.balance(state.values(), loads, work);
        work.driven = None;
        work.diagonal.fill(1.0);
        work.frame_acceleration = Vector6::new(a[0], a[1], a[2], rate[0], rate[1], rate[2]);
        self.solve_driven(work);
        // M_rr (a, ω̇) + W q̈ − frame is what the loads do not supply.
        let mut missing = self.frame_mass(work) * work.frame_acceleration - work.frame;
        for k in 0..self.modes() {
            missing += self.coupling(work, k) * work.elastic_acceleration[k];
        }
        let half = |first: usize| turn * missing.fixed_rows::<3>(first).into_owned();
        Ok(Wrench { force: half(0), torque: half(3) })
    }
}
