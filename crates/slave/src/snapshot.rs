//! A saved state.

use crate::{Fault, Memory};

/// Everything of a slave that changes, saved. Made empty, filled by [`crate::Slave::save`], and reused without
/// allocation by the next save of the same model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// Identity of the model; zero while empty.
    pub(crate) identity: u64,
    pub(crate) memory: Memory,
}

impl Snapshot {
    /// An empty snapshot.
    pub fn new() -> Snapshot {
        Snapshot::default()
    }

    /// Whether the snapshot is empty.
    pub fn is_empty(&self) -> bool {
        self.identity == 0
    }

    /// Time at which it was saved (s).
    pub fn time_s(&self) -> f64 {
        self.memory.time_s
    }

    /// # Errors
    /// [`Fault::Snapshot`] if it is empty or another model's.
    pub(crate) fn check(&self, identity: u64) -> Result<(), Fault> {
        match self.identity {
            found if found == identity => Ok(()),
            0 => Err(Fault::Snapshot("nothing was saved in it".into())),
            _ => Err(Fault::Snapshot("it is one of another model".into())),
        }
    }
}
