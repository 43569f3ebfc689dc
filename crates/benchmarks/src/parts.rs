//! Units, connections and bonds in short, for systems of the FMUs this program carries.

use macrostep_system::scenario::{
    Bond, Connection, Coupling, Endpoint, Experiment, Gain, Law, LawKind, Place, Port, Record, Scenario, Setting,
    Source, Unit, Value,
};
use macrostep_system::words::Predict;

/// Variables in the order of a list: `name[1]` … `name[count]`.
pub(crate) fn vector(name: &str, count: usize) -> Vec<String> {
    (1..=count).map(|i| format!("{name}[{i}]")).collect()
}

/// A unit of an embedded FMU with real parameters.
pub(crate) fn unit(name: &str, model: &str, parameters: &[(&str, f64)]) -> Unit {
    let mut unit = Unit::new(name, Source::Embedded(model.to_owned()));
    parameters.iter().for_each(|(variable, value)| set(&mut unit, variable, Value::Real(*value)));
    unit
}

/// Says that inputs without a source stay at 0.
pub(crate) fn rest(unit: &mut Unit, inputs: &[&str]) {
    inputs.iter().for_each(|input| set(unit, input, Value::Real(0.0)));
}

/// Another start value of a unit.
pub(crate) fn set(unit: &mut Unit, variable: &str, value: Value) {
    unit.settings.push(Setting::new(variable, value, Place::default()));
}

/// `UNIT.VARIABLE`.
pub(crate) fn end(text: &str) -> Endpoint {
    let (unit, variable) = text.split_once('.').unwrap_or((text, ""));
    Endpoint { unit: unit.to_owned(), variable: variable.to_owned() }
}

fn ends(texts: &[&str]) -> Vec<Endpoint> {
    texts.iter().map(|text| end(text)).collect()
}

/// `to` gets `from`.
pub(crate) fn wire(to: &str, from: &str) -> Connection {
    Connection::new(end(from), end(to), Place::default())
}

/// `to` gets `from`, which obeys a law: predictors of motions evaluate that.
pub(crate) fn obeying(to: &str, from: &str, law: &str) -> Connection {
    Connection { law: Some(law.to_owned()), ..wire(to, from) }
}

/// A law of two motions with one output `f`.
pub(crate) fn law(name: &str, kind: LawKind, inputs: [&str; 4]) -> Law {
    let (name, outputs) = (name.to_owned(), vec!["f".to_owned()]);
    Law { name, kind, inputs: ends(&inputs), outputs, place: Place::default() }
}

/// `k (x₁ − x₂) + c (v₁ − v₂)`.
pub(crate) fn spring(name: &str, [k, c]: [f64; 2], inputs: [&str; 4]) -> Law {
    law(name, LawKind::SpringDamper { stiffness: Gain::Number(k), damping: Gain::Number(c) }, inputs)
}

/// A power bond of ports.
pub(crate) fn bond(name: &str, ports: Vec<Port>) -> Bond {
    Bond { name: name.to_owned(), ports, place: Place::default() }
}

/// A port: velocity, and the effort that each input makes.
pub(crate) fn port(flow: &str, inputs: &[(&str, f64)]) -> Port {
    let inputs = inputs.iter().map(|(input, gain)| ((*input).to_owned(), Gain::Number(*gain))).collect();
    Port { flow: end(flow), inputs, place: Place::default() }
}

/// What is recorded, each pattern as `UNIT.VARIABLE`.
pub(crate) fn record(patterns: &[&str]) -> Record {
    Record {
        variables: patterns.iter().map(|p| ((*p).to_owned(), Place::default())).collect(),
        every: 1,
        ..Record::default()
    }
}

/// Times: from 0 s to `stop_s` by `step_s`.
pub(crate) fn times(step_s: f64, stop_s: f64) -> Experiment {
    Experiment { step_s: Some(step_s), stop_s: Some(stop_s), ..Experiment::default() }
}

/// Jacobi with this prediction.
pub(crate) fn predicted(predict: Predict) -> Coupling {
    Coupling { predict, sub_steps: 1, ..Coupling::default() }
}

/// An empty system of this name, Jacobi with linear prediction.
pub(crate) fn system(name: &str, description: &str, experiment: Experiment) -> Scenario {
    let (name, description) = (name.to_owned(), description.to_owned());
    Scenario { name, description, experiment, coupling: predicted(Predict::classical(1)), ..Scenario::default() }
}
