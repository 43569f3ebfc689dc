//! A surface of an imported body as an interface: a map that holds under any rotation.
//!
//! ```text
//! x_i = r₀ + A (X_i + Σ φ_k,i q_k)          the nodes of the surface, in the frame of the reference connector
//! S = [x(t₁) … x(t_M)] = B_s C, N × 3 M     B_s = [1, X, Y, Z, φ_kx, φ_ky, φ_kz],   r₀, A and q in C alone
//! ```
//!
//! A turn multiplies C, not B_s: one scalar basis of r shapes serves every orientation. Of the shapes the four rigid ones are kept
//! as they are; the rest are the leading singular vectors of the elastic displacements in a motion that the map is made from, without
//! what is rigid in them. That motion need not turn. Nodes are first those of effective independence, then exchanged for those that tell this
//! motion best.
//!
//! What a map is measured by: its error on a motion, ‖S − T S_int‖ over the elastic part of S, beside the least that any r scalar
//! shapes leave (singular values of S), and the least that as many vectors of all components leave, made for this motion only.
//!
//! # References
//! [Peeters 2024] equations 1 to 3; the truncation is this program's.

use crate::exchange::exchange;
use crate::gram_schmidt::orthonormalise;
use crate::independence::effective_independence;
use crate::map::virtual_work_defect;
use crate::{Error, InterfaceMap, Shapes, Space};
use macrostep_flexible::moving::{ConnectorShape, MicroStep, Rayleigh};
use macrostep_flexible::{Basis, BodyState, FlexibleBody, Joint, Structure, Tied};
use nalgebra::{DMatrix, Vector3};

/// Micro steps in the first period of a motion, and between two of its points.
const MICRO_STEPS: f64 = 2000.0;
const STRIDE: usize = 50;
/// Periods of the first mode in which the body turns by a right angle.
const PERIODS: f64 = 4.0;
/// Static deflection by the force of a motion, as a part of the body's length.
const DEFLECTION: f64 = 0.01;
/// Frequencies of the force along y and z, as multiples of the first frequency: of the motion a map is made from, and of the one
/// it is measured on.
const SHAKEN: [f64; 2] = [0.5, 1.9];
const TURNED: [f64; 2] = [0.6, 2.3];

/// A body with the shapes of its surface.
#[derive(Debug, Clone)]
pub struct Surface {
    body: FlexibleBody,
    shapes: Shapes,
}

/// How well a map keeps a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fidelity {
    /// Angle turned by (rad).
    pub turned_rad: f64,
    /// Root mean square elastic displacement of the nodes (m).
    pub elastic_m: f64,
    /// Error of the map, relative to the elastic displacement.
    pub error: f64,
    /// The least error of as many scalar shapes, chosen for this motion.
    pub optimum: f64,
    /// The least error of as many vectors of all components, chosen for this motion.
    pub free_optimum: f64,
    /// Largest |F · δU_full − g · δU_int| / (|F| |δU_full|) over the motion.
    pub virtual_work: f64,
}

impl Surface {
    /// The surface of `nodes` of a structure, whose frame is fixed to connector `reference`.
    ///
    /// # Errors
    /// [`Error::Body`] for what the body's equations refuse, [`Error::BadNode`] for a node without three displacements.
    pub fn new(
        structure: &Structure,
        tied: &Tied,
        basis: &Basis,
        reference: usize,
        nodes: &[usize],
    ) -> Result<Self, Error> {
        let failed = |e: macrostep_flexible::Error| Error::Body(e.to_string());
        let (body, fields) =
            FlexibleBody::with_fields(structure, tied, basis, reference, Rayleigh::default()).map_err(failed)?;
        // Rows of the displacements of each node.
        let mut rows = vec![[usize::MAX; 3]; structure.nodes.len()];
        for (row, dof) in structure.dofs.iter().enumerate().filter(|(_, dof)| dof.direction < 3) {
            rows[dof.node][dof.direction] = row;
        }
        let of = |node: usize| {
            rows.get(node).filter(|rows| !rows.contains(&usize::MAX)).ok_or(Error::BadNode { node, count: rows.len() })
        };
        let rows = nodes.iter().map(|node| of(*node).copied()).collect::<Result<Vec<_>, _>>()?;
        // In the frame of the reference connector.
        let origin = tied.connectors[reference].position;
        let positions = nodes.iter().map(|node| structure.nodes[*node] - origin).collect();
        let mode = |k: usize| rows.iter().map(|rows| Vector3::from_fn(|d, _| fields[(rows[d], k)])).collect();
        let shapes = Shapes::new(positions, (0..fields.ncols()).map(mode).collect())?;
        Ok(Surface { body, shapes })
    }

    /// Values of the full interface.
    pub fn values(&self) -> usize {
        3 * self.shapes.nodes()
    }

    /// The body with a connector at each of these nodes of the surface, by its name, behind its own connectors. A node of a solid is a
    /// point: it has no rotation, and takes forces only. Without geometric stiffening, as all motions here.
    ///
    /// # Errors
    /// [`Error::BadNode`] for a node that the surface does not have.
    pub fn body(&self, nodes: &[(usize, String)]) -> Result<FlexibleBody, Error> {
        let mut body = self.body.clone();
        for (node, name) in nodes {
            let position = self.shapes.positions().get(*node).copied();
            let position = position.ok_or(Error::BadNode { node: *node, count: self.shapes.nodes() })?;
            let translation = self.shapes.at(*node);
            body.connectors.push(ConnectorShape { name: name.clone(), position, translation, rotation: Vec::new() });
        }
        Ok(body)
    }

    /// The map of at most `values` values, three a node, made from the motion through `states`; of all values where there are no more.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than the rigid motions need, and those of [`InterfaceMap::new`].
    pub fn map(&self, values: usize, states: &[BodyState]) -> Result<InterfaceMap, Error> {
        let all = self.shapes.scalar();
        let rigid = orthonormalise(&all.columns(0, 4).into_owned()).columns;
        let rank = values / 3;
        if rank < rigid.ncols() {
            let expected = "at least 12: three for each of the four rigid shapes";
            return Err(Error::Parameter { name: "values", value: values as f64, expected });
        }
        // As many values as there are: every node for itself.
        let nodes = self.shapes.nodes();
        if rank >= nodes {
            return InterfaceMap::from_basis(&DMatrix::identity(nodes, nodes), (0..nodes).collect(), Space::Spatial);
        }
        // Elastic displacements without what is rigid in them, in coordinates of the span of all shapes.
        let [_, mut elastic] = self.positions(states);
        for _ in 0..2 {
            elastic -= &rigid * rigid.tr_mul(&elastic);
        }
        let span = orthonormalise(&all).columns;
        let svd = span.tr_mul(&elastic).svd(true, false);
        // The leading ones fill the rank.
        let largest = svd.singular_values.max();
        let kept = svd.singular_values.iter().take(rank - rigid.ncols()).filter(|s| **s > 1e-12 * largest).count();
        let mut q = rigid.clone().resize_horizontally(rigid.ncols() + kept, 0.0);
        if let Some(u) = &svd.u {
            q.columns_mut(rigid.ncols(), kept).copy_from(&(&span * u.columns(0, kept)));
        }
        // Nodes that tell the motion best, and not only the shapes.
        let counted = svd.singular_values.iter().filter(|s| **s > 1e-12 * largest).count();
        let nodes = match &svd.u {
            Some(u) => {
                let seen = DMatrix::from_fn(u.nrows(), counted, |i, j| u[(i, j)] * svd.singular_values[j]);
                exchange(&rigid, &(&span * seen), effective_independence(&q)?)
            }
            None => effective_independence(&q)?,
        };
        InterfaceMap::from_basis(&q, nodes, Space::Spatial)
    }

    /// A motion to make a map from: the body, hinged about the z axis of its reference connector, is shaken from rest at its last connector
    /// along y and z at 0.5 and 1.9 of its first frequency, for four of its periods.
    ///
    /// # Errors
    /// [`Error::Body`] where the equations of motion cannot be solved.
    pub fn shaken(&self) -> Result<Vec<BodyState>, Error> {
        self.motion(SHAKEN, 0.0)
    }

    /// A motion to measure a map on: the body turns by 90° about that axis, at first by as much in four periods, and is shaken along
    /// y and z at 0.6 and 2.3 of its first frequency.
    ///
    /// # Errors
    /// [`Error::Body`] where the equations of motion cannot be solved.
    pub fn turned(&self) -> Result<Vec<BodyState>, Error> {
        self.motion(TURNED, std::f64::consts::FRAC_PI_2)
    }

    /// Shaken at multiples `drive` of the first frequency, until it has turned by `angle_rad`, or for four periods where that is 0.
    fn motion(&self, drive: [f64; 2], angle_rad: f64) -> Result<Vec<BodyState>, Error> {
        let failed = |e: macrostep_flexible::Error| Error::Body(e.to_string());
        let body = &self.body;
        let first = body.stiffness.first().map_or(0.0, |k| k.max(0.0).sqrt());
        let period = std::f64::consts::TAU / first;
        let last = body.connectors.len() - 1;
        // A force that bends the body by a part of its length.
        let compliance: f64 =
            body.connectors[last].translation.iter().zip(&body.stiffness).map(|(s, k)| s.norm_squared() / k).sum();
        let length = self.shapes.positions().iter().map(|x| x.norm()).fold(0.0, f64::max);
        let force = DEFLECTION * length / compliance;
        let mut state = BodyState::rest(body.modes());
        state.set_spin(Vector3::z() * (angle_rad / (PERIODS * period)));
        let mut micro = MicroStep::new(body, Joint::HingeZ);
        let mut before = vec![0.0; 6 + body.modes()];
        let (h, mut k) = (period / MICRO_STEPS, 0_usize);
        let shake =
            |t: f64| Vector3::new(0.0, (drive[0] * first * t).sin() * force, (drive[1] * first * t).sin() * force);
        micro.accelerations(body, state.values(), &mut before, |_| {}).map_err(failed)?;
        let mut states = vec![state.clone()];
        let turns = angle_rad > 0.0;
        let steps = (if turns { 4.0 } else { 1.0 } * PERIODS * MICRO_STEPS) as usize;
        while k < steps && !(turns && state.orientation().angle() >= angle_rad) {
            for _ in 0..STRIDE {
                let middle = (k as f64 + 0.5) * h;
                let loads = |loads: &mut macrostep_flexible::Loads| loads.wrenches[last].force = shake(middle);
                micro.linearly_implicit(body, (state.values_mut(), before.as_mut_slice()), h, loads).map_err(failed)?;
                k += 1;
            }
            states.push(state.clone());
        }
        Ok(states)
    }

    /// Positions of the nodes in world axes, N × 3 M, and their elastic part.
    fn positions(&self, states: &[BodyState]) -> [DMatrix<f64>; 2] {
        let n = self.shapes.nodes();
        let mut all = [DMatrix::zeros(n, 3 * states.len()), DMatrix::zeros(n, 3 * states.len())];
        let scalar = self.shapes.scalar();
        for (m, state) in states.iter().enumerate() {
            let turn = state.orientation().to_rotation_matrix().into_inner().transpose();
            let mut bent = DMatrix::zeros(n, 3);
            for (k, q) in state.elastic().iter().enumerate() {
                bent += scalar.columns(4 + 3 * k, 3) * *q;
            }
            let elastic = &bent * turn;
            let mut moved = scalar.columns(1, 3) * turn + &elastic;
            for (d, r) in state.position().iter().enumerate() {
                moved.column_mut(d).add_scalar_mut(*r);
            }
            all[0].columns_mut(3 * m, 3).copy_from(&moved);
            all[1].columns_mut(3 * m, 3).copy_from(&elastic);
        }
        all
    }

    /// How well `map` keeps the motion through `states`.
    ///
    /// # Errors
    /// [`Error::Shape`] for a map of another surface.
    pub fn fidelity(&self, map: &InterfaceMap, states: &[BodyState]) -> Result<Fidelity, Error> {
        if map.full_size() != self.values() {
            let (found, expected) = (map.full_size(), self.values());
            return Err(Error::Shape { what: "values of the full interface", found, expected });
        }
        let [all, elastic] = self.positions(states);
        let (rank, scale) = (map.nodes().len(), elastic.norm());
        let error = (&all - map.scalar() * all.select_rows(map.nodes())).norm();
        // Least errors: what singular values beyond the rank hold. The scalar shapes span all columns.
        let rest = |values: &nalgebra::DVector<f64>, kept: usize| {
            let mut values: Vec<f64> = values.iter().copied().collect();
            values.sort_by(|a, b| b.total_cmp(a));
            values.iter().skip(kept).map(|s| s * s).sum::<f64>().sqrt()
        };
        let span = orthonormalise(&self.shapes.scalar()).columns;
        let scalar = rest(&span.tr_mul(&all).singular_values(), rank);
        let (n, count) = (self.shapes.nodes(), states.len());
        let vectors = DMatrix::from_fn(3 * n, count, |i, m| all[(i / 3, 3 * m + i % 3)]);
        let free = rest(&vectors.clone().qr().r().singular_values(), map.reduced_size());
        // The work of forces, here as large as positions, on what the nodes move by from point to point.
        let mut virtual_work: f64 = 0.0;
        let mut dual = vec![0.0; map.reduced_size()];
        let mut full = vec![0.0; map.full_size()];
        for m in 1..count {
            let step = vectors.column(m) - vectors.column(m - 1);
            let mut reduced = vec![0.0; map.reduced_size()];
            map.restrict(step.as_slice(), &mut reduced)?;
            map.expand(&reduced, &mut full)?;
            let force = vectors.column(m).into_owned();
            map.dual(force.as_slice(), &mut dual)?;
            virtual_work = virtual_work.max(virtual_work_defect(force.as_slice(), &full, &dual, &reduced));
        }
        let turned_rad = states.last().map_or(0.0, |s| s.orientation().angle());
        let elastic_m = scale / ((n * count) as f64).sqrt();
        let relative = |x: f64| x / scale;
        let [error, optimum, free_optimum] = [error, scalar, free].map(relative);
        Ok(Fidelity { turned_rad, elastic_m, error, optimum, free_optimum, virtual_work })
    }
}
