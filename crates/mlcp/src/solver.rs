//! The solver: options, solution, statistics, and the order in which the parts are tried.

use crate::{Failure, Problem, Set, WarmStart, problem::scale};

/// Parameters of [`Solver`]; all have a default with a reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Accept when the natural residual is at most this times `1 + ‖z‖∞`. Default 1e-10: four digits above the rounding
    /// error of a well scaled problem. See [`Statistics::residual`].
    pub tolerance: f64,
    /// A row is exchanged when it violates its sign or bound by more than this times `1 + ‖z‖∞`. Default 1e-12: below
    /// the tolerance of acceptance, above rounding.
    pub exchange_tolerance: f64,
    /// Block exchanges without a new minimum of infeasible rows before Murty's rule takes over. Default 10.
    /// See [`Statistics::single_pivots`].
    pub patience: usize,
    /// After this many pivots, and [`Options::pivots_a_row`] for each row, descent from face to face takes over. Default 100.
    /// See [`Statistics::descents`].
    pub pivots_max: usize,
    /// See [`Options::pivots_max`]. Default 20.
    pub pivots_a_row: usize,
    /// Passes over the friction bounds. Default 12: the slaved solution usually ends them after one or two.
    /// See [`Statistics::passes`] and [`Statistics::friction_mismatch`].
    pub passes_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        let (tolerance, exchange_tolerance) = (1e-10, 1e-12);
        Self { tolerance, exchange_tolerance, patience: 10, pivots_max: 100, pivots_a_row: 20, passes_max: 12 }
    }
}

/// Statistics of a solution: linear systems, passes and residuals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Linear systems solved over all passes, one a set.
    pub pivots: usize,
    /// How many of them Murty's rule chose.
    pub single_pivots: usize,
    /// How many of them were faces of a descent, after pivoting had gone in circles; 0 as a rule.
    pub descents: usize,
    /// Passes over the friction bounds; 1 without friction.
    pub passes: usize,
    /// Natural residual of the solution, for the bounds in [`Solution::lower`] and [`Solution::upper`].
    pub residual: f64,
    /// Largest difference between a friction bound used and `μ z_n`; 0 when the bounds have converged.
    pub friction_mismatch: f64,
    /// Whether the slaved solution (friction at its bound follows `z_n` exactly) was accepted.
    pub slaved: bool,
    /// Rows strictly inside their bounds.
    pub active: usize,
}

/// A solution; the vectors have one entry a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// `z`.
    pub z: Vec<f64>,
    /// `w = N z + q`.
    pub w: Vec<f64>,
    /// Where each row is in its box.
    pub set: Vec<Set>,
    /// Lower bounds the solution holds for (friction rows: the last pass).
    pub lower: Vec<f64>,
    /// Upper bounds the solution holds for.
    pub upper: Vec<f64>,
    /// What it took.
    pub statistics: Statistics,
}

/// Block principal pivoting with its memory: solving again allocates nothing unless the problem grew.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    pub(crate) options: Options,
    pub(crate) work: Work,
}

/// Memory that survives between solutions; its content never matters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    pub free: Vec<usize>,
    pub matrix: Vec<f64>,
    pub rhs: Vec<f64>,
    pub exchange: Vec<usize>,
    pub trial_z: Vec<f64>,
    pub trial_w: Vec<f64>,
}

impl Solver {
    /// A solver with the given options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, work: Work::default() }
    }

    /// Solves `problem`, starting from the sets remembered in `warm`, and writes `solution`.
    ///
    /// # Errors
    /// [`Failure::IllPosed`], [`Failure::Singular`] or [`Failure::NotConverged`]; never runs for ever.
    pub fn solve(&mut self, problem: &Problem, warm: &WarmStart, solution: &mut Solution) -> Result<(), Failure> {
        problem.check()?;
        self.start(problem, warm, solution);
        if problem.friction.iter().any(Option::is_some) {
            self.friction_passes(problem, solution)?;
        } else {
            solution.statistics.passes = 1;
            self.pivot(problem, solution)?;
        }
        self.finish(problem, solution)
    }

    /// Bounds and sets to start from.
    fn start(&mut self, problem: &Problem, warm: &WarmStart, solution: &mut Solution) {
        solution.statistics = Statistics::default();
        solution.lower.clone_from(&problem.lower);
        solution.upper.clone_from(&problem.upper);
        solution.set.clear();
        solution.set.extend(problem.ids.iter().map(|&id| warm.get(id).unwrap_or(Set::Inside)));
        solution.z.clear();
        solution.z.resize(problem.rows(), 0.0);
    }

    /// Accepts on the natural residual.
    fn finish(&mut self, problem: &Problem, solution: &mut Solution) -> Result<(), Failure> {
        problem.slack(&solution.z, &mut solution.w);
        let bounds = |i: usize| (solution.lower[i], solution.upper[i]);
        let residual = problem.residual_with(&solution.z, &solution.w, bounds);
        let tolerance = self.options.tolerance * scale(&solution.z);
        solution.statistics.residual = residual;
        solution.statistics.active = solution.set.iter().filter(|s| **s == Set::Inside).count();
        if residual <= tolerance {
            return Ok(());
        }
        Err(Failure::NotConverged { iterations: solution.statistics.pivots, residual, tolerance })
    }
}

/// Brings a remembered set in accordance with the box: no bound that is infinite, no inside of an empty inside.
pub(crate) fn admissible(set: Set, lower: f64, upper: f64) -> Set {
    match set {
        _ if lower == upper => Set::Lower,
        Set::Lower if lower == f64::NEG_INFINITY => Set::Inside,
        Set::Upper if upper == f64::INFINITY => Set::Inside,
        set => set,
    }
}
