//! A *feed* brings a signal to inputs of a unit: it asks histories, and beyond their end the predictor, and applies the
//! law where there is one.

use crate::constraint::{Part, ReactionFeed};
use crate::history::History;
use crate::ids::Signal;
use crate::interface::{InterfaceFeed, MeanFeed};
use crate::line::LineFeed;
use crate::outside::OutsideFeed;
use crate::predict::Edge;
use crate::segment::Segment;
use crate::series::SeriesFeed;
use crate::supply::{Pick, Supply};
use crate::system::{Source, System};
use crate::time::{Span, Tick};

/// One feed.
pub(crate) enum Feed {
    /// Straight from a channel.
    Channel { channel: usize, picks: Vec<Pick> },
    /// Through a law.
    Law(Box<LawFeed>),
    /// What an interface model predicts.
    Interface(Box<InterfaceFeed>),
    /// An end of a line with delay.
    Line(Box<LineFeed>),
    /// The mean of a channel over the step.
    Mean(MeanFeed),
    /// Known over time.
    Series(SeriesFeed),
    /// Given by the caller.
    Outside(OutsideFeed),
    /// The force of a joint.
    Reaction(Box<ReactionFeed>),
}

/// A law on the way to one unit. Each receiver samples the law on its own grid.
pub(crate) struct LawFeed {
    law: usize,
    /// Channels the law reads, with pairs of component and place among the law's inputs.
    sources: Vec<(usize, Vec<Pick>)>,
    picks: Vec<Pick>,
    /// Which history holds values of the law at this unit's communication points, where they are what is predicted.
    history: Option<usize>,
    u: Vec<f64>,
    y: Vec<f64>,
    row: Vec<f64>,
    u_segments: Vec<Segment>,
    y_segments: Vec<Segment>,
}

/// The feeds of a unit from the connections of the system; `inputs` are the value references in the order used. The
/// histories they keep of their own go behind those there are.
pub(crate) fn feeds_of(
    (system, unit): (&System, usize),
    inputs: &[u32],
    (edge, depth): (Edge, usize),
    histories: &mut Vec<History>,
) -> Vec<Feed> {
    let mut feeds: Vec<Feed> = Vec::new();
    for c in system.connections_of(unit) {
        let place = inputs.iter().position(|r| *r == c.reference).unwrap_or(0);
        match c.source {
            Source::Signal(Signal { channel: wanted, component }) => {
                let known = feeds.iter_mut().find_map(|f| match f {
                    Feed::Channel { channel, picks } if *channel == wanted => Some(picks),
                    _ => None,
                });
                match known {
                    Some(picks) => picks.push((component, place)),
                    None => feeds.push(Feed::Channel { channel: wanted, picks: vec![(component, place)] }),
                }
            }
            Source::Law { law: wanted, output } => {
                let known = feeds.iter_mut().find_map(|f| match f {
                    Feed::Law(f) if f.law == wanted => Some(f),
                    _ => None,
                });
                match known {
                    Some(f) => f.picks.push((output, place)),
                    None => {
                        let history = (edge == Edge::AfterLaw).then_some(histories.len());
                        let outputs = system.laws[wanted].law.outputs();
                        histories.extend(history.map(|_| History::new(outputs, depth, 2)));
                        feeds.push(Feed::Law(Box::new(LawFeed::new(system, wanted, (output, place), history))));
                    }
                }
            }
            Source::Predicted { model, what } => {
                let known = feeds.iter_mut().find_map(|f| match f {
                    Feed::Interface(f) if f.model == model => Some(f),
                    _ => None,
                });
                match known {
                    Some(f) => f.picks.push((what, place)),
                    None => {
                        let of = &system.interfaces[model];
                        let feed = InterfaceFeed::new(model, of, (what, place), histories.len());
                        histories.push(History::new(2 * of.speed.len(), 1, 2));
                        feeds.push(Feed::Interface(Box::new(feed)));
                    }
                }
            }
            Source::Line { line, end } => {
                let feed = LineFeed::new((system, line), end, (c.reference, place), histories);
                feeds.push(Feed::Line(Box::new(feed)));
            }
            Source::Series(i) => feeds.push(Feed::Series(SeriesFeed { series: system.series[i].clone(), place })),
            Source::Outside(outside) => feeds.push(Feed::Outside(OutsideFeed { outside, place })),
            Source::Reaction(Part { constraint, end, component }) => {
                let known = feeds.iter_mut().find_map(|f| match f {
                    Feed::Reaction(f) if (f.constraint, f.end) == (constraint, end) => Some(f),
                    _ => None,
                });
                match known {
                    Some(f) => f.picks.push((component, place)),
                    None => {
                        let joint = (constraint, &system.constraints[constraint]);
                        let history = system.channels.len() + constraint;
                        feeds.push(Feed::Reaction(Box::new(ReactionFeed::new(
                            joint,
                            end,
                            (component, place),
                            history,
                        ))));
                    }
                }
            }
            Source::Mean(Signal { channel, component }) => {
                feeds.push(Feed::Mean(MeanFeed { channel, picks: vec![(component, place)] }));
            }
        }
    }
    feeds
}

impl Feed {
    /// Whether a law stands in it.
    pub fn has_law(&self) -> bool {
        matches!(self, Feed::Law(_))
    }

    /// Whether a step's inputs follow from the newest values alone where the predictor holds.
    pub fn is_memoryless(&self) -> bool {
        matches!(self, Feed::Channel { .. } | Feed::Law(_))
    }

    /// Channels it reads.
    pub fn channels(&self) -> Vec<usize> {
        match self {
            Feed::Channel { channel, .. } => vec![*channel],
            Feed::Interface(f) => f.channels(),
            Feed::Mean(f) => vec![f.channel],
            // What feeds a line's end over a step is known before it.
            Feed::Line(_) | Feed::Series(_) | Feed::Outside(_) => Vec::new(),
            Feed::Reaction(f) => f.channels(),
            Feed::Law(f) => f.sources.iter().map(|(c, _)| *c).collect(),
        }
    }

    /// Segments over `span` into the unit's inputs; `held` is room for as many constants.
    #[inline]
    pub fn segments(&mut self, supply: &mut Supply<'_>, span: &Span, inputs: &mut [Segment], held: &mut [f64]) {
        match self {
            Feed::Channel { channel, picks } => {
                let history = &supply.histories[*channel];
                let room = &mut supply.room[..history.width()];
                supply.predictor.segments(history, span, room);
                for &(component, place) in picks.iter() {
                    inputs[place].copy_from(&room[component]);
                }
            }
            Feed::Law(f) => f.segments(supply, span, inputs),
            Feed::Interface(f) => {
                f.constants(supply, span.from, span.to, held);
                f.picks.iter().for_each(|&(_, place)| inputs[place].set_constant(held[place]));
            }
            Feed::Line(f) => inputs[f.place].set_constant(f.constant(supply, span.from, span.to)),
            Feed::Series(f) => f.segment(|tick| supply.clock.seconds(tick), span, &mut inputs[f.place]),
            Feed::Outside(f) => {
                let from_s = supply.clock.seconds(span.from);
                supply.outside[f.outside].segment(from_s, span, &mut inputs[f.place]);
            }
            Feed::Reaction(f) => f.segments(supply, span, inputs),
            Feed::Mean(f) => {
                f.constants(supply, span.from, span.to, held);
                f.picks.iter().for_each(|&(_, place)| inputs[place].set_constant(held[place]));
            }
        }
    }

    /// Constants over a step into the unit's inputs, where the predictor holds: what [`Feed::segments`] would make,
    /// without polynomials.
    #[inline]
    pub fn constants(&mut self, supply: &mut Supply<'_>, from: Tick, to: Tick, inputs: &mut [f64]) {
        match self {
            Feed::Channel { channel, picks } => {
                let history = &supply.histories[*channel];
                let row = history.row(history.lead(to));
                for &(component, place) in picks.iter() {
                    inputs[place] = row[component];
                }
            }
            Feed::Law(f) => {
                // The step's end where one of the law's inputs is known there, else its start.
                let known = f.sources.iter().any(|(c, _)| supply.histories[*c].reaches(to));
                f.evaluate(supply, if known { to } else { from });
                for &(output, place) in &f.picks {
                    inputs[place] = f.y[output];
                }
            }
            Feed::Interface(f) => f.constants(supply, from, to, inputs),
            Feed::Line(f) => inputs[f.place] = f.constant(supply, from, to),
            Feed::Mean(f) => f.constants(supply, from, to, inputs),
            Feed::Series(f) => {
                let clock = &supply.clock;
                inputs[f.place] = f.series.at(0.5 * (clock.seconds(from) + clock.seconds(to)));
            }
            Feed::Outside(f) => {
                let clock = &supply.clock;
                inputs[f.place] = supply.outside[f.outside].at(0.5 * (clock.seconds(from) + clock.seconds(to)));
            }
            Feed::Reaction(f) => f.constants(supply, (from, to), inputs),
        }
    }

    /// Values at an instant into the unit's inputs.
    #[inline]
    pub fn values(&mut self, supply: &mut Supply<'_>, at: Tick, row: &mut [f64], inputs: &mut [f64]) {
        match self {
            Feed::Channel { channel, picks } => {
                let row = &mut row[..supply.histories[*channel].width()];
                supply.value(*channel, at, row);
                for &(component, place) in picks.iter() {
                    inputs[place] = row[component];
                }
            }
            Feed::Law(f) => {
                f.evaluate(supply, at);
                for &(output, place) in &f.picks {
                    inputs[place] = f.y[output];
                }
            }
            Feed::Interface(f) => f.values(supply, at, inputs),
            Feed::Line(f) => inputs[f.place] = f.value(supply, at),
            Feed::Series(f) => inputs[f.place] = f.series.at(supply.clock.seconds(at)),
            Feed::Outside(f) => inputs[f.place] = supply.outside[f.outside].at(supply.clock.seconds(at)),
            Feed::Reaction(f) => f.values(supply, at, row, inputs),
            Feed::Mean(f) => {
                let row = &mut row[..supply.histories[f.channel].width()];
                supply.value(f.channel, at, row);
                f.picks.iter().for_each(|&(component, place)| inputs[place] = row[component]);
            }
        }
    }

    /// First time derivatives at an instant into the unit's inputs: the next component of a motion, or what a law makes of
    /// its inputs' rates over a step of `step_s` seconds; 0 where a channel has no next component.
    pub fn rates(&mut self, supply: &mut Supply<'_>, at: Tick, step_s: f64, row: &mut [f64], inputs: &mut [f64]) {
        match self {
            Feed::Channel { channel, picks } => {
                let row = &mut row[..supply.histories[*channel].width()];
                supply.value(*channel, at, row);
                for &(component, place) in picks.iter() {
                    inputs[place] = row.get(component + 1).copied().unwrap_or(0.0);
                }
            }
            Feed::Law(f) => f.rates(supply, at, step_s, inputs),
            // Constants over a step.
            Feed::Interface(f) => f.picks.iter().for_each(|&(_, place)| inputs[place] = 0.0),
            Feed::Line(f) => inputs[f.place] = 0.0,
            Feed::Mean(f) => f.picks.iter().for_each(|&(_, place)| inputs[place] = 0.0),
            Feed::Series(f) => {
                let t_s = supply.clock.seconds(at);
                inputs[f.place] = (f.series.before(t_s + step_s) - f.series.at(t_s)) / step_s;
            }
            Feed::Outside(f) => inputs[f.place] = supply.outside[f.outside].rate(supply.clock.seconds(at)),
            Feed::Reaction(f) => f.rates(supply, at, step_s, inputs),
        }
    }

    /// Fills the feed's own history at a past tick from rows of channels given by `past`.
    pub fn prime(&mut self, at: Tick, past: &mut dyn FnMut(usize, &mut [f64]), supply: &mut Supply<'_>) {
        if let Feed::Law(f) = self
            && let Some(history) = f.history
        {
            for (channel, picks) in &f.sources {
                let row = &mut f.row[..supply.histories[*channel].width()];
                past(*channel, row);
                for &(component, place) in picks {
                    f.u[place] = row[component];
                }
            }
            supply.laws[f.law].evaluate(&f.u, &mut f.y);
            supply.histories[history].put(at, &f.y);
        }
    }
}

impl LawFeed {
    fn new(system: &System, law: usize, pick: Pick, history: Option<usize>) -> Self {
        let node = &system.laws[law];
        let mut sources: Vec<(usize, Vec<Pick>)> = Vec::new();
        for (place, s) in node.inputs.iter().enumerate() {
            match sources.iter_mut().find(|(c, _)| *c == s.channel) {
                Some((_, picks)) => picks.push((s.component, place)),
                None => sources.push((s.channel, vec![(s.component, place)])),
            }
        }
        let (m, n) = (node.inputs.len(), node.law.outputs());
        LawFeed {
            law,
            sources,
            picks: vec![pick],
            history,
            u: vec![0.0; m],
            y: vec![0.0; n],
            row: vec![0.0; system.width()],
            u_segments: vec![Segment::default(); m],
            y_segments: vec![Segment::default(); n],
        }
    }

    /// Number of the law among those of the system.
    pub fn law(&self) -> usize {
        self.law
    }

    /// Channels the law reads, with pairs of component and place among the law's inputs.
    pub fn sources(&self) -> impl Iterator<Item = (usize, &[Pick])> {
        self.sources.iter().map(|(channel, picks)| (*channel, picks.as_slice()))
    }

    /// Pairs of the law's output and place among the unit's inputs.
    pub fn picks(&self) -> &[Pick] {
        &self.picks
    }

    /// How many inputs and outputs the law has.
    pub fn sizes(&self) -> (usize, usize) {
        (self.u.len(), self.y.len())
    }

    /// The law with its inputs' values at `at`.
    fn evaluate(&mut self, supply: &mut Supply<'_>, at: Tick) {
        for (channel, picks) in &self.sources {
            let row = &mut self.row[..supply.histories[*channel].width()];
            supply.value(*channel, at, row);
            for &(component, place) in picks {
                self.u[place] = row[component];
            }
        }
        supply.laws[self.law].evaluate(&self.u, &mut self.y);
    }

    /// The law on lines with the slopes the inputs have at `at`.
    fn rates(&mut self, supply: &mut Supply<'_>, at: Tick, step_s: f64, inputs: &mut [f64]) {
        for (channel, picks) in &self.sources {
            let row = &mut self.row[..supply.histories[*channel].width()];
            supply.value(*channel, at, row);
            for &(component, place) in picks {
                let slope = row.get(component + 1).copied().unwrap_or(0.0);
                self.u_segments[place].fill(1, |i| if i == 0 { row[component] } else { slope * step_s });
            }
        }
        supply.laws[self.law].segments(&self.u_segments, &mut self.y_segments);
        for &(output, place) in &self.picks {
            inputs[place] = self.y_segments[output].coefficient(1) / step_s;
        }
    }

    fn segments(&mut self, supply: &mut Supply<'_>, span: &Span, inputs: &mut [Segment]) {
        match self.history {
            Some(history) => {
                self.evaluate(supply, span.from);
                supply.histories[history].put(span.from, &self.y);
                // The step's end is worth a sample as soon as one of the law's inputs is known there.
                if self.sources.iter().any(|(c, _)| supply.histories[*c].reaches(span.to)) {
                    self.evaluate(supply, span.to);
                    supply.histories[history].put(span.to, &self.y);
                }
                supply.predictor.segments(&supply.histories[history], span, &mut self.y_segments);
            }
            None => {
                for (channel, picks) in &self.sources {
                    let history = &supply.histories[*channel];
                    let room = &mut supply.room[..history.width()];
                    supply.predictor.segments(history, span, room);
                    for &(component, place) in picks {
                        self.u_segments[place].copy_from(&room[component]);
                    }
                }
                supply.laws[self.law].segments(&self.u_segments, &mut self.y_segments);
            }
        }
        for &(output, place) in &self.picks {
            inputs[place].copy_from(&self.y_segments[output]);
        }
    }
}
