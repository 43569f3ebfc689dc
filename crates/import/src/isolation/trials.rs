//! Steps that are tried from one state: many of them in one message.
//!
//! ```text
//! master:  [back, set inputs, set derivatives, step, get outputs, back, …] ─► turn = slave
//! slave:                             turn = master ◄─ [outcome, values, outcome, values, …]
//! ```
//!
//! Those of an FMU for model exchange are one call, so that its process makes them by the variational equations.

use macrostep_master::unit::{Described, Trials, UnitError};

use super::call::Call;
use super::server::{HEAD, Stop};
use super::unit::{IsolatedUnit, MESSAGE_MAX};
use super::wire::{Put, Take};
use crate::fmu::{Face, Instance};

/// What is found at a place of a reply.
enum Found {
    /// The values of a trial.
    Values,
    /// A step that was not finished.
    Discarded,
    /// The failure of a call.
    Failure,
    /// Nothing that makes sense.
    Garbled,
}

impl IsolatedUnit {
    /// As [`Steps::trials`](macrostep_master::unit::Steps::trials).
    pub(super) fn try_together(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        // Going back by fork leaves a process that does not know what the message gave before.
        if self.by_fork.is_some() {
            return of.one_by_one(self, values);
        }
        let numbers = (of.inputs.1.len() + of.derivatives.2.len()).max(values.len());
        if self.is_integrated() && 8 * numbers <= MESSAGE_MAX {
            return self.try_at_once(of, values);
        }
        // What is read at nodes has no message of its own.
        if !of.nodes.is_empty() {
            return Ok(false);
        }
        // As many in a message as one may have.
        let mut from = 0;
        while from < of.count {
            let mut to = from;
            let mut longest = 0;
            while to < of.count && self.message.len() + longest <= MESSAGE_MAX {
                let before = self.message.len();
                self.put_trial(of, to)?;
                longest = (self.message.len() - before).max(8 * of.outputs.len());
                to += 1;
            }
            if !self.exchange_trials(of, (from, to), values)? {
                return Ok(false);
            }
            from = to;
        }
        Ok(true)
    }

    /// Whether its process integrates the equations of an FMU, and goes back by what is kept there.
    pub(super) fn is_integrated(&self) -> bool {
        let annotations = &self.description().vendor_annotations;
        self.by_fork.is_none() && annotations.iter().any(|a| a.tool == Face::ModelExchange.word())
    }

    /// All trials in one call.
    fn try_at_once(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        // Numbers, and all lists.
        let message = self.call(Call::Trials)?;
        message.number(of.count as u64);
        message.number(of.slot as u64);
        message.real(of.t_s);
        message.real(of.step_s);
        for refs in [of.inputs.0, of.derivatives.0, of.outputs] {
            message.list(refs, u32::to_le_bytes);
        }
        message.list(of.derivatives.1, i32::to_le_bytes);
        for reals in [of.inputs.1, of.derivatives.2, of.nodes] {
            message.list(reals, f64::to_le_bytes);
        }
        // As many steps, in one go.
        let steps = u32::try_from(of.count * of.nodes.len().max(1)).unwrap_or(u32::MAX);
        (self.t_s, self.end_s) = (of.t_s, of.t_s + of.step_s);
        (self.has_stepped, self.is_clean) = (true, false);
        self.readings.forget();
        self.do_steps += u64::from(steps);
        self.send()?;
        let asked = std::mem::take(&mut self.waiting) + 1;
        if self.answer(asked, (steps, true))? < asked {
            return Err(self.failure(HEAD));
        }
        let mut take = Take::new(&self.reply[HEAD..]);
        match take.byte() {
            Some(0) => Ok(false),
            Some(1) if take.fill(values, f64::from_le_bytes).is_some() => Ok(true),
            _ => Err(self.garbled()),
        }
    }

    /// Puts the calls of trial `i` into the message.
    fn put_trial(&mut self, of: &Trials<'_>, i: usize) -> Result<(), UnitError> {
        let (inputs, derivatives) = of.of(i);
        self.call(Call::Restore)?.number(of.slot as u64);
        if !inputs.is_empty() {
            let message = self.call(Call::SetReal)?;
            message.list(of.inputs.0, u32::to_le_bytes);
            message.list(inputs, f64::to_le_bytes);
        }
        if !derivatives.is_empty() {
            let message = self.call(Call::SetInputDerivatives)?;
            message.list(of.derivatives.0, u32::to_le_bytes);
            message.list(of.derivatives.1, i32::to_le_bytes);
            message.list(derivatives, f64::to_le_bytes);
        }
        let message = self.call(Call::Step)?;
        message.real(of.t_s);
        message.real(of.step_s);
        message.byte(0);
        if !of.outputs.is_empty() {
            self.call(Call::GetReal)?.list(of.outputs, u32::to_le_bytes);
        }
        Ok(())
    }

    /// Sends the message of some trials, and takes what they gave.
    fn exchange_trials(
        &mut self,
        of: &Trials<'_>,
        (from, to): (usize, usize),
        values: &mut [f64],
    ) -> Result<bool, UnitError> {
        let sets = u64::from(!of.inputs.0.is_empty()) + u64::from(!of.derivatives.0.is_empty());
        let calls = [1 + sets, 1, u64::from(!of.outputs.is_empty())];
        (self.t_s, self.end_s) = (of.t_s, of.t_s + of.step_s);
        (self.has_stepped, self.is_clean) = (true, false);
        self.readings.forget();
        self.do_steps += (to - from) as u64;
        self.send()?;
        // What was put off before gives no values.
        let before = std::mem::take(&mut self.waiting);
        let asked = before + calls.iter().sum::<u64>() * (to - from) as u64;
        // Far away, nobody here sees one call after the other.
        let steps = if self.distance.is_some() { u32::try_from(to - from).unwrap_or(u32::MAX) } else { 1 };
        let done = self.answer(asked, (steps, true))?;
        let Some(mut done) = done.checked_sub(before) else { return Err(self.failure(HEAD)) };
        // Trial after trial, up to the first that is not whole.
        let (mut at, n) = (HEAD, of.outputs.len());
        for row in from..to {
            let (next, found) = trial(&self.reply[at..], (done, calls), &mut values[row * n..(row + 1) * n]);
            at += next;
            match found {
                Found::Values => done -= calls.iter().sum::<u64>(),
                Found::Discarded => return Ok(false),
                Found::Failure => return Err(self.failure(at)),
                Found::Garbled => return Err(self.garbled()),
            }
        }
        Ok(true)
    }
}

/// Makes trials that came in one call, in the process of the slave.
pub(super) fn make(slave: &mut dyn Instance, take: &mut Take<'_>, reply: &mut Vec<u8>) -> Result<(), Stop> {
    let mut number = || take.number().and_then(|n| usize::try_from(n).ok()).ok_or(Stop::Garbled);
    let [count, slot] = [number()?, number()?];
    let mut real = || take.real().ok_or(Stop::Garbled);
    let [t_s, step_s] = [real()?, real()?];
    let (mut refs, mut orders, mut reals) = ([const { Vec::new() }; 3], Vec::new(), [const { Vec::new() }; 3]);
    refs.iter_mut().try_for_each(|refs| take.list(refs, u32::from_le_bytes)).ok_or(Stop::Garbled)?;
    take.list(&mut orders, i32::from_le_bytes).ok_or(Stop::Garbled)?;
    reals.iter_mut().try_for_each(|reals| take.list(reals, f64::from_le_bytes)).ok_or(Stop::Garbled)?;
    // As long as they have to be, and no more values than a message may have.
    let ([inputs, derivatives, outputs], [values, rates, nodes]) = (&refs, &reals);
    let rows = nodes.len().max(1).checked_mul(outputs.len()).and_then(|width| width.checked_mul(count));
    let is_whole = |n: usize, all: usize| n.checked_mul(count) == Some(all);
    let Some(n) = rows.filter(|n| *n <= MESSAGE_MAX) else { return Err(Stop::Garbled) };
    if !is_whole(inputs.len(), values.len())
        || !is_whole(derivatives.len(), rates.len())
        || derivatives.len() != orders.len()
    {
        return Err(Stop::Garbled);
    }
    let mut read = vec![0.0; n];
    let (inputs, derivatives) =
        ((inputs.as_slice(), values.as_slice()), (derivatives.as_slice(), orders.as_slice(), rates.as_slice()));
    let is_made = slave.trials(&Trials { count, slot, t_s, step_s, inputs, derivatives, outputs, nodes }, &mut read)?;
    reply.byte(u8::from(is_made));
    reply.list(&read, f64::to_le_bytes);
    Ok(())
}

/// Reads what a trial gave, of which so many calls were made at most: those before its step, the step, and those behind it. How long that
/// is.
fn trial(reply: &[u8], (done, [before, step, behind]): (u64, [u64; 3]), values: &mut [f64]) -> (usize, Found) {
    let mut take = Take::new(reply);
    let found = if done < before + step {
        Found::Failure
    } else {
        match take.byte() {
            Some(0) if done < before + step + behind => Found::Failure,
            Some(0) if behind == 0 || take.fill(values, f64::from_le_bytes).is_some() => Found::Values,
            Some(1..=2) => Found::Discarded,
            _ => Found::Garbled,
        }
    };
    (reply.len() - take.rest().len(), found)
}
