//! Windows of which only the end is looked at go by a shorter way where inputs are held, or follow polynomials of low degree. It
//! makes the same calls with the same values as windows one by one do.

use crate::common::*;
use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Bonds, Coupling, Integrator, Pair, Start, build};
use macrostep_master::predict::{Edge, Hermite, Lagrange, Predictor, Stencil};
use macrostep_master::record::{Column, Observer, Trace};
use macrostep_master::{Account, History, Method, Sampling, Schedule, Segment, Span};
use macrostep_oscillator::State;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const COLUMNS: [&str; 3] = ["x", "v", "a"];

/// Rows of both ways: every `every`-th window, everything in bits, the calls made, and the accounts of power bonds.
fn rows(pair: &Pair, every: u64, one_by_one: bool) -> (Vec<Vec<u64>>, Vec<u64>, Vec<Account>) {
    let mut c = build(pair, &factory::fmu).expect("built");
    for (i, unit) in c.units.into_iter().enumerate() {
        for name in COLUMNS {
            c.simulation.record(unit, name, &format!("{name}{}", i + 1)).expect("recorded");
        }
    }
    let mut trace = Trace::new((0..6).map(|i| Column::new(format!("c{i}"), "1")));
    let windows = c.simulation.windows_in(pair.stop_s).expect("whole windows");
    if one_by_one {
        c.simulation.observe(&mut trace).expect("a row");
        for n in 1..=windows {
            c.simulation.step().expect("a window");
            if n % every == 0 {
                c.simulation.observe(&mut trace).expect("a row");
            }
        }
    } else {
        c.simulation.run(windows, every, &mut trace as &mut dyn Observer).expect("the run");
    }
    assert_eq!(c.simulation.statistics().windows, windows);
    let bits = trace.rows().map(|r| r.iter().map(|v| v.to_bits()).collect()).collect();
    (bits, c.simulation.do_steps(), c.simulation.accounts().to_vec())
}

/// Laws under a palindromic schedule: one of their inputs is known in the middle of the other unit's step, and that is where the law is
/// evaluated, window by window too.
#[test]
fn a_law_takes_what_is_known_within_a_step() {
    let _open = factory::open_all().expect("the FMUs open");
    for order in [vec![0, 1], vec![1, 0]] {
        for coupling in Coupling::ALL {
            for degree in 0..3 {
                let method = classical(degree, Schedule::Palindromic(order.clone()));
                let pair = Pair { start: Start::Ramp, ..Pair::new(coupling, method, 1e-2, 0.6) };
                let (short, long) = (rows(&pair, 1, false), rows(&pair, 1, true));
                assert_eq!(short, long, "{coupling} {order:?} {degree}");
            }
        }
    }
}

/// Every coupling, schedule and sampling, equal steps, whole and broken rates.
#[test]
fn a_stretch_of_windows_leaves_what_single_windows_leave() {
    let _open = factory::open_all().expect("the FMUs open");
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            for sampling in [Sampling::Updated, Sampling::Lagged] {
                for shares in [[(1, 1), (1, 1)], [(1, 1), (1, 4)], [(1, 3), (1, 1)], [(1, 1), (2, 3)], [(2, 5), (1, 1)]]
                {
                    let mut method = classical(0, schedule.clone());
                    method.sampling = sampling;
                    let integrator = Integrator::SemiImplicitEuler;
                    let pair =
                        Pair { integrator, shares, start: Start::Ramp, ..Pair::new(coupling, method, 1e-2, 0.6) };
                    for (every, bonds) in [(1, Bonds::Unwatched), (5, Bonds::Named)] {
                        let pair = Pair { bonds, ..pair.clone() };
                        let (short, long) = (rows(&pair, every, false), rows(&pair, every, true));
                        assert_eq!(short, long, "{coupling} {name} {sampling:?} {shares:?} every {every}");
                        let windows = (0.6 / (1e-2 * meets_every(&shares))).round() as u64;
                        assert_eq!(short.0.len() as u64, windows / every + 1);
                        assert!(
                            short.2.len() == usize::from(bonds == Bonds::Named)
                                && short.2.iter().all(|a| a.power_max_w > 0.0)
                        );
                    }
                }
            }
        }
    }
}

/// Lines, parabolas and motions, in every coupling, schedule and sampling; short runs, in which nothing is known yet, too.
#[test]
fn polynomials_are_those_of_single_windows() {
    let _open = factory::open_all().expect("the FMUs open");
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            for sampling in [Sampling::Updated, Sampling::Lagged] {
                let predictors: [Arc<dyn Predictor>; 3] =
                    [Arc::new(Lagrange::new(1)), Arc::new(Lagrange::new(2)), Arc::new(Hermite::H3)];
                for predictor in predictors {
                    let what = format!("{coupling} {name} {sampling:?} {predictor:?}");
                    let method = Method { predictor, sampling, ..classical(0, schedule.clone()) };
                    let integrator = Integrator::SemiImplicitEuler;
                    let (none, named) = (Bonds::Unwatched, Bonds::Named);
                    for (stop_s, every, bonds) in [(0.6, 1, none), (0.6, 5, named), (0.03, 2, named), (0.01, 1, none)] {
                        let pair = Pair::new(coupling, method.clone(), 1e-2, stop_s);
                        let pair = Pair { integrator, start: Start::Ramp, bonds, ..pair };
                        assert_eq!(rows(&pair, every, false), rows(&pair, every, true), "{what} {stop_s} s");
                    }
                }
            }
        }
    }
}

/// A line that counts how often it is asked for.
#[derive(Debug)]
struct Counted(Arc<AtomicU64>);

impl Predictor for Counted {
    fn depth(&self) -> usize {
        2
    }

    fn edge(&self) -> Edge {
        Edge::AfterLaw
    }

    fn stencil(&self) -> Option<Stencil> {
        Some(Stencil::Line)
    }

    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        self.0.fetch_add(1, Ordering::Relaxed);
        Lagrange::new(1).segments(history, span, out);
    }
}

/// Once there are samples enough, no predictor is asked.
#[test]
fn polynomials_are_made_without_the_predictor() {
    let asked = Arc::new(AtomicU64::new(0));
    let method = method(Counted(asked.clone()), Schedule::Jacobi);
    let pair = Pair { start: Start::Ramp, ..Pair::new(Coupling::DisplacementDisplacement, method, 1e-2, 1.0) };
    let mut c = build(&pair, &models::native).expect("built");
    c.simulation.run(100, u64::MAX, &mut ()).expect("the run");
    // Two channels in the first window, and in the second, before which no derivatives have been sent.
    assert_eq!(asked.load(Ordering::Relaxed), 4);
}

/// Macro steps until both units meet.
fn meets_every(shares: &[(u32, u32); 2]) -> f64 {
    f64::from(shares.iter().map(|s| s.0).product::<u32>())
}

/// What the short way leaves behind is enough to go on window by window, and the other way round.
#[test]
fn both_ways_can_take_turns() {
    for degree in 0..3 {
        let pair = Pair::new(Coupling::ForceDisplacement, classical(degree, Schedule::Jacobi), 1e-2, 1.0);
        let end = |turns: &[(u64, bool)]| after(&pair, turns);
        let expected = end(&[(100, false)]);
        assert_eq!(end(&[(100, true)]), expected);
        assert_eq!(end(&[(30, true), (7, false), (40, true), (1, false), (1, true), (21, false)]), expected);
    }
}

/// The states after so many windows each, by a stretch or one by one.
fn after(pair: &Pair, turns: &[(u64, bool)]) -> State {
    let mut c = build(pair, &models::native).expect("built");
    for &(n, short) in turns {
        if short {
            c.simulation.run(n, u64::MAX, &mut ()).expect("a stretch");
        } else {
            (0..n).for_each(|_| _ = c.simulation.step().expect("a window"));
        }
    }
    crate::errors::state(&c)
}

/// Takes rows, and ends the run after so many looks.
struct Ending {
    rows: Vec<f64>,
    left: u64,
}

impl Observer for Ending {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        self.rows.push(t_s);
        self.rows.extend_from_slice(values);
    }

    fn goes_on(&mut self) -> bool {
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }
}

/// Who watches a run can end it after any window, and go on from there with the rows that are due.
#[test]
fn a_stretch_ends_where_its_observer_wants() {
    for schedule in [Schedule::Jacobi, Schedule::GaussSeidel(vec![1, 0])] {
        let pair = Pair::new(Coupling::ForceDisplacement, classical(0, schedule), 1e-2, 1.0);
        let rows = |parts: &[u64]| {
            let mut c = build(&pair, &models::native).expect("built");
            c.simulation.record(c.units[0], "a", "a1").expect("recorded");
            let (mut ending, mut done) = (Ending { rows: Vec::new(), left: 0 }, 0);
            for &part in parts {
                ending.left = part;
                let made = c.simulation.advance(100 - done, (done, 3), &mut ending).expect("a stretch");
                assert_eq!(made, part.min(100 - done));
                done += made;
            }
            assert_eq!(done, 100);
            ending.rows
        };
        let whole = rows(&[u64::MAX]);
        assert_eq!(whole.len(), 2 * 33);
        assert_eq!(rows(&[1, 7, 30, 2, u64::MAX]), whole);
    }
}

/// A run that diverges ends at the window in which it does, with the rows until then.
#[test]
fn a_stretch_diverges_when_single_windows_do() {
    for schedule in [Schedule::Jacobi, Schedule::GaussSeidel(vec![0, 1])] {
        for native in [true, false] {
            let mut pair = Pair::new(Coupling::ForceForce, classical(0, schedule.clone()), 0.5, 1e4);
            pair.parameters.k_c *= 100.0;
            let ended = |one_by_one: bool| {
                let units: macrostep_analysis::models::Factory<'_> =
                    if native { &models::native } else { &factory::fmu };
                let mut c = build(&pair, units).expect("built");
                c.simulation.record(c.units[0], "x", "x1").expect("recorded");
                let mut rows = Ending { rows: Vec::new(), left: u64::MAX };
                let error = if one_by_one {
                    loop {
                        match c.simulation.step() {
                            Ok(_) => c.simulation.observe(&mut rows).expect("a row"),
                            Err(error) => break error,
                        }
                    }
                } else {
                    c.simulation.advance(20_000, (0, 1), &mut rows).expect_err("it diverges")
                };
                let diverged = c.simulation.diverged().expect("diverged").clone();
                (error.to_string(), diverged.t_s, rows.rows, c.simulation.statistics().windows)
            };
            let (short, long) = (ended(false), ended(true));
            assert!(short.0.starts_with("diverged at t = ") && short.2.len() > 20, "{}", short.0);
            assert_eq!(short, long);
        }
    }
}
