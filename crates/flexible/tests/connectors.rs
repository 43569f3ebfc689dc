//! Connectors: what is refused, and that ties carry rigid motions and virtual work.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::mesh::{l_beam, t_square};
use macrostep_flexible::moving::Rayleigh;
use macrostep_flexible::structure::Assembly;
use macrostep_flexible::{Basis, Chain, Connector, Error, FlexibleBody, Sparse, Structure};
use nalgebra::{DMatrix, DVector, Vector3};
use proptest::prelude::*;

#[test]
fn impossible_connectors_are_refused() {
    let mesh = l_beam(4, 1);
    let structure = Structure::solid(&mesh, &common::l_material()).unwrap();
    let clamp = Connector::on(&mesh, "clamp", "CLAMP").unwrap();
    let with = |nodes: Vec<usize>| Connector { nodes, name: "other".into(), ..clamp.clone() };

    assert!(matches!(structure.tie(&[with(vec![])]), Err(Error::NoSlaves { .. })));
    let overlapping = structure.tie(&[clamp.clone(), with(clamp.nodes.clone())]);
    match overlapping {
        Err(Error::SharedNode { node, first, second }) => {
            assert_eq!((node, first.as_str(), second.as_str()), (structure.labels[clamp.nodes[0]], "clamp", "other"));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(structure.tie(&[with(vec![3])]), Err(Error::RankDeficient { rank: 3, .. })));
    // The nodes of an edge lie on a line and leave the turn about it free.
    let edge: Vec<usize> = clamp.nodes.iter().copied().filter(|&n| mesh.nodes[n].z < -0.0024).collect();
    assert!(edge.len() >= 3);
    let position = mesh.nodes[edge[0]];
    let line = Connector { name: "edge".into(), position, nodes: edge };
    assert!(matches!(structure.tie(&[line]), Err(Error::RankDeficient { rank: 5, .. })));
    assert!(matches!(structure.tie(&[with(vec![1 << 40])]), Err(Error::Shape { .. })));
}

#[test]
fn null_modes_of_a_tied_body_are_rigid() {
    let (structure, tied) = common::tie(&t_square(), &common::t_material(), &["MOUNT", "BAR", "STEM"]);
    let rigid = structure.rigid_modes(Vector3::zeros());
    assert!((tied.map.multiply(&tied.chain.null) - rigid).amax() < 1e-15);
    let force = tied.chain.a0.multiply(&tied.chain.null);
    assert!(force.amax() < 1e-13 * tied.chain.a0.max_abs());
    assert!((structure.mass_kg() / (7850.0 * 0.02 * 0.04 * 0.30) - 1.0).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 20, ..ProptestConfig::default() })]
    #[test]
    fn forces_on_slaves_and_on_masters_do_the_same_work(seed in any::<u64>()) {
        let (_, tied) = common::tie(&l_beam(3, 1), &common::l_material(), &["CLAMP", "TIP"]);
        let mut value = seed | 1;
        let mut next = || {
            value = value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (value >> 33) as f64 / f64::from(u32::MAX) - 0.25
        };
        let motion = DMatrix::from_fn(tied.chain.size(), 1, |_, _| next());
        let force = DVector::from_fn(tied.map.rows.len(), |_, _| next());
        let full = tied.map.multiply(&motion).column(0).dot(&force);
        let dual = tied.map.dual(&force).dot(&motion.column(0));
        prop_assert!((full - dual).abs() < 1e-12 * force.norm() * motion.norm());
    }
}

#[test]
fn rotations_of_given_matrices_and_anisotropic_masses_are_refused_in_the_moving_frame() {
    use macrostep_flexible::element::beam::{Beam, Section};
    let nodes: Vec<_> = (0..5).map(|i| Vector3::x() * f64::from(i)).collect();
    let section = Section::rectangle(0.1, 0.2, true);
    let beams: Vec<_> = (0..4).map(|i| Beam { nodes: [i, i + 1], section, up: Vector3::y() }).collect();
    let frame = Structure::frame(&nodes, &beams, &common::t_material()).unwrap();
    let end = |n: usize| Connector { name: n.to_string(), position: nodes[n], nodes: vec![n] };
    let tied = frame.tie(&[end(0), end(4)]).unwrap();
    let basis = Basis::craig_bampton(&tied.chain, 3).unwrap();
    let given = Structure { assembly: Assembly::Matrices, ..frame };
    let body = FlexibleBody::new(&given, &tied, &basis, 0, Rayleigh::default());
    assert!(matches!(body, Err(Error::RotationalInertia { node: 1 })), "{body:?}");

    let (mut structure, _) = common::tie(&l_beam(2, 1), &common::l_material(), &["CLAMP"]);
    let extra = Sparse::from_triplets(structure.dofs.len(), &[(4, 4, 1e-3)]).unwrap();
    structure.mass = structure.mass.combine(1.0, &extra, 1.0).unwrap();
    assert!(matches!(structure.nodal_mass(), Err(Error::MassNotScalar { first: 2, second: 2, .. })));
}

#[test]
fn scalar_connectors_are_checked_too() {
    let a = Sparse::from_triplets(3, &[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]).unwrap();
    let tie = |connectors: &[Vec<usize>]| Chain::scalar(&a, Some(&a), None, connectors).map(|_| ());
    assert!(matches!(tie(&[vec![]]), Err(Error::NoSlaves { .. })));
    assert!(matches!(tie(&[vec![0], vec![0]]), Err(Error::SharedNode { node: 0, .. })));
    assert!(matches!(tie(&[vec![3]]), Err(Error::Shape { .. })));
    assert!(tie(&[vec![0, 1], vec![2]]).is_ok());
}
