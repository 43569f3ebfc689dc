//! The statement of a box-constrained MLCP and the natural residual of a candidate.

use crate::Flaw;

/// Bounds that follow another row: `|z| ≤ μ max(z_n, 0)`, one facet of Coulomb's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Index of the normal row `n`.
    pub normal: usize,
    /// Coefficient of friction `μ ≥ 0`.
    pub coefficient: f64,
}

/// `w = N z + q`, `lo ≤ z ≤ hi`, complementary; see the crate documentation.
///
/// The bounds of a friction row are a first guess (lagged bounds); a solver replaces them by `±μ z_n`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// `N`, symmetric, row-major, m × m.
    pub matrix: Vec<f64>,
    /// `q`, m entries.
    pub offset: Vec<f64>,
    /// `lo`, m entries, −∞ for none.
    pub lower: Vec<f64>,
    /// `hi`, m entries, +∞ for none.
    pub upper: Vec<f64>,
    /// The normal row of each friction row, `None` for rows with bounds of their own; m entries.
    pub friction: Vec<Option<Friction>>,
    /// Persistent names of the rows, m entries; they carry the warm start from one problem to the next.
    pub ids: Vec<u64>,
}

impl Problem {
    /// A problem without friction whose rows are named 0, 1, 2 …
    #[must_use]
    pub fn new(matrix: Vec<f64>, offset: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>) -> Self {
        let rows = offset.len();
        let (friction, ids) = (vec![None; rows], (0..rows as u64).collect());
        Self { matrix, offset, lower, upper, friction, ids }
    }

    /// Number of rows m.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offset.len()
    }

    /// Row `i` of the matrix, m entries.
    #[must_use]
    pub fn matrix_row(&self, i: usize) -> &[f64] {
        let m = self.rows();
        &self.matrix[i * m..(i + 1) * m]
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.matrix.clear();
        self.offset.clear();
        self.lower.clear();
        self.upper.clear();
        self.friction.clear();
        self.ids.clear();
    }

    /// Checks sizes, numbers, boxes, symmetry (1e-9 of the diagonal) and friction references.
    ///
    /// # Errors
    /// The first [`Flaw`] found.
    pub fn check(&self) -> Result<(), Flaw> {
        let m = self.rows();
        let sizes = [
            ("matrix", self.matrix.len(), m * m),
            ("lower", self.lower.len(), m),
            ("upper", self.upper.len(), m),
            ("friction", self.friction.len(), m),
            ("ids", self.ids.len(), m),
        ];
        for (field, found, expected) in sizes {
            if found != expected {
                return Err(Flaw::Size { field, found, expected });
            }
        }
        for row in 0..m {
            self.check_row(row)?;
        }
        Ok(())
    }

    fn check_row(&self, row: usize) -> Result<(), Flaw> {
        // Numbers; bounds may be infinite on the side where they bound nothing.
        let not_finite = |field, value: f64| Err(Flaw::NotFinite { field, row, value });
        let (lower, upper) = (self.lower[row], self.upper[row]);
        if !self.offset[row].is_finite() {
            return not_finite("offset", self.offset[row]);
        }
        if lower.is_nan() || lower == f64::INFINITY {
            return not_finite("lower", lower);
        }
        if upper.is_nan() || upper == f64::NEG_INFINITY {
            return not_finite("upper", upper);
        }
        if lower > upper {
            return Err(Flaw::EmptyBox { row, lower, upper });
        }
        // Symmetric relative to the diagonal.
        let m = self.rows();
        for column in 0..=row {
            let (entry, mirror) = (self.matrix[row * m + column], self.matrix[column * m + row]);
            if !entry.is_finite() || !mirror.is_finite() {
                return not_finite("matrix", entry + mirror);
            }
            let scale = (self.matrix[row * m + row] * self.matrix[column * m + column]).abs().sqrt();
            let difference = (entry - mirror).abs();
            if difference > 1e-9 * scale.max(f64::MIN_POSITIVE) {
                return Err(Flaw::Asymmetric { row, column, difference });
            }
        }
        // A friction row follows a row that is none itself.
        if let Some(Friction { normal, coefficient }) = self.friction[row] {
            if normal >= m || self.friction[normal].is_some() {
                return Err(Flaw::Normal { row, normal });
            }
            if !(coefficient.is_finite() && coefficient >= 0.0) {
                return not_finite("friction", coefficient);
            }
        }
        Ok(())
    }

    /// The bounds of row `i` given `z`: its own, or `±μ max(z_n, 0)`.
    #[must_use]
    pub fn bounds(&self, i: usize, z: &[f64]) -> (f64, f64) {
        match self.friction[i] {
            Some(Friction { normal, coefficient }) => {
                let bound = coefficient * z[normal].max(0.0);
                (-bound, bound)
            }
            None => (self.lower[i], self.upper[i]),
        }
    }

    /// Writes the slack `w = N z + q`.
    pub fn slack(&self, z: &[f64], w: &mut Vec<f64>) {
        w.clear();
        w.extend((0..self.rows()).map(|i| {
            let product: f64 = self.matrix_row(i).iter().zip(z).map(|(n, z)| n * z).sum();
            product + self.offset[i]
        }));
    }

    /// The natural residual `max_i |z_i − clip(z_i − w_i, lo_i, hi_i)|` with friction bounds taken at `z`.
    ///
    /// Zero exactly at the solutions.
    #[must_use]
    pub fn natural_residual(&self, z: &[f64]) -> f64 {
        let mut w = Vec::with_capacity(self.rows());
        self.slack(z, &mut w);
        self.residual_with(z, &w, |i| self.bounds(i, z))
    }

    /// The natural residual for a known slack and given bounds.
    pub(crate) fn residual_with(&self, z: &[f64], w: &[f64], bounds: impl Fn(usize) -> (f64, f64)) -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..self.rows() {
            let (lower, upper) = bounds(i);
            let entry = (z[i] - clip(z[i] - w[i], lower, upper)).abs();
            // NaN must not be hidden by `max`.
            worst = if entry.is_nan() { f64::INFINITY } else { worst.max(entry) };
        }
        worst
    }
}

/// `value` moved into `[lower, upper]`.
#[must_use]
pub(crate) fn clip(value: f64, lower: f64, upper: f64) -> f64 {
    value.max(lower).min(upper)
}

/// `1 + max |z|`, the scale of the tolerances.
#[must_use]
pub(crate) fn scale(z: &[f64]) -> f64 {
    1.0 + z.iter().fold(0.0_f64, |worst, z| worst.max(z.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_rows() -> Problem {
        Problem::new(vec![2.0, 1.0, 1.0, 3.0], vec![-1.0, 1.0], vec![0.0, 0.0], vec![f64::INFINITY; 2])
    }

    #[test]
    fn residual_vanishes_at_the_solution_only() {
        let problem = two_rows();
        assert_eq!(problem.natural_residual(&[0.5, 0.0]), 0.0);
        assert!(problem.natural_residual(&[0.4, 0.0]) > 0.1);
        assert_eq!(problem.natural_residual(&[f64::NAN, 0.0]), f64::INFINITY);
    }

    #[test]
    fn flaws_are_named() {
        let mut problem = two_rows();
        problem.matrix[1] = 0.0;
        assert!(matches!(problem.check(), Err(Flaw::Asymmetric { row: 1, column: 0, .. })));
        let mut problem = two_rows();
        problem.lower[1] = 2.0;
        problem.upper[1] = 1.0;
        assert!(matches!(problem.check(), Err(Flaw::EmptyBox { row: 1, .. })));
        let mut problem = two_rows();
        problem.offset[0] = f64::NAN;
        assert!(matches!(problem.check(), Err(Flaw::NotFinite { field: "offset", row: 0, .. })));
        let mut problem = two_rows();
        problem.friction[0] = Some(Friction { normal: 0, coefficient: 0.5 });
        assert!(matches!(problem.check(), Err(Flaw::Normal { row: 0, normal: 0 })));
        let mut problem = two_rows();
        problem.ids.pop();
        assert!(matches!(problem.check(), Err(Flaw::Size { field: "ids", .. })));
    }
}
