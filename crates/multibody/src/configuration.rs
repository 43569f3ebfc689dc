//! Values that follow from positions, step size and time, before any force is known: the rows, the factor of the equation
//! block and the complementarity problem of the bounded rows, for the step and for the interface model.
//!
//! With the rows split into equations `b` and bounded rows `u`,
//!
//! ```text
//! N_bb = A_b M⁻¹ A_bᵀ + C_b = L Lᵀ        X_u = L⁻¹ A_b M⁻¹ A_uᵀ
//! S    = A_u M⁻¹ A_uᵀ + C_u − X_uᵀ X_u
//! ```
//!
//! and for any right-hand sides `g_b`, `g_u`:  `S z_u + g_u − X_uᵀ L⁻¹ g_b = w̄_u`,  `L Lᵀ z_b = −g_b − L X_u z_u`.

use macrostep_mlcp::{Friction, Problem, dense};
use nalgebra::Matrix3;

use crate::{
    State, StepError, System,
    algebra::{Twist, angular, linear, twist},
    collect,
    envelope::Envelope,
    row::{BoundedRow, Bounds, Row},
};

/// See the module documentation.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    /// World inertia and its inverse for each body.
    pub inertia: Vec<Matrix3<f64>>,
    pub inverse_inertia: Vec<Matrix3<f64>>,
    pub bilateral: Vec<Row>,
    pub bounded: Vec<BoundedRow>,
    pub interface: Vec<Row>,
    factor: Envelope,
    /// X_u, one row of `bilateral.len()` entries for each bounded row.
    coupling: Vec<f64>,
    /// Matrix S, bounds and ids; the offset is filled by the step.
    pub problem: Problem,
    inverse_body_inertia: Vec<Matrix3<f64>>,
}

impl Configuration {
    pub fn new(system: &System) -> Self {
        let bodies = system.bodies();
        let inverse = |b: &crate::Body| b.inertia_kgm2.try_inverse().unwrap_or_else(Matrix3::zeros);
        Self {
            inertia: vec![Matrix3::zeros(); bodies.len()],
            inverse_inertia: vec![Matrix3::zeros(); bodies.len()],
            bilateral: Vec::with_capacity(system.bilateral_rows()),
            bounded: Vec::new(),
            interface: Vec::new(),
            factor: Envelope::new(system.first.clone()),
            coupling: Vec::new(),
            problem: Problem::default(),
            inverse_body_inertia: bodies.iter().map(inverse).collect(),
        }
    }

    /// Recomputes everything for a state and a step size.
    pub fn assemble(&mut self, system: &System, state: &State, h: f64) -> Result<(), StepError> {
        self.inertias(system, state);
        collect::interface(system, &state.poses, &mut self.interface);
        collect::bilateral(system, &state.poses, h, &mut self.bilateral);
        collect::bounded(system, state, h, &mut self.bounded);
        let bounded = self.bounded.iter_mut().map(|b| &mut b.row);
        for row in self.interface.iter_mut().chain(&mut self.bilateral).chain(bounded) {
            respond(row, system, &self.inverse_inertia);
        }
        self.factor_bilateral(system).map_err(|b| StepError::Redundant {
            time_s: state.clock.time_s(),
            row: b.row,
            pivot: b.pivot,
        })?;
        self.couple(system);
        self.state_problem(state, h);
        Ok(())
    }

    fn inertias(&mut self, system: &System, state: &State) {
        for (i, (body, pose)) in system.bodies().iter().zip(&state.poses).enumerate() {
            let turn = pose.rotation.to_rotation_matrix();
            self.inertia[i] = turn * body.inertia_kgm2 * turn.inverse();
            self.inverse_inertia[i] = turn * self.inverse_body_inertia[i] * turn.inverse();
        }
    }

    fn factor_bilateral(&mut self, system: &System) -> Result<(), dense::Breakdown> {
        self.factor.clear();
        for (k, constraint) in system.bilateral.iter().enumerate() {
            // A_b M⁻¹ A_bᵀ has entries where two rows have a body in common.
            let rows = constraint.begin..constraint.begin + constraint.rows;
            for (i, (side, body)) in
                rows.clone().flat_map(|i| constraint.bodies.iter().enumerate().map(move |s| (i, s)))
            {
                let Some(body) = body.index() else { continue };
                for &(other, other_side) in &system.touching[body] {
                    // The lower triangle is enough.
                    if other > k {
                        continue;
                    }
                    let other = &system.bilateral[other];
                    for j in other.begin..(other.begin + other.rows).min(i + 1) {
                        let (row, column) = (&self.bilateral[i], &self.bilateral[j]);
                        let entry = crate::algebra::dot(&row.response[side], &column.jacobian[other_side]);
                        self.factor.add(i, j, entry);
                    }
                }
            }
            // The diagonal of C_b.
            for i in rows {
                self.factor.add(i, i, self.bilateral[i].compliance);
            }
        }
        self.factor.factor()
    }

    /// X_u and S.
    fn couple(&mut self, system: &System) {
        // Room for X_u and S.
        let (n, m) = (self.bilateral.len(), self.bounded.len());
        self.coupling.clear();
        self.coupling.resize(m * n, 0.0);
        self.problem.clear();
        self.problem.matrix.resize(m * m, 0.0);
        // A_b M⁻¹ A_uᵀ: only joints and springs on the row's own bodies have entries.
        for u in 0..m {
            let bounded = &self.bounded[u].row;
            let (before, rest) = self.coupling.split_at_mut(u * n);
            let x = &mut rest[..n];
            let mut start = n;
            for (side, body) in bounded.bodies.iter().enumerate() {
                let Some(body) = body.index() else { continue };
                for &(k, other_side) in &system.touching[body] {
                    let constraint = &system.bilateral[k];
                    start = start.min(constraint.begin);
                    let rows = constraint.begin..constraint.begin + constraint.rows;
                    for (entry, row) in x[rows.clone()].iter_mut().zip(&self.bilateral[rows]) {
                        *entry += crate::algebra::dot(&bounded.response[side], &row.jacobian[other_side]);
                    }
                }
            }
            // Zeros before the first entry stay zeros under L⁻¹.
            self.factor.forward(x, start);
            // S is symmetric: each entry stands twice.
            for v in 0..=u {
                let other = if v == u { &*x } else { &before[v * n..(v + 1) * n] };
                let direct = bounded.couple(&self.bounded[v].row);
                let entry = direct - dense::dot(&x[start..], &other[start..]);
                self.problem.matrix[u * m + v] = entry;
                self.problem.matrix[v * m + u] = entry;
            }
            self.problem.matrix[u * m + u] += bounded.compliance;
        }
    }

    /// Bounds (as impulses), friction and ids; friction bounds start from the forces remembered.
    fn state_problem(&mut self, state: &State, h: f64) {
        for bounded in &self.bounded {
            let problem = &mut self.problem;
            problem.ids.push(bounded.id);
            problem.offset.push(0.0);
            let (lower, upper, friction) = match bounded.bounds {
                Bounds::Force(lower, upper) => (h * lower, h * upper, None),
                Bounds::Unilateral => (0.0, f64::INFINITY, None),
                Bounds::Friction { normal, coefficient } => {
                    let lagged = state.remembered(self.bounded[normal].id).map_or(0.0, |m| m.force.max(0.0));
                    let bound = h * coefficient * lagged;
                    (-bound, bound, Some(Friction { normal, coefficient }))
                }
            };
            problem.lower.push(lower);
            problem.upper.push(upper);
            problem.friction.push(friction);
        }
    }

    /// `g_b ← L⁻¹ g_b` and the entries `g_u − X_uᵀ L⁻¹ g_b` into `reduced`.
    pub fn reduce(&self, g_b: &mut [f64], g_u: impl Fn(usize) -> f64, reduced: &mut Vec<f64>) {
        self.factor.forward(g_b, 0);
        let n = self.bilateral.len();
        reduced.clear();
        reduced.extend((0..self.bounded.len()).map(|u| g_u(u) - dense::dot(&self.coupling[u * n..(u + 1) * n], g_b)));
    }

    /// From `L⁻¹ g_b` in `g_b` and the bounded impulses: the impulses of the equations, in `g_b`.
    pub fn expand(&self, g_b: &mut [f64], z_u: &[f64]) {
        let n = self.bilateral.len();
        for value in g_b.iter_mut() {
            *value = -*value;
        }
        for (u, &z) in z_u.iter().enumerate() {
            if z != 0.0 {
                for (value, x) in g_b.iter_mut().zip(&self.coupling[u * n..(u + 1) * n]) {
                    *value -= x * z;
                }
            }
        }
        self.factor.backward(g_b);
    }

    /// `b ← N_bb⁻¹ b`.
    pub fn solve_bilateral(&self, b: &mut [f64]) {
        self.factor.forward(b, 0);
        self.factor.backward(b);
    }

    /// `M⁻¹ (f_a − c)`: gravity and the gyroscopic moment `−ω × J ω`.
    pub fn free_acceleration(&self, system: &System, i: usize, velocity: &Twist) -> Twist {
        let omega = angular(velocity);
        let moment = -omega.cross(&(self.inertia[i] * omega));
        twist(system.gravity(), self.inverse_inertia[i] * moment)
    }
}

/// Fills `M⁻¹ Aᵀ` of a row.
fn respond(row: &mut Row, system: &System, inverse_inertia: &[Matrix3<f64>]) {
    for side in 0..2 {
        if let Some(i) = row.bodies[side].index() {
            let wrench = &row.jacobian[side];
            let force = linear(wrench) / system.parts.bodies[i].mass_kg;
            row.response[side] = twist(force, inverse_inertia[i] * angular(wrench));
        }
    }
}
