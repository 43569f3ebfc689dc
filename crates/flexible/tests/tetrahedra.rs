//! Bodies of 10-node tetrahedra: patch test, rigid motions, convergence of a frequency, and the mesh of a generator.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_flexible::check::Conditioning;
use macrostep_flexible::eigen::{Modes, Search};
use macrostep_flexible::element::Solid;
use macrostep_flexible::import::inp;
use macrostep_flexible::mesh::Element;
use macrostep_flexible::{Factor, Material, Mesh, Structure};
use nalgebra::{DMatrix, Vector3};
use std::collections::BTreeMap;

/// The mesh of `examples/meshes/link.geo`.
const LINK: &str = include_str!("../../../examples/meshes/link.inp");

fn steel() -> Material {
    Material::new(2.1e11, 0.3, 7850.0).unwrap()
}

/// The six ways from one corner of a cell to the opposite one, along the axes in this order.
const WAYS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// A box of `cells` cells and `size` (m), each cut into six tetrahedra.
fn cut_box(cells: [usize; 3], size: [f64; 3]) -> Mesh {
    let mut mesh = Mesh::default();
    let mut places: BTreeMap<[usize; 3], usize> = BTreeMap::new();
    let mut node = |at: [usize; 3], mesh: &mut Mesh| {
        *places.entry(at).or_insert_with(|| {
            mesh.nodes.push(Vector3::from_fn(|d, _| size[d] * at[d] as f64 / (2 * cells[d]) as f64));
            mesh.nodes.len() - 1
        })
    };
    for cell in (0..cells[0]).flat_map(|i| (0..cells[1]).flat_map(move |j| (0..cells[2]).map(move |k| [i, j, k]))) {
        for (number, way) in WAYS.iter().enumerate() {
            // Corners on the lattice of half cells; the second half of the ways turns the other way round.
            let mut corners = [cell.map(|c| 2 * c); 4];
            for step in 0..3 {
                corners[step + 1] = corners[step];
                corners[step + 1][way[step]] += 2;
            }
            if number >= 3 {
                corners.swap(1, 2);
            }
            let middles = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
            let middles = middles.map(|[a, b]| std::array::from_fn(|d| (corners[a][d] + corners[b][d]) / 2));
            let nodes = corners.into_iter().chain(middles).map(|at| node(at, &mut mesh)).collect();
            mesh.elements.push(Element { solid: Solid::C3d10, nodes });
        }
    }
    mesh.node_labels = (1..=mesh.nodes.len()).collect();
    mesh.element_labels = (1..=mesh.elements.len()).collect();
    mesh
}

/// Frequencies (Hz) with the nodes of `held` fixed.
fn clamped_hz(structure: &Structure, held: &[usize], count: usize) -> Vec<f64> {
    let keep: Vec<usize> = (0..structure.dofs.len()).filter(|row| !held.contains(&structure.dofs[*row].node)).collect();
    let (k, m) = (structure.stiffness.submatrix(&keep).unwrap(), structure.mass.submatrix(&keep).unwrap());
    Modes::sparse(&k, &m, Search::lowest(count, 0.0)).unwrap().frequencies_hz()
}

#[test]
fn patch_test_holds_on_an_irregular_mesh() {
    let mut mesh = inp::read(LINK).unwrap();
    mesh.leave_out_free_nodes();
    // Straight edges: a linear field is then in the space of each element.
    for element in &mesh.elements {
        for [a, middle, b] in element.solid.edges().iter().map(|edge| edge.map(|local| element.nodes[local])) {
            mesh.nodes[middle] = (mesh.nodes[a] + mesh.nodes[b]) / 2.0;
        }
    }
    let structure = Structure::solid(&mesh, &steel()).unwrap();
    let strain = nalgebra::Matrix3::new(1.0, 0.2, -0.3, 0.5, -0.4, 0.1, 0.7, 0.6, 0.8) * 1e-3;
    let field = |row: usize| (strain * structure.nodes[structure.dofs[row].node])[structure.dofs[row].direction];

    // The field is given on the boundary; the nodes inside must find it.
    let on_boundary = mesh.face_nodes(&mesh.boundary());
    let (free, given): (Vec<usize>, Vec<usize>) =
        (0..structure.dofs.len()).partition(|row| on_boundary.binary_search(&structure.dofs[*row].node).is_err());
    assert!(free.len() > 50, "{}", free.len());
    let mut boundary = DMatrix::zeros(structure.dofs.len(), 1);
    given.iter().for_each(|row| boundary[*row] = field(*row));
    let load = -structure.stiffness.multiply(&boundary).select_rows(&free);
    let inside = Factor::cholesky(&structure.stiffness.submatrix(&free).unwrap(), "inside").unwrap().solve(load);
    let worst = free.iter().zip(inside.iter()).map(|(row, u)| (u - field(*row)).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-13, "{worst:e}");
}

#[test]
fn a_generated_mesh_has_six_rigid_motions_and_the_mass_of_its_drawing() {
    let mut mesh = inp::read(LINK).unwrap();
    mesh.leave_out_free_nodes();
    let structure = Structure::solid(&mesh, &steel()).unwrap();
    let found = Conditioning::new(&structure, 3).unwrap();
    assert!(found.warnings.is_empty(), "{found}");
    assert_eq!(found.frequencies_hz[..6], [0.0; 6]);
    assert!(found.frequencies_hz[6] > 500.0 && found.zero_hz < 0.01 * found.frequencies_hz[6], "{found}");
    assert!(found.eigenvalues[..6].iter().any(|v| *v != 0.0));
    // A box with a bore; edges of second order meet the circle to a few parts in a thousand.
    let volume = 0.25 * 0.02 * 0.03 - std::f64::consts::PI * 0.008 * 0.008 * 0.02;
    assert!((found.mass_kg / (7850.0 * volume) - 1.0).abs() < 2e-3, "{}", found.mass_kg / (7850.0 * volume));
}

#[test]
fn frequency_of_a_beam_converges_to_that_of_hexahedra() {
    // Clamped bar of 1 × 0.1 × 0.1 m: the first bending frequency from above, with about the fourth power of the mesh size.
    let size = [1.0, 0.1, 0.1];
    let first = |cells: [usize; 3]| {
        let mesh = cut_box(cells, size);
        let held: Vec<usize> = (0..mesh.nodes.len()).filter(|n| mesh.nodes[*n].x == 0.0).collect();
        clamped_hz(&Structure::solid(&mesh, &steel()).unwrap(), &held, 1)[0]
    };
    let found = [first([4, 1, 1]), first([8, 1, 1]), first([16, 2, 2])];
    let planes = |d: usize, n: usize| (0..=n).map(|i| size[d] * i as f64 / n as f64).collect::<Vec<_>>();
    let mesh = macrostep_flexible::mesh::Block { x: planes(0, 20), y: planes(1, 2), z: planes(2, 2) }.mesh(|_| true);
    let held: Vec<usize> = (0..mesh.nodes.len()).filter(|n| mesh.nodes[*n].x == 0.0).collect();
    let fine = clamped_hz(&Structure::solid(&mesh, &steel()).unwrap(), &held, 1)[0];
    let errors = found.map(|f| f / fine - 1.0);
    println!("first bending frequency {found:?} Hz, of hexahedra {fine} Hz, errors {errors:?}");
    assert!(errors[0] > errors[1] && errors[1] > errors[2], "{errors:?}");
    assert!(errors[0] < 0.03 && errors[2].abs() < 2e-3, "{errors:?}");
}

#[test]
fn a_deck_of_tetrahedra_round_trips_and_knows_its_boundary() {
    let mut mesh = cut_box([1, 1, 1], [0.1, 0.2, 0.3]);
    // Two that share a face.
    mesh.elements = [0, 3].map(|i| mesh.elements[i].clone()).to_vec();
    mesh.element_labels.truncate(2);
    mesh.leave_out_free_nodes();
    let read = inp::read(&inp::write(&mesh, Some(&steel()))).unwrap();
    assert_eq!(read.elements, mesh.elements);
    assert_eq!(read.census(), "2 C3D10 elements");
    assert_eq!(read.face_nodes(&[(0, 0)]).len(), 6);
    assert_eq!(read.boundary().len(), 6);
}
