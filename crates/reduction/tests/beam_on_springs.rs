//! The beam on 167 springs of [Peeters 2024]: monolithic, full interface, reduced interface.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_reduction::beam::{BeamConstants, ModalBeam};
use macrostep_reduction::cosimulation::{Coupled, Exchange, Return, relative_rms};
use macrostep_reduction::gram_schmidt::orthonormalise;
use macrostep_reduction::map::virtual_work_defect;
use macrostep_reduction::{Error, InterfaceMap, Shapes, Space};
use nalgebra::DMatrix;
use proptest::prelude::*;
use std::sync::OnceLock;

const SPRING_N_M: f64 = 10.0;

fn beam(modes: usize) -> ModalBeam {
    ModalBeam::new(BeamConstants::default(), modes).unwrap()
}

/// The 19 shapes: two of rigid motion and 17 modes.
fn shapes() -> &'static Shapes {
    static SHAPES: OnceLock<Shapes> = OnceLock::new();
    SHAPES.get_or_init(|| beam(19).interface_shapes(19).unwrap())
}

fn map(space: Space) -> InterfaceMap {
    InterfaceMap::new(shapes(), space).unwrap()
}

fn coupled(beam: &ModalBeam, step_s: f64) -> (Coupled<'_>, DMatrix<f64>) {
    let steps = (1.0 / step_s).round() as usize;
    let coupled = Coupled { beam, spring_n_m: SPRING_N_M, step_s, steps };
    (coupled, beam.monolithic(SPRING_N_M, step_s, steps))
}

#[test]
fn beam_frequencies_are_those_of_the_free_free_beam() {
    let beam = beam(19);
    let c = BeamConstants::default();
    // Roots of cosh x cos x = 1.
    for (k, root) in [(2, 4.730_040_744_862_704), (3, 7.853_204_624_095_838), (4, 10.995_607_838_001_671_f64)] {
        let exact = root * root * (c.bending_n_m2 / c.mass_kg_m).sqrt();
        assert!((beam.frequencies()[k] / exact - 1.0).abs() < 1e-6);
    }
}

#[test]
fn ranks_are_those_of_the_paper() {
    let shapes = shapes();
    let r = shapes.transformation();
    assert_eq!(r.shape(), (501, 182));
    // The pure q_k columns and those of the absent components are zero.
    let zero = r.column_iter().filter(|c| c.norm() == 0.0).count();
    assert_eq!(zero, 17 + 3 * (2 + 2 * 17));
    assert_eq!(orthonormalise(&r).kept.len(), 57);
    let in_plane: Vec<usize> = (0..501).filter(|i| i % 3 != 2).collect();
    let planar = orthonormalise(&r.select_rows(&in_plane));
    assert_eq!(planar.kept.len(), 38);
    let scalar = orthonormalise(&shapes.scalar());
    assert_eq!(scalar.kept.len(), 19);
    for q in [&planar.columns, &scalar.columns] {
        let defect = (q.tr_mul(q) - DMatrix::identity(q.ncols(), q.ncols())).amax();
        println!("orthogonality defect {defect:.1e}");
        assert!(defect < 2e-15);
    }
}

#[test]
fn selected_nodes_are_well_conditioned_and_the_first_19_are_refused() {
    let map = map(Space::Planar);
    println!("cond {:.3}, max |T| {:.4}, nodes {:?}", map.condition(), map.scalar().amax(), map.nodes());
    assert!((map.condition() - 2.2).abs() < 0.1);
    assert!((map.scalar().amax() - 1.04).abs() < 0.01);
    assert_eq!((map.full_size(), map.reduced_size(), map.nodes().len()), (334, 38, 19));

    let shapes = shapes();
    let first: Vec<usize> = (0..19).collect();
    match InterfaceMap::through(shapes, &first, Space::Planar) {
        Err(Error::IllConditioned { condition, .. }) => assert!(condition > 1e15, "{condition:e}"),
        other => panic!("{other:?}"),
    }
    let through = |nodes: &[usize]| InterfaceMap::through(shapes, nodes, Space::Planar);
    assert!(matches!(through(&first[..18]), Err(Error::Shape { found: 18, expected: 19, .. })));
    assert!(matches!(through(&[0; 19]), Err(Error::BadNode { node: 0, count: 167 })));
    assert!(matches!(through(&[167; 19]), Err(Error::BadNode { node: 167, .. })));
    assert_eq!(through(map.nodes()).unwrap(), map);
}

#[test]
fn errors_inside_and_outside_the_span() {
    let map = map(Space::Planar);
    for modes in [19, 60] {
        let beam = beam(modes);
        for (step_s, expected) in [(1e-3, 0.34), (1e-4, 0.028)] {
            let (coupled, exact) = coupled(&beam, step_s);
            let mut errors = Vec::new();
            for exchange in [Exchange::Updated, Exchange::Lagged] {
                let full = coupled.full(exchange).unwrap();
                let reduced = coupled.reduced(exchange, &map, Return::Dual).unwrap();
                assert_eq!((full.exchanged, reduced.exchanged), (501, 38));
                let coupling = relative_rms(&full.deflections, &exact, &exact);
                let reduction = relative_rms(&reduced.deflections, &full.deflections, &exact);
                println!(
                    "{modes} modes, H {step_s} s, {exchange:?}: co-simulation error {coupling:.4}, reduction error \
                     {reduction:.1e}, virtual work defect {:.1e}",
                    reduced.work_defect
                );
                assert!(reduction < 1e-3 * coupling);
                assert!(reduced.work_defect < 1e-12);
                if modes == 19 {
                    assert!(reduction < 1e-12);
                }
                errors.push(coupling);
            }
            assert!((errors[0] / expected - 1.0).abs() < 0.02, "{errors:?}");
            assert!(errors[1] > 2.0 * errors[0]);
        }
    }
}

/// Holding a force over a step delays it by H/2 in the mean, one more step of delay makes it 3H/2: the error grows by
/// three, at first order in H.
#[test]
fn error_is_of_first_order_and_lagging_triples_it() {
    let beam = beam(19);
    let errors = [5e-5, 2.5e-5].map(|step_s| {
        let (coupled, exact) = coupled(&beam, step_s);
        [Exchange::Updated, Exchange::Lagged]
            .map(|exchange| relative_rms(&coupled.full(exchange).unwrap().deflections, &exact, &exact))
    });
    let order = (errors[0][0] / errors[1][0]).log2();
    let ratio = errors[1][1] / errors[1][0];
    println!("errors {errors:?}, order {order:.3}, lagged over updated {ratio:.3}");
    assert!((order - 1.0).abs() < 0.03);
    assert!((ratio - 3.0).abs() < 0.05);
}

#[test]
fn forces_sampled_at_the_nodes_lose_virtual_work() {
    let beam = beam(19);
    let (coupled, exact) = coupled(&beam, 1e-4);
    let map = map(Space::Planar);
    let sampled = coupled.reduced(Exchange::Updated, &map, Return::Sampled).unwrap();
    let error = relative_rms(&sampled.deflections, &exact, &exact);
    println!("without the dual: error {error:.2}, virtual work defect {:.2}", sampled.work_defect);
    assert!(error > 1.0 && sampled.work_defect > 0.1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn map_reproduces_its_span_and_its_dual_keeps_work(
        amplitudes in prop::collection::vec(-1.0f64..1.0, 38),
        force in prop::collection::vec(-1.0f64..1.0, 334),
    ) {
        let map = map(Space::Planar);
        let basis = orthonormalise(&shapes().scalar()).columns;
        let mut full = vec![0.0; 334];
        for (i, value) in full.iter_mut().enumerate() {
            *value = (0..19).map(|k| basis[(i / 2, k)] * amplitudes[2 * k + i % 2]).sum();
        }
        let (mut reduced, mut rebuilt, mut dual) = (vec![0.0; 38], vec![0.0; 334], vec![0.0; 38]);
        map.restrict(&full, &mut reduced).unwrap();
        map.expand(&reduced, &mut rebuilt).unwrap();
        map.dual(&force, &mut dual).unwrap();
        for (a, b) in full.iter().zip(&rebuilt) {
            prop_assert!((a - b).abs() < 1e-13);
        }
        prop_assert!(virtual_work_defect(&force, &rebuilt, &dual, &reduced) < 1e-12);
        // Sampling instead of the dual is noticed.
        let mut sampled = vec![0.0; 38];
        map.restrict(&force, &mut sampled).unwrap();
        prop_assert!(virtual_work_defect(&force, &rebuilt, &sampled, &reduced) > 1e-6);

        let csr = map.to_csr();
        prop_assert_eq!((csr.rows(), csr.columns(), csr.row(1).count()), (334, 38, 19));
        let (mut full_csr, mut dual_csr) = (vec![0.0; 334], vec![0.0; 38]);
        csr.apply(&reduced, &mut full_csr).unwrap();
        csr.apply_transpose(&force, &mut dual_csr).unwrap();
        for (a, b) in rebuilt.iter().zip(&full_csr).chain(dual.iter().zip(&dual_csr)) {
            prop_assert!((a - b).abs() < 1e-13);
        }
    }
}

#[test]
fn wrong_lengths_are_refused() {
    let map = map(Space::Spatial);
    assert_eq!((map.full_size(), map.reduced_size()), (501, 57));
    assert!(map.expand(&[0.0; 38], &mut [0.0; 501]).is_err());
    assert!(map.dual(&[0.0; 334], &mut [0.0; 57]).is_err());
    assert!(map.to_csr().apply(&[0.0; 57], &mut [0.0; 500]).is_err());
    let constants = BeamConstants { length_m: -1.0, ..BeamConstants::default() };
    assert!(matches!(ModalBeam::new(constants, 19), Err(Error::Parameter { name: "length_m", .. })));
}

#[test]
fn stored_map_is_read_back_and_checked() {
    let map = map(Space::Planar);
    let bytes = postcard::to_stdvec(&map).unwrap();
    assert_eq!(postcard::from_bytes::<InterfaceMap>(&bytes).unwrap(), map);
    // The last interface node is the last of the beam, one more does not exist.
    let (scalar, nodes) = (map.scalar().clone(), map.nodes().iter().map(|n| n + 1).collect::<Vec<_>>());
    let outside = postcard::to_stdvec(&(scalar, nodes, Space::Planar, 2.0)).unwrap();
    assert!(postcard::from_bytes::<InterfaceMap>(&outside).is_err());
}
