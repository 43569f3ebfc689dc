//! Stiff links: the mean of both ends of a step makes no energy, whatever the gain of the link over a macro step is.

use crate::common::*;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Outcome, Pair, run, slope};
use macrostep_master::predict::{Lagrange, Mean, Predictor};
use macrostep_master::{Method, Schedule};
use macrostep_oscillator::Parameters;

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
        for exponent in -2..=6 {
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
