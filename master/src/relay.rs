//! The *relay*: explicit windows in which every input is held, as copies and calls and nothing else.
//!
//! With a predictor that holds and nothing to take back, a step consumes the newest published value of each signal: no
//! older row is ever asked for, no polynomial is made. The plan is turned once into a list of moves over a *board* of
//! newest values, outputs of one unit side by side, so that a unit is read straight into it. Histories have their
//! newest row again, and stations their values, when a stretch of windows is over.
//!
//! The same calls with the same values as [`crate::window::Window::run`] makes, at a fraction of its cost; whatever the
//! relay does not know (a law sampled on grids that do not nest, algebraic loops, outputs refreshed by directional
//! derivatives) is left to the window.

use crate::feed::Feed;
use crate::schedule::{Op, Plan};
use crate::state::State;
use crate::station::{Refresh, Station, StationState};
use crate::supply::Supply;
use crate::time::{Clock, Tick};
use crate::unit::{Outcome, UnitError};
use crate::window::{Unfinished, Window};
use std::collections::HashSet;

/// Where a copied value comes from on the board, or among a law's outputs, and its place among a unit's or law's inputs.
#[derive(Debug, Clone, Copy)]
struct Wire {
    from: usize,
    to: usize,
}

/// A law on the way to one unit.
struct Tap {
    law: usize,
    inputs: Vec<Wire>,
    outputs: Vec<Wire>,
    u: Vec<f64>,
    y: Vec<f64>,
}

/// What one unit exchanges.
struct Port {
    wires: Vec<Wire>,
    taps: Vec<Tap>,
    /// First place of the unit's outputs on the board.
    first: usize,
}

/// One entry of the plan. Ticks count from the window's start.
enum Move {
    /// The unit begins a step beside others, which [`Move::End`] ends.
    Begin {
        unit: usize,
        from: Tick,
        length_s: f64,
    },
    End {
        unit: usize,
        from: Tick,
        length_s: f64,
    },
    Advance {
        unit: usize,
        from: Tick,
        length_s: f64,
    },
    Publish {
        unit: usize,
    },
    Refresh {
        unit: usize,
    },
}

/// The compiled plan and the newest values.
pub(crate) struct Relay {
    moves: Vec<Move>,
    ports: Vec<Port>,
    board: Vec<f64>,
}

impl Relay {
    /// The relay of a plan with steps `stretch` times as long as made, where it can do what the window does.
    pub fn of(window: &Window, stretch: Tick) -> Option<Self> {
        let Window { stations, sources, plan, groups, .. } = window;
        if plan.is_staggered() || window.ledger.is_some() || window.revocable {
            return None;
        }
        let steps_alike = stations.iter().all(|s| s.step == plan.window);
        let jacobi = advances_before_it_publishes(plan);
        let reads_after_set =
            |s: &Station| s.outputs.refresh != Refresh::Directional || s.outputs.refresh_refs.is_empty();
        let law_grids_nest = steps_alike || jacobi || stations.iter().all(|s| s.feeds.iter().all(|f| !f.has_law()));
        let known = stations
            .iter()
            .all(|s| s.holds && s.dense.is_none() && reads_after_set(s) && s.feeds.iter().all(Feed::is_memoryless))
            && groups.iter().all(|g| g.len() == 1);
        if !(known && law_grids_nest) {
            return None;
        }
        let channels = stations.iter().map(|s| s.outputs.channels.len()).sum();
        let mut places = vec![0; channels];
        let mut size = 0;
        let mut firsts = Vec::new();
        for s in stations {
            firsts.push(size);
            for &(channel, first, _) in &s.outputs.channels {
                places[channel] = size + first;
            }
            size += s.outputs.refs.len();
        }
        let ports = stations.iter().zip(firsts).map(|(s, first)| Port::of(s, first, &places)).collect();
        let begun: HashSet<usize> =
            plan.ops.iter().filter_map(|op| if let Op::Begin { unit, .. } = *op { Some(unit) } else { None }).collect();
        let ops = plan.ops.iter().map(|op| op.stretched(stretch));
        let moves = ops.filter_map(|op| Move::of(op, (stations, groups), sources.clock, &begun)).collect();
        Some(Relay { moves, ports, board: vec![0.0; size] })
    }

    /// Runs up to `windows` windows; a step that was not finished ends them.
    pub fn run(
        &mut self,
        window: &mut Window,
        state: &mut State,
        windows: u64,
    ) -> Result<Option<Unfinished>, UnitError> {
        // The newest values onto the board.
        let (length, began) = (window.length(state), state.now);
        let (stations, states, mut supply) = window.parts(state);
        for (port, state) in self.ports.iter().zip(states.iter()) {
            let values = &state.outputs.values;
            self.board[port.first..port.first + values.len()].copy_from_slice(values);
        }
        // The windows.
        let (mut now, mut ended) = (began, Ok(None));
        for _ in 0..windows {
            ended = self.window((stations, states), &mut supply, now);
            if !matches!(ended, Ok(None)) {
                break;
            }
            now += length;
        }
        // Stations and histories get the newest values back.
        if now > began {
            self.settle((stations, states), &mut supply, now);
        }
        state.now = now;
        ended
    }

    /// One window; a step that was not finished ends it.
    #[inline]
    fn window(
        &mut self,
        (stations, states): (&mut [Station], &mut [StationState]),
        supply: &mut Supply<'_>,
        now: Tick,
    ) -> Result<Option<Unfinished>, UnitError> {
        let Relay { moves, ports, board } = self;
        for m in moves.iter() {
            match *m {
                Move::Advance { unit, from, length_s } => {
                    let (station, state, at) = (&mut stations[unit], &mut states[unit], now + from);
                    ports[unit].gather(board, supply, &mut station.inputs.values);
                    match station.hold(state, supply.clock.seconds(at), length_s, true)? {
                        Outcome::Done => state.inputs.shown = false,
                        outcome => return Ok(Some((unit, outcome, at))),
                    }
                }
                Move::Begin { unit, from, length_s } => {
                    let station = &mut stations[unit];
                    ports[unit].gather(board, supply, &mut station.inputs.values);
                    station.set_constants(&mut states[unit])?;
                    station.unit.begin_step(supply.clock.seconds(now + from), length_s, true)?;
                }
                Move::End { unit, from, length_s } => {
                    let (station, at) = (&mut stations[unit], now + from);
                    match station.unit.step(supply.clock.seconds(at), length_s, true)? {
                        Outcome::Done => states[unit].inputs.shown = false,
                        outcome => return Ok(Some((unit, outcome, at))),
                    }
                }
                Move::Publish { unit } => {
                    let first = ports[unit].first;
                    let Station { unit, outputs, .. } = &mut stations[unit];
                    outputs.read_into(unit.as_mut(), &mut board[first..])?;
                }
                Move::Refresh { unit } => {
                    let port = &mut ports[unit];
                    let station = &mut stations[unit];
                    port.gather(board, supply, &mut station.inputs.values);
                    station.refresh_into(&mut states[unit], &mut board[port.first..])?;
                }
            }
        }
        Ok(None)
    }

    /// Gives stations and histories the newest values back, as known at `now`.
    fn settle(&self, (stations, states): (&mut [Station], &mut [StationState]), supply: &mut Supply<'_>, now: Tick) {
        for ((port, station), state) in self.ports.iter().zip(stations).zip(states) {
            let n = state.outputs.values.len();
            state.outputs.values.copy_from_slice(&self.board[port.first..port.first + n]);
            station.publish(state, supply, now);
        }
    }
}

impl Port {
    fn of(station: &Station, first: usize, places: &[usize]) -> Self {
        let mut port = Port { wires: Vec::new(), taps: Vec::new(), first };
        for feed in &station.feeds {
            match feed {
                Feed::Channel { channel, picks } => {
                    port.wires.extend(picks.iter().map(|&(c, to)| Wire { from: places[*channel] + c, to }));
                }
                // Not memoryless: left to the window.
                Feed::Interface(_) | Feed::Mean(_) | Feed::Series(_) => {}
                Feed::Law(f) => {
                    let inputs = f.sources().flat_map(|(channel, picks)| {
                        picks.iter().map(move |&(c, to)| Wire { from: places[channel] + c, to })
                    });
                    let (m, n) = f.sizes();
                    port.taps.push(Tap {
                        law: f.law(),
                        inputs: inputs.collect(),
                        outputs: f.picks().iter().map(|&(from, to)| Wire { from, to }).collect(),
                        u: vec![0.0; m],
                        y: vec![0.0; n],
                    });
                }
            }
        }
        port
    }

    /// The newest values into the unit's inputs.
    #[inline(always)]
    fn gather(&mut self, board: &[f64], supply: &Supply<'_>, inputs: &mut [f64]) {
        for wire in &self.wires {
            inputs[wire.to] = board[wire.from];
        }
        if !self.taps.is_empty() {
            self.apply_laws(board, supply, inputs);
        }
    }

    /// The laws on the newest values.
    fn apply_laws(&mut self, board: &[f64], supply: &Supply<'_>, inputs: &mut [f64]) {
        for tap in &mut self.taps {
            for wire in &tap.inputs {
                tap.u[wire.to] = board[wire.from];
            }
            supply.laws[tap.law].evaluate(&tap.u, &mut tap.y);
            for wire in &tap.outputs {
                inputs[wire.to] = tap.y[wire.from];
            }
        }
    }
}

impl Move {
    /// What an entry of the plan asks for, if anything.
    fn of(
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
                Some(Move::End { unit, from, length_s: clock.length_s(to - from) })
            }
            Op::Advance { unit, from, to } => Some(Move::Advance { unit, from, length_s: clock.length_s(to - from) }),
            Op::Publish { unit, .. } => Some(Move::Publish { unit }),
            Op::RefreshUnit { unit, .. } => refresh(unit),
            Op::Refresh { group, .. } => refresh(groups[group][0]),
        }
    }
}

/// Whether nothing is published ahead of anybody's step: Jacobi.
fn advances_before_it_publishes(plan: &Plan) -> bool {
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
