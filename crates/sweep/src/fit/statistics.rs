//! Statistics of a fit: covariance, intervals, and the parameters that the data cannot tell apart.
//!
//! With the residual r of m values, its derivatives J by n parameters, G = (JᵀJ)⁻¹ by the singular values of J with columns of
//! length 1, M = I − J G Jᵀ, and the correlation matrix R of the residuals,
//!
//! ```text
//! covariance = s² G JᵀRJ G,   s² = |r|²/tr(MR),   degrees of freedom = tr(MR)²/tr(MRMR)
//! ```
//!
//! For independent residuals, R = I, this is s² G with s² = |r|²/(m − n) and m − n degrees of freedom.
//!
//! References: \[Seber & Wild 1989\], section 2.1 and chapter 6; \[Satterthwaite 1946\] for the degrees of freedom.

use nalgebra::{DMatrix, DVector};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::dependence::Correlation;

/// A correlation beyond which two parameters are not told apart.
const CORRELATION_MAX: f64 = 0.99;

/// Ratio of the smallest to the largest singular value below which parameters are not told apart together.
const SINGULAR_MIN: f64 = 1e-3;

/// (JᵀJ)⁻¹, and the direction that the data say least about with the ratio of its singular value to the largest.
pub struct Spread {
    /// (JᵀJ)⁻¹.
    pub inverse: DMatrix<f64>,
    /// Shares of the parameters in the direction.
    pub weakest: DVector<f64>,
    /// Smallest singular value by the largest.
    pub ratio: f64,
}

impl Spread {
    /// Of derivatives with columns that are not zero; `None` where there is no decomposition.
    pub fn of(jacobian: &DMatrix<f64>) -> Option<Spread> {
        let n = jacobian.ncols();
        let lengths: Vec<f64> = jacobian.column_iter().map(|c| c.norm().max(f64::MIN_POSITIVE)).collect();
        let mut scaled = jacobian.clone();
        lengths.iter().enumerate().for_each(|(i, length)| scaled.column_mut(i).unscale_mut(*length));
        let svd = scaled.svd(false, true);
        let v = svd.v_t?.transpose();
        let s = &svd.singular_values;
        let inverse = DMatrix::from_fn(n, n, |i, j| {
            let sum: f64 = (0..n).map(|k| v[(i, k)] * v[(j, k)] / (s[k] * s[k]).max(1e-30)).sum();
            sum / (lengths[i] * lengths[j])
        });
        let (least, largest) = (s.imin(), s.max());
        Some(Spread { inverse, weakest: v.column(least).into_owned(), ratio: s[least] / largest })
    }

    /// Covariance of the parameters for residuals at a minimum with derivatives `j` and correlation R.
    pub fn uncertainty(&self, j: &DMatrix<f64>, residual: &DVector<f64>, correlation: &Correlation) -> Uncertainty {
        let (g, m) = (&self.inverse, residual.len() as f64);
        let rj = correlation.times(j);
        let middle = g * (j.transpose() * &rj);
        // tr(MR) and tr(MRMR) without any matrix of m rows and columns.
        let trace = (m - middle.trace()).max(1.0);
        let square =
            correlation.square_trace() - 2.0 * (g * (rj.transpose() * &rj)).trace() + (&middle * &middle).trace();
        let freedom = (trace * trace / square.max(f64::MIN_POSITIVE)).clamp(1.0, m);
        Uncertainty { covariance: &middle * g * (residual.norm_squared() / trace), freedom }
    }

    /// Sentences about parameters that the data cannot tell apart.
    pub fn words(&self, names: &[String]) -> Vec<String> {
        // Pairs by their correlation.
        let mut words = Vec::new();
        for i in 0..names.len() {
            for j in 0..i {
                let c = &self.inverse;
                let correlation = c[(i, j)] / (c[(i, i)] * c[(j, j)]).sqrt();
                if correlation.abs() > CORRELATION_MAX {
                    let (a, b) = (&names[j], &names[i]);
                    words.push(format!(
                        "`{a}` and `{b}` cannot be told apart by this data (correlation {correlation:.4})"
                    ));
                }
            }
        }
        // The direction in which data say least may have more than two parameters, which no pair shows.
        let together: Vec<String> = names
            .iter()
            .zip(self.weakest.iter())
            .filter(|(_, v)| v.abs() > 0.2)
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        if words.is_empty() && self.ratio < SINGULAR_MIN && together.len() > 2 {
            words.push(format!("{} cannot be told apart together by this data", together.join(", ")));
        }
        words
    }
}

/// What residuals leave uncertain of the parameters.
pub struct Uncertainty {
    /// Covariance of the parameters.
    pub covariance: DMatrix<f64>,
    /// Degrees of freedom of the variance.
    pub freedom: f64,
}

impl Uncertainty {
    /// Half the width of an interval of 95 % in standard deviations, by the distribution of Student.
    pub fn quantile(&self) -> f64 {
        StudentsT::new(0.0, 1.0, self.freedom).map_or(1.96, |t| t.inverse_cdf(0.975))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A straight line over t = 0 … 9: variances of slope and offset are known in closed form.
    #[test]
    fn a_line_has_the_variances_of_the_textbook() {
        let j = DMatrix::from_fn(10, 2, |i, k| if k == 0 { i as f64 } else { 1.0 });
        let spread = Spread::of(&j).expect("a spread");
        // Σ(t − mean)² = 82.5, mean = 4.5.
        assert!((spread.inverse[(0, 0)] - 1.0 / 82.5).abs() < 1e-14);
        assert!((spread.inverse[(1, 1)] - (0.1 + 4.5 * 4.5 / 82.5)).abs() < 1e-13);
        assert!(spread.words(&["a".to_owned(), "b".to_owned()]).is_empty());
        let twins = DMatrix::from_fn(10, 2, |i, k| i as f64 * (1.0 + k as f64) + if i == 3 { 1e-3 } else { 0.0 });
        let words = Spread::of(&twins).expect("a spread").words(&["a".to_owned(), "b".to_owned()]);
        assert!(words[0].contains("`a` and `b` cannot be told apart"), "{words:?}");
    }
}
