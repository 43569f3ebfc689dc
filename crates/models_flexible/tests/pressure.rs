//! The cube under pressure as a slave: resultants and moments in closed form, the work of a pressure, derivatives.

#[allow(dead_code)] // what other tests drive
mod driven;

use driven::{get, reference, set, slave, start};
use macrostep_flexible::mesh::Block;
use macrostep_models_flexible::{FacetMesh, Stored, find};
use macrostep_slave::{Slave, Tangent};
use nalgebra::{Matrix3, Rotation3, Vector3};

const EDGE: f64 = 0.1;

fn cube() -> FacetMesh {
    let bytes = find("surface_pressure").expect("a model").resources[0].1;
    FacetMesh::from_bytes(bytes).expect("stored").0
}

/// References of `name[1]`, `name[2]`, … up to `count`.
fn list(s: &dyn Slave, name: &str, count: usize) -> Vec<u32> {
    (1..=count).map(|i| reference(s.description(), &format!("{name}[{i}]"))).collect()
}

/// The cube with its nodes moved by `place`, and with these pressures.
fn pressed(place: impl Fn(&Vector3<f64>) -> Vector3<f64>, pressures: &[f64]) -> (Box<dyn Slave>, Vec<Vector3<f64>>) {
    let mut s = slave("surface_pressure");
    let at: Vec<_> = cube().nodes.iter().map(place).collect();
    let (u, p) = (list(s.as_ref(), "u", 3 * at.len()), list(s.as_ref(), "p", pressures.len()));
    start(s.as_mut());
    s.set_real(&u, &at.iter().flat_map(|x| x.iter().copied()).collect::<Vec<_>>()).expect("set");
    s.set_real(&p, pressures).expect("set");
    (s, at)
}

fn forces(s: &mut dyn Slave, count: usize) -> Vec<Vector3<f64>> {
    let refs = list(s, "F", 3 * count);
    let mut values = vec![0.0; refs.len()];
    s.get_real(&refs, &mut values).expect("get");
    values.chunks_exact(3).map(Vector3::from_column_slice).collect()
}

#[test]
fn the_stored_cube_is_the_skin_of_the_mesh() {
    let planes = || vec![0.0, EDGE];
    let mesh = Block { x: planes(), y: planes(), z: planes() }.mesh(|_| true);
    let (nodes, facets) = mesh.surface(&mesh.boundary());
    let nodes = nodes.into_iter().map(|node| mesh.nodes[node]).collect();
    assert_eq!(cube(), FacetMesh { nodes, facets });
    // Facets that cannot be.
    let with = |facet: Vec<usize>| FacetMesh { facets: vec![facet], ..cube() }.check();
    assert!(with(vec![0, 1, 2]).is_err_and(|e| e.contains("3 nodes")));
    assert!(with(vec![0, 1, 2, 99]).is_err_and(|e| e.contains("node 99")));
}

#[test]
fn a_pressure_acts_along_the_normal_of_its_facet_and_turns_with_it() {
    let turn = Rotation3::new(Vector3::new(0.4, -2.0, 1.3));
    let shift = Vector3::new(3.0, -1.0, 2.0);
    let mesh = cube();
    for (f, facet) in mesh.facets.iter().enumerate() {
        let mut pressures = vec![0.0; 6];
        pressures[f] = 2e5;
        let (mut s, at) = pressed(|x| turn * x + shift, &pressures);
        let found = forces(s.as_mut(), at.len());
        // From the middle of the facet to that of the cube, in the turned cube.
        let middle = facet[..4].iter().map(|node| mesh.nodes[*node]).sum::<Vector3<f64>>() / 4.0;
        let inward = (Vector3::repeat(EDGE / 2.0) - middle).normalize();
        let force = turn * inward * (2e5 * EDGE * EDGE);
        let sum: Vector3<f64> = found.iter().sum();
        assert!((sum - force).norm() < 1e-11 * force.norm(), "{sum} {force}");
        // It acts in the middle of the facet, which is shown.
        let middle = turn * middle + shift;
        let moment: Vector3<f64> = at.iter().zip(&found).map(|(x, f)| (x - middle).cross(f)).sum();
        assert!(moment.norm() < 1e-11 * force.norm() * EDGE);
        let shown = Vector3::from_fn(|d, _| get(s.as_mut(), &format!("c[{}]", 3 * f + d + 1)));
        assert!((shown - middle).norm() < 1e-14);
    }
}

#[test]
fn a_constant_pressure_does_the_work_of_the_volume_it_takes() {
    // The cube as a sheared and stretched box: its volume is det A times that at rest.
    let a = Matrix3::new(1.2, 0.3, -0.1, 0.0, 0.9, 0.4, 0.2, -0.3, 1.1);
    let da = Matrix3::new(0.1, -0.7, 0.3, 0.5, 0.2, -0.4, -0.6, 0.1, 0.8);
    let (mut s, at) = pressed(|x| a * x, &[3e4; 6]);
    let work: f64 = forces(s.as_mut(), at.len()).iter().zip(&cube().nodes).map(|(f, x)| f.dot(&(da * x))).sum();
    let inverse = a.try_inverse().expect("a box");
    let growth = a.determinant() * (inverse * da).trace() * EDGE.powi(3);
    println!("work {work:.6} J, -p dV {:.6} J", -3e4 * growth);
    assert!((work / (-3e4 * growth) - 1.0).abs() < 1e-12);
}

#[test]
fn derivatives_are_those_of_differences() {
    let pressures = [1e4, -2e4, 3e4, 0.0, 5e4, 1e3];
    let bend = |x: &Vector3<f64>| x + Vector3::new(x.y * x.z, x.x * x.x, 0.0) * 3.0;
    let (mut s, at) = pressed(bend, &pressures);
    let (u, p, force) = (list(s.as_ref(), "u", 60), list(s.as_ref(), "p", 6), list(s.as_ref(), "F", 60));
    // A direction of all inputs.
    let known: Vec<u32> = u.iter().chain(&p).copied().collect();
    let direction: Vec<f64> = (0..66).map(|i| ((i * 37 % 17) as f64 - 8.0) * if i < 60 { 1e-3 } else { 1e3 }).collect();
    let mut found = vec![0.0; 60];
    s.directional_derivative(Tangent::new(&force, &known, &direction, &mut found)).expect("derivatives");
    // Rates of the outputs along rates of the inputs are the same.
    s.set_real_input_derivatives(&known, &vec![1; 66], &direction).expect("rates");
    let mut rates = vec![0.0; 60];
    s.get_real_output_derivatives(&force, &[1; 60], &mut rates).expect("rates");
    let step = 1e-4;
    let moved = |sign: f64| {
        let place = |i: usize| at[i / 3][i % 3] + sign * step * direction[i];
        let values: Vec<f64> =
            (0..60).map(place).chain((0..6).map(|f| pressures[f] + sign * step * direction[60 + f])).collect();
        let mut s = slave("surface_pressure");
        start(s.as_mut());
        s.set_real(&known, &values).expect("set");
        forces(s.as_mut(), 20)
    };
    let (up, down) = (moved(1.0), moved(-1.0));
    let scale = found.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for i in 0..60 {
        let difference = (up[i / 3][i % 3] - down[i / 3][i % 3]) / (2.0 * step);
        assert!((found[i] - difference).abs() < 1e-6 * scale, "{i}: {} {difference}", found[i]);
        assert!((found[i] - rates[i]).abs() < 1e-12 * scale);
    }
    set(s.as_mut(), "p[1]", 0.0);
    let mut d = [0.0];
    assert!(s.directional_derivative(Tangent::new(&[u[0]], &[p[0]], &[1.0], &mut d)).is_err());
}
