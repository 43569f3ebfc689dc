//! The crane: structure, equilibrium, manoeuvre, and what both sides say of each step.

#[allow(dead_code, reason = "each test looks at a part of it")]
mod coupled;

use std::sync::Arc;

use coupled::holding_forces;
use macrostep_crane::crane::{self, CraneOptions, LOG};
use macrostep_multibody::{
    FrictionForm, InterfaceOptions,
    JointKind::{Prismatic, Revolute, Spherical},
    Simulation, System,
    mlcp::{GaussSeidelOptions, gauss_seidel},
};

fn crane() -> Arc<System> {
    crane::system(&CraneOptions::default()).expect("valid")
}

#[test]
fn rank_is_95_and_mobility_13() {
    let system = crane();
    let kinds = |kind| system.joints().iter().filter(|j| j.kind == kind).count();
    assert_eq!((kinds(Revolute), kinds(Prismatic), kinds(Spherical)), (13, 4, 5));
    assert_eq!((system.bodies().len(), system.bilateral_rows()), (18, 100));
    let simulation = Simulation::new(system.clone());
    assert!(simulation.violation().length_m < 1e-12);
    let values = simulation.joint_jacobian().singular_values();
    let rank = values.iter().filter(|s| **s > 1e-9 * values[0]).count();
    assert_eq!((rank, 6 * 18 - rank), (95, 13));
    // A work count: the dense factor has 5050 entries.
    assert!(system.envelope_entries() < 2000, "{}", system.envelope_entries());
}

#[test]
fn cylinders_hold_the_crane() {
    let forces = holding_forces(&crane(), 0.004);
    assert!((forces[0] - 46.3e3).abs() < 50.0 && (forces[1] + 18.7e3).abs() < 50.0, "{forces:?}");
}

/// What a manoeuvre of 8 s shows.
#[derive(Debug, Default)]
struct Run {
    log_height_m: f64,
    violation_max_m: f64,
    residual_max: f64,
    pivots: usize,
    mismatches: usize,
}

/// The manoeuvre, in macro steps of `macro_s`.
fn run(system: &Arc<System>, macro_s: f64) -> Run {
    let (mut coupled, mut run) = (coupled::crane(system, macro_s), Run::default());
    for _ in 0..(8.0 / macro_s).round() as usize {
        coupled.step();
        let slow = &coupled.slow;
        assert!(coupled.speed.iter().all(|w| w.abs() <= crane::SPEED_LIMIT_MS), "{:?} {run:?}", coupled.speed);
        let report = slow.report();
        run.residual_max = run.residual_max.max(report.residual);
        run.pivots += report.solver.pivots;
        run.mismatches += usize::from(report.solver.friction_mismatch > 1e-9);
        run.violation_max_m = run.violation_max_m.max(slow.violation().length_m);
    }
    Run { log_height_m: coupled.slow.state().poses[LOG].position.z, ..run }
}

#[test]
fn log_is_lifted_and_joints_stay_closed() {
    let found = run(&crane(), 0.004);
    assert!(found.log_height_m > 2.2, "{found:?}");
    assert!(found.violation_max_m <= 1e-5 && found.mismatches == 0, "{found:?}");
    assert!(found.residual_max <= 1e-9, "{found:?}");
    // A work count: hardly more than one linear system a step.
    assert!(found.pivots < 2400, "{found:?}");
    // The plain semi-implicit rule keeps them, too, at this step.
    let plain = crane::system(&CraneOptions { position_passes: 0, ..Default::default() }).expect("valid");
    let found = run(&plain, 0.004);
    assert!(found.log_height_m > 2.2 && found.violation_max_m <= 1e-5, "{found:?}");
}

/// Steps on which pivoting goes in circles are solved: with the log 20° askew at 64 ms there are such.
#[test]
fn hard_steps_are_solved() {
    let interface = InterfaceOptions { look_ahead: false, ..Default::default() };
    let oblique = CraneOptions { log_yaw_rad: 20.0_f64.to_radians(), ..Default::default() };
    let system = crane::system(&oblique).expect("valid");
    let (mut coupled, mut descents) = (coupled::crane(&system, 0.064).with(interface), 0);
    for _ in 0..125 {
        coupled.step();
        let report = coupled.slow.report();
        assert!(report.residual <= 1e-8 && report.solver.friction_mismatch <= 1e-9, "{report:?}");
        descents += report.solver.descents;
    }
    assert!(descents > 0, "pivoting was enough");
}

/// Height of the log at the end for a grip force and a friction of the claws.
fn lifted(grip_n: f64, claw_friction: f64) -> f64 {
    let options = CraneOptions { grip_n, claw_friction, ..Default::default() };
    let system = crane::system(&options).expect("valid");
    run(&system, 0.004).log_height_m
}

#[test]
fn a_weak_grip_drops_the_log() {
    assert!(lifted(2e3, 0.4) < 1.0);
    assert!(lifted(5e3, 0.4) > 2.2);
}

/// The tines reach 58° below the centre of the log. Carried there without friction, half the weight needs a normal force
/// of 2.9 kN, a moment of 938 N m about the pivot of each claw, and 4.6 kN of the grip cylinder at its 0.205 m arm: more
/// where the log lies on higher parts of the tines. 5 kN, good enough with friction, then drop the log; 20 kN hold it by
/// the form of the claws alone.
#[test]
fn without_friction_the_grip_must_hold_by_form() {
    assert!(lifted(5e3, 0.0) < 1.0);
    assert!(lifted(20e3, 0.0) > 2.2);
}

/// Finer cones have less friction between their axes; the log is grasped and carried all the same, and the interface model holds.
#[test]
fn the_log_is_carried_with_finer_friction_cones() {
    for friction_facets in [8, 16] {
        let system = crane::system(&CraneOptions { friction_facets, ..Default::default() }).expect("valid");
        for h in [0.004, 0.032] {
            let found = run(&system, h);
            assert!(found.log_height_m > 2.2, "{friction_facets} facets, H = {h}: {found:?}");
        }
    }
    let odd = crane::system(&CraneOptions { friction_facets: 6, ..Default::default() });
    assert!(odd.is_err_and(|error| error.to_string().contains("expected 4, 8, 12 or 16")));
}

/// Largest difference between the predicted speed and `D v⁺` over the manoeuvre: in steps whose active set was as
/// predicted, and in all others; and the number of steps of the first kind.
fn mismatch(look_ahead: bool) -> (f64, f64, usize) {
    let interface = InterfaceOptions { friction: FrictionForm::Slaved, look_ahead };
    let mut coupled = coupled::crane(&crane(), 0.004).with(interface);
    let (mut same, mut other, mut count) = (0.0_f64, 0.0_f64, 0);
    for _ in 0..2000 {
        coupled.step();
        let report = coupled.slow.report();
        let pairs = report.speed_after.iter().zip(&coupled.forces.speed);
        let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if report.active_hash == coupled.model.active_hash {
            (same, count) = (same.max(error), count + 1);
        } else {
            other = other.max(error);
        }
    }
    (same, other, count)
}

#[test]
fn predicted_speed_is_the_speed_of_the_step_while_the_active_set_holds() {
    let (same, with, count) = mismatch(true);
    println!("look-ahead: {same:e} in {count} of 2000 steps, {with:e} in the others");
    assert!(count > 1950 && same < 1e-12, "{same:e} in {count} steps");
    let (same, without, count) = mismatch(false);
    println!("without:    {same:e} in {count} of 2000 steps, {without:e} in the others");
    assert!(count > 1900 && same < 1e-12, "{same:e} in {count} steps");
    // The test sees a changed set, and the look-ahead cuts what it costs by 5 to 60 times.
    assert!(with > 1e-6 && without > 5.0 * with, "look-ahead {with:e}, without {without:e}");
}

/// A solver that shares no code with the pivoting agrees on the problems of the grasp.
#[test]
fn gauss_seidel_agrees_on_the_grasp() {
    let mut coupled = coupled::crane(&crane(), 0.016);
    let mut compared = 0;
    for k in 0..300 {
        coupled.step();
        if ![220, 250, 280].contains(&k) {
            continue;
        }
        let (problem, solution) = coupled.slow.complementarity();
        let mut z = vec![0.0; problem.rows()];
        let options = GaussSeidelOptions { tolerance: 1e-8, sweeps_max: 1_000_000 };
        gauss_seidel(problem, &options, &mut z).expect("converges");
        // Forces of nearly dependent contacts differ, what they do does not: compare the slack they leave.
        assert!(problem.natural_residual(&solution.z) < 1e-9 * (1.0 + z.iter().fold(0.0_f64, |m, z| m.max(z.abs()))));
        let mut slack = [Vec::new(), Vec::new()];
        problem.slack(&z, &mut slack[0]);
        problem.slack(&solution.z, &mut slack[1]);
        let difference = slack[0].iter().zip(&slack[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < 1e-5, "step {k}: {difference:e} m/s");
        compared += 1;
    }
    assert_eq!(compared, 3);
}

#[test]
fn save_restore_repeat_is_bit_identical() {
    let mut coupled = coupled::crane(&crane(), 0.016);
    let advance = |coupled: &mut coupled::Coupled<_>, steps: usize| (0..steps).for_each(|_| coupled.step());
    // Into the grasp, where sets change; then on, back by what the mechanics save, and on again.
    advance(&mut coupled, 200);
    let (mut again, state) = (coupled.clone(), coupled.slow.state().clone());
    advance(&mut coupled, 100);
    let first = (coupled.slow.state().to_flat(), coupled.fast_state.clone());
    coupled.slow.restore(&state).expect("own state");
    again.slow = coupled.slow;
    advance(&mut again, 100);
    assert!(first == (again.slow.state().to_flat(), again.fast_state));
}

#[test]
fn log_rests_on_the_ground_by_its_weight() {
    let mut coupled = coupled::crane(&crane(), 0.016);
    for _ in 0..10 {
        coupled.step();
    }
    let report = coupled.slow.report();
    assert!((report.contact_force_n / (500.0 * crane::GRAVITY) - 1.0).abs() < 1e-9, "{report:?}");
    assert!((coupled.slow.state().poses[LOG].position.z - 0.25).abs() < 1e-5);
}
