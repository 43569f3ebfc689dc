//! Report of a step: solver statistics, active set, contacts, energies, momentum, violation.

use macrostep_mlcp::{Set, Statistics};

use crate::{
    JointKind, Simulation,
    algebra::{Twist, Vec3, angular, linear},
    collect::{self, pose},
    configuration::Configuration,
    row::{Bounds, Row, contact_id},
    simulation::Trial,
};

/// Report of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Statistics of the complementarity solver.
    pub solver: Statistics,
    /// Natural residual over all rows, joints included, computed from the new velocities.
    pub residual: f64,
    /// Bounded rows with the force strictly inside its bounds, joints and springs not counted.
    pub active: usize,
    /// Hash of the active and tight sets by row id; equal for equal sets, whatever rows are near without force.
    pub active_hash: u64,
    /// Contact points with rows, touching or near.
    pub contact_points: usize,
    /// Contact points that press.
    pub contacts: usize,
    /// Sum of the normal forces of all contacts, N.
    pub contact_force_n: f64,
    /// `D v` before the step and `D v⁺`, both with D at the start of the step; the two sides of the identity (I).
    pub speed_before: Vec<f64>,
    /// See [`StepReport::speed_before`].
    pub speed_after: Vec<f64>,
}

/// Writes the report of a solved step.
pub(crate) fn write(report: &mut StepReport, c: &Configuration, trial: &Trial, before: &[Twist], h: f64) {
    report.solver = trial.solution.statistics;
    report.residual = residual(c, trial, h);
    report.active = trial.solution.statistics.active;
    report.active_hash = hash(c, &trial.solution.set, &trial.solution.z);
    report.contact_points = 0;
    report.contacts = 0;
    report.contact_force_n = 0.0;
    for (bounded, z) in c.bounded.iter().zip(&trial.solution.z) {
        if bounded.bounds == Bounds::Unilateral && bounded.id >= contact_id(0, 0, 0) {
            report.contact_points += 1;
            report.contacts += usize::from(*z > 0.0);
            report.contact_force_n += z / h;
        }
    }
    report.speed_before.clear();
    report.speed_before.extend(c.interface.iter().map(|row| row.rate(before)));
    report.speed_after.clear();
    report.speed_after.extend(c.interface.iter().map(|row| row.rate(&trial.velocities)));
}

fn residual(c: &Configuration, trial: &Trial, h: f64) -> f64 {
    let slack = |row: &Row, z: f64| row.rate(&trial.velocities) + row.compliance * z + row.phi / h;
    let equations = c.bilateral.iter().zip(&trial.equation_impulses).map(|(row, &z)| slack(row, z).abs());
    let solution = &trial.solution;
    let bounded = c.bounded.iter().enumerate().map(|(u, b)| {
        let z = solution.z[u];
        (z - (z - slack(&b.row, z)).max(solution.lower[u]).min(solution.upper[u])).abs()
    });
    equations.chain(bounded).fold(0.0, f64::max)
}

/// FNV-1a over the ids and sets of the rows that carry force.
pub(crate) fn hash(c: &Configuration, sets: &[Set], forces: &[f64]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |word: u64| {
        for byte in word.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for ((bounded, &set), &force) in c.bounded.iter().zip(sets).zip(forces) {
        // A row that is free to open and does is none.
        if set == Set::Inside || force != 0.0 {
            eat(bounded.id);
            eat(Set::code(set));
        }
    }
    hash
}

/// Mechanical energy, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic_j: f64,
    /// In the field of gravity, 0 at the world origin.
    pub potential_j: f64,
    /// In springs.
    pub elastic_j: f64,
}

impl Energy {
    /// The sum.
    #[must_use]
    pub fn total_j(&self) -> f64 {
        self.kinetic_j + self.potential_j + self.elastic_j
    }
}

/// Linear momentum and angular momentum about the world origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// kg m/s.
    pub linear: Vec3,
    /// kg m²/s.
    pub angular: Vec3,
}

/// Largest violation of the joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Violation {
    /// Of the rows that are lengths, m.
    pub length_m: f64,
    /// Of the rows that are angles, rad.
    pub angle_rad: f64,
}

impl Simulation {
    /// Mechanical energy of the present state.
    #[must_use]
    pub fn energy(&self) -> Energy {
        let mut energy = Energy::default();
        for ((body, pose), velocity) in self.system.bodies().iter().zip(&self.state.poses).zip(&self.state.velocities) {
            let (v, omega) = (linear(velocity), pose.rotation.inverse() * angular(velocity));
            energy.kinetic_j += 0.5 * (body.mass_kg * v.norm_squared() + omega.dot(&(body.inertia_kgm2 * omega)));
            energy.potential_j -= body.mass_kg * self.system.gravity().dot(&pose.position);
        }
        for spring in &self.system.parts.springs {
            let row = spring.coordinate.row(&self.system.parts.joints, |b| pose(&self.state.poses, b));
            energy.elastic_j += 0.5 * spring.stiffness * (row.value - spring.rest).powi(2);
        }
        energy
    }

    /// Momentum of the present state.
    #[must_use]
    pub fn momentum(&self) -> Momentum {
        let mut momentum = Momentum { linear: Vec3::zeros(), angular: Vec3::zeros() };
        for ((body, pose), velocity) in self.system.bodies().iter().zip(&self.state.poses).zip(&self.state.velocities) {
            let impulse = linear(velocity) * body.mass_kg;
            let spin = pose.rotation * (body.inertia_kgm2 * (pose.rotation.inverse() * angular(velocity)));
            momentum.linear += impulse;
            momentum.angular += pose.position.cross(&impulse) + spin;
        }
        momentum
    }

    /// Violation of the joints in the present state.
    #[must_use]
    pub fn violation(&self) -> Violation {
        let mut violation = Violation::default();
        for joint in self.system.joints() {
            let (a, b) = (pose(&self.state.poses, joint.bodies[0]), pose(&self.state.poses, joint.bodies[1]));
            let lengths = if joint.kind == JointKind::Prismatic { 2 } else { 3 };
            let mut k = 0;
            joint.rows(&a, &b, |row| {
                let worst = if k < lengths { &mut violation.length_m } else { &mut violation.angle_rad };
                *worst = worst.max(row.phi.abs());
                k += 1;
            });
        }
        violation
    }

    /// Writes the interface coordinates `s` and their rates `w = D v` of the present state.
    pub fn interface(&self, position: &mut Vec<f64>, speed: &mut Vec<f64>) {
        position.clear();
        speed.clear();
        for coordinate in self.system.interface() {
            let c = coordinate.row(&self.system.parts.joints, |b| pose(&self.state.poses, b));
            position.push(c.value);
            speed.push(Row::new(c.bodies, c.jacobian, 0.0, 0.0).rate(&self.state.velocities));
        }
    }

    /// The Jacobian of all joint rows at the present state, row-major, 6 columns a body (rows in elimination order).
    #[must_use]
    pub fn joint_jacobian(&self) -> nalgebra::DMatrix<f64> {
        let mut rows = Vec::new();
        collect::bilateral(&self.system, &self.state.poses, 1.0, &mut rows);
        let mut matrix = nalgebra::DMatrix::zeros(rows.len(), 6 * self.system.bodies().len());
        for (i, row) in rows.iter().enumerate() {
            for (body, jacobian) in row.bodies.iter().zip(&row.jacobian) {
                let Some(body) = body.index() else { continue };
                for (k, entry) in jacobian.iter().enumerate() {
                    matrix[(i, 6 * body + k)] += entry;
                }
            }
        }
        matrix
    }
}
