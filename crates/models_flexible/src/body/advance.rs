//! Macro steps of a body.

use macrostep_flexible::{Error, Loads};
use macrostep_ode::Polynomials;
use macrostep_slave::{Fault, Memory, Span};
use nalgebra::Vector3;

use super::{Body, LOADS, MICRO_STEP, TOLERANCE, chosen};

/// What a micro step costs: tens of microseconds with the usual number of modes.
const WORK: u64 = 200;

/// Items of the parameter `integrator`.
const RUNGE_KUTTA_4: i32 = 2;
const DORMAND_PRINCE: i32 = 3;

/// Loads from the inputs at `tau` since the polynomials' origin.
pub(super) fn fill(inputs: &Polynomials, tau: f64, loads: &mut Loads) {
    let vector = |first: usize| Vector3::from_fn(|i, _| inputs.value(first + i, tau));
    for (c, wrench) in loads.wrenches.iter_mut().enumerate() {
        wrench.force = vector(LOADS * c);
        wrench.torque = vector(LOADS * c + 3);
    }
    loads.gravity = vector(LOADS * loads.wrenches.len());
}

impl Body {
    /// Advances the hidden state over a macro step.
    ///
    /// # Errors
    /// [`Fault::Model`] for too many micro steps, and where the equations cannot be solved.
    pub(super) fn advance(&mut self, memory: &mut Memory, span: Span) -> Result<(), Fault> {
        let failed = |e: Error| Fault::Model { t_s: span.start_s, message: e.to_string() };
        if memory.integers[0] == DORMAND_PRINCE {
            return self.dormand_prince(memory, span).map_err(failed);
        }
        let count = span.micro_steps(memory.reals[MICRO_STEP], WORK)?;
        self.micro_steps(memory, span, count).map_err(failed)
    }

    fn micro_steps(&mut self, memory: &mut Memory, span: Span, count: u64) -> Result<(), Error> {
        // The body with or without geometric stiffness, held by its joint.
        let size = self.size();
        self.micro.hold(Self::joint(memory));
        let Body { data, plain, micro, .. } = self;
        let body = chosen(data, plain, memory);
        let (inputs, hidden) = (&memory.last_inputs, &mut memory.hidden_reals);
        let h = span.step_s / count as f64;
        let (values, rest) = hidden.split_at_mut(size);
        // Runge–Kutta needs no accelerations from before.
        if memory.integers[0] == RUNGE_KUTTA_4 {
            for k in 0..count {
                micro.runge_kutta_4(body, values, h, |tau, loads| fill(inputs, k as f64 * h + tau, loads))?;
            }
            return Ok(());
        }
        // Linearly implicit: the first step takes those of the present state.
        let before = &mut rest[..6 + body.modes()];
        if memory.hidden_integers[0] == 0 {
            micro.accelerations(body, values, before, |loads| fill(inputs, 0.0, loads))?;
            memory.hidden_integers[0] = 1;
        }
        for k in 0..count {
            let middle = (k as f64 + 0.5) * h;
            micro.linearly_implicit(body, (values, before), h, |loads| fill(inputs, middle, loads))?;
        }
        Ok(())
    }

    fn dormand_prince(&mut self, memory: &mut Memory, span: Span) -> Result<(), Error> {
        let size = self.size();
        let last = memory.hidden_reals.len() - 1;
        let joint = Self::joint(memory);
        self.micro.hold(joint);
        self.dopri.hold(joint);
        self.state.values_mut().copy_from_slice(&memory.hidden_reals[..size]);
        self.dopri.relative = memory.reals[TOLERANCE];
        let tried = memory.hidden_reals[last];
        self.dopri.step_s = (tried > 0.0).then_some(tried);
        let inputs = &memory.last_inputs;
        // Time since the step's start, so that a step does not depend on where it is.
        let body = chosen(&self.data, &self.plain, memory);
        self.dopri.advance(body, &mut self.state, (0.0, span.step_s), |tau, loads| fill(inputs, tau, loads))?;
        memory.hidden_reals[last] = self.dopri.step_s.unwrap_or(0.0);
        memory.hidden_reals[..size].copy_from_slice(self.state.values());
        Ok(())
    }
}
