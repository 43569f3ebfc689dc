//! The reduced interface and what happens without its dual or with badly chosen nodes.

use macrostep_analysis::beam::{BeamOnSprings, Interface};
use macrostep_analysis::models;
use macrostep_master::Sampling;
use macrostep_reduction::beam::{BeamConstants, ModalBeam};
use macrostep_reduction::gram_schmidt::orthonormalise;
use macrostep_reduction::{InterfaceMap, Space};
use macrostep_system::words::{Correct, Predict};
use nalgebra::DMatrix;

use super::Check;

pub(super) fn checks() -> Result<Vec<Check>, String> {
    // The beam, its interface of 19 shapes, and the map to chosen nodes.
    let beam = ModalBeam::new(BeamConstants::default(), 19).map_err(|e| e.to_string())?;
    let shapes = beam.interface_shapes(19).map_err(|e| e.to_string())?;
    let map = InterfaceMap::new(&shapes, Space::Planar).map_err(|e| e.to_string())?;
    // How far the shapes are from orthonormal ones.
    let q = orthonormalise(&shapes.scalar()).columns;
    let defect = (q.tr_mul(&q) - DMatrix::identity(q.ncols(), q.ncols())).amax();
    // Short runs on springs, by the methods a run of the study takes.
    let run = |interface, sampling| {
        BeamOnSprings {
            interface,
            modes: 19,
            step_s: 1e-3,
            steps: 200,
            sampling,
            predict: Predict::default(),
            correct: Correct::Explicit,
        }
        .run(&models::native)
    };
    // Other nodes, other space, and what the reduced interface does in a run.
    let first: Vec<usize> = (0..19).collect();
    let spatial = InterfaceMap::new(&shapes, Space::Spatial).map_err(|e| e.to_string())?;
    let sizes = [map.reduced_size(), spatial.reduced_size()];
    let reduced = run(Interface::Reduced(&map), Sampling::Updated).map_err(|e| e.to_string())?;
    // What has to hold, and what has to be refused.
    Ok(vec![
        Check {
            name: "values of the reduced interface, in the plane and in space".into(),
            found: format!("{} and {}", sizes[0], sizes[1]),
            expected: "38 and 57".into(),
            holds: sizes == [38, 57],
        },
        // The sound map, then what becomes of it with other nodes.
        Check::below("orthogonality of the shapes", defect, 2e-15),
        Check::below("condition of Q_int at the chosen nodes", map.condition(), 2.3),
        Check::refused(
            "the first 19 nodes instead",
            InterfaceMap::through(&shapes, &first, Space::Planar),
            "condition",
        ),
        // Work is kept by the dual, and lost without it.
        Check::below("virtual work of the map and its dual", reduced.work_defect, 1e-12),
        Check::refused(
            "forces sampled at the chosen nodes instead of the dual",
            run(Interface::Broken(&map), Sampling::Updated),
            "virtual work",
        ),
    ])
}
