//! One window of a compiled plan.

use super::held::{Called, HeldSteps, StepRange};
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
        let moves = self.moves;
        for m in moves {
            let unfinished = match *m {
                Move::HeldSteps { ref range, to, length_s } => {
                    let span = Span { from: now, to: now + to, length_s };
                    self.held_steps(range, supply, accounts, &span, is_after_row)?
                }
                Move::Advance { unit, step: (from, to), length_s } => {
                    let span = Span { from: now + from, to: now + to, length_s };
                    self.advance(unit, supply, accounts, &span)?
                }
                Move::Begin { unit, from, length_s } => {
                    self.begin(unit, supply, now + from, length_s)?;
                    None
                }
                Move::End { unit, step: (from, to), length_s } => {
                    let span = Span { from: now + from, to: now + to, length_s };
                    let t_s = supply.clock.seconds(span.from);
                    let outcome = self.unit_ports[unit].unit.step(t_s, length_s, true)?;
                    self.ended(unit, outcome, (accounts, t_s), &span)?
                }
                Move::CloseAccount { unit, length_s } => {
                    self.close_account(unit, supply, accounts, &Span { from: now, to: now, length_s });
                    None
                }
                Move::Publish { unit } => {
                    let UnitPort { unit: called, outputs, .. } = &mut self.unit_ports[unit];
                    outputs.read_into(called.as_mut(), &mut self.newest[self.wirings[unit].first..])?;
                    None
                }
                Move::Read { unit } => {
                    let UnitPort { unit: called, outputs, .. } = &mut self.unit_ports[unit];
                    outputs.read_into(called.as_mut(), &mut self.next[self.wirings[unit].first..])?;
                    None
                }
                Move::Swap => {
                    std::mem::swap(self.newest, self.next);
                    None
                }
                Move::Refresh { unit } => {
                    let (wiring, unit_port) = (&mut self.wirings[unit], &mut self.unit_ports[unit]);
                    wiring.gather(self.newest, supply, &mut unit_port.inputs.values);
                    unit_port.refresh_into(&mut self.states[unit], &mut self.newest[wiring.first..])?;
                    None
                }
            };
            if unfinished.is_some() {
                return Ok(unfinished);
            }
        }
        Ok(None)
    }

    /// Steps of units with held inputs, one after the other.
    #[inline(always)]
    fn held_steps(
        &mut self,
        range: &StepRange,
        supply: &Supply<'_>,
        accounts: &mut Accounts<'_>,
        span: &Span,
        is_after_row: bool,
    ) -> Result<Option<Unfinished>, UnitError> {
        let Work { newest, next, unit_ports, states, .. } = self;
        let mut called = Called { newest, next, unit_ports, states };
        let ended = self.held.run(range, &mut called, supply.clock.seconds(span.from), span.length_s, is_after_row);
        // Units were given what they were to have when accounts were closed at the window's start.
        if let Some((bonds, accounts)) = accounts {
            self.held.stepped(range).for_each(|u| bonds.depart(accounts, &self.unit_ports[u], u, span));
        }
        Ok(ended?.map(|(unit, outcome)| (unit, outcome, span.from)))
    }

    /// One step of a unit, with its inputs.
    #[inline(always)]
    fn advance(
        &mut self,
        unit: usize,
        supply: &mut Supply<'_>,
        accounts: &mut Accounts<'_>,
        span: &Span,
    ) -> Result<Option<Unfinished>, UnitError> {
        let (unit_port, state) = (&mut self.unit_ports[unit], &mut self.states[unit]);
        let t_s = supply.clock.seconds(span.from);
        let outcome = match &mut self.past {
            None => {
                self.wirings[unit].gather(self.newest, supply, &mut unit_port.inputs.values);
                unit_port.hold(state, t_s, span.length_s, true)?
            }
            Some(past) => {
                past.follow(unit, self.newest, span.length_s, &mut unit_port.inputs.segments);
                unit_port.follow(state, t_s, span.length_s, true)?
            }
        };
        self.ended(unit, outcome, (accounts, t_s), span)
    }

    /// Begins a step that [`Move::End`] ends.
    #[inline(always)]
    fn begin(&mut self, unit: usize, supply: &mut Supply<'_>, from: Tick, length_s: f64) -> Result<(), UnitError> {
        let unit_port = &mut self.unit_ports[unit];
        match &mut self.past {
            None => {
                self.wirings[unit].gather(self.newest, supply, &mut unit_port.inputs.values);
                unit_port.set_constants(&mut self.states[unit])?;
            }
            Some(past) => {
                past.follow(unit, self.newest, length_s, &mut unit_port.inputs.segments);
                unit_port.set_segments(&mut self.states[unit], length_s)?;
            }
        }
        unit_port.unit.begin_step(supply.clock.seconds(from), length_s, true)
    }

    /// What was fed in a step from `t_s` in s goes to the accounts; whether the step was not finished.
    #[inline(always)]
    fn ended(
        &mut self,
        unit: usize,
        outcome: Outcome,
        (accounts, t_s): (&mut Accounts<'_>, f64),
        span: &Span,
    ) -> Result<Option<Unfinished>, UnitError> {
        let outcome = match outcome {
            Outcome::Done => outcome,
            _ => self.unit_ports[unit].go_on(&mut self.states[unit], (t_s, span.length_s), outcome, true)?,
        };
        if let Some((bonds, accounts)) = accounts {
            bonds.depart(accounts, &self.unit_ports[unit], unit, span);
        }
        if outcome != Outcome::Done {
            return Ok(Some((unit, outcome, span.from)));
        }
        self.states[unit].inputs.shown = false;
        Ok(None)
    }

    /// At the window's start: the accounts of the unit's last step are closed with its true inputs.
    #[inline(always)]
    fn close_account(&mut self, unit: usize, supply: &Supply<'_>, accounts: &mut Accounts<'_>, span: &Span) {
        let Some((bonds, accounts)) = accounts else { return };
        let truth = &mut self.unit_ports[unit].inputs.values;
        self.wirings[unit].gather(self.newest, supply, truth);
        bonds.meet(accounts, (unit, span), truth, |port| self.newest[self.flows[port]]);
    }
}
