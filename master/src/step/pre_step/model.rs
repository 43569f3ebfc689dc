//! A linear model of a unit over a step.

use crate::signal::history::History;
use crate::signal::segment::Segment;
use crate::step::jacobian::weighted;
use crate::step::supply::Supply;
use crate::step::unit_port::{UnitPort, UnitPortState};
use crate::system::System;
use crate::system::refresh::Refresh;
use crate::time::Tick;
use crate::unit::{Tangent, UnitError};

/// How a sampled output is modelled.
struct Output {
    /// How often what answers the inputs is integrated.
    integrations: usize,
    /// Places of the output and of its derivatives, as far as they are sampled; none where it follows the inputs at once.
    known: Vec<usize>,
    /// Its row of `slopes`, where inputs reach it.
    answer: Option<usize>,
}

/// A linear model of a unit over a step.
pub(super) struct Model {
    /// One for each sampled output.
    outputs: Vec<Output>,
    /// Value references of what answers inputs at once, and ∂/∂u of it, row by row.
    answers: Vec<u32>,
    slopes: Vec<f64>,
    column: Vec<f64>,
    /// Outputs at the step's start and end, and what is expected to be left out.
    start: Vec<f64>,
    end: Vec<f64>,
    pub(super) remainders: Vec<f64>,
    /// Which history has the remainders of the steps made, each at its start.
    pub(super) history: usize,
    /// Whether the inputs of the step are made already.
    pub(super) begun: bool,
}

impl Model {
    pub(super) fn new((system, u): (&System, usize), unit_port: &UnitPort, history: usize) -> Self {
        let variables: Vec<usize> = system.channels_of(u).flat_map(|(_, c)| c.variables.iter().copied()).collect();
        let rate = |v: usize| {
            let of = &system.descriptions[u].variables;
            of.iter().position(|other| other.real().is_some_and(|r| r.derivative == Some(v)))
        };
        // What is known of each output, up to what answers the inputs.
        let mut answers: Vec<u32> = Vec::new();
        let mut outputs = Vec::new();
        for (place, &variable) in variables.iter().enumerate() {
            let response = unit_port.responses.iter().find(|r| r.place == place);
            let answer = response.map(|r| {
                answers.iter().position(|a| *a == r.reference).unwrap_or_else(|| {
                    answers.push(r.reference);
                    answers.len() - 1
                })
            });
            let integrations = response.map_or(0, |r| r.order);
            let most = response.map_or(variables.len(), |r| r.order);
            let sampled = |v: &usize| variables.iter().position(|other| other == v);
            let chain = std::iter::successors(Some(variable), |v| rate(*v)).map_while(|v| sampled(&v));
            outputs.push(Output { integrations, known: chain.take(most).collect(), answer });
        }
        let (n, m, zeros) = (outputs.len(), answers.len(), |n: usize| vec![0.0; n]);
        let (slopes, column) = (zeros(m * unit_port.inputs.refs.len()), zeros(m));
        let (start, end, remainders) = (zeros(n), zeros(n), zeros(n));
        Model { outputs, answers, slopes, column, start, end, remainders, history, begun: false }
    }

    /// The directional derivatives now, and the outputs as they are known.
    pub(super) fn prepare(
        &mut self,
        unit_port: &mut UnitPort,
        histories: &[History],
        now: Tick,
    ) -> Result<(), UnitError> {
        for &(channel, first, width) in &unit_port.outputs.channels {
            let history = &histories[channel];
            self.start[first..first + width].copy_from_slice(history.row(history.not_after(now)));
        }
        if self.answers.is_empty() {
            return Ok(());
        }
        let n = unit_port.inputs.refs.len();
        for (i, reference) in unit_port.inputs.refs.iter().enumerate() {
            unit_port.unit.directional(Tangent::new(&self.answers, &[*reference], &[1.0], &mut self.column))?;
            self.column.iter().enumerate().for_each(|(k, slope)| self.slopes[k * n + i] = *slope);
        }
        Ok(())
    }

    /// What is expected to be left out in the step from `now` on; false where no step has been made.
    pub(super) fn expect(&mut self, made: &History, now: Tick) -> bool {
        if self.outputs.is_empty() {
            return true;
        }
        let Some(last) = made.len().checked_sub(1) else { return false };
        // The line through the last two, or the last one alone.
        let before = last.saturating_sub(1);
        let span = made.at(last) - made.at(before);
        let ahead = if span > 0.0 { (now as f64 - made.at(last)) / span } else { 0.0 };
        for (c, remainder) in self.remainders.iter_mut().enumerate() {
            let newest = made.value(last, c);
            *remainder = newest + ahead * (newest - made.value(before, c));
        }
        true
    }

    /// Before the first step: what is left out at the start, which the unit, with the inputs that it holds, tells by what answers
    /// them; false where an output is not integrated from that alone.
    pub(super) fn begin(&mut self, unit_port: &mut UnitPort, state: &UnitPortState) -> Result<bool, UnitError> {
        let is_told = |o: &Output| o.answer.is_some() && o.known.len() == o.integrations;
        if !self.outputs.iter().all(is_told) {
            return Ok(false);
        }
        unit_port.unit.get_real(&self.answers, &mut self.column)?;
        let held = state.inputs.held();
        for place in 0..self.outputs.len() {
            let told = self.outputs[place].answer.map_or(0.0, |k| self.column[k]);
            self.remainders[place] = told - self.answer(place, held.len(), |i| held[i]);
        }
        Ok(true)
    }

    /// What is known of an output without remainder and inputs, and the factor of the remainder.
    fn known(&self, place: usize, length_s: f64) -> (f64, f64) {
        let (mut value, mut factor) = (0.0, 1.0);
        for (j, known) in self.outputs[place].known.iter().enumerate() {
            value += factor * self.start[*known];
            factor *= length_s / (j + 1) as f64;
        }
        (value, factor)
    }

    /// What the inputs add to an output.
    fn answer(&self, place: usize, inputs: usize, weight: impl Fn(usize) -> f64) -> f64 {
        let row = |k: usize| &self.slopes[k * inputs..(k + 1) * inputs];
        self.outputs[place].answer.map_or(0.0, |k| row(k).iter().enumerate().map(|(i, d)| d * weight(i)).sum())
    }

    /// Outputs at the step's end, with inputs that follow these polynomials.
    pub(super) fn advance(&mut self, inputs: &[Segment], length_s: f64) {
        for place in 0..self.outputs.len() {
            let (value, factor) = self.known(place, length_s);
            let n = self.outputs[place].integrations;
            let answer = self.answer(place, inputs.len(), |i| weighted(&inputs[i], n, length_s));
            self.end[place] = value + factor * self.remainders[place] + answer;
        }
    }

    /// Outputs that follow the inputs at once, with the inputs' values at `at`.
    pub(super) fn refresh(&mut self, unit_port: &mut UnitPort, supply: &mut Supply<'_>, at: Tick) {
        if unit_port.outputs.refresh == Refresh::Reported {
            return;
        }
        unit_port.feed_now(supply, at);
        let inputs = &unit_port.inputs.values;
        for &place in &unit_port.outputs.refresh_places {
            self.end[place] = self.remainders[place] + self.answer(place, inputs.len(), |i| inputs[i]);
        }
        self.publish(unit_port, supply, at);
    }

    pub(super) fn publish(&self, unit_port: &UnitPort, supply: &mut Supply<'_>, at: Tick) {
        for &(channel, first, width) in &unit_port.outputs.channels {
            supply.histories[channel].put(at, &self.end[first..first + width]);
        }
    }

    /// What the step just made has shown beside the model, from the inputs as they were, into `remainders`.
    pub(super) fn remain(
        &mut self,
        unit_port: &mut UnitPort,
        values: &[f64],
        supply: &mut Supply<'_>,
        (end, length_s): (Tick, f64),
    ) {
        // Without remainders the model says what it knows.
        self.remainders.fill(0.0);
        self.advance(&unit_port.inputs.segments, length_s);
        if unit_port.outputs.refresh != Refresh::Reported {
            unit_port.feed_now(supply, end);
            let inputs = &unit_port.inputs.values;
            for &place in &unit_port.outputs.refresh_places {
                self.end[place] = self.answer(place, inputs.len(), |i| inputs[i]);
            }
        }
        for place in 0..self.outputs.len() {
            let (_, factor) = self.known(place, length_s);
            self.remainders[place] = (values[place] - self.end[place]) / factor;
        }
    }
}
