//! Descent from face to face of the box, for fixed bounds: slow and certain where pivoting goes in circles.
//!
//! The problem is the minimum of `½ zᵀ N z + qᵀ z` over the box. From a point in the box the minimum of its face (rows at a
//! bound stay there) is gone for until another bound is met, which joins the face; at the minimum of a face the row whose
//! slack has the most wrong sign is released. Every step lowers the function, so no face comes twice
//! \[Lawson & Hanson, ch. 23; Stark & Parker\].

use crate::{
    Failure, Problem, Set, Solution, Solver,
    pivoting::target,
    problem::{clip, scale},
};

/// Faces that are looked at for each row before it is given up: three times what was ever seen.
const FACES: usize = 10;

impl Solver {
    /// Finds the sets for the bounds in `solution`, starting from its `z` moved into the box.
    pub(crate) fn descend(&mut self, problem: &Problem, solution: &mut Solution) -> Result<(), Failure> {
        for i in 0..problem.rows() {
            let (lower, upper) = (solution.lower[i], solution.upper[i]);
            solution.z[i] = clip(solution.z[i], lower, upper);
        }
        for _ in 0..FACES * (1 + problem.rows()) {
            // The minimum of the face.
            let mut from = std::mem::take(&mut self.work.trial_z);
            from.clone_from(&solution.z);
            let solved = self.solve_sets(problem, solution);
            let met = solved.as_ref().ok().and_then(|()| self.bound_on_way(&from, solution));
            // As far towards it as the box allows.
            if let Some((row, set, way)) = met {
                for (z, from) in solution.z.iter_mut().zip(&from) {
                    *z = from + way * (*z - from);
                }
                solution.set[row] = set;
            }
            self.work.trial_z = from;
            solved?;
            solution.statistics.pivots += 1;
            solution.statistics.descents += 1;
            if met.is_some() {
                continue;
            }
            // There, the row to release.
            match self.most_wrong(solution) {
                Some(row) => solution.set[row] = Set::Inside,
                None => return Ok(()),
            }
        }
        self.at_limit(problem, solution)
    }

    /// The first bound between a point and `solution.z`: row, side, and the part of the way to it.
    fn bound_on_way(&self, from: &[f64], solution: &Solution) -> Option<(usize, Set, f64)> {
        let tolerance = self.options.exchange_tolerance * scale(&solution.z);
        let mut first: Option<(usize, Set, f64)> = None;
        for (i, (&from, &to)) in from.iter().zip(&solution.z).enumerate() {
            let Some(set) = target(solution, i, tolerance).filter(|set| *set != Set::Inside) else { continue };
            let bound = if set == Set::Lower { solution.lower[i] } else { solution.upper[i] };
            let way = ((bound - from) / (to - from)).clamp(0.0, 1.0);
            if first.is_none_or(|(.., least)| way < least) {
                first = Some((i, set, way));
            }
        }
        first
    }

    /// The row at a bound whose slack is furthest on the wrong side.
    fn most_wrong(&self, solution: &Solution) -> Option<usize> {
        let tolerance = self.options.exchange_tolerance * scale(&solution.z);
        let wrong = (0..solution.z.len()).filter(|&i| target(solution, i, tolerance) == Some(Set::Inside));
        wrong.max_by(|&a, &b| solution.w[a].abs().total_cmp(&solution.w[b].abs()))
    }
}
