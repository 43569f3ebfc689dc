//! Interrupts (Ctrl-C, SIGTERM) that end a run at its next communication point, with everything written.

use std::sync::atomic::Ordering;

use crate::system;

/// From now on the first interrupt is only noted; a second one ends the program.
pub fn note() {
    system::note_interrupts();
}

/// Whether there was one.
pub fn asked() -> bool {
    system::INTERRUPTED.load(Ordering::Relaxed)
}
