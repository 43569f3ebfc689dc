//! *Changes* of a run in the order of time.

use crate::step::unit_port::UnitPort;
use crate::system::change::Change;
use crate::unit::{Start, UnitError};

/// All of a run, in the order of time. How many of them are past is part of the state.
#[derive(Default)]
pub(crate) struct Changes(Vec<Change>);

impl Changes {
    /// Those of one time stay in their order.
    pub fn new(mut list: Vec<Change>) -> Self {
        list.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        Changes(list)
    }

    /// Whether there are any to come after those that are past.
    #[inline]
    pub fn are_pending(&self, past: usize) -> bool {
        past < self.0.len()
    }

    /// How many windows of `window_s` seconds from `now_s` on begin before the next value is due, less one: times are rounded.
    pub fn windows_before(&self, past: usize, now_s: f64, window_s: f64) -> u64 {
        self.0.get(past).map_or(u64::MAX, |next| ((next.at_s - now_s) / window_s - 1.0).max(0.0) as u64)
    }

    /// Those of unit `u` up to the start, as start values after the others.
    pub fn of_start(&self, u: usize, start_s: f64) -> impl Iterator<Item = &Start> {
        self.0.iter().filter(move |c| c.unit == u && c.at_s <= start_s).map(|c| &c.value)
    }

    /// Sets the values that are due at `now_s`, the start of a window of `window_s` seconds, and counts them as past.
    #[inline]
    pub fn set(
        &self,
        past: &mut usize,
        (start_s, now_s, window_s): (f64, f64, f64),
        unit_ports: &mut [UnitPort],
    ) -> Result<(), UnitError> {
        let near_s = 1e-6 * window_s;
        while let Some(change) = self.0.get(*past).filter(|c| c.at_s <= now_s + near_s) {
            *past += 1;
            // Those of the start were set with the start values.
            if change.at_s > start_s {
                change.value.set(unit_ports[change.unit].unit.as_mut())?;
            }
        }
        Ok(())
    }
}
