//! Which steps a container takes: whether its windows can be shortened, and where its run ends.

use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_master::windows_and_rest;
use macrostep_system::scenario::LawKind;
use macrostep_system::words::{Control, Correct};
use macrostep_system::{Scenario, assemble};

/// Whether windows inside can be shortened to any length: every FMU inside can vary its step, and nothing counts on windows of one
/// length, see [`macrostep_master::Simulation::shorten`].
pub(crate) fn vary(scenario: &Scenario, descriptions: &[Arc<ModelDescription>]) -> bool {
    let c = &scenario.coupling;
    let is_free = c.control.kind == Control::Fixed
        && c.correct != Correct::LinearImplicit
        && !c.schedule.is_palindromic()
        && scenario.constraints.is_empty()
        && scenario.interface_models.is_empty()
        && scenario.state_events.is_empty()
        && !scenario.laws.iter().any(|law| matches!(law.kind, LawKind::Line(_)));
    // An FMU that takes multiples of something cannot take any.
    let takes_any = |(unit, d): (&macrostep_system::scenario::Unit, &Arc<ModelDescription>)| {
        d.co_simulation.as_ref().is_some_and(|co| co.can_handle_variable_communication_step_size)
            && scenario.step_multiple_s(unit, d).is_none()
    };
    is_free && scenario.units.iter().zip(descriptions).all(takes_any)
}

/// Whether a run inside can end between two points of its grid, with a shorter last window.
fn ends_in_part(scenario: &Scenario, descriptions: &[Arc<ModelDescription>]) -> bool {
    let varies = |d: &Arc<ModelDescription>| {
        d.co_simulation.as_ref().is_some_and(|c| c.can_handle_variable_communication_step_size)
    };
    let c = &scenario.coupling;
    c.control.kind == Control::Fixed && !c.schedule.is_palindromic() && descriptions.iter().all(varies)
}

/// Where a run inside ends that is to reach `stop_s` \[s\]: there, or at the first point of its grid beyond it.
pub(crate) fn end_s(scenario: &Scenario, descriptions: &[Arc<ModelDescription>], start_s: f64, stop_s: f64) -> f64 {
    let (e, choice) = (&scenario.experiment, &scenario.coupling.control);
    let window = assemble::grid(scenario).window(scenario.units.len());
    let (Some(step_s), Ok((window, _))) = (e.step_s, window) else { return stop_s };
    if ends_in_part(scenario, descriptions) {
        return stop_s;
    }
    // With step control, of shortest steps.
    let parts = if choice.kind == Control::Fixed { 1 } else { choice.parts(step_s) };
    let window_s = window * step_s / f64::from(parts);
    match windows_and_rest(stop_s - start_s, window_s) {
        (whole, Some(_)) => start_s + (whole + 1) as f64 * window_s,
        (0, None) => start_s + window_s,
        (_, None) => stop_s,
    }
}
