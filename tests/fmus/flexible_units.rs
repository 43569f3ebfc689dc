//! Flexible bodies and reduced interfaces in co-simulation: through FMUs and natively, against solutions in one piece.

use macrostep::factory;
use macrostep_analysis::models;
use macrostep_master::{RunError, Sampling};
use macrostep_reduction::beam::{BeamConstants, ModalBeam};
use macrostep_reduction::cosimulation::{Coupled, Exchange, Return, relative_rms};
use macrostep_reduction::{InterfaceMap, Space};
use macrostep_system::words::{Correct, Predict};

use crate::flexible::arm::{OnePiece, Pendulum, Point, distance_m};
use crate::interface::beam::{BeamOnSprings, Interface};

fn map(beam: &ModalBeam) -> InterfaceMap {
    InterfaceMap::new(&beam.interface_shapes(19).expect("shapes"), Space::Planar).expect("a map")
}

fn beam(modes: usize) -> ModalBeam {
    ModalBeam::new(BeamConstants::default(), modes).expect("a beam")
}

fn on_springs(interface: Interface<'_>, sampling: Sampling) -> BeamOnSprings<'_> {
    BeamOnSprings {
        interface,
        modes: 19,
        step_s: 5e-4,
        steps: 400,
        sampling,
        predict: Predict::default(),
        correct: Correct::Explicit,
    }
}

#[test]
fn fmus_and_native_units_give_equal_bits() {
    let map = map(&beam(19));
    let _open = factory::open_all().expect("the FMUs open");
    for interface in [Interface::Full, Interface::Reduced(&map), Interface::Adapter(&map)] {
        for sampling in [Sampling::Updated, Sampling::Lagged] {
            let runs = [&factory::fmu as macrostep_analysis::models::Factory<'_>, &models::native]
                .map(|factory| on_springs(interface, sampling).run(factory).expect("a run"));
            let bits = |i: usize| runs[i].deflections.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert!(bits(0) == bits(1), "{interface:?} {sampling:?}");
        }
    }
}

/// The units, coupled by the master, against the loop in one program and against the exact solution.
#[test]
fn coupled_units_repeat_the_loop_and_the_master_map_the_adapter() {
    let beam = beam(19);
    let map = map(&beam);
    let run = |interface, sampling| on_springs(interface, sampling).run(&models::native).expect("a run");
    let loop_ = Coupled { beam: &beam, spring_n_m: 10.0, step_s: 5e-4, steps: 400 };
    let exact = beam.monolithic(10.0, 5e-4, 400);
    for (sampling, exchange) in [(Sampling::Updated, Exchange::Updated), (Sampling::Lagged, Exchange::Lagged)] {
        let full = run(Interface::Full, sampling);
        let expected = loop_.full(exchange).expect("a loop");
        assert!(relative_rms(&full.deflections, &expected.deflections, &exact) < 1e-10, "{sampling:?}");
        assert_eq!(full.exchanged, 501);
    }
    let reduced = run(Interface::Reduced(&map), Sampling::Updated);
    let expected = loop_.reduced(Exchange::Updated, &map, Return::Dual).expect("a loop");
    assert!(relative_rms(&reduced.deflections, &expected.deflections, &exact) < 1e-10);
    assert_eq!(reduced.exchanged, 38);
    assert!(reduced.work_defect > 0.0 && reduced.work_defect < 1e-12);
    let adapter = run(Interface::Adapter(&map), Sampling::Updated);
    let difference = relative_rms(&adapter.deflections, &reduced.deflections, &exact);
    println!("adapter against the master's map: {difference:.1e}");
    assert!(difference < 1e-12);
}

#[test]
fn a_way_back_that_is_no_dual_is_found_by_its_virtual_work() {
    let map = map(&beam(19));
    match on_springs(Interface::Broken(&map), Sampling::Updated).run(&models::native) {
        Err(RunError::VirtualWork { found, limit, .. }) => assert!(found > 0.1 && limit == 1e-12, "{found}"),
        other => panic!("{:?}", other.map(|r| r.work_defect)),
    }
}

/// Arm and payload in one piece at points 2 ms apart.
fn one_piece(count: u64) -> Vec<Point> {
    let mut system = OnePiece::new().expect("the arm");
    let mut points = vec![system.point(0.0).expect("a point")];
    for k in 1..=count {
        system.advance(2e-3).expect("a step");
        points.push(system.point(k as f64 * 2e-3).expect("a point"));
    }
    points
}

#[test]
fn coupled_pendulum_converges_to_the_system_in_one_piece() {
    let expected = one_piece(50);
    let bend = expected.iter().map(|p| p.deflection().abs()).fold(0.0, f64::max);
    let error = |degree: u32, every: u64| {
        let run = Pendulum {
            step_s: 2e-3 / every as f64,
            steps: 50 * every,
            every,
            predict: Predict::classical(degree),
            correct: Correct::Explicit,
        };
        distance_m(&run.run(&models::native).expect("a run"), &expected)
    };
    let hold = [4, 8, 16].map(|every| error(0, every));
    let linear = [4, 8, 16].map(|every| error(1, every));
    println!("largest deflection {bend:.2e} m; hold {hold:?}, linear {linear:?}");
    assert!(bend > 1e-3);
    // Held positions of a moving tip pull the payload back by k v H/2: first order, and large in a stiff bushing.
    assert!((1.4..2.6).contains(&(hold[1] / hold[2])), "{hold:?}");
    assert!(linear[2] < 1e-3 * bend && linear[0] > 3.0 * linear[1] && linear[1] > linear[2], "{linear:?}");
    assert!(linear[1] < 0.3 * hold[1], "{linear:?}");
}

#[test]
fn pendulum_through_fmus_is_the_native_one() {
    let run =
        Pendulum { step_s: 5e-4, steps: 100, every: 1, predict: Predict::classical(1), correct: Correct::Explicit };
    let ends = [&factory::fmu as macrostep_analysis::models::Factory<'_>, &models::native]
        .map(|factory| run.run(factory).expect("a run"));
    let bits = |p: &Point| [p.tip.x, p.tip.y, p.tip.z, p.angle, p.payload.x, p.payload.y].map(f64::to_bits);
    assert!(ends[0].iter().zip(&ends[1]).all(|(a, b)| bits(a) == bits(b)));
}

/// Against the system in one piece: orders of the coupling, and what micro steps of the arm leave where the coupling is exact.
#[test]
fn methods_of_motions_on_the_pendulum_have_their_orders() {
    let expected = one_piece(50);
    let error = |step_s: f64, predict: &str, correct: Correct| {
        let every = (2e-3 / step_s).round() as u64;
        let predict = predict.parse().expect("a word");
        let run = Pendulum { step_s, steps: 50 * every, every, predict, correct };
        distance_m(&run.run(&factory::fmu).expect("a run"), &expected)
    };
    let (explicit, newton) = (Correct::Explicit, Correct::Newton);
    let cases = [
        ("hold", explicit, 1.0),
        ("linear", explicit, 2.0),
        ("rates", explicit, 2.0),
        ("h3", explicit, 2.0),
        ("ia0", explicit, 2.0),
        ("ia1", explicit, 3.0),
        ("linear", newton, 2.0),
        ("quadratic", newton, 3.0),
    ];
    for (predict, correct, order) in cases {
        let errors = [4e-4, 2e-4].map(|step_s| error(step_s, predict, correct));
        let found = (errors[0] / errors[1]).log2();
        println!("{predict} {correct:?}: {errors:?}, order {found:.2}");
        assert!((found - order).abs() < 0.35, "{predict} {correct:?}: {errors:?}");
    }
    // Cubics through both ends, motions and waveforms are exact with these steps; micro steps of 20 µs leave 3e-10 m.
    for predict in ["h3", "ia1", "spectral:8"] {
        let found = error(4e-4, predict, newton);
        println!("{predict} newton: {found:.2e}");
        assert!(found < 5e-10, "{predict}: {found:e}");
    }
}

/// Forces that are extrapolated, and steps that are repeated, on the interface of 38 values: hold is off by a third at 1 ms.
#[test]
fn predictors_and_corrections_on_the_reduced_interface_have_their_orders() {
    let beam = beam(19);
    let map = map(&beam);
    let error = |step_s: f64, degree: u32, correct: Correct| {
        let steps = (0.5 / step_s).round() as usize;
        let run = BeamOnSprings {
            interface: Interface::Reduced(&map),
            modes: 19,
            step_s,
            steps,
            sampling: Sampling::Updated,
            predict: Predict::classical(degree),
            correct,
        };
        let found = run.run(&factory::fmu).expect("a run");
        let exact = beam.monolithic(10.0, step_s, steps);
        relative_rms(&found.deflections, &exact, &exact)
    };
    let cases = [
        ("hold", 0, Correct::Explicit, 1.0),
        ("linear", 1, Correct::Explicit, 2.0),
        ("quadratic", 2, Correct::Explicit, 3.0),
        ("linear, iqn-ils", 1, Correct::IqnIls, 2.0),
        ("quadratic, iqn-ils", 2, Correct::IqnIls, 3.0),
    ];
    for (name, degree, correct, order) in cases {
        let errors = [1e-3, 5e-4].map(|h| error(h, degree, correct));
        let found = (errors[0] / errors[1]).log2();
        println!("{name}: {errors:?}, order {found:.2}");
        assert!((found - order).abs() < 0.4, "{name}: {errors:?}");
        assert!(degree == 0 || errors[0] < 0.02, "{name}: {errors:?}");
    }
}
