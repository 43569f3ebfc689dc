//! The verdict on the run inside, told to the master outside as a warning.

use macrostep_description::shown;
use macrostep_master::{Grade, Simulation};
use macrostep_slave::Topic;

use crate::messages::Messages;

/// Windows before the first verdict.
const FIRST: u64 = 32;

/// What was told of a run. A rollback does not take it back: who has heard a warning need not hear it again.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// The worst verdict that was told.
    told: Grade,
    /// The number of windows from which on the next verdict is looked at.
    next: u64,
}

impl Judged {
    /// Tells a verdict that is worse than the last one. It is looked at each time a quarter more windows are over.
    pub fn tell(&mut self, simulation: &Simulation, messages: &Messages) {
        let windows = simulation.statistics().windows;
        if windows < self.next.max(FIRST) {
            return;
        }
        self.next = windows + windows / 4;
        let verdict = simulation.verdict();
        if verdict.grade > self.told {
            self.told = verdict.grade;
            let t_s = shown::time(simulation.time_s());
            messages.say(Topic::Warning, format!("at t = {t_s} s the run inside is {verdict}"));
        }
    }
}
