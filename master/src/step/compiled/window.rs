//! One window of a compiled plan.

use super::held::HeldSteps;
use super::moves::Move;
use super::past::Past;
use super::wiring::UnitWiring;
use crate::step::power::{EnergyBalance, EnergyBalanceState};
use crate::step::supply::Supply;
use crate::step::unit_port::{UnitPort, UnitPortState};
use crate::step::window::Unfinished;
use crate::time::{Span, Tick};
use crate::unit::{Outcome, UnitError};

/// The accounts of power bonds, where there are any.
pub(super) type Accounts<'a> = Option<(&'a EnergyBalance, &'a mut EnergyBalanceState)>;

/// What a window works on, as slices, so that their places are known to a whole stretch.
pub(super) struct Work<'a> {
    pub moves: &'a [Move],
    pub wirings: &'a mut [UnitWiring],
    pub held: &'a mut HeldSteps,
    pub newest: &'a mut Vec<f64>,
    pub next: &'a mut Vec<f64>,
    pub past: Option<&'a mut Past>,
    pub flows: &'a [usize],
    pub unit_ports: &'a mut [UnitPort],
    pub states: &'a mut [UnitPortState],
}

impl Work<'_> {
    /// One window; a step that was not finished ends it. Before it a row may have set inputs where `is_after_row`.
    #[inline(always)]
    pub fn window(
        &mut self,
        supply: &mut Supply<'_>,
        accounts: &mut Accounts<'_>,
        now: Tick,
        is_after_row: bool,
    ) -> Result<Option<Unfinished>, UnitError> {
        let Work { moves, wirings, held, newest, next, past, flows, unit_ports, states } = self;
        for m in moves.iter() {
            match *m {
                Move::HeldSteps { ref range, to, length_s } => {
                    let step = (supply.clock.seconds(now), length_s);
                    let units = (&mut **unit_ports, &mut **states);
                    let ended = held.run(range, (newest, next), units, step, is_after_row);
                    // Units were given what they were to have when accounts were closed at the window's start.
                    if let Some((bonds, accounts)) = accounts {
                        let span = Span { from: now, to: now + to, length_s };
                        held.stepped(range).for_each(|u| bonds.depart(accounts, &unit_ports[u], u, &span));
                    }
                    if let Some((unit, outcome)) = ended? {
                        return Ok(Some((unit, outcome, now)));
                    }
                }
                Move::Advance { unit, step: (from, to), length_s } => {
                    let (unit_port, state, at) = (&mut unit_ports[unit], &mut states[unit], now + from);
                    let outcome = match past {
                        None => {
                            wirings[unit].gather(newest, supply, &mut unit_port.inputs.values);
                            unit_port.hold(state, supply.clock.seconds(at), length_s, true)?
                        }
                        Some(past) => {
                            past.follow(unit, newest, length_s, &mut unit_port.inputs.segments);
                            unit_port.follow(state, supply.clock.seconds(at), length_s, true)?
                        }
                    };
                    if let Some((bonds, accounts)) = accounts {
                        bonds.depart(accounts, unit_port, unit, &Span { from: at, to: now + to, length_s });
                    }
                    match outcome {
                        Outcome::Done => state.inputs.shown = false,
                        outcome => return Ok(Some((unit, outcome, at))),
                    }
                }
                Move::CloseAccount { unit, length_s } => {
                    let Some((bonds, accounts)) = accounts else { continue };
                    let span = Span { from: now, to: now, length_s };
                    let truth = &mut unit_ports[unit].inputs.values;
                    wirings[unit].gather(newest, supply, truth);
                    bonds.meet(accounts, (unit, &span), truth, |wiring| newest[flows[wiring]]);
                }
                Move::Begin { unit, from, length_s } => {
                    let unit_port = &mut unit_ports[unit];
                    match past {
                        None => {
                            wirings[unit].gather(newest, supply, &mut unit_port.inputs.values);
                            unit_port.set_constants(&mut states[unit])?;
                        }
                        Some(past) => {
                            past.follow(unit, newest, length_s, &mut unit_port.inputs.segments);
                            unit_port.set_segments(&mut states[unit], length_s)?;
                        }
                    }
                    unit_port.unit.begin_step(supply.clock.seconds(now + from), length_s, true)?;
                }
                Move::End { unit, step: (from, to), length_s } => {
                    let (unit_port, at) = (&mut unit_ports[unit], now + from);
                    let outcome = unit_port.unit.step(supply.clock.seconds(at), length_s, true)?;
                    if let Some((bonds, accounts)) = accounts {
                        bonds.depart(accounts, unit_port, unit, &Span { from: at, to: now + to, length_s });
                    }
                    match outcome {
                        Outcome::Done => states[unit].inputs.shown = false,
                        outcome => return Ok(Some((unit, outcome, at))),
                    }
                }
                Move::Publish { unit } => {
                    let first = wirings[unit].first;
                    let UnitPort { unit, outputs, .. } = &mut unit_ports[unit];
                    outputs.read_into(unit.as_mut(), &mut newest[first..])?;
                }
                Move::Read { unit } => {
                    let first = wirings[unit].first;
                    let UnitPort { unit, outputs, .. } = &mut unit_ports[unit];
                    outputs.read_into(unit.as_mut(), &mut next[first..])?;
                }
                Move::Swap => std::mem::swap(*newest, *next),
                Move::Refresh { unit } => {
                    let wiring = &mut wirings[unit];
                    let unit_port = &mut unit_ports[unit];
                    wiring.gather(newest, supply, &mut unit_port.inputs.values);
                    unit_port.refresh_into(&mut states[unit], &mut newest[wiring.first..])?;
                }
            }
        }
        Ok(None)
    }
}
