//! Connections between variables of which one at least is not real: which types meet, and what becomes of a value.
//!
//! | from \ to | Real | Integer, Enumeration | Boolean | String |
//! |---|---|---|---|---|
//! | Real | a signal | `round` | – | – |
//! | Integer, Enumeration | the number | the number | `table` | – |
//! | Boolean | 0 or 1 | 0 or 1 | as it is | – |
//! | String | – | – | – | as it is |

use super::values::{Converted, convert};
use super::wiring::type_name;
use crate::scenario::{Connection, Setting, Value};
use macrostep_description::{Kind, ModelDescription, Variable};
use macrostep_master::Passage;

/// A variable with the description it is from.
type End<'a> = (&'a ModelDescription, &'a Variable);

/// What a connection makes of values; else what is wrong, and what to do.
pub(crate) fn passage(c: &Connection, from: End<'_>, to: End<'_>) -> Result<Passage, (String, String)> {
    let ends = || format!("`{}` is {}, `{}` is {}", c.from, type_name(from.1), c.to, type_name(to.1));
    let fail = |what: String, next: &str| Err((what, next.to_owned()));
    let is_whole = |v: &Variable| matches!(v.kind, Kind::Integer { .. } | Kind::Enumeration { .. });
    // Laws are for real variables, and `round` is for what takes whole numbers.
    if c.law.is_some() {
        return fail(format!("{}, and `law` is for real variables", ends()), "leave `law` out");
    }
    if c.rounds && !is_whole(to.1) {
        let next = "leave it out: it is for inputs that are integers or enumerations";
        return fail(format!("`{}` is {}, and `round` makes whole numbers", c.to, type_name(to.1)), next);
    }
    // Types that do not meet, or only by a key that says how.
    let next = match (&from.1.kind, &to.1.kind) {
        (Kind::String, Kind::String) if c.factor != 1.0 || c.offset != 0.0 || !c.table.is_empty() => {
            return fail(format!("`{}` is a String: it cannot be changed", c.from), "remove factor, offset and table");
        }
        (Kind::String, Kind::String) => None,
        (Kind::String, _) | (_, Kind::String) => Some("connect variables of the same type".to_owned()),
        (Kind::Real(_), Kind::Boolean) => {
            Some("an event sets a Boolean where a Real crosses a threshold: `[[events]]` with `when`".to_owned())
        }
        (Kind::Real(_), _) if !c.rounds => {
            Some(format!("write {{ from = \"{}\", round = true }} for the nearest whole number", c.from))
        }
        (Kind::Integer { .. } | Kind::Enumeration { .. }, Kind::Boolean) if c.table.is_empty() => {
            Some(format!("write {{ from = \"{}\", table = [[0, false], [1, true]] }}, a line a value", c.from))
        }
        _ => None,
    };
    if let Some(next) = next {
        return Err((ends(), next));
    }
    // A table has a line for each value there is, which a real number has not.
    if !c.table.is_empty() && from.1.real().is_some() {
        let what = format!("`{}` is a Real: a table is for integers, enumerations and Booleans", c.from);
        return fail(what, "remove it, or give `factor` and `offset`");
    }
    let table = table(c, from, to).map_err(|what| (what, "correct the table".to_owned()))?;
    // An integer comes out of whole numbers, or is rounded.
    if !(c.factor.is_finite() && c.offset.is_finite()) {
        return fail(format!("factor {} and offset {}, expected finite numbers", c.factor, c.offset), "");
    }
    if is_whole(to.1) && !c.rounds && (c.factor.fract() != 0.0 || c.offset.fract() != 0.0) {
        let what = format!("{}, and {} · y + {} is not always a whole number", ends(), c.factor, c.offset);
        return fail(what, "add `round = true` for the nearest whole number, or choose whole numbers");
    }
    Ok(Passage { table, factor: c.factor, offset: c.offset, rounds: c.rounds })
}

/// What a user should know of a connection between different types; `None` for one type.
pub(super) fn note_on(c: &Connection, from: &Variable, to: &Variable, passage: &Passage) -> Option<(String, String)> {
    let what = format!("`{}` is {}, `{}` is {}", c.from, type_name(from), c.to, type_name(to));
    let becomes = |x: f64| passage.value(x).map_or_else(|| "refused".to_owned(), |y| y.to_string());
    let next = match (&from.kind, &to.kind) {
        (Kind::Boolean, Kind::Real(_)) => {
            format!("false is passed on as {}, true as {}, held over each step", becomes(0.0), becomes(1.0))
        }
        (Kind::Boolean, Kind::Integer { .. } | Kind::Enumeration { .. }) => {
            format!("false is passed on as {}, true as {}", becomes(0.0), becomes(1.0))
        }
        (Kind::Integer { .. } | Kind::Enumeration { .. }, Kind::Real(_)) if !c.table.is_empty() => {
            "what its table says is passed on, held over each step; a number that the table lacks ends the run"
                .to_owned()
        }
        (Kind::Integer { .. } | Kind::Enumeration { .. }, Kind::Real(_))
            if becomes(0.0) != "0" || becomes(1.0) != "1" =>
        {
            format!("0 is passed on as {}, 1 as {}, held over each step", becomes(0.0), becomes(1.0))
        }
        (Kind::Integer { .. } | Kind::Enumeration { .. }, Kind::Real(_)) => {
            "the number is passed on, held over each step".to_owned()
        }
        (Kind::Real(_), _) => "the nearest whole number is passed on, halves away from zero, held over each step; \
                               one that the input does not take ends the run"
            .to_owned(),
        (Kind::Integer { .. }, Kind::Enumeration { .. }) | (Kind::Enumeration { .. }, Kind::Integer { .. })
            if c.table.is_empty() =>
        {
            "the number is passed on; one that the input does not take ends the run".to_owned()
        }
        _ => return None,
    };
    Some((what, next))
}

/// A connection's table as FMI has its values, 0 and 1 for false and true.
fn table(c: &Connection, from: End<'_>, to: End<'_>) -> Result<Vec<(i32, f64)>, String> {
    // Each source value once: a second line for it would never be used.
    let mut out: Vec<(i32, f64)> = Vec::new();
    for (source, target) in &c.table {
        let (x, y) = (number(c, source, (from, to.1))?, number(c, target, (to, from.1))?);
        if out.iter().any(|(known, _)| f64::from(*known) == x) {
            return Err(format!("{source} twice in the table for `{}`", from.1.name));
        }
        // What an output that is not real has is an integer of 32 bits.
        out.push((x as i32, y));
    }
    Ok(out)
}

/// A value of one end of a table as the number that FMI has for it; `other` is the variable at the other end.
fn number(c: &Connection, value: &Value, ((description, v), other): (End<'_>, &Variable)) -> Result<f64, String> {
    let is_boolean = |v: &Variable| matches!(v.kind, Kind::Boolean);
    // The table of an enumeration may have numbers for an integer at its other end.
    let value = match (value, &v.kind) {
        (Value::Text(t), Kind::Integer { .. }) => t.trim().parse().map_or_else(|_| value.clone(), Value::Integer),
        (Value::Text(t), Kind::Real(_)) => t.trim().parse().map_or_else(|_| value.clone(), Value::Real),
        // Tables of SSP are of one type on both sides: what is not real stands for the other by its number.
        (Value::Boolean(b), Kind::Real(_) | Kind::Integer { .. } | Kind::Enumeration { .. }) if is_boolean(other) => {
            Value::Integer((*b).into())
        }
        (Value::Integer(i @ (0 | 1)), Kind::Boolean) if !is_boolean(other) => Value::Boolean(*i == 1),
        _ => value.clone(),
    };
    let setting = Setting::new(v.name.clone(), value.clone(), c.place.clone());
    match convert(&setting, v, description) {
        Ok(Converted::Real(x)) if x.is_finite() => Ok(x),
        Ok(Converted::Real(x)) => Err(format!("{x} in the table for `{}`, expected a finite number", v.name)),
        Ok(Converted::Integer(i)) => Ok(i.into()),
        Ok(Converted::Boolean(b)) => Ok(u8::from(b).into()),
        Ok(Converted::Text(_)) => Err(format!("`{}` is {}: it has no table", v.name, type_name(v))),
        Err(expected) => Err(format!("{value} in the table for `{}`, expected {expected}", v.name)),
    }
}
