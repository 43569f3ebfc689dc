//! Inputs from files, and values set at a time, against the variables they are for.

use super::Declared;
use super::values::{Converted, assumed, causality, convert, in_range};
use crate::finding::Finding;
use crate::input::InputTable;
use crate::scenario::{Connection, Endpoint, Experiment, InputFile, Scenario, Setting, Value};
use crate::words::Control;
use macrostep_description::{Causality, Kind, ModelDescription, Variability, Variable};
use macrostep_import::regular;
use macrostep_master::Series;
use std::collections::BTreeSet;

/// What an input from a file is over time.
pub(crate) enum Driven {
    /// Lines between values.
    Series(Series),
    /// Values from times \[s\] on.
    Values(Vec<(f64, Converted)>),
}

/// The file as a table.
///
/// # Errors
/// Where it cannot be read, or has no times.
pub fn table(file: &InputFile) -> Result<InputTable, Finding> {
    let failed = |reason: String| Finding::error(&file.place, format!("inputs `{}`: {reason}", file.shown), "");
    let opened = regular::data(&file.path).map_err(|e| failed(e.to_string()))?;
    InputTable::read(opened, str::to_owned).map_err(|e| failed(e.to_string()))
}

/// What a connection from a column feeds its input with.
pub(crate) fn driven(
    c: &Connection,
    table: &InputTable,
    (v, d): (&Variable, &ModelDescription),
) -> Result<Driven, String> {
    let texts = table.column(&c.from.variable).ok_or_else(|| {
        let known = table.names.join("`, `");
        format!("file of inputs `{}` has no column `{}`; it has `{known}`", c.from.unit, c.from.variable)
    })?;
    // Every text in the type of the input.
    let mut values = Vec::new();
    for (line, text) in texts {
        // Blanks around a number or word mean nothing; those of a text belong to it.
        let value_text = if matches!(v.kind, Kind::String) { text } else { text.trim() };
        let setting = Setting::new(v.name.clone(), value(value_text, v), c.place.clone());
        let bad = |expected: String| format!("line {line} of `{}`: `{text}`, expected {expected}", c.from);
        let value = match convert(&setting, v, d).map_err(bad)? {
            Converted::Real(x) if !x.is_finite() => return Err(bad("a finite number".to_owned())),
            Converted::Real(x) => Converted::Real(c.factor * x + c.offset),
            other => other,
        };
        values.push(value);
    }
    let continuous = v.real().is_some() && v.variability == Variability::Continuous;
    if !continuous {
        return Ok(Driven::Values(table.times_s.iter().copied().zip(values).collect()));
    }
    let reals = values.iter().filter_map(|value| if let Converted::Real(x) = value { Some(*x) } else { None });
    let series = Series::new(table.times_s.clone(), reals.collect()).ok_or_else(|| "no rows".to_owned())?;
    Ok(Driven::Series(if c.is_held { series.held() } else { series }))
}

/// A text as a value for a variable.
fn value(text: &str, v: &Variable) -> Value {
    let number = || text.parse().ok().map(Value::Integer);
    let known = match &v.kind {
        Kind::Real(_) => text.parse().ok().map(Value::Real),
        Kind::Integer { .. } | Kind::Enumeration { .. } => number(),
        Kind::Boolean => match text {
            "true" | "1" => Some(Value::Boolean(true)),
            "false" | "0" => Some(Value::Boolean(false)),
            _ => None,
        },
        Kind::String => None,
    };
    known.unwrap_or_else(|| Value::Text(text.to_owned()))
}

pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    let s = d.scenario;
    // Files have names of their own, and columns that fit what they feed.
    for (i, file) in s.inputs.iter().enumerate() {
        let twice = s.inputs[..i].iter().any(|f| f.name == file.name);
        if twice || d.names.unit(&file.name).is_some() || d.names.law(&file.name).is_some() {
            findings.push(Finding::error(&file.place, format!("the name `{}` twice", file.name), "rename one of them"));
        }
        self::file(d, file, findings);
    }
    // Values at a time: only where steps are of one length do they meet it.
    let fed: BTreeSet<&Endpoint> = s.targets().map(|(to, _)| to).collect();
    for event in &s.events {
        if s.coupling.control.kind != Control::Fixed {
            let what = format!("an event at {} s, and step control by `{}`", event.at_s, s.coupling.control.kind);
            findings.push(Finding::error(
                &event.place,
                what,
                "choose `kind = \"fixed\"`: events are at communication points of all units",
            ));
        }
        for (unit, setting) in &event.settings {
            if let Err((what, next)) = set(d, (unit, setting), &fed) {
                findings.push(Finding::error(&setting.place, what, next));
            }
            findings.extend(d.description(unit).and_then(|description| assumed(unit, setting, description)));
        }
    }
    // Of two values at one time the one further down would win.
    for (i, event) in s.events.iter().enumerate() {
        let earlier = s.events[..i].iter().filter(|other| other.at_s == event.at_s).flat_map(|other| &other.settings);
        for (unit, first) in earlier {
            let second = event.settings.iter().find(|(u, s)| u == unit && s.variable == first.variable);
            if let Some((_, second)) = second.filter(|(_, second)| second.value != first.value) {
                let what = format!("`{unit}.{}` is set to two values at {} s", first.variable, event.at_s);
                findings.push(Finding::error(&second.place, what, "leave one of them out"));
            }
        }
    }
    // Values from before the start.
    for row in &s.history {
        for value in &row.settings {
            if let Err((what, next)) = was(d, row.at_s, value) {
                findings.push(Finding::error(&value.1.place, what, next));
            }
        }
    }
}

/// A value that was: of a real output, before the start.
fn was(d: &Declared<'_>, at_s: f64, (unit, setting): &(String, Setting)) -> Result<(), (String, String)> {
    let start_s = d.scenario.experiment.start_s;
    if at_s >= start_s {
        let what = format!("a history at {at_s} s, and the start at {start_s} s");
        return Err((what, "choose times before the start".to_owned()));
    }
    let end = Endpoint { unit: unit.clone(), variable: setting.variable.clone() };
    let Some(v) = d.variable(&end).map_err(|what| (what, String::new()))? else { return Ok(()) };
    let Some(description) = d.description(unit) else { return Ok(()) };
    if v.real().is_none() || !matches!(v.causality, Causality::Output | Causality::Local) {
        return Err((format!("`{end}` in a history, which is not a real output"), "leave it out".to_owned()));
    }
    if setting.unit.is_some() {
        return Err((format!("`{end}` with a unit in a history"), format!("write a number in `{}`", v.unit())));
    }
    match convert(setting, v, description) {
        Ok(Converted::Real(x)) if x.is_finite() => Ok(()),
        _ => Err((format!("`{end}` = {}, expected a finite number", setting.value), String::new())),
    }
}

/// A file, and the connections that begin at its columns.
fn file(d: &Declared<'_>, file: &InputFile, findings: &mut Vec<Finding>) {
    // Whatever is wrong with the file itself is the only finding then.
    let table = match table(file) {
        Ok(table) => table,
        Err(finding) => return findings.push(finding),
    };
    let own: Vec<&Connection> = d.scenario.connections.iter().filter(|c| c.from.unit == file.name).collect();
    let mut is_line = false;
    for c in &own {
        // Each connection takes the column as it is, or scaled where it is real.
        let Ok(Some(v)) = d.variable(&c.to) else { continue };
        let Some(description) = d.description(&c.to.unit) else { continue };
        let plain = c.law.is_none() && c.table.is_empty() && !c.is_mean && !c.rounds;
        let scaled = c.factor != 1.0 || c.offset != 0.0;
        if !plain || (scaled && v.real().is_none()) {
            let what =
                format!("`{}` from a file of inputs with a law, a table, a mean, `round` or a scaled value", c.to);
            findings.push(Finding::error(
                &c.place,
                what,
                "only `factor` and `offset` work there, for real inputs; leave the rest out",
            ));
        }
        // What is held between rows is set where steps meet, so these are of one length.
        match driven(c, &table, (v, description)) {
            Err(what) => findings.push(Finding::error(&c.place, what, "")),
            Ok(Driven::Values(_)) if d.scenario.coupling.control.kind != Control::Fixed => {
                let what = format!(
                    "`{}` keeps its value between rows, which does not work with step control (`control`)",
                    c.to
                );
                findings.push(Finding::error(&c.place, what, "choose `kind = \"fixed\"`"));
            }
            Ok(Driven::Series(_)) => is_line = true,
            Ok(_) => {}
        }
    }
    if is_line {
        findings.extend(span(&d.scenario.experiment, file, &table.times_s));
    }
    if own.is_empty() && !d.scenario.is_solution(file) {
        let what = format!("inputs `{}` have no connection", file.name);
        findings.push(Finding::warning(&file.place, what, format!("write \"UNIT.INPUT\" = \"{}.COLUMN\"", file.name)));
    }
}

/// A file whose rows do not reach from the start to the end of the run; one row is a constant.
fn span(e: &Experiment, file: &InputFile, times_s: &[f64]) -> Option<Finding> {
    let [first_s, .., last_s] = times_s else { return None };
    let stop_s = e.stop_s?;
    let (off_s, run) = (1e-9 * (stop_s - e.start_s), format!("the run goes from {} s to {stop_s} s", e.start_s));
    let rows = format!("inputs `{}` go from {first_s} s to {last_s} s, and {run}", file.shown);
    if *last_s <= e.start_s || *first_s >= stop_s {
        let what = format!("{rows}: no row is within the run, so one value holds all the time");
        return Some(Finding::warning(&file.place, what, "look at the times of the file, in s"));
    }
    let is_short = *first_s > e.start_s + off_s || *last_s < stop_s - off_s;
    let what = format!("{rows}: the first values hold before, the last ones after");
    is_short.then(|| Finding::note(&file.place, what, "give rows for the whole run if this is not intended"))
}

/// Whether a variable may be set on the way: an input without a source, or a tunable parameter.
pub(super) fn may_be_set(end: &Endpoint, v: &Variable, fed: &BTreeSet<&Endpoint>) -> Result<(), (String, String)> {
    let next = "set a tunable parameter, or an input without a source".to_owned();
    match v.causality {
        Causality::Input if fed.contains(end) => {
            Err((format!("input `{end}` has a source, and an event sets it"), "remove one of them".to_owned()))
        }
        Causality::Input => Ok(()),
        Causality::Parameter if v.variability == Variability::Tunable => Ok(()),
        Causality::Parameter => {
            Err((format!("`{end}` is a parameter that cannot change in a run (not tunable)"), next))
        }
        other => Err((format!("`{end}` is {}", causality(other)), next)),
    }
}

/// Whether a value may be set on the way.
pub(super) fn set(
    d: &Declared<'_>,
    (unit, setting): (&String, &Setting),
    fed: &BTreeSet<&Endpoint>,
) -> Result<(), (String, String)> {
    let end = Endpoint { unit: unit.clone(), variable: setting.variable.clone() };
    let Some(v) = d.variable(&end).map_err(|what| (what, String::new()))? else { return Ok(()) };
    let Some(description) = d.description(unit) else { return Ok(()) };
    may_be_set(&end, v, fed)?;
    match convert(setting, v, description) {
        Ok(value) => in_range(&end.to_string(), &value, v),
        Err(expected) => Err((format!("`{end}` = {}, expected {expected}", setting.value), String::new())),
    }
}

/// The texts of the input files of a scenario, which identify them.
pub fn contents(s: &Scenario) -> Result<Vec<(String, Vec<u8>)>, Finding> {
    let read = |file: &InputFile| {
        let failed = |e: std::io::Error| Finding::error(&file.place, format!("inputs `{}`: {e}", file.shown), "");
        regular::read(&file.path).map(|bytes| (file.name.clone(), bytes)).map_err(failed)
    };
    s.inputs.iter().map(read).collect()
}
