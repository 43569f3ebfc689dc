//! The plan as moves.

use super::port::Port;
use super::seat::{Seats, Visits};
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
    /// Units that a window only visits, each for a step as long as the window.
    Visit {
        visits: Visits,
        to: Tick,
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
    /// What a unit publishes goes to the board of the next window, which [`Move::Turn`] makes the newest one.
    Read {
        unit: usize,
    },
    Turn,
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

/// Whether all units make one step as long as the window and are then read in full.
pub(super) fn reads_in_full(plan: &Plan, stations: &[Station]) -> bool {
    let is_full = |s: &Station| s.outputs.refresh != Refresh::GetAfterSet || s.outputs.refresh_refs.is_empty();
    has_whole_steps(plan) && stations.iter().all(is_full)
}

/// Whether all steps are as long as the window, and everything is published at its end.
pub(super) fn has_whole_steps(plan: &Plan) -> bool {
    plan.ops.iter().all(|op| match *op {
        Op::Begin { from, to, .. } | Op::Advance { from, to, .. } => (from, to) == (0, plan.window),
        Op::Publish { at, .. } | Op::Refresh { at, .. } | Op::RefreshUnit { at, .. } => at == plan.window,
    })
}

/// Visits where a unit's step and the reading of its outputs are all there is; all inputs are held. Visits that follow each other
/// are one move.
pub(super) fn visits(moves: Vec<Move>, stations: &[Station], ports: &[Port]) -> (Vec<Move>, Seats) {
    let mut seats = Seats::default();
    let mut fused: Vec<Move> = Vec::with_capacity(moves.len());
    for m in moves {
        let stepped = match (fused.last(), &m) {
            (Some(&Move::Advance { unit: stepped, step: (0, to), length_s }), Move::Read { unit })
                if stepped == *unit =>
            {
                Some((stepped, to, length_s))
            }
            _ => None,
        };
        let mut begun = Visits::after(&seats);
        let is_visit = |&(unit, ..): &(usize, Tick, f64)| seats.add(unit, &stations[unit], &ports[unit]);
        let Some((_, to, length_s)) = stepped.filter(is_visit) else {
            fused.push(m);
            continue;
        };
        fused.pop();
        match fused.last_mut() {
            Some(Move::Visit { visits, .. }) => visits.extend(&seats),
            _ => {
                begun.extend(&seats);
                fused.push(Move::Visit { visits: begun, to, length_s });
            }
        }
    }
    (fused, seats)
}

/// Moves of a plan in which all units step before anything is published: each unit is read right after its step, while it is in
/// the cache, and what was read becomes known where the first unit was to be read.
pub(super) fn read_after_steps(moves: Vec<Move>) -> Vec<Move> {
    let mut fused = Vec::with_capacity(moves.len() + 1);
    let mut has_turned = false;
    for m in moves {
        match m {
            Move::Advance { unit, .. } | Move::End { unit, .. } => fused.extend([m, Move::Read { unit }]),
            Move::Publish { .. } if has_turned => {}
            Move::Publish { .. } => {
                has_turned = true;
                fused.push(Move::Turn);
            }
            m => fused.push(m),
        }
    }
    fused
}
