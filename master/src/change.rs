//! *Changes*: values that units are given at communication points, as parts of a system.

use crate::station::Station;
use crate::unit::{Start, UnitError};

/// A value set at a time.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub unit: usize,
    pub at_s: f64,
    pub value: Start,
}

/// All of a run, in the order of time, and how many of them are past.
#[derive(Default)]
pub(crate) struct Changes {
    list: Vec<Change>,
    past: usize,
}

impl Changes {
    /// Those of one time stay in their order.
    pub fn new(mut list: Vec<Change>) -> Self {
        list.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        Changes { list, past: 0 }
    }

    /// Whether there are any to come.
    pub fn are_pending(&self) -> bool {
        self.past < self.list.len()
    }

    /// Begins anew.
    pub fn forget(&mut self) {
        self.past = 0;
    }

    /// Those of unit `u` up to the start, as start values after the others.
    pub fn of_start(&self, u: usize, start_s: f64) -> impl Iterator<Item = &Start> {
        self.list.iter().filter(move |c| c.unit == u && c.at_s <= start_s).map(|c| &c.value)
    }

    /// Sets what is due at `now_s`, the start of a window of `window_s` seconds. What was due before is past: a run that is
    /// resumed has it in the states of its units.
    #[inline]
    pub fn set(
        &mut self,
        (start_s, now_s, window_s): (f64, f64, f64),
        stations: &mut [Station],
    ) -> Result<(), UnitError> {
        let near_s = 1e-6 * window_s;
        while let Some(change) = self.list.get(self.past).filter(|c| c.at_s <= now_s + near_s) {
            self.past += 1;
            if change.at_s > start_s && change.at_s >= now_s - near_s {
                change.value.set(stations[change.unit].unit.as_mut())?;
            }
        }
        Ok(())
    }
}
