//! Bodies of beam elements in the moving frame: mass beside the axis, conservation, geometric stiffening.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::element::beam::{Beam, Section};
use macrostep_flexible::moving::{Dopri, Rayleigh};
use macrostep_flexible::{Basis, BodyState, Connector, FlexibleBody, Joint, Loads, Structure, Workspace};
use nalgebra::{DMatrix, UnitQuaternion, Vector3};

/// Beams of one section through the corners, `count` elements on each side.
fn frame(corners: &[Vector3<f64>], count: usize, section: Section) -> Structure {
    let mut nodes = vec![corners[0]];
    for pair in corners.windows(2) {
        nodes.extend((1..=count).map(|i| pair[0] + (pair[1] - pair[0]) * (i as f64 / count as f64)));
    }
    let up = Vector3::new(0.1, 0.2, 1.0);
    let beams: Vec<Beam> = (1..nodes.len()).map(|i| Beam { nodes: [i - 1, i], section, up }).collect();
    Structure::frame(&nodes, &beams, &common::t_material()).unwrap()
}

fn body(structure: &Structure, modes: usize, stiffened: bool) -> FlexibleBody {
    let end =
        |name: &str, node: usize| Connector { name: name.into(), position: structure.nodes[node], nodes: vec![node] };
    let tied = structure.tie(&[end("root", 0), end("tip", structure.nodes.len() - 1)]).unwrap();
    let basis = Basis::craig_bampton(&tied.chain, modes).unwrap();
    let make = if stiffened { FlexibleBody::stiffened } else { FlexibleBody::new };
    make(structure, &tied, &basis, 0, Rayleigh::default()).unwrap()
}

#[test]
fn masses_beside_the_axis_are_the_mass_matrix() {
    let corners = [Vector3::zeros(), Vector3::new(0.5, 0.1, 0.2), Vector3::new(0.4, 0.8, -0.1)];
    for shear in [false, true] {
        let structure = frame(&corners, 2, Section::rectangle(0.06, 0.03, shear));
        let points = structure.mass_points().unwrap();
        let n = structure.dofs.len();
        let all = points.fields(&DMatrix::identity(n, n), Vector3::zeros());
        let mut mass = DMatrix::zeros(n, n);
        for y in &all {
            let shapes = y.columns(1, n).into_owned();
            mass += shapes.tr_mul(&points.mass.multiply(&shapes));
        }
        let expected = structure.mass.multiply(&DMatrix::identity(n, n));
        assert!((mass - &expected).amax() < 1e-12 * expected.amax(), "shear {shear}");
    }
}

#[test]
fn a_free_frame_of_beams_keeps_momentum_and_energy() {
    let corners = [Vector3::new(1.0, 0.0, 0.0), Vector3::zeros(), Vector3::new(0.0, 1.0, 0.0)];
    let body = body(&frame(&corners, 6, Section::rectangle(0.012, 0.005, true)), 4, false);
    assert!((body.mass_kg / (7850.0 * 2.0 * 6e-5) - 1.0).abs() < 1e-12);
    let mut state = BodyState::rest(body.modes());
    state.set_orientation(UnitQuaternion::from_euler_angles(0.3, 0.2, -0.4));
    state.set_velocity(Vector3::new(1.0, 2.0, -0.5));
    state.set_spin(Vector3::new(8.0, -5.0, 6.0));
    state.elastic_mut().iter_mut().enumerate().take(6).for_each(|(k, q)| *q = 1e-3 / (1.0 + k as f64).powi(2));
    let mut work = Workspace::new(&body);
    let before = body.momenta(&state, &mut work).unwrap();
    let mut integrator = Dopri::new(&body);
    (integrator.relative, integrator.absolute) = (1e-11, 1e-14);
    integrator.advance(&body, &mut state, (0.0, 0.1), |_, _| ()).unwrap();
    let after = body.momenta(&state, &mut work).unwrap();
    let energy = (after.kinetic_j + after.elastic_j) / (before.kinetic_j + before.elastic_j) - 1.0;
    assert!(energy.abs() < 1e-9 && (after.angular - before.angular).norm() < 1e-9 * before.angular.norm());
}

#[test]
fn rotational_inertia_is_that_of_the_section() {
    // A straight bar about its own axis: ρ I_p L, which masses on the axis do not have.
    let section = Section::rectangle(0.06, 0.03, true);
    let body = body(&frame(&[Vector3::zeros(), Vector3::x()], 4, section), 2, false);
    let mass = body.mass_matrix(&BodyState::rest(body.modes())).unwrap();
    let polar = 7850.0 * (section.second_y_m4 + section.second_z_m4);
    assert!((mass[(3, 3)] / polar - 1.0).abs() < 1e-12, "{} {polar}", mass[(3, 3)]);
}

#[test]
fn a_rotating_beam_is_stiffened_as_southwell_says() {
    let section = Section::rectangle(0.006, 0.03, false);
    let up = frame(&[Vector3::zeros(), Vector3::x()], 16, section);
    let body = body(&up, 8, true);
    // Both planes of bending are mixed by the skew section: the lower eigenvalue across the axis of rotation does.
    let spin = 40.0;
    let stiffness = |spin: f64| {
        let mut state = BodyState::rest(body.modes());
        state.set_spin(Vector3::z() * spin);
        let n = body.modes();
        let forces = |state: &BodyState| body.held_forces(state, &Loads::none(2), Joint::Clamp).unwrap();
        let mut all = DMatrix::zeros(n, n);
        for k in 0..n {
            let step = 1e-4 / body.stiffness[k].sqrt();
            let moved = |by: f64| {
                let mut moved = state.clone();
                moved.elastic_mut()[k] += by;
                forces(&moved)
            };
            let (plus, minus) = (moved(step), moved(-step));
            (0..n).for_each(|i| all[(i, k)] = (minus[6 + i] - plus[6 + i]) / (2.0 * step));
        }
        ((&all + all.transpose()) * 0.5).symmetric_eigenvalues()
    };
    let sum = |values: nalgebra::DVector<f64>| {
        let mut sorted: Vec<f64> = values.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        sorted[0] + sorted[1]
    };
    // In both planes 1.193 Ω², less Ω² in the plane of rotation: the sum of the two does not depend on the skew.
    let found = (sum(stiffness(spin)) - sum(stiffness(0.0))) / spin.powi(2);
    println!("sum of both bending planes: {found:.4} Ω², Southwell 1.386");
    assert!((found / (2.0 * 1.193 - 1.0) - 1.0).abs() < 0.02, "{found}");
}
