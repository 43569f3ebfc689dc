//! A run with step control in windows that are parts of those which another run has chosen, for a second look.

use super::Simulation;
use crate::error::RunError;
use crate::time::Tick;

/// A window that step control has chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chosen {
    /// When it began and ended \[s\].
    span_s: [f64; 2],
    /// The place of its predictor in the family.
    degree: usize,
    /// Whether histories began anew after it because a signal jumped in it.
    is_jump: bool,
    /// Whether an event ended it: two runs are at different sides of an event there.
    pub has_event: bool,
}

impl Simulation {
    /// Whether step control chooses the windows of this run, which has its second look by them. Not in a browser, where such runs have none.
    pub(crate) fn is_chosen(&self) -> bool {
        !cfg!(target_family = "wasm") && self.control.is_some()
    }

    /// One window, as step control chooses it.
    pub(crate) fn choose(&mut self) -> Result<Chosen, RunError> {
        let (began_s, degree) = (self.time_s(), self.state.pace.degree);
        let (jumps, events) = (self.jumps, self.state.events.count);
        self.step()?;
        Ok(Chosen {
            span_s: [began_s, self.time_s()],
            degree,
            is_jump: self.jumps > jumps,
            has_event: self.state.events.count > events,
        })
    }

    /// The window that another run has chosen, in so many parts. Says whether an event was in it.
    pub(crate) fn follow_chosen(&mut self, chosen: &Chosen, parts: u32) -> Result<bool, RunError> {
        let events = self.state.events.count;
        if let Some(control) = &mut self.control {
            control.is_led = true;
        }
        self.state.pace.degree = chosen.degree;
        let [from_s, to_s] = chosen.span_s;
        for part in 1..=parts {
            let end = self.whole_tick(from_s + (to_s - from_s) * f64::from(part) / f64::from(parts));
            self.until = Some(end);
            while self.state.now < end {
                self.step()?;
            }
        }
        if chosen.is_jump {
            self.window.begin_anew(&mut self.state);
        }
        Ok(self.state.events.count > events)
    }

    /// The end of a shortest window nearest to a time.
    fn whole_tick(&self, t_s: f64) -> Tick {
        let shortest = self.window.plan.window;
        (self.tick(t_s) as f64 / shortest as f64).round() as Tick * shortest
    }

    /// How many times as long as what was run until now the whole run is; `None` without a stop time.
    pub(crate) fn times_longer(&self) -> Option<f64> {
        let start_s = self.grid.start_s;
        self.grid.stop_s.map(|stop_s| (stop_s - start_s) / (self.time_s() - start_s))
    }
}
