//! Step control: the tolerance is kept, the end is met, and the work is less than with steps of one length.

use crate::common::*;
use crate::limited::Limited;
use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Bonds, Coupling, Outcome, Pair, build, run};
use macrostep_master::correct::{Correction, InterfaceJacobian, Newton};
use macrostep_master::predict::{IntegratedAcceleration, Lagrange, Predictor};
use macrostep_master::{Estimate, Method, Schedule, StepControl};
use std::sync::Arc;

fn family(make: impl Fn(usize) -> Arc<dyn Predictor>) -> Vec<Arc<dyn Predictor>> {
    (0..=4).map(make).collect()
}

fn controlled(tolerance: f64, schedule: Schedule) -> Method {
    let mut control = StepControl::new(Estimate::Error, tolerance);
    control.family = family(|k| Arc::new(Lagrange::new(k)));
    Method { control: Some(control), ..classical(1, schedule) }
}

fn through_fmus(pair: &Pair) -> Outcome {
    run(pair, &factory::fmu, u64::MAX).expect("the run")
}

/// Every window taken back is a step more of each unit, and the run ends where it should.
#[test]
fn rejected_windows_are_rolled_back_and_counted() {
    let mut rejected = 0;
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            let pair = Pair::new(coupling, controlled(1e-4, schedule), 0.1, 5.0);
            let r = through_fmus(&pair);
            let course = r.course.expect("a course");
            rejected += course.rejected;
            assert_eq!(r.do_steps, [r.statistics.windows + course.rejected; 2], "{coupling} {name}");
            assert!(
                course.window_s[1] > 4.0 * course.window_s[0] && course.degree[1] > 2,
                "{coupling} {name}: {course:?}"
            );
            let t_s = *r.trace.column("time").expect("times").last().expect("rows");
            assert!((t_s - 5.0).abs() < 1e-12, "{coupling} {name}: {t_s}");
            assert!(r.max_relative_position() < 3e-3, "{coupling} {name}: {:e}", r.max_relative_position());
        }
    }
    assert!(rejected > 100, "{rejected}");
}

/// The work of runs, frozen: every exponent and factor of the controller is in it.
#[test]
fn the_work_of_control_is_known() {
    let work = |coupling, tolerance| {
        let r = through_fmus(&Pair::new(coupling, controlled(tolerance, Schedule::Jacobi), 0.1, 5.0));
        (r.statistics.windows, r.course.expect("a course").rejected)
    };
    let found: Vec<(u64, u64)> =
        Coupling::ALL.into_iter().flat_map(|c| [1e-3, 1e-5].map(|tolerance| work(c, tolerance))).collect();
    let frozen = [(850, 0), (2854, 0), (713, 0), (1910, 0), (850, 0), (2854, 0), (611, 133), (1581, 131)];
    assert_eq!(found, frozen);
}

/// A hundredth of the tolerance, a fraction of the error.
#[test]
fn the_error_follows_the_tolerance() {
    for coupling in Coupling::ALL {
        let error = |tolerance: f64| {
            let r = through_fmus(&Pair::new(coupling, controlled(tolerance, Schedule::Jacobi), 0.1, 10.0));
            (r.max_relative_position(), r.do_steps[0])
        };
        let (coarse, fine) = (error(1e-3), error(1e-6));
        assert!(coarse.0 < 5e-2 && fine.0 < 5e-5 && coarse.0 > 30.0 * fine.0, "{coupling}: {coarse:?} {fine:?}");
        assert!(fine.1 < 10 * coarse.1, "{coupling}: {coarse:?} {fine:?}");
    }
}

/// Beside quadratic extrapolation with as many steps of one length.
#[test]
fn a_chosen_step_is_worth_its_estimate() {
    let r = through_fmus(&Pair::new(Coupling::ForceForce, controlled(1e-5, Schedule::Jacobi), 0.1, 10.0));
    let steps = r.do_steps[0];
    assert!(steps < 4000, "{steps}");
    let fixed =
        position_error(&Pair::new(Coupling::ForceForce, classical(2, Schedule::Jacobi), 10.0 / steps as f64, 10.0));
    assert!(r.max_relative_position() < fixed / 10.0, "{:e} {fixed:e}", r.max_relative_position());
}

/// Rates between units stay; so do other predictors, and correctors.
#[test]
fn control_goes_with_multirate_motions_and_correctors() {
    let base = controlled(1e-5, Schedule::Jacobi);
    let mut multirate = Pair::new(Coupling::DisplacementForce, base.clone(), 0.1, 5.0);
    multirate.shares = [(1, 1), (2, 3)];
    let r = through_fmus(&multirate);
    assert!(r.max_relative_position() < 1e-3, "{:e}", r.max_relative_position());
    assert_eq!(2 * r.do_steps[1], 3 * r.do_steps[0]);

    let mut motions = base.clone();
    motions.predictor = Arc::new(IntegratedAcceleration::new(1));
    motions.control = motions.control.map(|c| StepControl {
        family: family(|k| Arc::new(IntegratedAcceleration::new(k))),
        lowest: 1,
        ..c
    });
    let r = through_fmus(&Pair::new(Coupling::ForceForce, motions, 0.1, 5.0));
    assert!(r.max_relative_position() < 1e-4 && r.do_steps[0] < 3000, "{:e}", r.max_relative_position());

    let newton = Correction::Newton(Newton::new(InterfaceJacobian::Directional));
    let r = through_fmus(&Pair::new(Coupling::ForceForce, Method { correction: newton, ..base }, 0.1, 5.0));
    assert!(r.max_relative_position() < 1e-4 && r.statistics.unconverged == 0, "{:e}", r.max_relative_position());
}

/// Residual energy as the estimate: it stays where the tolerance says, at a step of its own choice.
#[test]
fn residual_energy_chooses_the_step() {
    let drift = |tolerance: f64| {
        let mut control = StepControl::new(Estimate::Ecco, tolerance);
        control.lowest = 1;
        let method = Method { control: Some(control), ..classical(1, Schedule::Jacobi) };
        let r = through_fmus(&Pair { bonds: Bonds::Named, ..Pair::new(Coupling::ForceForce, method, 0.1, 10.0) });
        (r.drift, r.do_steps[0])
    };
    let (coarse, fine) = (drift(1e-2), drift(1e-4));
    assert!(fine.0 < coarse.0 / 100.0 && fine.1 > coarse.1, "{coarse:?} {fine:?}");
    let method = Method { control: Some(StepControl::new(Estimate::Ecco, 1e-4)), ..classical(1, Schedule::Jacobi) };
    let Err(refused) = build(&Pair::new(Coupling::ForceForce, method, 0.1, 10.0), &factory::fmu) else {
        panic!("no power bond")
    };
    assert!(refused.to_string().contains("power bond"), "{refused}");
}

/// Where a unit cannot go back, no window is taken back: a bad one stands, and the next is shorter.
#[test]
fn units_that_cannot_go_back_are_not_asked_to() {
    let factory = |model: &str, name: &str| {
        Ok(Limited::boxed(models::native(model, name)?, |c| c.can_get_and_set_fmu_state = false))
    };
    let pair = Pair::new(Coupling::ForceForce, controlled(1e-5, Schedule::Jacobi), 0.1, 5.0);
    let r = run(&pair, &factory, u64::MAX).expect("the run");
    let course = r.course.expect("a course");
    assert_eq!((course.rejected, r.do_steps), (0, [r.statistics.windows; 2]));
    assert!(r.max_relative_position() < 1e-3, "{:e}", r.max_relative_position());
}

/// A step that is to vary is refused by name where a unit takes steps of one length only.
#[test]
fn a_unit_of_one_step_is_named() {
    let factory = |model: &str, name: &str| {
        Ok(Limited::boxed(models::native(model, name)?, |c| c.can_handle_variable_communication_step_size = false))
    };
    let pair = Pair::new(Coupling::ForceForce, controlled(1e-5, Schedule::Jacobi), 0.1, 5.0);
    let Err(refused) = build(&pair, &factory) else { panic!("a step of one length") };
    let said = refused.to_string();
    assert!(said.contains("`mass1`") && said.contains("canHandleVariableCommunicationStepSize"), "{said}");
}
