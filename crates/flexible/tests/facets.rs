//! Facets under pressure: closed surfaces of all kinds of facets, bent and turned; their volume against that of the elements.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::element::Solid;
use macrostep_flexible::facet::FacetKind;
use macrostep_flexible::import::inp;
use macrostep_flexible::mesh::{Element, t_square};
use macrostep_flexible::{Material, Mesh, Structure};
use nalgebra::{Rotation3, Vector3};

/// Eight of the nodes of each hexahedron: C3D8I.
fn corners_only(mesh: &Mesh) -> Mesh {
    let elements = mesh.elements.iter().map(|e| Element { solid: Solid::C3d8i, nodes: e.nodes[..8].to_vec() });
    let mut mesh = Mesh { elements: elements.collect(), surfaces: Default::default(), ..mesh.clone() };
    mesh.leave_out_free_nodes();
    mesh
}

/// Area vectors of the nodes of a surface with its nodes at `at`.
fn areas(at: &[Vector3<f64>], facets: &[Vec<usize>]) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros(); at.len()];
    for facet in facets {
        let kind = FacetKind::of(facet.len()).unwrap();
        kind.areas(|i| [at[facet[i]], Vector3::zeros()], |i, g, _| sums[facet[i]] += g);
    }
    sums
}

#[test]
fn a_constant_pressure_on_a_closed_surface_has_no_resultant_and_its_areas_span_the_volume() {
    let square = t_square();
    let link = inp::read(include_str!("../../../examples/meshes/link.inp")).unwrap();
    let meshes = [("C3D20", square.clone(), 8), ("C3D8I", corners_only(&square), 4), ("C3D10", link, 6)];
    for (name, mut mesh, nodes_of_a_facet) in meshes {
        mesh.leave_out_free_nodes();
        let (nodes, facets) = mesh.surface(&mesh.boundary());
        assert!(facets.iter().all(|facet| facet.len() == nodes_of_a_facet), "{name}");
        let rest: Vec<_> = nodes.iter().map(|node| mesh.nodes[*node]).collect();
        // The volume of the elements, from their mass.
        let material = Material::new(2e11, 0.3, 1000.0).unwrap();
        let volume = Structure::solid(&mesh, &material).unwrap().mass_kg() / 1000.0;
        // At rest, and turned and bent by a few millimetres.
        let turn = Rotation3::new(Vector3::new(0.7, -1.1, 2.3));
        let bend = |x: &Vector3<f64>| turn * (x + Vector3::new(x.y * x.z, x.x * x.x, x.x * x.y) * 0.8);
        let bent: Vec<_> = rest.iter().map(bend).collect();
        for at in [&rest, &bent] {
            let g = areas(at, &facets);
            let size: f64 = g.iter().map(Vector3::norm).sum();
            let reach = at.iter().map(Vector3::norm).fold(0.0, f64::max);
            let force: Vector3<f64> = g.iter().sum();
            let moment: Vector3<f64> = at.iter().zip(&g).map(|(x, g)| x.cross(g)).sum();
            println!("{name}: force {:.1e}, moment {:.1e}", force.norm() / size, moment.norm() / (size * reach));
            assert!(force.norm() < 1e-13 * size && moment.norm() < 1e-13 * size * reach, "{name}");
        }
        // 3 V = ∫ x · n dA with n outward.
        let spanned = -areas(&rest, &facets).iter().zip(&rest).map(|(g, x)| g.dot(x)).sum::<f64>() / 3.0;
        assert!((spanned / volume - 1.0).abs() < 1e-10, "{name}: {spanned} {volume}");
    }
}

#[test]
fn the_change_of_the_areas_is_that_of_a_difference() {
    let square = t_square();
    for mesh in [square.clone(), corners_only(&square)] {
        let (nodes, facets) = mesh.surface(&mesh.boundary());
        let rest: Vec<_> = nodes.iter().map(|node| mesh.nodes[*node]).collect();
        let move_of = |x: &Vector3<f64>| Vector3::new(x.y, x.x * x.z * 7.0, x.x - x.y * x.y * 3.0);
        let moves: Vec<_> = rest.iter().map(move_of).collect();
        let mut found = vec![Vector3::zeros(); rest.len()];
        for facet in &facets {
            let kind = FacetKind::of(facet.len()).unwrap();
            kind.areas(|i| [rest[facet[i]], moves[facet[i]]], |i, _, dg| found[facet[i]] += dg);
        }
        // Area vectors are of degree two in the positions: a central difference is exact but for rounding.
        let moved = |by: f64| areas(&rest.iter().zip(&moves).map(|(x, d)| x + d * by).collect::<Vec<_>>(), &facets);
        let scale = found.iter().map(Vector3::norm).fold(0.0, f64::max);
        for ((found, up), down) in found.iter().zip(moved(0.5)).zip(moved(-0.5)) {
            assert!((found - (up - down)).norm() < 1e-13 * scale);
        }
    }
}
