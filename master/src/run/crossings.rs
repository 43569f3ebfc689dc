//! The events of a run, whether one is crossed at a point, and the longest next window for them.

use crate::record::Observer;
use crate::step::events::Bracket;
use crate::step::state::State;
use crate::step::window::Window;
use crate::system::event::Event;
use crate::time::{Clock, Tick};

/// The part of the time to an expected crossing that is gone at once: one that is passed cannot be taken back.
const APPROACH: f64 = 0.99;

/// The events of a run, and room to look for them.
pub(super) struct Crossings {
    pub events: Vec<Event>,
    /// How many times as fine as made the ticks are.
    pub parts: Tick,
    /// Whether all units can go back.
    pub goes_back: bool,
    /// g at the start and at the end of a window, and those that are crossed there.
    pub start: Vec<f64>,
    pub end: Vec<f64>,
    pub crossed: Vec<bool>,
    pub bracket: Bracket,
    /// Rows before and after events of the step under way.
    pub rows: Rows,
}

/// Rows with their texts.
#[derive(Default)]
pub(super) struct Rows(Vec<(f64, Vec<f64>, Vec<(usize, String)>)>);

impl Rows {
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Observer for Rows {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        let texts = self.0.pop_if(|(t_s, ..)| t_s.is_nan()).map(|(.., texts)| texts).unwrap_or_default();
        self.0.push((t_s, values.to_vec(), texts));
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        self.0.push((f64::NAN, Vec::new(), texts.to_vec()));
    }
}

impl Crossings {
    pub fn new(events: Vec<Event>, window: &Window) -> Self {
        let saves = |d: &macrostep_description::ModelDescription| {
            d.co_simulation.as_ref().is_some_and(|c| c.can_get_and_set_fmu_state)
        };
        let goes_back = window.unit_ports.iter().all(|s| saves(s.unit.description()));
        let n = events.len();
        Crossings {
            events,
            parts: 1,
            goes_back,
            start: vec![0.0; n],
            end: vec![0.0; n],
            crossed: vec![false; n],
            bracket: Bracket::default(),
            rows: Rows::default(),
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether windows are taken back for events.
    pub fn goes_back(&self) -> bool {
        self.goes_back && !self.is_empty()
    }

    /// Hands out the rows about the events of the last step.
    pub fn hand_out(&mut self, observer: &mut dyn Observer) {
        self.rows.0.drain(..).for_each(|(t_s, values, texts)| observer.event(t_s, &values, &texts));
    }

    /// A length for the next window, of at most `length` shortest ones: short after an event, and up to an expected crossing
    /// where that cannot be taken back.
    pub fn fit(&self, length: Tick, (window, state): (&mut Window, &mut State)) -> Tick {
        if self.is_empty() {
            return length;
        }
        let length = if state.events.growth > 0 { length.min(state.events.growth) } else { length };
        if self.goes_back || state.events.settles {
            return length;
        }
        let supply = window.sources.with(&mut state.signals.histories, state.pace);
        let shortest_s = supply.clock.length_s(window.plan.window);
        match state.events.foreseen(&self.events, &supply, state.now) {
            Some(left_s) if left_s <= length as f64 * shortest_s => {
                let left = left_s / shortest_s;
                let part = if left > 100.0 { APPROACH } else { 1.0 };
                ((left * part).ceil() as Tick).clamp(1, length)
            }
            _ => length,
        }
    }

    /// Takes g at the present point, and says whether an event is crossed there.
    pub fn look(&mut self, state: &State) -> bool {
        let Crossings { events, end, crossed, .. } = self;
        for (i, event) in events.iter().enumerate() {
            end[i] = event.value(&state.signals.histories, state.now);
            crossed[i] = state.events.is_crossed((i, event), &state.signals.histories, state.now, end[i]);
        }
        self.is_any()
    }

    /// Whether an event was crossed where it was looked last.
    pub fn is_any(&self) -> bool {
        self.crossed.contains(&true)
    }

    /// The first instant of the window from `from` on, in ticks, at which an event that is not crossed at its end has or may
    /// have been crossed.
    pub fn excursion(&self, state: &State, clock: Clock, from: Tick) -> Option<f64> {
        let pending = self.events.iter().zip(&state.events.sides).zip(&self.end);
        let instants = pending
            .filter(|((_, side), end)| f64::from(**side) * **end > 0.0)
            .filter_map(|((event, side), _)| event.excursion(*side, &state.signals.histories, clock, from as f64));
        instants.reduce(f64::min)
    }
}
