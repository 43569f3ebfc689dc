//! The same run in the laboratory, where its page has the system.

use std::collections::BTreeMap;
use std::path::Path;

use macrostep_benchmarks::named;
use macrostep_oscillator::Parameters;
use macrostep_system::scenario::{Coupling, Setting, StepChoice, Value};
use macrostep_system::words::Control;
use macrostep_system::{Scenario, toml};

/// Systems of this program, and their names in the page.
const SYSTEMS: [[&str; 2]; 6] = [
    ["case-1", "pair"],
    ["nonlinear-spring", "nonlinear-spring"],
    ["chain", "chain"],
    ["circuit", "circuit"],
    ["double-pendulum", "double-pendulum"],
    ["", BALL],
];

/// The ball has a file in place of a name.
const BALL: &str = "bouncing-ball";

/// The settings of the page as the fragment of its address; `None` where the page does not have the system, or a part of the method.
pub fn fragment(s: &Scenario) -> Option<String> {
    let [step_s, stop_s] = [s.experiment.step_s?, s.experiment.stop_s?];
    if s.experiment.start_s != 0.0 {
        return None;
    }
    let (system, cut, values) = SYSTEMS.iter().find_map(|[name, shown]| {
        cuts(name).into_iter().find_map(|(cut, of)| {
            has_method(&s.coupling, &of.coupling, step_s).then_some((shown, cut, values(s, &of, shown)?))
        })
    })?;
    let Coupling { schedule, predict, correct, control, .. } = &s.coupling;
    let control = match control.kind {
        Control::Fixed => String::new(),
        kind => format!("&control={kind}&control_tolerance={:e}", control.tolerance),
    };
    Some(format!(
        "system={system}&cut={cut}&schedule={schedule}&predict={predict}&correct={correct}{control}&step={step_s}&stop={stop_s}{values}"
    ))
}

/// The cuts of a system, and the scenario of each.
fn cuts(name: &str) -> Vec<(&'static str, Scenario)> {
    let Some((system, _)) = named(name) else {
        const TEXT: &str = include_str!("../../../../examples/systems/bouncing-ball.toml");
        return toml::read(TEXT, "", Path::new("")).map(|of| ("contact", of)).into_iter().collect();
    };
    system.variants.iter().filter_map(|cut| Some((*cut, system.scenario(cut).ok()?))).collect()
}

/// Whether a method is made of words alone, with the tolerances and the shortest step of the page.
fn has_method(c: &Coupling, of: &Coupling, step_s: f64) -> bool {
    let words = Coupling {
        schedule: c.schedule,
        predict: c.predict,
        correct: c.correct,
        corrector_tolerance: of.corrector_tolerance,
        control: c.control,
        // What is the same in words and in full.
        derivative: c.derivative,
        sub_steps: c.sub_steps,
        place: c.place.clone(),
        ..Coupling::default()
    };
    c.sub_steps <= 1 && *c == words && c.control.parts(step_s) == StepChoice::default().parts(step_s)
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
        && s.state_events == of.state_events
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
    let slider = slider(shown, &setting.variable, i).filter(|_| setting.unit.is_none());
    match number(&setting.value).zip(number(&usual.value)).zip(slider) {
        Some((pair, name)) => (*values.entry(name).or_insert(pair) == pair).then_some(()),
        None => (setting.value == usual.value).then_some(()),
    }
}

/// The slider of the page for a variable of unit `i`, where this variable alone makes it.
fn slider(shown: &str, variable: &str, i: usize) -> Option<String> {
    let name = match variable.strip_suffix('0') {
        Some(height) if shown == BALL => height.to_owned(),
        Some(state) => format!("{state}{}_0", i + 1),
        None if variable.ends_with("_c") || shown == BALL => variable.to_owned(),
        None => format!("{variable}{}", i + 1),
    };
    let is_one = match shown {
        "pair" => Parameters::NAMES.contains(&name.as_str()),
        "nonlinear-spring" => ["m", "k", "c", "x0", "v0"].contains(&variable),
        "chain" => variable == "m",
        "circuit" => ["L", "R", "C"].contains(&variable),
        _ => ["height", "restitution"].contains(&name.as_str()),
    };
    is_one.then_some(name)
}

/// A number, with a point or without.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Real(x) => Some(*x),
        Value::Integer(i) => Some(*i as f64),
        _ => None,
    }
}
