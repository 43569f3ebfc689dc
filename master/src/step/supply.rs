//! The sources that the feeds of all units read from: histories, laws and the predictor.

use crate::method::predict::Predictor;
use crate::signal::history::History;
use crate::signal::segment::Segment;
use crate::step::unit_port::{UnitPort, UnitPortState};
use crate::system::law::Law;
use crate::system::outside::Outside;
use crate::time::{Clock, Span, Tick};
use crate::unit::UnitError;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A component of a channel or an output of a law, and the place in the unit's list of inputs it goes to.
pub(crate) type Pick = (usize, usize);

/// Laws, predictors and clock of a run: its definition, and room to work in.
pub(crate) struct Sources {
    pub laws: Vec<Box<dyn Law>>,
    /// Those to choose from; mostly one.
    pub family: Vec<Arc<dyn Predictor>>,
    pub clock: Clock,
    /// What the caller gives; the caller keeps it.
    pub outside: Vec<Outside>,
    /// Room for the segments of one channel.
    room: Vec<Segment>,
}

/// How long the steps are, and what they are predicted by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pace {
    /// How many times as long as made the steps are.
    pub stretch: Tick,
    /// Place in the family of the predictor in use.
    pub degree: usize,
}

/// The sources of a run together with the histories of its state.
pub(crate) struct Supply<'a> {
    /// Those of channels, then those that feeds keep of their own.
    pub histories: &'a mut [History],
    pub laws: &'a [Box<dyn Law>],
    pub outside: &'a [Outside],
    pub predictor: &'a dyn Predictor,
    pub clock: Clock,
    pub pace: Pace,
    pub room: &'a mut [Segment],
}

/// The units of a run as a step sees them: their ports, the states of these, and what feeds them.
pub(crate) struct Coupled<'a> {
    pub unit_ports: &'a mut [UnitPort],
    pub states: &'a mut [UnitPortState],
    pub supply: Supply<'a>,
}

impl Sources {
    /// For channels of at most `width` components.
    pub fn new(laws: Vec<Box<dyn Law>>, family: Vec<Arc<dyn Predictor>>, clock: Clock, width: usize) -> Self {
        Sources { laws, family, clock, outside: Vec::new(), room: vec![Segment::default(); width] }
    }

    /// With the histories and the pace of a state.
    #[inline]
    pub fn with<'a>(&'a mut self, histories: &'a mut [History], pace: Pace) -> Supply<'a> {
        let Sources { laws, family, clock, outside, room } = self;
        Supply { histories, laws, outside, predictor: family[pace.degree].as_ref(), clock: *clock, pace, room }
    }
}

impl Coupled<'_> {
    /// Brings the outputs of a unit that follow its inputs at once to the inputs of `at`.
    #[inline]
    pub fn refresh(&mut self, unit: usize, at: Tick) -> Result<(), UnitError> {
        self.unit_ports[unit].refresh(&mut self.states[unit], &mut self.supply, at)
    }
}

impl Supply<'_> {
    /// The same with another predictor.
    pub fn by<'b>(&'b mut self, predictor: &'b dyn Predictor) -> Supply<'b> {
        Supply {
            histories: self.histories,
            laws: self.laws,
            outside: self.outside,
            predictor,
            clock: self.clock,
            pace: self.pace,
            room: self.room,
        }
    }

    /// A sample that is there.
    pub fn history_row(&self, channel: usize, at: Tick) -> Vec<f64> {
        let history = &self.histories[channel];
        history.find(at).map_or_else(|| vec![0.0; history.width()], |i| history.row(i).to_vec())
    }

    /// Values of a channel at a tick: the sample if there is one, else the prediction from the others.
    #[inline]
    pub fn value(&mut self, channel: usize, at: Tick, out: &mut [f64]) {
        let history = &self.histories[channel];
        if let Some(i) = history.find(at) {
            for (value, known) in out.iter_mut().zip(history.row(i)) {
                *value = *known;
            }
            return;
        }
        self.predicted(channel, at, out);
    }

    /// The prediction of a channel at local time `s` of a step that is not known yet.
    pub fn guess(&mut self, channel: usize, span: &Span, s: f64, out: &mut [f64]) {
        let history = &self.histories[channel];
        let segments = &mut self.room[..history.width()];
        self.predictor.segments(history, span, segments);
        for (v, p) in out.iter_mut().zip(segments) {
            *v = p.at(s);
        }
    }

    fn predicted(&mut self, channel: usize, at: Tick, out: &mut [f64]) {
        let history = &self.histories[channel];
        // A constant is what it was; added to 0 as the value of a polynomial is, which is never -0.
        if self.predictor.holds() {
            for (value, known) in out.iter_mut().zip(history.row(history.lead(at))) {
                *value = 0.0 + known;
            }
            return;
        }
        let from = (history.at(history.not_after(at)).floor() as Tick).min(at - 1);
        let span = Span { from, to: at, length_s: self.clock.length_s(at - from) };
        self.guess(channel, &span, 1.0, out);
    }
}
