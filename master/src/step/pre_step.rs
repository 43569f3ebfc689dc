//! Inputs of a window that is run once, from linear models of the units: *linear-implicit* coupling, for units that cannot go back.
//!
//! Before a step each sampled output y is modelled by what is known of it and by the unit's directional derivatives D = ∂z/∂u,
//! where z is the n-th time derivative of y and follows the inputs u at once:
//!
//! ```text
//! n = 0:  y(T + H) = D u(T + H) + e
//! n ≥ 1:  y(T + H) = Σ_{j<p} Hʲ/j! y⁽ʲ⁾(T) + Hⁿ/(n − 1)! ∫₀¹ (1 − s)ⁿ⁻¹ D u(s) ds + Hᵖ/p! e
//! ```
//!
//! p counts y and those of its derivatives below z that are sampled. The remainder e is what the unit does by itself; every step that was made tells its
//! own, and that of the step to come is taken from the line through the last two. The samples that are consumed before they are
//! published follow from these models, run through plan, predictors and laws: a linear system. Its solution is put into the
//! histories as the guess of a corrector is, and the units step once. Before the first window each unit tells its remainders, e = z − D u, where
//! all derivatives below z are sampled; else that window is explicit, and so is one after an event.
//!
//! A position is then known to O(H⁴), its rate to O(H³), an output that follows the inputs at once to O(H²): the order is that of the
//! predictor, 2 at most where such an output is exchanged, else 3. What is implicit is the way through the inputs; a unit that is
//! stiff by itself is modelled by its past alone.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | n | `integrations` | how often z is integrated to y |
//! | p | `known` | y and its derivatives that are sampled |
//! | D | `slopes` | ∂z/∂u |
//! | e | `remainders` | what the model leaves out |
//! | H | `length_s` | length of the window (s) |
//!
//! Reference: \[Genser 2018\] for computing inputs from interface Jacobians before a step; the equations are ours.

mod model;

use model::Model;

use crate::error::RunError;
use crate::method::schedule::Op;
use crate::signal::history::History;
use crate::step::iteration::consumed_early;
use crate::step::state::State;
use crate::step::supply::{Coupled, Supply};
use crate::step::unit_port::UnitPort;
use crate::step::window::Window;
use crate::system::System;
use crate::time::{Span, Tick};
use crate::unit::UnitError;
use std::ops::Range;

/// Part of a sample's size that it is moved by for a column of the linear system: laws may bend.
const TRIAL: f64 = 1e-3;

/// Remainders that the next one is extrapolated from.
const REMAINDERS: usize = 2;

/// A channel that is consumed before it is published, and its places among the unknowns.
struct Unknown {
    channel: usize,
    places: Range<usize>,
}

/// The models of all units, and the linear system for the samples they need.
pub(crate) struct PreStep {
    models: Vec<Model>,
    unknowns: Vec<Unknown>,
    guess: Vec<f64>,
    moved: Vec<f64>,
    residual: Vec<f64>,
    /// Residual of a moved guess, then the correction.
    change: Vec<f64>,
    matrix: Vec<f64>,
}

impl PreStep {
    /// For a window of the system; `channels` of its histories are sampled. Remainders are kept in histories behind those there are.
    ///
    /// # Errors
    /// [`RunError::Capability`] for a unit that does not say how its outputs follow its inputs.
    pub fn new(system: &System, window: &mut Window, channels: usize) -> Result<Self, RunError> {
        // A model for each unit.
        let mut models = Vec::new();
        for (u, unit_port) in window.unit_ports.iter().enumerate() {
            speaks(unit_port)?;
            let width = unit_port.outputs.refs.len();
            models.push(Model::new((system, u), unit_port, window.histories.len()));
            window.histories.push(History::new(width.max(1), REMAINDERS, 1));
        }
        // What is to be known before it is published.
        let mut first = 0;
        let early = consumed_early(window, channels);
        let early = (0..channels).filter(|channel| early[*channel]);
        let unknowns: Vec<Unknown> = early
            .map(|channel| {
                let places = first..first + window.histories[channel].width();
                first = places.end;
                Unknown { channel, places }
            })
            .collect();
        let zeros = || vec![0.0; first];
        let (guess, moved, residual, change) = (zeros(), zeros(), zeros(), zeros());
        Ok(PreStep { models, unknowns, guess, moved, residual, change, matrix: vec![0.0; first * first] })
    }

    /// Solves for the samples that are consumed early in the window to come, and puts them into the histories.
    ///
    /// # Errors
    /// Those of the units.
    pub fn foresee(&mut self, window: &mut Window, state: &mut State) -> Result<(), UnitError> {
        window.sample_lines(state);
        // The models as they are now.
        let histories = &state.signals.histories;
        let mut is_known = true;
        let is_first = state.now == 0 && state.changes_past == 0;
        for ((model, unit_port), of) in self.models.iter_mut().zip(&mut window.unit_ports).zip(&state.unit_ports) {
            unit_port.ask()?;
            model.prepare(unit_port, histories, state.now)?;
            let is_told = model.expect(&histories[model.history], state.now);
            is_known &= is_told || (is_first && model.begin(unit_port, of)?);
        }
        if !is_known || self.unknowns.is_empty() {
            return Ok(());
        }
        // What the predictor says, and what the models make of it.
        let end = state.now + window.length(state);
        let supply = &mut window.sources.with(&mut state.signals.histories, state.pace);
        for unknown in &self.unknowns {
            supply.value(unknown.channel, end, &mut self.guess[unknown.places.clone()]);
        }
        window.keep(state);
        self.run(window, state, false)?;
        std::mem::swap(&mut self.residual, &mut self.change);
        // A column for each unknown: −∂r/∂y.
        let n = self.guess.len();
        for j in 0..n {
            let step = TRIAL * self.size(&state.signals.histories, j);
            self.moved.copy_from_slice(&self.guess);
            self.moved[j] += step;
            self.run(window, state, true)?;
            for i in 0..n {
                self.matrix[i * n + j] = (self.change[i] - self.residual[i]) / step;
            }
        }
        // The correction; where there is none, the window is explicit.
        window.take_back(state);
        if solve(&mut self.matrix, &mut self.change) {
            self.guess.iter_mut().zip(&self.change).for_each(|(y, d)| *y += d);
            for unknown in &self.unknowns {
                state.signals.histories[unknown.channel].put(end, &self.guess[unknown.places.clone()]);
            }
        }
        Ok(())
    }

    /// After the window over `[now, now + H]`: what the models have left out.
    pub fn learn(&mut self, window: &mut Window, state: &mut State) {
        let (now, length) = (state.now, window.length(state));
        let Coupled { unit_ports, states, mut supply } = window.parts(state);
        let length_s = supply.clock.length_s(length);
        for ((model, unit_port), of) in self.models.iter_mut().zip(unit_ports).zip(states.iter()) {
            model.remain(unit_port, &of.outputs.values, &mut supply, (now + length, length_s));
            let row = &model.remainders;
            if !row.is_empty() {
                supply.histories[model.history].put(now, row);
            }
        }
    }

    /// Runs the models instead of the units, with the guess or the moved one; what comes out less what was guessed is the residual.
    fn run(&mut self, window: &mut Window, state: &mut State, is_moved: bool) -> Result<(), UnitError> {
        window.take_back(state);
        let (now, end) = (state.now, state.now + window.length(state));
        let y = if is_moved { &self.moved } else { &self.guess };
        let Window { unit_ports, sources, plan, groups, .. } = window;
        let supply = &mut sources.with(&mut state.signals.histories, state.pace);
        for unknown in &self.unknowns {
            supply.histories[unknown.channel].put(end, &y[unknown.places.clone()]);
        }
        // The plan.
        for op in plan.ops_at(now) {
            match op.stretched(supply.pace.stretch) {
                Op::Begin { unit, from, to } => {
                    feed(&mut unit_ports[unit], supply, (now + from, now + to));
                    self.models[unit].begun = true;
                }
                Op::Advance { unit, from, to } => {
                    let (model, unit_port) = (&mut self.models[unit], &mut unit_ports[unit]);
                    if !std::mem::take(&mut model.begun) {
                        feed(unit_port, supply, (now + from, now + to));
                    }
                    model.advance(&unit_port.inputs.segments, supply.clock.length_s(to - from));
                }
                Op::Publish { unit, at } => self.models[unit].publish(&unit_ports[unit], supply, now + at),
                Op::RefreshUnit { unit, at } => self.models[unit].refresh(&mut unit_ports[unit], supply, now + at),
                Op::Refresh { group, at } => {
                    for &unit in &groups[group] {
                        self.models[unit].refresh(&mut unit_ports[unit], supply, now + at);
                    }
                }
            }
        }
        // What came out of it.
        for unknown in &self.unknowns {
            let history = &supply.histories[unknown.channel];
            let row = history.row(history.lead(end));
            for (place, value) in unknown.places.clone().zip(row) {
                self.residual[place] = value - y[place];
            }
        }
        Ok(())
    }

    /// Size of an unknown: the largest of its newest samples, 1 where all are 0.
    fn size(&self, histories: &[History], place: usize) -> f64 {
        let Some(unknown) = self.unknowns.iter().find(|u| u.places.contains(&place)) else { return 1.0 };
        let (history, component) = (&histories[unknown.channel], place - unknown.places.start);
        let newest = history.len().saturating_sub(history.depth())..history.len();
        let size = newest.fold(self.guess[place].abs(), |size, i| size.max(history.value(i, component).abs()));
        if size > 0.0 { size } else { 1.0 }
    }
}

/// Refuses a unit that is fed by others and does not say how its outputs follow.
fn speaks(unit_port: &UnitPort) -> Result<(), RunError> {
    let is_fed = unit_port.feeds.iter().any(|feed| !feed.channels().is_empty());
    let co = unit_port.unit.description().co_simulation.as_ref();
    let offers = co.is_some_and(|c| c.provides_directional_derivative) && !unit_port.responses.is_empty();
    if !is_fed || unit_port.outputs.refs.is_empty() || offers {
        return Ok(());
    }
    Err(RunError::Capability {
        needs: "linear-implicit coupling, with outputs that follow the inputs at once or are derivatives' integrals,",
        capability: "providesDirectionalDerivative",
        unit: unit_port.unit.name().to_string(),
        hint: "choose explicit coupling",
    })
}

/// Makes the inputs of a unit over a step.
fn feed(unit_port: &mut UnitPort, supply: &mut Supply<'_>, (from, to): (Tick, Tick)) {
    let span = Span { from, to, length_s: supply.clock.length_s(to - from) };
    for feed in &mut unit_port.feeds {
        feed.segments(supply, &span, &mut unit_port.inputs.segments, &mut unit_port.inputs.values);
    }
}

/// `x ← A⁻¹ x` by elimination with row pivots, A by rows and lost; false, with x lost, where A is singular or not finite.
fn solve(a: &mut [f64], x: &mut [f64]) -> bool {
    let n = x.len();
    for k in 0..n {
        let larger = |p: usize, i: usize| if a[i * n + k].abs() > a[p * n + k].abs() { i } else { p };
        let p = (k + 1..n).fold(k, larger);
        let pivot = a[p * n + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        (k..n).for_each(|j| a.swap(k * n + j, p * n + j));
        x.swap(k, p);
        for i in k + 1..n {
            let factor = a[i * n + k] / pivot;
            (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k * n + j] * x[j]).sum();
        x[k] = (x[k] - known) / a[k * n + k];
    }
    x.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_with_zeros_on_its_diagonal_is_solved() {
        let mut a = [0.0, 2.0, 1.0, 1.0, 0.0, -1.0, 4.0, 1.0, 0.5];
        let rows = a;
        let wanted = [0.3, -2.0, 5.0];
        let mut x: Vec<f64> = rows.chunks(3).map(|row| row.iter().zip(wanted).map(|(a, x)| a * x).sum()).collect();
        assert!(solve(&mut a, &mut x));
        assert!(x.iter().zip(wanted).all(|(x, w)| (x - w).abs() < 1e-14), "{x:?}");
        assert!(!solve(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]));
    }
}
