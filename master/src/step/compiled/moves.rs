//! The plan as moves.

use super::held::{HeldSteps, StepRange};
use super::wiring::UnitWiring;
use crate::method::schedule::{Op, Plan};
use crate::step::unit_port::UnitPort;
use crate::system::refresh::Refresh;
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
    /// Units that a window only range, each for a step as long as the window.
    HeldSteps {
        range: StepRange,
        to: Tick,
        length_s: f64,
    },
    /// At the window's start, where all are known: accounts of the unit's last step are closed.
    CloseAccount {
        unit: usize,
        length_s: f64,
    },
    Publish {
        unit: usize,
    },
    /// What a unit publishes goes to the row of the next window, which [`Move::Swap`] makes the newest.
    Read {
        unit: usize,
    },
    Swap,
    Refresh {
        unit: usize,
    },
}

impl Move {
    /// The moves of an entry of the plan, if any.
    pub fn of(
        op: Op,
        (unit_ports, groups): (&[UnitPort], &[Vec<usize>]),
        clock: Clock,
        begun: &HashSet<usize>,
    ) -> Option<Self> {
        let refresh = |unit: usize| {
            let outputs = &unit_ports[unit].outputs;
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
pub(super) fn reads_in_full(plan: &Plan, unit_ports: &[UnitPort]) -> bool {
    let is_full = |s: &UnitPort| s.outputs.refresh != Refresh::GetAfterSet || s.outputs.refresh_refs.is_empty();
    has_whole_steps(plan) && unit_ports.iter().all(is_full)
}

/// Whether all steps are as long as the window, and everything is published at its end.
pub(super) fn has_whole_steps(plan: &Plan) -> bool {
    plan.ops.iter().all(|op| match *op {
        Op::Begin { from, to, .. } | Op::Advance { from, to, .. } => (from, to) == (0, plan.window),
        Op::Publish { at, .. } | Op::Refresh { at, .. } | Op::RefreshUnit { at, .. } => at == plan.window,
    })
}

/// Makes one move of a unit's step and the reading of its outputs, where these are all there is and all inputs are held. Moves that
/// follow each other become one.
pub(super) fn fuse_held_steps(
    moves: Vec<Move>,
    unit_ports: &[UnitPort],
    wirings: &[UnitWiring],
) -> (Vec<Move>, HeldSteps) {
    let mut held = HeldSteps::default();
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
        let mut begun = StepRange::after(&held);
        let is_visit = |&(unit, ..): &(usize, Tick, f64)| held.add(unit, &unit_ports[unit], &wirings[unit]);
        let Some((_, to, length_s)) = stepped.filter(is_visit) else {
            fused.push(m);
            continue;
        };
        fused.pop();
        match fused.last_mut() {
            Some(Move::HeldSteps { range, .. }) => range.extend(&held),
            _ => {
                begun.extend(&held);
                fused.push(Move::HeldSteps { range: begun, to, length_s });
            }
        }
    }
    (fused, held)
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
                fused.push(Move::Swap);
            }
            m => fused.push(m),
        }
    }
    fused
}
