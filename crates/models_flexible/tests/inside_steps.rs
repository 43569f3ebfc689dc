//! Accelerations of a body and its motion inside steps: against differences, and against shorter steps.

mod driven;

use driven::{choose, get, reference, run, set, slave, start};
use macrostep_slave::{Slave, Snapshot, Tangent};

/// Accelerations follow loads at once: derivatives against differences of what is read.
#[test]
fn accelerations_follow_loads_as_their_derivatives_say() {
    let mut s = slave("flexible_body");
    start(s.as_mut());
    set(s.as_mut(), "gravity[2]", -9.81);
    run(s.as_mut(), 5, 1e-3);
    let loads = ["tip.force[2]", "tip.torque[3]", "hinge.torque[3]", "gravity[1]"];
    let known = loads.map(|name| reference(s.description(), name));
    let unknown = [1, 2, 3].map(|i| reference(s.description(), &format!("tip.a[{i}]")));
    let mut a = [[0.0; 3]; 2];
    s.get_real(&unknown, &mut a[0]).expect("get");
    let (direction, mut exact) = ([3.0, -0.7, 0.4, 2.0], [0.0; 3]);
    s.directional_derivative(Tangent::new(&unknown, &known, &direction, &mut exact)).expect("derivative");
    s.set_real(&known, &direction).expect("set");
    s.get_real(&unknown, &mut a[1]).expect("get");
    let size = exact.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
    assert!(size > 10.0, "{exact:?}");
    for i in 0..3 {
        assert!((a[1][i] - a[0][i] - exact[i]).abs() < 1e-9 * size, "{i}: {a:?} {exact:?}");
    }
    // Velocities do not.
    s.directional_derivative(Tangent::new(
        &[reference(s.description(), "tip.v[2]")],
        &known,
        &direction,
        &mut exact[..1],
    ))
    .expect("zero");
    assert_eq!(exact[0], 0.0);
}

/// Nodes inside a step show what shorter steps from its start end at.
#[test]
fn nodes_inside_a_step_are_the_ends_of_shorter_steps() {
    for (integrator, tolerance) in [(1, 1e-12), (2, 1e-12), (3, 1e-6)] {
        let mut s = slave("flexible_body");
        choose(s.as_mut(), "dense_nodes", 4);
        choose(s.as_mut(), "integrator", integrator);
        set(s.as_mut(), "micro_step", 2.5e-5);
        start(s.as_mut());
        let force = reference(s.description(), "tip.force[2]");
        set(s.as_mut(), "gravity[2]", -9.81);
        run(s.as_mut(), 3, 1e-3);
        let mut before = Snapshot::new();
        s.save(&mut before).expect("saved");
        let step = |s: &mut dyn Slave, step_s: f64| {
            s.restore(&before).expect("restored");
            s.set_real(&[force], &[1.0]).expect("set");
            s.set_real_input_derivatives(&[force], &[1], &[200.0]).expect("set");
            run(s, 1, step_s);
        };
        step(s.as_mut(), 1e-3);
        let nodes = [("r", 2), ("v", 2)]
            .map(|(name, i)| [0, 1, 2, 3, 4, 5, 20].map(|k| get(s.as_mut(), &format!("tip.{name}_node[{i},{k}]"))));
        let ends = ["tip.r[2]", "tip.v[2]"].map(|name| get(s.as_mut(), name));
        for (node, end) in nodes.iter().zip(ends) {
            assert_eq!([node[4], node[5], node[6]], [end; 3]);
            assert!(node[0] != node[2] && node[2] != node[4]);
        }
        // Half a step is a whole number of micro steps.
        step(s.as_mut(), 5e-4);
        for (node, name) in nodes.iter().zip(["tip.r[2]", "tip.v[2]"]) {
            let end = get(s.as_mut(), name);
            assert!((node[2] - end).abs() < tolerance * end.abs(), "{integrator}: {} {end}", node[2]);
        }
    }
}
