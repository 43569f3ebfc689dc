//! Everything that changes: positions, velocities, time, and the memory of the solver.
//!
//! A state can be cloned, written to a flat list of numbers and words, and restored; a simulation continues from a
//! restored state with the same bits.

use macrostep_mlcp::Set;
use nalgebra::{Quaternion, UnitQuaternion};

use crate::{
    StateError, System,
    algebra::{Pose, Twist, Vec3, ZERO},
};

/// Integer time: `origin + steps · step`, so that equal steps do not accumulate rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Time of the last change of step size, s.
    pub origin_s: f64,
    /// Steps since.
    pub steps: u64,
    /// Their size, s.
    pub step_s: f64,
}

impl Clock {
    /// The time, s.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.origin_s + self.steps as f64 * self.step_s
    }

    /// One step later.
    #[must_use]
    pub fn advanced(&self, step_s: f64) -> Self {
        if step_s == self.step_s {
            return Self { steps: self.steps + 1, ..*self };
        }
        Self { origin_s: self.time_s(), steps: 1, step_s }
    }
}

/// The memory of a bounded row: its set for the warm start, its force for the lagged friction bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Persistent id of the row.
    pub id: u64,
    /// Where it was in its box.
    pub set: Set,
    /// Its force z/h, N or N m.
    pub force: f64,
}

/// The state of a [`Simulation`](crate::Simulation).
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Pose of each body.
    pub poses: Vec<Pose>,
    /// Velocity of each body.
    pub velocities: Vec<Twist>,
    /// Time.
    pub clock: Clock,
    /// Memory of the bounded rows, sorted by id.
    pub memory: Vec<Memory>,
    /// Interface forces λ_i of the last step, N or N m.
    pub interface_forces: Vec<f64>,
    /// Work of the interface forces since the start, J.
    pub interface_work_j: f64,
    /// Work of the motors and brakes since the start, J.
    pub motor_work_j: f64,
    /// Work of all other constraint forces since the start, J: contacts, friction, stops, springs and joints. What the
    /// energy is short of all works is the error of the explicit gyroscopic moment and of the positions.
    pub constraint_work_j: f64,
}

/// Reals of a flat state before the bodies: origin and step of the clock, three works.
pub(crate) const HEAD: usize = 5;

/// A state as plain numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatState {
    /// All real quantities.
    pub reals: Vec<f64>,
    /// All integer quantities.
    pub words: Vec<u64>,
}

impl FlatState {
    /// Number of reals before the remembered rows, for a system of that many bodies and interface forces.
    #[must_use]
    pub fn reals_before_rows(bodies: usize, forces: usize) -> usize {
        HEAD + 13 * bodies + forces
    }
}

impl State {
    /// The system at rest in its assembly, at time 0.
    #[must_use]
    pub fn assembly(system: &System) -> Self {
        Self {
            poses: system.bodies().iter().map(|b| b.pose).collect(),
            velocities: vec![ZERO; system.bodies().len()],
            clock: Clock::default(),
            memory: Vec::new(),
            interface_forces: vec![0.0; system.interface().len()],
            interface_work_j: 0.0,
            motor_work_j: 0.0,
            constraint_work_j: 0.0,
        }
    }

    /// The memory of row `id`.
    #[must_use]
    pub fn remembered(&self, id: u64) -> Option<&Memory> {
        self.memory.binary_search_by_key(&id, |m| m.id).ok().map(|at| &self.memory[at])
    }

    /// Checks that the state is one of `system`.
    ///
    /// # Errors
    /// [`StateError::Size`].
    pub fn check(&self, system: &System) -> Result<(), StateError> {
        let bodies = system.bodies().len();
        size("poses", self.poses.len(), bodies)?;
        size("velocities", self.velocities.len(), bodies)?;
        size("interface forces", self.interface_forces.len(), system.interface().len())
    }

    /// All of it as numbers.
    #[must_use]
    pub fn to_flat(&self) -> FlatState {
        let mut flat = FlatState::default();
        self.write_flat(&mut flat);
        flat
    }

    /// As [`State::to_flat`], into lists that are used again.
    pub fn write_flat(&self, flat: &mut FlatState) {
        let FlatState { reals, words } = flat;
        reals.clear();
        let works = [self.interface_work_j, self.motor_work_j, self.constraint_work_j];
        reals.extend([self.clock.origin_s, self.clock.step_s]);
        reals.extend(works);
        for (pose, velocity) in self.poses.iter().zip(&self.velocities) {
            reals.extend(pose.position.iter());
            reals.extend(pose.rotation.coords.iter());
            reals.extend(velocity);
        }
        reals.extend(&self.interface_forces);
        reals.extend(self.memory.iter().map(|m| m.force));
        words.clear();
        words.extend([self.clock.steps, self.memory.len() as u64]);
        words.extend(self.memory.iter().flat_map(|m| [m.id, m.set.code()]));
    }

    /// The state written in `flat`, bit by bit.
    ///
    /// # Errors
    /// [`StateError`] when it is not a state of `system`.
    pub fn from_flat(system: &System, flat: &FlatState) -> Result<Self, StateError> {
        // Sizes first, so that all that follows lies within them.
        let (bodies, forces) = (system.bodies().len(), system.interface().len());
        let remembered = flat.words.get(1).map_or(0, |&n| n as usize).min(flat.words.len());
        size("words", flat.words.len(), 2 + 2 * remembered)?;
        size("reals", flat.reals.len(), HEAD + 13 * bodies + forces + remembered)?;

        let (mut poses, mut velocities) = (Vec::new(), Vec::new());
        for part in flat.reals[HEAD..HEAD + 13 * bodies].chunks_exact(13) {
            let rotation = Quaternion::new(part[6], part[3], part[4], part[5]);
            poses.push(Pose {
                position: Vec3::new(part[0], part[1], part[2]),
                rotation: UnitQuaternion::new_unchecked(rotation),
            });
            velocities.push(std::array::from_fn(|k| part[7 + k]));
        }
        // Memory of rows: identifier and set in words, the force among the reals.
        let rest = &flat.reals[HEAD + 13 * bodies..];
        let mut memory = Vec::new();
        for (entry, pair) in flat.words[2..].chunks_exact(2).enumerate() {
            let set = Set::from_code(pair[1]).ok_or(StateError::Code { entry, code: pair[1] })?;
            memory.push(Memory { id: pair[0], set, force: rest[forces + entry] });
        }
        Ok(Self {
            poses,
            velocities,
            clock: Clock { origin_s: flat.reals[0], steps: flat.words[0], step_s: flat.reals[1] },
            memory,
            interface_forces: rest[..forces].to_vec(),
            interface_work_j: flat.reals[2],
            motor_work_j: flat.reals[3],
            constraint_work_j: flat.reals[4],
        })
    }
}

fn size(what: &'static str, found: usize, expected: usize) -> Result<(), StateError> {
    if found == expected { Ok(()) } else { Err(StateError::Size { what, found, expected }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_do_not_accumulate_rounding() {
        let mut clock = Clock::default();
        for _ in 0..10_000 {
            clock = clock.advanced(1e-3);
        }
        assert_eq!(clock.time_s(), 10.0);
        clock = clock.advanced(0.5);
        assert_eq!((clock.time_s(), clock.steps), (10.5, 1));
    }
}
