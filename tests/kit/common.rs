//! Parts that the tests of coupled oscillators share.
#![allow(dead_code)] // each test file uses its part

use crate::errors::state;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Integrator, Outcome, Pair, Start, build, run};
use macrostep_master::correct::{Correction, InterfaceJacobian, Newton};
use macrostep_master::predict::{Lagrange, Predictor};
use macrostep_master::{Method, Schedule};
use macrostep_oscillator::{Parameters, State};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Jacobi and both Gauss–Seidel orders.
pub fn schedules() -> [(&'static str, Schedule); 3] {
    [
        ("jacobi", Schedule::Jacobi),
        ("gs12", Schedule::GaussSeidel(vec![0, 1])),
        ("gs21", Schedule::GaussSeidel(vec![1, 0])),
    ]
}

pub fn method(predictor: impl Predictor + 'static, schedule: Schedule) -> Method {
    Method { predictor: Arc::new(predictor), schedule, ..Method::default() }
}

pub fn classical(degree: usize, schedule: Schedule) -> Method {
    method(Lagrange::new(degree), schedule)
}

pub fn implicit(mut method: Method) -> Method {
    method.correction = Correction::Newton(Newton::new(InterfaceJacobian::FiniteDifferences));
    method
}

/// The test model of the orders, exact start, T = 2.
pub fn test_pair(coupling: Coupling, method: Method, step_s: f64) -> Pair {
    Pair { parameters: Parameters::test_model(), start: Start::Exact, ..Pair::new(coupling, method, step_s, 2.0) }
}

/// Semi-implicit Euler with h = H.
pub fn monolithic_like(coupling: Coupling, method: Method, parameters: Parameters, step_s: f64, stop_s: f64) -> Pair {
    Pair { parameters, integrator: Integrator::SemiImplicitEuler, ..Pair::new(coupling, method, step_s, stop_s) }
}

/// States at all communication points, natively.
pub fn states(pair: &Pair) -> Vec<State> {
    states_by(pair, &models::native)
}

pub fn states_by(pair: &Pair, factory: macrostep_analysis::models::Factory<'_>) -> Vec<State> {
    let mut c = build(pair, factory).expect("the pair is built");
    let windows = c.simulation.windows_in(pair.stop_s).expect("whole windows");
    let mut out = Vec::new();
    for n in 0..=windows {
        if n > 0 {
            c.simulation.step().expect("a step");
        }
        out.push(state(&c));
    }
    out
}

/// Largest relative position error over a native run.
pub fn position_error(pair: &Pair) -> f64 {
    native_run(pair).max_relative_position()
}

pub fn native_run(pair: &Pair) -> Outcome {
    run(pair, &models::native, u64::MAX).expect("the run")
}

/// Isolated units in processes of the program under test.
#[cfg(target_os = "linux")]
pub fn isolation() -> macrostep_import::isolation::Isolation {
    let limits = macrostep_import::isolation::Limits::default();
    macrostep_import::isolation::Isolation::of(env!("CARGO_BIN_EXE_macrostep").into(), limits)
}

/// A folder under the target folder for the files of one module of tests: `folder(module_path!())`.
pub fn folder(module: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(module.replace("::", "-"));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}
