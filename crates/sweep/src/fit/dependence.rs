//! Dependence of residuals on each other: a test of each variable, and the correlation that intervals take into account.
//!
//! The test is that of Breusch and Godfrey with q lags. The residuals of a variable are regressed on their derivatives, and then
//! on the derivatives and the q residuals before. For N independent residuals,
//!
//! ```text
//! LM = N (1 − RSS_lags/RSS)
//! ```
//!
//! has the χ² distribution with q degrees of freedom. Where this is improbable, the residuals are described by an autoregressive
//! process: its coefficients solve the equations of Yule and Walker, its order has the smallest BIC.
//!
//! References: \[Breusch 1978\], \[Godfrey 1978\] for the test; \[Seber & Wild 1989\], chapter 6, for regression with
//! autoregressive errors; \[Schwarz 1978\] for BIC.

use nalgebra::{DMatrix, DVector, DVectorView};
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Lags of the test.
const LAGS: usize = 4;

/// Probability below which residuals are taken to depend on each other.
const P_VALUE_MIN: f64 = 0.01;

/// Largest order of the process.
const ORDER_MAX: usize = 10;

/// Correlations below this are left out.
const CORRELATION_MIN: f64 = 1e-4;

/// The test of Breusch and Godfrey on the residuals of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Dependence {
    /// Lags q.
    pub lags: usize,
    /// LM = N (1 − RSS_lags/RSS).
    pub statistic: f64,
    /// Probability of such a statistic, or a larger one, for independent residuals.
    pub p_value: f64,
}

impl Dependence {
    /// Of the residuals of a variable and their derivatives; `None` where there are too few values, or residuals without size.
    pub fn of(residual: &DVector<f64>, derivatives: &DMatrix<f64>) -> Option<Dependence> {
        let n = residual.len();
        if n < derivatives.ncols() + 3 * LAGS {
            return None;
        }
        // Derivatives first, then residuals of the times before, which are zero before the first.
        let mut columns: Vec<DVector<f64>> = derivatives.column_iter().map(|c| c.into_owned()).collect();
        let without = rest(&columns, residual);
        for lag in 1..=LAGS {
            columns.push(DVector::from_fn(n, |i, _| if i < lag { 0.0 } else { residual[i - lag] }));
        }
        let with = rest(&columns, residual);
        // Nothing is left of residuals that are rounding.
        if without <= 1e-24 * (1.0 + residual.norm_squared()) {
            return None;
        }
        let statistic = n as f64 * (1.0 - with / without).max(0.0);
        let p_value = ChiSquared::new(LAGS as f64).ok()?.sf(statistic);
        Some(Dependence { lags: LAGS, statistic, p_value })
    }

    /// Whether residuals depend on each other.
    pub fn is_seen(&self) -> bool {
        self.p_value < P_VALUE_MIN
    }
}

/// Sum of squares that a regression on columns leaves: Gram and Schmidt, twice for rounding.
fn rest(columns: &[DVector<f64>], of: &DVector<f64>) -> f64 {
    let mut basis: Vec<DVector<f64>> = Vec::new();
    let project = |basis: &[DVector<f64>], x: &mut DVector<f64>| {
        for _ in 0..2 {
            basis.iter().for_each(|q| *x -= q * q.dot(x));
        }
    };
    for column in columns {
        let (mut x, length) = (column.clone(), column.norm());
        project(&basis, &mut x);
        // A column that follows from those before adds nothing.
        if x.norm() > 1e-10 * length {
            basis.push(x.normalize());
        }
    }
    let mut x = of.clone();
    project(&basis, &mut x);
    x.norm_squared()
}

/// Correlations of residuals at lags 0, 1, … by the autoregressive process that describes them best; \[1\] for white noise.
fn correlations(residual: DVectorView<'_, f64>) -> Vec<f64> {
    let n = residual.len();
    let most = ORDER_MAX.min(n / 10);
    let covariance = |k: usize| residual.rows(0, n - k).dot(&residual.rows(k, n - k)) / n as f64;
    let known: Vec<f64> = (0..=most).map(covariance).collect();
    // Levinson and Durbin: the coefficients of one order from those of the order before.
    let (mut phi, mut variance): (Vec<f64>, f64) = (Vec::new(), known[0]);
    let bic = |variance: f64, order: usize| n as f64 * variance.ln() + order as f64 * (n as f64).ln();
    let (mut best, mut least) = (Vec::new(), bic(variance, 0));
    for order in 1..=most {
        let before: f64 = phi.iter().enumerate().map(|(j, f)| f * known[order - 1 - j]).sum();
        let last = (known[order] - before) / variance;
        phi = (0..order - 1).map(|j| phi[j] - last * phi[order - 2 - j]).chain([last]).collect();
        variance *= 1.0 - last * last;
        if bic(variance, order) < least {
            (best, least) = (phi.clone(), bic(variance, order));
        }
    }
    // The process has the correlations that were found up to its order, and its own recursion beyond.
    let p = best.len();
    let mut rho: Vec<f64> = known[..=p].iter().map(|c| c / known[0]).collect();
    while rho.len() < n && rho[rho.len() - p.max(1)..].iter().any(|r| r.abs() > CORRELATION_MIN) && p > 0 {
        let k = rho.len();
        rho.push(best.iter().enumerate().map(|(j, f)| f * rho[k - 1 - j]).sum());
    }
    rho
}

/// The correlation matrix R of all residuals: one block of each variable.
pub struct Correlation {
    /// Number of values of each variable, the test, and correlations at lags 0, 1, ….
    blocks: Vec<(usize, Option<Dependence>, Vec<f64>)>,
}

impl Correlation {
    /// Of residuals and their derivatives; `lengths` are the numbers of values of the variables.
    pub fn of(residual: &DVector<f64>, derivatives: &DMatrix<f64>, lengths: &[usize]) -> Correlation {
        let mut first = 0;
        let block = |n: &usize| {
            let (own, rows) = (residual.rows(first, *n), derivatives.rows(first, *n).into_owned());
            first += n;
            let test = Dependence::of(&own.into_owned(), &rows);
            let rho = if test.is_some_and(|t| t.is_seen()) { correlations(own) } else { vec![1.0] };
            (*n, test, rho)
        };
        Correlation { blocks: lengths.iter().map(block).collect() }
    }

    /// The test of each variable.
    pub fn tests(&self) -> Vec<Option<Dependence>> {
        self.blocks.iter().map(|(_, test, _)| *test).collect()
    }

    /// R times columns.
    pub fn times(&self, columns: &DMatrix<f64>) -> DMatrix<f64> {
        let mut out = columns.clone();
        let mut first = 0;
        for (n, _, rho) in &self.blocks {
            for (k, rho) in rho.iter().enumerate().skip(1) {
                let count = n - k;
                let (early, late) = (columns.rows(first, count), columns.rows(first + k, count));
                out.rows_mut(first, count).zip_apply(&late, |x, y| *x += rho * y);
                out.rows_mut(first + k, count).zip_apply(&early, |x, y| *x += rho * y);
            }
            first += n;
        }
        out
    }

    /// Trace of R².
    pub fn square_trace(&self) -> f64 {
        let pairs = |n: usize, k: usize| if k == 0 { n } else { 2 * (n - k) } as f64;
        let block = |(n, _, rho): &(usize, Option<Dependence>, Vec<f64>)| -> f64 {
            rho.iter().enumerate().map(|(k, rho)| pairs(*n, k) * rho * rho).sum()
        };
        self.blocks.iter().map(block).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::statistics::Spread;

    /// Normal numbers by the sum of twelve uniform ones from a multiplicative generator.
    struct Noise(u64);

    impl Noise {
        fn normal(&mut self) -> f64 {
            let mut unit = || {
                self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (self.0 >> 11) as f64 / (1u64 << 53) as f64
            };
            (0..12).map(|_| unit()).sum::<f64>() - 6.0
        }

        /// x_k = ρ x_{k−1} + noise, of variance 1.
        fn process(&mut self, rho: f64, n: usize) -> Vec<f64> {
            let mut x = self.normal();
            (0..n)
                .map(|_| {
                    x = rho * x + (1.0 - rho * rho).sqrt() * self.normal();
                    x
                })
                .collect()
        }
    }

    /// Derivatives of two variables by three parameters: damped waves.
    fn derivatives(n: usize) -> DMatrix<f64> {
        DMatrix::from_fn(2 * n, 3, |i, k| {
            let t = 0.04 * (i % n) as f64;
            let wave = (3.0 + k as f64) * t + (i / n) as f64;
            (-0.2 * t).exp() * if k == 2 { t * wave.cos() } else { wave.sin() }
        })
    }

    /// Of 300 repetitions with noise of correlation ρ: the share of intervals of 95 % that hold the true value, and of tests
    /// that see a dependence.
    fn shares(rho: f64) -> [f64; 2] {
        const N: usize = 100;
        let (j, mut random) = (derivatives(N), Noise(7));
        let spread = Spread::of(&j).expect("a spread");
        let (mut held, mut seen) = (0, 0);
        for _ in 0..300 {
            let noise = DVector::from_vec([random.process(rho, N), random.process(rho, N)].concat());
            let off = &spread.inverse * (j.transpose() * &noise);
            let residual = &noise - &j * &off;
            let found = Correlation::of(&residual, &j, &[N, N]);
            seen += found.tests().iter().filter(|test| test.is_some_and(|t| t.is_seen())).count();
            let known = spread.uncertainty(&j, &residual, &found);
            held += (0..3).filter(|i| off[*i].abs() <= known.quantile() * known.covariance[(*i, *i)].sqrt()).count();
        }
        [held as f64 / 900.0, seen as f64 / 600.0]
    }

    #[test]
    fn intervals_hold_for_white_and_for_coloured_noise() {
        let [white, coloured] = [0.0, 0.8].map(shares);
        println!("white: {white:?}, of correlation 0.8: {coloured:?}");
        assert!((0.93..=0.97).contains(&white[0]) && white[1] < 0.03, "{white:?}");
        assert!((0.9..=0.97).contains(&coloured[0]) && coloured[1] > 0.99, "{coloured:?}");
    }

    /// R of a process of order 1 is ρ^|i−j|, of order 0 the unit matrix.
    #[test]
    fn the_correlation_of_a_process_is_found() {
        let x = DVector::from_vec(Noise(3).process(0.8, 20_000));
        let rho = correlations(x.rows(0, x.len()));
        for k in 0..8 {
            assert!((rho[k] - 0.8_f64.powi(k as i32)).abs() < 0.03, "lag {k}: {}", rho[k]);
        }
        let own = Correlation { blocks: vec![(2, None, vec![1.0]), (3, None, vec![1.0, 0.5, 0.25])] };
        let full = own.times(&DMatrix::identity(5, 5));
        let expected = |i: usize, j: usize| match (i < 2, j < 2) {
            (true, true) => f64::from(u8::from(i == j)),
            (false, false) => 0.5_f64.powi(i.abs_diff(j) as i32),
            _ => 0.0,
        };
        assert_eq!(full, DMatrix::from_fn(5, 5, expected));
        assert_eq!(own.square_trace(), (&full * &full).trace());
    }
}
