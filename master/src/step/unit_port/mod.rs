//! A *unit port*: the inputs of a unit and their feeds, its sampled outputs, and how both are exchanged with it. In a window,
//! units are fed, stepped and read here and nowhere else; beside it only `dense.rs` (samples inside a step), `jacobian.rs`
//! (directional derivatives) and `link.rs` (values that are not real) read and set variables, `compiled.rs` steps units whose
//! inputs are held, and `window.rs` saves and restores states.

mod inputs;
mod nodes;
mod outputs;
mod parts;
mod response;
mod rest;
mod sampling;
mod trials;

use inputs::{Inputs, InputsState};
use outputs::{Outputs, OutputsState};
use parts::Parts;
use response::responses;
pub(crate) use response::{Response, answers, rate};
pub(crate) use trials::Tried;

use crate::error::RunError;
use crate::method::{Method, Sampling};
use crate::savable::savable;
use crate::signal::history::History;
use crate::step::dense::{Dense, DenseState};
use crate::step::feed::{Feed, feeds_of};
use crate::step::supply::Supply;
use crate::system::System;
use crate::system::refresh::Refresh;
use crate::time::{Span, Tick};
use crate::unit::{Outcome, Unit, UnitError};

savable! {
/// What changes of a unit port.
pub(crate) struct UnitPortState {
    /// Whether the unit is in the step that [`UnitPort::advance`] ends.
    pub begun: bool,
    pub inputs: InputsState,
    pub outputs: OutputsState,
    dense: Option<DenseState>,
}
}

pub(crate) struct UnitPort {
    pub unit: Box<dyn Unit>,
    /// As made; steps of a controlled run are a multiple of it.
    pub step: Tick,
    /// Whether inputs are constants, so that no polynomials are made.
    pub holds: bool,
    /// Whether a step of which the unit has done a part is continued from there.
    goes_on: bool,
    /// Whether feed-through outputs are sampled with the inputs' rates too.
    pub rates: bool,
    /// Samples inside the steps, where the method wants them.
    pub dense: Option<Dense>,
    pub inputs: Inputs,
    pub outputs: Outputs,
    pub feeds: Vec<Feed>,
    /// How sampled outputs answer the inputs, for estimating an interface Jacobian.
    pub responses: Vec<Response>,
}

impl UnitPortState {
    /// Whether it may take the place of another: of the same shape.
    pub fn may_replace(&self, other: &UnitPortState) -> bool {
        let shape = |s: &UnitPortState| (s.inputs.shape(), s.outputs.shape(), s.dense.as_ref().map(DenseState::shape));
        shape(self) == shape(other)
    }
}

impl UnitPort {
    /// The port of unit `u` of the system; the histories its feeds keep go behind those there are.
    pub fn new(
        (system, u): (&System, usize),
        unit: Box<dyn Unit>,
        method: &Method,
        histories: &mut Vec<History>,
    ) -> Self {
        // Inputs in the order of the connections, and what feeds them.
        let description = &system.descriptions[u];
        let co = description.co_simulation.as_ref();
        let may_vary = co.is_some_and(|c| c.can_handle_variable_communication_step_size);
        let takes = system.input_orders[u];
        let refs: Vec<u32> = system.connections_of(u).map(|c| c.reference).collect();
        let feeds = feeds_of((system, u), &refs, method.predictor.as_ref(), histories);
        // How feed-through outputs are sampled.
        let refresh = match method.sampling {
            Sampling::Updated => Refresh::of(description),
            Sampling::Lagged => Refresh::Reported,
        };
        let outputs = Outputs::new(system, u, refresh);
        let parts = Parts::new(refs.len(), method.deviation, may_vary);
        let inputs = Inputs::new(refs, system.width(), takes, (method.sub_steps.max(1), parts));
        // What is known over time is no constant over a step, nor is the force of a joint.
        let follows = feeds.iter().any(|f| matches!(f, Feed::Series(_) | Feed::Outside(_) | Feed::Reaction(_)));
        let (holds, rates) = (method.predictor.holds() && !follows, method.predictor.rates() && takes > 0);
        // Step control repeats such a step with a shorter one.
        let goes_on = may_vary && method.control.is_none();
        let responses = responses(system, u);
        UnitPort { unit, step: 0, holds, goes_on, rates, dense: None, inputs, outputs, feeds, responses }
    }

    /// The same with steps of so many ticks.
    pub fn with_step(self, step: Tick) -> Self {
        UnitPort { step, ..self }
    }

    /// Before the first step.
    pub fn state(&self) -> UnitPortState {
        UnitPortState {
            begun: false,
            inputs: InputsState::new(self.inputs.refs.len()),
            outputs: self.outputs.state(),
            dense: self.dense.as_ref().map(Dense::state),
        }
    }

    /// Before the first step: the unit is not sampled inside its steps.
    pub fn forget_dense(&mut self, state: &mut UnitPortState) {
        (self.dense, state.dense) = (None, None);
    }

    /// Feeds the unit over `span`, steps it and reads its outputs.
    #[inline]
    pub fn advance(
        &mut self,
        state: &mut UnitPortState,
        supply: &mut Supply<'_>,
        span: &Span,
        keep: bool,
    ) -> Result<Outcome, UnitError> {
        // The step, with inputs that are held or polynomials.
        let t_s = supply.clock.seconds(span.from);
        if !state.begun {
            self.ask()?;
        }
        let outcome = if state.begun {
            state.begun = false;
            self.unit.step(t_s, span.length_s, keep)?
        } else if self.holds {
            for feed in &mut self.feeds {
                feed.constants(supply, span.from, span.to, &mut self.inputs.values);
            }
            self.inputs.shift_values(&state.inputs);
            self.hold(state, t_s, span.length_s, keep)?
        } else {
            for feed in &mut self.feeds {
                feed.segments(supply, span, &mut self.inputs.segments, &mut self.inputs.values);
            }
            self.inputs.shift_segments(&state.inputs);
            if self.dense.as_ref().is_some_and(Dense::is_stepped) {
                self.step_by_nodes(state, t_s, span.length_s, keep)?
            } else {
                self.follow(state, t_s, span.length_s, keep)?
            }
        };
        let outcome = match outcome {
            Outcome::Done => outcome,
            _ => self.go_on(state, (t_s, span.length_s), outcome, keep)?,
        };
        // What came out of it.
        state.inputs.shown = false;
        if outcome == Outcome::Done {
            self.outputs.read_into(self.unit.as_mut(), &mut state.outputs.values)?;
            if let (Some(dense), Some(samples)) = (&self.dense, &mut state.dense) {
                dense.read(samples, self.unit.as_mut(), span)?;
            }
        }
        Ok(outcome)
    }

    /// Feeds the unit over `span` and begins its step, which [`UnitPort::advance`] ends. A unit that needs sub-steps makes
    /// all of them there.
    pub fn begin(
        &mut self,
        state: &mut UnitPortState,
        supply: &mut Supply<'_>,
        span: &Span,
        keep: bool,
    ) -> Result<(), UnitError> {
        if self.holds || self.inputs.interpolates() {
            self.ask()?;
        }
        // A step with sub-steps is made as a whole where it is ended.
        if self.holds {
            for feed in &mut self.feeds {
                feed.constants(supply, span.from, span.to, &mut self.inputs.values);
            }
            self.inputs.shift_values(&state.inputs);
            self.set_constants(state)?;
        } else if self.inputs.interpolates() && !self.dense.as_ref().is_some_and(Dense::is_stepped) {
            for feed in &mut self.feeds {
                feed.segments(supply, span, &mut self.inputs.segments, &mut self.inputs.values);
            }
            self.inputs.shift_segments(&state.inputs);
            if !self.set_segments(state, span.length_s)? {
                return Ok(());
            }
        } else {
            return Ok(());
        }
        state.begun = true;
        self.unit.begin_step(supply.clock.seconds(span.from), span.length_s, keep)
    }

    /// Asks the unit what its feeds want to know of it before a step.
    #[inline]
    pub fn ask(&mut self) -> Result<(), UnitError> {
        self.feeds.iter_mut().try_for_each(|feed| match feed {
            Feed::Line(line) => line.ask(self.unit.as_mut()),
            _ => Ok(()),
        })
    }

    /// The same before the first step, when an end of a line is refused whose unit moves the other way.
    ///
    /// # Errors
    /// Those of the unit; [`RunError::Grid`] with its answer.
    pub fn ask_first(&mut self) -> Result<(), RunError> {
        self.ask()?;
        let lines =
            self.feeds.iter().filter_map(|feed| if let Feed::Line(line) = feed { line.reversed() } else { None });
        lines.take(1).try_for_each(|(end, answer)| {
            let unit = self.unit.name();
            let found = format!("unit `{unit}` at end {end}, whose acceleration changes by {answer:e} 1/kg with the force");
            let expected = "a negative change at end 1 and a positive one at end 2: exchange the ends, or take a unit whose force has the other sign";
            Err(RunError::grid("end of a line", found, expected.to_owned()))
        })
    }

    /// A step with constant inputs, those in `inputs.values`.
    #[inline]
    pub fn hold(
        &mut self,
        state: &mut UnitPortState,
        t_s: f64,
        length_s: f64,
        keep: bool,
    ) -> Result<Outcome, UnitError> {
        self.set_constants(state)?;
        self.unit.step(t_s, length_s, keep)
    }

    /// A step with polynomial inputs, those in `inputs.segments`.
    #[inline]
    pub fn follow(
        &mut self,
        state: &mut UnitPortState,
        t_s: f64,
        length_s: f64,
        keep: bool,
    ) -> Result<Outcome, UnitError> {
        if self.set_segments(state, length_s)? {
            self.unit.step(t_s, length_s, keep)
        } else if self.inputs.interpolates() {
            self.in_parts(state, (t_s, length_s), keep)
        } else {
            self.sub_steps(t_s, length_s, keep)
        }
    }

    /// Sets the inputs to `inputs.values` for a step.
    #[inline]
    pub fn set_constants(&mut self, state: &mut UnitPortState) -> Result<(), UnitError> {
        if self.outputs.refresh == Refresh::Directional {
            state.inputs.held.copy_from_slice(&self.inputs.values);
        }
        if self.inputs.are_shown(&state.inputs) { Ok(()) } else { self.inputs.set(self.unit.as_mut()) }
    }

    /// Sets the inputs to their polynomials; false where the unit cannot follow them and needs sub-steps or parts.
    #[inline]
    pub fn set_segments(&mut self, state: &mut UnitPortState, length_s: f64) -> Result<bool, UnitError> {
        if self.outputs.refresh == Refresh::Directional {
            self.inputs.keep_held(&mut state.inputs);
        }
        if self.inputs.are_constant(&state.inputs) {
            self.set_constants(state)?;
        } else if self.inputs.degree() <= self.inputs.takes {
            self.inputs.send_polynomials(&mut state.inputs, self.unit.as_mut(), length_s)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// For a unit that holds its inputs: steps in which it holds the polynomial's value at the middle.
    fn sub_steps(&mut self, t_s: f64, length_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        let n = self.inputs.sub_steps;
        for i in 0..n {
            let s = (i as f64 + 0.5) / n as f64;
            for (v, p) in self.inputs.values.iter_mut().zip(&self.inputs.segments) {
                *v = p.at(s);
            }
            self.inputs.set(self.unit.as_mut())?;
            let sub_s = length_s / n as f64;
            let outcome = self.unit.step(t_s + length_s * (i as f64 / n as f64), sub_s, keep)?;
            if outcome != Outcome::Done {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Done)
    }

    /// Goes back to a saved state.
    pub fn restore(&mut self, state: &mut UnitPortState, slot: usize) -> Result<(), UnitError> {
        (state.inputs.shown, state.begun) = (false, false);
        self.unit.restore(slot)
    }
}
