//! Start values of a description that are no finite number: a run has them where nothing else is set, and its outputs are NaN.

use super::Declared;
use crate::finding::Finding;
use crate::scenario::Endpoint;
use macrostep_description::{Causality, ModelDescription, Value, Variable};
use std::collections::HashSet;

/// Names that are shown.
const SHOWN_MAX: usize = 8;

/// Parameters and inputs whose declared start is NaN or infinite, of those that keep it; in words, `None` where there are none.
fn not_finite(description: &ModelDescription, keeps: impl Fn(&Variable) -> bool) -> Option<String> {
    let is_bad = |v: &&Variable| {
        let is_given = matches!(v.causality, Causality::Parameter | Causality::Input);
        is_given && matches!(v.start, Some(Value::Real(x)) if !x.is_finite()) && keeps(v)
    };
    let all: Vec<String> = description.variables.iter().filter(is_bad).map(shown).collect();
    let more = all.len().saturating_sub(SHOWN_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let shown = all.iter().take(SHOWN_MAX).cloned().collect::<Vec<_>>().join(", ");
    (!all.is_empty()).then(|| format!("declared start values are not finite: {shown}{more}"))
}

fn shown(v: &Variable) -> String {
    match v.start {
        Some(Value::Real(x)) => format!("`{}` = {x}", v.name),
        _ => format!("`{}`", v.name),
    }
}

/// One warning a unit.
pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    // What has another value from the start on: connected, from a file, or set.
    let fed: HashSet<&Endpoint> = d.scenario.connections.iter().map(|c| &c.to).collect();
    for (i, (unit, description)) in d.scenario.units.iter().zip(d.descriptions).enumerate() {
        let Some(description) = description else { continue };
        let set: HashSet<&str> = d.names.settings(i).map(|s| s.variable.as_str()).collect();
        let keeps = |v: &Variable| {
            let end = Endpoint { unit: unit.name.clone(), variable: v.name.clone() };
            !set.contains(v.name.as_str()) && !fed.contains(&end)
        };
        if let Some(what) = not_finite(description, keeps) {
            let what = format!("unit `{}`: {what}", unit.name);
            findings.push(Finding::warning(&unit.place, what, "set them in [units.NAME.set]"));
        }
    }
}
