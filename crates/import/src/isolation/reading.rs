//! The variables that were read after the last step, and are read again after the next one.

use super::call::Call;
use super::wire::{Put, Take};

/// More readings than this between two steps go their own way.
const KEPT_MAX: usize = 16;

/// A call that reads values, and what it gave.
#[derive(Debug)]
struct Reading {
    /// The call as it stands in a message: its number and its lists.
    request: Vec<u8>,
    /// The values as they stood in the reply.
    answer: Vec<u8>,
    /// Whether the values are those of now.
    is_fresh: bool,
}

/// The readings of a unit.
#[derive(Debug, Default)]
pub struct Readings {
    kept: Vec<Reading>,
}

impl Readings {
    /// Discards all values after a change of the state.
    pub fn forget(&mut self) {
        self.kept.iter_mut().for_each(|reading| reading.is_fresh = false);
    }

    /// The values of a call, where they are known.
    #[inline]
    pub fn find(&self, request: &[u8]) -> Option<&[u8]> {
        self.kept.iter().find(|r| r.is_fresh && r.request == request).map(|r| r.answer.as_slice())
    }

    /// Behind a step: asks for all of them.
    #[inline]
    pub fn ask(&self, message: &mut Vec<u8>) {
        self.kept.iter().for_each(|reading| message.extend_from_slice(&reading.request));
    }

    /// The reply to [`Readings::ask`], of which the first `done` were answered; `None` where it makes no sense.
    pub fn learn(&mut self, done: usize, take: &mut Take<'_>) -> Option<()> {
        for reading in self.kept.iter_mut().take(done) {
            let bytes = values(Call::of(*reading.request.first()?)?, take)?;
            reading.answer.clear();
            reading.answer.extend_from_slice(bytes);
            reading.is_fresh = true;
        }
        Some(())
    }

    /// Keeps a call that had to be made by itself; whether there is room for it. A reading that is asked for once in a while, as the
    /// recorder's, costs less behind each step than by itself.
    pub fn keep(&mut self, request: &[u8], answer: &[u8]) -> bool {
        if let Some(known) = self.kept.iter_mut().find(|r| r.request == request) {
            known.answer.clear();
            known.answer.extend_from_slice(answer);
            known.is_fresh = true;
        } else if self.kept.len() < KEPT_MAX {
            self.kept.push(Reading { request: request.to_vec(), answer: answer.to_vec(), is_fresh: true });
        } else {
            return false;
        }
        true
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }
}

/// The part of a reply that holds the values of a call.
pub fn values<'a>(call: Call, take: &mut Take<'a>) -> Option<&'a [u8]> {
    let before = take.rest();
    match call {
        Call::GetReal | Call::GetOutputDerivatives | Call::Directional => take.skip(8)?,
        Call::GetInteger => take.skip(4)?,
        Call::GetBoolean => take.skip(1)?,
        Call::GetString => {
            for _ in 0..take.number()? {
                take.bytes()?;
            }
        }
        _ => return None,
    }
    before.get(..before.len() - take.rest().len())
}

/// A call with a list of references, as it stands in a message.
pub fn request(message: &mut Vec<u8>, call: Call, refs: &[u32]) {
    message.byte(call as u8);
    message.list(refs, u32::to_le_bytes);
}
