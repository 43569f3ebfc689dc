//! Options that override parts of a scenario.

use macrostep_system::scenario::{Endpoint, Place, Setting, StepChoice, Value};
use macrostep_system::words::Control;
use macrostep_system::{Document, Scenario};

use super::arguments::SystemArguments;
use crate::failure::Failure;

/// Applies options to the scenario of a file.
///
/// # Errors
/// [`Failure::Usage`] for options that do not go together, and for names that the scenario does not have.
pub fn change(document: &mut Document, a: &SystemArguments) -> Result<(), Failure> {
    let s = &mut document.scenario;
    // The grid; places say that it comes from an option, for messages.
    if let Some(step_s) = a.step {
        (s.experiment.step_s, s.experiment.step_place) = (Some(step_s), Place::option("--step"));
    }
    if let Some(stop_s) = a.stop {
        (s.experiment.stop_s, s.experiment.stop_place) = (Some(stop_s), Place::option("--stop"));
    }
    // A tolerance of the command is that of every unit.
    if let Some(tolerance) = a.solver_tolerance {
        s.experiment.solver_tolerance = Some(tolerance);
        s.units.iter_mut().for_each(|unit| unit.solver_tolerance = None);
    }
    s.coupling.corrector_tolerance = a.corrector_tolerance.or(s.coupling.corrector_tolerance);
    // The method, and how steps are chosen.
    method(s, a)?;
    control(s, a)?;
    // Sets of parameters that are applied besides those of the file.
    for name in &a.parameters {
        if !s.sets.iter().any(|set| set.name == *name) {
            let known: Vec<&str> = s.sets.iter().map(|set| set.name.as_str()).collect();
            let known = if known.is_empty() { "is none".to_owned() } else { format!("are `{}`", known.join("`, `")) };
            return Err(Failure::Usage(format!("`--parameters {name}`: no such set; there {known}")));
        }
        s.applied.push(name.clone());
    }
    // Single values go before all sets.
    for text in &a.set {
        let expected = || Failure::Usage(format!("`--set {text}`: expected UNIT.VARIABLE=VALUE"));
        let (target, value) = text.split_once('=').ok_or_else(expected)?;
        let target = Endpoint::parse(target).ok_or_else(expected)?;
        let Some(unit) = s.unit(&target.unit) else {
            let known: Vec<&str> = s.units.iter().map(|u| u.name.as_str()).collect();
            let message = format!("`--set {text}`: no unit `{}`; there are `{}`", target.unit, known.join("`, `"));
            return Err(Failure::Usage(message));
        };
        let setting = Setting::new(target.variable, Value::typed(value.trim()), Place::option("--set"));
        // Last of all, after the sets.
        let set = s.applied.iter().flat_map(|name| s.sets.iter().position(|set| set.name == *name));
        let later: Vec<usize> = set.collect();
        for i in later {
            s.sets[i].settings.retain(|(u, x)| !(*u == s.units[unit].name && x.variable == setting.variable));
        }
        s.units[unit].settings.retain(|own| own.variable != setting.variable);
        s.units[unit].settings.push(setting);
    }
    Ok(())
}

/// Puts what the options say of the method before what the file says.
fn method(s: &mut Scenario, a: &SystemArguments) -> Result<(), Failure> {
    // A named method says schedule, predictor and corrector, whether a file or an option names it.
    let c = &mut s.coupling;
    let schedule = a.schedule.as_ref().map(|order| format!("--schedule {}", order.schedule));
    let predict = a.predict.map(|predict| format!("--predict {predict}"));
    let correct = a.correct.map(|correct| format!("--correct {correct}"));
    if let Some(part) = [schedule, predict, correct].into_iter().flatten().next() {
        let of_file = || c.method.map(|method| format!("{}method = \"{method}\"", c.place));
        let named = a.method.map(|method| format!("--method {method}"));
        if let Some(named) = named.or_else(of_file) {
            return Err(Failure::conflict(named, part, "the method already contains it"));
        }
    }
    // What an option says goes before the file, part by part.
    if let Some(method) = a.method {
        c.take(method);
    }
    c.predict = a.predict.unwrap_or(c.predict);
    c.correct = a.correct.unwrap_or(c.correct);
    c.sampling = a.sampling.unwrap_or(c.sampling);
    c.energy = a.energy.unwrap_or(c.energy);
    // An order of units belongs to its schedule: another schedule comes with its own.
    if let Some(order) = &a.schedule {
        if order.schedule != c.schedule || !order.order.is_empty() {
            c.order.clone_from(&order.order);
        }
        c.schedule = order.schedule;
    }
    Ok(())
}

/// The same for the choice of steps, whose longest is the step.
fn control(s: &mut Scenario, a: &SystemArguments) -> Result<(), Failure> {
    let control = &mut s.coupling.control;
    if a.step.is_some() {
        control.step_max_s = None;
    }
    match a.control {
        Some(Control::Fixed) => *control = StepChoice::default(),
        Some(kind) => control.kind = kind,
        None => {}
    }
    match a.control_tolerance {
        Some(tolerance) if control.kind == Control::Fixed => {
            let option = format!("--control-tolerance {tolerance}");
            return Err(Failure::conflict(option, "--control fixed", "fixed steps have no tolerance"));
        }
        tolerance => control.tolerance = tolerance.unwrap_or(control.tolerance),
    }
    Ok(())
}
