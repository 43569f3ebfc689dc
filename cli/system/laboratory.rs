//! The same run in the laboratory, where its page has the system.

use std::collections::BTreeMap;

use macrostep_benchmarks::named;
use macrostep_oscillator::Parameters;
use macrostep_system::Scenario;
use macrostep_system::scenario::{Coupling, Setting, Value};

/// Systems of this program, and their names in the page.
const SYSTEMS: [[&str; 2]; 5] = [
    ["case-1", "pair"],
    ["nonlinear-spring", "nonlinear-spring"],
    ["chain", "chain"],
    ["circuit", "circuit"],
    ["double-pendulum", "double-pendulum"],
];

/// The settings of the page as the fragment of its address; `None` where the page does not have the system, or a part of the method.
pub fn fragment(s: &Scenario) -> Option<String> {
    let [step_s, stop_s] = [s.experiment.step_s?, s.experiment.stop_s?];
    if s.experiment.start_s != 0.0 {
        return None;
    }
    let (system, cut, values) = SYSTEMS.iter().find_map(|[name, shown]| {
        let variants = named(name)?.0.variants;
        variants.iter().find_map(|cut| {
            let of = named(name)?.0.scenario(cut).ok()?;
            has_method(&s.coupling, &of.coupling).then_some((shown, cut, values(s, &of, shown)?))
        })
    })?;
    let Coupling { schedule, predict, correct, .. } = &s.coupling;
    Some(format!(
        "system={system}&cut={cut}&schedule={schedule}&predict={predict}&correct={correct}&step={step_s}&stop={stop_s}{values}"
    ))
}

/// Whether a method is made of the three words alone, with the tolerance of the system of the page.
fn has_method(c: &Coupling, of: &Coupling) -> bool {
    let words = Coupling {
        schedule: c.schedule,
        predict: c.predict,
        correct: c.correct,
        corrector_tolerance: of.corrector_tolerance,
        // What is the same in words and in full.
        derivative: c.derivative,
        sub_steps: c.sub_steps,
        place: c.place.clone(),
        ..Coupling::default()
    };
    c.sub_steps <= 1 && *c == words
}

/// The values that differ from those of a system of the page; `None` where more is different.
fn values(s: &Scenario, of: &Scenario, shown: &str) -> Option<String> {
    let is_same = s.connections == of.connections
        && s.laws == of.laws
        && s.maps == of.maps
        && s.bonds == of.bonds
        && s.units.len() == of.units.len()
        && s.sets.is_empty()
        && s.inputs.is_empty()
        && s.events.is_empty()
        && s.state_events.is_empty()
        && s.constraints == of.constraints
        && s.history.is_empty();
    if !is_same {
        return None;
    }
    let mut values = BTreeMap::new();
    for (i, (unit, known)) in s.units.iter().zip(&of.units).enumerate() {
        let is_same = unit.name == known.name
            && unit.source == known.source
            && unit.share == known.share
            && unit.solver_tolerance == known.solver_tolerance
            && unit.settings.len() == known.settings.len();
        if !is_same {
            return None;
        }
        for setting in &unit.settings {
            let usual = known.settings.iter().find(|usual| usual.variable == setting.variable)?;
            take(&mut values, (setting, usual), (i, shown))?;
        }
    }
    let moved =
        values.into_iter().filter_map(|(name, (value, usual))| (value != usual).then(|| format!("&{name}={value}")));
    Some(moved.collect())
}

/// Takes a value and what it usually is by the name of the page's slider; `None` where it differs and there is no slider, or the spring
/// between the masses is not the same on both sides.
fn take(
    values: &mut BTreeMap<String, (f64, f64)>,
    (setting, usual): (&Setting, &Setting),
    (i, shown): (usize, &str),
) -> Option<()> {
    let name = match setting.variable.strip_suffix('0') {
        Some(state) => format!("{state}{}_0", i + 1),
        None if setting.variable.ends_with("_c") => setting.variable.clone(),
        None => format!("{}{}", setting.variable, i + 1),
    };
    let is_slider = shown == "pair" && Parameters::NAMES.contains(&name.as_str());
    match number(&setting.value).zip(number(&usual.value)) {
        Some(pair) if is_slider && setting.unit.is_none() => {
            (*values.entry(name).or_insert(pair) == pair).then_some(())
        }
        _ => (setting.value == usual.value).then_some(()),
    }
}

/// A number, with a point or without.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Real(x) => Some(*x),
        Value::Integer(i) => Some(*i as f64),
        _ => None,
    }
}
