//! Identities of the co-simulated oscillator, exact to rounding.

use crate::common::*;
use macrostep_analysis::pair::{Coupling, Pair};
use macrostep_master::Sampling;
use macrostep_master::Schedule;
use macrostep_oscillator::{Monolithic, Parameters, State};

fn monolithic(p: &Parameters, step_s: f64, n: usize) -> Vec<State> {
    Monolithic::new(p, step_s).expect("valid").take(n + 1).collect()
}

fn farthest(a: &[State], b: &[State]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max)
}

/// Hold + Jacobi + semi-implicit Euler with h = H is eq. (7) in every decomposition, and so is every degree there.
#[test]
fn jacobi_with_h_equal_to_the_macro_step_is_monolithic() {
    for p in [Parameters::case_1(), Parameters::case_2(), Parameters::test_model()] {
        let expected = monolithic(&p, 1e-3, 1000);
        let size = expected.iter().map(|z| z.amax()).fold(0.0, f64::max);
        for coupling in Coupling::ALL {
            for degree in 0..=3 {
                let pair = monolithic_like(coupling, classical(degree, Schedule::Jacobi), p, 1e-3, 1.0);
                let e = farthest(&states(&pair), &expected) / size;
                assert!(e < 1e-12, "{coupling} degree {degree}: {e:e}");
            }
        }
    }
}

/// … but not with lagged sampling, where one unit hands out an output that follows its input.
#[test]
fn lagged_sampling_breaks_the_identity() {
    let p = Parameters::case_1();
    let expected = monolithic(&p, 1e-3, 1000);
    let mut method = classical(0, Schedule::Jacobi);
    method.sampling = Sampling::Lagged;
    let pair = monolithic_like(Coupling::ForceDisplacement, method, p, 1e-3, 1.0);
    assert!(farthest(&states(&pair), &expected) > 1e-3);
}

/// D/D Gauss–Seidel with hold and exact subsystems is Lie splitting: while one mass moves the other stands still, and
/// each of the two flows conserves the whole energy. Case 1 keeps it at any H.
#[test]
fn displacement_coupled_gauss_seidel_conserves_energy_at_any_step() {
    for (_, schedule) in schedules().into_iter().skip(1) {
        for step_s in [1e-3, 1e-2, 5e-2] {
            let pair = Pair::new(Coupling::DisplacementDisplacement, classical(0, schedule.clone()), step_s, 10.0);
            let r = native_run(&pair);
            let steps = 2.0 * (10.0 / step_s);
            assert!(r.drift <= 1e-12f64.max(1e-16 * steps), "H = {step_s}: {:e}", r.drift);
        }
    }
    let jacobi = Pair::new(Coupling::DisplacementDisplacement, classical(0, Schedule::Jacobi), 1e-3, 10.0);
    let r = native_run(&jacobi);
    assert!(r.drift > 1e-3, "Jacobi is no splitting");
}

/// A multirate run with ratio 1 is the single-rate run.
#[test]
fn ratio_one_is_single_rate() {
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            let mut pair = Pair::new(coupling, classical(2, schedule), 1e-2, 1.0);
            let single = states(&pair);
            pair.shares = [(1, 1), (3, 3)];
            let e = farthest(&states(&pair), &single);
            assert!(e < 1e-9, "{coupling} {name}: {e:e}");
        }
    }
}

/// Implicit coupling does not depend on where the cut goes once the window is consistent: with exact subsystems and
/// quintic inputs all decompositions agree far below the coupling error of explicit ones.
#[test]
fn one_newton_correction_is_exact_for_this_linear_problem() {
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            let pair = Pair::new(coupling, implicit(classical(1, schedule)), 1e-2, 1.0);
            let r = native_run(&pair);
            assert_eq!(r.statistics.unconverged, 0, "{coupling} {name}");
            // One run with the guess, one with the correction; a few more for the first window's Jacobian.
            let extra = r.statistics.runs as i64 - 2 * r.statistics.windows as i64;
            assert!((0..=40).contains(&extra), "{coupling} {name}: {:?}", r.statistics);
        }
    }
}
