//! Events in a run: a window with an event is repeated with shorter ones until one ends at the crossing, to a tick; then
//! values are set, and the run goes on with new histories. Where a unit cannot go back, windows before a crossing that is
//! expected are shortened.
//!
//! Ticks are a 2⁻³⁰th of the longest window for that, or as fine as the run's length leaves room for. The windows after an event
//! begin short and double where the predictor looks back on more than two rows: the first ones know one or two, and
//! with errors O(h²) and O(h³) they would set the order of the whole run.

use super::Simulation;
use super::crossings::Crossings;
use crate::error::RunError;
use crate::step::control::Controller;
use crate::step::events::Happened;
use crate::step::iteration::Corrected;
use crate::step::state::State;
use crate::step::supply::Coupled;
use crate::system::event::Assigned;
use crate::system::refresh::Refresh;
use crate::time::Tick;
use crate::unit::Start;
use macrostep_description::Value;

/// Ticks in the longest window.
const PARTS: Tick = 1 << 30;

/// Ticks that a run may have: they stay exact in histories, which count them in doubles.
const TICKS_MAX: f64 = 4.5e15;

/// Windows of a run whose end is open.
const WINDOWS_OPEN: f64 = 1e6;

/// How often a window is repeated up to where a function may have crossed zero and come back, at most.
const LOOKS_MAX: u32 = 8;

/// The part of a window, as a power of 2, in which units take what they were given, where they cannot be read right after.
const SETTLING: u32 = 20;

/// Windows up to events, and from there.
impl Simulation {
    /// Makes ticks as fine as events want them.
    pub(super) fn refine(&mut self) {
        if self.crossings.is_empty() || self.crossings.parts > 1 {
            return;
        }
        let (clock, length) = (self.window.sources.clock, self.window.length(&self.state));
        let window_s = clock.length_s(length);
        let windows = self.grid.stop_s.map_or(WINDOWS_OPEN, |stop_s| ((stop_s - self.grid.start_s) / window_s).ceil());
        // Where steps are chosen, the longest has many shortest ones already.
        let room = TICKS_MAX / (windows.max(1.0) * length as f64);
        let finest = self.control.as_ref().map_or(PARTS, |_| PARTS * length / self.window.plan.window / clock.per_unit);
        while 2 * self.crossings.parts <= finest.max(1) && 2.0 * self.crossings.parts as f64 <= room {
            self.crossings.parts *= 2;
        }
        let parts = self.crossings.parts;
        self.window.sources.clock.per_unit *= parts;
        self.state.pace.stretch *= parts;
        if let Some(rest) = &mut self.rest {
            (rest.from, rest.parts, rest.of) = (rest.from * parts, rest.parts * parts, rest.of * parts);
        }
        if let Some(control) = &mut self.control {
            control.refine(parts);
            self.state.control = Some(control.state());
        }
    }

    /// Takes [`Simulation::refine`] back.
    pub(super) fn coarsen(&mut self) {
        let parts = std::mem::replace(&mut self.crossings.parts, 1);
        self.window.sources.clock.per_unit /= parts;
        self.state.pace.stretch /= parts;
    }

    /// Events that have happened, the first thousand of them by name, and how many there were.
    pub fn events(&self) -> (impl Iterator<Item = (&str, f64)>, u64) {
        let named = |h: &Happened| (self.crossings.events[h.event].name.as_str(), h.t_s);
        (self.state.events.named.iter().map(named), self.state.events.count)
    }

    /// Whether the system has events of a condition.
    pub fn has_events(&self) -> bool {
        !self.crossings.is_empty()
    }

    /// By how much an event may have been missed \[s\], at most; `None` where a crossing is met to a tick.
    pub fn events_late_s(&self) -> Option<f64> {
        (!self.crossings.goes_back && self.state.events.count > 0).then_some(self.state.events.late_s)
    }

    /// Where g is at the start of the run.
    pub(super) fn look_first(&mut self) -> Result<(), RunError> {
        if self.state.now == 0 && !self.crossings.is_empty() {
            let State { events, signals, now, .. } = &mut self.state;
            events.begin(&self.crossings.events, &signals.histories, *now);
        }
        Ok(())
    }

    /// To the end of the window under way, with the events in it.
    pub(super) fn windows_with_events(&mut self) -> Result<Option<Corrected>, RunError> {
        self.look_first()?;
        let whole = self.state.pace.stretch;
        let end = self.state.now + self.window.length(&self.state);
        loop {
            // A window of the length that is left, or a shorter one.
            let began = self.state.now;
            let left = (end - began) / self.window.plan.window;
            let length = self.crossings.fit(left, (&mut self.window, &mut self.state));
            let corrected = self.run_part(length)?;
            let corrected = self.meet_events(corrected, (began, length))?;
            if self.state.now == end {
                self.pace(whole);
                return Ok(corrected);
            }
            self.tally(corrected, began);
            self.check_size()?;
        }
    }

    /// Steps of another length: what was learnt of others is forgotten.
    pub(super) fn pace(&mut self, length: Tick) {
        if length != self.state.pace.stretch {
            self.state.learnt = Default::default();
        }
        self.state.pace.stretch = length;
    }

    /// A window of `length` shortest ones, which can be taken back where units can.
    fn run_part(&mut self, length: Tick) -> Result<Option<Corrected>, RunError> {
        self.pace(length);
        if self.crossings.goes_back {
            self.window.begin(&self.state)?;
        }
        self.run_window()
    }

    /// After a window of `length` shortest ones from `from` on: where an event lies in it, the window is repeated up to that.
    pub(super) fn meet_events(
        &mut self,
        corrected: Option<Corrected>,
        (from, length): (Tick, Tick),
    ) -> Result<Option<Corrected>, RunError> {
        // Units have taken what they were given.
        if std::mem::take(&mut self.state.events.settles) {
            self.start_anew()?;
            return Ok(corrected);
        }
        // The next window may be longer.
        let growth = &mut self.state.events.growth;
        *growth = if *growth > length { *growth } else { 2 * *growth };
        if *growth >= self.longest() {
            self.state.events.growth = 0;
        }
        let corrected = match self.crossings.goes_back {
            true => self.meet(corrected, (from, length))?,
            false => {
                if self.crossings.look(&self.state) {
                    self.state.events.late_s = self.state.events.late_s.max(self.late_s(from));
                }
                corrected
            }
        };
        // No crossing, or one that is met.
        if !self.crossings.is_any() {
            let State { events, signals, now, .. } = &mut self.state;
            events.pass(&self.crossings.events, &signals.histories, *now);
            return Ok(corrected);
        }
        self.happen()?;
        Ok(corrected)
    }

    /// Where the window has a crossing, or an excursion beyond zero and back, it is repeated up to the first of them.
    fn meet(
        &mut self,
        mut corrected: Option<Corrected>,
        (from, mut length): (Tick, Tick),
    ) -> Result<Option<Corrected>, RunError> {
        let (mut looks, mut is_met) = (0, false);
        loop {
            let is_crossed = self.crossings.look(&self.state);
            let excursion = self.crossings.excursion(&self.state, self.window.sources.clock, from);
            let dip = excursion.map(|at| ((at - from as f64) / self.window.plan.window as f64).round() as Tick);
            match dip.filter(|_| length > 1 && looks < LOOKS_MAX) {
                Some(dip) => {
                    (looks, length, is_met) = (looks + 1, dip.clamp(1, length - 1), false);
                    corrected = self.again(corrected, (from, length))?;
                }
                None if is_crossed && !is_met => {
                    (corrected, length) = self.locate(corrected, (from, length))?;
                    is_met = true;
                }
                None => return Ok(corrected),
            }
        }
    }

    /// The longest window, in shortest ones.
    fn longest(&self) -> Tick {
        let whole = self.rest.as_ref().map_or(self.crossings.parts, |rest| rest.of);
        self.control.as_ref().map_or(whole, Controller::longest)
    }

    /// How long ago the crossing was, by a straight line over the window from `from` on.
    fn late_s(&self, from: Tick) -> f64 {
        let window_s = self.window.sources.clock.length_s(self.state.now - from);
        let histories = &self.state.signals.histories;
        let crossed = self.crossings.events.iter().enumerate().filter(|(i, _)| self.crossings.crossed[*i]);
        let late = crossed.map(|(i, event)| {
            let (before, now) = (event.value(histories, from), self.crossings.end[i]);
            if before * now < 0.0 { window_s * now / (now - before) } else { window_s }
        });
        late.fold(0.0, f64::max)
    }

    /// Repeats the window with shorter ones until its end is the first tick behind the crossing; how long it is then.
    fn locate(
        &mut self,
        mut corrected: Option<Corrected>,
        (from, length): (Tick, Tick),
    ) -> Result<(Option<Corrected>, Tick), RunError> {
        // What g was at the start.
        self.state.now = from;
        self.window.rewind(&mut self.state)?;
        let (mut last, mut bracket) = (length, std::mem::take(&mut self.crossings.bracket));
        let Crossings { events, start, end, .. } = &mut self.crossings;
        for (g, event) in start.iter_mut().zip(events.iter()) {
            *g = event.value(&self.state.signals.histories, from);
        }
        bracket.begin(length, start.iter().copied(), end);
        let mut crossed = self.crossings.crossed.clone();
        // The bracket, to one tick.
        while bracket.high - bracket.low > 1 {
            last = bracket.next(|i| crossed[i]);
            corrected = self.again(corrected, (from, last))?;
            let is_crossed = self.crossings.look(&self.state);
            bracket.narrow(last, &self.crossings.end, is_crossed);
            if is_crossed {
                crossed.clone_from(&self.crossings.crossed);
            }
        }
        // The end that is crossed, if it was not the last.
        if last != bracket.high || bracket.high == length {
            corrected = self.again(corrected, (from, bracket.high))?;
            self.crossings.look(&self.state);
        }
        let met = bracket.high;
        self.crossings.bracket = bracket;
        Ok((corrected, met))
    }

    /// The window from `from` on once more, with another length.
    fn again(
        &mut self,
        corrected: Option<Corrected>,
        (from, length): (Tick, Tick),
    ) -> Result<Option<Corrected>, RunError> {
        self.state.statistics.runs += corrected.map_or(1, |c| c.convergence.runs as u64);
        self.state.now = from;
        self.window.rewind(&mut self.state)?;
        self.run_part(length)
    }

    /// Sets the values of the events that are crossed now, and begins anew.
    fn happen(&mut self) -> Result<(), RunError> {
        self.note()?;
        self.tell()?;
        // All values, before the first is set.
        let Crossings { events, crossed, .. } = &self.crossings;
        let histories = &self.state.signals.histories;
        let now = self.state.now;
        let set = events.iter().zip(crossed).filter(|(_, crossed)| **crossed).flat_map(|(event, _)| &event.set);
        let values: Vec<(usize, Start)> = set.map(|(unit, what)| (unit.index(), what.at(histories, now))).collect();
        let mut is_read = true;
        for (unit, value) in &values {
            let unit_port = &mut self.window.unit_ports[*unit];
            value.set(unit_port.unit.as_mut())?;
            is_read &= unit_port.outputs.refresh == Refresh::GetAfterSet;
        }
        self.window.begin_anew(&mut self.state);
        if is_read {
            return self.start_anew();
        }
        // Units that may not be read before they step are let take the values first.
        self.state.events.settles = true;
        self.state.events.growth = (self.longest() >> SETTLING).max(1);
        Ok(())
    }

    /// After values were set: what is known on this side, and how the next windows begin.
    fn start_anew(&mut self) -> Result<(), RunError> {
        self.window.begin_anew(&mut self.state);
        let now = self.state.now;
        let Coupled { unit_ports, states, mut supply } = self.window.parts(&mut self.state);
        for (unit_port, state) in unit_ports.iter_mut().zip(states) {
            if unit_port.outputs.refresh == Refresh::GetAfterSet {
                unit_port.sample(state, &mut supply, now)?;
            }
        }
        self.window.refresh(&mut self.state)?;
        self.window.sample_links(&mut self.state)?;
        // Waveforms need no history, and control sees for itself.
        let looks_back = self.control.is_none() && self.window.unit_ports.iter().all(|s| s.dense.is_none());
        let halvings = if looks_back { 5 * self.depth.saturating_sub(2).min(4) as u32 } else { 0 };
        let growth = if halvings > 0 { (self.longest() >> halvings).max(1) } else { 0 };
        let State { events, signals, now, .. } = &mut self.state;
        events.begin(&self.crossings.events, &signals.histories, *now);
        events.growth = growth;
        self.tell()
    }

    /// Notes the events that are crossed now.
    fn note(&mut self) -> Result<(), RunError> {
        let (clock, now, t_s) = (self.window.sources.clock, self.state.now, self.time_s());
        for (i, event) in self.crossings.events.iter().enumerate() {
            let span = (event.span_s / clock.unit_s * clock.per_unit as f64).round() as Tick;
            if !self.crossings.crossed[i] {
                continue;
            }
            self.state.events.met[i] = self.crossings.end[i].abs();
            if !self.state.events.note((i, event), (now, t_s), span) {
                let (most, span_s) = (event.most, event.span_s);
                return Err(RunError::Zeno { event: event.name.clone(), t_s, found: most + 1, most, span_s });
            }
        }
        Ok(())
    }

    /// Keeps the recorded variables as they are now.
    fn tell(&mut self) -> Result<(), RunError> {
        let now = self.state.now;
        let mut coupled = self.window.parts(&mut self.state);
        self.recorder.read(&mut coupled, now, None)?;
        self.recorder.tell(coupled.supply.clock.seconds(now), &mut self.crossings.rows);
        Ok(())
    }
}

impl Assigned {
    /// What is set at `at`.
    fn at(&self, histories: &[crate::signal::history::History], at: Tick) -> Start {
        match self {
            Assigned::Value(start) => start.clone(),
            Assigned::Output { from, factor, offset, to } => {
                let history = &histories[from.channel];
                let value = history.value(history.not_after(at), from.component);
                Start { value: Value::Real(factor * value + offset), ..to.clone() }
            }
        }
    }
}
