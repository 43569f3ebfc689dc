//! Steps that are tried from one state: many of them in one message.
//!
//! ```text
//! master:  [back, set inputs, set derivatives, step, get outputs, back, …] ─► turn = slave
//! slave:                             turn = master ◄─ [outcome, values, outcome, values, …]
//! ```

use macrostep_master::unit::{Trials, UnitError};

use super::call::Call;
use super::server::HEAD;
use super::unit::{IsolatedUnit, MESSAGE_MAX};
use super::wire::{Put, Take};

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
    /// As [`Unit::trials`](macrostep_master::unit::Unit::trials).
    pub(super) fn try_together(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        // Going back by fork leaves a process that does not know what the message gave before.
        if self.by_fork.is_some() {
            return of.one_by_one(self, values);
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
