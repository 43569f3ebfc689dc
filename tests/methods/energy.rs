//! Residual energy of power bonds: it is the drift of the coupled system's energy, and corrections make it small.

use crate::common::*;
use macrostep::factory;
use macrostep_analysis::pair::{Bonds, Coupling, Outcome, Pair, run};
use macrostep_master::{EnergyCorrection, Method, Schedule};
use macrostep_oscillator::Parameters;

fn watched(coupling: Coupling, method: Method, step_s: f64, stop_s: f64) -> Pair {
    Pair { bonds: Bonds::Named, ..Pair::new(coupling, method, step_s, stop_s) }
}

fn through_fmus(pair: &Pair) -> Outcome {
    run(pair, &factory::fmu, u64::MAX).expect("the run")
}

fn residual_j(r: &Outcome) -> f64 {
    assert_eq!((r.accounts.len(), r.accounts[0].name.as_str()), (1, "coupling"));
    r.accounts[0].residual_energy_j
}

/// Case 1 has no losses: what its energy has changed by, the coupling has made.
#[test]
fn residual_energy_is_the_drift_of_the_conservative_case() {
    let start_j = Parameters::case_1().energy(&Parameters::case_1().start());
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            for degree in 0..=2 {
                let r = through_fmus(&watched(coupling, classical(degree, schedule.clone()), 1e-3, 5.0));
                let (drift_j, found_j) = (r.energy - start_j, residual_j(&r));
                let what = format!("{coupling} {name} degree {degree}: {found_j} of {drift_j} J");
                assert!(
                    (found_j - drift_j).abs() <= 0.01 * r.accounts[0].residual_energy_max_j + 1e-6 * start_j,
                    "{what}"
                );
            }
        }
    }
}

/// The same where units take half steps: what the other was between its samples is known at the window's end. Without dense output
/// half steps are not merged.
#[test]
fn residual_energy_is_the_drift_of_a_palindromic_run() {
    let start_j = Parameters::case_1().energy(&Parameters::case_1().start());
    for coupling in Coupling::ALL {
        for order in [vec![0, 1], vec![1, 0]] {
            for degree in 0..=1 {
                let method = classical(degree, Schedule::Palindromic(order.clone()));
                let r = through_fmus(&watched(coupling, method, 5e-3, 5.0));
                let (drift_j, found_j) = (r.energy - start_j, residual_j(&r));
                println!("{coupling} {order:?} degree {degree}: {found_j:e} of {drift_j:e} J");
                assert!(
                    (found_j - drift_j).abs() <= 0.02 * drift_j.abs() + 1e-4 * start_j,
                    "{coupling} {order:?} degree {degree}: {found_j} of {drift_j} J"
                );
            }
        }
    }
}

/// The same where one unit steps more often: what a slow unit was between its samples is known at the window's end.
#[test]
fn residual_energy_is_the_drift_of_a_multirate_run() {
    let start_j = Parameters::case_1().energy(&Parameters::case_1().start());
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            for shares in [[(1, 1), (1, 5)], [(1, 5), (1, 1)], [(1, 1), (2, 3)]] {
                // Between meetings of both units, a force that its owner sends is made of what the other is taken to be.
                if shares[1] == (2, 3) && matches!(coupling, Coupling::ForceDisplacement | Coupling::DisplacementForce)
                {
                    continue;
                }
                for degree in 0..=2 {
                    let pair = watched(coupling, classical(degree, schedule.clone()), 3e-3, 6.0);
                    let r = through_fmus(&Pair { shares, ..pair });
                    let (drift_j, found_j) = (r.energy - start_j, residual_j(&r));
                    assert!(
                        (found_j - drift_j).abs() <= 0.01 * r.accounts[0].residual_energy_max_j + 5e-5 * start_j,
                        "{coupling} {name} degree {degree} {shares:?}: {found_j} of {drift_j} J"
                    );
                }
            }
        }
    }
}

/// Implicit coupling has inputs and outputs agree at communication points.
#[test]
fn an_implicit_waveform_has_no_residual_energy() {
    use macrostep_master::predict::Spectral;
    let method = implicit(method(Spectral::new(16), Schedule::GaussSeidel(vec![1, 0])));
    let r = through_fmus(&watched(Coupling::ForceForce, method, 0.2, 10.0));
    assert!(residual_j(&r).abs() < 1e-6, "{:?}", r.accounts);
}

/// Both cases, f-f Jacobi, H = 1 ms, 100 s: drift before and after.
#[test]
fn corrections_keep_the_energy() {
    let drift = |parameters: &Parameters, degree: usize, energy: EnergyCorrection| {
        let method = Method { energy, ..classical(degree, Schedule::Jacobi) };
        let pair = watched(Coupling::ForceForce, method, 1e-3, 100.0);
        through_fmus(&Pair { parameters: *parameters, ..pair }).drift
    };
    for parameters in [Parameters::case_1(), Parameters::case_2()] {
        let before = drift(&parameters, 0, EnergyCorrection::Monitor);
        for energy in [EnergyCorrection::Nepce, EnergyCorrection::Leak] {
            let after = drift(&parameters, 0, energy);
            // Ten times smaller is the least; it is thousands.
            assert!(after < before / 1e3 && after < 4e-3, "{energy:?}: {after:e} after {before:e}");
        }
        // Linear extrapolation drifts by a hundredth of that; NEPCE turns its sign, the damper removes it.
        let before = drift(&parameters, 1, EnergyCorrection::Monitor);
        assert!(before < 4e-3, "{before:e}");
        assert!(drift(&parameters, 1, EnergyCorrection::Leak) < 0.5 * before);
        assert!(drift(&parameters, 1, EnergyCorrection::Nepce) < 1.1 * before);
    }
}

/// Watching changes no bit of a run.
#[test]
fn a_watched_run_is_the_same_run() {
    for coupling in Coupling::ALL {
        let method = classical(1, Schedule::GaussSeidel(vec![0, 1]));
        let plain = Pair::new(coupling, method, 1e-3, 1.0);
        let end = |pair: &Pair| through_fmus(pair).end.map(f64::to_bits);
        assert_eq!(end(&plain), end(&Pair { bonds: Bonds::Named, ..plain.clone() }), "{coupling}");
    }
}
