//! The mobility of joints before a window: from directional derivatives, else from differences of repeated windows, which are kept
//! until windows converge slowly.

use super::problem::Guessed;
use super::{Iteration, State, Window};
use crate::error::RunError;
use crate::method::correct::Convergence;
use crate::step::joints::largest;
use crate::unit::UnitError;

/// Runs of a window beyond which, and beyond one a row, a mobility from differences is made anew.
const SLOW: usize = 4;

/// What a trial is to move a joint by, relative to the size of its coordinates.
const TRIAL: f64 = 1e-4;

/// Most sizes of a trial.
const TRIALS_MAX: usize = 4;

impl Iteration {
    /// Makes the mobility of joints ready for the window to come; returns how often the window was run for it.
    pub(super) fn prepare_joints(
        &self,
        window: &mut Window,
        state: &mut State,
        y: &mut [f64],
    ) -> Result<usize, RunError> {
        if window.joints.is_empty() {
            return Ok(0);
        }
        let parts = (window.unit_ports.as_mut_slice(), state.signals.histories.as_slice());
        if window.joints.prepare(&state.joints, parts, state.now)? {
            return Ok(0);
        }
        // What was learnt with another mobility is of no use.
        state.learnt = Default::default();
        let (mut mobility, n) = (vec![0.0; window.joints.rows().pow(2)], window.joints.rows());
        let runs = self.differences(window, state, y, &mut mobility)?;
        window.rewind(state)?;
        if let Some(place) = mobility.iter().position(|w| !w.is_finite()) {
            let name = window.joints.joint_name(place % n);
            return Err(RunError::Unmoved { name, found: mobility[place] });
        }
        state.joints.mobility = mobility;
        state.joints.correction.fill(0.0);
        let parts = (window.unit_ports.as_mut_slice(), state.signals.histories.as_slice());
        window.joints.prepare(&state.joints, parts, state.now)?;
        Ok(runs)
    }

    /// Runs the window with a little more of each force, and writes `W = −∂ġ/∂a / H`; returns how often.
    fn differences(
        &self,
        window: &mut Window,
        state: &mut State,
        y: &mut [f64],
        mobility: &mut [f64],
    ) -> Result<usize, UnitError> {
        let (n, length_s) = (window.joints.rows(), window.sources.clock.length_s(window.length(state)));
        // The window as guessed: the ġ that differences are taken from.
        let mut residual = vec![0.0; y.len()];
        let mut problem = Guessed::new(window, state, &self.guesses);
        problem.run_with(y, &mut residual)?;
        let (base, mut runs, mut row, mut force) = (problem.window.joints.rates().to_vec(), 1, 0, 1.0);
        // The first half of a joint's row is a, which tells all of W; b needs no run.
        let joints = self.guesses.iter().filter(|g| g.channel >= self.channels);
        for place in joints.flat_map(|g| g.first..g.first + g.width / 2) {
            let before = y[place];
            // A force that moves ġ well above rounding and not by orders of magnitude too much is found by trial.
            for trial in 1..=TRIALS_MAX {
                y[place] = before + force;
                problem.run_with(y, &mut residual)?;
                runs += 1;
                let joints = &problem.window.joints;
                let moved = largest(joints.rates().iter().zip(&base).map(|(r, b)| r - b));
                let wanted = TRIAL * joints.size(row) / length_s;
                let is_fit = (0.01..=100.0).contains(&(moved / wanted));
                if is_fit || moved == 0.0 || trial == TRIALS_MAX {
                    // A column of W.
                    let columns = joints.rates().iter().zip(&base).enumerate();
                    columns.for_each(|(i, (r, b))| mobility[i * n + row] = (b - r) / (length_s * force));
                    break;
                }
                // A trial at which a unit fails was far too large.
                force *= if moved.is_finite() { wanted / moved } else { 1e-6 };
            }
            y[place] = before;
            row += 1;
        }
        Ok(runs)
    }

    /// Looks at how a window has converged: a mobility from differences that is too old is forgotten.
    pub(super) fn judge_joints(&self, window: &Window, state: &mut State, convergence: &Convergence) {
        if window.joints.is_empty() {
            return;
        }
        window.joints.accept(&mut state.joints);
        if !convergence.converged || convergence.runs > SLOW + window.joints.rows() {
            state.joints.mobility.clear();
        }
    }
}
