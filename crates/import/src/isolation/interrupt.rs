//! Interrupts (Ctrl-C, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1) that end a run at its next communication point, with everything written.

use std::sync::atomic::Ordering;

use super::system;

/// From now on the first interrupt is only noted, and [`asked`] is to be asked from time to time; a second one ends the
/// program.
pub fn note() {
    if !system::is_watched() {
        system::note_interrupts(true);
    }
    system::board().listens.store(1, Ordering::Relaxed);
}

/// Whether there was one.
#[inline]
pub fn asked() -> bool {
    let board = system::board();
    if board.interrupted.load(Ordering::Relaxed) == 0 {
        return false;
    }
    board.heard.store(1, Ordering::Relaxed);
    true
}
