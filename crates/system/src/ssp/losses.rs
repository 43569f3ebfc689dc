//! Parts of a scenario that a description in SSP cannot have, or has in a form that other tools refuse.

use super::elsewhere::unread;
use super::wires::is_wordless;
use crate::finding::Finding;
use crate::scenario::{Coupling, Scenario};
use macrostep_description::{BaseUnit, ModelDescription};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What SSP has no words for, and what keeps a tool from opening the file.
pub(super) fn losses(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Vec<Finding> {
    let mut out = wordless(s, descriptions);
    // The method, where it differs from the default in more than sub-steps and sampling.
    let c = &s.coupling;
    let plain =
        Coupling { sub_steps: c.sub_steps, sampling: c.sampling, place: c.place.clone(), ..Coupling::default() };
    if *c != plain {
        let what = format!("the method ({}, {}, {}) has no element in SSP", c.schedule, c.predict, c.correct);
        out.push(Finding::warning(&c.place, what, "it is in the annotation; other tools use their own method"));
    }
    // What other tools refuse, or leave out.
    out.extend(s.units.iter().filter(|u| !is_identifier(&u.name)).map(|u| {
        let what = format!("unit `{}`: OMSimulator needs names of letters, digits and `_`", u.name);
        Finding::warning(&u.place, what, "rename it if the file is for that tool")
    }));
    out.extend(unread(s, descriptions));
    out.extend(measures(s, descriptions));
    if step(s, descriptions).is_none() {
        let what = "no macro step, which OMSimulator needs to open the system";
        out.push(Finding::warning(&s.experiment.place, what, "say `step` in [experiment]"));
    }
    out
}

/// What stands in the annotation, because SSP has no words for it.
fn wordless(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Vec<Finding> {
    let mut out = Vec::new();
    // Laws, maps, bonds and steps of a unit's own.
    let next = "it is in the annotation, which other tools do not read";
    out.extend(
        s.laws.iter().map(|l| Finding::warning(&l.place, format!("law `{}` has no element in SSP", l.name), next)),
    );
    out.extend(s.maps.iter().map(|m| Finding::warning(&m.place, "a linear map has no element in SSP", next)));
    out.extend(s.connections.iter().filter(|c| is_wordless(c, s, descriptions)).map(|c| {
        let what = format!(
            "how `{}` is made of `{}` (rounded, or by a table between types) has no element in SSP",
            c.to, c.from
        );
        Finding::warning(&c.place, what, next)
    }));
    let bond = |name: &str| format!("power bond `{name}` has no element in SSP");
    out.extend(s.bonds.iter().map(|b| Finding::warning(&b.place, bond(&b.name), next)));
    out.extend(s.units.iter().filter(|u| u.share != (1, 1)).map(|u| {
        Finding::warning(&u.place, format!("the own macro step of unit `{}` has no element in SSP", u.name), next)
    }));
    // What is between units, what happens on the way, and what was before.
    let (model, event) = ("an interface model has no element in SSP", "an event has no element in SSP");
    out.extend(s.interface_models.iter().map(|m| Finding::warning(&m.place, model, next)));
    let joint = |name: &str| format!("constraint `{name}` has no element in SSP");
    out.extend(s.constraints.iter().map(|c| Finding::warning(&c.place, joint(&c.name), next)));
    out.extend(s.events.iter().map(|e| Finding::warning(&e.place, event, next)));
    out.extend(s.state_events.iter().map(|e| Finding::warning(&e.place, event, next)));
    let input = |name: &str| format!("inputs `{name}` from a file have no element in SSP");
    out.extend(s.inputs.iter().map(|file| Finding::warning(&file.place, input(&file.name), next)));
    out.extend(s.solution.iter().map(|known| Finding::warning(&known.place, "a solution has no element in SSP", next)));
    out.extend(s.history.iter().map(|e| Finding::warning(&e.place, "a past has no element in SSP", next)));
    out.extend(s.units.iter().filter(|u| u.step_parameter.is_some()).map(|u| {
        let what = format!("that a parameter of unit `{}` is its macro step has no element in SSP", u.name);
        Finding::warning(&u.place, what, next)
    }));
    out
}

/// One definition of a unit of measurement is written, the first.
fn measures(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Vec<Finding> {
    let mut out = Vec::new();
    let mut known: BTreeMap<&str, (&str, Option<BaseUnit>)> = BTreeMap::new();
    for (unit, d) in s.units.iter().zip(descriptions) {
        for measure in &d.units {
            let (first, base) = *known.entry(&measure.name).or_insert((&unit.name, measure.base));
            if base != measure.base {
                let what =
                    format!("`{}` is another unit of measurement in `{first}` than in `{}`", measure.name, unit.name);
                out.push(Finding::warning(
                    &unit.place,
                    what,
                    format!("tools that take it from the file have that of `{first}`"),
                ));
            }
        }
    }
    out
}

/// The macro step, or what the FMUs propose.
pub(super) fn step(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Option<f64> {
    let proposed = descriptions.iter().filter_map(|d| d.default_experiment?.step_size).filter(|h| *h > 0.0);
    s.experiment.step_s.or(proposed.reduce(f64::min))
}

/// A name of letters, digits and underscores that begins with a letter, as some tools want it.
pub(super) fn identifier(name: &str) -> String {
    let mut words =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect::<Vec<_>>().join("_");
    if is_identifier(name) {
        words = name.to_owned();
    } else if !words.starts_with(|c: char| c.is_ascii_alphabetic()) {
        words = if words.is_empty() { "system".to_owned() } else { format!("system_{words}") };
    }
    words
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
