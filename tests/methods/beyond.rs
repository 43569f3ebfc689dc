//! Methods beyond the benchmark, through the FMUs: jerk-aided explicit, spectral waveform, palindromic.

use crate::common::*;
use crate::errors::global_errors;
use crate::limited::Limited;
use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Outcome, Pair, build, run, slope};
use macrostep_master::predict::{Edge, Jerk, Predictor, Spectral};
use macrostep_master::record::{Column, Trace};
use macrostep_master::{History, Method, Schedule, Segment, Span};
use macrostep_oscillator::Parameters;

fn cases() -> [(u32, Parameters); 2] {
    [(1, Parameters::case_1()), (2, Parameters::case_2())]
}

fn through_fmus(pair: &Pair) -> Outcome {
    let r = run(pair, &factory::fmu, u64::MAX).expect("the run");
    assert_eq!(r.units, "fmu");
    r
}

fn jerk(points: usize) -> Method {
    method(Jerk { points }, Schedule::GaussSeidel(vec![1, 0]))
}

fn waveform(nodes: usize) -> Method {
    implicit(method(Spectral::new(nodes), Schedule::GaussSeidel(vec![1, 0])))
}

fn palindromic() -> Method {
    classical(0, Schedule::Palindromic(vec![0, 1]))
}

#[test]
fn jerk_meets_3e_6_with_a_thousand_steps() {
    for (case, parameters) in cases() {
        for coupling in Coupling::ALL {
            // Two points are enough where the stiffer mass, which steps first, owns the coupling; three with any cut.
            let owned = matches!(coupling, Coupling::DisplacementDisplacement | Coupling::DisplacementForce);
            for points in if owned { 2..=3 } else { 3..=3 } {
                let r = through_fmus(&Pair { parameters, ..Pair::new(coupling, jerk(points), 1e-2, 10.0) });
                let (error, what) = (r.max_relative_position(), format!("case {case}, {coupling}, {points} points"));
                assert!(error <= if points == 2 { 3e-6 } else { 1e-6 }, "{what}: {error:e}");
                assert_eq!(r.do_steps, [1000, 1000], "{what}");
            }
        }
    }
}

/// Order 5 with every cut and schedule, with a damped coupling: the rate of a force follows accelerations of both masses.
#[test]
fn jerk_is_of_order_5() {
    let _open = factory::open_all().expect("the FMUs");
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            let error = |step_s: f64| {
                let pair = test_pair(coupling, method(Jerk::default(), schedule.clone()), step_s);
                (step_s, global_errors(&pair, &factory::fmu).expect("the run").position)
            };
            let order = slope(&[4e-2, 2e-2, 1e-2].map(error), 1e-12).expect("three errors");
            assert!((order - 5.0).abs() <= 0.2, "{coupling} {name}: {order}");
        }
    }
}

#[test]
fn the_waveform_meets_its_bounds_with_150_steps() {
    for (case, parameters) in cases() {
        for (nodes, bound) in [(12, 2e-8), (16, 1e-12)] {
            for coupling in Coupling::ALL {
                let pair = Pair { parameters, ..Pair::new(coupling, waveform(nodes), 0.2, 10.0) };
                let r = through_fmus(&pair);
                let (error, what) = (r.max_relative_position(), format!("case {case}, q = {nodes}, {coupling}"));
                assert!(error <= bound, "{what}: {error:e}");
                // Two runs a window and one for each principal direction of the Jacobian: a motion as one at q nodes, and the
                // eight highest polynomials of its position alone; both motions where the first unit is driven by a force.
                let masses = if matches!(coupling, Coupling::ForceDisplacement | Coupling::ForceForce) { 2 } else { 1 };
                assert_eq!(r.do_steps, [100 + masses * (nodes as u64 + 8); 2], "{what}");
                assert!(r.do_steps[0] <= 150, "{what}");
            }
        }
    }
}

#[test]
fn the_symmetric_schedule_conserves_energy_and_costs_half_a_step_more() {
    for (case, parameters) in cases() {
        let mut errors = Vec::new();
        for step_s in [2e-2, 1e-2, 5e-3, 2.5e-3] {
            let coupling = Coupling::DisplacementDisplacement;
            let pair = Pair { parameters, ..Pair::new(coupling, palindromic(), step_s, 10.0) };
            let r = through_fmus(&pair);
            let n = (10.0 / step_s).round() as u64;
            assert_eq!(r.do_steps, [n + 1, n], "case {case}, H = {step_s}");
            if case == 1 {
                assert!(r.drift <= 1e-12f64.max(1e-16 * 2.0 * n as f64), "H = {step_s}: {:e}", r.drift);
            }
            errors.push((step_s, r.max_relative_position()));
        }
        let order = slope(&errors[1..], 0.0).expect("three errors");
        assert!((order - 2.0).abs() <= 0.1, "case {case}: {order}");
    }
}

/// A method says what it needs where a unit does not offer it.
#[test]
fn a_method_names_the_dense_output_it_lacks() {
    let coupling = Coupling::DisplacementDisplacement;
    let mut without = method(NodesOfAccelerations, Schedule::Jacobi);
    without.correction = implicit(without.clone()).correction;
    // Such a unit would be stepped from node to node.
    let even = |model: &str, name: &str| {
        Ok(Limited::boxed(factory::fmu(model, name)?, |c| c.can_handle_variable_communication_step_size = false))
    };
    let refused = match build(&Pair::new(coupling, without, 0.2, 10.0), &even) {
        Ok(_) => String::new(),
        Err(e) => e.to_string(),
    };
    assert!(refused.contains("`mass1`") && refused.contains("`a_node[1]`"), "{refused}");
}

/// Wants what the oscillators do not offer: accelerations inside a step.
#[derive(Debug)]
struct NodesOfAccelerations;

impl Predictor for NodesOfAccelerations {
    fn depth(&self) -> usize {
        5
    }
    fn edge(&self) -> Edge {
        Edge::BeforeLaw
    }
    fn components(&self) -> usize {
        3
    }
    fn nodes(&self) -> usize {
        4
    }
    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        Spectral::new(4).segments(history, span, out);
    }
}

/// The symmetric schedule recorded where a variable is not known at mid-step: whole symmetric steps, all units together at every point. What is
/// recorded does not change the result, with any predictor.
#[test]
fn variables_without_dense_output_are_recorded_at_their_time() {
    for degree in 0..3 {
        let method = classical(degree, Schedule::Palindromic(vec![0, 1]));
        recorded_at_their_time(&Pair::new(Coupling::DisplacementDisplacement, method, 1e-2, 1.0));
    }
}

fn recorded_at_their_time(pair: &Pair) {
    let rows = |variables: &[&str]| {
        let mut c = build(pair, &models::native).expect("built");
        for name in variables {
            c.simulation.record(c.units[0], name, name).expect("recorded");
        }
        let mut trace = Trace::new(variables.iter().map(|n| Column::new(*n, "1")));
        c.simulation.run(100, 1, &mut trace).expect("the run");
        (trace, c.simulation.do_steps())
    };
    let (merged, steps) = rows(&["x", "v"]);
    assert_eq!(steps, [101, 100]);
    let (whole, steps) = rows(&["x", "v", "e_kin"]);
    assert_eq!(steps, [200, 100]);
    for (a, b) in merged.rows().zip(whole.rows()) {
        assert!((a[1] - b[1]).abs() < 1e-11 && (a[2] - b[2]).abs() < 1e-10, "{a:?} {b:?}");
        assert!((b[3] - 0.5 * b[2] * b[2]).abs() < 1e-8, "{b:?}");
    }
}
