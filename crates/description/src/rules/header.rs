//! Rules on the root, the `CoSimulation` element and the default experiment.

use std::collections::HashSet;

use super::Findings;
use crate::ModelDescription;

pub(super) fn fmi_version(d: &ModelDescription, f: &mut Findings<'_>) {
    if d.fmi_version != "2.0" {
        f.add("`fmiVersion`", format!("`{}`", d.fmi_version), "`2.0`");
    }
}

pub(super) fn model_name(d: &ModelDescription, f: &mut Findings<'_>) {
    if d.model_name.is_empty() {
        f.add("`modelName`", "an empty name", "a name");
    }
}

pub(super) fn guid(d: &ModelDescription, f: &mut Findings<'_>) {
    if d.guid.trim().is_empty() {
        f.add("`guid`", "an empty string", "a string no other FMU has");
    }
}

pub(super) fn co_simulation(d: &ModelDescription, f: &mut Findings<'_>) {
    if d.co_simulation.is_none() {
        let found = if d.has_model_exchange { "`ModelExchange` only" } else { "no kind of FMU" };
        f.add("`fmiModelDescription`", found, "a `CoSimulation` element");
    }
}

pub(super) fn model_identifier(d: &ModelDescription, f: &mut Findings<'_>) {
    let Some(c) = &d.co_simulation else { return };
    if !is_c_identifier(&c.model_identifier) {
        f.add("`modelIdentifier`", format!("`{}`", c.model_identifier), "letters, digits and `_`, no digit first");
    }
}

pub(super) fn is_c_identifier(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub(super) fn capabilities(d: &ModelDescription, f: &mut Findings<'_>) {
    let Some(c) = &d.co_simulation else { return };
    if c.can_serialize_fmu_state && !c.can_get_and_set_fmu_state {
        f.add("`canSerializeFMUstate`", "true without `canGetAndSetFMUstate`", "both true");
    }
}

pub(super) fn log_categories(d: &ModelDescription, f: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for category in &d.log_categories {
        if category.name.is_empty() {
            f.add("log category", "an empty name", "a name");
        } else if !seen.insert(&category.name) {
            f.add(format!("log category `{}`", category.name), "a second one", "unique names");
        }
    }
}

pub(super) fn default_experiment(d: &ModelDescription, f: &mut Findings<'_>) {
    let Some(e) = &d.default_experiment else { return };
    let numbers = [
        ("startTime", e.start_time, false),
        ("stopTime", e.stop_time, false),
        ("tolerance", e.tolerance, true),
        ("stepSize", e.step_size, true),
    ];
    for (name, value, positive) in numbers {
        let Some(value) = value else { continue };
        if !value.is_finite() || (positive && value <= 0.0) {
            f.add(format!("`{name}`"), value.to_string(), if positive { "a number > 0" } else { "a finite number" });
        }
    }
    let start = e.start_time.unwrap_or(0.0);
    if let Some(stop) = e.stop_time
        && stop <= start
    {
        f.add("`stopTime`", stop.to_string(), format!("more than `startTime`, {start}"));
    }
}
