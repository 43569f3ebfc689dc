//! The T-square of [Zaiczek 2010] under uniform rotation: spun up, settled, compared with the full static solution.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::mesh::t_square;
use macrostep_flexible::moving::Rayleigh;
use macrostep_flexible::{BodyState, Factor, Loads, Workspace};
use nalgebra::{DVector, Vector3};

/// The same from one static solution of the full model.
fn full_static() -> [Vector3<f64>; 2] {
    let (structure, tied) = common::tie(&t_square(), &common::t_material(), &["MOUNT", "BAR", "STEM"]);
    let field = DVector::from_iterator(
        structure.dofs.len(),
        structure.dofs.iter().map(|d| match d.direction {
            2 => -9.81,
            axis => common::SPIN * common::SPIN * structure.nodes[d.node][axis],
        }),
    );
    let load = tied.map.dual(&structure.mass.apply(&field));
    let keep: Vec<usize> = (6..tied.chain.size()).collect();
    let stiffness = tied.chain.a0.submatrix(&keep).unwrap();
    let right = nalgebra::DMatrix::from_iterator(keep.len(), 1, keep.iter().map(|&k| load[k]));
    let u = Factor::cholesky(&stiffness, "clamped T-square").unwrap().solve(right);
    [0, 6].map(|at| Vector3::new(u[at], u[at + 1], u[at + 2]))
}

#[test]
fn settled_displacements_agree_with_the_full_static_solution() {
    let exact = full_static();
    let mut seen = Vec::new();
    for damping in [Rayleigh { alpha_per_s: 60.0, beta_s: 3e-5 }, Rayleigh { alpha_per_s: 120.0, beta_s: 1e-5 }] {
        let body = common::t_body(10, 0, damping);
        let found = common::settled_t_square(&body);
        for (c, (u, e)) in found.iter().zip(&exact).enumerate() {
            println!("connector {}: {:.5?} µm, full {:.5?} µm", c + 1, (u * 1e6).as_slice(), (e * 1e6).as_slice());
            for axis in 0..3 {
                assert!((u[axis] / e[axis] - 1.0).abs() < 3e-4, "connector {c} axis {axis}: {u:?} {e:?}");
            }
        }
        seen.push(found);
    }
    // The settled state does not depend on the damping.
    for (first, second) in seen[0].iter().zip(&seen[1]) {
        assert!((first - second).norm() < 1e-6 * first.norm());
    }
}

#[test]
fn mount_carries_weight_and_centripetal_force() {
    let body = common::t_body(4, 0, Rayleigh::default());
    let mut state = BodyState::rest(body.modes());
    state.set_spin(Vector3::z() * common::SPIN);
    let mut loads = Loads::none(3);
    loads.gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut work = Workspace::new(&body);
    // The deflected shape of the steady rotation, so that nothing accelerates in the frame.
    for _ in 0..50 {
        let force = body.generalized_forces(&state, &loads).unwrap();
        (0..body.modes()).for_each(|k| state.elastic_mut()[k] += force[6 + k] / body.stiffness[k]);
    }
    let mut steady = common::mount(1.0);
    steady.orientation = state.orientation();
    let reaction = body.reaction(&state, &loads, &steady, &mut work).unwrap();
    let shapes = body.first_moments[1..].iter().zip(state.elastic());
    let moment = shapes.fold(body.first_moments[0], |s, (c, q)| s + c * *q);
    let inward = -common::SPIN.powi(2) * Vector3::new(moment.x, moment.y, 0.0);
    let expected = inward - loads.gravity * body.mass_kg;
    assert!((reaction.force - expected).norm() < 1e-9 * expected.norm(), "{reaction:?} {expected:?}");
    let inertia = body.mass_matrix(&state).unwrap().fixed_view::<3, 3>(3, 3).into_owned();
    let spin = state.spin();
    let torque = spin.cross(&(inertia * spin)) - moment.cross(&loads.gravity);
    assert!((reaction.torque - torque).norm() < 1e-9 * torque.norm(), "{reaction:?} {torque:?}");
}

#[test]
fn spin_above_a_third_of_the_first_frequency_is_warned_about() {
    let body = common::t_body(4, 0, Rayleigh::default());
    let first = body.stiffness[0].sqrt();
    assert!(body.spin_warning(0.29 * first).is_none());
    assert!(body.spin_warning(-0.31 * first).unwrap().contains("geometric stiffening"));
    assert!(body.spin_warning(common::SPIN).is_none());
}
