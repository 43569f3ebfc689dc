//! The box-constrained mixed linear complementarity problem on random matrices.

use macrostep_multibody::mlcp::{Problem, Solution, Solver, WarmStart, enumerate};
use rand::{Rng, SeedableRng, rngs::StdRng};

use super::Finding;
use crate::failure::Failure;

const TOPIC: &str = "complementarity";

/// Residuals of 1000 random problems, comparison with enumeration, degenerate boxes, and a problem without a solution.
pub fn findings() -> Result<Vec<Finding>, Failure> {
    let mut rng = StdRng::seed_from_u64(101);
    let (mut worst, mut pivots) = (0.0_f64, 0);
    for _ in 0..1000 {
        let rows = rng.random_range(1..40);
        let problem = boxes(&mut rng, rows, 1e-6);
        let solution = solve(&problem)?;
        worst = worst.max(problem.natural_residual(&solution.z) / scale(&solution.z));
        pivots = pivots.max(solution.statistics.pivots);
    }
    let mut difference = 0.0_f64;
    for _ in 0..300 {
        let rows = rng.random_range(1..=6);
        let problem = boxes(&mut rng, rows, 0.1);
        let (solution, reference) = (solve(&problem)?, enumerate(&problem).map_err(Failure::run)?);
        let apart = solution.z.iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        difference = difference.max(apart / scale(&reference));
    }
    // A matrix of zeros with a row that must move and may not.
    let open = (vec![f64::NEG_INFINITY; 2], vec![f64::INFINITY; 2]);
    let impossible = Problem::new(vec![0.0; 4], vec![1.0, -1.0], open.0, open.1);
    let refusal = solve(&impossible).err().map_or_else(|| "solved".to_owned(), |e| e.to_string());
    let typed = !refusal.starts_with("solved");
    Ok(vec![
        Finding::at_most(TOPIC, "natural residual / (1 + |z|), 1000 random boxes", worst, 1e-10),
        Finding::new(TOPIC, "most pivots", pivots.to_string(), "finite: it ends", true),
        Finding::at_most(TOPIC, "distance from enumeration, 300 problems up to 6 rows", difference, 1e-9),
        Finding::is(TOPIC, "a problem without solution ends in an error", typed, true),
    ])
}

fn solve(problem: &Problem) -> Result<Solution, Failure> {
    let mut solution = Solution::default();
    Solver::default().solve(problem, &WarmStart::new(), &mut solution).map_err(Failure::run)?;
    Ok(solution)
}

/// `B Bᵀ + c I` with boxes of every kind, some of zero width.
fn boxes(rng: &mut StdRng, rows: usize, compliance: f64) -> Problem {
    // A product of random factors, of a rank that may be too small for the rows.
    let rank = rng.random_range(1..=rows + 2);
    let factor: Vec<f64> = (0..rows * rank).map(|_| rng.random_range(-1.0..1.0)).collect();
    let entry = |i: usize, j: usize| (0..rank).map(|k| factor[i * rank + k] * factor[j * rank + k]).sum::<f64>();
    let mut matrix = vec![0.0; rows * rows];
    for i in 0..rows {
        for j in 0..=i {
            let value = entry(i, j) + if i == j { compliance } else { 0.0 };
            (matrix[i * rows + j], matrix[j * rows + i]) = (value, value);
        }
    }
    // Offsets, and bounds: none, one, two, or a single value.
    let offset = (0..rows).map(|_| rng.random_range(-2.0..2.0)).collect();
    let limits = |rng: &mut StdRng| {
        let a = rng.random_range(-2.0..2.0);
        match rng.random_range(0..5) {
            0 => (f64::NEG_INFINITY, f64::INFINITY),
            1 => (0.0, f64::INFINITY),
            2 => (f64::NEG_INFINITY, a),
            3 => (a, a),
            _ => (a, a + rng.random_range(0.0..2.0)),
        }
    };
    let (lower, upper) = (0..rows).map(|_| limits(rng)).unzip();
    Problem::new(matrix, offset, lower, upper)
}

fn scale(z: &[f64]) -> f64 {
    1.0 + z.iter().fold(0.0_f64, |m, z| m.max(z.abs()))
}
