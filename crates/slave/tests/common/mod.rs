//! A model with variables of every type, a discrete state, discarded steps and failures on demand.

use std::path::Path;

use macrostep_description::{Builder, CoSimulation, Declared, DependencyKind::Dependent, ModelDescription};
use macrostep_slave::{Fault, Group, Memory, Model, Outcome, Shape, Span, Tangent};

/// Counts steps and echoes its inputs.
#[derive(Debug)]
pub struct Echo;

// Value references.
pub const GAIN: u32 = 0;
pub const LIMIT: u32 = 1;
pub const U: u32 = 2;
pub const Y: u32 = 3;
pub const COUNT: u32 = 1;
pub const GREETING: u32 = 0;
pub const ANSWER: u32 = 1;

impl Model for Echo {
    fn declare(_: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        let mut b = Builder::new("echo", "Echoes its inputs");
        b.capabilities(CoSimulation { can_interpolate_inputs: true, ..CoSimulation::default() });
        let gain = b.add(Declared::parameter("gain", 2.0).tunable());
        b.add(Declared::parameter("limit", 1.0).range(0.0, 10.0));
        let u = b.add(Declared::input("u", 0.25));
        b.add(Declared::output("y").depends(&[(u, Dependent)]).initially(&[gain, u]));
        b.add(Declared::parameter("mode", 1).bounds(1, 3));
        b.add(Declared::discrete_output("count", 0).depends(&[]).initially(&[]));
        b.add(Declared::input("on", true));
        let greeting = b.add(Declared::input("greeting", "hello"));
        b.add(Declared::discrete_output("answer", "").depends(&[(greeting, Dependent)]).initially(&[greeting]));
        let description = b.finish().map_err(|e| Fault::Declaration(e.to_string()))?;
        Ok((Echo, description))
    }

    fn shape(&self) -> Shape {
        Shape { hidden_reals: 1, hidden_integers: 1 }
    }

    fn initialise(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        memory.hidden_reals[0] = 0.0;
        memory.hidden_integers[0] = 0;
        Ok(())
    }

    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        if memory.strings[0] == "fail" {
            return Err(Fault::Model { t_s: span.start_s, message: "asked to fail".into() });
        }
        memory.hidden_integers[0] += 1;
        memory.hidden_reals[0] += span.step_s * memory.last_inputs.value(0, 0.5 * span.step_s);
        let limit = memory.reals[LIMIT as usize];
        if span.start_s + span.step_s > limit {
            return Ok(Outcome::Discarded { reached_s: limit, terminated: true });
        }
        Ok(Outcome::Done)
    }

    fn evaluate(&mut self, memory: &mut Memory, _: Group) -> Result<(), Fault> {
        memory.reals[Y as usize] = memory.reals[GAIN as usize] * memory.reals[U as usize] + memory.hidden_reals[0];
        memory.integers[COUNT as usize] = memory.hidden_integers[0] as i32;
        memory.strings[ANSWER as usize] = memory.strings[GREETING as usize].to_uppercase();
        Ok(())
    }

    fn output_derivatives(&mut self, _: &Memory, _: &[u32], _: &[i32], values: &mut [f64]) -> Result<(), Fault> {
        values.fill(0.0);
        Ok(())
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { d_known, d_unknown, .. } = of;
        d_unknown.fill(memory.reals[GAIN as usize] * d_known.iter().sum::<f64>());
        Ok(())
    }
}
