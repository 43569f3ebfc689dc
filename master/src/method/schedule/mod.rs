//! *Schedules* and the *plan* made from them: when units advance and when their samples are published.
//!
//! A plan is a plain list. Jacobi publishes after everybody has advanced from a communication point; Gauss–Seidel
//! publishes at once, so that later units interpolate by themselves; multirate is steps of different length in the
//! same list. The plan does no arithmetic on signals.
//!
//! Palindromic (Strang) composition of units 1 … m: half steps of 1 … m − 1, a whole step of m, and the half steps back.
//! It is its own mirror image, hence of even order: 2 with held inputs, and with displacement-driven units an exact
//! splitting of the coupled equations, so that it conserves energy where each unit alone does. The last half step of a
//! window and the first of the next are one step of unit 1; what unit 1 was at the communication point between is its
//! dense output at mid-step. n windows then cost n + 1 steps of unit 1 and n of unit m. Reference: \[Hairer 2006\],
//! section II.5.

mod draft;
#[cfg(test)]
mod refreshed;
#[cfg(test)]
mod tests;

use crate::system::feedthrough::FeedThrough;
use crate::time::{Tick, lcm};
use draft::Draft;

/// The order in which units step and publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// All units step from what is known at the communication point.
    Jacobi,
    /// Units step in this order (positions of all units); each sees what the ones before it have published.
    GaussSeidel(Vec<usize>),
    /// Units step in this order by halves, the last by a whole step, and back in the opposite order; each sees what has
    /// been published before.
    Palindromic(Vec<usize>),
}

impl Schedule {
    /// The order of units, where there is one.
    pub fn order(&self) -> Option<&[usize]> {
        match self {
            Schedule::Jacobi => None,
            Schedule::GaussSeidel(order) | Schedule::Palindromic(order) => Some(order),
        }
    }

    /// Ticks a step must be a multiple of.
    pub(crate) fn parts(&self) -> Tick {
        if matches!(self, Schedule::Palindromic(_)) { 2 } else { 1 }
    }
}

/// One entry of a plan. Ticks count from the window's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// The unit begins the step that its next [`Op::Advance`] ends, beside others.
    Begin {
        /// Which unit.
        unit: usize,
        /// Start of the step.
        from: Tick,
        /// End of the step.
        to: Tick,
    },
    /// The unit steps.
    Advance {
        /// Which unit.
        unit: usize,
        /// Start of the step.
        from: Tick,
        /// End of the step.
        to: Tick,
    },
    /// The unit's outputs at the end of its last step become known.
    Publish {
        /// Which unit.
        unit: usize,
        /// When.
        at: Tick,
    },
    /// Feed-through outputs of a group of units are evaluated with the inputs' values at this instant; a group of more
    /// than one is an algebraic loop.
    Refresh {
        /// Position in the list of groups.
        group: usize,
        /// When.
        at: Tick,
    },
    /// The same for one unit of a loop whose other units are elsewhere in time.
    RefreshUnit {
        /// Which unit.
        unit: usize,
        /// When.
        at: Tick,
    },
}

impl Op {
    /// The same where all steps are `n` times as long.
    #[inline]
    pub(crate) fn stretched(self, n: Tick) -> Op {
        match self {
            Op::Begin { unit, from, to } => Op::Begin { unit, from: from * n, to: to * n },
            Op::Advance { unit, from, to } => Op::Advance { unit, from: from * n, to: to * n },
            Op::Publish { unit, at } => Op::Publish { unit, at: at * n },
            Op::Refresh { group, at } => Op::Refresh { group, at: at * n },
            Op::RefreshUnit { unit, at } => Op::RefreshUnit { unit, at: at * n },
        }
    }
}

/// The operations of one window, the shortest span between common communication points of all units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Length of the window.
    pub window: Tick,
    /// In order of execution; where half steps of neighbouring windows are merged, those of the first window.
    pub ops: Vec<Op>,
    /// What takes the place of `ops` from a window's start on, earliest first: a staggered plan begins and ends with half
    /// steps.
    later: Vec<(Tick, Vec<Op>)>,
    /// A window without neighbours, where `ops` is a part of a staggered plan.
    whole: Option<Vec<Op>>,
}

impl Plan {
    /// The plan of a schedule for units with steps of `steps[u]` ticks and their feed-through.
    pub(crate) fn new(schedule: &Schedule, steps: &[Tick], feed: &FeedThrough) -> Self {
        let window = steps.iter().copied().fold(1, lcm);
        let mut draft = Draft::new(steps, feed, window);
        match schedule {
            Schedule::Jacobi => draft.jacobi(),
            Schedule::GaussSeidel(order) => draft.gauss_seidel(order),
            Schedule::Palindromic(order) => draft.palindromic(order, 0, window),
        }
        Plan { window, ops: draft.ops, later: Vec::new(), whole: None }
    }

    /// The palindromic plan with the half steps of neighbouring windows merged, until the window that starts at `last`,
    /// after which all units are together.
    pub(crate) fn staggered(order: &[usize], steps: &[Tick], feed: &FeedThrough, last: Option<Tick>) -> Self {
        let window = steps.iter().copied().fold(1, lcm);
        let half = window / 2;
        let ops = |from: Tick, to: Tick| {
            let mut draft = Draft::new(steps, feed, window);
            draft.palindromic(order, from, to);
            draft.ops
        };
        let whole = ops(0, window);
        let (opening, merged, closing) = (ops(0, window + half), ops(half, window + half), ops(half, window));
        let mut later = vec![(window, merged)];
        match last {
            Some(last) if last < window => return Plan { window, ops: whole, later: Vec::new(), whole: None },
            Some(last) => {
                // Two windows: nothing lies between opening and closing.
                later.retain(|(from, _)| *from < last);
                later.extend([(last, closing), (last + window, whole.clone())]);
            }
            None => {}
        }
        Plan { window, ops: opening, later, whole: Some(whole) }
    }

    /// What is carried out in the window that starts at `now`.
    #[inline]
    pub(crate) fn ops_at(&self, now: Tick) -> &[Op] {
        self.later.iter().rev().find(|(from, _)| *from <= now).map_or(&self.ops, |(_, ops)| ops)
    }

    /// Before the first window: goes back to whole symmetric steps, after which all units are together.
    pub(crate) fn set_half_steps_apart(&mut self) {
        if let Some(whole) = self.whole.take() {
            (self.ops, self.later) = (whole, Vec::new());
        }
    }

    /// Whether half steps of neighbouring windows are merged.
    pub fn is_staggered(&self) -> bool {
        self.whole.is_some()
    }

    /// The same plan with steps that need nothing of each other begun together, where `is_parallel(unit)`.
    pub fn beside(mut self, is_parallel: impl Fn(usize) -> bool) -> Plan {
        let mut ops = Vec::with_capacity(2 * self.ops.len());
        for (i, &op) in self.ops.iter().enumerate() {
            let steps = |j: Option<usize>| matches!(j.and_then(|j| self.ops.get(j)), Some(Op::Advance { .. }));
            // The first of two steps or more.
            if steps(Some(i)) && !steps(i.checked_sub(1)) && steps(Some(i + 1)) {
                let together = self.ops[i..].iter().map_while(|op| match *op {
                    Op::Advance { unit, from, to } => Some((unit, from, to)),
                    _ => None,
                });
                let parallel = together.filter(|(unit, ..)| is_parallel(*unit));
                ops.extend(parallel.map(|(unit, from, to)| Op::Begin { unit, from, to }));
            }
            ops.push(op);
        }
        self.ops = ops;
        self
    }

    /// Instants at which a unit publishes, each once, ascending.
    pub fn published(&self, unit: usize) -> Vec<Tick> {
        let mut at: Vec<Tick> = self
            .ops
            .iter()
            .filter_map(|op| match op {
                Op::Publish { unit: u, at } if *u == unit => Some(*at),
                _ => None,
            })
            .collect();
        at.sort_unstable();
        at.dedup();
        at
    }
}
