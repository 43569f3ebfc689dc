//! Options of the FMUs and their chosen values: enumerations and Booleans among their parameters.

use crate::assemble::Assembly;
use crate::check::{Converted, convert, items};
use macrostep_description::{Causality, Kind, Value};

/// `UNIT.PARAMETER = VALUE`, with whether the scenario says so.
pub fn choices(a: &Assembly) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    for (unit, d) in a.effective.units.iter().zip(&a.descriptions) {
        let settings = a.effective.settings(&unit.name);
        let is_choice = |kind: &Kind| matches!(kind, Kind::Enumeration { .. } | Kind::Boolean);
        // Parameters with items to choose from, each with the last value that the scenario sets, else its start value.
        for v in d.variables.iter().filter(|v| v.causality == Causality::Parameter && is_choice(&v.kind)) {
            let set = settings.iter().rev().find(|s| s.variable == v.name);
            let value = match set.and_then(|s| convert(s, v, d).ok()) {
                Some(Converted::Integer(i)) => Some(Value::Integer(i)),
                Some(Converted::Boolean(b)) => Some(Value::Boolean(b)),
                _ => v.start.clone(),
            };
            // An item by its name, where it has one; a parameter without any value is left out.
            let shown = match value {
                Some(Value::Boolean(b)) => b.to_string(),
                Some(Value::Integer(i)) => {
                    items(v, d).into_iter().find(|(_, value)| *value == i).map_or(i.to_string(), |(name, _)| name)
                }
                _ => continue,
            };
            out.push((format!("{}.{} = {shown}", unit.name, v.name), set.is_some()));
        }
    }
    out
}
