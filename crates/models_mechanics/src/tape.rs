//! A multibody state in the fixed memory of a slave.
//!
//! The number of remembered rows varies with the contacts; what is written is as long as most rows can be, the rest is 0.
//!
//! | hidden reals | hidden integers |
//! |---|---|
//! | holding forces (r), speeds D(q_n) v⁺ (r), residual, contact force | pivots, active rows, their hash, contacts, contact points |
//! | step H that the first step has decided, real outputs at the point of the grid before | whether the time is between two points, integer outputs there |
//! | reals of the [`FlatState`] | words of the [`FlatState`] |

use macrostep_multibody::{FlatState, StepReport, System};
use macrostep_slave::{Fault, Memory, Shape};

/// Integers of the report.
const REPORT: usize = 5;

/// Integer outputs that are kept of the point of the grid before.
const KEPT: usize = 5;

/// Integers before the words of the state.
const WORDS: usize = REPORT + 1 + KEPT;

/// Where things are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tape {
    r: usize,
    bodies: usize,
    rows_max: usize,
    /// Real outputs that are kept of the point of the grid before.
    outputs: usize,
}

/// Statistics of the last step that are no part of the mechanical state.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Note {
    pub residual: f64,
    pub contact_force_n: f64,
    pub pivots: i64,
    pub active: i64,
    pub active_hash: u64,
    pub contacts: i64,
    pub contact_points: i64,
}

impl Note {
    pub fn of(report: &StepReport) -> Note {
        Note {
            residual: report.residual,
            contact_force_n: report.contact_force_n,
            pivots: report.solver.pivots as i64,
            active: report.active as i64,
            active_hash: report.active_hash,
            contacts: report.contacts as i64,
            contact_points: report.contact_points as i64,
        }
    }
}

impl Tape {
    pub fn new(system: &System, outputs: usize) -> Tape {
        let (r, bodies) = (system.interface().len(), system.bodies().len());
        Tape { r, bodies, rows_max: system.bounded_rows_max(), outputs }
    }

    /// First real of the state.
    fn reals(&self) -> usize {
        self.step() + 1 + self.outputs
    }

    /// Place of the step that the first one has decided.
    fn step(&self) -> usize {
        2 * self.r + 2
    }

    pub fn shape(&self) -> Shape {
        Shape {
            hidden_reals: self.reals() + FlatState::reals_before_rows(self.bodies, self.r) + self.rows_max,
            hidden_integers: WORDS + 2 + 2 * self.rows_max,
        }
    }

    /// Writes a state.
    ///
    /// # Errors
    /// [`Fault::Model`] where it has more rows than there is room for.
    pub fn write(&self, memory: &mut Memory, flat: &FlatState) -> Result<(), Fault> {
        let first = self.reals();
        if first + flat.reals.len() > memory.hidden_reals.len() {
            let message = format!("{} reals of state found, expected room for {}", flat.reals.len(), self.rows_max);
            return Err(Fault::Model { t_s: memory.time_s, message });
        }
        let (reals, words) = (&mut memory.hidden_reals[first..], &mut memory.hidden_integers[WORDS..]);
        reals.fill(0.0);
        reals[..flat.reals.len()].copy_from_slice(&flat.reals);
        words.fill(0);
        for (to, word) in words.iter_mut().zip(&flat.words) {
            *to = *word as i64;
        }
        Ok(())
    }

    /// Whether the memory holds this state.
    pub fn holds(&self, memory: &Memory, flat: &FlatState) -> bool {
        let reals = &memory.hidden_reals[self.reals()..];
        let words = &memory.hidden_integers[WORDS..];
        reals.iter().zip(&flat.reals).all(|(a, b)| a.to_bits() == b.to_bits())
            && words.iter().zip(&flat.words).all(|(a, b)| *a as u64 == *b)
    }

    /// Reads the state.
    pub fn read(&self, memory: &Memory, flat: &mut FlatState) {
        let words = &memory.hidden_integers[WORDS..];
        // A damaged count must not lead beyond the room there is.
        let rows = usize::try_from(words[1]).unwrap_or(0).min(self.rows_max);
        flat.words.clear();
        flat.words.extend(words[..2 + 2 * rows].iter().map(|w| *w as u64));
        flat.reals.clear();
        let count = FlatState::reals_before_rows(self.bodies, self.r) + rows;
        flat.reals.extend_from_slice(&memory.hidden_reals[self.reals()..self.reals() + count]);
    }

    pub fn set_holding(&self, memory: &mut Memory, forces: &[f64]) {
        memory.hidden_reals[..self.r].copy_from_slice(forces);
    }

    /// Writes the speeds of the last step in the directions of its start.
    pub fn set_step_speed(&self, memory: &mut Memory, speed: &[f64]) {
        memory.hidden_reals[self.r..2 * self.r].copy_from_slice(speed);
    }

    pub fn set_note(&self, memory: &mut Memory, note: &Note) {
        memory.hidden_reals[2 * self.r] = note.residual;
        memory.hidden_reals[2 * self.r + 1] = note.contact_force_n;
        let words = [note.pivots, note.active, note.active_hash as i64, note.contacts, note.contact_points];
        memory.hidden_integers[..REPORT].copy_from_slice(&words);
    }

    /// The step H that the first step has decided, s; 0 before.
    pub fn step_s(&self, memory: &Memory) -> f64 {
        memory.hidden_reals[self.step()]
    }

    pub fn set_step_s(&self, memory: &mut Memory, step_s: f64) {
        memory.hidden_reals[self.step()] = step_s;
    }

    /// Outputs at the point of the grid before, where the time is between two points.
    pub fn before<'a>(&self, memory: &'a Memory) -> Option<(&'a [f64], &'a [i64])> {
        let first = self.step() + 1;
        let kept = (&memory.hidden_reals[first..first + self.outputs], &memory.hidden_integers[REPORT + 1..WORDS]);
        (memory.hidden_integers[REPORT] != 0).then_some(kept)
    }

    /// Keeps outputs as those of the point before.
    pub fn keep_before(&self, memory: &mut Memory, reals: usize, integers: usize) {
        let first = self.step() + 1;
        let Memory { reals: from, integers: counts, hidden_reals, hidden_integers, .. } = memory;
        hidden_reals[first..first + self.outputs].copy_from_slice(&from[reals..reals + self.outputs]);
        for (to, count) in hidden_integers[REPORT + 1..WORDS].iter_mut().zip(&counts[integers..]) {
            *to = i64::from(*count);
        }
    }

    pub fn set_between(&self, memory: &mut Memory, is_between: bool) {
        memory.hidden_integers[REPORT] = i64::from(is_between);
    }

    pub fn note(&self, memory: &Memory) -> Note {
        let words = &memory.hidden_integers;
        Note {
            residual: memory.hidden_reals[2 * self.r],
            contact_force_n: memory.hidden_reals[2 * self.r + 1],
            pivots: words[0],
            active: words[1],
            active_hash: words[2] as u64,
            contacts: words[3],
            contact_points: words[4],
        }
    }
}
