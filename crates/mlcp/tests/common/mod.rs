//! Random problems shared by the tests.
#![allow(dead_code)]

use macrostep_mlcp::{Friction, Problem};
use rand::{RngExt, rngs::StdRng};

/// `B Bᵀ + c I` with `rank` columns in `B`.
pub fn matrix(rng: &mut StdRng, rows: usize, rank: usize, compliance: f64) -> Vec<f64> {
    let factor: Vec<f64> = (0..rows * rank).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut matrix = vec![0.0; rows * rows];
    for i in 0..rows {
        for j in 0..=i {
            let product: f64 = (0..rank).map(|k| factor[i * rank + k] * factor[j * rank + k]).sum();
            matrix[i * rows + j] = product;
            matrix[j * rows + i] = product;
        }
        matrix[i * rows + i] += compliance;
    }
    matrix
}

/// Boxes of every kind: free, one-sided, two-sided, of zero width.
pub fn box_problem(rng: &mut StdRng, rows: usize) -> Problem {
    let compliance = 10.0_f64.powf(rng.random_range(-6.0..0.0));
    let rank = rng.random_range(1..=rows + 2);
    let matrix = matrix(rng, rows, rank, compliance);
    let offset = (0..rows).map(|_| rng.random_range(-2.0..2.0)).collect();
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let (a, b) = (rng.random_range(-2.0..2.0), rng.random_range(0.0..2.0));
        let (lo, hi) = match rng.random_range(0..6) {
            0 => (f64::NEG_INFINITY, f64::INFINITY),
            1 => (0.0, f64::INFINITY),
            2 => (f64::NEG_INFINITY, a),
            3 => (a, a),
            _ => (a, a + b),
        };
        lower.push(lo);
        upper.push(hi);
    }
    Problem::new(matrix, offset, lower, upper)
}

/// Contacts of three rows: normal, and two of friction.
pub fn friction_problem(rng: &mut StdRng, contacts: usize, coefficient: f64) -> Problem {
    let rows = 3 * contacts;
    let matrix = matrix(rng, rows, rows + 3, 1e-3);
    let offset = (0..rows).map(|_| rng.random_range(-2.0..1.0)).collect();
    let mut problem = Problem::new(matrix, offset, vec![0.0; rows], vec![f64::INFINITY; rows]);
    for normal in (0..rows).step_by(3) {
        for row in [normal + 1, normal + 2] {
            problem.upper[row] = 0.0;
            problem.friction[row] = Some(Friction { normal, coefficient });
        }
    }
    problem
}

/// `1 + max |z|`.
pub fn scale(z: &[f64]) -> f64 {
    1.0 + z.iter().fold(0.0_f64, |m, z| m.max(z.abs()))
}
