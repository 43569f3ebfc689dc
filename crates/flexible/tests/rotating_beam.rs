//! A clamped beam rotating about an axis across it stretches by L (tan κ/κ − 1), κ² = ρ ω² L² / E.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_flexible::mesh::Block;
use macrostep_flexible::moving::Rayleigh;
use macrostep_flexible::{Basis, BodyState, Connector, Factor, FlexibleBody, Loads, Material, Mesh, Structure, Tied};
use nalgebra::{DMatrix, Vector3};

const LENGTH: f64 = 1.0;
const ELEMENTS: usize = 60;

fn beam(material: &Material) -> (Mesh, Structure, Tied) {
    let x = (0..=ELEMENTS).map(|i| LENGTH * i as f64 / ELEMENTS as f64).collect();
    let mut mesh = Block { x, y: vec![-0.01, 0.01], z: vec![-0.01, 0.01] }.mesh(|_| true);
    mesh.name_plane("CLAMP", 0, 0.0, |_| true);
    mesh.name_plane("TIP", 0, LENGTH, |_| true);
    let structure = Structure::solid(&mesh, material).unwrap();
    let connectors = ["CLAMP", "TIP"].map(|s| Connector::on(&mesh, s, s).unwrap());
    let tied = structure.tie(&connectors).unwrap();
    (mesh, structure, tied)
}

/// The axial shape of the discretised beam at `spin`, in tied coordinates: (K − ω² M) u = ω² M x along x.
fn shape(structure: &Structure, tied: &Tied, spin: f64) -> DMatrix<f64> {
    // Tied coordinates along x, the clamp's left out, and their positions.
    let mut axial = vec![(6, LENGTH)];
    for (row, dof) in structure.dofs.iter().enumerate().filter(|(_, d)| d.direction == 0) {
        let column = tied.map.rows[row][0].0;
        if column >= 12 {
            axial.push((column, structure.nodes[dof.node].x));
        }
    }
    let keep: Vec<usize> = axial.iter().map(|a| a.0).collect();
    let stiffness = tied.chain.a0.submatrix(&keep).unwrap();
    let mass = tied.chain.a2.as_ref().unwrap().submatrix(&keep).unwrap();
    let position = DMatrix::from_iterator(keep.len(), 1, axial.iter().map(|a| a.1));
    let operator = stiffness.combine(1.0, &mass, -spin * spin).unwrap();
    let load = mass.multiply(&position) * (spin * spin);
    let u = Factor::lu(&operator, "rotating beam").unwrap().solve(load);
    let mut shape = DMatrix::zeros(tied.chain.size(), 1);
    keep.iter().zip(u.iter()).for_each(|(&at, &u)| shape[(at, 0)] = u);
    shape
}

/// Elongation of the driven body at `spin`; `deformed` false evaluates the centrifugal force at the undeformed place.
fn elongation(body: &FlexibleBody, spin: f64, deformed: bool) -> f64 {
    let mut state = BodyState::rest(body.modes());
    state.set_spin(Vector3::z() * spin);
    let loads = Loads::none(2);
    let at_rest = body.generalized_forces(&state, &loads).unwrap()[6];
    let guess = at_rest / body.stiffness[0];
    if deformed {
        // The balance is linear in q: two evaluations give its root.
        state.elastic_mut()[0] = guess;
        let at_guess = body.generalized_forces(&state, &loads).unwrap()[6];
        state.elastic_mut()[0] = guess * at_rest / (at_rest - at_guess);
    } else {
        state.elastic_mut()[0] = guess;
    }
    body.deflection(&state, 1).unwrap().0.x
}

#[test]
fn elongation_follows_the_closed_form_to_1e_10() {
    let material = Material::new(2e11, 0.0, 7850.0).unwrap();
    let (_, structure, tied) = beam(&material);
    for kappa in [0.05, 0.2, 0.4] {
        let spin = kappa / LENGTH * (material.young_pa / material.density_kg_m3).sqrt();
        let u = shape(&structure, &tied, spin);
        let scale = u.amax();
        let mut vectors = tied.chain.null.clone().resize_horizontally(7, 0.0);
        vectors.set_column(6, &(u.column(0) / scale));
        let basis = Basis::given(&tied.chain, vectors).unwrap();
        let body = FlexibleBody::new(&structure, &tied, &basis, 0, Rayleigh::default()).unwrap();
        let exact = LENGTH * (kappa.tan() / kappa - 1.0);
        let found = elongation(&body, spin, true);
        let undeformed = elongation(&body, spin, false);
        println!("κ {kappa}: relative error {:.2e}", found / exact - 1.0);
        assert!((found / exact - 1.0).abs() < 1e-10, "{found} {exact}");
        // The centrifugal force at the undeformed place misses terms of relative order κ².
        assert!((undeformed / exact - 1.0).abs() > 0.1 * kappa * kappa);
        let first = material.density_kg_m3 * spin.powi(2) * LENGTH.powi(3) / (3.0 * material.young_pa);
        assert!((first / exact - 1.0).abs() < 0.5 * kappa * kappa);
    }
}
