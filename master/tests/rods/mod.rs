//! Rods as units, with and without what they offer beside rollback.

use macrostep_description::{Dependencies, ModelDescription};
use macrostep_master::unit::{
    Derivatives, Described, NativeUnit, Start, States, Steps, Tangent, Unit, UnitError, Values,
};
use macrostep_master::{End, Signal, System, UnitId};
use macrostep_models::find;

/// A rod as a unit; `plain` without what it offers beside rollback.
pub fn rod(model: &str, name: &str, plain: bool) -> Box<dyn Unit> {
    let unit: Box<dyn Unit> = Box::new(NativeUnit::new(find(model).expect("a model").instantiate(name)));
    if plain { Box::new(Plain::new(unit)) } else { unit }
}

/// Start values of a rod, with Runge–Kutta of order 4 inside, in micro steps of 1 ms unless the values say otherwise.
pub fn set(system: &mut System, unit: UnitId, model: &str, values: &[(&str, f64)]) {
    let description = find(model).expect("a model").describe();
    let reference = |name: &str| description.variable(name).expect("a parameter").value_reference;
    let start = |reference, value| Start { reference, value, origin: String::new() };
    for (name, value) in [("micro_step", 1e-3)].iter().chain(values) {
        system.start(unit, start(reference(name), macrostep_description::Value::Real(*value)));
    }
    system.start(unit, start(reference("integrator"), macrostep_description::Value::Integer(2)));
}

/// A unit that holds its inputs, declares no derivatives and can do nothing but step and go back.
struct Plain {
    unit: Box<dyn Unit>,
    description: ModelDescription,
}

impl Plain {
    fn new(unit: Box<dyn Unit>) -> Self {
        let mut description = unit.description().clone();
        if let Some(co) = &mut description.co_simulation {
            co.can_interpolate_inputs = false;
            co.provides_directional_derivative = false;
            co.max_output_derivative_order = 0;
        }
        for v in &mut description.variables {
            if let macrostep_description::Kind::Real(attributes) = &mut v.kind {
                attributes.derivative = None;
            }
        }
        for unknown in &mut description.structure.outputs {
            unknown.dependencies = Dependencies::All;
        }
        Plain { unit, description }
    }
}

impl Described for Plain {
    fn name(&self) -> &str {
        self.unit.name()
    }
    fn description(&self) -> &ModelDescription {
        &self.description
    }
    fn inner(&self) -> Option<&dyn Unit> {
        Some(self.unit.as_ref())
    }
    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(Some(self.unit.as_mut()))
    }
}

impl Values for Plain {}

impl Derivatives for Plain {
    fn set_input_derivatives(&mut self, _: &[u32], _: &[i32], _: &[f64]) -> Result<(), UnitError> {
        panic!("a unit that holds its inputs was given derivatives")
    }
    fn get_output_derivatives(&mut self, _: &[u32], _: &[i32], _: &mut [f64]) -> Result<(), UnitError> {
        panic!("a unit without output derivatives was asked for them")
    }
    fn directional(&mut self, _: Tangent<'_>) -> Result<(), UnitError> {
        panic!("a unit without directional derivatives was asked for one")
    }
}

impl States for Plain {
    fn hidden_state(&mut self) -> Option<&mut [f64]> {
        None
    }
}

impl Steps for Plain {
    fn do_steps(&self) -> u64 {
        self.unit.do_steps()
    }
}

impl Unit for Plain {}

/// An end of a rod, `a` or `b`, as an end of a joint; `turns` with its angle.
pub fn end(system: &mut System, unit: UnitId, which: &str, turns: bool) -> End {
    let mut signal = |p: &str, v: &str| -> [Signal; 2] {
        let channel = system.channel(unit, &[p, v]).expect("a motion");
        [channel.component(0), channel.component(1)]
    };
    let mut motions = vec![
        signal(&format!("x_{which}"), &format!("vx_{which}")),
        signal(&format!("y_{which}"), &format!("vy_{which}")),
    ];
    let mut force = vec![(unit, format!("fx_{which}")), (unit, format!("fy_{which}"))];
    if turns {
        motions.push(signal("phi", "omega"));
        force.push((unit, format!("m_{which}")));
    }
    End::Free {
        position: motions.iter().map(|m| m[0]).collect(),
        velocity: motions.iter().map(|m| m[1]).collect(),
        force,
    }
}
