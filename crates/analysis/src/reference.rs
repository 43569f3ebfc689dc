//! Fine solutions of whole systems, to compare coupled ones with.
//!
//! Gragg's modified midpoint rule with polynomial extrapolation in h², columns n = 2, 4, … 16 (order 16), halving an interval
//! until the last two extrapolations agree to 1e-14 of the state's size. Backwards in time as well: histories before the
//! start come from here.
//!
//! Reference: \[Hairer 1993\], section II.9.

/// Columns of the extrapolation.
const COLUMNS: usize = 8;
/// Agreement of the last two columns, relative to the state.
const TOLERANCE: f64 = 1e-14;
/// Halvings of one interval.
const HALVINGS_MAX: usize = 30;

/// ż = f(z): writes the rates of the state `z`.
pub type Rates<'a> = &'a dyn Fn(&[f64], &mut [f64]);

/// The state `span_s` seconds (of either sign) after `z`.
pub fn advance(rates: Rates<'_>, z: &[f64], span_s: f64) -> Vec<f64> {
    if span_s == 0.0 {
        return z.to_vec();
    }
    let mut state = z.to_vec();
    // Intervals still to go, the next one last.
    let mut open = vec![(span_s, 0)];
    while let Some((h, halvings)) = open.pop() {
        let (end, error) = extrapolated(rates, &state, h);
        let size = end.iter().chain(&state).fold(1e-300f64, |max, x| max.max(x.abs()));
        if error <= TOLERANCE * size.min(f64::MAX) || halvings == HALVINGS_MAX {
            state = end;
        } else {
            open.extend([(0.5 * h, halvings + 1); 2]);
        }
    }
    state
}

/// One interval: the extrapolated end and the difference of the last two columns.
fn extrapolated(rates: Rates<'_>, z: &[f64], h: f64) -> (Vec<f64>, f64) {
    let mut table: Vec<Vec<f64>> = Vec::with_capacity(COLUMNS);
    let mut error = f64::INFINITY;
    for j in 0..COLUMNS {
        let mut current = midpoint(rates, z, h, 2 * (j + 1));
        // Aitken and Neville, along the row: T_{j,k} = T_{j,k−1} + (T_{j,k−1} − T_{j−1,k−1})/((n_j/n_{j−k})² − 1).
        for k in 1..=j {
            let ratio = ((j + 1) as f64 / (j + 1 - k) as f64).powi(2) - 1.0;
            let next: Vec<f64> = current.iter().zip(&table[k - 1]).map(|(a, b)| a + (a - b) / ratio).collect();
            if k == j {
                // NaN has not converged.
                let difference = |(a, b): (&f64, &f64)| if (a - b).is_nan() { f64::INFINITY } else { (a - b).abs() };
                error = next.iter().zip(&current).map(difference).fold(0.0, f64::max);
            }
            table[k - 1] = std::mem::replace(&mut current, next);
        }
        table.push(current);
    }
    (table.pop().unwrap_or_default(), error)
}

/// Gragg's rule with `n` steps (even).
fn midpoint(rates: Rates<'_>, z: &[f64], span: f64, n: usize) -> Vec<f64> {
    let h = span / n as f64;
    let mut slope = vec![0.0; z.len()];
    rates(z, &mut slope);
    let mut before = z.to_vec();
    let mut now: Vec<f64> = z.iter().zip(&slope).map(|(z, s)| z + h * s).collect();
    for _ in 1..n {
        rates(&now, &mut slope);
        for ((b, n), s) in before.iter_mut().zip(&mut now).zip(&slope) {
            let next = *b + 2.0 * h * s;
            (*b, *n) = (*n, next);
        }
    }
    rates(&now, &mut slope);
    (0..z.len()).map(|i| 0.5 * (now[i] + before[i] + h * slope[i])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pendulum_comes_back() {
        let pendulum = |z: &[f64], dz: &mut [f64]| (dz[0], dz[1]) = (z[1], -z[0].sin());
        let there = advance(&pendulum, &[1.0, 0.3], 7.0);
        let back = advance(&pendulum, &there, -7.0);
        assert!((back[0] - 1.0).abs() < 1e-12 && (back[1] - 0.3).abs() < 1e-12, "{back:?}");
        let energy = |z: &[f64]| 0.5 * z[1] * z[1] - z[0].cos();
        assert!((energy(&there) - energy(&[1.0, 0.3])).abs() < 1e-13);
    }

    #[test]
    fn a_step_that_explodes_is_halved() {
        let stiff = |z: &[f64], dz: &mut [f64]| (dz[0], dz[1]) = (z[1], -1e3 * z[0].powi(3) - 50.0 * z[1]);
        let z = advance(&stiff, &[3.0, 0.0], 2.0);
        assert!(z.iter().all(|z| z.is_finite() && z.abs() < 3.0), "{z:?}");
    }

    #[test]
    fn a_rotation_is_met() {
        let rotation = |z: &[f64], dz: &mut [f64]| (dz[0], dz[1]) = (z[1], -z[0]);
        let z = advance(&rotation, &[1.0, 0.0], 10.0);
        // A few hundred roundings.
        assert!((z[0] - 10f64.cos()).abs() < 1e-13 && (z[1] + 10f64.sin()).abs() < 1e-13, "{z:?}");
    }
}
