//! The surface of a solid body with some 10 000 values, through 90° of rotation.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_flexible::mesh::Block;
use macrostep_flexible::{Basis, BodyState, Connector, FlexibleBody, Loads, Material, Structure};
use macrostep_reduction::{InterfaceMap, Surface};
use nalgebra::Vector3;

/// A blade of 1 m × 60 mm × 20 mm, both ends connectors, and the nodes of its skin.
fn blade(cells: [usize; 3]) -> Surface {
    let line =
        |length: f64, low: f64, n: usize| (0..=n).map(|i| low + length * i as f64 / n as f64).collect::<Vec<_>>();
    let [x, y, z] = cells;
    let grid = Block { x: line(1.0, 0.0, x), y: line(0.02, -0.01, y), z: line(0.06, -0.03, z) };
    let mut mesh = grid.mesh(|_| true);
    mesh.name_plane("ROOT", 0, 0.0, |_| true);
    mesh.name_plane("TIP", 0, 1.0, |_| true);
    let structure = Structure::solid(&mesh, &Material::new(2e11, 0.3, 7850.0).unwrap()).unwrap();
    let connectors = ["ROOT", "TIP"].map(|name| Connector::on(&mesh, name, name).unwrap());
    let tied = structure.tie(&connectors).unwrap();
    let basis = Basis::craig_bampton(&tied.chain, 10).unwrap();
    Surface::new(&structure, &tied, &basis, 0, &mesh.face_nodes(&mesh.boundary())).unwrap()
}

#[test]
fn ten_thousand_values_become_sixty_through_a_right_angle() {
    let surface = blade([48, 5, 6]);
    assert_eq!(surface.values(), 10_050);
    let (made_from, states) = (surface.shaken().unwrap(), surface.turned().unwrap());
    let of = |values: usize| {
        let map = surface.map(values, &made_from).unwrap();
        let found = surface.fidelity(&map, &states).unwrap();
        println!("{} of {} values, condition {:.1}: {found:?}", map.reduced_size(), surface.values(), map.condition());
        (map, found)
    };
    let all = [30, 60].map(of);
    let (map, found) = &all[1];
    assert!(map.reduced_size() <= 60 && found.turned_rad >= std::f64::consts::FRAC_PI_2);
    assert!(found.elastic_m > 1e-3 && found.virtual_work < 1e-12, "{found:?}");
    // Near the least that shapes made for this motion leave; nodes of effective independence alone are at 2.3 and 3.3 times it.
    assert!(all.iter().all(|(_, found)| found.error <= 2.0 * found.optimum), "{all:?}");
    assert!(found.error < 1e-4 && found.error < 0.1 * all[0].1.error, "{found:?}");
}

#[test]
fn too_few_values_and_maps_of_another_surface_are_refused() {
    let surface = blade([4, 1, 1]);
    assert!(surface.map(11, &surface.shaken().unwrap()).unwrap_err().to_string().contains("at least 12"));
    let map: InterfaceMap = surface.map(30, &surface.shaken().unwrap()).unwrap();
    let other = blade([5, 1, 1]);
    assert!(other.fidelity(&map, &other.turned().unwrap()).is_err());
}

/// A node is a point: a force there bends the body as at a connector whose rotation follows nothing, and it is stored as a point.
#[test]
fn a_node_of_the_surface_takes_a_force_and_has_no_rotation() {
    let surface = blade([4, 1, 1]);
    let points = surface.body(&[(7, "a".into()), (50, "b".into())]).unwrap();
    let of_points = |body: &FlexibleBody| body.connectors.iter().map(|c| c.is_point()).collect::<Vec<_>>();
    assert_eq!(of_points(&points), [false, false, true, true]);
    let stored = FlexibleBody::from_bytes(&points.to_bytes().unwrap()).unwrap();
    assert_eq!(of_points(&stored), of_points(&points));
    // Neither more rotations than shapes nor fewer.
    let mut damaged = points.clone();
    damaged.connectors[2].rotation = vec![Vector3::zeros()];
    assert!(FlexibleBody::from_bytes(&damaged.to_bytes().unwrap()).is_err());
    // The same forces on both.
    let mut still = points.clone();
    for connector in &mut still.connectors[2..] {
        connector.rotation = vec![Vector3::zeros(); connector.translation.len()];
    }
    let mut loads = Loads::none(4);
    loads.wrenches[2].force = Vector3::new(1.0, -2.0, 3.0);
    loads.wrenches[3].force = Vector3::new(-4.0, 5.0, 6.0);
    let state = BodyState::rest(points.modes());
    let [found, expected] = [&points, &still].map(|body| body.generalized_forces(&state, &loads).unwrap());
    assert_eq!(found, expected);
    assert!(found[6..].iter().any(|q| q.abs() > 1e-3), "{found:?}");
}
