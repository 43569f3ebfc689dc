//! Asking for the interface model does not change what is simulated.

use std::sync::Arc;

use macrostep_multibody::{
    Body, BodyId, Coordinate, InterfaceOptions, Pose, Shape, Simulation, Surface, SystemBuilder, Vec3,
};

#[test]
fn interface_model_is_neutral() {
    let mut builder = SystemBuilder::new(Vec3::new(1.0, 0.0, -9.81));
    let mut place = Pose::world();
    place.position.z = 0.5;
    let body = builder.body(Body::new("ball", 2.0, [0.1, 0.2, 0.3], place));
    let ball = builder.shape(body, Shape::Sphere { centre: Vec3::new(0.1, 0.0, 0.0), radius: 0.4 });
    let plane = Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() };
    let floor = builder.shape(BodyId::GROUND, plane);
    builder.pair("floor", [ball, floor], Surface { friction: 0.3, ..Default::default() });
    builder.interface(Coordinate::Point { body, point: Vec3::zeros(), direction: Vec3::x() });
    let system = Arc::new(builder.build().expect("valid"));
    let (mut plain, mut asked) = (Simulation::new(system.clone()), Simulation::new(system));
    for k in 0..300 {
        let force = [f64::from(k).sin()];
        asked.interface_model(0.005, &InterfaceOptions::default()).expect("model");
        asked.step(0.005, &force).expect("step");
        plain.step(0.005, &force).expect("step");
        assert!(asked.state() == plain.state(), "step {k}");
    }
    assert!(plain.report().contacts == 1);
}
