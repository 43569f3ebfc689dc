//! Block principal pivoting for fixed bounds.
//!
//! For given sets the rows at a bound are known, the others follow from
//!
//! ```text
//! N_αα z_α = −(q_α + N_ατ z_τ),      w_τ = N_τα z_α + N_ττ z_τ + q_τ
//! ```
//!
//! A row is infeasible when `z_α` left its box or `w_τ` has the wrong sign. All infeasible rows are exchanged at once;
//! when that has not brought a new minimum of their number for [`Options::patience`](crate::Options::patience) steps,
//! only the one with the largest index is, which is finite [Murty 1974]; the next minimum returns to blocks
//! [Júdice & Pires 1994]. Where even that takes too long, `descent.rs` goes on.

use crate::{Failure, Problem, Set, Solution, Solver, dense, problem::scale, solver::admissible};

impl Solver {
    /// Finds the sets for the bounds in `solution`, starting from the sets in `solution`.
    pub(crate) fn pivot(&mut self, problem: &Problem, solution: &mut Solution) -> Result<(), Failure> {
        let m = problem.rows();
        // No row begins at an infinite bound.
        for i in 0..m {
            solution.set[i] = admissible(solution.set[i], solution.lower[i], solution.upper[i]);
        }
        // Single exchanges are finite, but not soon: another method takes over at the limit.
        let limit = solution.statistics.pivots + self.options.pivots_max + self.options.pivots_a_row * m;
        let (mut fewest, mut patience) = (m + 1, self.options.patience);
        loop {
            self.solve_sets(problem, solution)?;
            solution.statistics.pivots += 1;
            let (infeasible, largest) = self.infeasible(solution);
            if infeasible == 0 {
                return Ok(());
            }
            if solution.statistics.pivots >= limit {
                return self.descend(problem, solution);
            }
            // Patience begins anew with each new minimum.
            if infeasible < fewest {
                (fewest, patience) = (infeasible, self.options.patience);
            } else {
                patience = patience.saturating_sub(1);
            }
            if patience > 0 {
                self.exchange_all(solution);
            } else {
                solution.statistics.single_pivots += 1;
                self.exchange(solution, largest);
            }
        }
    }

    /// The last iterate may still be good to the tolerance of acceptance: degenerate rows flip sign by rounding.
    pub(crate) fn at_limit(&self, problem: &Problem, solution: &Solution) -> Result<(), Failure> {
        let bounds = |i: usize| (solution.lower[i], solution.upper[i]);
        let residual = problem.residual_with(&solution.z, &solution.w, bounds);
        let tolerance = self.options.tolerance * scale(&solution.z);
        if residual <= tolerance {
            return Ok(());
        }
        Err(Failure::NotConverged { iterations: solution.statistics.pivots, residual, tolerance })
    }

    /// `z` and `w` for the sets in `solution`.
    pub(crate) fn solve_sets(&mut self, problem: &Problem, solution: &mut Solution) -> Result<(), Failure> {
        let work = &mut self.work;
        work.free.clear();
        for (i, set) in solution.set.iter().enumerate() {
            solution.z[i] = match set {
                Set::Lower => solution.lower[i],
                Set::Upper => solution.upper[i],
                Set::Inside => 0.0,
            };
            if *set == Set::Inside {
                work.free.push(i);
            }
        }

        // Right-hand side with the tight rows, then the matrix of the active ones.
        let n = work.free.len();
        work.rhs.clear();
        work.matrix.clear();
        for &i in &work.free {
            let row = problem.matrix_row(i);
            work.rhs.push(-problem.offset[i] - dense::dot(row, &solution.z));
            work.matrix.extend(work.free.iter().map(|&j| row[j]));
        }
        dense::cholesky(&mut work.matrix, n)
            .map_err(|b| Failure::Singular { row: work.free[b.row], pivot: b.pivot })?;
        dense::cholesky_solve(&work.matrix, n, &mut work.rhs);
        for (&i, &value) in work.free.iter().zip(&work.rhs) {
            solution.z[i] = value;
        }
        problem.slack(&solution.z, &mut solution.w);
        Ok(())
    }

    /// Number of infeasible rows and the largest index among them.
    fn infeasible(&self, solution: &Solution) -> (usize, usize) {
        let tolerance = self.options.exchange_tolerance * scale(&solution.z);
        let (mut count, mut largest) = (0, 0);
        for i in 0..solution.z.len() {
            if target(solution, i, tolerance).is_some() {
                (count, largest) = (count + 1, i);
            }
        }
        (count, largest)
    }

    fn exchange_all(&self, solution: &mut Solution) {
        let tolerance = self.options.exchange_tolerance * scale(&solution.z);
        for i in 0..solution.z.len() {
            if let Some(set) = target(solution, i, tolerance) {
                solution.set[i] = set;
            }
        }
    }

    fn exchange(&self, solution: &mut Solution, row: usize) {
        let tolerance = self.options.exchange_tolerance * scale(&solution.z);
        if let Some(set) = target(solution, row, tolerance) {
            solution.set[row] = set;
        }
    }
}

/// The set an infeasible row should go to; `None` for feasible rows and for boxes of zero width.
pub(crate) fn target(solution: &Solution, i: usize, tolerance: f64) -> Option<Set> {
    let (z, w, lower, upper) = (solution.z[i], solution.w[i], solution.lower[i], solution.upper[i]);
    if lower == upper {
        return None;
    }
    match solution.set[i] {
        Set::Inside if z < lower - tolerance => Some(Set::Lower),
        Set::Inside if z > upper + tolerance => Some(Set::Upper),
        Set::Lower if w < -tolerance => Some(Set::Inside),
        Set::Upper if w > tolerance => Some(Set::Inside),
        _ => None,
    }
}
