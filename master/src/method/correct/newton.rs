//! Newton iteration with an interface Jacobian.
//!
//! `(I − ∂G/∂y) δ = r`, `y ← y + δ`. The Jacobian comes from finite differences over rollback (one run of the window
//! per unknown, or per principal direction where the problem has less of them) or is estimated from directional derivatives (no run); it is kept across windows, refined by what each
//! correction tells (Broyden's update, no run) and made anew only where convergence is slow. For a linear system one
//! correction is exact.
//!
//! A trial or a correction at which a unit fails or gives no finite numbers is halved and tried again. Where the newest
//! Jacobian gains nothing more the iteration ends: what is left is rounding, [`Problem::rounding`], or did not converge.
//! References: \[Sicklinger 2014\]; \[Broyden 1965\].

use super::inverse::Inverse;
use super::{Convergence, Corrector, Learnt, Problem, ROUNDINGS, matrix, relative};
use crate::savable::savable;
use crate::unit::UnitError;
use nalgebra::{DMatrix, DVector};

/// Where the interface Jacobian comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InterfaceJacobian {
    /// Finite differences over rollback.
    #[default]
    FiniteDifferences,
    /// Directional derivatives of the units; finite differences where one does not offer them.
    Directional,
}

/// Newton iteration.
#[derive(Debug, Clone)]
pub struct Newton {
    /// Source of the Jacobian.
    pub jacobian: InterfaceJacobian,
    /// Residual relative to the size of the unknowns at which to stop, default 1e-12.
    pub tolerance: f64,
    /// Most corrections in a window, default 20.
    pub corrections_max: usize,
    /// Least perturbation of finite differences relative to the size of an unknown, default 1e-4: large, because coupling is
    /// nearly linear in a window and rounding is what limits a difference.
    pub perturbation: f64,
}

savable! {
/// What Newton iteration knows.
pub(crate) struct NewtonState {
    /// Whether principal directions have not been enough.
    all_directions: bool,
    inverse: Inverse,
    #[serde(with = "matrix::vector")]
    residual: DVector<f64>,
    #[serde(with = "matrix::vector")]
    after: DVector<f64>,
    #[serde(with = "matrix::vector")]
    delta: DVector<f64>,
    trial: Vec<f64>,
    moved: Vec<f64>,
}
}

impl Default for NewtonState {
    fn default() -> Self {
        let empty = || DVector::zeros(0);
        let (residual, after, delta) = (empty(), empty(), empty());
        let (all_directions, inverse) = (false, Inverse::default());
        NewtonState { all_directions, inverse, residual, after, delta, trial: Vec::new(), moved: Vec::new() }
    }
}

impl Default for Newton {
    fn default() -> Self {
        Newton::new(InterfaceJacobian::FiniteDifferences)
    }
}

/// Largest perturbation relative to the size of an unknown.
const LARGEST: f64 = 0.5;

/// A kept Jacobian is replaced when a correction gains less than this factor.
const SLOW: f64 = 0.2;

/// A correction with a Jacobian made for it that gains less than this factor has come to the end of what can be gained.
const STUCK: f64 = 0.5;

/// Most Jacobians made in a window.
const JACOBIANS_MAX: usize = 3;

/// Most corrections of a guess whose residual is small enough, but not what is left of its error.
const POLISHED_MAX: usize = 2;

/// Most halvings of a trial or a correction at which a unit fails.
const HALVINGS: usize = 8;

impl Newton {
    /// With a Jacobian of the given source.
    pub fn new(jacobian: InterfaceJacobian) -> Self {
        Newton { jacobian, tolerance: 1e-12, corrections_max: 20, perturbation: 1e-4 }
    }
}

impl NewtonState {
    /// Makes the inverse of `I − ∂G/∂y` at `y`, where the residual is known, from an estimate where there is one, else from
    /// moves by no less than `perturbation`; returns the runs it took.
    fn make(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
        (estimate, perturbation): (bool, f64),
    ) -> Result<usize, UnitError> {
        let n = y.len();
        if estimate {
            let mut jacobian = DMatrix::zeros(n, n);
            if problem.estimate_jacobian(&mut jacobian)? {
                self.inverse.make(&jacobian);
                return Ok(0);
            }
        }
        let m = if self.all_directions { n } else { problem.principal() };
        // As large as what is to be corrected, so that rounding in the differences is not magnified; not as large as the unknowns
        // themselves, over which a law bends.
        let part = relative(self.residual.as_slice(), problem.scale()).clamp(perturbation, LARGEST);
        let (mut moves, mut changes, mut runs) = (DMatrix::zeros(n, m), DMatrix::zeros(n, m), 0);
        let together = self.differences(problem, (y, part), &mut moves)?;
        for j in 0..m {
            match together.as_ref().map(|moved| moved.column(j)) {
                Some(moved) if moved.iter().all(|r| r.is_finite()) => {
                    self.moved.iter_mut().zip(moved.iter()).for_each(|(m, r)| *m = *r);
                    runs += 1;
                }
                _ => runs += self.difference(problem, (y, part), j, &mut moves)?,
            }
            for i in 0..n {
                changes[(i, j)] = self.residual[i] - self.moved[i];
            }
        }
        self.inverse.make_from(&moves, changes, problem.scale());
        Ok(runs)
    }

    /// Moves the guess by `part` of it in all directions together, where the problem gains by that: what comes out, and how far it went,
    /// column by column.
    fn differences(
        &mut self,
        problem: &mut dyn Problem,
        (y, part): (&[f64], f64),
        moves: &mut DMatrix<f64>,
    ) -> Result<Option<DMatrix<f64>>, UnitError> {
        let mut trials = moves.clone();
        for (j, mut there) in trials.column_iter_mut().enumerate() {
            problem.direction(j, &mut self.trial);
            for (i, (y, t)) in y.iter().zip(&self.trial).enumerate() {
                there[i] = y + part * t;
                moves[(i, j)] = there[i] - y;
            }
        }
        let mut moved = moves.clone();
        let at = (y, self.residual.as_slice());
        Ok(problem.probe_all(at, &trials, &mut moved)?.then_some(moved))
    }

    /// Moves the guess in direction `j` by `part` of it, or less where that is too far, and leaves what comes out in `moved` and
    /// how far it went in column `j`; returns the runs it took.
    fn difference(
        &mut self,
        problem: &mut dyn Problem,
        (y, mut part): (&[f64], f64),
        j: usize,
        moves: &mut DMatrix<f64>,
    ) -> Result<usize, UnitError> {
        for run in 1.. {
            problem.direction(j, &mut self.trial);
            for ((t, y), moved) in self.trial.iter_mut().zip(y).zip(moves.column_mut(j).iter_mut()) {
                let there = y + part * *t;
                (*moved, *t) = (there - y, there);
            }
            let outcome = problem.probe(&self.trial, &mut self.moved);
            if is_met(&outcome, &self.moved) {
                return Ok(run);
            }
            if run > HALVINGS {
                // Nothing is known in this direction: as if the window did not answer.
                outcome?;
                for i in 0..y.len() {
                    self.moved[i] = self.residual[i] - moves[(i, j)];
                }
                return Ok(run);
            }
            part *= 0.5;
        }
        Ok(0)
    }

    /// Corrects `y` by `delta`, or by less where that is too far, and leaves the residual there in `after`; returns the runs it
    /// took.
    fn advance(&mut self, problem: &mut dyn Problem, y: &mut [f64]) -> Result<usize, UnitError> {
        for run in 1.. {
            y.iter_mut().zip(self.delta.iter()).for_each(|(y, d)| *y += d);
            let outcome = problem.evaluate(y, self.after.as_mut_slice());
            if is_met(&outcome, self.after.as_slice()) || run > HALVINGS {
                return outcome.map(|()| run);
            }
            y.iter_mut().zip(self.delta.iter()).for_each(|(y, d)| *y -= d);
            self.delta *= 0.5;
        }
        Ok(0)
    }

    fn resize(&mut self, n: usize) {
        if self.residual.len() != n {
            for v in [&mut self.residual, &mut self.after, &mut self.delta] {
                *v = DVector::zeros(n);
            }
            self.trial = vec![0.0; n];
            self.moved = vec![0.0; n];
            self.inverse.clear();
        }
    }

    /// Whether the next correction would change the guess by no more than may be left undone, and rounding in the problem, which no correction
    /// takes out, as well; unknown without an inverse.
    fn is_done(&mut self, problem: &dyn Problem) -> bool {
        let change_max = problem.change_max();
        if change_max.is_infinite() || self.residual.iter().all(|r| *r == 0.0) {
            return true;
        }
        if !self.inverse.is_made(self.residual.len()) {
            return false;
        }
        self.inverse.apply(&self.residual, &mut self.delta);
        let (scale, lasting) = (problem.scale(), problem.lasting());
        let change = relative(self.delta.as_slice(), lasting);
        change + problem.rounding() * self.inverse.norm(scale, lasting) <= change_max
    }

    /// What a correction that gains nothing leaves: the largest of itself, of the next one, and of the residual after it. A small correction
    /// alone says little: where the problem magnifies what it is given, a guess that is right to the last digit has a large residual, and what
    /// is published is off by that.
    fn left(&mut self, scale: &[f64]) -> f64 {
        let known = relative(self.delta.as_slice(), scale).max(relative(self.after.as_slice(), scale));
        self.inverse.apply(&self.after, &mut self.delta);
        known.max(relative(self.delta.as_slice(), scale))
    }

    /// Lets the inverse learn from the correction just made, and takes the residual after it as the present one.
    fn learn(&mut self, scale: &[f64], perturbation: f64) {
        // z = r − r_after, in the place of r.
        self.residual -= &self.after;
        self.inverse.learn(&self.delta, &self.residual, scale, perturbation);
        std::mem::swap(&mut self.residual, &mut self.after);
    }
}

impl Corrector for Newton {
    fn correct(&self, learnt: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        self.solve(learnt.newton.get_or_insert_default(), problem, y)
    }
}

impl Newton {
    /// As [`Corrector::correct`], with what Newton iteration alone knows.
    pub(crate) fn solve(
        &self,
        state: &mut NewtonState,
        problem: &mut dyn Problem,
        y: &mut [f64],
    ) -> Result<Convergence, UnitError> {
        // The residual of the first guess.
        state.resize(y.len());
        problem.evaluate(y, state.residual.as_mut_slice())?;
        let mut runs = 1;
        let mut before = relative(state.residual.as_slice(), problem.scale());
        let (mut estimate, mut made, mut polished) = (self.jacobian == InterfaceJacobian::Directional, 0, 0);
        let mut has_gained = false;
        for correction in 0..=self.corrections_max {
            let is_met = problem.is_met(state.residual.as_slice(), self.tolerance);
            let converged = is_met && state.is_done(problem);
            polished += usize::from(is_met);
            if converged || polished > POLISHED_MAX || correction == self.corrections_max || !before.is_finite() {
                return Ok(Convergence { runs, residual: before, converged });
            }
            // A correction by the inverse that is kept, or by a new one.
            let is_new = !state.inverse.is_made(y.len());
            if is_new {
                runs += state.make(problem, y, (estimate, self.perturbation))?;
                made += 1;
            }
            state.inverse.apply(&state.residual, &mut state.delta);
            runs += state.advance(problem, y)?;
            // What it has gained says whether the inverse stays.
            let after = relative(state.after.as_slice(), problem.scale());
            if after <= self.tolerance || after <= SLOW * before {
                has_gained = true;
                state.learn(problem.scale(), self.perturbation);
            } else {
                // An inverse that has just proved itself gains nothing more: what is left is rounding.
                if (is_new || has_gained) && state.left(problem.scale()) <= problem.noise_max() {
                    return Ok(Convergence { runs, residual: after, converged: true });
                }
                if after <= ROUNDINGS * problem.rounding() {
                    std::mem::swap(&mut state.residual, &mut state.after);
                    let converged = state.is_done(problem);
                    return Ok(Convergence { runs, residual: after, converged });
                }
                let is_stuck = is_new && !estimate && state.all_directions && after > STUCK * before;
                if is_stuck || made == JACOBIANS_MAX {
                    return Ok(Convergence { runs, residual: after, converged: false });
                }
                // An estimate that converges slowly is replaced by differences, which are the last Jacobian at the latest.
                state.inverse.clear();
                state.all_directions = true;
                estimate = estimate && made + 1 < JACOBIANS_MAX;
                std::mem::swap(&mut state.residual, &mut state.after);
            }
            before = after;
        }
        Ok(Convergence { runs, residual: before, converged: false })
    }
}

/// Whether a run came to finite numbers.
fn is_met(outcome: &Result<(), UnitError>, residual: &[f64]) -> bool {
    outcome.is_ok() && residual.iter().all(|r| r.is_finite())
}
