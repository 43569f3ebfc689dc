//! The feeds of a unit, made from the connections of the system.

use super::interface::{InterfaceFeed, MeanFeed};
use super::{Feed, LawFeed};
use crate::ids::Signal;
use crate::method::predict::Edge;
use crate::signal::history::History;
use crate::signal::series::SeriesFeed;
use crate::step::joints::ReactionFeed;
use crate::step::line::LineFeed;
use crate::system::constraint::Part;
use crate::system::outside::OutsideFeed;
use crate::system::{Source, System};

/// The feeds of a unit from the connections of the system; `inputs` are the value references in the order used. The
/// histories they keep of their own go behind those there are.
pub(crate) fn feeds_of(
    (system, unit): (&System, usize),
    inputs: &[u32],
    (edge, depth): (Edge, usize),
    histories: &mut Vec<History>,
) -> Vec<Feed> {
    // Each connection widens a feed of the same source, or makes a new one.
    let mut feeds: Vec<Feed> = Vec::new();
    for c in system.connections_of(unit) {
        let place = inputs.iter().position(|r| *r == c.reference).unwrap_or(0);
        match c.source {
            // One feed for all components of a channel.
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
            // One for all outputs of a law, with a history of its own where it is predicted behind the law.
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
            // One for all that an interface model predicts, with a history of its own.
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
            // One for each input.
            Source::Line { line, end } => {
                let feed = LineFeed::new((system, line), end, (c.reference, place), histories);
                feeds.push(Feed::Line(Box::new(feed)));
            }
            Source::Series(i) => feeds.push(Feed::Series(SeriesFeed { series: system.series[i].clone(), place })),
            Source::Outside(outside) => feeds.push(Feed::Outside(OutsideFeed { outside, place })),
            // One for the force on an end of a joint.
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
            // One for each input.
            Source::Mean(Signal { channel, component }) => {
                feeds.push(Feed::Mean(MeanFeed { channel, picks: vec![(component, place)] }));
            }
        }
    }
    feeds
}
