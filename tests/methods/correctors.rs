//! Correctors on the pair: they agree, and their numbers of runs.

use crate::common::*;
use crate::run::json;
use macrostep::factory;
use macrostep_analysis::pair::{Coupling, Outcome, Pair, run};
use macrostep_master::correct::{
    Convergence, Correction, Corrector, FixedPoint, InterfaceJacobian, Learnt, MultiVector, Newton, NewtonKrylov,
    Problem, QuasiNewton, Relaxation, SemiImplicit, relative,
};
use macrostep_master::unit::UnitError;
use macrostep_master::{Method, Schedule};
use std::sync::Arc;

fn correctors() -> [(&'static str, Correction); 7] {
    [
        ("fixed-point", Correction::FixedPoint(FixedPoint::new(Relaxation::Aitken(1.0)))),
        ("newton", Correction::Newton(Newton::new(InterfaceJacobian::FiniteDifferences))),
        ("iqn-ils", Correction::QuasiNewton(QuasiNewton::iqn_ils())),
        ("iqn-imvj", Correction::MultiVector(MultiVector::default())),
        ("anderson", Correction::QuasiNewton(QuasiNewton::anderson(5, 1.0))),
        ("newton-krylov", Correction::NewtonKrylov(NewtonKrylov::default())),
        ("semi-implicit", Correction::SemiImplicit(SemiImplicit::default())),
    ]
}

fn coupled(coupling: Coupling, correction: Correction, schedule: Schedule, step_s: f64) -> Outcome {
    let method = Method { correction, ..classical(1, schedule) };
    run(&Pair::new(coupling, method, step_s, 1.0), &factory::fmu, u64::MAX).expect("the run")
}

/// Work: runs of 500 windows, H = 2 ms, in the decomposition that takes most.
fn runs_max(corrector: &str) -> u64 {
    match corrector {
        "semi-implicit" => 1000,
        // A guess and a correction, and the Jacobian once.
        "newton" => 1012,
        // The same once the secants are known.
        "iqn-ils" | "iqn-imvj" => 1020,
        "anderson" => 2600,
        "fixed-point" => 2600,
        _ => 5000,
    }
}

/// All converge to the same window, to the tolerance; the semi-implicit one to what one correction leaves.
#[test]
fn correctors_agree() {
    let _open = factory::open_all().expect("the FMUs open");
    for coupling in Coupling::ALL {
        for (schedule_name, schedule) in schedules() {
            let newton = coupled(coupling, correctors()[1].1.clone(), schedule.clone(), 2e-3);
            for (name, correction) in correctors() {
                let r = coupled(coupling, correction, schedule.clone(), 2e-3);
                let off = (r.end - newton.end).amax();
                let what = format!("{coupling} {schedule_name} {name}");
                assert_eq!(r.statistics.unconverged, 0, "{what}: {:?}", r.statistics);
                if name == "semi-implicit" {
                    // What one correction leaves is small beside the error of the implicit scheme itself.
                    let gain = r.max_relative_position() / newton.max_relative_position();
                    assert!(gain < 4.0 / 3.0, "{what}: {gain}");
                } else {
                    assert!(off < 1e-8, "{what}: {off:e}");
                }
                let (runs, most) = (r.statistics.runs, runs_max(name));
                assert!(runs <= most, "{what}: {runs} runs of 500 windows, expected at most {most}");
            }
        }
    }
}

/// Directional derivatives at a step's start say little of a step that is long for the spring: differences take their place.
#[test]
fn an_estimate_that_is_slow_is_replaced_by_differences() {
    let with = |correct: &str| {
        let named = ["run", "case-1:f-s", "--json", "--correct", correct, "--set", "mass1.k_c=5e4"];
        let options = ["--predict", "linear", "--schedule", "jacobi", "--step", "1e-2", "--stop", "0.2"];
        json(&[&named[..], &options[..]].concat())
    };
    let (estimated, differences) = (with("newton-directional"), with("newton"));
    assert_eq!(estimated["unconverged_windows"], 0, "{estimated}");
    // The fixed point is that of the differences.
    let values = |result: &serde_json::Value| -> Vec<(String, f64)> {
        let last = result["final"].as_object().expect("final values");
        last.iter().filter_map(|(name, x)| Some((name.clone(), x.as_f64()?))).collect()
    };
    let (found, expected) = (values(&estimated), values(&differences));
    assert!(found.len() >= 4 && found.len() == expected.len(), "{estimated}");
    for ((name, a), (_, b)) in found.iter().zip(&expected) {
        assert!((a - b).abs() < 1e-7 * (1.0 + b.abs()), "{name}: {a}, by differences {b}");
    }
}

/// One rollback, never more, never less.
#[test]
fn semi_implicit_runs_every_window_twice() {
    for coupling in Coupling::ALL {
        let correction = Correction::SemiImplicit(SemiImplicit::default());
        let r = coupled(coupling, correction, Schedule::Jacobi, 1e-2);
        assert_eq!((r.statistics.runs, r.do_steps), (200, [200, 200]), "{coupling}");
    }
}

/// Under-relaxation as a user of the library would write it.
#[derive(Debug)]
struct Relaxed(f64);

impl Corrector for Relaxed {
    fn correct(&self, learnt: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        learnt.numbers.resize(y.len(), 0.0);
        let mut runs = 0;
        loop {
            runs += 1;
            problem.evaluate(y, &mut learnt.numbers)?;
            let residual = relative(&learnt.numbers, problem.scale());
            if residual <= 1e-12 || runs == 50 {
                return Ok(Convergence { runs, residual, converged: residual <= 1e-12 });
            }
            y.iter_mut().zip(&learnt.numbers).for_each(|(y, r)| *y += self.0 * r);
        }
    }
}

#[test]
fn a_corrector_of_ones_own_has_the_bits_of_the_one_it_writes_down() {
    let relaxed = Correction::FixedPoint(FixedPoint::new(Relaxation::Constant(0.7)));
    let own = |omega| Correction::Custom(Arc::new(Relaxed(omega)));
    for schedule in [Schedule::Jacobi, Schedule::GaussSeidel(vec![0, 1])] {
        let run = |correction| coupled(Coupling::ForceForce, correction, schedule.clone(), 2e-3);
        let (built, found, other) = (run(relaxed.clone()), run(own(0.7)), run(own(0.6)));
        assert_eq!((&built.end, built.statistics.runs), (&found.end, found.statistics.runs));
        assert!(found.statistics.runs > 2 * 500 && found.statistics.runs != other.statistics.runs);
    }
}
