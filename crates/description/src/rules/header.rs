//! Rules on the root, the `CoSimulation` element and the default experiment.

use std::collections::HashSet;

use super::Findings;
use crate::{ModelDescription, shown};

pub(super) fn fmi_version(d: &ModelDescription, f: &mut Findings<'_>) {
    if d.fmi3.is_none() && d.fmi_version != "2.0" {
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

pub(super) fn faces(d: &ModelDescription, f: &mut Findings<'_>) {
    if d.co_simulation.is_none() && d.model_exchange.is_none() {
        f.add("`fmiModelDescription`", "no kind of FMU", "a `CoSimulation` or a `ModelExchange` element");
    }
}

pub(super) fn model_identifier(d: &ModelDescription, f: &mut Findings<'_>) {
    let steps = d.co_simulation.as_ref().map(|c| &c.model_identifier);
    let equations = d.model_exchange.as_ref().map(|m| &m.model_identifier);
    // Most FMUs have one library for both.
    for name in steps.into_iter().chain(equations.filter(|name| steps != Some(*name))) {
        if !is_c_identifier(name) {
            f.add("`modelIdentifier`", format!("`{name}`"), "letters, digits and `_`, no digit first");
        }
    }
}

pub(super) fn is_c_identifier(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub(super) fn capabilities(d: &ModelDescription, f: &mut Findings<'_>) {
    let steps = d.co_simulation.as_ref().map(|c| (c.can_serialize_fmu_state, c.can_get_and_set_fmu_state));
    let equations = d.model_exchange.as_ref().map(|m| (m.can_serialize_fmu_state, m.can_get_and_set_fmu_state));
    if [steps, equations].contains(&Some((true, false))) {
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
    for unusable in e.usable().1 {
        f.add(format!("`{}`", unusable.attribute), shown::number(unusable.found), unusable.expected);
    }
}

/// `generationDateAndTime` is an `xs:dateTime`: `YYYY-MM-DDThh:mm:ss`, then maybe a fraction, then maybe a time zone.
pub(super) fn generation_date(d: &ModelDescription, f: &mut Findings<'_>) {
    let Some(date) = &d.generation_date_and_time else { return };
    if !is_date_and_time(date.trim()) {
        f.add("`generationDateAndTime`", format!("`{}`", shown::text(date)), "a date as `2024-02-29T23:59:59Z`");
    }
}

fn is_date_and_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else { return false };
    let number = |text: &str, digits: usize, range: std::ops::RangeInclusive<u32>| {
        let is_number = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
        is_number && text.parse().is_ok_and(|n| range.contains(&n))
    };
    // Years before 0 and after 9999 are left to historians.
    let date: Vec<&str> = date.split('-').collect();
    let [year, month, day] = date[..] else { return false };
    if !(number(year, 4, 0..=9999) && number(month, 2, 1..=12) && number(day, 2, 1..=31)) {
        return false;
    }
    // The zone begins at the first `Z`, `+` or `-`.
    let (time, zone) = match time.find(['Z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let is_zone = match zone.strip_prefix(['+', '-']).map(|offset| offset.split_once(':')) {
        Some(Some((hours, minutes))) => number(hours, 2, 0..=14) && number(minutes, 2, 0..=59),
        Some(None) => false,
        None => matches!(zone, "" | "Z"),
    };
    // Fractions of seconds are optional, and have digits.
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let time: Vec<&str> = time.split(':').collect();
    let [hours, minutes, seconds] = time[..] else { return false };
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    // A day may end at 24:00:00, and no later.
    let is_end = [hours, minutes, seconds] == ["24", "00", "00"] && fraction.bytes().all(|b| b == b'0');
    let is_within = number(hours, 2, 0..=23) && number(minutes, 2, 0..=59) && number(seconds, 2, 0..=59);
    is_zone && is_fraction && (is_end || is_within)
}

#[cfg(test)]
mod tests {
    use super::is_date_and_time;

    #[test]
    fn dates_are_those_of_the_schema() {
        for date in
            ["2024-02-29T23:59:59Z", "2009-12-08T14:33:22", "2009-12-08T14:33:22.125+01:00", "2024-12-31T24:00:00.0"]
        {
            assert!(is_date_and_time(date), "{date}");
        }
        let wrong =
            ["", "2024-02-29", "Thu Feb 29 2024", "2024-02-29T23:59:59 Z", "2024-13-01T00:00:00Z", "24-01-01T0:0:0"];
        let too_late = ["2024-02-29T24:30:00", "2024-02-29T24:00:01Z", "2024-02-29T24:00:00.5", "2024-02-29T25:00:00"];
        for date in wrong.into_iter().chain(too_late) {
            assert!(!is_date_and_time(date), "{date}");
        }
    }
}
