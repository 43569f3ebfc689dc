//! *Sobol indices* of a sampled design: how much of the variance of a measure comes from each varied name.
//!
//! The measure is fitted by a polynomial in Legendre polynomials P_α of the varied values, scaled to [−1, 1] and orthonormal, by
//! least squares. Then the variance is a sum over the coefficients, and with V = Σ_{α≠0} c_α²
//!
//! ```text
//! S_i = Σ_{α: only α_i ≠ 0} c_α² / V     first order: what i does by itself
//! T_i = Σ_{α: α_i ≠ 0}      c_α² / V     total: what i does by itself and together with others
//! ```
//!
//! The total degree is that with the smallest leave-one-out error ε; `explained` = 1 − ε / variance says how much of the measure
//! the polynomial is. Confidence is that of a jackknife over 20 groups of rows. Rows without a value are left out.
//!
//! References: \[Sudret 2008\] for the indices; \[Blatman & Sudret 2010\] for the leave-one-out error; \[Kott 2001\] for the jackknife.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Highest total degree.
const DEGREE_MAX: usize = 10;

/// Most coefficients.
const TERMS_MAX: usize = 220;

/// Rows for each coefficient, at least.
const ROWS_EACH: usize = 2;

/// Groups of the jackknife.
const GROUPS: usize = 20;

/// The indices of one measure.
#[derive(Debug, Clone, Serialize)]
pub struct Indices {
    /// The measure.
    pub measure: String,
    /// Rows that were used.
    pub rows: usize,
    /// Total degree of the polynomial.
    pub degree: usize,
    /// Which part of the variance the polynomial explains in rows it was not fitted to; below 0.9 the indices say little.
    pub explained: f64,
    /// In the order of the varied names.
    pub names: Vec<Index>,
}

/// The indices of one varied name, with half the width of their intervals of 95 %.
#[derive(Debug, Clone, Serialize)]
pub struct Index {
    /// The varied name.
    pub name: String,
    /// First order.
    pub first: f64,
    /// Half the width of its interval.
    pub first_confidence: f64,
    /// Total.
    pub total: f64,
    /// Half the width of its interval.
    pub total_confidence: f64,
}

/// The indices of a measure `y` at places between 0 and 1, row by row; `None` where rows are too few, or the measure does not change.
pub fn indices(measure: &str, names: &[String], places: &[Vec<f64>], y: &[f64]) -> Option<Indices> {
    // A measure that does not change has no shares of its variance.
    let n = y.len();
    let mean = y.iter().sum::<f64>() / n as f64;
    let variance = y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / n as f64;
    if n < 2 * GROUPS || variance <= 1e-24 * mean * mean {
        return None;
    }
    // The degree with the smallest leave-one-out error.
    let target = DVector::from_iterator(n, y.iter().map(|y| y - mean));
    let mut best: Option<(f64, usize, Vec<Vec<usize>>, DMatrix<f64>)> = None;
    for degree in 1..=DEGREE_MAX {
        let terms = exponents(names.len(), degree);
        if terms.len() > TERMS_MAX || terms.len() * ROWS_EACH > n {
            break;
        }
        let basis = basis(&terms, places);
        let Some(error) = left_out(&basis, &target) else { continue };
        if best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, degree, terms, basis));
        }
    }
    let (error, degree, terms, basis) = best?;
    // Indices of all rows, and of all but each group.
    let groups: Vec<Normal> = (0..GROUPS).map(|group| Normal::of_group(&basis, &target, group)).collect();
    let whole = groups.iter().fold(Normal::new(terms.len()), |sum, group| sum.and(1.0, group));
    let all = shares(&terms, names.len(), &whole.solved()?);
    let without = |group: &Normal| Some(shares(&terms, names.len(), &whole.clone().and(-1.0, group).solved()?));
    let jackknife: Vec<Vec<[f64; 2]>> = groups.iter().filter_map(without).collect();
    let groups = jackknife.len() as f64;
    // Intervals by the jackknife over the groups.
    let t = StudentsT::new(0.0, 1.0, (groups - 1.0).max(1.0)).map_or(2.1, |t| t.inverse_cdf(0.975));
    let confidence = |i: usize, k: usize| {
        let mean = jackknife.iter().map(|s| s[i][k]).sum::<f64>() / groups;
        let squares = jackknife.iter().map(|s| (s[i][k] - mean).powi(2)).sum::<f64>();
        t * ((groups - 1.0) / groups * squares).sqrt()
    };
    // The indices of each name.
    let index = |(i, name): (usize, &String)| Index {
        name: name.clone(),
        first: all[i][0],
        first_confidence: confidence(i, 0),
        total: all[i][1],
        total_confidence: confidence(i, 1),
    };
    let names = names.iter().enumerate().map(index).collect();
    Some(Indices { measure: measure.to_owned(), rows: n, degree, explained: 1.0 - error / variance, names })
}

/// All exponents of so many variables up to a total degree, the constant first.
fn exponents(variables: usize, degree: usize) -> Vec<Vec<usize>> {
    let mut out = vec![vec![]];
    for _ in 0..variables {
        let longer = out.iter().flat_map(|term: &Vec<usize>| {
            let left = degree - term.iter().sum::<usize>();
            (0..=left).map(move |power| [term.as_slice(), &[power]].concat())
        });
        out = longer.take(TERMS_MAX * 8).collect();
    }
    out.sort_by_key(|term| term.iter().sum::<usize>());
    out
}

/// Every term at every row.
fn basis(terms: &[Vec<usize>], places: &[Vec<f64>]) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(places.len(), terms.len());
    for (row, place) in places.iter().enumerate() {
        let values: Vec<[f64; DEGREE_MAX + 1]> = place.iter().map(|u| legendre(2.0 * u - 1.0)).collect();
        for (column, term) in terms.iter().enumerate() {
            out[(row, column)] = term.iter().zip(&values).map(|(power, values)| values[*power]).product();
        }
    }
    out
}

/// Legendre polynomials, orthonormal for a variable that is uniform over [−1, 1].
fn legendre(x: f64) -> [f64; DEGREE_MAX + 1] {
    let mut p = [1.0; DEGREE_MAX + 1];
    p[1] = x;
    for k in 1..DEGREE_MAX {
        let n = k as f64;
        p[k + 1] = ((2.0 * n + 1.0) * x * p[k] - n * p[k - 1]) / (n + 1.0);
    }
    for (k, value) in p.iter_mut().enumerate() {
        *value *= (2.0 * k as f64 + 1.0).sqrt();
    }
    p
}

/// Mean square of the errors at rows that were left out one by one.
fn left_out(basis: &DMatrix<f64>, y: &DVector<f64>) -> Option<f64> {
    let qr = basis.clone().qr();
    let (q, r) = (qr.q(), qr.r());
    if r.diagonal().iter().any(|d| d.abs() < 1e-10 * r[(0, 0)].abs()) {
        return None;
    }
    let residual = y - &q * (q.transpose() * y);
    let squares = (0..y.len()).map(|i| {
        let leverage = q.row(i).norm_squared();
        (residual[i] / (1.0 - leverage).max(1e-12)).powi(2)
    });
    Some(squares.sum::<f64>() / y.len() as f64)
}

/// The normal equations of least squares over some of the rows: BᵀB c = Bᵀy. They are sums over rows, so that those of all rows but a group are a
/// difference, and no row is looked at twice.
#[derive(Debug, Clone)]
struct Normal {
    /// BᵀB, of which the lower triangle is filled.
    left: DMatrix<f64>,
    right: DVector<f64>,
}

impl Normal {
    fn new(terms: usize) -> Normal {
        Normal { left: DMatrix::zeros(terms, terms), right: DVector::zeros(terms) }
    }

    /// Of the rows of one group of the jackknife.
    fn of_group(basis: &DMatrix<f64>, y: &DVector<f64>, group: usize) -> Normal {
        let mut normal = Normal::new(basis.ncols());
        for row in (group..y.len()).step_by(GROUPS) {
            let values = basis.row(row).transpose();
            normal.left.syger(1.0, &values, &values, 1.0);
            normal.right.axpy(y[row], &values, 1.0);
        }
        normal
    }

    /// With so many times the rows of another.
    fn and(mut self, times: f64, other: &Normal) -> Normal {
        self.left.zip_apply(&other.left, |sum, part| *sum += times * part);
        self.right.axpy(times, &other.right, 1.0);
        self
    }

    /// The coefficients.
    fn solved(&self) -> Option<DVector<f64>> {
        let mut left = self.left.clone();
        left.fill_upper_triangle_with_lower_triangle();
        Some(left.cholesky()?.solve(&self.right))
    }
}

/// First-order and total share of each variable in the variance.
fn shares(terms: &[Vec<usize>], variables: usize, c: &DVector<f64>) -> Vec<[f64; 2]> {
    let squares: Vec<(&Vec<usize>, f64)> =
        terms.iter().zip(c.iter().map(|c| c * c)).filter(|(t, _)| t.iter().any(|p| *p > 0)).collect();
    let variance: f64 = squares.iter().map(|(_, square)| square).sum();
    let share = |i: usize| {
        let total: f64 = squares.iter().filter(|(term, _)| term[i] > 0).map(|(_, s)| s).sum();
        let is_alone = |term: &Vec<usize>| term.iter().enumerate().all(|(j, power)| (*power > 0) == (i == j));
        let first: f64 = squares.iter().filter(|(term, _)| is_alone(term)).map(|(_, s)| s).sum();
        [first / variance, total / variance]
    };
    (0..variables).map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Design;
    use crate::vary::{Vary, number};

    /// The function of Ishigami and Homma, whose indices are known in closed form: 0.3139, 0.4424, 0 and 0.5576, 0.4424, 0.2437.
    #[test]
    fn the_indices_of_ishigami_are_found() {
        let varies: Vec<Vary> =
            ["m.a=lin:0:1", "m.b=lin:0:1", "m.c=lin:0:1"].iter().map(|t| t.parse().expect("a range")).collect();
        let points = Design::Sobol { samples: 1000, seed: 0 }.points(&varies);
        let places: Vec<Vec<f64>> = points.map(|p| p.iter().filter_map(number).collect()).collect();
        let y: Vec<f64> = places
            .iter()
            .map(|u| {
                let x: Vec<f64> = u.iter().map(|u| std::f64::consts::PI * (2.0 * u - 1.0)).collect();
                x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin()
            })
            .collect();
        let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        let found = indices("y", &names, &places, &y).expect("indices");
        assert!(found.explained > 0.99, "{found:?}");
        for (index, (first, total)) in found.names.iter().zip([(0.3139, 0.5576), (0.4424, 0.4424), (0.0, 0.2437)]) {
            assert!((index.first - first).abs() < 0.01 && (index.total - total).abs() < 0.01, "{index:?}");
            assert!((index.first - first).abs() < 3.0 * index.first_confidence + 1e-3, "{index:?}");
        }
    }

    #[test]
    fn noise_is_explained_by_nothing() {
        let varies: Vec<Vary> = ["m.a=lin:0:1", "m.b=lin:0:1"].iter().map(|t| t.parse().expect("a range")).collect();
        let points = Design::Lhs { samples: 200, seed: 0 }.points(&varies);
        let places: Vec<Vec<f64>> = points.map(|p| p.iter().filter_map(number).collect()).collect();
        let y: Vec<f64> = places.iter().map(|u| (u[0] * 1e9).sin()).collect();
        let found = indices("y", &["a".to_owned(), "b".to_owned()], &places, &y).expect("indices");
        assert!(found.explained < 0.3, "{found:?}");
        // Each group that is left out makes other indices of noise.
        assert!(found.names.iter().all(|index| index.first_confidence > 0.05), "{found:?}");
    }
}
