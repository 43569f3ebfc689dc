//! `[[events]]`: values set at a time, or when a function of outputs crosses zero.

use super::*;
use crate::scenario::{StateEvent, Taken};

/// Events of one condition within its span, unless said otherwise.
const MOST: u32 = 20;

impl Reader<'_> {
    /// Those at a time, and those of a condition.
    pub(super) fn events(&self, events: &[Spanned<file::Event>]) -> Read<(Vec<Event>, Vec<StateEvent>)> {
        let (mut timed, mut stated) = (Vec::new(), Vec::new());
        for event in events {
            if event.get_ref().when.is_some() {
                stated.push(self.state_event(event)?)
            } else {
                timed.push(self.event(event)?)
            }
        }
        Ok((timed, stated))
    }

    /// Values at a time.
    pub(super) fn event(&self, event: &Spanned<file::Event>) -> Read<Event> {
        let (place, e) = (self.place(event), event.get_ref());
        // What only an event of a condition has is refused where a time is said.
        let keys = [
            ("when", e.when.as_ref().map(|x| self.place(x))),
            ("minus", e.minus.as_ref().map(|x| self.place(x))),
            ("threshold", e.threshold.as_ref().map(|x| self.place(x))),
            ("direction", e.direction.as_ref().map(|x| self.place(x))),
            ("one_sided", e.one_sided.as_ref().map(|x| self.place(x))),
            ("max", e.max.as_ref().map(|x| self.place(x))),
            ("span", e.span.as_ref().map(|x| self.place(x))),
        ];
        if let Some((key, at)) = keys.iter().find_map(|(key, at)| at.as_ref().map(|at| (key, at))) {
            let what = format!("`{key}` of values that are set at a time");
            return Err(Finding::error(at, what, "write `when = \"UNIT.OUTPUT\"` in [[events]], without `at`"));
        }
        // Values, and the time at which they are set.
        let settings = self.units_settings(&e.set)?;
        match e.at {
            Some(at_s) if at_s.is_finite() && !settings.is_empty() => Ok(Event { at_s, settings, place }),
            at_s => {
                let when = at_s.map_or("no time".to_owned(), |at_s| format!("{at_s} s"));
                let what = format!("{} values at {when}", settings.len());
                let next = "write at = 2.0, or when = \"UNIT.OUTPUT\", and set = { \"UNIT.VARIABLE\" = 1.0 }";
                Err(Finding::error(&place, what, next))
            }
        }
    }

    /// Values when a function of outputs crosses zero.
    fn state_event(&self, event: &Spanned<file::Event>) -> Read<StateEvent> {
        let (place, e) = (self.place(event), event.get_ref());
        let of = e.when.as_ref().map(|when| self.endpoint(when)).transpose()?;
        let (Some(of), None) = (of, e.at) else {
            return Err(Finding::error(&place, "`at` and `when` of one event", "write one of them"));
        };
        let minus = e.minus.as_ref().map(|minus| self.endpoint(minus)).transpose()?;
        let finite = |key: &str, value: &Option<Spanned<f64>>, is_fine: fn(f64) -> bool| match value {
            Some(x) if !(x.get_ref().is_finite() && is_fine(*x.get_ref())) => {
                let what = format!("`{key}` of an event is {}", x.get_ref());
                Err(Finding::error(&self.place(x), what, "write a finite number; above 0 for `span`"))
            }
            x => Ok(x.as_ref().map(|x| *x.get_ref())),
        };
        let threshold = finite("threshold", &e.threshold, |_| true)?.unwrap_or(0.0);
        let span_s = finite("span", &e.span, |x| x > 0.0)?;
        let most = self.within("max", &e.max, 1_000_000)?.map_or(MOST, |n| n as u32);
        // What is set.
        let (mut settings, mut taken) = (Vec::new(), Vec::new());
        for (key, value) in &e.set.0 {
            let to = self.endpoint(key)?;
            match value.get_ref() {
                toml::Value::Table(table) if !table.contains_key("value") => {
                    taken.push(self.taken(to, table, self.place(value))?)
                }
                _ => {
                    let set = self.settings(&to.variable, value)?.into_iter();
                    settings.extend(set.map(|setting| (to.unit.clone(), setting)));
                }
            }
        }
        if settings.is_empty() && taken.is_empty() {
            return Err(Finding::error(&place, "an event that sets nothing", "add set = { \"UNIT.VARIABLE\" = 1.0 }"));
        }
        let direction = self.word("direction", &e.direction)?;
        let one_sided = e.one_sided.as_ref().is_some_and(|x| *x.get_ref());
        Ok(StateEvent { of, minus, threshold, direction, one_sided, settings, taken, most, span_s, place })
    }

    /// `{ from = "UNIT.OUTPUT", factor = …, offset = … }`.
    fn taken(&self, to: Endpoint, table: &toml::Table, place: Place) -> Read<Taken> {
        let bad = |what: String| {
            Finding::error(&place, what, "write { from = \"UNIT.OUTPUT\", factor = -0.8, offset = 0.0 }")
        };
        if let Some(key) = table.keys().find(|key| !["from", "factor", "offset"].contains(&key.as_str())) {
            return Err(bad(format!("`{key}` of what `{to}` is set to")));
        }
        let from = table.get("from").and_then(toml::Value::as_str).and_then(Endpoint::parse);
        let from = from.ok_or_else(|| bad(format!("`{to}` is set without `from`")))?;
        let number = |key: &str, default: f64| match table.get(key) {
            None => Ok(default),
            Some(toml::Value::Float(x)) if x.is_finite() => Ok(*x),
            Some(toml::Value::Integer(i)) => Ok(*i as f64),
            Some(other) => Err(bad(format!("`{key}` of `{to}` is `{other}`"))),
        };
        Ok(Taken { from, factor: number("factor", 1.0)?, offset: number("offset", 0.0)?, to, place: place.clone() })
    }
}
