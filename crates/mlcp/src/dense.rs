//! Factorisations of small dense matrices in place, row-major, without allocation.
//!
//! `G = L Lᵀ` (Cholesky) for symmetric positive definite matrices, `P G = L U` with row pivoting otherwise.

/// The pivot at which a factorisation broke down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breakdown {
    /// Row of the factored matrix.
    pub row: usize,
    /// The pivot: not positive (Cholesky), or zero (LU).
    pub pivot: f64,
}

/// A pivot below this fraction of its diagonal entry is rounding error.
pub const PIVOT_FRACTION: f64 = 1e-14;

/// Replaces the lower triangle of the n × n matrix `a` by its Cholesky factor.
///
/// # Errors
/// [`Breakdown`] when a pivot is not above [`PIVOT_FRACTION`] of its diagonal entry.
pub fn cholesky(a: &mut [f64], n: usize) -> Result<(), Breakdown> {
    for i in 0..n {
        let (above, from_i) = a.split_at_mut(i * n);
        let row = &mut from_i[..n];
        for j in 0..i {
            let other = &above[j * n..j * n + j + 1];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let diagonal = row[i];
        let pivot = diagonal - dot(&row[..i], &row[..i]);
        if !(pivot > PIVOT_FRACTION * diagonal.abs()) {
            return Err(Breakdown { row: i, pivot });
        }
        row[i] = pivot.sqrt();
    }
    Ok(())
}

/// Solves `L Lᵀ x = b` in place.
pub fn cholesky_solve(l: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        b[i] = (b[i] - dot(&l[i * n..i * n + i], &b[..i])) / l[i * n + i];
    }
    for i in (0..n).rev() {
        b[i] /= l[i * n + i];
        let value = b[i];
        for (b, l) in b[..i].iter_mut().zip(&l[i * n..i * n + i]) {
            *b -= l * value;
        }
    }
}

/// Replaces the n × n matrix `a` by its LU factors and writes the row exchanges.
///
/// # Errors
/// [`Breakdown`] when a pivot is not above [`PIVOT_FRACTION`] of the largest entry.
pub fn lu(a: &mut [f64], n: usize, exchange: &mut Vec<usize>) -> Result<(), Breakdown> {
    let largest = a[..n * n].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    exchange.clear();
    for k in 0..n {
        // The largest entry of the column is the pivot.
        let mut best = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[best * n + k].abs() {
                best = i;
            }
        }
        let pivot = a[best * n + k];
        if !(pivot.abs() > PIVOT_FRACTION * largest) {
            return Err(Breakdown { row: k, pivot });
        }
        // Rows change places, the factors found so far with them.
        exchange.push(best);
        if best != k {
            for j in 0..n {
                a.swap(k * n + j, best * n + j);
            }
        }
        // The column of L, and what it takes from the rows below.
        let (above, below) = a.split_at_mut((k + 1) * n);
        let pivot_row = &above[k * n..];
        for row in below.chunks_exact_mut(n).take(n - k - 1) {
            let factor = row[k] / pivot;
            row[k] = factor;
            for (entry, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..n]) {
                *entry -= factor * p;
            }
        }
    }
    Ok(())
}

/// Solves `G x = b` in place with the factors of [`lu`].
pub fn lu_solve(a: &[f64], n: usize, exchange: &[usize], b: &mut [f64]) {
    for (k, &other) in exchange.iter().enumerate() {
        b.swap(k, other);
    }
    for i in 0..n {
        b[i] -= dot(&a[i * n..i * n + i], &b[..i]);
    }
    for i in (0..n).rev() {
        b[i] = (b[i] - dot(&a[i * n + i + 1..(i + 1) * n], &b[i + 1..n])) / a[i * n + i];
    }
}

/// Inner product of two slices of equal length, in four partial sums the compiler can keep side by side.
#[must_use]
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 9] = [4.0, 1.0, -1.0, 1.0, 3.0, 0.5, -1.0, 0.5, 2.0];

    fn residual(a: &[f64], x: &[f64], b: &[f64]) -> f64 {
        (0..3).map(|i| (dot(&a[3 * i..3 * i + 3], x) - b[i]).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn both_factorisations_solve() {
        let b = [1.0, -2.0, 0.5];
        let (mut l, mut x) = (A, b);
        cholesky(&mut l, 3).expect("positive definite");
        cholesky_solve(&l, 3, &mut x);
        assert!(residual(&A, &x, &b) < 1e-14);

        let mut a = A;
        a[0] = 0.0;
        let (original, mut x, mut exchange) = (a, b, Vec::new());
        lu(&mut a, 3, &mut exchange).expect("regular");
        lu_solve(&a, 3, &exchange, &mut x);
        assert!(residual(&original, &x, &b) < 1e-14);
    }

    #[test]
    fn breakdown_names_the_row() {
        let mut a = [1.0, 1.0, 1.0, 1.0];
        assert_eq!(cholesky(&mut a, 2).map_err(|b| b.row), Err(1));
        let mut a = [1.0, 1.0, 1.0, 1.0];
        assert_eq!(lu(&mut a, 2, &mut Vec::new()).map_err(|b| b.row), Err(1));
    }
}
