//! The feeds of a unit, made from the connections of the system.

use super::interface::{InterfaceFeed, MeanFeed};
use super::{Feed, LawFeed};
use crate::ids::Signal;
use crate::method::predict::{Edge, Predictor};
use crate::signal::history::History;
use crate::signal::series::SeriesFeed;
use crate::step::joints::ReactionFeed;
use crate::step::line::LineFeed;
use crate::system::constraint::Part;
use crate::system::outside::OutsideFeed;
use crate::system::{Connection, Source, System};

/// The feeds of a unit from the connections of the system; `inputs` are the value references in the order used. The
/// histories they keep of their own go behind those there are.
pub(crate) fn feeds_of(
    (system, unit): (&System, usize),
    inputs: &[u32],
    predictor: &dyn Predictor,
    histories: &mut Vec<History>,
) -> Vec<Feed> {
    // Laws that are predicted behind themselves have histories of their outputs.
    let law_depth = (predictor.edge() == Edge::AfterLaw).then_some(predictor.depth());
    // Each connection widens a feed of the same source, or makes a new one.
    let mut feeds: Vec<Feed> = Vec::new();
    for c in system.connections_of(unit) {
        let place = inputs.iter().position(|r| *r == c.reference).unwrap_or(0);
        if !feeds.iter_mut().any(|feed| is_widened(feed, &c.source, place)) {
            feeds.push(made(system, (c, place), law_depth, histories));
        }
    }
    feeds
}

/// Whether a feed has the source, and so the input at `place` too: one feed for all components of a channel, all outputs of a
/// law, all that an interface model predicts, the force on an end of a joint.
fn is_widened(feed: &mut Feed, source: &Source, place: usize) -> bool {
    match (feed, *source) {
        (Feed::Channel { channel, picks }, Source::Signal(signal)) if *channel == signal.channel => {
            picks.push((signal.component, place));
        }
        (Feed::Law(f), Source::Law { law, output }) if f.law == law => f.picks.push((output, place)),
        (Feed::Interface(f), Source::Predicted { model, what }) if f.model == model => f.picks.push((what, place)),
        (Feed::Reaction(f), Source::Reaction(part)) if (f.constraint, f.end) == (part.constraint, part.end) => {
            f.picks.push((part.component, place));
        }
        _ => return false,
    }
    true
}

/// A new feed of one input, with a history of its own where it needs one.
fn made(
    system: &System,
    (connection, place): (&Connection, usize),
    law_depth: Option<usize>,
    histories: &mut Vec<History>,
) -> Feed {
    match connection.source {
        Source::Signal(Signal { channel, component }) => Feed::Channel { channel, picks: vec![(component, place)] },
        Source::Law { law, output } => {
            let history = law_depth.map(|_| histories.len());
            let outputs = system.laws[law].law.outputs();
            histories.extend(law_depth.map(|depth| History::new(outputs, depth, 2)));
            Feed::Law(Box::new(LawFeed::new(system, law, (output, place), history)))
        }
        Source::Predicted { model, what } => {
            let of = &system.interfaces[model];
            let feed = InterfaceFeed::new(model, of, (what, place), histories.len());
            histories.push(History::new(2 * of.speed.len(), 1, 2));
            Feed::Interface(Box::new(feed))
        }
        Source::Line { line, end } => {
            let input = (connection.reference, place);
            Feed::Line(Box::new(LineFeed::new((system, line), end, input).with_history(histories)))
        }
        Source::Series(i) => Feed::Series(SeriesFeed { series: system.series[i].clone(), place }),
        Source::Outside(outside) => Feed::Outside(OutsideFeed { outside, place }),
        Source::Reaction(Part { constraint, end, component }) => {
            let joint = (constraint, &system.constraints[constraint]);
            let history = system.channels.len() + constraint;
            Feed::Reaction(Box::new(ReactionFeed::new(joint, end, (component, place), history)))
        }
        Source::Mean(Signal { channel, component }) => {
            Feed::Mean(MeanFeed { channel, picks: vec![(component, place)] })
        }
    }
}
