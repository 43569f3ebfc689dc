//! A law between channels and the inputs of one unit.

use crate::signal::segment::Segment;
use crate::step::supply::{Pick, Supply};
use crate::system::System;
use crate::time::{Span, Tick};

/// A law on the way to one unit. Each receiver samples the law on its own grid.
pub(crate) struct LawFeed {
    pub(super) law: usize,
    /// Channels the law reads, with pairs of component and place among the law's inputs.
    pub(super) sources: Vec<(usize, Vec<Pick>)>,
    pub(super) picks: Vec<Pick>,
    /// Which history holds values of the law at this unit's communication points, where they are what is predicted.
    pub(super) history: Option<usize>,
    pub(super) u: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) row: Vec<f64>,
    u_segments: Vec<Segment>,
    y_segments: Vec<Segment>,
}

impl LawFeed {
    pub(super) fn new(system: &System, law: usize, pick: Pick, history: Option<usize>) -> Self {
        // Inputs of the law by the channel they come from, so that each channel is read once.
        let node = &system.laws[law];
        let mut sources: Vec<(usize, Vec<Pick>)> = Vec::new();
        for (place, s) in node.inputs.iter().enumerate() {
            match sources.iter_mut().find(|(c, _)| *c == s.channel) {
                Some((_, picks)) => picks.push((s.component, place)),
                None => sources.push((s.channel, vec![(s.component, place)])),
            }
        }
        // Room for its inputs and outputs.
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

    /// The newest point of a step at which one of the law's inputs is known: its end or a point inside, else its start. A channel
    /// that is held is read there, too.
    pub(super) fn known_at(&self, supply: &Supply<'_>, from: Tick, to: Tick) -> Tick {
        let newest = |channel: usize| {
            let history = &supply.histories[channel];
            if history.is_empty() { from as f64 } else { history.at(history.newest()) }
        };
        let at = self.sources.iter().map(|(channel, _)| newest(*channel)).fold(from as f64, f64::max);
        (at as Tick).min(to)
    }

    /// The law with its inputs' values at `at`.
    pub(super) fn evaluate(&mut self, supply: &mut Supply<'_>, at: Tick) {
        // Its inputs.
        for (channel, picks) in &self.sources {
            let row = &mut self.row[..supply.histories[*channel].width()];
            supply.value(*channel, at, row);
            for &(component, place) in picks {
                self.u[place] = row[component];
            }
        }
        // Its outputs.
        supply.laws[self.law].evaluate(&self.u, &mut self.y);
    }

    /// The law on lines with the slopes the inputs have at `at`.
    pub(super) fn rates(&mut self, supply: &mut Supply<'_>, at: Tick, step_s: f64, inputs: &mut [f64]) {
        // A line over the step for each of its inputs.
        for (channel, picks) in &self.sources {
            let row = &mut self.row[..supply.histories[*channel].width()];
            supply.value(*channel, at, row);
            for &(component, place) in picks {
                let slope = row.get(component + 1).copied().unwrap_or(0.0);
                self.u_segments[place].fill(1, |i| if i == 0 { row[component] } else { slope * step_s });
            }
        }
        // The slopes of what the law makes of them.
        supply.laws[self.law].segments(&self.u_segments, &mut self.y_segments);
        for &(output, place) in &self.picks {
            inputs[place] = self.y_segments[output].coefficient(1) / step_s;
        }
    }

    /// What the law gives over `span` into the unit's inputs.
    pub(super) fn segments(&mut self, supply: &mut Supply<'_>, span: &Span, inputs: &mut [Segment]) {
        match self.history {
            // Predicted behind the law: from the law's own history, with its value at the step's start.
            Some(history) => {
                self.evaluate(supply, span.from);
                supply.histories[history].put(span.from, &self.y);
                // The step's end is worth a sample as soon as one of the law's inputs is known there; a point inside only to what
                // is held, because the other inputs are predicted there, and stay so.
                let known = self.known_at(supply, span.from, span.to);
                if known == span.to || known > span.from && supply.predictor.holds() {
                    self.evaluate(supply, known);
                    supply.histories[history].put(known, &self.y);
                }
                supply.predictor.segments(&supply.histories[history], span, &mut self.y_segments);
            }
            // Predicted before the law, which takes polynomials.
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
        // The outputs that this unit takes.
        for &(output, place) in &self.picks {
            inputs[place].copy_from(&self.y_segments[output]);
        }
    }
}
