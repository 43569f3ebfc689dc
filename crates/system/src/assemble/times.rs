//! Start, stop and step: values that the scenario leaves to the FMUs, the number of steps, and the end of the run.

use crate::finding::Finding;
use crate::scenario::Scenario;
use crate::words::{Control, Predict};
use macrostep_description::{ModelDescription, shown};
use macrostep_master::unit::proposed_tolerance;
use macrostep_master::{Grid, windows_and_rest};
use std::sync::Arc;

/// More steps of a run than this are taken for a mistake.
const STEPS_MAX: f64 = 1e8;

/// The scenario with its times filled in, held against each other.
pub(super) fn times(
    s: &Scenario,
    descriptions: &[Arc<ModelDescription>],
    findings: &mut Vec<Finding>,
) -> Result<Scenario, Finding> {
    let mut s = s.clone();
    s.coupling.sub_steps = s.coupling.sub_steps.max(1);
    proposed(&mut s, descriptions, findings)?;
    // Tolerances of the solvers inside the FMUs: a unit's own, that of the experiment, what the FMU proposes.
    for (unit, d) in s.units.iter_mut().zip(descriptions) {
        unit.solver_tolerance =
            unit.solver_tolerance.or(s.experiment.solver_tolerance).or_else(|| proposed_tolerance(d));
    }
    let mut window = bounded(&s, descriptions)?;
    if s.coupling.control.kind != Control::Fixed {
        let step_s = s.experiment.step_s.unwrap_or(f64::NAN);
        let choice = &mut s.coupling.control;
        let parts = choice.parts(step_s);
        // What is used is said.
        (choice.step_min_s, choice.step_max_s) = (Some(step_s / f64::from(parts)), Some(step_s));
        window /= f64::from(parts);
    }
    end(&mut s, descriptions, window, findings)?;
    Ok(s)
}

/// The grid of a scenario whose times are filled in.
pub fn grid(s: &Scenario) -> Grid {
    let e = &s.experiment;
    Grid {
        start_s: e.start_s,
        step_s: e.step_s.unwrap_or(0.0),
        stop_s: e.stop_s,
        shares: s.units.iter().map(|u| u.share).collect(),
    }
}

/// Stop and step, where the scenario leaves them to the FMUs.
fn proposed(
    s: &mut Scenario,
    descriptions: &[Arc<ModelDescription>],
    findings: &mut Vec<Finding>,
) -> Result<(), Finding> {
    let longest_s = s.coupling.control.step_max_s;
    let e = &mut s.experiment;
    // The longest step is the step.
    if let Some(longest_s) = longest_s {
        if let Some(step) = e.step_s.filter(|step| *step != longest_s) {
            let what = format!("step = {step:?} beside `step_max = {longest_s:?}` of the control");
            return Err(Finding::error(e.step_place.or(&e.place), what, "say one of them"));
        }
        e.step_s = Some(longest_s);
    }
    let proposed = || descriptions.iter().filter_map(|d| d.default_experiment).map(|e| e.usable().0);
    // What an FMU proposes and nobody can use is told, where it is asked for.
    for (unit, d) in s.units.iter().zip(descriptions) {
        let unusable = d.default_experiment.map(|e| e.usable().1).unwrap_or_default();
        // Start and tolerance are not taken from the FMU here.
        let asked = |attribute| match attribute {
            "stopTime" => e.stop_s.is_none(),
            "stepSize" => e.step_s.is_none(),
            _ => false,
        };
        for value in unusable.into_iter().filter(|value| asked(value.attribute)) {
            let what = format!("unit `{}`: {value}", unit.name);
            findings.push(Finding::note(&unit.place, what, "the proposal of the FMU is ignored"));
        }
    }
    // The run ends at the latest stop time that an FMU proposes.
    if e.stop_s.is_none() {
        e.stop_s = proposed().filter_map(|p| p.stop_time).filter(|t| t.is_finite() && *t > e.start_s).reduce(f64::max);
        let Some(stop) = e.stop_s else {
            return Err(Finding::error(
                &e.place,
                "no stop time, and no FMU proposes one",
                "give `stop` in [experiment], or `--stop`",
            ));
        };
        findings.push(Finding::note(&e.place, format!("no stop time: {stop} s, the latest the FMUs propose"), ""));
    }
    // The macro step is the smallest proposed, made to divide the span.
    let span = e.stop_s.unwrap_or(e.start_s) - e.start_s;
    if e.step_s.is_none() {
        let smallest = proposed().filter_map(|p| p.step_size).filter(|h| *h > 0.0).reduce(f64::min);
        let wanted = smallest.unwrap_or(span / 1000.0);
        // A whole number of steps, none longer than wanted.
        let step = if wanted > 0.0 { span / (span / wanted - 1e-9).ceil().max(1.0) } else { span };
        e.step_s = Some(step);
        let whose = if smallest.is_some() { "the smallest the FMUs propose" } else { "a thousandth of the run" };
        findings.push(Finding::note(&e.place, format!("no macro step: {step} s, {whose}"), "give `step`, or `--step`"));
    }
    Ok(())
}

/// Length of a window in seconds, where neither macro steps nor steps of a unit are too many or too short.
fn bounded(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Result<f64, Finding> {
    let e = &s.experiment;
    // The run in macro steps, and where its step and stop are written.
    let (step, stop) = (e.step_s.unwrap_or(f64::NAN), e.stop_s.unwrap_or(f64::NAN));
    let span = stop - e.start_s;
    let macro_steps = span / step;
    let (step_place, stop_place) = (e.step_place.or(&e.place), e.stop_place.or(&e.place));
    // Infinite or NaN: more than allowed, too.
    if macro_steps.is_nan() || macro_steps > STEPS_MAX {
        let what = format!(
            "{macro_steps:.3e} macro steps of {step:?} s from {} s to {stop:?} s, expected at most {STEPS_MAX:e}",
            e.start_s
        );
        // Whichever is out of the ordinary.
        let place = if span > STEPS_MAX { stop_place } else { step_place };
        return Err(Finding::error(place, what, format!("choose a step of {:.3e} s or more", span / STEPS_MAX)));
    }
    // Steps that vanish in the last bits of time would never end.
    if e.start_s + step == e.start_s || stop - step == stop {
        let what = format!("step = {step:?}, which is too small to change a time of 64 bits at {stop:?} s");
        return Err(Finding::error(step_place, what, "choose a longer step"));
    }
    let refused = |e: macrostep_master::RunError| {
        let place = s.units.iter().find(|u| u.share != (1, 1)).map_or(step_place, |u| &u.place);
        Finding::error(
            place,
            e.to_string(),
            "write `step` of the units as parts of the macro step with a common multiple after few steps",
        )
    };
    // Steps of a unit: its part of the macro step and its sub-steps count.
    let (window, made) = grid(s).window(s.units.len()).map_err(refused)?;
    for ((unit, description), made) in s.units.iter().zip(descriptions).zip(made) {
        let follows = s.coupling.predict == Predict::default()
            || description.co_simulation.as_ref().is_some_and(|c| c.can_interpolate_inputs);
        let sub_steps = if follows { 1 } else { s.coupling.sub_steps };
        let steps = macro_steps / window * made as f64 * sub_steps as f64;
        if steps > STEPS_MAX {
            let (p, q) = unit.share;
            let what = format!(
                "unit `{}` would make {steps:.3e} steps: {macro_steps:.3e} macro steps, its own step {p}/{q} of one, {sub_steps} `sub_steps` in each; expected at most {STEPS_MAX:e}",
                unit.name
            );
            let place = if sub_steps > 1 { &s.coupling.place } else { &unit.place };
            return Err(Finding::error(place, what, "choose longer steps"));
        }
    }
    Ok(window * step)
}

/// Where the run is not a whole number of windows, the last one is shorter; units that cannot do that end it before.
fn end(
    s: &mut Scenario,
    descriptions: &[Arc<ModelDescription>],
    window_s: f64,
    findings: &mut Vec<Finding>,
) -> Result<(), Finding> {
    // Only a run that is not a whole number of windows needs a decision.
    let e = &s.experiment;
    let (start, stop) = (e.start_s, e.stop_s.unwrap_or(e.start_s));
    let span = stop - start;
    let place = e.step_place.or(&e.place).clone();
    let (whole, rest) = windows_and_rest(span, window_s);
    if whole == 0 && rest.is_none() {
        let what =
            format!("{span} s from {start} s to {stop} s are less than a millionth of a macro step of {window_s} s");
        return Err(Finding::error(&place, what, format!("choose a step of {span} s or less")));
    }
    if rest.is_none() {
        return Ok(());
    }
    // Steps that are chosen end on a multiple of the shortest one.
    if s.coupling.control.kind != Control::Fixed {
        let what =
            format!("{span} s from {start} s to {stop} s is not a whole number of the shortest steps of {window_s} s");
        return Err(Finding::error(&place, what, "choose a `step_max` that divides the span"));
    }
    // The end of the last whole window, and what is said about it.
    let (end, windows) = (
        start + whole as f64 * window_s,
        if window_s > e.step_s.unwrap_or(0.0) { "meetings of all units" } else { "macro steps" },
    );
    let what = format!(
        "{} s from {start} s to {stop} s is not a whole number of {windows} of {} s",
        shown::time(span),
        shown::time(window_s)
    );
    // The first unit whose steps cannot differ in length decides.
    let varies = |d: &Arc<ModelDescription>| {
        d.co_simulation.as_ref().is_some_and(|c| c.can_handle_variable_communication_step_size)
    };
    let stiff = s.units.iter().zip(descriptions).find(|(_, d)| !varies(d)).map(|(u, _)| u.name.clone());
    match stiff {
        // A shorter last step, where all units take one.
        None => {
            let last = shown::time(stop - end);
            findings.push(Finding::warning(&place, what, format!("the last one is {last} s long")));
        }
        // Not even one whole window fits.
        Some(unit) if whole == 0 => {
            let what = format!("{what}, and unit `{unit}` cannot take a shorter one");
            return Err(Finding::error(
                &place,
                what,
                format!("choose a step of at most {} s that divides the span", shown::time(span)),
            ));
        }
        // Or the run ends with the last whole window.
        Some(unit) => {
            let what = format!(
                "{what}, and unit `{unit}` cannot take a shorter one (no `canHandleVariableCommunicationStepSize`)"
            );
            findings.push(Finding::warning(&place, what, format!("the run ends at {} s", shown::time(end))));
            s.experiment.stop_s = Some(end);
        }
    }
    Ok(())
}
