//! Requirements of a method on a system, checked before anything is initialised.

use crate::error::RunError;
use crate::method::correct::Correction;
use crate::method::schedule::Schedule;
use crate::method::{EnergyCorrection, Method};
use crate::step::dense::Dense;
use crate::step::unit_port::answers;
use crate::system::System;
use crate::system::feedthrough::is_answered_at_once;
use crate::system::line::Local;
use crate::time::Tick;
use macrostep_description::CoSimulation;

/// Whether units and system allow the method.
pub(crate) fn check(system: &System, method: &Method, steps: &[Tick]) -> Result<(), RunError> {
    // The order of steps.
    palindromic(method, steps)?;
    order(system, method)?;
    // Lines, joints, power bonds and interface models.
    lines(system, method)?;
    linear_models(system, method, steps)?;
    check_joints(system, method)?;
    if system.bonds.is_empty() && method.energy != EnergyCorrection::Monitor {
        return Err(RunError::grid(
            "energy correction",
            "a system without power bonds",
            "a power bond for each connection whose energy counts",
        ));
    }
    repeating_models(system, method)?;
    // What the units must offer.
    system.units.iter().zip(&system.descriptions).try_for_each(|(unit, description)| {
        capabilities((system, method), (unit.name(), description.co_simulation.as_ref()))
    })
}

/// A refusal of what was found in favour of what was expected.
fn refused(what: &'static str, found: &str, expected: &str) -> Result<(), RunError> {
    Err(RunError::grid(what, found.to_string(), expected.to_string()))
}

/// Symmetric schedules know one step and no repetition.
fn palindromic(method: &Method, steps: &[Tick]) -> Result<(), RunError> {
    const SCHEDULE: &str = "palindromic schedule";
    if !matches!(method.schedule, Schedule::Palindromic(_)) {
        return Ok(());
    }
    if steps.iter().any(|s| *s != steps[0]) {
        return refused(SCHEDULE, "units of different macro steps", "one macro step for all");
    }
    if !matches!(method.correction, Correction::Explicit) {
        return refused(SCHEDULE, "a corrector", "explicit coupling");
    }
    // A unit at half a step is between the samples of the others: what it missed is known at the window's end.
    if method.energy == EnergyCorrection::Nepce {
        let expected = "another energy correction: what half steps miss is known too late";
        return refused(SCHEDULE, "NEPCE", expected);
    }
    if method.control.is_some() {
        return refused(SCHEDULE, "step control", "steps of one length");
    }
    Ok(())
}

/// An order names each unit once.
fn order(system: &System, method: &Method) -> Result<(), RunError> {
    let Some(order) = method.schedule.order() else { return Ok(()) };
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted.iter().copied().eq(0..system.units.len()) {
        return Ok(());
    }
    Err(RunError::Schedule { found: format!("{order:?}"), units: system.units.len() })
}

/// Windows that are repeated by an interface model have one length and no corrector.
fn repeating_models(system: &System, method: &Method) -> Result<(), RunError> {
    const MODEL: &str = "an interface model that repeats steps";
    if system.interfaces.iter().all(|model| model.repeat == 0) {
        return Ok(());
    }
    if !matches!(method.correction, Correction::Explicit) {
        return refused(MODEL, "a corrector", "explicit coupling");
    }
    if method.control.is_some() || matches!(method.schedule, Schedule::Palindromic(_)) {
        return refused(MODEL, "steps that are chosen or palindromic", "steps of one length");
    }
    Ok(())
}

/// Steps of any length for events and control, rollback for whatever repeats a window.
fn capabilities(
    (system, method): (&System, &Method),
    (unit, co): (&str, Option<&CoSimulation>),
) -> Result<(), RunError> {
    let varies =
        ("canHandleVariableCommunicationStepSize", co.is_some_and(|c| c.can_handle_variable_communication_step_size));
    let goes_back = ("canGetAndSetFMUstate", co.is_some_and(|c| c.can_get_and_set_fmu_state));
    let repeats = system.interfaces.iter().any(|model| model.repeat > 0);
    // Whether it is wanted, by what, the capability that it takes, and the way out.
    let needs = [
        // Events end windows where they happen, control where the error says.
        (!system.events.is_empty(), "an event", varies, "set values at a time, or take another FMU"),
        (method.control.is_some(), "step control", varies, "choose steps of one length"),
        // Whatever repeats a window must be able to take it back.
        (repeats, "an interface model that repeats steps", goes_back, "set its number of repetitions to 0"),
        (method.correction.repeats(), "implicit coupling", goes_back, "choose explicit coupling"),
    ];
    match needs.into_iter().find(|(is_wanted, _, (_, has), _)| *is_wanted && !has) {
        None => Ok(()),
        Some((_, needs, (capability, _), hint)) => {
            Err(RunError::Capability { needs, capability, unit: unit.to_string(), hint })
        }
    }
}

/// Linear models are of whole windows, made once, in which every unit steps once.
fn linear_models(system: &System, method: &Method, steps: &[Tick]) -> Result<(), RunError> {
    let refused = |found: &str, expected: &str| {
        let (found, expected) = (found.to_string(), expected.to_string());
        Err(RunError::grid("linear-implicit coupling", found, expected))
    };
    if !matches!(method.correction, Correction::LinearImplicit) {
        return Ok(());
    }
    if steps.iter().any(|s| *s != steps[0]) {
        return refused("units of different macro steps", "one macro step for all");
    }
    if method.control.is_some() {
        return refused("step control", "steps of one length");
    }
    if method.predictor.nodes() > 0 {
        return refused("a predictor with samples inside of steps", "one without, as `linear`");
    }
    if !system.constraints.is_empty() {
        return refused("constraints", "explicit coupling, which foretells their forces, or a corrector");
    }
    Ok(())
}

/// Whether units and schedule allow the lines with delay.
fn lines(system: &System, method: &Method) -> Result<(), RunError> {
    if !system.lines.is_empty() && matches!(method.schedule, Schedule::Palindromic(_)) {
        let (found, expected) = ("a line with delay".to_string(), "another schedule".to_string());
        return Err(RunError::grid("palindromic schedule", found, expected));
    }
    for line in &system.lines {
        for (local, speed) in line.local.iter().zip(line.speed) {
            if *local == Local::Feedback && !answers(system, speed) {
                return Err(RunError::Capability {
                    needs: "the local part of a line by feedback, with the rate of the speed among the outputs,",
                    capability: "providesDirectionalDerivative",
                    unit: system.units[system.channels[speed.channel].unit].name().to_string(),
                    hint: "choose `hold`, or a unit that takes the wave",
                });
            }
        }
    }
    Ok(())
}

/// Forces of joints are found by repeating windows, and are linear over them.
fn check_joints(system: &System, method: &Method) -> Result<(), RunError> {
    let refused = |found: String, expected: &str| Err(RunError::grid("constraints", found, expected.to_string()));
    if system.constraints.is_empty() {
        return Ok(());
    }
    if matches!(method.correction, Correction::Explicit) {
        if let Some(limited) = system.constraints.iter().find(|c| c.gap_max.is_some()) {
            let found = format!("explicit coupling, with a limit of the gap of `{}`", limited.name);
            return refused(found, "a corrector that repeats macro steps, as `correct = \"fixed-point\"`");
        }
        if system.interfaces.iter().any(|model| model.repeat > 0) {
            return refused("an interface model that repeats steps".to_string(), "one that repeats none");
        }
        if matches!(method.schedule, Schedule::Palindromic(_)) {
            return refused("a palindromic schedule".to_string(), "another schedule");
        }
    }
    // One repetition is too few for a force: the joint opens.
    if matches!(method.correction, Correction::SemiImplicit(_)) {
        let expected = "a corrector that repeats until the joints are closed, as `correct = \"iqn-ils\"`";
        return refused("semi-implicit coupling, which repeats a macro step once".to_string(), expected);
    }
    for &(unit, _) in system.constraints.iter().flat_map(|c| c.force.iter().flatten()) {
        let co = system.descriptions[unit].co_simulation.as_ref();
        if method.sub_steps < 2 && !co.is_some_and(|c| c.can_interpolate_inputs) {
            let found = format!("unit `{}`, which holds its inputs over a step", system.units[unit].name());
            return refused(
                found,
                "at least two sub-steps for such units, as `sub_steps = 4`, so that a force can change",
            );
        }
    }
    Ok(())
}

/// Intervals between nodes of which the middle one is in the middle.
pub(crate) const MIDDLE: usize = 2;

/// The order of a palindromic schedule whose half steps can be merged: unit 1 tells what it was at mid-step, and gets the same
/// before and after a communication point, because no input of it follows what it publishes there.
pub(crate) fn stagger<'a>(system: &System, method: &'a Method) -> Option<&'a [usize]> {
    let Schedule::Palindromic(order) = &method.schedule else { return None };
    let first = *order.first()?;
    let is_possible = order.len() > 1
        && system.events.is_empty()
        && method.predictor.nodes() == 0
        && Dense::is_offered(system, first)
        && !is_answered_at_once(system, first);
    is_possible.then_some(order)
}
