//! A *feed* brings a signal to inputs of a unit: it reads histories, uses the predictor beyond their end, and applies the
//! law if there is one.

mod interface;
mod law;
mod made;

pub(crate) use law::LawFeed;
pub(crate) use made::feeds_of;

use crate::signal::segment::Segment;
use crate::signal::series::SeriesFeed;
use crate::step::joints::ReactionFeed;
use crate::step::line::LineFeed;
use crate::step::supply::{Pick, Supply};
use crate::system::outside::OutsideFeed;
use crate::time::{Span, Tick};
use interface::{InterfaceFeed, MeanFeed};

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

impl Feed {
    /// Whether the feed has a law.
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
            // Predicted components of a channel.
            Feed::Channel { channel, picks } => {
                let history = &supply.histories[*channel];
                let room = &mut supply.room[..history.width()];
                supply.predictor.segments(history, span, room);
                for &(component, place) in picks.iter() {
                    inputs[place].copy_from(&room[component]);
                }
            }
            Feed::Law(f) => f.segments(supply, span, inputs),
            // Constants over a step.
            Feed::Interface(f) => {
                f.constants(supply, span.from, span.to, held);
                f.picks.iter().for_each(|&(_, place)| inputs[place].set_constant(held[place]));
            }
            Feed::Line(f) => inputs[f.place].set_constant(f.constant(supply, span.from, span.to)),
            // What is known over time.
            Feed::Series(f) => f.segment(|tick| supply.clock.seconds(tick), span, &mut inputs[f.place]),
            Feed::Outside(f) => {
                let from_s = supply.clock.seconds(span.from);
                supply.outside[f.outside].segment(from_s, span, &mut inputs[f.place]);
            }
            Feed::Reaction(f) => f.segments(supply, span, inputs),
            // The mean over the step, a constant too.
            Feed::Mean(f) => {
                f.constants(supply, span.from, span.to, held);
                f.picks.iter().for_each(|&(_, place)| inputs[place].set_constant(held[place]));
            }
        }
    }

    /// Constants over a step into the unit's inputs, if the predictor holds: the same as [`Feed::segments`], without
    /// polynomials.
    #[inline]
    pub fn constants(&mut self, supply: &mut Supply<'_>, from: Tick, to: Tick, inputs: &mut [f64]) {
        match self {
            // The row that is known at the end of the step, else the newest.
            Feed::Channel { channel, picks } => {
                let history = &supply.histories[*channel];
                let row = history.row(history.lead(to));
                for &(component, place) in picks.iter() {
                    inputs[place] = row[component];
                }
            }
            Feed::Law(f) => {
                let known = f.known_at(supply, from, to);
                f.evaluate(supply, known);
                for &(output, place) in &f.picks {
                    inputs[place] = f.y[output];
                }
            }
            // What is constant over a step anyway.
            Feed::Interface(f) => f.constants(supply, from, to, inputs),
            Feed::Line(f) => inputs[f.place] = f.constant(supply, from, to),
            Feed::Mean(f) => f.constants(supply, from, to, inputs),
            // What is known over time.
            Feed::Series(f) => inputs[f.place] = f.constant(supply.clock.seconds(from), supply.clock.seconds(to)),
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
            // Components of a channel, predicted where they are not known.
            Feed::Channel { channel, picks } => {
                let row = &mut row[..supply.histories[*channel].width()];
                supply.value(*channel, at, row);
                for &(component, place) in picks.iter() {
                    inputs[place] = row[component];
                }
            }
            // Outputs of the law, from its inputs' values at the instant.
            Feed::Law(f) => {
                f.evaluate(supply, at);
                for &(output, place) in &f.picks {
                    inputs[place] = f.y[output];
                }
            }
            // What others know for themselves.
            Feed::Interface(f) => f.values(supply, at, inputs),
            Feed::Line(f) => inputs[f.place] = f.value(supply, at),
            Feed::Series(f) => inputs[f.place] = f.series.at(supply.clock.seconds(at)),
            Feed::Outside(f) => inputs[f.place] = supply.outside[f.outside].at(supply.clock.seconds(at)),
            Feed::Reaction(f) => f.values(supply, at, row, inputs),
            // No step, no mean: the value at the instant.
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
            // The next component of a motion is the rate of the one before.
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
            Feed::Series(f) => inputs[f.place] = f.rate(supply.clock.seconds(at), step_s),
            Feed::Outside(f) => inputs[f.place] = supply.outside[f.outside].rate(supply.clock.seconds(at)),
            Feed::Reaction(f) => f.rates(supply, at, step_s, inputs),
        }
    }

    /// Fills the feed's own history at a past tick from rows of channels given by `past`.
    pub fn prime(&mut self, at: Tick, past: &mut dyn FnMut(usize, &mut [f64]), supply: &mut Supply<'_>) {
        if let Feed::Law(f) = self
            && let Some(history) = f.history
        {
            // The law's inputs as they were.
            for (channel, picks) in &f.sources {
                let row = &mut f.row[..supply.histories[*channel].width()];
                past(*channel, row);
                for &(component, place) in picks {
                    f.u[place] = row[component];
                }
            }
            // What the law makes of them is the row.
            supply.laws[f.law].evaluate(&f.u, &mut f.y);
            supply.histories[history].put(at, &f.y);
        }
    }
}
