//! Box problems: residual, enumeration, projected Gauss–Seidel, degenerate boxes, typed failures.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use common::{box_problem, friction_problem, scale};
use macrostep_mlcp::{
    Failure, GaussSeidelOptions, Options, Problem, Set, Solution, Solver, WarmStart, enumerate, file, gauss_seidel,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng, rngs::StdRng};

fn solve(problem: &Problem) -> Result<Solution, Failure> {
    let mut solution = Solution::default();
    Solver::default().solve(problem, &WarmStart::new(), &mut solution)?;
    Ok(solution)
}

#[test]
fn a_thousand_random_boxes_are_solved() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut pivots, mut tight, mut single) = (Vec::new(), 0, 0);
    for case in 0..1000 {
        let rows = rng.random_range(1..40);
        let problem = box_problem(&mut rng, rows);
        let solution = solve(&problem).unwrap_or_else(|failure| panic!("case {case}: {failure}"));
        let residual = problem.natural_residual(&solution.z);
        assert!(residual <= 1e-10 * scale(&solution.z), "case {case}: residual {residual:e}");
        pivots.push(solution.statistics.pivots);
        single += solution.statistics.single_pivots;
        tight += solution.set.iter().filter(|s| **s != Set::Inside).count();
        // The residual sees a wrong solution: move one entry.
        let mut wrong = solution.z.clone();
        let at = rng.random_range(0..rows);
        wrong[at] += if solution.set[at] == Set::Upper { -1e-3 } else { 1e-3 };
        assert!(problem.natural_residual(&wrong) > 1e-10 * scale(&wrong), "case {case} is blind");
    }
    assert!(tight > 5000, "the boxes must bite, {tight} tight rows");
    pivots.sort_unstable();
    assert!(pivots[500] <= 6 && pivots[980] <= 100, "median {}, 98 % {}", pivots[500], pivots[980]);
    assert!(single > 0, "Murty's rule was never needed, the cases are too easy");
}

/// The descent alone finds what pivoting finds.
#[test]
fn descent_solves_what_pivoting_solves() {
    let mut rng = StdRng::seed_from_u64(7);
    let options = Options { pivots_max: 0, pivots_a_row: 0, ..Options::default() };
    let mut faces = 0;
    for case in 0..300 {
        let rows = rng.random_range(1..40);
        let mut problem = box_problem(&mut rng, rows);
        for i in 0..rows {
            problem.matrix[i * rows + i] += 0.1;
        }
        let mut solution = Solution::default();
        let solved = Solver::new(options).solve(&problem, &WarmStart::new(), &mut solution);
        solved.unwrap_or_else(|failure| panic!("case {case}: {failure}"));
        let reference = solve(&problem).expect("positive definite");
        let difference = solution.z.iter().zip(&reference.z).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference <= 1e-9 * scale(&reference.z), "case {case}: {difference:e}");
        faces += solution.statistics.descents;
    }
    assert!(faces > 1000, "{faces} faces: the cases are too easy");
}

#[test]
fn small_problems_equal_enumeration() {
    let mut rng = StdRng::seed_from_u64(2);
    for case in 0..300 {
        let rows = rng.random_range(1..=6);
        let mut problem = box_problem(&mut rng, rows);
        for i in 0..rows {
            problem.matrix[i * rows + i] += 0.1;
        }
        let solution = solve(&problem).expect("positive definite");
        let reference = enumerate(&problem).expect("positive definite");
        let difference = solution.z.iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference <= 1e-9 * scale(&reference), "case {case}: {difference:e}");
    }
}

#[test]
fn projected_gauss_seidel_agrees() {
    let mut rng = StdRng::seed_from_u64(3);
    for _ in 0..50 {
        let rows = rng.random_range(2..12);
        let mut problem = box_problem(&mut rng, rows);
        for i in 0..rows {
            problem.matrix[i * rows + i] += 1.0;
        }
        let solution = solve(&problem).expect("positive definite");
        let mut z = vec![0.0; rows];
        let options = GaussSeidelOptions { tolerance: 1e-12, ..Default::default() };
        gauss_seidel(&problem, &options, &mut z).expect("diagonally strong");
        let difference = solution.z.iter().zip(&z).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference <= 1e-9 * scale(&z), "{difference:e}");
    }
}

#[test]
fn friction_bounds_follow_the_normal_rows() {
    let mut rng = StdRng::seed_from_u64(4);
    let mut sliding = 0;
    for case in 0..300 {
        let contacts = rng.random_range(1..8);
        let problem = friction_problem(&mut rng, contacts, 0.3);
        let solution = solve(&problem).unwrap_or_else(|failure| panic!("case {case}: {failure}"));
        assert_eq!(solution.statistics.friction_mismatch, 0.0, "case {case}: {:?}", solution.statistics);
        assert!(problem.natural_residual(&solution.z) <= 1e-10 * scale(&solution.z), "case {case}");
        for (i, friction) in problem.friction.iter().enumerate() {
            if friction.is_some_and(|f| solution.z[f.normal] > 0.0) && solution.set[i] != Set::Inside {
                sliding += 1;
            }
        }
    }
    assert!(sliding > 200, "{sliding} sliding rows");
}

#[test]
fn friction_agrees_with_gauss_seidel() {
    let mut rng = StdRng::seed_from_u64(5);
    for _ in 0..30 {
        let mut problem = friction_problem(&mut rng, 3, 0.3);
        for i in 0..9 {
            problem.matrix[i * 9 + i] += 1.0;
        }
        let solution = solve(&problem).expect("solvable");
        let mut z = vec![0.0; 9];
        let options = GaussSeidelOptions { tolerance: 1e-12, ..Default::default() };
        gauss_seidel(&problem, &options, &mut z).expect("converges");
        let difference = solution.z.iter().zip(&z).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference <= 1e-9, "{difference:e}");
    }
}

#[test]
fn degenerate_boxes_terminate() {
    let mut rng = StdRng::seed_from_u64(6);
    let mut solved = 0;
    for _ in 0..300 {
        let rows = rng.random_range(2..20);
        let rank = rng.random_range(1..=rows);
        // Singular without compliance, slack exactly zero at a bound, boxes of zero and of tiny width.
        let compliance = [0.0, 1e-12, 1e-9][rng.random_range(0..3)];
        let matrix = common::matrix(&mut rng, rows, rank, compliance);
        let width = [0.0, 0.0, 1e-14, 1.0];
        let upper: Vec<f64> = (0..rows).map(|_| width[rng.random_range(0..4)]).collect();
        let offset = (0..rows).map(|_| [0.0, -1.0, 1.0][rng.random_range(0..3)]).collect();
        let problem = Problem::new(matrix, offset, vec![0.0; rows], upper);
        match solve(&problem) {
            Ok(solution) => {
                solved += 1;
                assert!(problem.natural_residual(&solution.z) <= 1e-10 * scale(&solution.z));
            }
            Err(Failure::Singular { .. } | Failure::NotConverged { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert!(solved > 250, "{solved}");
}

#[test]
fn failures_are_typed() {
    // Two equal free rows without compliance.
    let free = vec![f64::INFINITY; 2];
    let problem = Problem::new(vec![1.0; 4], vec![1.0, 2.0], vec![f64::NEG_INFINITY; 2], free);
    assert!(matches!(solve(&problem), Err(Failure::Singular { row: 1, .. })));

    // A matrix that is not a P-matrix: no complementary solution exists, pivoting must stop by itself.
    let problem = Problem::new(vec![-1.0], vec![-1.0], vec![0.0], vec![f64::INFINITY]);
    assert!(matches!(solve(&problem), Err(Failure::Singular { .. })));

    // A limit of pivots that is too small.
    let mut rng = StdRng::seed_from_u64(7);
    let options = Options { exchange_tolerance: -1.0, ..Default::default() };
    let problem = box_problem(&mut rng, 10);
    let mut solution = Solution::default();
    let outcome = Solver::new(options).solve(&problem, &WarmStart::new(), &mut solution);
    assert!(matches!(outcome, Ok(()) | Err(Failure::NotConverged { .. })), "{outcome:?}");
    // 100 + 20 × 10 pivots, then 10 × 11 faces.
    assert!(solution.statistics.pivots <= 410);

    let mut z = vec![0.0; 10];
    let options = GaussSeidelOptions { sweeps_max: 1, tolerance: 1e-300 };
    assert!(matches!(gauss_seidel(&problem, &options, &mut z), Err(Failure::NotConverged { .. })));
    assert!(matches!(enumerate(&box_problem(&mut rng, 13)), Err(Failure::TooLarge { rows: 13, limit: 12 })));
}

#[test]
fn warm_start_saves_pivots_and_not_accuracy() {
    let mut rng = StdRng::seed_from_u64(8);
    let (mut cold, mut warm) = (0, 0);
    for _ in 0..100 {
        let mut problem = box_problem(&mut rng, 30);
        let first = solve(&problem).expect("solvable");
        let mut memory = WarmStart::new();
        memory.fill(problem.ids.iter().copied().zip(first.set.iter().copied()));
        for offset in &mut problem.offset {
            *offset += 1e-4 * rng.random_range(-1.0..1.0);
        }
        let again = solve(&problem).expect("solvable");
        let mut solution = Solution::default();
        Solver::default().solve(&problem, &memory, &mut solution).expect("solvable");
        cold += again.statistics.pivots;
        warm += solution.statistics.pivots;
        let difference = solution.z.iter().zip(&again.z).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference <= 1e-7 * scale(&again.z), "{difference:e}");
    }
    assert!(2 * warm < cold, "warm {warm}, cold {cold}");
}

#[test]
fn files_keep_every_bit() {
    let mut rng = StdRng::seed_from_u64(9);
    let folder = std::env::temp_dir().join(format!("mlcp-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary folder");
    for case in 0..20 {
        let problem = if case % 2 == 0 { box_problem(&mut rng, 9) } else { friction_problem(&mut rng, 3, 0.4) };
        let path = folder.join(format!("{case}.json"));
        file::save(&problem, &path).expect("saved");
        assert_eq!(file::load(&path).expect("loaded"), problem);
    }
    assert!(matches!(file::load(&folder.join("none.json")), Err(file::FileError::Access { .. })));
    assert!(matches!(file::from_text("{}"), Err(file::FileError::Text(_))));
    std::fs::remove_dir_all(&folder).expect("removed");
}

proptest! {
    #[test]
    fn complementarity_holds_row_by_row(seed in any::<u64>(), rows in 1_usize..25) {
        let mut rng = StdRng::seed_from_u64(seed);
        let problem = box_problem(&mut rng, rows);
        let solution = solve(&problem).expect("positive definite");
        let tolerance = 1e-9 * scale(&solution.z);
        for i in 0..rows {
            let (z, w) = (solution.z[i], solution.w[i]);
            prop_assert!(z >= problem.lower[i] - tolerance && z <= problem.upper[i] + tolerance);
            if problem.lower[i] < problem.upper[i] {
                match solution.set[i] {
                    Set::Lower => prop_assert!(w >= -tolerance),
                    Set::Inside => prop_assert!(w.abs() <= tolerance),
                    Set::Upper => prop_assert!(w <= tolerance),
                }
            }
        }
    }
}
