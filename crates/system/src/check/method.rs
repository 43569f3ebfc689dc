//! The method against the capabilities of the units, and the times against each other.

use super::Declared;
use crate::finding::Finding;
use crate::scenario::{Place, Scenario};
use crate::words::{Control, Correct, Energy, Family, Predict, Schedule};
use macrostep_description::{CoSimulation, ModelDescription};
use macrostep_master::predict::lobatto;
use std::collections::HashSet;

pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    // The method by itself, whatever the units are.
    times(d.scenario, findings);
    order(d.scenario, findings);
    together(d.scenario, findings);
    bonds(d.scenario, findings);
    let fed: HashSet<&str> = d.scenario.targets().map(|(to, _)| to.unit.as_str()).collect();
    let mut sources = HashSet::new();
    // Then each unit against it: instances in one process, its tool, and whether it goes back.
    for (i, (unit, description)) in d.scenario.units.iter().zip(d.descriptions).enumerate() {
        let twice = !sources.insert(&unit.source);
        let Some(description) = description else { continue };
        let Some(co) = &description.co_simulation else { continue };
        // A second instance in one process is refused; a tool that is needed may be there.
        if co.can_be_instantiated_only_once_per_process && twice && !d.isolated {
            let what = format!(
                "unit `{}` is a second instance of an FMU with `canBeInstantiatedOnlyOncePerProcess`",
                unit.name
            );
            findings.push(Finding::error(&unit.place, what, "`--isolate` runs each in a process of its own"));
        }
        if co.needs_execution_tool {
            let what = format!("unit `{}` needs the tool that made it (`needsExecutionTool`)", unit.name);
            findings.push(Finding::warning(&unit.place, what, "have it installed"));
        }
        let forks = d.rollback.forks(description) && d.scenario.repeats_steps();
        if forks {
            findings.push(by_fork(&unit.name, &unit.place, co));
        }
        // What a fork of its process gives a unit, the method may use.
        let goes_back = co.can_get_and_set_fmu_state || forks;
        let able = Able { co, goes_back, is_fed: fed.contains(unit.name.as_str()) };
        capabilities(d.scenario, i, &able, findings);
        nodes(d.scenario, i, description, findings);
        multiple(d.scenario, i, (co, description), findings);
    }
}

/// That a unit goes back by fork.
fn by_fork(unit: &str, place: &Place, co: &CoSimulation) -> Finding {
    let why =
        if co.can_get_and_set_fmu_state { "by the option `--rollback`" } else { "it has no `canGetAndSetFMUstate`" };
    let what = format!("unit `{unit}` goes back by fork of a process of its own: {why}");
    Finding::note(place, what, "`macrostep check --rollback` tests an FMU")
}

/// What one unit can do, and is to do.
struct Able<'a> {
    co: &'a CoSimulation,
    /// By its own functions or by fork.
    goes_back: bool,
    /// Whether its inputs are fed.
    is_fed: bool,
}

/// What the method asks of one unit.
fn capabilities(s: &Scenario, u: usize, able: &Able<'_>, findings: &mut Vec<Finding>) {
    let Able { co, goes_back, is_fed } = *able;
    // Corrections repeat steps from a snapshot.
    let (unit, c) = (&s.units[u], &s.coupling);
    if c.correct.repeats() && !goes_back {
        let said = c.method.map_or(format!("correct = \"{}\"", c.correct), |m| format!("method = \"{m}\""));
        let what = format!("`{said}` repeats steps, but unit `{}` has no `canGetAndSetFMUstate`", unit.name);
        let next = if s.constraints.is_empty() {
            "choose `correct = \"explicit\"`, with `predict = \"linear\"` and short steps"
        } else {
            "leave `--rollback` at `auto`, which goes back by fork; or replace the joint by a law, a stiff spring and damper"
        };
        findings.push(Finding::error(&c.place, what, next));
    }
    // So does an interface model, which no method that repeats steps itself goes with.
    if let Some(m) = s.interface_models.iter().find(|m| m.repeat > 0) {
        let what = |why: &str| format!("`repeat = {}` of an interface model repeats steps, {why}", m.repeat);
        if !goes_back {
            let why = format!("but unit `{}` has no `canGetAndSetFMUstate`", unit.name);
            findings.push(Finding::error(&m.place, what(&why), "leave `repeat` out"));
        }
        if u == 0 && c.repeats_steps() {
            let next = "leave `repeat` out, or choose `correct = \"explicit\"` and no step control";
            findings.push(Finding::error(&m.place, what("and so does the method"), next));
        }
    }
    // Steps that are chosen differ in length, and one that was too long is to be repeated.
    if c.control.kind != Control::Fixed && !co.can_handle_variable_communication_step_size {
        let (kind, name) = (c.control.kind, &unit.name);
        let what = format!(
            "`control` by `{kind}` changes steps, but unit `{name}` has no `canHandleVariableCommunicationStepSize`"
        );
        findings.push(Finding::error(&c.place, what, "choose `kind = \"fixed\"`, steps of one length"));
    } else if c.control.kind != Control::Fixed && !goes_back {
        let what = format!("unit `{}` has no `canGetAndSetFMUstate`: steps that were too long are kept", unit.name);
        findings.push(Finding::warning(&c.place, what, "the next ones are shorter; choose a smaller tolerance"));
    }
    // A prediction has to reach inside of the step: by interpolation of inputs, or in parts by sub-steps.
    if c.predict != Predict::default() && is_fed && !co.can_interpolate_inputs {
        let n = c.sub_steps.max(1);
        let what = format!(
            "`predict = \"{}\"`: unit `{}` cannot interpolate its inputs; it holds them at the middle of {n} steps each",
            c.predict, unit.name
        );
        findings.push(Finding::warning(&c.place, what, "more `sub_steps` follow the prediction better"));
        if n > 1 && !co.can_handle_variable_communication_step_size {
            let what = format!("`sub_steps = {n}`: unit `{}` may not support such steps", unit.name);
            findings.push(Finding::warning(&c.place, what, "it has no `canHandleVariableCommunicationStepSize`"));
        }
    }
    // A linear model of a unit is made of them.
    if c.correct == Correct::LinearImplicit && is_fed && !co.provides_directional_derivative {
        let what =
            format!("`correct = \"{}\"`: unit `{}` has no `providesDirectionalDerivative`", c.correct, unit.name);
        findings.push(Finding::error(
            &c.place,
            what,
            "choose `correct = \"explicit\"`, or a corrector that repeats steps",
        ));
    }
    // Derivatives that are missing are replaced by differences.
    if c.correct == Correct::NewtonDirectional && !co.provides_directional_derivative {
        let what = format!("unit `{}` offers no directional derivatives: finite differences are used", unit.name);
        findings.push(Finding::warning(&c.place, what, "choose `correct = \"newton\"`"));
    }
}

/// A unit without dense output is stepped from node to node: by lengths that it takes.
fn nodes(s: &Scenario, u: usize, description: &ModelDescription, findings: &mut Vec<Finding>) {
    let (unit, q) = (&s.units[u], s.coupling.predict.degree as usize);
    if s.coupling.predict.family != Family::Spectral || description.dense_nodes().is_some() {
        return;
    }
    let (Some(multiple_s), Some(step_s)) = (s.step_multiple_s(unit, description), s.experiment.step_s) else { return };
    let own_s = step_s * f64::from(unit.share.0) / f64::from(unit.share.1);
    let parts = (0..q).map(|i| (lobatto(i + 1, q) - lobatto(i, q)) * own_s);
    let is_multiple = |part_s: &f64| (part_s / multiple_s - (part_s / multiple_s).round()).abs() < 1e-6;
    if let Some(part_s) = parts.into_iter().find(|part_s| !is_multiple(part_s)) {
        let what = format!(
            "`{}`: unit `{}` has no dense output and is stepped from node to node, by {part_s:.4e} s; it takes multiples of {multiple_s:e} s",
            s.coupling.predict, unit.name
        );
        let next =
            "take `waveform:2`, whose nodes halve the macro step, or `predict = \"h5\"` with `correct = \"newton\"`";
        findings.push(Finding::error(&s.coupling.place, what, next));
    }
}

/// A unit that makes steps of one length of its own gets multiples of them: between two of its points it would answer inputs late. A unit
/// alone that nothing feeds has none to answer.
fn multiple(
    s: &Scenario,
    u: usize,
    (co, description): (&CoSimulation, &ModelDescription),
    findings: &mut Vec<Finding>,
) {
    let unit = &s.units[u];
    let (Some(multiple_s), Some(step_s)) = (s.step_multiple_s(unit, description), s.experiment.step_s) else { return };
    let own_s = step_s * f64::from(unit.share.0) / f64::from(unit.share.1);
    let count = own_s / multiple_s;
    let is_multiple = count > 0.5 && (count - count.round()).abs() < 1e-6;
    let is_alone = s.units.len() == 1 && s.targets().next().is_none();
    if is_multiple || co.can_handle_variable_communication_step_size || is_alone {
        return;
    }
    let what = format!("unit `{}` is stepped by {own_s:e} s; it takes multiples of {multiple_s:e} s", unit.name);
    let next = "set the parameter by `step_parameter`, or choose another step";
    findings.push(Finding::error(&unit.place, what, next));
}

fn times(s: &Scenario, findings: &mut Vec<Finding>) {
    let e = &s.experiment;
    // Start, stop, macro step and error of the experiment.
    let mut bad = |place: &Place, what: String| findings.push(Finding::error(place.or(&e.place), what, ""));
    if !e.start_s.is_finite() {
        bad(&e.place, format!("start = {:?}, expected a finite time", e.start_s));
    }
    if let Some(stop) = e.stop_s.filter(|stop| !(stop.is_finite() && *stop > e.start_s)) {
        bad(&e.stop_place, format!("stop = {stop:?}, expected a time after the start at {} s", e.start_s));
    }
    if let Some(step) = e.step_s.filter(|step| !(step.is_finite() && *step > 0.0)) {
        bad(&e.step_place, format!("step = {step:?}, expected a macro step above 0"));
    }
    if let Some(error) = e.error.filter(|error| !(*error > 0.0 && *error < 1.0)) {
        bad(&e.place, format!("error = {error:?}, expected a number above 0 and below 1"));
    }
    // Tolerances of the units and of the experiment.
    let told = s.units.iter().map(|unit| (unit.solver_tolerance, &unit.place));
    for (tolerance, place) in told.chain([(e.solver_tolerance, &e.place)]) {
        if let Some(tolerance) = tolerance.filter(|t| !(t.is_finite() && *t > 0.0)) {
            let what = format!("`solver_tolerance` is {tolerance:?}, expected a finite number above 0");
            findings.push(Finding::error(place, what, "it is for the solvers inside the FMUs"));
        }
    }
}

/// The symmetric schedule has steps of one length, made once.
fn together(s: &Scenario, findings: &mut Vec<Finding>) {
    // Only a palindromic schedule asks for this.
    let c = &s.coupling;
    if !c.schedule.is_palindromic() {
        return;
    }
    let mut against = |place: &Place, what: String, why: &str, next: &str| {
        let what = format!("a palindromic schedule with {what}: {why}");
        findings.push(Finding::error(place, what, next));
    };
    let forward = "choose `schedule = \"gauss-seidel\"`, or leave it out";
    // Corrections, chosen steps and steps of a unit's own each break the symmetry.
    if c.correct != Correct::Explicit {
        let what = format!("`correct = \"{}\"`", c.correct);
        against(&c.place, what, "its half steps are never repeated", forward);
    }
    // A unit at half a step is between the samples of the others: what it missed is known at the window's end.
    if c.energy == Energy::Nepce {
        let what = format!("`energy = \"{}\"`", c.energy);
        against(&c.place, what, "what its half steps miss is known too late", forward);
    }
    if c.control.kind != Control::Fixed {
        let what = format!("`control` by `{}`", c.control.kind);
        against(&c.place, what, "its steps are of one length", forward);
    }
    if let Some(unit) = s.units.iter().find(|u| u.share != (1, 1)) {
        let what = format!("`step = \"{}/{}\"` of unit `{}`", unit.share.0, unit.share.1, unit.name);
        against(&unit.place, what, "its steps are of one length", forward);
    }
}

/// What weighs energy needs power bonds, and what corrects it such between two units.
fn bonds(s: &Scenario, findings: &mut Vec<Finding>) {
    let c = &s.coupling;
    let energy = (c.energy != Energy::Monitor).then(|| format!("`energy = \"{}\"`", c.energy));
    let control = (c.control.kind == Control::Ecco).then(|| "`control` by `ecco`".to_owned());
    for what in energy.iter().chain(&control).filter(|_| s.bonds.is_empty()) {
        let what = format!("{what} needs power bonds, and the scenario has none");
        findings.push(Finding::error(&c.place, what, "name them in [[bonds]]; `explain` shows what it finds"));
    }
    let Some(energy) = energy else { return };
    for bond in s.bonds.iter().filter(|b| b.ports.len() > 2) {
        let what = format!("{energy} with power bond `{}` of {} ports", bond.name, bond.ports.len());
        findings.push(Finding::error(&bond.place, what, "name bonds of two ports each, or `energy = \"monitor\"`"));
    }
}

fn order(s: &Scenario, findings: &mut Vec<Finding>) {
    let c = &s.coupling;
    if c.order.is_empty() {
        return;
    }
    // An opposite order beside an order that is named says two things, unless the method has chosen it.
    if c.schedule != c.schedule.forward() && c.method.is_none() {
        let what = format!("an `order` beside `schedule = \"{}\"`", c.schedule);
        let next = format!("choose `schedule = \"{}\"` and an `order`", c.schedule.forward());
        findings.push(Finding::error(&c.place, what, next));
    }
    if c.schedule == Schedule::Jacobi {
        findings.push(Finding::warning(
            &c.place,
            "an `order` has no effect on Jacobi",
            "choose `schedule = \"gauss-seidel\"`",
        ));
    }
    // The order names every unit exactly once.
    let mut wanted: Vec<&str> = s.units.iter().map(|u| u.name.as_str()).collect();
    let mut found: Vec<&str> = c.order.iter().map(String::as_str).collect();
    wanted.sort_unstable();
    found.sort_unstable();
    if wanted != found {
        let what = format!("order `{}`", c.order.join("`, `"));
        findings.push(Finding::error(&c.place, what, format!("name each unit once: `{}`", wanted.join("`, `"))));
    }
}
