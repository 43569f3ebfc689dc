//! The same runs through the FMUs: bit-equal to the native units, every call counted, nothing allocated.

use crate::common::*;
use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Integrator, Pair, Start, run};
use macrostep_master::correct::{Correction, FixedPoint, InterfaceJacobian, Newton, Relaxation};
use macrostep_master::predict::{Hermite, IntegratedAcceleration, Lagrange};
use macrostep_master::{Method, Sampling, Schedule};
use macrostep_oscillator::State;

fn bits(z: &[State]) -> Vec<u64> {
    z.iter().flat_map(|z| z.iter().map(|v| v.to_bits()).collect::<Vec<_>>()).collect()
}

fn newton(jacobian: InterfaceJacobian, schedule: Schedule) -> Method {
    Method { correction: Correction::Newton(Newton::new(jacobian)), ..classical(1, schedule) }
}

/// Explicit, implicit, multirate, every integrator: the library and the native unit run the same code.
#[test]
fn fmus_and_native_units_give_equal_bits() {
    let _open = factory::open_all().expect("the FMUs open");
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            let aitken = Correction::FixedPoint(FixedPoint::new(Relaxation::Aitken(1.0)));
            let methods = [
                classical(0, schedule.clone()),
                classical(3, schedule.clone()),
                method(Hermite::H3, schedule.clone()),
                method(IntegratedAcceleration::new(1), schedule.clone()),
                newton(InterfaceJacobian::FiniteDifferences, schedule.clone()),
                newton(InterfaceJacobian::Directional, schedule.clone()),
                Method { correction: aitken, ..classical(1, schedule.clone()) },
                Method { sampling: Sampling::Lagged, ..classical(1, schedule.clone()) },
            ];
            for (m, method) in methods.into_iter().enumerate() {
                for integrator in [Integrator::SemiImplicitEuler, Integrator::RungeKutta4, Integrator::Exact] {
                    let mut pair = Pair { integrator, ..test_pair(coupling, method.clone(), 1e-2) };
                    pair.stop_s = 0.3;
                    pair.micro_step_s = Some(2e-3);
                    pair.shares[m % 2] = if m < 2 { (1, 3) } else { (1, 1) };
                    let (native, fmu) = (states(&pair), states_by(&pair, &factory::fmu));
                    assert_eq!(bits(&native), bits(&fmu), "{coupling} {name}, method {m}, {integrator:?}");
                }
            }
        }
    }
}

/// In processes of their own too, whatever is sent together, put off or read ahead.
#[test]
#[cfg(target_os = "linux")]
fn isolated_and_native_units_give_equal_bits() {
    let _open = factory::open_all().expect("the FMUs open");
    let isolation = isolation();
    for coupling in Coupling::ALL {
        let aitken = Correction::FixedPoint(FixedPoint::new(Relaxation::Aitken(1.0)));
        let gs = Schedule::GaussSeidel(vec![1, 0]);
        let methods = [
            classical(0, Schedule::Jacobi),
            classical(2, gs.clone()),
            method(IntegratedAcceleration::new(1), Schedule::Jacobi),
            newton(InterfaceJacobian::FiniteDifferences, Schedule::Jacobi),
            newton(InterfaceJacobian::Directional, Schedule::Jacobi),
            Method { correction: aitken, ..classical(1, gs) },
            Method { sampling: Sampling::Lagged, ..classical(1, Schedule::Jacobi) },
        ];
        for (m, method) in methods.into_iter().enumerate() {
            let mut pair = Pair { stop_s: 0.3, ..test_pair(coupling, method, 1e-2) };
            pair.shares[m % 2] = if m < 3 { (1, 3) } else { (1, 1) };
            let isolated = states_by(&pair, &|model, name| factory::isolated(&isolation, model, name));
            assert_eq!(bits(&states(&pair)), bits(&isolated), "{coupling}, method {m}");
        }
    }
}

/// Explicit coupling steps each unit once a macro step, and its fast side as often as its rate says.
#[test]
fn every_do_step_is_counted() {
    let mut pair = Pair::new(Coupling::ForceDisplacement, classical(1, Schedule::Jacobi), 1e-2, 1.0);
    let steps = |pair: &Pair| {
        let r = run(pair, &factory::fmu, u64::MAX).expect("the run");
        assert_eq!(r.units, "fmu");
        (r.do_steps, r.statistics.runs)
    };
    assert_eq!(steps(&pair), ([100, 100], 100));
    pair.shares = [(1, 1), (1, 5)];
    assert_eq!(steps(&pair), ([100, 500], 100));
    pair.shares = [(2, 5), (1, 1)];
    assert_eq!(steps(&pair), ([250, 100], 50));
    // A run repeats the window of both units: rejected steps and those for the Jacobian count.
    pair.shares = [(1, 1), (1, 1)];
    pair.method = newton(InterfaceJacobian::FiniteDifferences, Schedule::Jacobi);
    let (do_steps, runs) = steps(&pair);
    assert_eq!(do_steps, [runs, runs]);
    assert!(runs > 200, "a guess and a correction a window at least: {runs}");
}

/// Directional derivatives save the runs a Jacobian by differences takes, and converge as well.
#[test]
fn a_jacobian_from_directional_derivatives_converges() {
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            let result = |jacobian| {
                let pair =
                    Pair { start: Start::Exact, ..Pair::new(coupling, newton(jacobian, schedule.clone()), 1e-3, 1.0) };
                run(&pair, &factory::fmu, u64::MAX).expect("the run")
            };
            let (directional, differences) =
                (result(InterfaceJacobian::Directional), result(InterfaceJacobian::FiniteDifferences));
            assert_eq!(directional.statistics.unconverged, 0, "{coupling} {name}");
            let off = (directional.end - differences.end).amax();
            assert!(off < 1e-8, "{coupling} {name}: {off:e}");
        }
    }
}

/// A rational rate meets every two macro steps and keeps the order of the predictor's degree.
#[test]
fn rational_rates_converge() {
    for coupling in Coupling::ALL {
        let error = |step_s: f64| {
            let mut pair = test_pair(coupling, method(Lagrange::new(1), Schedule::Jacobi), step_s);
            pair.shares = [(1, 1), (2, 3)];
            crate::errors::global_errors(&pair, &models::native).expect("the run").position
        };
        let order = (error(1e-2) / error(5e-3)).log2();
        assert!((order - 2.0).abs() < 0.15, "{coupling}: {order}");
    }
}
