//! Events of a condition, in the result of a run.

use macrostep_master::Simulation;
use serde::Serialize;

use crate::print::counted;

/// Events of a condition that have happened.
#[derive(Debug, Clone, Serialize)]
pub struct Events {
    pub count: u64,
    /// Largest time by which one may have been met late; 0: each is met to a tick.
    pub late_max_s: f64,
    /// The first thousand of them.
    pub first: Vec<EventResult>,
}

#[derive(Debug, Clone, Serialize)]
pub struct EventResult {
    pub t_s: f64,
    pub event: String,
}

impl Events {
    /// Of a simulation that is over; `None` where it has none.
    pub fn of(simulation: &Simulation) -> Option<Events> {
        let (named, count) = simulation.events();
        let first: Vec<_> = named.map(|(event, t_s)| EventResult { t_s, event: event.to_owned() }).collect();
        let late_max_s = simulation.events_late_s().unwrap_or(0.0);
        simulation.has_events().then_some(Events { count, late_max_s, first })
    }

    /// How many, when the last of those known was, and how late.
    pub fn line(&self) -> String {
        let last = self.first.last().filter(|_| self.count == self.first.len() as u64);
        let last = last.map(|e| format!(", the last `{}` at t = {:.9} s", e.event, e.t_s)).unwrap_or_default();
        let late = match self.late_max_s {
            0.0 => String::new(),
            late_s => format!("; up to {late_s:.1e} s late, because a unit cannot go back"),
        };
        format!("\n{}{last}{late}", counted(self.count, "event"))
    }
}
