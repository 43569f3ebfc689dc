//! Models given by ordinary differential equations: what their author writes.

use macrostep_description::{BaseUnit, Declared};
use macrostep_ode::System;

/// A [`System`] with names, units and start values for its vectors. From it follow description, dependencies (found by
/// running the equations on names), integration, directional and output derivatives, dense output, saved states.
pub trait Equations: System {
    /// `modelIdentifier`, a C identifier.
    const IDENTIFIER: &'static str;

    /// One sentence of description.
    const ABOUT: &'static str;

    /// Declares units, then parameters, inputs and outputs in the order of the vectors p, u and y. Dependencies need not
    /// be stated.
    fn declare(d: &mut Declaration);
}

/// Takes the declarations of [`Equations::declare`].
#[derive(Debug, Clone, Default)]
pub struct Declaration {
    pub(crate) units: Vec<(String, BaseUnit)>,
    pub(crate) parameters: Vec<Declared>,
    pub(crate) inputs: Vec<Declared>,
    pub(crate) outputs: Vec<Declared>,
    /// Pairs of derivative and what it is the derivative of, both outputs.
    pub(crate) derivatives: Vec<(usize, usize)>,
    /// Output, name and description of each dense output.
    pub(crate) dense: Vec<(usize, String, String)>,
    /// Pairs of state and the output that shows it.
    pub(crate) states: Vec<(usize, usize)>,
    pub(crate) micro_step_s: f64,
    pub(crate) experiment: Option<(f64, f64, f64)>,
}

impl Declaration {
    /// Defines a unit by its exponents.
    pub fn unit(&mut self, name: &str, base: BaseUnit) {
        self.units.push((name.into(), base));
    }

    /// The next element of p.
    pub fn parameter(&mut self, declared: Declared) {
        self.parameters.push(declared);
    }

    /// The next element of u.
    pub fn input(&mut self, declared: Declared) {
        self.inputs.push(declared);
    }

    /// The next element of y; returns its position.
    pub fn output(&mut self, declared: Declared) -> usize {
        self.outputs.push(declared);
        self.outputs.len() - 1
    }

    /// Says that an output shows a state, so that derivatives with respect to it can be asked for.
    pub fn shows_state(&mut self, output: usize, state: usize) {
        self.states.push((state, output));
    }

    /// Says that an output is the time derivative of another.
    pub fn derivative(&mut self, output: usize, of: usize) {
        self.derivatives.push((output, of));
    }

    /// Offers an output also at the nodes inside the last step, as `name[0]` … `name[20]`.
    pub fn dense(&mut self, output: usize, name: &str, about: &str) {
        self.dense.push((output, name.into(), about.into()));
    }

    /// Start value of the parameter `micro_step` [s].
    pub fn micro_step(&mut self, step_s: f64) {
        self.micro_step_s = step_s;
    }

    /// `DefaultExperiment`: start, stop and macro step [s].
    pub fn experiment(&mut self, start_s: f64, stop_s: f64, step_s: f64) {
        self.experiment = Some((start_s, stop_s, step_s));
    }
}
