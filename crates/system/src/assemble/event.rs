//! Events of a condition in the master.

use super::channels::Channels;
use super::plain_value;
use crate::check::{Conversion, conversion, convert};
use crate::finding::Finding;
use crate::scenario::{Endpoint, Names, Place};
use macrostep_description::{ModelDescription, Value};
use macrostep_master::unit::Start;
use macrostep_master::{Assigned, Event, Signal, System, UnitId};
use std::sync::Arc;

pub(super) fn declare(
    names: &Names<'_>,
    (descriptions, channels): (&[Arc<ModelDescription>], &Channels),
    (system, units): (&mut System, &[UnitId]),
) -> Result<(), Finding> {
    let s = names.scenario();
    let origin =
        |to: &Endpoint, place: &Place| format!("event for `{to}`, {}", place.to_string().trim_end_matches(": "));
    for event in &s.state_events {
        let signal = |end: &Endpoint, place: &Place| -> Result<Signal, Finding> {
            let refused = || Finding::error(place, format!("`{end}` is not an output that can be sampled"), "");
            channels.signal(end).ok_or_else(refused)
        };
        // What crosses zero.
        let mut terms = vec![(signal(&event.of, &event.place)?, 1.0)];
        let mut threshold = event.threshold;
        if let Some(minus) = &event.minus {
            // In the unit of the first output, as check says.
            let variable = |end: &Endpoint| {
                let description = &*descriptions[names.unit(&end.unit)?];
                Some((description, description.variable(&end.variable)?))
            };
            let (factor, offset) = match variable(minus).zip(variable(&event.of)).map(|(a, b)| conversion(a, b)) {
                Some(Conversion::Affine(factor, offset)) => (factor, offset),
                _ => (1.0, 0.0),
            };
            terms.push((signal(minus, &event.place)?, -factor));
            threshold += offset;
        }
        // What is set.
        let mut set = Vec::new();
        for (unit, setting) in &event.settings {
            let to = Endpoint { unit: unit.clone(), variable: setting.variable.clone() };
            let Some((u, v)) = names.unit(unit).and_then(|u| Some((u, descriptions[u].variable(&to.variable)?))) else {
                continue;
            };
            let value =
                convert(setting, v, &descriptions[u]).map_err(|what| Finding::error(&setting.place, what, ""))?;
            let (reference, origin) = (v.value_reference, origin(&to, &setting.place));
            set.push((units[u], Assigned::Value(Start { reference, value: plain_value(value), origin })));
        }
        // What takes over an output gets its value when the event happens: the zero is a placeholder.
        for taken in &event.taken {
            let to = &taken.to;
            let Some((u, v)) = names.unit(&to.unit).and_then(|u| Some((u, descriptions[u].variable(&to.variable)?)))
            else {
                continue;
            };
            let to = Start { reference: v.value_reference, value: Value::Real(0.0), origin: origin(to, &taken.place) };
            let (factor, offset) = (taken.factor, taken.offset);
            set.push((units[u], Assigned::Output { from: signal(&taken.from, &taken.place)?, factor, offset, to }));
        }
        // More crossings than `most` within this time end the run: a macro step, where none is said.
        let span_s = event.span_s.or(s.experiment.step_s).unwrap_or(f64::INFINITY);
        system.event(Event {
            name: event.name(),
            terms,
            threshold,
            direction: event.direction.into(),
            one_sided: event.one_sided,
            set,
            most: event.most,
            span_s,
        });
    }
    Ok(())
}
