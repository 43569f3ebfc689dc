//! Rules on causality, variability, `initial` and references between variables.

use std::collections::{HashMap, HashSet};

use super::{Combination, Findings, combination};
use crate::{Causality, Kind, ModelDescription, Variability, Variable};

pub(super) fn exist(d: &ModelDescription, f: &mut Findings<'_>) {
    if d.variables.is_empty() {
        f.add("`ModelVariables`", "no variable", "at least one");
    }
}

pub(super) fn legal_combination(d: &ModelDescription, f: &mut Findings<'_>) {
    for (at, v) in d.variables.iter().enumerate() {
        if combination(v.causality, v.variability) == Combination::Illegal {
            f.variable(at, format!("{:?} and {:?}", v.causality, v.variability), "a combination of the table");
        }
    }
}

pub(super) fn continuous(d: &ModelDescription, f: &mut Findings<'_>) {
    for (at, v) in d.variables.iter().enumerate() {
        if v.variability == Variability::Continuous && v.real().is_none() {
            f.variable(at, "continuous, but no Real", "another variability");
        }
    }
}

pub(super) fn initial(d: &ModelDescription, f: &mut Findings<'_>) {
    for (at, v) in d.variables.iter().enumerate() {
        match (combination(v.causality, v.variability), v.initial) {
            // Inputs of FMI 3.0 may say that their start values are exact.
            (Combination::None, Some(crate::Initial::Exact)) if d.fmi3.is_some() && v.causality == Causality::Input => {
            }
            (Combination::None, Some(initial)) => f.variable(at, format!("`initial` {initial:?}"), "none"),
            (Combination::Of(allowed), Some(initial)) if !allowed.contains(&initial) => {
                f.variable(at, format!("`initial` {initial:?}"), format!("one of {allowed:?}"));
            }
            _ => {}
        }
    }
}

pub(super) fn independent(d: &ModelDescription, f: &mut Findings<'_>) {
    let all = d.variables.iter().enumerate().filter(|(_, v)| v.causality == Causality::Independent);
    for (count, (at, v)) in all.enumerate() {
        if count > 0 {
            f.variable(at, "a second independent variable", "one");
        }
        if v.real().is_none() {
            f.variable(at, "an independent variable that is no Real", "a Real");
        }
    }
}

pub(super) fn derivative_of(d: &ModelDescription, f: &mut Findings<'_>) {
    for (at, v) in d.variables.iter().enumerate() {
        let Some(a) = v.real() else { continue };
        if a.reinit && d.model_exchange.is_none() && d.fmi3.is_none() {
            f.variable(at, "`reinit`", "none: there are no events in co-simulation");
        }
        let Some(of) = a.derivative else { continue };
        let state = d.variables.get(of);
        if !state.is_some_and(|s| s.real().is_some() && s.variability == Variability::Continuous) {
            f.variable(at, format!("`derivative` {}", of + 1), "the index of a continuous Real");
        } else if of == at {
            f.variable(at, "`derivative` of itself", "another variable");
        }
    }
}

pub(super) fn multiple_set(d: &ModelDescription, f: &mut Findings<'_>) {
    for (at, v) in d.variables.iter().enumerate() {
        if !v.can_handle_multiple_set && v.causality != Causality::Input {
            f.variable(at, "`canHandleMultipleSetPerTimeInstant` and no input", "it at inputs only");
        }
    }
}

/// Names of terminals, and the variables that they are made of; the name of an array stands for its elements.
pub(super) fn terminals(d: &ModelDescription, f: &mut Findings<'_>) {
    let Some(fmi3) = d.fmi3.as_ref().filter(|fmi3| !fmi3.terminals.is_empty()) else { return };
    let array = |name: &'_ str| name.rfind('[').unwrap_or(name.len());
    let known: HashSet<&str> = d.variables.iter().flat_map(|v| [&v.name[..], &v.name[..array(&v.name)]]).collect();
    let mut seen = HashSet::new();
    for terminal in &fmi3.terminals {
        let subject = format!("terminal `{}`", terminal.name);
        if !seen.insert(terminal.name.as_str()) {
            f.add(&subject, "two of this name", "unique names");
        }
        for member in terminal.members.iter().filter(|member| !known.contains(member.variable.as_str())) {
            f.add(&subject, format!("the member `{}`", member.variable), "a variable of the FMU");
        }
    }
}

pub(super) fn intermediate(d: &ModelDescription, f: &mut Findings<'_>) {
    let Some(fmi3) = &d.fmi3 else { return };
    for (at, (v, place)) in d.variables.iter().zip(&fmi3.places).enumerate() {
        if !place.is_intermediate || place.is_alias {
            continue;
        }
        if d.co_simulation.is_some() && !fmi3.provides_intermediate_update {
            f.variable(at, "`intermediateUpdate`, and `providesIntermediateUpdate` is false", "both or none");
        } else if v.causality == Causality::Input && v.variability != Variability::Continuous {
            f.variable(at, "`intermediateUpdate` of an input that is not continuous", "it at continuous inputs");
        } else if matches!(v.causality, Causality::Parameter | Causality::CalculatedParameter) {
            f.variable(
                at,
                "`intermediateUpdate` of a parameter",
                "it at continuous inputs, outputs and local variables",
            );
        }
    }
}

/// The type whose value references a variable's belongs to; enumerations share those of integers
/// (`fmi2GetInteger` reads both).
fn reference_space(v: &Variable) -> u8 {
    match v.kind {
        Kind::Real(_) => 0,
        Kind::Integer { .. } | Kind::Enumeration { .. } => 1,
        Kind::Boolean => 2,
        Kind::String => 3,
    }
}

pub(super) fn aliases(d: &ModelDescription, f: &mut Findings<'_>) {
    // Of each value reference the first variable, and the first with a start.
    let mut first: HashMap<(u8, u32), (usize, Option<usize>)> = HashMap::with_capacity(d.variables.len());
    for (at, v) in d.variables.iter().enumerate() {
        let started = v.start.is_some().then_some(at);
        let Some(entry) = first.get_mut(&(reference_space(v), v.value_reference)) else {
            first.insert((reference_space(v), v.value_reference), (at, started));
            continue;
        };
        // Aliases are of one type and unit, and constant together.
        let other = &d.variables[entry.0];
        let constant = |v: &Variable| v.variability == Variability::Constant;
        if std::mem::discriminant(&other.kind) != std::mem::discriminant(&v.kind) || other.unit() != v.unit() {
            f.variable(at, format!("another type or unit than its alias `{}`", other.name), "the same");
        } else if constant(other) != constant(v) {
            f.variable(at, format!("a constant aliased with `{}`, which is none", other.name), "both or none constant");
        }
        // Only one of them has a start value, unless they are constants.
        match (entry.1, started) {
            (Some(before), Some(_)) if !constant(v) => {
                let name = &d.variables[before].name;
                f.variable(at, format!("a second start value beside that of its alias `{name}`"), "one");
            }
            (None, Some(_)) => entry.1 = started,
            _ => {}
        }
    }
}
