//! Friction bounds `±μ z_n` by fixed-point passes, ended by the slaved solution.
//!
//! A pass solves the box problem for frozen bounds and takes new bounds from its normal rows. Once the sets are right
//! the bounds need not be iterated: a sliding row is `z_t = s μ z_n` with the sign `s` of its bound, and the active rows
//! solve the non-symmetric system
//!
//! ```text
//! Σ_j (N_ij + Σ_t s_t μ_t N_it) z_j = −(q_i + Σ_τ N_iτ z_τ)
//! ```
//!
//! where the inner sum runs over the sliding rows `t` whose normal row is `j` and τ over the other tight rows. That
//! solution is accepted when its natural residual, with bounds taken at itself, is small.

use crate::{Failure, Friction, Problem, Set, Solution, Solver, dense, problem::scale};

impl Solver {
    /// Alternates box problems and bounds until the bounds stay, or the slaved solution fits.
    pub(crate) fn friction_passes(&mut self, problem: &Problem, solution: &mut Solution) -> Result<(), Failure> {
        for pass in 1..=self.options.passes_max.max(1) {
            solution.statistics.passes = pass;
            self.pivot(problem, solution)?;
            solution.statistics.friction_mismatch = mismatch(problem, solution);
            if solution.statistics.friction_mismatch <= self.options.exchange_tolerance * scale(&solution.z) {
                return Ok(());
            }
            if self.accept_slaved(problem, solution) {
                return Ok(());
            }
            if pass < self.options.passes_max {
                update_bounds(problem, solution);
            }
        }
        // Not fatal: a solution for the bounds it states, the mismatch is in the statistics.
        Ok(())
    }

    /// Tries the slaved solution for the present sets and takes it when it solves the whole problem.
    fn accept_slaved(&mut self, problem: &Problem, solution: &mut Solution) -> bool {
        if ambiguous(problem, solution) || self.solve_slaved(problem, solution).is_err() {
            return false;
        }
        let work = &mut self.work;
        problem.slack(&work.trial_z, &mut work.trial_w);
        let z = &work.trial_z;
        let residual = problem.residual_with(z, &work.trial_w, |i| problem.bounds(i, z));
        if !(residual <= self.options.exchange_tolerance * 10.0 * scale(z)) {
            return false;
        }
        std::mem::swap(&mut solution.z, &mut work.trial_z);
        update_bounds(problem, solution);
        solution.statistics.friction_mismatch = 0.0;
        solution.statistics.slaved = true;
        true
    }

    fn solve_slaved(&mut self, problem: &Problem, solution: &Solution) -> Result<(), dense::Breakdown> {
        // Rows with bounds of their own are at these; the others are free, follow their normal row, or carry nothing.
        let (m, work) = (problem.rows(), &mut self.work);
        work.free.clear();
        work.free.extend((0..m).filter(|&i| solution.set[i] == Set::Inside));
        work.trial_z.clear();
        work.trial_z.extend((0..m).map(|i| match (problem.friction[i], solution.set[i]) {
            (None, Set::Lower) => solution.lower[i],
            (None, Set::Upper) => solution.upper[i],
            _ => 0.0,
        }));

        // Columns of sliding rows are added to the column of their normal row.
        let n = work.free.len();
        work.rhs.clear();
        work.matrix.clear();
        for &i in &work.free {
            let row = problem.matrix_row(i);
            work.rhs.push(-problem.offset[i] - dense::dot(row, &work.trial_z));
            work.matrix.extend(work.free.iter().map(|&j| row[j]));
        }
        for t in 0..m {
            let Some((column, factor)) = slave(problem, solution, t, &work.free) else { continue };
            for (k, &i) in work.free.iter().enumerate() {
                work.matrix[k * n + column] += factor * problem.matrix_row(i)[t];
            }
        }
        // Active rows, then the sliding rows that follow them.
        dense::lu(&mut work.matrix, n, &mut work.exchange)?;
        dense::lu_solve(&work.matrix, n, &work.exchange, &mut work.rhs);
        for (&i, &value) in work.free.iter().zip(&work.rhs) {
            work.trial_z[i] = value;
        }
        for t in 0..m {
            if let Some((column, factor)) = slave(problem, solution, t, &work.free) {
                work.trial_z[t] = factor * work.rhs[column];
            }
        }
        Ok(())
    }
}

/// For a sliding row whose normal row is active: the place of that row in `free`, and `s μ`.
fn slave(problem: &Problem, solution: &Solution, t: usize, free: &[usize]) -> Option<(usize, f64)> {
    let Friction { normal, coefficient } = problem.friction[t]?;
    if solution.set[t] == Set::Inside {
        return None;
    }
    let column = free.binary_search(&normal).ok()?;
    Some((column, solution.set[t].sign() * coefficient))
}

/// A box of zero width says nothing about the direction of sliding: wait for a pass with a bound.
fn ambiguous(problem: &Problem, solution: &Solution) -> bool {
    (0..problem.rows()).any(|t| {
        problem.friction[t].is_some_and(|f| f.coefficient > 0.0 && solution.set[f.normal] == Set::Inside)
            && solution.lower[t] == solution.upper[t]
    })
}

fn mismatch(problem: &Problem, solution: &Solution) -> f64 {
    let bound = |i: usize| (solution.upper[i] - problem.bounds(i, &solution.z).1).abs();
    (0..problem.rows()).filter(|&i| problem.friction[i].is_some()).map(bound).fold(0.0, f64::max)
}

fn update_bounds(problem: &Problem, solution: &mut Solution) {
    for i in 0..problem.rows() {
        if problem.friction[i].is_none() {
            continue;
        }
        let was_fixed = solution.lower[i] == solution.upper[i];
        (solution.lower[i], solution.upper[i]) = problem.bounds(i, &solution.z);
        // A row that was fixed only for want of a bound starts as sticking.
        if was_fixed && solution.upper[i] > 0.0 {
            solution.set[i] = Set::Inside;
        }
    }
}
