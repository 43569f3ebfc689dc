//! A run with the clock.
//!
//! Every communication point has its moment, counted from the first one, so that delays do not add up. Who is late goes on at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use macrostep_import::isolation::interrupt;
use serde::Serialize;

use crate::timed::Times;

/// Longest sleep between two looks at whether the run was interrupted.
const NAP: Duration = Duration::from_millis(50);

/// Before the moment the processor waits awake, because sleep ends late.
const AWAKE: Duration = Duration::from_micros(200);

/// How a run has kept to the clock.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RealTime {
    /// Simulated seconds in a second.
    pub factor: f64,
    /// Communication points that were reached later than they were due.
    pub overruns: u64,
    /// The longest delay \[s\].
    pub late_max_s: f64,
    /// Simulated time of it \[s\].
    pub late_max_at_s: Option<f64>,
    /// The unit that took longest in that macro step.
    pub unit: Option<String>,
    /// How long it took \[s\].
    pub unit_s: Option<f64>,
}

impl RealTime {
    /// In a line: "real time × 2: 3 of 100 communication points were late, by 3.2 ms at most at t = 4.17 s: `pump` took 2.9 ms".
    pub fn line(&self, windows: u64) -> String {
        let head = format!("real time × {}: ", self.factor);
        let (Some(at_s), Some(unit), Some(unit_s)) = (self.late_max_at_s, &self.unit, self.unit_s) else {
            return format!("{head}no communication point was late");
        };
        format!(
            "{head}{} of {windows} communication points late, by {:.3} ms at most at t = {} s, where `{unit}` took {:.3} ms",
            self.overruns,
            1e3 * self.late_max_s,
            macrostep_description::shown::time(at_s),
            1e3 * unit_s
        )
    }
}

/// The clock of a run.
#[derive(Debug)]
pub struct Clock {
    /// What it has seen.
    pub seen: RealTime,
    units: Vec<(String, Arc<AtomicU64>)>,
    /// Time in steps of each unit until the last communication point \[ns\].
    spent_ns: Vec<u64>,
    /// The first moment, and the simulated time then \[s\].
    start: Option<(Instant, f64)>,
}

impl Clock {
    /// A clock on which so many simulated seconds are one.
    pub fn new(factor: f64, times: &Times) -> Clock {
        let units = times.counters();
        let spent_ns = vec![0; units.len()];
        Clock { seen: RealTime { factor, ..RealTime::default() }, units, spent_ns, start: None }
    }

    /// The run begins now, at this simulated time \[s\].
    pub fn begin(&mut self, t_s: f64) {
        self.start = Some((Instant::now(), t_s));
        self.spend();
    }

    /// A communication point was reached: waits until it is due, or notes that it is late.
    pub fn wait_until(&mut self, t_s: f64) {
        let Some((began, start_s)) = self.start else { return };
        let now = Instant::now();
        let due_s = (t_s - start_s) / self.seen.factor;
        let late_s = now.duration_since(began).as_secs_f64() - due_s;
        let slowest = self.spend();
        if late_s > 0.0 {
            self.seen.overruns += 1;
            if late_s > self.seen.late_max_s {
                (self.seen.late_max_s, self.seen.late_max_at_s) = (late_s, Some(t_s));
                self.seen.unit = slowest.map(|(i, _)| self.units[i].0.clone());
                self.seen.unit_s = slowest.map(|(_, ns)| ns as f64 * 1e-9);
            }
            return;
        }
        // A moment beyond what a clock can say never comes.
        let due = Duration::try_from_secs_f64(due_s).ok().and_then(|after| began.checked_add(after));
        while !interrupt::asked() {
            let left = due.map_or(NAP + AWAKE, |due| due.saturating_duration_since(Instant::now()));
            match left.checked_sub(AWAKE) {
                Some(sleep) if !sleep.is_zero() => std::thread::sleep(sleep.min(NAP)),
                _ if left.is_zero() => return,
                _ => std::hint::spin_loop(),
            }
        }
    }

    /// Counts the time in steps since the last point; the unit that took longest, and how long \[ns\].
    fn spend(&mut self) -> Option<(usize, u64)> {
        let took = self.units.iter().zip(&mut self.spent_ns).map(|((_, spent), before)| {
            let now = spent.load(Ordering::Relaxed);
            let took = now.saturating_sub(*before);
            *before = now;
            took
        });
        took.enumerate().max_by_key(|(_, ns)| *ns)
    }
}
