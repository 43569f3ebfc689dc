//! The reference for small problems: try every combination of sets.

use crate::{Failure, Problem, Set, dense, problem::scale};

/// Most rows [`enumerate`] accepts: 3^12 linear systems are half a million.
pub const ENUMERATION_LIMIT: usize = 12;

/// Solves a problem without friction rows by trying all 3^m combinations of sets, and returns `z`.
///
/// # Errors
/// [`Failure::TooLarge`] above [`ENUMERATION_LIMIT`] rows, [`Failure::IllPosed`], and [`Failure::NotConverged`] when no
/// combination fits (which a positive definite matrix excludes).
pub fn enumerate(problem: &Problem) -> Result<Vec<f64>, Failure> {
    problem.check()?;
    let m = problem.rows();
    if m > ENUMERATION_LIMIT {
        return Err(Failure::TooLarge { rows: m, limit: ENUMERATION_LIMIT });
    }
    let combinations = 3_usize.pow(m as u32);
    let (mut best, mut best_residual) = (Vec::new(), f64::INFINITY);
    for code in 0..combinations {
        let sets: Vec<Set> = (0..m).map(|i| digit(code, i)).collect();
        let Some(z) = candidate(problem, &sets) else { continue };
        let residual = problem.natural_residual(&z);
        if residual < best_residual {
            (best, best_residual) = (z, residual);
        }
    }
    let tolerance = 1e-10 * scale(&best);
    if best_residual <= tolerance {
        return Ok(best);
    }
    Err(Failure::NotConverged { iterations: combinations, residual: best_residual, tolerance })
}

/// Digit `i` of `code` in base three.
fn digit(code: usize, i: usize) -> Set {
    match code / 3_usize.pow(i as u32) % 3 {
        0 => Set::Lower,
        1 => Set::Inside,
        _ => Set::Upper,
    }
}

/// `z` for the given sets; `None` where a bound is infinite or the active matrix singular.
fn candidate(problem: &Problem, sets: &[Set]) -> Option<Vec<f64>> {
    let m = problem.rows();
    let mut z = vec![0.0; m];
    // Variables at a bound are known.
    for i in 0..m {
        z[i] = match sets[i] {
            Set::Lower => problem.lower[i],
            Set::Upper => problem.upper[i],
            Set::Inside => 0.0,
        };
        if !z[i].is_finite() {
            return None;
        }
    }
    // The others solve their rows: G_ff z_f = −g_f − G_fb z_b.
    let free: Vec<usize> = (0..m).filter(|&i| sets[i] == Set::Inside).collect();
    let mut matrix = Vec::new();
    let mut rhs = Vec::new();
    for &i in &free {
        let row = problem.matrix_row(i);
        rhs.push(-problem.offset[i] - dense::dot(row, &z));
        matrix.extend(free.iter().map(|&j| row[j]));
    }
    let mut exchange = Vec::new();
    dense::lu(&mut matrix, free.len(), &mut exchange).ok()?;
    dense::lu_solve(&matrix, free.len(), &exchange, &mut rhs);
    for (&i, value) in free.iter().zip(rhs) {
        z[i] = value;
    }
    Some(z)
}
