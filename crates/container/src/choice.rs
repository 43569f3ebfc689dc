//! The variables of the units that a container has.

use std::collections::HashSet;
use std::sync::Arc;

use macrostep_description::{Causality, ModelDescription, Variability, Variable};
use macrostep_system::scenario::Endpoint;
use macrostep_system::{Scenario, assemble};

use crate::contents::Interface;
use crate::slaves::Slaves;

/// Patterns `UNIT.NAME`, in which `*` stands for any letters; without a pattern: all variables.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Of inputs that nothing inside feeds.
    pub inputs: &'a [String],
    /// Of parameters.
    pub parameters: &'a [String],
}

/// A system, and the variables that can be chosen.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    /// The scenario with everything said.
    pub scenario: &'a Scenario,
    /// What the units declare, in their order.
    pub descriptions: &'a [Arc<ModelDescription>],
    /// Recorded variables: unit, and position in its description.
    pub recorded: &'a [(usize, usize)],
}

/// A choice that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// A pattern that nothing fits.
    #[error("`{option} {pattern}`: no {what} fits; {hint}")]
    Nothing {
        /// The option.
        option: &'static str,
        /// The pattern.
        pattern: String,
        /// What was looked for.
        what: &'static str,
        /// What there is.
        hint: String,
    },
    /// No output.
    #[error("no recorded variable can be an output; name some with `--outputs UNIT.VARIABLE`")]
    NoOutput,
}

/// Chooses the variables of the container.
///
/// # Errors
/// Where a pattern fits nothing, or there is no output.
pub fn choose(of: &Choice<'_>, name: &str, wanted: &Wanted<'_>) -> Result<Interface, ChoiceError> {
    let s = of.scenario;
    // Inputs that neither a connection nor an event sets.
    let fed: HashSet<&Endpoint> = s.targets().map(|(end, _)| end).collect();
    let settings = s.events.iter().flat_map(|e| &e.settings).chain(s.state_events.iter().flat_map(|e| &e.settings));
    let taken = s.state_events.iter().flat_map(|e| &e.taken).map(|t| (t.to.unit.as_str(), t.to.variable.as_str()));
    let set = settings.map(|(unit, x)| (unit.as_str(), x.variable.as_str())).chain(taken);
    let set: HashSet<(&str, &str)> = set.collect();
    let is_open = |unit: &str, v: &Variable| {
        let end = Endpoint { unit: unit.to_owned(), variable: v.name.clone() };
        v.causality == Causality::Input && !fed.contains(&end) && !set.contains(&(unit, v.name.as_str()))
    };
    // Parameters but those that are told the step.
    let is_parameter = |unit: &str, v: &Variable| {
        let told = s.units.iter().find(|u| u.name == unit).and_then(|u| u.step_parameter.as_deref());
        v.causality == Causality::Parameter && v.variability != Variability::Constant && told != Some(v.name.as_str())
    };
    let inputs = fitting(of, ("--inputs", "input without a connection inside"), wanted.inputs, is_open)?;
    let parameters = fitting(of, ("--parameters", "parameter"), wanted.parameters, is_parameter)?;
    // What is recorded, unless it shows already.
    let recorded = of.recorded.iter().map(|&(u, v)| (&s.units[u].name, &of.descriptions[u].variables[v]));
    let outputs = recorded.map(|(unit, v)| format!("{unit}.{}", v.name));
    let outputs: Vec<String> = outputs.filter(|name| !inputs.contains(name) && !parameters.contains(name)).collect();
    if outputs.is_empty() {
        return Err(ChoiceError::NoOutput);
    }
    Ok(Interface {
        name: name.to_owned(),
        identifier: identifier(name),
        inputs,
        outputs,
        parameters,
        slaves: Slaves::default(),
    })
}

/// Variables of a kind that fit one of the patterns.
fn fitting(
    of: &Choice<'_>,
    (option, what): (&'static str, &'static str),
    patterns: &[String],
    is_one: impl Fn(&str, &Variable) -> bool,
) -> Result<Vec<String>, ChoiceError> {
    let units = of.scenario.units.iter().zip(of.descriptions);
    let of_unit = |(unit, d): (&macrostep_system::scenario::Unit, &Arc<ModelDescription>)| {
        let variables = d.variables.iter().filter(|v| is_one(&unit.name, v));
        variables.map(|v| format!("{}.{}", unit.name, v.name)).collect::<Vec<_>>()
    };
    let all: Vec<String> = units.flat_map(of_unit).collect();
    // A pattern that fits none is a mistake.
    for pattern in patterns.iter().filter(|p| !p.is_empty()) {
        if !all.iter().any(|name| assemble::matches(pattern, name)) {
            let some: Vec<&str> = all.iter().take(6).map(String::as_str).collect();
            let hint =
                if some.is_empty() { "there is none".to_owned() } else { format!("there are `{}`", some.join("`, `")) };
            return Err(ChoiceError::Nothing { option, pattern: pattern.clone(), what, hint });
        }
    }
    let fits = |name: &String| patterns.is_empty() || patterns.iter().any(|p| assemble::matches(p, name));
    Ok(all.into_iter().filter(fits).collect())
}

/// A C identifier that is like a name.
fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = name.chars().map(plain).collect();
    let starts_well = text.starts_with(|c: char| !c.is_ascii_digit());
    if starts_well { text } else { format!("system_{text}") }
}
