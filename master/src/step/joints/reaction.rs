//! The force of a joint at one end.

use crate::signal::segment::Segment;
use crate::step::supply::{Pick, Supply};
use crate::system::constraint::{ConstraintNode, Coordinate};
use crate::system::law::Law;
use crate::system::relation::Relation;
use crate::time::{Span, Tick};

/// `f = −Gᵀ λ` of λ and, where G changes with them, the coordinates of both ends; what comes out are the forces on the first
/// end, then those on the second.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reaction(pub Relation);

impl Law for Reaction {
    fn outputs(&self) -> usize {
        2 * self.0.velocities()
    }

    fn evaluate(&self, u: &[f64], y: &mut [f64]) {
        let (lambda, ends) = u.split_at(self.0.rows());
        let n = if self.0.bends() { self.0.coordinates() } else { 0 };
        self.0.forces([&ends[..n], &ends[n..]], lambda, y);
    }

    fn segments(&self, u: &[Segment], y: &mut [Segment]) {
        if self.0.bends() {
            crate::system::law::sample(self.outputs(), |u, y| self.evaluate(u, y), u, y);
            return;
        }
        let (first, second) = y.split_at_mut(u.len());
        for ((u, f), g) in u.iter().zip(first).zip(second) {
            f.fill(u.degree(), |i| -u.coefficient(i));
            g.copy_from(u);
        }
    }
}

/// A joint's force on one end.
pub(crate) struct ReactionFeed {
    pub constraint: usize,
    pub end: usize,
    law: Reaction,
    /// Which history holds (a, b).
    history: usize,
    /// Coordinates of both ends that G follows.
    coordinates: Vec<Coordinate>,
    /// Pairs of the force's component at this end and place among the unit's inputs.
    pub picks: Vec<Pick>,
    u: Vec<f64>,
    y: Vec<f64>,
    u_segments: Vec<Segment>,
    y_segments: Vec<Segment>,
}

impl ReactionFeed {
    /// Of an end of a constraint, whose (a, b) are in a history.
    pub fn new((constraint, node): (usize, &ConstraintNode), end: usize, pick: Pick, history: usize) -> Self {
        let law = Reaction(node.relation.clone());
        let coordinates = if node.relation.bends() { node.position.concat() } else { Vec::new() };
        let (m, n) = (node.relation.rows() + coordinates.len(), law.outputs());
        ReactionFeed {
            constraint,
            end,
            law,
            history,
            coordinates,
            picks: vec![pick],
            u: vec![0.0; m],
            y: vec![0.0; n],
            u_segments: vec![Segment::default(); m],
            y_segments: vec![Segment::default(); n],
        }
    }

    /// Channels that G follows.
    pub fn channels(&self) -> Vec<usize> {
        let sampled = self.coordinates.iter().filter_map(|c| match c {
            Coordinate::Sampled(signal) => Some(signal.channel),
            Coordinate::Fixed(_) => None,
        });
        let mut list: Vec<usize> = sampled.collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// λ at `from` and what it changes by to `to`, into the first places of `u_segments`.
    fn lambda(&mut self, supply: &Supply<'_>, (from, to): (Tick, Tick)) {
        let (history, rows) = (&supply.histories[self.history], self.law.0.rows());
        let i = if history.is_empty() { 0 } else { history.lead(to) };
        if i == 0 {
            // Nothing is known before the first window.
            self.u_segments[..rows].iter_mut().for_each(|p| p.set_constant(0.0));
            return;
        }
        let (begin, end) = (history.at(i - 1), history.at(i));
        let [s, length] = [from as f64 - begin, (to - from) as f64].map(|ticks| ticks / (end - begin));
        for (j, p) in self.u_segments[..rows].iter_mut().enumerate() {
            let (a, b) = (history.value(i, j), history.value(i, rows + j));
            p.fill(1, |k| if k == 0 { a + b * s } else { b * length });
        }
    }

    /// Forces over a step into the unit's inputs.
    pub fn segments(&mut self, supply: &mut Supply<'_>, span: &Span, inputs: &mut [Segment]) {
        self.make(supply, span);
        self.hand_out(|p| *p, |place, force| inputs[place].copy_from(&force));
    }

    /// What is made of the polynomials at this end goes to the unit's inputs.
    fn hand_out<T>(&self, mut of: impl FnMut(&Segment) -> T, mut to: impl FnMut(usize, T)) {
        let first = self.end * self.law.0.velocities();
        self.picks.iter().for_each(|&(component, place)| to(place, of(&self.y_segments[first + component])));
    }

    /// Polynomials of the forces over a step.
    fn make(&mut self, supply: &mut Supply<'_>, span: &Span) {
        self.lambda(supply, (span.from, span.to));
        let rows = self.law.0.rows();
        for (coordinate, p) in self.coordinates.iter().zip(&mut self.u_segments[rows..]) {
            match coordinate {
                Coordinate::Fixed(x) => p.set_constant(*x),
                Coordinate::Sampled(signal) => {
                    let history = &supply.histories[signal.channel];
                    let room = &mut supply.room[..history.width()];
                    supply.predictor.segments(history, span, room);
                    p.copy_from(&room[signal.component]);
                }
            }
        }
        self.law.segments(&self.u_segments, &mut self.y_segments);
    }

    /// Forces in the middle of a step into the unit's inputs.
    pub fn constants(&mut self, supply: &mut Supply<'_>, (from, to): (Tick, Tick), inputs: &mut [f64]) {
        let span = Span { from, to, length_s: supply.clock.length_s(to - from) };
        self.make(supply, &span);
        self.hand_out(|p| p.at(0.5), |place, force| inputs[place] = force);
    }

    /// First time derivatives of the forces at an instant into the unit's inputs, from a step of `step_s` seconds that ends there.
    pub fn rates(&mut self, supply: &mut Supply<'_>, at: Tick, step_s: f64, inputs: &mut [f64]) {
        let ticks = (step_s / supply.clock.length_s(1)).round().max(1.0) as Tick;
        self.make(supply, &Span { from: at - ticks, to: at, length_s: step_s });
        let mut rate = Segment::default();
        let slope = |p: &Segment| {
            p.differentiate(step_s, &mut rate);
            rate.at(1.0)
        };
        self.hand_out(slope, |place, rate| inputs[place] = rate);
    }

    /// Forces at an instant into the unit's inputs; `row` is room for a row of any channel.
    pub fn values(&mut self, supply: &mut Supply<'_>, at: Tick, row: &mut [f64], inputs: &mut [f64]) {
        self.lambda(supply, (at, at));
        let rows = self.law.0.rows();
        for (u, p) in self.u[..rows].iter_mut().zip(&self.u_segments) {
            *u = p.coefficient(0);
        }
        for (coordinate, u) in self.coordinates.iter().zip(&mut self.u[rows..]) {
            *u = match coordinate {
                Coordinate::Fixed(x) => *x,
                Coordinate::Sampled(signal) => {
                    let row = &mut row[..supply.histories[signal.channel].width()];
                    supply.value(signal.channel, at, row);
                    row[signal.component]
                }
            };
        }
        self.law.evaluate(&self.u, &mut self.y);
        let first = self.end * self.law.0.velocities();
        for &(component, place) in &self.picks {
            inputs[place] = self.y[first + component];
        }
    }
}
