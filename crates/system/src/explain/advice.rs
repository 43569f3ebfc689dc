//! The effect of energy correction and step control on a system, and the methods that suit it, with the names of the
//! system.

use super::methods::{chain, no_dense};
use super::order::Loop;
use crate::assemble::Assembly;
use crate::words::{Control, Energy};
use macrostep_description::{CoSimulation, ModelDescription};

/// How a unit goes back that has no state functions, as was tried.
pub(super) const FORKED: &str = "by fork of a process of its own";

/// Energy correction and step control of a scenario, as sentences.
pub fn corrections(a: &Assembly) -> [String; 2] {
    // Names of the bonds, of their inputs and of their flows, for the sentences.
    let s = &a.effective;
    let list = |names: Vec<String>| format!("`{}`", names.join("`, `"));
    let bonds = list(s.bonds.iter().map(|b| b.name.clone()).collect());
    let ports = || s.bonds.iter().flat_map(|b| &b.ports);
    let inputs = ports().flat_map(|p| p.inputs.iter().map(move |(input, _)| format!("{}.{input}", p.flow.unit)));
    let flows = ports().map(|p| p.flow.to_string());
    // What is done about residual energy.
    let energy = match (s.coupling.energy, s.bonds.is_empty()) {
        (Energy::Monitor, true) => "the scenario has no power bond: no residual energy is reported".to_owned(),
        (Energy::Monitor, false) => format!("residual energy of {bonds} is reported, without energy correction"),
        (_, true) => "the scenario has no power bond: there is nothing to correct".to_owned(),
        (Energy::Nepce, false) => {
            let inputs = list(inputs.collect());
            format!("NEPCE on {bonds}: the mean error of {inputs} in a step is added to them in the next step")
        }
        (Energy::Leak, false) => {
            let flows = list(flows.collect());
            format!(
                "leak on {bonds}: a damper with opposite efforts from the difference of {flows} takes out residual energy in some 10 H"
            )
        }
    };
    [energy, steps(a, &bonds)]
}

/// How the length of steps is chosen.
fn steps(a: &Assembly, bonds: &str) -> String {
    let s = &a.effective;
    let (c, h) = (&s.coupling.control, s.experiment.step_s.unwrap_or(f64::NAN));
    let what = match c.kind {
        Control::Fixed => return format!("all of {h} s"),
        Control::Error => "the error of predicted inputs, relative to their size,".to_owned(),
        Control::Ecco => format!("residual energy of {bonds}, relative to the largest energy transmitted in a step,"),
    };
    let (shortest, longest) = (c.step_min_s.unwrap_or(f64::NAN), c.step_max_s.unwrap_or(h));
    let degrees = a.method.control.as_ref().map_or(0, |control| control.family.len());
    let degrees = if degrees > 1 { "; the degree of the predictor is chosen too" } else { "" };
    let stuck = stays(a, false);
    let rejected = if stuck.is_empty() {
        "a step that is too long is repeated with a shorter one".to_owned()
    } else {
        format!("a step that is too long is kept, because {stuck} cannot go back")
    };
    format!("{shortest} s to {longest} s, so that {what} stays below {}{degrees}; {rejected}", c.tolerance)
}

/// Names of units that cannot restore a state by themselves, and do so by fork, or not at all.
pub(super) fn stays(a: &Assembly, by_fork: bool) -> String {
    let restores = |d: &ModelDescription| d.co_simulation.as_ref().is_some_and(|c| c.can_get_and_set_fmu_state);
    let is_such = |u: &usize| (a.unforked[*u].is_some() || !restores(&a.descriptions[*u])) && a.by_fork[*u] == by_fork;
    let found = (0..a.units.len()).filter(is_such);
    found.map(|u| format!("`{}`", a.effective.units[u].name)).collect::<Vec<_>>().join(", ")
}

/// Why units that were to go back by fork do not, behind what else is said of them; empty where there are none.
pub(super) fn unforked(a: &Assembly) -> String {
    let units = a.effective.units.iter().zip(&a.unforked);
    units.filter_map(|(u, why)| Some(format!("; `{}`: {}", u.name, why.as_ref()?))).collect()
}

/// Names of units that do not offer something.
fn lacking(a: &Assembly, offers: fn(&CoSimulation) -> bool) -> String {
    let units = a.effective.units.iter().zip(&a.descriptions);
    let lacking = units.filter(|(_, d)| !d.co_simulation.as_ref().is_some_and(offers));
    lacking.map(|(u, _)| format!("`{}`", u.name)).collect::<Vec<_>>().join(", ")
}

/// Which method for this system: a line for each question, with the words to type.
pub fn which(a: &Assembly, loops: &[Loop], system: &str) -> Vec<String> {
    let s = &a.effective;
    let longest = a.channels.iter().map(|c| chain(a, c)).max().unwrap_or(0);
    let held = lacking(a, |c| c.can_interpolate_inputs);
    // Units that go back in no way; those that go back by fork of a process of their own.
    let [stuck, forked] = [false, true].map(|by_fork| stays(a, by_fork));
    // Explicit coupling.
    let explicit = match longest {
        _ if !held.is_empty() => {
            format!("`--predict linear --schedule gauss-seidel` and a small step: {held} cannot interpolate inputs")
        }
        4.. => "`--predict jerk --schedule gauss-seidel`: outputs have accelerations and jerks".to_owned(),
        3 => "`--predict ia1 --schedule gauss-seidel`: outputs have accelerations".to_owned(),
        _ => "`--predict linear --schedule gauss-seidel`: outputs that are exchanged have no accelerations".to_owned(),
    };
    let mut lines = vec![format!("explicit: {explicit}")];
    // Implicit coupling.
    let (lacking, even) = no_dense(a);
    let why = unforked(a);
    lines.push(match (stuck.is_empty(), longest) {
        (false, _) if self::lacking(a, |c| c.provides_directional_derivative).is_empty() => {
            format!("implicit: no, {stuck} cannot go back{why}; `--correct linear-implicit` makes each step once, and needs no way back")
        }
        (false, _) => format!("implicit: no, {stuck} cannot go back{why}"),
        (true, _) if lacking.is_empty() => "implicit, for long steps: `--method waveform:12`".to_owned(),
        (true, 3..) => "implicit, for steps some ten times as long: `--predict h5 --correct newton`".to_owned(),
        (true, _) if !even => {
            "implicit, for longer steps: `--method waveform:4`, which steps FMUs from node to node".to_owned()
        }
        (true, _) => "implicit, for longer steps: `--predict linear --correct newton`, or `iqn-ils`".to_owned(),
    });
    if let (true, false, Some(line)) = (stuck.is_empty(), forked.is_empty(), lines.last_mut()) {
        *line += &format!("; {forked} {FORKED}");
    }
    // What is special about it.
    for group in loops {
        let names: Vec<String> = group.units.iter().map(|u| format!("`{}`", s.units[*u].name)).collect();
        lines.push(format!("algebraic loop {}: {}", names.join(" – "), group.treatment()));
    }
    if let [bond, ..] = s.bonds.as_slice() {
        lines.push(format!("long runs with little damping: `--energy leak` on `{}`", bond.name));
    }
    if s.units.iter().any(|u| u.share != (1, 1)) && s.units.len() > 1 {
        lines.push("several rates: the unit with the shortest steps last in `gauss-seidel`".to_owned());
    }
    lines.push(format!(
        "if the run grows: `macrostep stability {system} --predict hold,linear` prints the largest stable step of each"
    ));
    lines
}
