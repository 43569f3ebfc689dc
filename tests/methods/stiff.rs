//! Stiff links: the mean of both ends of a step makes no energy, whatever the gain of the link over a macro step is.

use super::waveforms::{self, Numbers};
use crate::common::*;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Outcome, Pair, run, slope};
use macrostep_master::correct::{Convergence, Correction, Corrector, Learnt, Problem, relative};
use macrostep_master::predict::{Lagrange, Mean, Predictor};
use macrostep_master::unit::UnitError;
use macrostep_master::{Method, Schedule};
use macrostep_oscillator::Parameters;
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;

const STEP_S: f64 = 0.05;
/// End of a run that may grow, and of one whose order is observed \[s\].
const STOP_S: [f64; 2] = [10.0, 1.0];

/// Two masses on springs that macro steps resolve, and a link of the gain g = k_c H² (1/m1 + 1/m2).
fn parameters(gain: f64, damping: f64) -> Parameters {
    let (m, k) = ([1.0, 0.3], [40.0, 90.0]);
    let k_c = gain / (STEP_S * STEP_S * (1.0 / m[0] + 1.0 / m[1]));
    let c = [0, 1].map(|i: usize| damping * f64::sqrt(m[i] * k[i]));
    Parameters { m, k, c, k_c, c_c: damping * f64::sqrt(k_c * m[1]), x0: [0.1, 0.1], v0: [0.5, -0.3] }
}

fn made(
    predictor: impl Predictor + 'static,
    coupling: Coupling,
    parameters: Parameters,
    (step_s, stop_s): (f64, f64),
) -> Outcome {
    let method: Method = implicit(method(predictor, Schedule::Jacobi));
    let pair = Pair { parameters, ..Pair::new(coupling, method, step_s, stop_s) };
    run(&pair, &models::native, 1).expect("the run")
}

/// Largest energy at a communication point relative to that at the start.
fn energy_max(outcome: &Outcome) -> f64 {
    let energy = outcome.trace.column("energy").expect("a column");
    energy.iter().fold(0.0f64, |most, e| if e.is_nan() { f64::INFINITY } else { most.max(*e) }) / energy[0]
}

/// No energy is made at any gain, in any cut, with and without damping; linear inputs make it.
#[test]
fn the_mean_makes_no_energy_at_any_gain() {
    let (mut grown, mut runs) = (0, 0);
    for coupling in Coupling::ALL {
        for exponent in (-2..=6).step_by(2) {
            for damping in [0.0, 0.02, 2.0] {
                let parameters = parameters(10f64.powi(exponent), damping);
                let outcome = made(Mean, coupling, parameters, (STEP_S, STOP_S[0]));
                let most = energy_max(&outcome);
                assert!(most < 1.0 + 1e-6, "{coupling}, gain 1e{exponent}, damping {damping}: energy {most}");
                let unconverged = &outcome.unconverged;
                assert!(unconverged.is_none(), "{coupling}, gain 1e{exponent}, damping {damping}: {unconverged:?}");
                let linear = (damping == 0.0).then(|| made(Lagrange::new(1), coupling, parameters, (STEP_S, 1.0)));
                grown += usize::from(linear.is_some_and(|linear| energy_max(&linear) > 100.0));
                runs += 1;
            }
        }
    }
    println!("{runs} pairs: none grows with the mean, {grown} with linear inputs");
    assert!(grown > runs / 12, "{grown} runs with linear inputs grow");
}

/// Order 2 where the link is resolved.
#[test]
fn the_mean_is_of_order_2() {
    for coupling in Coupling::ALL {
        for damping in [0.0, 0.02] {
            let parameters = parameters(1.0, damping);
            let error =
                |parts: f64| made(Mean, coupling, parameters, (STEP_S / parts, STOP_S[1])).max_relative_position();
            let points = [16.0, 32.0, 64.0, 128.0].map(|parts| (STEP_S / parts, error(parts)));
            let order = slope(&points, 1e-11).expect("errors");
            println!("{coupling}, damping {damping}: order {order:.2}");
            assert!((1.9..2.1).contains(&order), "{coupling}: {order} {points:?}");
        }
    }
}

/// A corrector that ends only where nothing is gained: a Jacobian in each window, and the best of many guesses.
#[derive(Debug)]
struct Exhausted;

impl Corrector for Exhausted {
    fn correct(&self, _: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        let n = y.len();
        let (mut residual, mut moved, mut trial) = (DVector::zeros(n), DVector::zeros(n), vec![0.0; n]);
        problem.evaluate(y, residual.as_mut_slice())?;
        // The Jacobian, by differences as large as half of the signals: the pairs are linear.
        let (mut moves, mut changes) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
        for j in 0..n {
            problem.direction(j, &mut trial);
            for i in 0..n {
                moves[(i, j)] = 0.5 * trial[i];
                trial[i] = y[i] + moves[(i, j)];
            }
            problem.probe(&trial, moved.as_mut_slice())?;
            changes.set_column(j, &(&residual - &moved));
        }
        let inverse = &moves * changes.try_inverse().unwrap_or_else(|| DMatrix::identity(n, n));
        // The best guess of many.
        let mut best = (y.to_vec(), relative(residual.as_slice(), problem.scale()));
        for _ in 0..12 {
            let delta = &inverse * &residual;
            y.iter_mut().zip(delta.iter()).for_each(|(y, d)| *y += d);
            problem.evaluate(y, residual.as_mut_slice())?;
            let left = relative(residual.as_slice(), problem.scale());
            if left < best.1 {
                best = (y.to_vec(), left);
            }
        }
        y.copy_from_slice(&best.0);
        problem.evaluate(y, residual.as_mut_slice())?;
        Ok(Convergence { runs: 14 + n, residual: best.1, converged: true })
    }
}

/// Largest difference of two runs of a pair, each signal relative to its size.
fn difference(found: &Outcome, expected: &Outcome) -> f64 {
    let of = |name: &str| {
        let (a, b) = (found.trace.column(name).expect("a column"), expected.trace.column(name).expect("a column"));
        let size = b.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        a.iter().zip(&b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs() / size))
    };
    ["x1", "x2", "v1", "v2"].iter().fold(0.0, |m, name| m.max(of(name)))
}

/// Where Newton's iteration ends in rounding, a run that is said to have converged is one.
#[test]
fn what_rounding_leaves_is_small_or_said() {
    let pairs: usize = std::env::var("STIFF_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let mut numbers = Numbers(5);
    let (mut converged, mut worst) = (0, 0.0f64);
    for n in 0..pairs {
        let (parameters, gain) = numbers.pair_of(1e3, 1e6);
        let coupling = Coupling::ALL[n % 4];
        for schedule in [Schedule::Jacobi, Schedule::GaussSeidel(vec![1, 0])] {
            let made = |correction: Option<Correction>| {
                let mut method = implicit(method(Mean, schedule.clone()));
                method.correction = correction.unwrap_or(method.correction);
                let pair =
                    Pair { parameters, ..Pair::new(coupling, method, waveforms::STEP_S, 50.0 * waveforms::STEP_S) };
                run(&pair, &models::native, 1).expect("the run")
            };
            let found = made(None);
            if found.statistics.unconverged > 0 {
                continue;
            }
            let off = difference(&found, &made(Some(Correction::Custom(Arc::new(Exhausted)))));
            assert!(off <= 1e-8, "{n} {coupling} {schedule:?}, gain {gain:.1e}: {off:.1e}");
            (converged, worst) = (converged + 1, worst.max(off));
        }
    }
    println!("{converged} of {} runs converged, none off by more than {worst:.1e}", 2 * pairs);
    assert!(4 * converged >= 3 * 2 * pairs, "{converged} runs converged");
}
