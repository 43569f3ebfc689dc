//! Outputs with direct feed-through of units that cannot evaluate them anew: the inputs that they are computed from, and
//! remedies.

use super::advice::{FORKED, stays};
use super::order::{Loop, Order, order};
use crate::assemble::Assembly;
use crate::finding::Finding;
use crate::scenario::{Connection, Endpoint};
use crate::words::{Correct, Sampling};
use macrostep_description::{Dependencies, ModelDescription};
use macrostep_master::{Refresh, Supplied};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// With which inputs an output is evaluated instead of those at its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lateness {
    /// Those at the step's start, held over it.
    OneStep,
    /// Those predicted for the step's end.
    Predicted,
    /// Those at the middle of the last sub-step.
    SubStep,
}

impl Lateness {
    /// The inputs in words.
    pub fn words(self) -> &'static str {
        match self {
            Lateness::OneStep => "one communication step old",
            Lateness::Predicted => "predicted over the communication step",
            Lateness::SubStep => "at the middle of the last sub-step",
        }
    }

    /// What `explain` says of a connection from such an output.
    pub(super) fn sampling(self) -> &'static str {
        match self {
            Lateness::OneStep => "feed-through, sampled with inputs one step old",
            Lateness::Predicted => "feed-through, sampled with inputs predicted over the step",
            Lateness::SubStep => "feed-through, sampled with inputs of the last sub-step",
        }
    }
}

/// Outputs, connected or recorded, that follow inputs at once but are left as reported with other values of them.
pub(super) fn late_outputs(a: &Assembly, lagging: &BTreeSet<Endpoint>) -> BTreeMap<Endpoint, Lateness> {
    let s = &a.effective;
    let supplied = a.system.supplied();
    let wanted = wanted(a, &supplied);
    let mut inputs: Vec<Vec<&str>> = vec![Vec::new(); s.units.len()];
    for p in &supplied {
        inputs[p.unit.index()].push(&p.input);
    }
    let mut late = BTreeMap::new();
    for (u, unit) in s.units.iter().enumerate() {
        let description = &a.descriptions[u];
        if s.coupling.sampling == Sampling::Updated && Refresh::of(description) != Refresh::Reported {
            continue;
        }
        // Which inputs the unit holds other values of at its step's end, and which values.
        let holds = s.coupling.predict.fed_degree() == 0;
        let sub_steps = !holds && !description.co_simulation.as_ref().is_some_and(|c| c.can_interpolate_inputs);
        let lateness = match (sub_steps, holds) {
            (true, _) => Lateness::SubStep,
            (false, true) => Lateness::OneStep,
            (false, false) => Lateness::Predicted,
        };
        let end = |variable: &str| Endpoint { unit: unit.name.clone(), variable: variable.to_owned() };
        let behind: HashSet<&str> =
            inputs[u].iter().copied().filter(|input| sub_steps || lagging.contains(&end(input))).collect();
        if behind.is_empty() {
            continue;
        }
        // Outputs somebody looks at that follow one of them.
        for (output, followed) in outputs(description, &wanted[u]) {
            if followed.is_none_or(|inputs| inputs.iter().any(|input| behind.contains(input))) {
                late.insert(end(output), lateness);
            }
        }
    }
    late
}

/// Connected or recorded variables of each unit.
fn wanted<'a>(a: &'a Assembly, supplied: &'a [Supplied]) -> Vec<HashSet<&'a str>> {
    let mut wanted = vec![HashSet::new(); a.descriptions.len()];
    for (u, variable) in supplied.iter().flat_map(|p| &p.sources) {
        wanted[u.index()].insert(variable.as_str());
    }
    for &(u, variable) in &a.recorded {
        wanted[u].insert(a.descriptions[u].variables[variable].name.as_str());
    }
    wanted
}

/// Those outputs of a unit that are wanted, and the variables each follows at once: `None` for all inputs.
fn outputs<'a>(
    description: &'a ModelDescription,
    wanted: &'a HashSet<&str>,
) -> impl Iterator<Item = (&'a str, Option<Vec<&'a str>>)> {
    let name = move |i: usize| description.variables.get(i).map_or("", |v| v.name.as_str());
    let outputs = description.structure.outputs.iter().filter(move |o| wanted.contains(name(o.index)));
    outputs.map(move |o| match &o.dependencies {
        Dependencies::All => (name(o.index), None),
        Dependencies::Known(known) => (name(o.index), Some(known.iter().map(|(i, _)| name(*i)).collect())),
    })
}

/// What a user should know of feed-through: one finding for each algebraic loop, one for the late outputs that others consume,
/// and one for those that are recorded only.
pub(crate) fn feed_through(a: &Assembly) -> Vec<Finding> {
    let is_reported = |d: &Arc<ModelDescription>| Refresh::of(d) == Refresh::Reported;
    let has_loop = || a.system.feedthrough_groups().iter().any(|g| g.len() > 1);
    if !a.descriptions.iter().any(is_reported) && !has_loop() {
        return Vec::new();
    }
    // What is wrong with times or method is said when the simulation is made.
    let Ok(order) = order(a) else { return Vec::new() };
    let mut findings: Vec<Finding> = order.loops.iter().map(|l| looped(a, &order, l)).collect();
    if a.effective.coupling.sampling == Sampling::Lagged {
        // It was asked for.
        return findings;
    }
    let in_loop =
        |end: &Endpoint| order.loops.iter().flat_map(|l| &l.cut_at).any(|&u| a.effective.units[u].name == end.unit);
    let supplied = a.system.supplied();
    let sources = supplied.iter().flat_map(|p| &p.sources);
    let consumed: HashSet<(&str, &str)> =
        sources.map(|(u, v)| (a.effective.units[u.index()].name.as_str(), v.as_str())).collect();
    let others = order.late.iter().filter(|(end, _)| !in_loop(end));
    let (consumed, recorded): (Vec<_>, Vec<_>) =
        others.partition(|(end, _)| consumed.contains(&(end.unit.as_str(), end.variable.as_str())));
    findings.extend(late(a, &consumed, true));
    findings.extend(late(a, &recorded, false));
    findings
}

/// A loop: solved, or cut where outputs are left as reported.
fn looped(a: &Assembly, order: &Order, l: &Loop) -> Finding {
    // The loop's units, and the first connection inside of it, which is where the finding points to.
    let s = &a.effective;
    let names =
        |units: &[usize]| units.iter().map(|&u| format!("`{}`", s.units[u].name)).collect::<Vec<_>>().join(", ");
    let inside = |c: &&Connection| [&c.from, &c.to].iter().all(|e| l.units.iter().any(|&u| s.units[u].name == e.unit));
    let place = s.connections.iter().find(inside).map_or(&s.units[l.units[0]].place, |c| &c.place);
    let what = format!("algebraic loop through {}", names(&l.units));
    // Without a late output the loop is solved, at each point or with the window.
    let late = order.late.iter().find(|(end, _)| l.cut_at.iter().any(|&u| s.units[u].name == end.unit));
    let Some((_, late)) = late else {
        let next = if l.cut_at.is_empty() {
            "it is solved at every communication point; `explain` shows where".to_owned()
        } else {
            format!("it is solved with the window, by `correct = \"{}\"`", s.coupling.correct)
        };
        return Finding::note(place, what, next);
    };
    // Lagged sampling was asked for: that is a note. Where units leave no other way, it is a warning.
    let inputs = late.words();
    if s.coupling.sampling == Sampling::Lagged {
        return Finding::note(place, what, format!("it is not solved: outputs are sampled with inputs {inputs}"));
    }
    let what = format!(
        "{what} is not solved: {} without directional derivatives, so outputs are sampled with inputs {inputs}",
        units(&names(&l.cut_at), l.cut_at.len())
    );
    Finding::warning(place, what, remedy(a, *late).unwrap_or_else(|| SMALLER.to_owned()))
}

/// Late outputs outside loops in one line, `None` where there are none.
fn late(a: &Assembly, late: &[(&Endpoint, &Lateness)], is_consumed: bool) -> Option<Finding> {
    let (first, lateness) = late.first()?;
    let s = &a.effective;
    let n = late.len();
    let named: Vec<String> = late.iter().take(NAMED_MAX).map(|(end, _)| format!("`{end}`")).collect();
    let more = if n > NAMED_MAX { ", …" } else { "" };
    let named = format!("{}{more}", named.join(", "));
    let mut units: Vec<&str> = late.iter().map(|(end, _)| end.unit.as_str()).collect();
    units.dedup();
    let kind = if is_consumed { "connected" } else { "recorded" };
    let (outputs, answer) = if n == 1 { ("output", "answers") } else { ("outputs", "answer") };
    let what = format!(
        "{n} {kind} {outputs} of {} without directional derivatives {answer} inputs {}: {named}",
        self::units(&units.iter().map(|u| format!("`{u}`")).collect::<Vec<_>>().join(", "), units.len()),
        lateness.words()
    );
    let place = s.unit(&first.unit).map_or(&s.experiment.place, |u| &s.units[u].place);
    let next = sequence(a, late).unwrap_or_else(|| remedy(a, **lateness).unwrap_or_else(|| SMALLER.to_owned()));
    Some(if is_consumed { Finding::warning(place, what, next) } else { Finding::note(place, what, next) })
}

/// More names would bury the message.
const NAMED_MAX: usize = 6;

/// What always helps.
const SMALLER: &str = "a smaller step reduces the error";

fn units(names: &str, n: usize) -> String {
    if n == 1 { format!("unit {names}") } else { format!("units {names}") }
}

/// What brings late outputs of any system to their time, where the units allow it.
fn remedy(a: &Assembly, lateness: Lateness) -> Option<String> {
    if lateness == Lateness::SubStep {
        return Some("more `sub_steps` or a smaller step reduce the error".to_owned());
    }
    if a.effective.coupling.correct != Correct::Explicit || !stays(a, false).is_empty() {
        return None;
    }
    let forked = stays(a, true);
    let how = if forked.is_empty() { String::new() } else { format!(" ({forked} {FORKED})") };
    Some(format!("`--correct newton` repeats each step until they agree{how}; a smaller step reduces the error"))
}

/// A Gauss–Seidel order in which nothing is late, where there is one: units whose outputs are left as reported step after those
/// that feed the inputs these outputs follow.
fn sequence(a: &Assembly, late: &[(&Endpoint, &Lateness)]) -> Option<String> {
    let s = &a.effective;
    let is_single_rate = s.units.iter().all(|u| u.share == s.units[0].share);
    if !is_single_rate || s.coupling.correct != Correct::Explicit {
        return None;
    }
    // Whom each unit must step after.
    let supplied = a.system.supplied();
    let wanted = wanted(a, &supplied);
    let mut followed: Vec<Option<HashSet<&str>>> = vec![Some(HashSet::new()); s.units.len()];
    for (u, description) in a.descriptions.iter().enumerate().filter(|(_, d)| Refresh::of(d) == Refresh::Reported) {
        let inputs: Vec<Option<Vec<&str>>> = outputs(description, &wanted[u]).map(|(_, inputs)| inputs).collect();
        followed[u] = inputs.into_iter().collect::<Option<Vec<_>>>().map(|lists| lists.concat().into_iter().collect());
    }
    let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); s.units.len()];
    let mut waits_for: Vec<usize> = vec![0; s.units.len()];
    for p in &supplied {
        let u = p.unit.index();
        if followed[u].as_ref().is_none_or(|inputs| inputs.contains(p.input.as_str())) {
            for (source, _) in &p.sources {
                waits_for[u] += usize::from(before[source.index()].insert(u));
            }
        }
    }
    // Those come next that wait for nobody, as long as there are any.
    let mut ready: BTreeSet<usize> = (0..s.units.len()).filter(|&u| waits_for[u] == 0).collect();
    let mut names = Vec::new();
    while let Some(u) = ready.pop_first() {
        names.push(s.units[u].name.as_str());
        for &w in &before[u] {
            waits_for[w] -= 1;
            if waits_for[w] == 0 {
                ready.insert(w);
            }
        }
    }
    if names.len() < s.units.len() {
        return None;
    }
    let holds = late.iter().any(|(_, l)| **l == Lateness::SubStep);
    let hold = if holds { " --predict hold" } else { "" };
    Some(format!("`--schedule gauss-seidel:{}{hold}` makes them exact", names.join(",")))
}
