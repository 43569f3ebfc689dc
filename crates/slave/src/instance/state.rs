//! Saving and restoring.

use super::Instance;
use crate::access::CHANGED;
use crate::phase::{GET_STATE, SET_STATE};
use crate::{Fault, Model, Phase, Snapshot, bytes};

impl<M: Model> Instance<M> {
    pub(super) fn save_to(&mut self, into: &mut Snapshot) -> Result<(), Fault> {
        GET_STATE.check(self.memory.phase)?;
        self.model.keep_state(&mut self.memory)?;
        into.identity = self.access.identity;
        into.memory.copy_from(&self.memory, self.access.stored);
        Ok(())
    }

    pub(super) fn restore_from(&mut self, from: &Snapshot) -> Result<(), Fault> {
        SET_STATE.check(self.memory.phase)?;
        from.check(self.access.identity)?;
        // A state between steps is none between evaluations, and the other way.
        let other = if self.exchange.is_some() { Phase::is_stepped } else { Phase::is_exchange };
        if other(from.memory.phase) {
            return Err(Fault::OtherFace { call: SET_STATE.name });
        }
        self.memory.copy_from(&from.memory, self.access.stored);
        self.stale = CHANGED;
        let recalled = self.model.recall_state(&mut self.memory);
        self.survive(recalled)
    }

    pub(super) fn size_of(&self, snapshot: &Snapshot) -> Result<usize, Fault> {
        snapshot.check(self.access.identity)?;
        // The list of fields is written once, for reading as well; counting changes nothing.
        bytes::size(&mut snapshot.memory.clone(), self.access.stored)
    }

    pub(super) fn write_bytes(&self, snapshot: &Snapshot, list: &mut [u8]) -> Result<(), Fault> {
        snapshot.check(self.access.identity)?;
        bytes::write(&mut snapshot.memory.clone(), self.access.stored, self.access.identity, list)
    }

    pub(super) fn read_bytes(&self, list: &[u8], into: &mut Snapshot) -> Result<(), Fault> {
        let mut memory = self.access.fresh.clone();
        memory.reals.truncate(self.access.stored);
        bytes::read(&mut memory, self.access.stored, self.access.identity, list)?;
        *into = Snapshot { identity: self.access.identity, memory };
        Ok(())
    }
}
