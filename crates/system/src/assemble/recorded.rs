//! The variables that a run records.

use super::Assembly;
use crate::finding::Finding;
use crate::near::nearest;
use macrostep_description::{Causality, Dependencies, ModelDescription, Variable};
use std::collections::HashMap;

/// Outputs that are recorded at most where the usual ones are none.
const OTHERS_MAX: usize = 1000;

/// Unit, and position in its description, of what is recorded: what the scenario asks for; else real outputs that are no
/// elements of arrays; where there are none of these, other outputs.
pub(super) fn recorded(a: &Assembly, findings: &mut Vec<Finding>) -> Vec<(usize, usize)> {
    if a.effective.record.variables.is_empty() { usual(a, findings) } else { wanted(a, findings) }
}

/// What fits the patterns.
fn wanted(a: &Assembly, findings: &mut Vec<Finding>) -> Vec<(usize, usize)> {
    let wanted = &a.effective.record.variables;
    let mut used = vec![false; wanted.len()];
    // Plain names are looked up, patterns are tried one by one.
    let (mut names, mut patterns): (HashMap<&str, Vec<usize>>, Vec<usize>) = Default::default();
    for (i, (pattern, _)) in wanted.iter().enumerate() {
        if pattern.contains('*') { patterns.push(i) } else { names.entry(pattern).or_default().push(i) }
    }
    // Every variable of every unit, as the column it would be.
    let mut out = Vec::new();
    let mut column = String::new();
    for (u, description) in a.descriptions.iter().enumerate() {
        for (i, v) in description.variables.iter().enumerate() {
            column.clear();
            column.push_str(&a.effective.units[u].name);
            column.push('.');
            column.push_str(&v.name);
            // All patterns that fit count as used, not only the first.
            let mut is_wanted = false;
            let named = names.get(column.as_str()).into_iter().flatten();
            for &p in named.chain(patterns.iter().filter(|p| matches(&wanted[**p].0, &column))) {
                used[p] = true;
                is_wanted = true;
            }
            if is_wanted {
                out.push((u, i));
            }
        }
    }
    // A pattern that fits nothing is most likely misspelt. A run of which nothing would be recorded is no answer.
    for ((pattern, place), _) in wanted.iter().zip(used).filter(|(_, used)| !used) {
        let what = format!("no variable of a unit matches `{pattern}`");
        // Names that nobody wrote are measures, whose own messages say what they lack.
        let is_written = !place.file.is_empty();
        findings.push(if out.is_empty() && is_written {
            Finding::error(place, what + ", and nothing else is recorded", meant(a, pattern))
        } else {
            Finding::warning(place, what, format!("nothing is recorded for it; {}", meant(a, pattern)))
        });
    }
    out
}

/// What may be meant by a pattern that fits nothing.
fn meant(a: &Assembly, pattern: &str) -> String {
    let units = || a.effective.units.iter().map(|unit| unit.name.as_str());
    if units().any(|unit| unit == pattern) {
        return format!("`{pattern}.*` are all variables of that unit");
    }
    // Of a unit that exists the nearest variables, else the nearest unit.
    let known = units().position(|unit| pattern.strip_prefix(unit).is_some_and(|rest| rest.starts_with('.')));
    let near: Vec<String> = match known {
        Some(u) => {
            let names = a.descriptions[u].variables.iter().map(|v| v.name.as_str());
            let variable = &pattern[a.effective.units[u].name.len() + 1..];
            nearest(variable, names).into_iter().map(|name| format!("`{}.{name}`", a.effective.units[u].name)).collect()
        }
        None => {
            let unit = pattern.split('.').next().unwrap_or_default();
            nearest(unit, units()).into_iter().map(|unit| format!("`{unit}.*`")).collect()
        }
    };
    format!("near it: {}", near.join(", "))
}

/// What is recorded where nothing is said.
fn usual(a: &Assembly, findings: &mut Vec<Finding>) -> Vec<(usize, usize)> {
    let is_output = |v: &Variable| v.causality == Causality::Output;
    let usual = outputs(a, |v| is_output(v) && v.real().is_some() && !v.name.contains('['));
    if !usual.is_empty() {
        return usual;
    }
    let place = &a.effective.experiment.place;
    let choose = "`--record UNIT.VARIABLE`, or `record.variables`, chooses";
    let mut others = outputs(a, is_output);
    match others.len() {
        0 => findings.push(Finding::warning(place, "no unit has an output: only time is recorded", choose)),
        n => {
            let some = if n > OTHERS_MAX { format!("the first {OTHERS_MAX} of {n}") } else { "they".to_owned() };
            let what = format!("no output is a real number outside of arrays: {some} are recorded");
            findings.push(Finding::note(place, what, choose));
        }
    }
    others.truncate(OTHERS_MAX);
    others
}

fn outputs(a: &Assembly, is_one: impl Fn(&Variable) -> bool) -> Vec<(usize, usize)> {
    let of_unit = |(u, d): (usize, &std::sync::Arc<macrostep_description::ModelDescription>)| {
        let variables = d.variables.iter().enumerate().filter(|(_, v)| is_one(v));
        variables.map(|(i, _)| (u, i)).collect::<Vec<_>>()
    };
    a.descriptions.iter().enumerate().flat_map(of_unit).collect()
}

/// Recorded columns that depend on derivatives of inputs, which a method sends or not: they have no error that would shrink with the
/// step, and are not measured. With one note for all of them.
pub fn unmeasured(a: &Assembly) -> (Vec<String>, Option<Finding>) {
    let seen = a.recorded.iter().filter(|(u, v)| sees_derivatives(&a.descriptions[*u], *v));
    let names: Vec<String> = seen.map(|(u, v)| a.column(*u, *v)).collect();
    let what = format!(
        "outputs that depend on derivatives of inputs: `{}`; how accurate they are depends on the method, and a smaller step does not help",
        names.join("`, `")
    );
    let note = (!names.is_empty()).then(|| Finding::note(&a.effective.experiment.place, what, ""));
    (names, note)
}

/// Whether an output is the derivative of one that follows inputs at once: what it shows depends on the derivatives of inputs
/// that a method sends.
pub fn sees_derivatives(description: &ModelDescription, v: usize) -> bool {
    let Some(base) = description.variables[v].real().and_then(|r| r.derivative) else { return false };
    let is_input = |i: usize| description.variables.get(i).is_some_and(|v| v.causality == Causality::Input);
    let unknown = description.structure.outputs.iter().find(|unknown| unknown.index == base);
    match unknown.map(|unknown| &unknown.dependencies) {
        Some(Dependencies::Known(known)) => known.iter().any(|d| is_input(d.0)),
        _ => false,
    }
}

/// Whether a text fits a pattern in which `*` stands for any letters. After each `*` the first fit of what follows is as good
/// as any other, so that no second one is looked for.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|head| text.strip_prefix(head)) else { return false };
    let Some(tail) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, text) in [
            ("a.*", "a.b"),
            ("*", ""),
            ("*.x", "m.y.x"),
            ("a*b*c", "a1b2c"),
            ("é*", "éé"),
            ("x", "x"),
            ("*x", "xx"),
            ("a.y[*]", "a.y[1,2]"),
            ("*ab*ab", "abab"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("a.*", "b.a"), ("*.x", "m.xx"), ("x", "xy"), ("a*b", "a"), ("aba*aba", "aba"), ("*ab*ab", "ab")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
