//! Van der Pol's equation with μ = 1000 and Robertson's reaction: our integrator is within its tolerance of what `diffsol` finds, and takes at most 1.5 times
//! the steps of the best of its implicit methods that is at least as accurate.

use diffsol::{
    Bdf, NalgebraLU, NalgebraMat, NalgebraVec, OdeBuilder, OdeEquations, OdeSolverMethod, OdeSolverStopReason, Vector,
};
use macrostep_ode::adaptive::{Integrator, Rates};
use std::convert::Infallible;

type Matrix = NalgebraMat<f64>;
type Lu = NalgebraLU<f64>;

/// More steps than these are not looked at.
const STEPS_MAX: usize = 20_000;

/// Equations ż = f(z), and the product of their Jacobian matrix with a vector.
#[derive(Clone, Copy)]
struct Stiff {
    name: &'static str,
    rates: fn(&[f64], &mut [f64]),
    product: fn(&[f64], &[f64], &mut [f64]),
    start: &'static [f64],
    /// How large the states usually are.
    nominal: &'static [f64],
    end_s: f64,
}

const VAN_DER_POL: Stiff = Stiff {
    name: "Van der Pol",
    rates: |z, dz| (dz[0], dz[1]) = (z[1], 1e6 * ((1.0 - z[0] * z[0]) * z[1] - z[0])),
    product: |z, v, dz| {
        (dz[0], dz[1]) = (v[1], 1e6 * ((-2.0 * z[0] * z[1] - 1.0) * v[0] + (1.0 - z[0] * z[0]) * v[1]));
    },
    start: &[2.0, 0.0],
    nominal: &[1.0, 1.0],
    end_s: 2.0,
};

const ROBERTSON: Stiff = Stiff {
    name: "Robertson",
    rates: |z, dz| {
        let (slow, fast, back) = (0.04 * z[0], 3e7 * z[1] * z[1], 1e4 * z[1] * z[2]);
        (dz[0], dz[1], dz[2]) = (-slow + back, slow - back - fast, fast);
    },
    product: |z, v, dz| {
        let (slow, fast, back) = (0.04 * v[0], 6e7 * z[1] * v[1], 1e4 * (z[1] * v[2] + z[2] * v[1]));
        (dz[0], dz[1], dz[2]) = (-slow + back, slow - back - fast, fast);
    },
    start: &[1.0, 0.0, 0.0],
    nominal: &[1.0, 1e-4, 1.0],
    end_s: 40.0,
};

impl Rates for Stiff {
    type Error = Infallible;

    fn rates(&mut self, _: f64, z: &[f64], dz: &mut [f64]) -> Result<(), Infallible> {
        (self.rates)(z, dz);
        Ok(())
    }
}

/// States at the end, and the steps that led there.
#[derive(Debug, Clone)]
struct Solution {
    z: Vec<f64>,
    steps: usize,
}

impl Solution {
    /// Largest relative error of a state.
    fn error(&self, exact: &[f64]) -> f64 {
        self.z.iter().zip(exact).map(|(z, exact)| ((z - exact) / exact).abs()).fold(0.0, f64::max)
    }
}

/// By our integrator.
fn ours(mut stiff: Stiff, tolerance: f64) -> Solution {
    let mut integrator = Integrator::new(stiff.nominal, tolerance);
    integrator.begin(0.0, stiff.start);
    let end_s = stiff.end_s;
    while integrator.time() < end_s {
        integrator.step(&mut stiff, end_s).expect("a step");
    }
    Solution { z: integrator.states().to_vec(), steps: integrator.work().steps as usize }
}

/// By a solver of `diffsol` that is ready to step; `None` where it fails, or takes too many steps.
fn solved<'a, E>(mut solver: impl OdeSolverMethod<'a, E>, end_s: f64) -> Option<Solution>
where
    E: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'a,
{
    solver.set_stop_time(end_s).expect("a time to come");
    for steps in 1..=STEPS_MAX {
        if solver.step().ok()? == OdeSolverStopReason::TstopReached {
            return Some(Solution { z: solver.state().y.clone_as_vec(), steps });
        }
    }
    None
}

/// By all implicit methods of `diffsol`, those that fail left out.
fn theirs(stiff: Stiff, tolerance: f64) -> Vec<(&'static str, Solution)> {
    let Stiff { rates, product, start, nominal, end_s, .. } = stiff;
    let problem = OdeBuilder::<Matrix>::new()
        .rtol(tolerance)
        .atol(nominal.iter().map(|size| size * tolerance).collect::<Vec<f64>>())
        .h0(1e-6)
        .rhs_implicit(move |z, _, _, dz| rates(z, dz), move |z, _, _, v, dz| product(z, v, dz))
        .init(move |_, _, z| z.copy_from_slice(start), start.len())
        .build()
        .expect("a problem");
    let bdf: Result<Bdf<'_, _, Lu>, _> = problem.bdf();
    let found = [
        ("BDF", bdf.ok().and_then(|solver| solved(solver, end_s))),
        ("TR-BDF2", problem.tr_bdf2::<Lu>().ok().and_then(|solver| solved(solver, end_s))),
        ("ESDIRK34", problem.esdirk34::<Lu>().ok().and_then(|solver| solved(solver, end_s))),
    ];
    found.into_iter().filter_map(|(method, solution)| Some((method, solution?))).collect()
}

/// Compares both, tolerance by tolerance of ours.
fn compare(stiff: Stiff) {
    // Theirs with many tolerances, three a decade; the most accurate of BDF is what ours is compared with.
    let tolerances = (0..=24).map(|k| 1e-3 * 10f64.powf(f64::from(-k) / 3.0));
    let theirs: Vec<(f64, &str, Solution)> =
        tolerances.flat_map(|r| theirs(stiff, r).into_iter().map(move |(method, s)| (r, method, s))).collect();
    let finest = theirs.iter().rfind(|(_, method, _)| *method == "BDF").expect("a solution of BDF");
    // What is exact enough for both: ours, as fine as it goes, which is no further from theirs than they are themselves.
    let exact = ours(stiff, 1e-13).z;
    assert!(finest.2.error(&exact) < 1e-8, "{}: {:e}", stiff.name, finest.2.error(&exact));
    for tolerance in [1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
        let mine = ours(stiff, tolerance);
        let (beside, error) = (mine.error(&finest.2.z), mine.error(&exact));
        // The fewest steps of theirs with no larger error; where none is that accurate, of the most accurate ones.
        let least = theirs.iter().map(|(.., s)| s.error(&exact)).fold(f64::INFINITY, f64::min);
        let as_good = theirs.iter().filter(|(.., s)| s.error(&exact) <= error.max(least));
        let (r, method, best) = as_good.min_by_key(|(.., s)| s.steps).expect("one of them");
        let (n, theirs_n, theirs_error) = (mine.steps, best.steps, best.error(&exact));
        println!(
            "{}, {tolerance:.0e}: {n} steps, error {error:.1e}; {method} with {r:.1e}: {theirs_n} steps, error {theirs_error:.1e}",
            stiff.name
        );
        assert!(beside <= tolerance, "{}, {tolerance:e}: {beside:e} from BDF", stiff.name);
        assert!(2 * n <= 3 * theirs_n, "{}, {tolerance:e}: {n} steps, {method} {theirs_n}", stiff.name);
    }
}

#[test]
fn van_der_pol() {
    compare(VAN_DER_POL);
}

#[test]
fn robertson() {
    compare(ROBERTSON);
}
