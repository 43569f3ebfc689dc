//! Inputs from files and values set at a time in the master.

use super::{plain_value, refused};
use crate::check::{Driven, convert, driven, input_table as table};
use crate::finding::Finding;
use crate::scenario::{Connection, Names, Place};
use macrostep_description::{ModelDescription, Variable};
use macrostep_master::unit::Start;
use macrostep_master::{Grid, System, UnitId};
use std::sync::Arc;

/// Parts of a window that a time may be off a communication point.
const OFF_MAX: f64 = 1e-6;

/// The communication points of a run.
struct Points {
    start_s: f64,
    stop_s: f64,
    window_s: f64,
}

impl Points {
    fn of(grid: &Grid, units: usize) -> Points {
        let window = grid.window(units).map_or(1.0, |(window, _)| window);
        Points { start_s: grid.start_s, stop_s: grid.stop_s.unwrap_or(f64::INFINITY), window_s: window * grid.step_s }
    }

    fn at(&self, n: f64) -> f64 {
        self.start_s + n * self.window_s
    }

    /// How many windows after the start.
    fn windows(&self, t_s: f64) -> f64 {
        (t_s - self.start_s) / self.window_s
    }
}

/// Feeds inputs from files and declares events.
pub(super) fn declare(
    names: &Names<'_>,
    descriptions: &[Arc<ModelDescription>],
    grid: &Grid,
    (system, units): (&mut System, &[UnitId]),
) -> Result<(), Finding> {
    // The points of time at which values can be set.
    let s = names.scenario();
    let points = Points::of(grid, units.len());
    let find = |unit: &str, name: &str| -> Option<(usize, &Variable)> {
        let u = names.unit(unit)?;
        descriptions[u].variable(name).map(|v| (u, v))
    };
    // Inputs from files: interpolated as a series, or values that are held from one row to the next.
    for file in &s.inputs {
        let table = table(file)?;
        for c in s.connections.iter().filter(|c| c.from.unit == file.name) {
            let Some((u, v)) = find(&c.to.unit, &c.to.variable) else { continue };
            let input = driven(c, &table, (v, &descriptions[u]));
            match input.map_err(|what| Finding::error(&c.place, what, ""))? {
                Driven::Series(series) => {
                    system.connect_series(series, units[u], &v.name).map_err(refused(&c.place))?;
                }
                Driven::Values(values) => held(&points, values, |at_s, value| {
                    system.change(units[u], at_s, start(v, plain_value(value), c));
                }),
            }
        }
    }
    // Events of a time: each value is set at the point that meets it.
    for event in &s.events {
        let at_s = met(&points, event.at_s, &event.place)?;
        for (unit, setting) in &event.settings {
            let Some((u, v)) = find(unit, &setting.variable) else { continue };
            let value = convert(setting, v, &descriptions[u]);
            let value = value.map_err(|what| Finding::error(&setting.place, what, ""))?;
            let place = setting.place.to_string();
            let origin = format!("event for `{unit}.{}`, {}", v.name, place.trim_end_matches(": "));
            let start = Start { reference: v.value_reference, value: plain_value(value), origin };
            system.change(units[u], at_s, start);
        }
    }
    Ok(())
}

fn start(v: &Variable, value: macrostep_description::Value, c: &Connection) -> Start {
    Start { reference: v.value_reference, value, origin: format!("`{}` for `{}`", c.from, c.to) }
}

/// Values that hold from a time on, each at the first communication point from there: at the start the last one known there.
fn held(
    points: &Points,
    values: Vec<(f64, crate::check::Converted)>,
    mut change: impl FnMut(f64, crate::check::Converted),
) {
    let mut last = None;
    for (i, (t_s, value)) in values.into_iter().enumerate() {
        // Before the first row its values hold.
        let windows = if i == 0 { 0.0 } else { (points.windows(t_s) - OFF_MAX).ceil().max(0.0) };
        let at_s = points.at(windows);
        if last.as_ref() == Some(&value) || at_s >= points.stop_s {
            continue;
        }
        last = Some(value.clone());
        change(at_s, value);
    }
}

/// The communication point of an event.
fn met(points: &Points, at_s: f64, place: &Place) -> Result<f64, Finding> {
    let windows = points.windows(at_s);
    let (below, above) = (points.at(windows.floor()), points.at(windows.ceil()));
    if at_s < points.start_s || at_s >= points.stop_s {
        let what = format!("an event at {at_s} s, in a run from {} s to {} s", points.start_s, points.stop_s);
        return Err(Finding::error(place, what, "choose a time from the start on, and before the end"));
    }
    if (windows - windows.round()).abs() > OFF_MAX {
        let what = format!("an event at {at_s} s, which is not a communication point");
        return Err(Finding::error(place, what, format!("the nearest are {below} s and {above} s")));
    }
    Ok(points.at(windows.round()))
}
