//! Windows of which only the end is looked at go by a shorter way where inputs are held. It makes the same calls with
//! the same values as windows one by one do.

use crate::common::*;
use macrostep::factory;
use macrostep::pair::{Coupling, Integrator, Pair, Start, build};
use macrostep_master::record::{Column, Observer, Trace};
use macrostep_master::{Sampling, Schedule};

const COLUMNS: [&str; 3] = ["x", "v", "a"];

/// Rows of both ways: every `every`-th window, everything in bits, and the calls made.
fn rows(pair: &Pair, every: u64, one_by_one: bool) -> (Vec<Vec<u64>>, Vec<u64>) {
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
    (bits, c.simulation.do_steps())
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
                    let (short, long) = (rows(&pair, 5, false), rows(&pair, 5, true));
                    assert_eq!(short, long, "{coupling} {name} {sampling:?} {shares:?}");
                    assert_eq!(short.0.len(), (0.6 / (1e-2 * meets_every(&shares))).round() as usize / 5 + 1);
                }
            }
        }
    }
}

/// Macro steps until both units meet.
fn meets_every(shares: &[(u32, u32); 2]) -> f64 {
    f64::from(shares.iter().map(|s| s.0).product::<u32>())
}

/// What the short way leaves behind is enough to go on window by window, and the other way round.
#[test]
fn both_ways_can_take_turns() {
    let pair = |stop_s| Pair::new(Coupling::ForceDisplacement, classical(0, Schedule::Jacobi), 1e-2, stop_s);
    let end = |turns: &[(u64, bool)]| {
        let mut c = build(&pair(1.0), &factory::native).expect("built");
        for &(n, short) in turns {
            if short {
                c.simulation.run(n, u64::MAX, &mut ()).expect("a stretch");
            } else {
                for _ in 0..n {
                    c.simulation.step().expect("a window");
                }
            }
        }
        macrostep::pair::state(&c)
    };
    let expected = end(&[(100, false)]);
    assert_eq!(end(&[(100, true)]), expected);
    assert_eq!(end(&[(30, true), (7, false), (40, true), (23, false)]), expected);
}
