//! Macro steps of a body, and where it was inside the last one.

use macrostep_flexible::moving::{Dopri, MicroStep};
use macrostep_flexible::{BodyState, Error, FlexibleBody, Joint, Loads};
use macrostep_ode::{MAX_NODES, Polynomials, lobatto_node};
use macrostep_slave::{Fault, Memory, Phase, Span};
use nalgebra::Vector3;

use super::{Body, DENSE_NODES, MICRO_STEP, TOLERANCE, chosen};

/// What a micro step costs: tens of microseconds with the usual number of modes.
const WORK: u64 = 200;

/// Values of each dense output.
pub(super) const NODES: usize = MAX_NODES + 1;
/// Outputs of a connector with dense output: r and v.
pub(super) const DENSE: usize = 6;

/// Items of the parameter `integrator`.
const RUNGE_KUTTA_4: i32 = 2;
const DORMAND_PRINCE: i32 = 3;

/// Loads from the inputs, by their place; there is no torque on a point.
pub(super) fn fill(body: &FlexibleBody, input: impl Fn(usize) -> f64, loads: &mut Loads) {
    let mut first = 0;
    let mut next = || {
        first += 3;
        Vector3::from_fn(|i, _| input(first - 3 + i))
    };
    for (connector, wrench) in body.connectors.iter().zip(&mut loads.wrenches) {
        wrench.force = next();
        wrench.torque = if connector.is_point() { Vector3::zeros() } else { next() };
    }
    loads.gravity = next();
}

/// A micro step: when it starts, its middle, its length (s), times since the start of the macro step.
#[derive(Clone, Copy)]
struct Part {
    start: f64,
    middle: f64,
    step_s: f64,
}

impl Part {
    /// Micro step `k` of length `h`.
    fn whole(k: u64, h: f64) -> Part {
        Part { start: k as f64 * h, middle: (k as f64 + 0.5) * h, step_s: h }
    }

    /// What is left of a macro step up to `end`.
    fn rest(start: f64, end: f64) -> Part {
        Part { start, middle: 0.5 * (start + end), step_s: end - start }
    }
}

/// What changes in micro steps: the state with the accelerations of the step before behind it, and whether these are known.
struct Changing<'a> {
    values: &'a mut [f64],
    before: &'a mut [f64],
    known: &'a mut i64,
}

impl<'a> Changing<'a> {
    fn new(kept: &'a mut [f64], known: &'a mut i64, body: &FlexibleBody, size: usize) -> Changing<'a> {
        let (values, rest) = kept.split_at_mut(size);
        Changing { values, before: &mut rest[..6 + body.modes()], known }
    }

    fn advance(
        &mut self,
        (body, micro): (&FlexibleBody, &mut MicroStep),
        (method, inputs): (i32, &Polynomials),
        part: Part,
    ) -> Result<(), Error> {
        let at = |tau: f64| move |i: usize| inputs.value(i, tau);
        let Part { start, middle, step_s } = part;
        // Runge–Kutta needs no accelerations from before.
        if method == RUNGE_KUTTA_4 {
            return micro.runge_kutta_4(body, self.values, step_s, |tau, loads| fill(body, at(start + tau), loads));
        }
        // Linearly implicit: the first step takes those of the present state.
        if *self.known == 0 {
            micro.accelerations(body, self.values, self.before, |loads| fill(body, at(start), loads))?;
            *self.known = 1;
        }
        micro.linearly_implicit(body, (self.values, self.before), step_s, |loads| fill(body, at(middle), loads))
    }
}

impl Body {
    /// Advances the hidden state over a macro step; that of its start is kept.
    ///
    /// # Errors
    /// [`Fault::Model`] for too many micro steps, and where the equations cannot be solved.
    pub(super) fn advance(&mut self, memory: &mut Memory, span: Span) -> Result<(), Fault> {
        let kept = self.changing();
        memory.hidden_reals.copy_within(..kept, kept);
        memory.hidden_integers[1] = memory.hidden_integers[0];
        let failed = |e: Error| Fault::Model { t_s: span.start_s, message: e.to_string() };
        if memory.integers[0] == DORMAND_PRINCE {
            let (inputs, joint) = (&memory.last_inputs, Self::joint(memory));
            let (body, relative) = (chosen(&self.data, &self.plain, memory), memory.reals[TOLERANCE]);
            // Time since the step's start, so that a step does not depend on where it is.
            let now = &mut memory.hidden_reals[..kept];
            let settings = Tolerant { body, inputs, joint, relative };
            return settings.advance((&mut self.dopri, &mut self.state), now, (0.0, span.step_s)).map_err(failed);
        }
        let count = span.micro_steps(memory.reals[MICRO_STEP], WORK)?;
        self.micro_steps(memory, span, count).map_err(failed)
    }

    fn micro_steps(&mut self, memory: &mut Memory, span: Span, count: u64) -> Result<(), Error> {
        // The body with or without geometric stiffness, held by its joint.
        let (size, kept) = (self.size(), self.changing());
        self.micro.hold(Self::joint(memory));
        let Body { data, plain, micro, .. } = self;
        let body = chosen(data, plain, memory);
        let h = span.step_s / count as f64;
        let mut course = Changing::new(&mut memory.hidden_reals[..kept], &mut memory.hidden_integers[0], body, size);
        (0..count).try_for_each(|k| {
            course.advance((body, micro), (memory.integers[0], &memory.last_inputs), Part::whole(k, h))
        })
    }

    /// Dense output of all connectors: r and v at the nodes inside the last step.
    ///
    /// # Errors
    /// As [`Body::advance`].
    pub(super) fn show_nodes(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        // During initialisation no step was made: all nodes show the present.
        let nodes = usize::try_from(memory.integers[DENSE_NODES]).unwrap_or(0).min(MAX_NODES);
        let step_s = if memory.phase == Phase::Initialization { 0.0 } else { memory.last_step_s };
        let span = Span { start_s: memory.time_s - step_s, step_s };
        let failed = |e: Error| Fault::Model { t_s: span.start_s, message: e.to_string() };
        // A walk from the start of the step, node after node.
        let (size, kept) = (self.size(), self.changing());
        let mut walk = std::mem::take(&mut self.walk);
        walk[..kept].copy_from_slice(&memory.hidden_reals[kept..]);
        let mut passed = Passed { steps: 0, tau: 0.0, known: memory.hidden_integers[1] };
        let mut result = Ok(());
        for i in 0..NODES {
            let tau = lobatto_node(i.min(nodes), nodes) * step_s;
            // Nodes behind the last one show the present, as it does.
            if i >= nodes || step_s == 0.0 {
                self.state.values_mut().copy_from_slice(&memory.hidden_reals[..size]);
            } else if result.is_ok() {
                result = self.go_to(memory, (span, tau), &mut walk, &mut passed);
            }
            result = result.and_then(|()| self.show_node(memory, i).map_err(failed));
        }
        self.walk = walk;
        result
    }

    /// Brings the state to `tau` after the start of a step that was made.
    fn go_to(
        &mut self,
        memory: &Memory,
        (span, tau): (Span, f64),
        walk: &mut [f64],
        passed: &mut Passed,
    ) -> Result<(), Fault> {
        let failed = |e: Error| Fault::Model { t_s: span.start_s, message: e.to_string() };
        let (size, kept) = (self.size(), self.changing());
        let (joint, inputs) = (Self::joint(memory), &memory.last_inputs);
        let (walked, part) = walk.split_at_mut(kept);
        let body = chosen(&self.data, &self.plain, memory);
        if memory.integers[0] == DORMAND_PRINCE {
            let settings = Tolerant { body, inputs, joint, relative: memory.reals[TOLERANCE] };
            if tau > passed.tau {
                let times = (std::mem::replace(&mut passed.tau, tau), tau);
                settings.advance((&mut self.dopri, &mut self.state), walked, times).map_err(failed)?;
            }
            self.state.values_mut().copy_from_slice(&walked[..size]);
            return Ok(());
        }
        // Whole micro steps before the node, which are kept; then a part of one.
        let count = span.micro_steps(memory.reals[MICRO_STEP], WORK)?;
        let h = span.step_s / count as f64;
        let whole = ((tau / h) as u64).min(count - 1);
        self.micro.hold(joint);
        let settings = (memory.integers[0], inputs);
        let mut course = Changing::new(walked, &mut passed.known, body, size);
        for k in passed.steps..whole {
            course.advance((body, &mut self.micro), settings, Part::whole(k, h)).map_err(failed)?;
        }
        passed.steps = passed.steps.max(whole);
        part.copy_from_slice(walked);
        let mut known = passed.known;
        let start = whole as f64 * h;
        if tau > start {
            let mut course = Changing::new(part, &mut known, body, size);
            course.advance((body, &mut self.micro), settings, Part::rest(start, tau)).map_err(failed)?;
        }
        self.state.values_mut().copy_from_slice(&part[..size]);
        Ok(())
    }

    /// r and v of every connector at the state into node `i`.
    fn show_node(&self, memory: &mut Memory, i: usize) -> Result<(), Error> {
        for c in 0..self.connectors() {
            let m = self.body(memory).motion(&self.state, c)?;
            for (k, value) in m.position.iter().chain(m.velocity.iter()).enumerate() {
                memory.reals[self.nodes() + (DENSE * c + k) * NODES + i] = *value;
            }
        }
        Ok(())
    }
}

/// How far a step has been repeated.
struct Passed {
    /// Whole micro steps.
    steps: u64,
    /// Time since its start (s), where steps have no fixed length.
    tau: f64,
    /// Whether the accelerations of the step before are known.
    known: i64,
}

/// Integration with error control.
struct Tolerant<'a> {
    body: &'a FlexibleBody,
    inputs: &'a Polynomials,
    joint: Joint,
    relative: f64,
}

impl Tolerant<'_> {
    /// Advances `kept`, a state with the step to try next as its last number.
    fn advance(
        &self,
        (dopri, state): (&mut Dopri, &mut BodyState),
        kept: &mut [f64],
        times: (f64, f64),
    ) -> Result<(), Error> {
        let (body, size, last) = (self.body, state.values().len(), kept.len() - 1);
        dopri.hold(self.joint);
        state.values_mut().copy_from_slice(&kept[..size]);
        dopri.relative = self.relative;
        // Small deflections have no other measure than that of their size.
        dopri.absolute = dopri.absolute.min(1e-3 * self.relative);
        dopri.step_s = (kept[last] > 0.0).then_some(kept[last]);
        dopri.advance(body, state, times, |tau, loads| fill(body, |i| self.inputs.value(i, tau), loads))?;
        kept[last] = dopri.step_s.unwrap_or(0.0);
        kept[..size].copy_from_slice(state.values());
        Ok(())
    }
}
