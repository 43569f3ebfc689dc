//! Least squares in the box [0, 1]ⁿ by the method of Levenberg and Marquardt with an active set: variables at a bound that the
//! gradient presses against it stay there for a step, and steps are cut off at the bounds.
//!
//! ```text
//! (JᵀJ + λ diag(JᵀJ)) δ = −Jᵀ r        over the variables that are free
//! ```
//!
//! All residuals that are needed at the same time are asked for at the same time: those of the differences of J, and those of several
//! damping factors λ.
//!
//! References: \[Moré 1978\] for scaling and the test of the gradient; \[Kanzow, Yamashita & Fukushima 2004\] for the projected steps.

use nalgebra::{DMatrix, DVector};

/// Step of the differences, as a part of the range of a variable.
const STEP: f64 = 1e-4;

/// Steps at most.
const STEPS_MAX: usize = 60;

/// Relative reduction of the sum of squares below which it has ended.
const REDUCTION_MIN: f64 = 1e-10;

/// Cosine between the residual and each column of J below which it has ended.
const COSINE_MIN: f64 = 1e-8;

/// Residuals at several points at once; `None` where a run failed.
pub type Evaluate<'e> = dyn FnMut(&[DVector<f64>]) -> Vec<Option<DVector<f64>>> + 'e;

/// A minimum.
#[derive(Debug, Clone)]
pub struct Minimum {
    /// Where.
    pub z: DVector<f64>,
    /// The residual there.
    pub residual: DVector<f64>,
    /// Its derivatives there.
    pub jacobian: DMatrix<f64>,
    /// Whether a test of convergence was met.
    pub is_converged: bool,
}

impl Minimum {
    /// Half the sum of squares.
    pub fn cost(&self) -> f64 {
        0.5 * self.residual.norm_squared()
    }

    /// `lower` or `upper` where a variable is at a bound.
    pub fn bound(&self, i: usize) -> Option<&'static str> {
        match self.z[i] {
            z if z <= 0.0 => Some("lower"),
            z if z >= 1.0 => Some("upper"),
            _ => None,
        }
    }

    /// Variables that are not at a bound.
    pub fn inner(&self) -> Vec<usize> {
        (0..self.z.len()).filter(|i| self.bound(*i).is_none()).collect()
    }
}

/// Derivatives of the residual by central differences, at a bound by one-sided ones of the same order.
pub fn jacobian(evaluate: &mut Evaluate<'_>, z: &DVector<f64>, r: &DVector<f64>) -> Option<DMatrix<f64>> {
    let shifted = |i: usize, by: f64| {
        let mut point = z.clone();
        point[i] += by;
        point
    };
    // Two points for each variable.
    let side = |i: usize| match z[i] {
        at if at - STEP < 0.0 => [STEP, 2.0 * STEP],
        at if at + STEP > 1.0 => [-STEP, -2.0 * STEP],
        _ => [-STEP, STEP],
    };
    let points: Vec<DVector<f64>> = (0..z.len()).flat_map(|i| side(i).map(|by| shifted(i, by))).collect();
    let values: Option<Vec<DVector<f64>>> = evaluate(&points).into_iter().collect();
    let values = values?;
    let columns: Vec<DVector<f64>> = (0..z.len())
        .map(|i| {
            let ([a, b], near, far) = (side(i), &values[2 * i], &values[2 * i + 1]);
            if a + b == 0.0 { (far - near) / (2.0 * STEP) } else { (near * 4.0 - far - r * 3.0) / b }
        })
        .collect();
    Some(DMatrix::from_columns(&columns))
}

/// Goes down from a point; `None` where a run there fails.
pub fn minimise(evaluate: &mut Evaluate<'_>, start: &DVector<f64>) -> Option<Minimum> {
    let residual = evaluate(std::slice::from_ref(start)).pop().flatten()?;
    let jacobian_at = jacobian(evaluate, start, &residual)?;
    let mut at = Minimum { z: start.clone(), residual, jacobian: jacobian_at, is_converged: false };
    let mut lambda = 1e-3;
    for _ in 0..STEPS_MAX {
        // Who is free, and whether anything is left to gain.
        let gradient = at.jacobian.transpose() * &at.residual;
        let is_free = |i: usize| !(at.z[i] <= 0.0 && gradient[i] > 0.0 || at.z[i] >= 1.0 && gradient[i] < 0.0);
        let free: Vec<usize> = (0..at.z.len()).filter(|i| is_free(*i)).collect();
        let norm = at.residual.norm();
        let cosine = |i: &usize| gradient[*i].abs() / (at.jacobian.column(*i).norm() * norm).max(f64::MIN_POSITIVE);
        if norm == 0.0 || free.iter().all(|i| cosine(i) < COSINE_MIN) {
            at.is_converged = true;
            break;
        }
        // Several damping factors at once, and larger ones where none of them goes down.
        let mut next = None;
        for _ in 0..4 {
            let lambdas = [lambda * 0.1, lambda, lambda * 10.0, lambda * 100.0];
            let points: Vec<DVector<f64>> = lambdas.iter().map(|l| stepped(&at, &gradient, &free, *l)).collect();
            let values = evaluate(&points);
            let known = values.into_iter().zip(points).zip(lambdas).filter_map(|((r, z), l)| Some((r?, z, l)));
            let best = known.filter(|(r, ..)| r.norm().is_finite()).min_by(|a, b| a.0.norm().total_cmp(&b.0.norm()));
            match best {
                Some((r, z, l)) if r.norm() < norm => {
                    next = Some((r, z));
                    lambda = (l * 0.3).max(1e-12);
                    break;
                }
                _ => lambda *= 1e3,
            }
        }
        let Some((residual, z)) = next else {
            // No step goes down: as low as rounding lets it be.
            at.is_converged = true;
            break;
        };
        let reduction = 1.0 - residual.norm_squared() / (norm * norm);
        let jacobian_at = jacobian(evaluate, &z, &residual)?;
        at = Minimum { z, residual, jacobian: jacobian_at, is_converged: reduction < REDUCTION_MIN };
        if at.is_converged {
            break;
        }
    }
    Some(at)
}

/// The point that a damped step over the free variables leads to.
fn stepped(at: &Minimum, gradient: &DVector<f64>, free: &[usize], lambda: f64) -> DVector<f64> {
    let j = at.jacobian.select_columns(free);
    let mut normal = j.transpose() * &j;
    for i in 0..free.len() {
        normal[(i, i)] += lambda * normal[(i, i)].max(f64::MIN_POSITIVE) + 1e-14;
    }
    let right = DVector::from_iterator(free.len(), free.iter().map(|i| -gradient[*i]));
    let mut z = at.z.clone();
    if let Some(step) = normal.cholesky().map(|c| c.solve(&right)) {
        for (k, i) in free.iter().enumerate() {
            z[*i] = (z[*i] + step[k]).clamp(0.0, 1.0);
        }
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley from its classical start, both coordinates scaled from [−2, 2].
    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        let mut evaluate = |points: &[DVector<f64>]| {
            let residual = |z: &DVector<f64>| {
                let (x, y) = (4.0 * z[0] - 2.0, 4.0 * z[1] - 2.0);
                Some(DVector::from_vec(vec![10.0 * (y - x * x), 1.0 - x]))
            };
            points.iter().map(residual).collect()
        };
        let found = minimise(&mut evaluate, &DVector::from_vec(vec![0.2, 0.75])).expect("a minimum");
        assert!((4.0 * found.z[0] - 3.0).abs() < 1e-6 && (4.0 * found.z[1] - 3.0).abs() < 1e-6, "{found:?}");
    }

    /// A line whose best slope is out of bounds: it ends at the bound, and the other variable is the best for that.
    #[test]
    fn a_bound_is_kept() {
        let mut evaluate = |points: &[DVector<f64>]| {
            let residual = |z: &DVector<f64>| {
                Some(DVector::from_iterator(5, (0..5).map(|t| z[0] * f64::from(t) + z[1] - 2.0 * f64::from(t))))
            };
            points.iter().map(residual).collect()
        };
        let found = minimise(&mut evaluate, &DVector::from_vec(vec![0.3, 0.1])).expect("a minimum");
        assert!(found.is_converged && found.z[0] == 1.0 && found.z[1] == 1.0, "{found:?}");
    }
}
