//! Connections of a description, and those that SSP has no words for.

use super::write::{Text, escape};
use crate::check::passage;
use crate::scenario::{Connection, Endpoint, Scenario, Value};
use macrostep_description::{Kind, ModelDescription, Variable};
use std::sync::Arc;

type End<'a> = (&'a ModelDescription, &'a Variable);

/// The variables at the ends of a connection between units.
pub(super) fn ends<'a>(
    c: &Connection,
    s: &Scenario,
    descriptions: &'a [Arc<ModelDescription>],
) -> Option<(End<'a>, End<'a>)> {
    let variable = |end: &Endpoint| {
        let d = &*descriptions[s.unit(&end.unit)?];
        d.variable(&end.variable).map(|v| (d, v))
    };
    variable(&c.from).zip(variable(&c.to))
}

/// Whether a connection stands in the annotation only: one from a law or a file of inputs, or one that changes values as SSP cannot say.
pub(super) fn is_ours(c: &Connection, s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> bool {
    s.law(&c.from.unit).is_some() || s.input(&c.from.unit).is_some() || is_wordless(c, s, descriptions)
}

/// Whether a connection of units changes values as SSP cannot say: rounded, by a table between types, or by a table and a factor.
pub(super) fn is_wordless(c: &Connection, s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> bool {
    let between = || {
        let is_boolean = |v: &Variable| matches!(v.kind, Kind::Boolean);
        ends(c, s, descriptions).is_some_and(|((_, y), (_, u))| u.real().is_some() || is_boolean(y) != is_boolean(u))
    };
    let is_changed = c.factor != 1.0 || c.offset != 0.0;
    c.rounds || (!c.table.is_empty() && (is_changed || between()))
}

/// The table of a connection with numbers for items of enumerations, as its connectors have them.
fn numbers(c: &Connection, s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Vec<(Value, Value)> {
    let Some((from, to)) = ends(c, s, descriptions) else { return c.table.clone() };
    match passage(c, from, to) {
        Ok(passage) if !matches!(from.1.kind, Kind::Boolean) => {
            passage.table.into_iter().map(|(a, b)| (Value::Integer(a.into()), Value::Integer(b as i64))).collect()
        }
        _ => c.table.clone(),
    }
}

impl Text {
    pub fn connections(&mut self, s: &Scenario, descriptions: &[Arc<ModelDescription>]) {
        // What SSP has no words for stands in the annotation.
        let plain: Vec<_> = s.connections.iter().filter(|c| !is_ours(c, s, descriptions)).collect();
        if plain.is_empty() {
            return;
        }
        self.open("ssd:Connections", "");
        for c in plain {
            // The ends, and whether units of measurement are converted between them.
            let (Endpoint { unit: a, variable: y }, Endpoint { unit: b, variable: u }) = (&c.from, &c.to);
            let suppress = if c.converts { "" } else { " suppressUnitConversion=\"true\"" };
            let ends = format!(
                " startElement=\"{}\" startConnector=\"{}\" endElement=\"{}\" endConnector=\"{}\"{suppress}",
                escape(a),
                escape(y),
                escape(b),
                escape(u)
            );
            // How the value is transformed: by a table, not at all, or linearly.
            let table = numbers(c, s, descriptions);
            if let Some((first, _)) = table.first() {
                self.open("ssd:Connection", &ends);
                self.table(first, &table);
                self.close("ssd:Connection");
            } else if c.factor == 1.0 && c.offset == 0.0 {
                self.line(format_args!("<ssd:Connection{ends}/>"));
            } else {
                self.open("ssd:Connection", &ends);
                self.line(format_args!(
                    "<ssc:LinearTransformation factor=\"{:?}\" offset=\"{:?}\"/>",
                    c.factor, c.offset
                ));
                self.close("ssd:Connection");
            }
        }
        self.close("ssd:Connections");
    }

    fn table(&mut self, first: &Value, lines: &[(Value, Value)]) {
        let kind = match first {
            Value::Boolean(_) => "Boolean",
            Value::Integer(_) | Value::Real(_) => "Integer",
            Value::Text(_) => "Enumeration",
        };
        let text = |value: &Value| match value {
            Value::Text(t) => escape(t),
            other => other.to_string(),
        };
        self.open(&format!("ssc:{kind}MappingTransformation"), "");
        for (source, target) in lines {
            self.line(format_args!("<ssc:MapEntry source=\"{}\" target=\"{}\"/>", text(source), text(target)));
        }
        self.close(&format!("ssc:{kind}MappingTransformation"));
    }
}
