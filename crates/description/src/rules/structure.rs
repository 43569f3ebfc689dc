//! Rules on `ModelStructure`.

use std::collections::HashSet;

use super::Findings;
use crate::{Causality, Dependencies, DependencyKind, Initial, ModelDescription, Unknown, Variability};

pub(super) fn outputs(d: &ModelDescription, f: &mut Findings<'_>) {
    let listed = listed(d, &d.structure.outputs, "Outputs", f);
    for (at, v) in d.variables.iter().enumerate() {
        match (v.causality == Causality::Output, listed.contains(&at)) {
            (true, false) => f.variable(at, "an output that `Outputs` does not list", "every output there"),
            (false, true) => f.variable(at, "no output, but listed in `Outputs`", "outputs only"),
            _ => {}
        }
    }
}

/// A slave without directional derivatives need not care for `Derivatives`: it is ignored (FMI 2.0.5, section 2.2.8).
fn derivatives_count(d: &ModelDescription) -> bool {
    d.model_exchange.is_some() || d.co_simulation.as_ref().is_some_and(|c| c.provides_directional_derivative)
}

pub(super) fn derivatives(d: &ModelDescription, f: &mut Findings<'_>) {
    if !derivatives_count(d) {
        return;
    }
    for at in listed(d, &d.structure.derivatives, "Derivatives", f) {
        let of = d.variables.get(at).and_then(|v| v.real()).and_then(|a| a.derivative);
        if of.is_none() {
            f.variable(at, "listed in `Derivatives` without `derivative`", "the derivative of a state");
        }
    }
}

/// What an importer reads from `Derivatives` where it integrates: as many states as entries, in their order.
pub(super) fn states_of_exchange(d: &ModelDescription, f: &mut Findings<'_>) {
    if d.model_exchange.is_none() {
        return;
    }
    let mut states = HashSet::new();
    for at in d.structure.derivatives.iter().map(|unknown| unknown.index) {
        let Some(of) = d.variables.get(at).and_then(|v| v.real()).and_then(|a| a.derivative) else { continue };
        let Some(state) = d.variables.get(of) else { continue };
        if !states.insert(of) {
            f.variable(at, format!("a second derivative of `{}` in `Derivatives`", state.name), "one for each state");
        }
        if !matches!(state.causality, Causality::Output | Causality::Local) {
            f.variable(of, format!("a state of causality {:?}", state.causality), "an output or a local variable");
        }
    }
    for (at, v) in d.variables.iter().enumerate() {
        if v.real().is_some_and(|a| a.reinit) && !states.contains(&at) {
            f.variable(at, "`reinit`, and no state", "it at states only");
        }
    }
}

/// The exact set: outputs, states and their derivatives that are approximate or calculated, and calculated parameters.
pub(super) fn initial_unknowns(d: &ModelDescription, f: &mut Findings<'_>) {
    let list = &d.structure.initial_unknowns;
    let listed = listed(d, list, "InitialUnknowns", f);
    if d.fmi3.is_none() && list.windows(2).any(|pair| pair[0].index >= pair[1].index) {
        f.add("`InitialUnknowns`", "indices that do not ascend", "ascending indices");
    }
    let (states, derivatives) = states(d);
    // Other names of variables (FMI 3.0) are listed by their variables.
    let is_alias = |at: usize| d.fmi3.as_ref().and_then(|fmi3| fmi3.places.get(at)).is_some_and(|place| place.is_alias);
    for (at, v) in d.variables.iter().enumerate().filter(|(at, _)| !is_alias(*at)) {
        let computed = matches!(v.initial, Some(Initial::Approx | Initial::Calculated));
        let expected = match v.causality {
            Causality::CalculatedParameter => true,
            Causality::Output => computed,
            _ => computed && (states.contains(&at) || derivatives.contains(&at)),
        };
        match (expected, listed.contains(&at)) {
            (true, false) => f.variable(at, "an initial unknown that is not listed", "it in `InitialUnknowns`"),
            (false, true) => f.variable(at, "no initial unknown, but listed as one", "the exact set"),
            _ => {}
        }
    }
}

/// Positions of the continuous states and of their derivatives, as `Derivatives` declares them.
fn states(d: &ModelDescription) -> (HashSet<usize>, HashSet<usize>) {
    let derivatives: HashSet<usize> = d.structure.derivatives.iter().map(|u| u.index).collect();
    let states = derivatives.iter().filter_map(|at| d.variables.get(*at)?.real()?.derivative).collect();
    (states, derivatives)
}

/// The positions of a list; those out of range or given twice are reported.
fn listed(d: &ModelDescription, list: &[Unknown], name: &str, f: &mut Findings<'_>) -> HashSet<usize> {
    let mut seen = HashSet::with_capacity(list.len());
    for unknown in list {
        if unknown.index >= d.variables.len() {
            let found = format!("index {}", unknown.index + 1);
            f.add(format!("`{name}`"), found, format!("1 to {}", d.variables.len()));
        } else if !seen.insert(unknown.index) {
            f.variable(unknown.index, format!("listed twice in `{name}`"), "once");
        }
    }
    seen
}

pub(super) fn dependencies(d: &ModelDescription, f: &mut Findings<'_>) {
    let (states, _) = states(d);
    let s = &d.structure;
    // State derivatives of a file that may leave them out are not looked at.
    for (list, name, initial) in [
        (&s.outputs[..], "Outputs", false),
        (if derivatives_count(d) { &s.derivatives[..] } else { &[][..] }, "Derivatives", false),
        (&s.initial_unknowns[..], "InitialUnknowns", true),
    ] {
        for unknown in list {
            let Dependencies::Known(known) = &unknown.dependencies else { continue };
            if known.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
                f.variable(
                    unknown.index,
                    format!("dependencies in `{name}` that do not ascend"),
                    "each once, ascending",
                );
            }
            // Each dependency is a variable, and one that counts as known there.
            for (at, kind) in known {
                let Some(v) = d.variables.get(*at) else {
                    let expected = format!("1 to {}", d.variables.len());
                    f.variable(unknown.index, format!("dependency {} in `{name}`", at + 1), expected);
                    continue;
                };
                // FMI 2.0.5, section 2.2.8: knowns in step mode are inputs, states and time; while initialising,
                // everything exact takes the place of the states.
                let is_known = match v.causality {
                    Causality::Input => true,
                    Causality::Independent => true,
                    _ if initial => v.initial == Some(Initial::Exact) && v.variability != Variability::Constant,
                    _ => states.contains(at),
                };
                if !is_known {
                    f.variable(
                        unknown.index,
                        format!("a dependency on `{}` in `{name}`", v.name),
                        "dependencies on knowns",
                    );
                }
                // Other kinds are slopes, which only a Real has.
                let real = d.variables.get(unknown.index).is_some_and(|v| v.real().is_some());
                if *kind != DependencyKind::Dependent && !real {
                    f.variable(unknown.index, format!("dependency kind {kind:?}"), "`dependent`: it is no Real");
                }
            }
        }
    }
}
