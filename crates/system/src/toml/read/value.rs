//! Start values: of one variable, of the elements of an array, in a unit of their own.

use super::{Entries, Read, Reader};
use crate::finding::Finding;
use crate::scenario::elements::divided;
use crate::scenario::{Place, Setting, Value};
use macrostep_description::BaseUnit;
use toml::Spanned;

impl Reader<'_> {
    /// The start value of a variable, or those of the elements of an array: `u = [1.0, 2.0]`, `A = [[1, 0], [0, 1]]`.
    pub(super) fn settings(&self, variable: &str, value: &Spanned<toml::Value>) -> Read<Vec<Setting>> {
        let (value, place) = (value.get_ref(), self.place(value));
        let parts = divided(variable, value, &|value| value.as_array().map(Vec::as_slice)).ok_or_else(|| {
            let what = format!("`{variable}` is an empty array, or has one in it");
            Finding::error(&place, what, "write a value for each element")
        })?;
        parts.into_iter().map(|(name, value)| setting(&name, value, place.clone())).collect()
    }

    /// A set's values with the units they belong to.
    pub(super) fn units_settings(&self, entries: &Entries<Spanned<toml::Value>>) -> Read<Vec<(String, Setting)>> {
        let settings = entries.0.iter().map(|(key, value)| {
            let target = self.endpoint(key)?;
            let settings = self.settings(&target.variable, value)?.into_iter();
            Ok(settings.map(|setting| (target.unit.clone(), setting)).collect::<Vec<_>>())
        });
        Ok(settings.collect::<Read<Vec<_>>>()?.concat())
    }
}

/// A value that is neither a table nor a list nor a date.
pub(super) fn plain(value: &toml::Value) -> Option<Value> {
    match value {
        toml::Value::Float(x) => Some(Value::Real(*x)),
        toml::Value::Integer(i) => Some(Value::Integer(*i)),
        toml::Value::Boolean(b) => Some(Value::Boolean(*b)),
        toml::Value::String(t) => Some(Value::Text(t.clone())),
        _ => None,
    }
}

/// One value.
fn setting(variable: &str, value: &toml::Value, place: Place) -> Read<Setting> {
    if let toml::Value::Table(table) = value {
        return measured(variable, table, place);
    }
    let value = plain(value).ok_or_else(|| {
        let what = format!("`{variable}` is {} `{value}`", value.type_str());
        Finding::error(&place, what, "write a number, true or false, or a text; quote names with dots")
    })?;
    Ok(Setting::new(variable, value, place))
}

/// `{ value = 2.5, unit = "mm" }`: a number in another unit than the variable's own.
fn measured(variable: &str, table: &toml::Table, place: Place) -> Read<Setting> {
    let number = table.get("value").and_then(plain).filter(|v| matches!(v, Value::Real(_) | Value::Integer(_)));
    let unit = table.get("unit").and_then(toml::Value::as_str);
    let base = table.get("base").map(|base| base.as_table().and_then(base_unit));
    match (number, unit, base) {
        (Some(value), Some(unit), None) if table.len() == 2 => {
            Ok(Setting { unit: Some(unit.to_owned()), ..Setting::new(variable, value, place) })
        }
        (Some(value), Some(unit), Some(Some(base))) if table.len() == 3 => {
            Ok(Setting { unit: Some(unit.to_owned()), base: Some(base), ..Setting::new(variable, value, place) })
        }
        _ => {
            let what = format!("`{variable}` is table `{}`", toml::Value::Table(table.clone()));
            let next =
                "write { value = 2.5, unit = \"mm\" }, a number, true or false, or a text; quote names with dots";
            Err(Finding::error(&place, what, next))
        }
    }
}

/// What a unit is: exponents of base units, and how it is converted to them.
fn base_unit(table: &toml::Table) -> Option<BaseUnit> {
    let mut base = BaseUnit::default();
    for (key, value) in table {
        let number = value.as_float().or(value.as_integer().map(|i| i as f64));
        if !base.set(key, number?) {
            return None;
        }
    }
    Some(base)
}
