//! Action equals reaction: what bodies do to each other keeps their momentum.

use std::sync::Arc;

use macrostep_multibody::{
    Body, Coordinate, JointFrame, JointKind, Pose, Shape, Simulation, Spring, Surface, SystemBuilder, Twist, Vec3,
};
use nalgebra::UnitQuaternion;
use proptest::{array::uniform6, prelude::*};

/// Three balls in free space: two joined, two with a spring between them, all of them touching by and by.
fn balls(velocities: [Twist; 3], friction: f64) -> Simulation {
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let place = |x: f64, z: f64| Pose { position: Vec3::new(x, 0.0, z), rotation: UnitQuaternion::identity() };
    let places = [place(0.0, 0.0), place(0.5, 0.1), place(0.3, 0.6)];
    let bodies = places.map(|pose| builder.body(Body::new("ball", 1.0 + pose.position.x, [0.02, 0.03, 0.04], pose)));
    builder.joint(
        "ball joint",
        JointKind::Spherical,
        [bodies[0], bodies[1]],
        JointFrame { point: places[1].position, axis: Vec3::x() },
        1e-9,
    );
    let coordinate = Coordinate::Distance { bodies: [bodies[1], bodies[2]], points: [Vec3::zeros(), Vec3::x() * 0.1] };
    builder.spring(Spring { name: "rope".into(), coordinate, stiffness: 200.0, damping: 1.0, rest: 0.3 });
    let shapes = bodies.map(|body| builder.shape(body, Shape::Sphere { centre: Vec3::zeros(), radius: 0.2 }));
    for (a, b) in [(0, 2), (1, 2)] {
        builder.pair("touch", [shapes[a], shapes[b]], Surface { friction, ..Default::default() });
    }
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    let mut state = simulation.state().clone();
    state.velocities.copy_from_slice(&velocities);
    simulation.restore(&state).expect("fits");
    simulation
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn momentum_is_kept(a in uniform6(-1.0..1.0), b in uniform6(-1.0..1.0), c in uniform6(-1.0..1.0), mu in 0.0..1.0) {
        let mut simulation = balls([a, b, c], mu);
        let before = simulation.momentum().linear;
        for _ in 0..200 {
            simulation.step(0.005, &[]).expect("step");
        }
        let after = simulation.momentum().linear;
        prop_assert!((after - before).norm() < 1e-10, "{before} {after}");
        prop_assert!(simulation.violation().length_m < 1e-3);
    }
}
