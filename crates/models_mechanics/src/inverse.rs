//! Inverses of small matrices in memory that is used again.

/// Largest ratio of pivots below which a matrix is singular.
const SINGULAR: f64 = 1e-12;

/// Writes the inverse of the r × r matrix `entry(i, j)` by rows into `inverse` and says whether there is one; `work` is
/// overwritten. Gauss–Jordan elimination with row pivoting.
pub(crate) fn invert(
    r: usize,
    entry: impl Fn(usize, usize) -> f64,
    inverse: &mut Vec<f64>,
    work: &mut Vec<f64>,
) -> bool {
    // The matrix beside the identity.
    for list in [&mut *inverse, &mut *work] {
        list.clear();
        list.resize(r * r, 0.0);
    }
    for i in 0..r {
        inverse[i * r + i] = 1.0;
        for j in 0..r {
            work[i * r + j] = entry(i, j);
        }
    }
    let size = work.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for k in 0..r {
        let largest = (k..r).max_by(|a, b| work[a * r + k].abs().total_cmp(&work[b * r + k].abs())).unwrap_or(k);
        let pivot = work[largest * r + k];
        // NaN is not regular.
        let is_regular = pivot.abs() > SINGULAR * size;
        if !is_regular {
            return false;
        }
        // The pivot's row comes up and is divided by the pivot, in both.
        for j in 0..r {
            for list in [&mut *inverse, &mut *work] {
                list.swap(k * r + j, largest * r + j);
                list[k * r + j] /= pivot;
            }
        }
        // All other rows lose their entry in the column.
        for i in (0..r).filter(|i| *i != k) {
            let factor = work[i * r + k];
            for j in 0..r {
                work[i * r + j] -= factor * work[k * r + j];
                inverse[i * r + j] -= factor * inverse[k * r + j];
            }
        }
    }
    r > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_with_the_inverse_is_one() {
        let a = [[0.0, 2.0, 1.0], [1.0, -3.0, 0.5], [4.0, 0.1, 7.0]];
        let (mut inverse, mut work) = (Vec::new(), Vec::new());
        assert!(invert(3, |i, j| a[i][j], &mut inverse, &mut work));
        for i in 0..3 {
            for j in 0..3 {
                let sum: f64 = (0..3).map(|k| a[i][k] * inverse[3 * k + j]).sum();
                assert!((sum - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
        assert!(!invert(2, |i, j| ((i + 1) * (j + 1)) as f64, &mut inverse, &mut work));
        assert!(!invert(1, |_, _| 0.0, &mut inverse, &mut work));
    }
}
