//! The method against what the units can do, and the times against each other.

use super::Declared;
use crate::finding::Finding;
use crate::scenario::{Place, Scenario};
use crate::words::{Correct, Predict, Schedule};
use macrostep_description::CoSimulation;

pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    times(d.scenario, findings);
    order(d.scenario, findings);
    for (i, (unit, description)) in d.scenario.units.iter().zip(d.descriptions).enumerate() {
        let Some(description) = description else { continue };
        let Some(co) = &description.co_simulation else { continue };
        let twice = d.scenario.units[..i].iter().any(|u| u.source == unit.source);
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
        capabilities(d.scenario, i, co, findings);
    }
}

fn capabilities(s: &Scenario, u: usize, co: &CoSimulation, findings: &mut Vec<Finding>) {
    let (unit, c) = (&s.units[u], &s.coupling);
    let is_fed = s.connections.iter().any(|w| w.to.unit == unit.name)
        || s.maps
            .iter()
            .any(|m| m.to.iter().chain(m.reaction.iter().flat_map(|r| &r.to)).any(|to| to.unit == unit.name));
    if c.correct != Correct::Explicit && !co.can_get_and_set_fmu_state {
        let what = format!(
            "`correct = \"{}\"` repeats steps, but unit `{}` has no `canGetAndSetFMUstate`",
            c.correct, unit.name
        );
        findings.push(Finding::error(&c.place, what, "choose `correct = \"explicit\"`"));
    }
    if c.predict != Predict::default() && is_fed && !co.can_interpolate_inputs {
        let n = c.sub_steps.max(1);
        let what = format!(
            "`predict = \"{}\"`: unit `{}` cannot interpolate its inputs; it holds them at the middle of {n} steps each",
            c.predict, unit.name
        );
        findings.push(Finding::warning(&c.place, what, "more `sub_steps` follow the prediction better"));
        if n > 1 && !co.can_handle_variable_communication_step_size {
            let what = format!("`sub_steps = {n}`: unit `{}` may not be able to take them", unit.name);
            findings.push(Finding::warning(&c.place, what, "it has no `canHandleVariableCommunicationStepSize`"));
        }
    }
    if c.correct == Correct::NewtonDirectional && !co.provides_directional_derivative {
        let what = format!("unit `{}` offers no directional derivatives: finite differences are used", unit.name);
        findings.push(Finding::warning(&c.place, what, "choose `correct = \"newton\"`"));
    }
}

fn times(s: &Scenario, findings: &mut Vec<Finding>) {
    let e = &s.experiment;
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
    let told = s.units.iter().map(|unit| (unit.tolerance, &unit.place));
    for (tolerance, place) in told.chain([(e.tolerance, &e.place)]) {
        if let Some(tolerance) = tolerance.filter(|t| !(t.is_finite() && *t > 0.0)) {
            let what = format!("tolerance = {tolerance:?}, expected a finite number above 0");
            findings.push(Finding::error(place, what, "it is for the solvers inside the FMUs"));
        }
    }
}

fn order(s: &Scenario, findings: &mut Vec<Finding>) {
    let c = &s.coupling;
    if c.order.is_empty() {
        return;
    }
    if c.schedule == Schedule::Jacobi {
        findings.push(Finding::warning(
            &c.place,
            "an `order` means nothing to Jacobi",
            "choose `schedule = \"gauss-seidel\"`",
        ));
    }
    let mut wanted: Vec<&str> = s.units.iter().map(|u| u.name.as_str()).collect();
    let mut found: Vec<&str> = c.order.iter().map(String::as_str).collect();
    wanted.sort_unstable();
    found.sort_unstable();
    if wanted != found {
        let what = format!("order `{}`", c.order.join("`, `"));
        findings.push(Finding::error(&c.place, what, format!("name each unit once: `{}`", wanted.join("`, `"))));
    }
}
