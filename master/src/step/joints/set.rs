//! The joints of a run: their gaps at a window's end, and the forces that close them.

use super::JointsState;
use super::joint::{Joint, Term, Touch, acceleration};
use super::largest;
use super::mobility::Factor;
use super::prediction::DEPTH;
use super::secant::Secant;
use super::turning::Turning;
use crate::error::RunError;
use crate::signal::history::History;
use crate::step::unit_port::UnitPort;
use crate::system::constraint::{ConstraintNode, Coordinate};
use crate::system::{Channel, System};
use crate::time::Tick;
use crate::unit::{Tangent, UnitError};

/// Pivots below these, relative to the diagonal, belong to dependent rows: of directional derivatives, of differences.
const LEAST: [f64; 2] = [1e-10, 1e-7];

/// A row moved by less than this part of what moves most in its joint is moved by rounding.
const UNMOVED: f64 = 1e-12;

/// Gaps and rates at the start, relative to the size of what they are made of (1 at least), that are taken for zero.
const START_TOLERANCE: f64 = 1e-8;

/// All joints of a run.
#[derive(Default)]
pub(crate) struct Joints {
    pub(super) list: Vec<Joint>,
    pub(super) touches: Vec<Touch>,
    /// Whether W comes from directional derivatives.
    pub is_directional: bool,
    /// Number of the first of their histories.
    pub first: usize,
    pub(super) factor: Factor,
    pub(super) gap: Vec<f64>,
    pub(super) rate: Vec<f64>,
    pub(super) by_a: Vec<f64>,
    pub(super) by_b: Vec<f64>,
    /// What of (a, b) takes back what was open at the window's start: of windows that are run once.
    pub(super) returned: [Vec<f64>; 2],
    /// (a, b) that the window was run with.
    pub(super) forces: [Vec<f64>; 2],
    /// W of directional derivatives, which is made anew for each window: at its start, then at its end.
    pub(super) mobility: Vec<f64>,
    pub(super) turning: Turning,
    pub(super) secant: Secant,
    /// Largest force of each so far, as a corrector has seen it.
    pub forces_max: Vec<f64>,
}

impl Joints {
    /// The joints of a system whose units have these ports; their histories begin with number `first`.
    pub fn new(nodes: &[ConstraintNode], channels: &[Channel], unit_ports: &[UnitPort], first: usize) -> Self {
        let (mut list, mut touches) = (Vec::<Joint>::new(), Vec::<Touch>::new());
        for node in nodes {
            // Its rows come after those of the joints before it.
            let start = list.last().map_or(0, |j| j.rows.end);
            let joint = Joint::new(node, start, unit_ports);
            let n = node.relation.velocities();
            // Each velocity that is sampled is a term of its unit, with the force of the same component.
            for (e, velocity) in node.velocity.iter().enumerate() {
                for (i, coordinate) in velocity.iter().enumerate() {
                    let (Coordinate::Sampled(signal), Some(&(unit, input))) = (coordinate, node.force[e].get(i)) else {
                        continue;
                    };
                    let variable = channels[signal.channel].variables[signal.component];
                    let known = touches.iter().position(|t| t.unit == unit);
                    let place = known.unwrap_or(touches.len());
                    if known.is_none() {
                        touches.push(Touch::new(unit));
                    }
                    touches[place].add(
                        Term { joint: list.len(), column: e * n + i },
                        input,
                        acceleration(&unit_ports[unit], variable),
                    );
                }
            }
            list.push(joint);
        }
        // Room for g, ġ, (a, b) and W over the rows of all joints.
        let rows = list.last().map_or(0, |j| j.rows.end);
        let zeros = || vec![0.0; rows];
        Joints {
            is_directional: touches.iter().all(|t| t.accelerations.len() == t.forces.len()),
            touches,
            first,
            factor: Factor::new(rows),
            gap: zeros(),
            rate: zeros(),
            by_a: zeros(),
            by_b: zeros(),
            forces: [zeros(), zeros()],
            returned: [zeros(), zeros()],
            mobility: vec![0.0; rows * rows],
            turning: Turning::new(rows),
            secant: Secant::new(rows),
            forces_max: vec![0.0; list.len()],
            list,
        }
    }

    /// Empty histories of (a, b).
    pub fn histories(system: &System) -> impl Iterator<Item = History> + '_ {
        system.constraints.iter().map(|c| History::new(2 * c.relation.rows(), DEPTH, 2))
    }

    /// The unit of which no directional derivatives give W, where there is one.
    pub fn silent_unit(&self) -> Option<usize> {
        self.touches.iter().find(|t| t.accelerations.len() < t.forces.len()).map(|t| t.unit)
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Rows of all joints.
    pub fn rows(&self) -> usize {
        self.gap.len()
    }

    /// Number and width of the history of each joint.
    pub fn channels(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.list.iter().enumerate().map(|(i, joint)| (self.first + i, 2 * joint.rows.len()))
    }

    /// "force of constraint `NAME`" for a history's number.
    pub fn name(&self, channel: usize) -> Option<String> {
        let joint = self.list.get(channel.checked_sub(self.first)?)?;
        Some(format!("force of constraint {}", joint.name))
    }

    /// Name of the constraint that a row belongs to.
    pub fn joint_name(&self, row: usize) -> String {
        self.list.iter().find(|j| j.rows.contains(&row)).map_or_else(String::new, |j| j.name.clone())
    }

    /// Before the first window.
    pub fn state(&self) -> JointsState {
        let (n, none) = (self.list.len(), || vec![[0.0; 3]; self.list.len()]);
        let turn = vec![0.0; if self.is_directional { self.rows().pow(2) } else { 0 }];
        let (present, largest, floor, correction) = (none(), none(), vec![0.0; n], self.secant.unknown());
        JointsState { mobility: Vec::new(), present, largest, floor, turn, correction, correction_s: 0.0 }
    }

    /// Begins the histories at tick 0, and checks that the joints are closed there.
    ///
    /// # Errors
    /// [`RunError::Open`] for one that is not.
    pub fn begin(&mut self, histories: &mut [History]) -> Result<(), RunError> {
        self.measure(histories, 0);
        for (i, joint) in self.list.iter_mut().enumerate() {
            joint.row.fill(0.0);
            histories[self.first + i].put(0, &joint.row);
            let parts = [("coordinates", &self.gap, joint.sizes[0]), ("velocities", &self.rate, joint.sizes[1])];
            for (what, values, size) in parts {
                let found = largest(&values[joint.rows.clone()]);
                let limit = START_TOLERANCE * size.max(1.0);
                if found > limit || found.is_nan() {
                    return Err(RunError::Open { name: joint.name.clone(), what, found, limit });
                }
            }
        }
        Ok(())
    }

    /// g, ġ and G of all joints at a tick.
    fn measure(&mut self, histories: &[History], at: Tick) {
        for joint in &mut self.list {
            joint.read(histories, at);
            let (gap, rate) = (&mut self.gap[joint.rows.clone()], &mut self.rate[joint.rows.clone()]);
            joint.relation.gap([&joint.p[0], &joint.p[1]], gap);
            joint.relation.slopes([&joint.p[0], &joint.p[1]], &mut joint.slopes);
            for (row, rate) in joint.slopes.chunks_exact(joint.v.len()).zip(rate) {
                *rate = row.iter().zip(&joint.v).map(|(g, v)| g * v).sum();
            }
        }
    }

    /// ġ of all joints, as the window run last has left it.
    pub fn rates(&self) -> &[f64] {
        &self.rate
    }

    /// Size of the coordinates of the joint of a row, as the window run last has left them; 1 where they are 0.
    pub fn size(&self, row: usize) -> f64 {
        let size = self.list.iter().find(|j| j.rows.contains(&row)).map_or(0.0, |j| j.sizes[0]);
        if size > 0.0 { size } else { 1.0 }
    }

    /// Makes W ready for the window that begins at `now`; false where it must be found by differences first.
    ///
    /// # Errors
    /// Those of the units, or [`RunError::Unmoved`] for a joint that no force moves.
    pub fn prepare(
        &mut self,
        state: &JointsState,
        (unit_ports, histories): (&mut [UnitPort], &[History]),
        now: Tick,
    ) -> Result<bool, RunError> {
        if self.is_directional {
            self.measure(histories, now);
            self.differentiate(unit_ports)?;
            self.turning.begin(&self.mobility);
        } else if state.mobility.is_empty() {
            return Ok(false);
        } else {
            self.mobility.copy_from_slice(&state.mobility);
        }
        self.secant.begin(&state.correction);
        self.factorise()?;
        Ok(true)
    }

    /// Makes W ready to be solved with.
    fn factorise(&mut self) -> Result<(), RunError> {
        // The largest of each joint says what is rounding.
        let (n, list, w) = (self.rows(), &self.list, &self.mobility);
        for joint in list {
            let most = joint.rows.clone().map(|i| w[i * n + i]).fold(0.0, f64::max);
            let size = largest(&w[joint.rows.start * n..joint.rows.end * n]);
            if !(most > 0.0 && size.is_finite()) {
                let found = if size.is_finite() { most } else { size };
                return Err(RunError::Unmoved { name: joint.name.clone(), found });
            }
        }
        let moves = |i: usize| {
            let joint = list.iter().find(|j| j.rows.contains(&i));
            let most = joint.map_or(0.0, |j| j.rows.clone().map(|i| w[i * n + i]).fold(0.0, f64::max));
            w[i * n + i] > UNMOVED * most
        };
        self.factor.make(w, moves, LEAST[usize::from(!self.is_directional)]);
        Ok(())
    }

    /// W from directional derivatives: a unit of λ in each row, as forces on the units, and what accelerations answer.
    fn differentiate(&mut self, unit_ports: &mut [UnitPort]) -> Result<(), UnitError> {
        let n = self.rows();
        self.mobility.fill(0.0);
        for touch in &mut self.touches {
            for (number, joint) in self.list.iter().enumerate() {
                if !touch.terms.iter().any(|t| t.joint == number) {
                    continue;
                }
                for row in 0..joint.rows.len() {
                    // A unit of λ in this row alone: the forces on the unit are that row of G.
                    for (seed, term) in touch.seed.iter_mut().zip(&touch.terms) {
                        let own = term.joint == number;
                        *seed = if own { joint.slopes[row * joint.v.len() + term.column] } else { 0.0 };
                    }
                    let unit = unit_ports[touch.unit].unit.as_mut();
                    unit.directional(Tangent::new(
                        &touch.accelerations,
                        &touch.forces,
                        &touch.seed,
                        &mut touch.answer,
                    ))?;
                    // What the accelerations are in all joints the unit is part of: a column of W.
                    for (answer, term) in touch.answer.iter().zip(&touch.terms) {
                        let other = &self.list[term.joint];
                        for (i, slopes) in other.rows.clone().zip(other.slopes.chunks_exact(other.v.len())) {
                            self.mobility[i * n + joint.rows.start + row] += slopes[term.column] * answer;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// At the end of a window of `length_s` seconds: the gaps there, and the (a, b) that close them.
    ///
    /// # Errors
    /// Those of the units.
    pub fn settle(
        &mut self,
        state: &mut JointsState,
        (unit_ports, histories): (&mut [UnitPort], &mut [History]),
        end: Tick,
        length_s: f64,
    ) -> Result<(), UnitError> {
        self.measure(histories, end);
        if self.factor.rank() == 0 {
            self.note(state, length_s);
            return Ok(());
        }
        // After the first run of a window W is known at its end, and from the second how it turns on the way.
        if self.is_directional {
            if self.turning.is_first() {
                self.differentiate(unit_ports)?;
                if self.mobility.iter().all(|w| w.is_finite()) {
                    // A joint that no force moves any more is said at the start of the next window.
                    let _ = self.factorise();
                }
            }
            self.learn(state, histories, (end, length_s));
        }
        // What the forces are to be changed by.
        for i in 0..self.rows() {
            (self.by_a[i], self.by_b[i]) = (self.gap[i] / length_s, self.rate[i]);
        }
        self.solve(length_s);
        // W turns on the way by a small part E: (W + E)⁻¹ r ≈ x − W⁻¹ E x with x = W⁻¹ r.
        if self.is_directional {
            let mut rest = std::mem::take(&mut self.turning.rest);
            self.turning.of([&self.by_a, &self.by_b], (&self.mobility, &state.turn), length_s, &mut rest);
            for half in [&mut self.by_a, &mut self.by_b].into_iter().zip(rest.iter_mut()) {
                std::mem::swap(half.0, half.1);
            }
            self.solve(length_s);
            for (by, rest) in [&mut self.by_a, &mut self.by_b].into_iter().zip(rest.iter_mut()) {
                by.iter_mut().zip(rest.iter()).for_each(|(by, first)| *by = first - *by);
            }
            self.turning.rest = rest;
        }
        self.improve(state, histories, (end, length_s));
        // The corrected forces go into the history, and what is open into what the run tells.
        self.renew(histories, end);
        self.note(state, length_s);
        Ok(())
    }

    /// What (g/H, ġ) in `by_a` and `by_b` changes (a, b) by, where W is the same over the window.
    pub(super) fn solve(&mut self, length_s: f64) {
        for joint in &self.list {
            let determinant = 0.25 - joint.weight;
            for i in joint.rows.clone() {
                let (gap, rate) = (self.by_a[i], self.by_b[i]);
                let (a, b) = if joint.is_held {
                    (rate, 0.0)
                } else {
                    ((0.5 * gap - joint.weight * rate) / determinant, (0.5 * rate - gap) / determinant)
                };
                (self.by_a[i], self.by_b[i]) = (a / length_s, b / length_s);
            }
        }
        self.factor.solve(&mut self.by_a);
        self.factor.solve(&mut self.by_b);
    }

    /// From two runs of a window, what D is.
    fn learn(&mut self, state: &JointsState, histories: &[History], (end, length_s): (Tick, f64)) {
        self.read_forces(histories, end);
        let [a, b] = &self.forces;
        self.turning.see([a, b], &self.rate, (&self.mobility, &state.turn), length_s);
    }

    /// The (a, b) that the window was run with.
    fn read_forces(&mut self, histories: &[History], end: Tick) {
        for (i, joint) in self.list.iter().enumerate() {
            let history = &histories[self.first + i];
            let Some(row) = history.find(end).map(|k| history.row(k)) else { return };
            let (a, b) = row.split_at(joint.rows.len());
            self.forces[0][joint.rows.clone()].copy_from_slice(a);
            self.forces[1][joint.rows.clone()].copy_from_slice(b);
        }
    }

    /// Improves corrections in `by_a` and `by_b` by what runs have told of them.
    fn improve(&mut self, state: &mut JointsState, histories: &[History], (end, length_s): (Tick, f64)) {
        // What windows of another length have told is of no use.
        if state.correction_s != length_s {
            state.correction.fill(0.0);
            state.correction_s = length_s;
            self.secant.begin(&state.correction);
        }
        self.read_forces(histories, end);
        self.forces.iter_mut().for_each(|half| self.factor.project(half));
        let (n, w, [a, b]) = (self.rows(), &self.mobility, &self.forces);
        let floor = |i: usize| self.list.iter().position(|j| j.rows.contains(&i)).map_or(0.0, |j| state.floor[j]);
        self.secant.see([a, b], [&self.by_a, &self.by_b], |i| [w[i * n + i], floor(i)]);
        self.secant.improve(&state.correction, [&mut self.by_a, &mut self.by_b]);
    }

    /// Puts the new forces in the place of those the window was run with.
    fn renew(&mut self, histories: &mut [History], end: Tick) {
        for (i, joint) in self.list.iter().enumerate() {
            let history = &histories[self.first + i];
            let Some(row) = history.find(end).map(|k| history.row(k)) else { return };
            for (k, i) in joint.rows.clone().enumerate() {
                self.by_a[i] += row[k] - self.returned[0][i];
                self.by_b[i] += row[joint.rows.len() + k] - self.returned[1][i];
            }
        }
        // Nothing is kept that does nothing.
        self.factor.project(&mut self.by_a);
        self.factor.project(&mut self.by_b);
        for (i, joint) in self.list.iter_mut().enumerate() {
            let (rows, m) = (joint.rows.clone(), joint.rows.len());
            joint.row[..m].copy_from_slice(&self.by_a[rows.clone()]);
            joint.row[m..].copy_from_slice(&self.by_b[rows]);
            histories[self.first + i].put(end, &joint.row);
        }
    }
}
