//! The declaration of a body.

use macrostep_description::{Builder, Declared, DependencyKind, ModelDescription, VariableId, guid_of, node_name};
use macrostep_flexible::Joint;
use macrostep_flexible::moving::ConnectorShape;
use macrostep_ode::MAX_NODES;
use macrostep_slave::Fault;

use super::advance::NODES;
use super::{Body, ImportedBody};
use crate::declare::{builder, finish, vector};

const UNITS: [&str; 8] = ["s", "m", "m/s", "m/s2", "N", "N.m", "rad", "rad/s"];

/// The description; the order of the variables is that of the constants in the parent module.
pub(super) fn describe(data: &ImportedBody, hash: &str) -> Result<ModelDescription, Fault> {
    let mut b = builder(Body::IDENTIFIER, &data.about, &UNITS, Some(hash));
    // Pose and velocities at the start.
    let parameters = |b: &mut Builder, name: &str, unit: &str, about: &str| {
        vector(b, |name| Declared::parameter(name, 0.0).unit(unit).about(about), name)
    };
    let r0 = parameters(&mut b, "r0", "m", "position of the reference connector at the start");
    let phi0 = parameters(&mut b, "phi0", "rad", "its rotation vector at the start");
    let v0 = parameters(&mut b, "v0", "m/s", "its velocity at the start; zero where the joint holds it");
    let w0 = parameters(&mut b, "w0", "rad/s", "spin in body axes at the start; zero about what the joint holds");
    integration(&mut b, data);
    // Forces and torques at the connectors, and gravity.
    let mut loads = Vec::new();
    for connector in &data.body.connectors {
        // A point has no rotation that a torque could turn.
        for (what, unit) in
            [("force", "N"), ("torque", "N.m")].into_iter().take(if connector.is_point() { 1 } else { 2 })
        {
            let about = format!("{what} on connector {}, world axes, at its deformed position", connector.name);
            let input = |name: &str| Declared::input(name, 0.0).unit(unit).about(&about);
            loads.push(vector(&mut b, input, &format!("{}.{what}", connector.name)));
        }
    }
    let gravity = |name: &str| Declared::input(name, 0.0).unit("m/s2").about("gravity, world axes");
    loads.push(vector(&mut b, gravity, "gravity"));
    // Motion of each connector.
    let mut velocities = Vec::new();
    for connector in &data.body.connectors {
        velocities.push(motion(&mut b, connector, [&r0, &phi0, &v0, &w0]));
    }
    // Whether the spin is so high that stiffening by it matters.
    let limit = Declared::discrete_output("spin_above_limit", false).depends(&[]).initially(&w0);
    b.add(limit.about(if data.body.geometric.is_some() {
        "spin above 0.3 of the first natural frequency while `geometric_stiffness` is off: it matters there"
    } else {
        "spin above 0.3 of the first natural frequency: geometric stiffening, which is not modelled, matters"
    }));
    // What can be had beside the motion: accelerations, and the motion inside the last step.
    let start = [phi0, v0, w0].concat();
    let loads = loads.concat();
    for (connector, velocity) in data.body.connectors.iter().zip(&velocities) {
        accelerations(&mut b, &connector.name, velocity, (&loads, &[start.clone(), loads.clone()].concat()));
    }
    for connector in &data.body.connectors {
        nodes(&mut b, &connector.name, [&[r0, phi0].concat(), &start]);
    }
    b.experiment(0.0, 1.0, 1e-3);
    // The name is that of the imported body, and so the GUID is another one.
    let mut description = finish(b)?;
    description.model_name.clone_from(&data.name);
    description.guid = guid_of(&description);
    Ok(description)
}

/// What stands in `known` for an output.
type Known<'a> = [&'a [VariableId; 3]; 4];

/// Pose and velocities of a connector, of a point position and velocity; returns its velocity.
fn motion(b: &mut Builder, shape: &ConnectorShape, [r0, phi0, v0, w0]: Known<'_>) -> [VariableId; 3] {
    let connector = &shape.name;
    // Nothing follows an input without a step; at the start the pose and velocities follow their parameters.
    let add = |b: &mut Builder, name: &str, unit: Option<&str>, about: &str, known: &[VariableId]| {
        let declared = Declared::output(&format!("{connector}.{name}")).about(about).depends(&[]).initially(known);
        b.add(match unit {
            Some(unit) => declared.unit(unit),
            None => declared,
        })
    };
    let pose = [*r0, *phi0].concat();
    let moving = [*phi0, *v0, *w0].concat();
    let turning = [*phi0, *w0].concat();
    // Position, orientation, velocity and angular velocity, in the order of the outputs.
    let r = [1, 2, 3].map(|i| add(b, &format!("r[{i}]"), Some("m"), "position, world axes", &pose));
    for (i, j) in (1..=3).flat_map(|i| (1..=3).map(move |j| (i, j))).filter(|_| !shape.is_point()) {
        add(b, &format!("R[{i},{j}]"), None, "orientation, connector to world", phi0);
    }
    let velocity = [0, 1, 2].map(|i| {
        let v = Declared::output(&format!("{connector}.v[{}]", i + 1)).unit("m/s").about("velocity, world axes");
        b.add(v.depends(&[]).initially(&moving).derivative_of(r[i]))
    });
    for i in (1..=3).filter(|_| !shape.is_point()) {
        add(b, &format!("w[{i}]"), Some("rad/s"), "angular velocity, world axes", &turning);
    }
    velocity
}

/// Acceleration of a connector: it follows all loads at once, and at the start the parameters as well.
fn accelerations(
    b: &mut Builder,
    connector: &str,
    velocity: &[VariableId; 3],
    (loads, known): (&[VariableId], &[VariableId]),
) {
    let on: Vec<_> = loads.iter().map(|load| (*load, DependencyKind::Dependent)).collect();
    for (i, v) in velocity.iter().enumerate() {
        let a = Declared::output(&format!("{connector}.a[{}]", i + 1)).unit("m/s2").about("acceleration, world axes");
        b.add(a.depends(&on).initially(known).derivative_of(*v));
    }
}

/// Position and velocity of a connector at the nodes inside the last step.
fn nodes(b: &mut Builder, connector: &str, known: [&[VariableId]; 2]) {
    for ((name, unit, about), known) in [("r", "m", "position"), ("v", "m/s", "velocity")].into_iter().zip(known) {
        for i in 1..=3 {
            for node in 0..NODES {
                let at =
                    Declared::discrete_output(&node_name(&format!("{connector}.{name}[{i}]"), node), 0.0).unit(unit);
                let about = format!("{about}, world axes, at node {node} of the last step");
                b.add(at.about(&about).depends(&[]).initially(known));
            }
        }
    }
}

/// Parameters of integration and of the joint.
fn integration(b: &mut Builder, data: &ImportedBody) {
    // Steps and tolerance.
    let micro_step = Declared::parameter("micro_step", data.micro_step_s).unit("s").range(1e-12, f64::INFINITY);
    b.add(micro_step.about("micro step h; a macro step H is divided into round(H/h) equal ones, at least one"));
    let tolerance = Declared::parameter("tolerance", 1e-9).range(1e-14, 1.0);
    b.add(tolerance.about("relative tolerance of `dormand_prince`, which chooses its steps itself"));
    // The methods.
    let items = [
        ("linearly_implicit", "order 2, one right-hand side a step; stiffness does not bound the step"),
        ("runge_kutta_4", "order 4, explicit: the micro step must resolve the highest mode"),
        ("dormand_prince", "order 5, explicit, with error control"),
    ];
    b.enumeration("Integrator", "Method that advances the states", &items);
    let integrator = Declared::parameter("integrator", 1).of_type("Integrator").bounds(1, 3);
    b.add(integrator.about("method that advances the states"));
    // What may hold the body; the start is the joint chosen at the import.
    let items = [
        ("free", "nothing holds the body"),
        ("ball", "the reference connector turns about its position"),
        ("hinge_x", "it turns about its x axis"),
        ("hinge_y", "it turns about its y axis"),
        ("hinge_z", "it turns about its z axis"),
        ("clamp", "it rests"),
    ];
    b.enumeration("Joint", "What holds the reference connector in the world", &items);
    let start = Joint::ALL.iter().position(|j| *j == data.joint).map_or(1, |i| i as i32 + 1);
    let joint = Declared::parameter("joint", start).of_type("Joint").bounds(1, 6);
    b.add(joint.about("what holds the reference connector in the world"));
    let nodes = Declared::parameter("dense_nodes", 12).bounds(1, MAX_NODES as i32);
    b.add(nodes.about("q: dense output has the q + 1 Chebyshev-Lobatto nodes of the last step"));
    // A body without geometric stiffness has no choice.
    if data.body.geometric.is_some() {
        let stiffness = Declared::parameter("geometric_stiffness", true);
        b.add(stiffness.about("spin, accelerations, gravity and forces at connectors stiffen or soften the body"));
    }
}

/// The equations as the body of an HTML page.
pub fn documentation_html() -> String {
    "<h2>Equations</h2>\n<pre>[ m I   -s~   C ] [a ]   [ w~ w~ s + 2 w~ C q'            ]   [F]\n[ s~    Theta B ] [w'] + [ w x \
     Theta w + 2 (tr(H) I - H') w ] = [T]\n[ C'    B'    M ] [q''] [ h + K q + D q'                ]   [Q]</pre>\n<p>The frame is \
     fixed to the reference connector and moves with it; q are elastic coordinates of the body clamped there. All inputs and \
     outputs are in world axes; forces act at the deformed position of their connector. Poses and velocities \
     depend on states only; accelerations are solved for when they are read and follow the loads at once. <code>C.r_node[i,k]</code> and \
     <code>C.v_node[i,k]</code> are position and velocity at t + H (1 - cos(pi k/q))/2 inside the last step, k = 0 ... q with q = \
     dense_nodes; entries beyond q repeat the last. Deformations are small in the frame. With <code>geometric_stiffness</code>, K also has what the stress \
     of spin, accelerations, gravity and forces at connectors makes of it, and connectors draw in where the body bends; \
     without it, and for data that do not hold it, results are wrong above some 0.3 of the first natural frequency.</p>\n<p>The body is in \
     <code>resources/body.bin</code>; its SHA-256 is part of the declaration, and so of the GUID. \
     <code>macrostep flex import</code> puts another body there.</p>\n<p>Source: Zaiczek, \
     Enge-Rosenblatt, Import of distributed parameter models into lumped parameter model libraries for the example of \
     linearly deformable solid bodies, 2010, section 3.</p>\n"
        .to_string()
}
