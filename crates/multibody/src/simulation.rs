//! Time stepping: a mixed linear complementarity problem a step, semi-implicit in the positions.
//!
//! Everything but the new velocities and the impulses `z = h λ_c` is frozen at `t_n`:
//!
//! ```text
//! M v⁺ − Aᵀ z = p = M v + h (f_a − c + Dᵀ λ_i)
//! w̄ = A v⁺ + C z + φ/h
//! h lo ≤ z ≤ h hi;   z = h lo ⇒ w̄ ≥ 0;   z = h hi ⇒ w̄ ≤ 0;   inside ⇒ w̄ = 0
//! q⁺ = q ⊕ h v⁺                       (then, if the definition asks for it, corrected onto the joints)
//! ```
//!
//! # Notation
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | `q`, `v` | [`State::poses`], [`State::velocities`] | positions, velocities |
//! | `u` | `free` | velocity without constraint impulses, `M⁻¹ p` |
//! | `z_b`, `z_u` | `equation_impulses`, `solution.z` | impulses of equations and of bounded rows |
//! | `λ_i`, `w_i` | `forces`, `speed` | interface forces and speeds `D v` |
//!
//! Reference: \[Peiret\] A. Peiret, F. González, J. Kövecses, M. Teichmann, *Interface models in co-simulation of
//! nonsmooth systems*, eq. (3).

use std::sync::Arc;

use macrostep_mlcp::{Options, Problem, Solution, Solver, WarmStart};

use crate::{
    Memory, State, StateError, StepError, StepReport, System,
    active::Active,
    algebra::{Twist, ZERO, add_scaled},
    collect,
    configuration::Configuration,
    interface_model::InterfaceMemory,
    report,
    row::{Bounds, Row},
};

/// A system in motion: definition, state, and memory for the computation, whose content never matters.
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(crate) system: Arc<System>,
    pub(crate) state: State,
    pub(crate) configuration: Configuration,
    /// Step size the configuration was assembled for; `None` when the state has changed since.
    assembled: Option<f64>,
    pub(crate) trial: Trial,
    pub(crate) report: StepReport,
    pub(crate) interface_memory: InterfaceMemory,
}

/// A solved step that is not yet committed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trial {
    /// `u`, then `v⁺`.
    pub velocities: Vec<Twist>,
    /// `L⁻¹ g_b`, then `z_b`.
    pub equation_impulses: Vec<f64>,
    pub solution: Solution,
    solver: Solver,
    warm: WarmStart,
    active: Active,
}

impl Simulation {
    /// The system at rest in its assembly.
    #[must_use]
    pub fn new(system: Arc<System>) -> Self {
        Self::with_options(system, Options::default())
    }

    /// With other options of the complementarity solver.
    #[must_use]
    pub fn with_options(system: Arc<System>, options: Options) -> Self {
        let trial = Trial { solver: Solver::new(options), ..Default::default() };
        Self {
            state: State::assembly(&system),
            configuration: Configuration::new(&system),
            assembled: None,
            trial,
            report: StepReport::default(),
            interface_memory: InterfaceMemory::default(),
            system,
        }
    }

    /// The definition.
    #[must_use]
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// The state; clone it to save it.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    /// [`StateError`] when it is the state of another system; the present state is kept.
    pub fn restore(&mut self, state: &State) -> Result<(), StateError> {
        state.check(&self.system)?;
        self.state.clone_from(state);
        self.assembled = None;
        Ok(())
    }

    /// The report of the last step.
    #[must_use]
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// The problem of the bounded rows (joints and springs eliminated, impulses as unknowns) that was solved last, and
    /// its solution: to be saved when it was hard, or compared with another solver.
    #[must_use]
    pub fn complementarity(&self) -> (&Problem, &Solution) {
        (&self.configuration.problem, &self.trial.solution)
    }

    /// Advances by `h` seconds under the interface forces `forces` (N or N m, one for each interface coordinate),
    /// which are constant over the step.
    ///
    /// # Errors
    /// [`StepError`]; the state is then as before.
    pub fn step(&mut self, h: f64, forces: &[f64]) -> Result<&StepReport, StepError> {
        self.solve(h, forces)?;
        if let Some(body) = self.trial.velocities.iter().position(|v| v.iter().any(|x| !x.is_finite())) {
            return Err(StepError::Diverged { time_s: self.state.clock.time_s(), body });
        }
        report::write(&mut self.report, &self.configuration, &self.trial, &self.state.velocities, h);

        let works = self.works(h, forces);
        self.commit(h, forces);
        self.state.interface_work_j += works[0];
        self.state.motor_work_j += works[1];
        self.state.constraint_work_j += works[2];
        Ok(&self.report)
    }

    /// Work of interface forces, motors and all other constraint forces in a solved step: impulse times mean speed.
    fn works(&self, h: f64, forces: &[f64]) -> [f64; 3] {
        let (c, trial) = (&self.configuration, &self.trial);
        let work = |row: &Row, z: f64| 0.5 * z * (row.rate(&self.state.velocities) + row.rate(&trial.velocities));
        let interface = c.interface.iter().zip(forces).map(|(row, force)| work(row, h * force)).sum();
        let equations: f64 = c.bilateral.iter().zip(&trial.equation_impulses).map(|(row, z)| work(row, *z)).sum();
        let (mut motors, mut others) = (0.0, equations);
        for (bounded, z) in c.bounded.iter().zip(&trial.solution.z) {
            let sum = if matches!(bounded.bounds, Bounds::Force(..)) { &mut motors } else { &mut others };
            *sum += work(&bounded.row, *z);
        }
        [interface, motors, others]
    }

    /// Solves the step without committing it.
    pub(crate) fn solve(&mut self, h: f64, forces: &[f64]) -> Result<(), StepError> {
        let time_s = self.state.clock.time_s();
        let expected = self.system.interface().len();
        if forces.len() != expected {
            return Err(StepError::Forces { time_s, found: forces.len(), expected });
        }
        self.assemble(h)?;
        self.free_velocities(h, forces);
        let (configuration, trial) = (&mut self.configuration, &mut self.trial);
        if let Some(body) = trial.velocities.iter().position(|v| v.iter().any(|x| !x.is_finite())) {
            return Err(StepError::Diverged { time_s, body });
        }

        // Right-hand sides g = A u + φ/h, the equations eliminated.
        let g = |row: &Row| row.rate(&trial.velocities) + row.phi / h;
        trial.equation_impulses.clear();
        trial.equation_impulses.extend(configuration.bilateral.iter().map(g));
        let mut offset = std::mem::take(&mut configuration.problem.offset);
        configuration.reduce(&mut trial.equation_impulses, |u| g(&configuration.bounded[u].row), &mut offset);
        configuration.problem.offset = offset;

        trial.warm.fill(self.state.memory.iter().map(|m| (m.id, m.set)));
        trial
            .solver
            .solve(&configuration.problem, &trial.warm, &mut trial.solution)
            .map_err(|failure| StepError::Complementarity { time_s, failure })?;

        // v⁺ = u + M⁻¹ Aᵀ z.
        configuration.expand(&mut trial.equation_impulses, &trial.solution.z);
        for (row, &z) in configuration.bilateral.iter().zip(&trial.equation_impulses) {
            row.push(&mut trial.velocities, z);
        }
        for (bounded, &z) in configuration.bounded.iter().zip(&trial.solution.z) {
            bounded.row.push(&mut trial.velocities, z);
        }
        self.refine(h);
        Ok(())
    }

    /// Corrects the solution for the rounding of the reduction, the sets being fixed.
    fn refine(&mut self, h: f64) {
        let (c, trial) = (&self.configuration, &mut self.trial);
        let (solution, active) = (&mut trial.solution, &mut trial.active);
        if active.factor(c, &solution.set, solution.statistics.slaved).is_err() {
            return;
        }
        let (velocities, z_b) = (&trial.velocities, &trial.equation_impulses);
        active.refine(c, velocities.len(), |row| row.rate(velocities) + row.phi / h, z_b, &solution.z);
        for (velocity, response) in trial.velocities.iter_mut().zip(&active.response) {
            add_scaled(velocity, 1.0, response);
        }
        for (z, dz) in trial.equation_impulses.iter_mut().zip(&active.z_b) {
            *z += dz;
        }
        for (z, dz) in solution.z.iter_mut().zip(&active.z_u) {
            *z += dz;
        }
        for &(t, ..) in &active.slaves {
            (solution.lower[t], solution.upper[t]) = c.problem.bounds(t, &solution.z);
        }
    }

    /// Assembles the configuration unless it is that of the present state and step size.
    pub(crate) fn assemble(&mut self, h: f64) -> Result<(), StepError> {
        if !(h.is_finite() && h > 0.0) {
            return Err(StepError::StepSize { step_s: h, time_s: self.state.clock.time_s() });
        }
        if self.assembled != Some(h) {
            self.assembled = None;
            self.configuration.assemble(&self.system, &self.state, h)?;
            self.assembled = Some(h);
        }
        Ok(())
    }

    /// `u = v + h M⁻¹ (f_a − c + Dᵀ λ_i)`.
    fn free_velocities(&mut self, h: f64, forces: &[f64]) {
        self.trial.velocities.clone_from(&self.state.velocities);
        for (i, velocity) in self.trial.velocities.iter_mut().enumerate() {
            let acceleration = self.configuration.free_acceleration(&self.system, i, &self.state.velocities[i]);
            add_scaled(velocity, h, &acceleration);
        }
        for (row, force) in self.configuration.interface.iter().zip(forces) {
            row.push(&mut self.trial.velocities, h * force);
        }
    }

    /// Takes over velocities, positions, time and memory.
    fn commit(&mut self, h: f64, forces: &[f64]) {
        let (state, trial) = (&mut self.state, &self.trial);
        state.velocities.clone_from(&trial.velocities);
        for (pose, velocity) in state.poses.iter_mut().zip(&trial.velocities) {
            *pose = pose.advanced(velocity, h);
        }
        self.correct_positions();
        let (state, trial) = (&mut self.state, &self.trial);
        state.clock = state.clock.advanced(h);
        state.interface_forces.clear();
        state.interface_forces.extend_from_slice(forces);
        state.memory.clear();
        for (u, bounded) in self.configuration.bounded.iter().enumerate() {
            let (set, force) = (trial.solution.set[u], trial.solution.z[u] / h);
            state.memory.push(Memory { id: bounded.id, set, force });
        }
        state.memory.sort_unstable_by_key(|m| m.id);
        self.assembled = None;
    }

    /// Simplified Newton steps on the joint violation, the velocities staying as they are.
    fn correct_positions(&mut self) {
        let (c, trial) = (&self.configuration, &mut self.trial);
        for _ in 0..self.system.position_passes() {
            // Both vectors are free again once the step is solved and reported.
            collect::violation(&self.system, &self.state.poses, &mut trial.equation_impulses);
            c.solve_bilateral(&mut trial.equation_impulses);
            trial.velocities.fill(ZERO);
            for (row, z) in c.bilateral.iter().zip(&trial.equation_impulses) {
                row.push(&mut trial.velocities, -z);
            }
            for (pose, shift) in self.state.poses.iter_mut().zip(&trial.velocities) {
                *pose = pose.advanced(shift, 1.0);
            }
        }
    }
}
