//! The plan as moves.

use crate::schedule::{Op, Plan};
use crate::station::{Refresh, Station};
use crate::time::{Clock, Tick};
use std::collections::HashSet;

/// One entry of the plan. Ticks count from the window's start.
pub(super) enum Move {
    /// The unit begins a step beside others, which [`Move::End`] ends.
    Begin {
        unit: usize,
        from: Tick,
        length_s: f64,
    },
    End {
        unit: usize,
        step: (Tick, Tick),
        length_s: f64,
    },
    Advance {
        unit: usize,
        step: (Tick, Tick),
        length_s: f64,
    },
    /// At the window's start, where all are known: accounts of the unit's last step are closed.
    Meet {
        unit: usize,
        length_s: f64,
    },
    Publish {
        unit: usize,
    },
    Refresh {
        unit: usize,
    },
}

impl Move {
    /// The moves of an entry of the plan, if any.
    pub fn of(
        op: Op,
        (stations, groups): (&[Station], &[Vec<usize>]),
        clock: Clock,
        begun: &HashSet<usize>,
    ) -> Option<Self> {
        let refresh = |unit: usize| {
            let outputs = &stations[unit].outputs;
            let idle = outputs.refresh == Refresh::Reported || outputs.refresh_refs.is_empty();
            (!idle).then_some(Move::Refresh { unit })
        };
        match op {
            Op::Begin { unit, from, to } => Some(Move::Begin { unit, from, length_s: clock.length_s(to - from) }),
            Op::Advance { unit, from, to } if begun.contains(&unit) => {
                Some(Move::End { unit, step: (from, to), length_s: clock.length_s(to - from) })
            }
            Op::Advance { unit, from, to } => {
                Some(Move::Advance { unit, step: (from, to), length_s: clock.length_s(to - from) })
            }
            Op::Publish { unit, .. } => Some(Move::Publish { unit }),
            Op::RefreshUnit { unit, .. } => refresh(unit),
            Op::Refresh { group, .. } => refresh(groups[group][0]),
        }
    }
}

/// Whether nothing is published ahead of anybody's step: Jacobi.
pub(super) fn advances_before_it_publishes(plan: &Plan) -> bool {
    let mut published = 0;
    plan.ops.iter().all(|op| match *op {
        Op::Publish { at, .. } => {
            published = at;
            true
        }
        Op::Advance { from, .. } => from >= published,
        Op::Begin { .. } | Op::Refresh { .. } | Op::RefreshUnit { .. } => true,
    })
}
