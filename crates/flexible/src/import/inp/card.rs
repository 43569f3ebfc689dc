//! Keyword lines of a deck and the members of sets.

use super::{FORMAT, Sets};
use crate::Error;
use crate::import::{number, refuse};
use std::collections::BTreeMap;

/// Most members of a generated set.
const MEMBERS_MAX: usize = 10_000_000;

/// A keyword line and its parameters.
#[derive(Default)]
pub(super) struct Card {
    pub(super) name: String,
    parameters: BTreeMap<String, String>,
}

impl Card {
    pub(super) fn parse(line: &str) -> Self {
        let mut parts = line.trim_start_matches('*').split(',');
        let name = parts.next().unwrap_or_default().trim().to_uppercase();
        let parameters = parts
            .map(|part| match part.split_once('=') {
                Some((key, value)) => (key.trim().to_uppercase(), value.trim().to_uppercase()),
                None => (part.trim().to_uppercase(), String::new()),
            })
            .collect();
        Self { name, parameters }
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.parameters.get(key).map(String::as_str)
    }
}

/// Value of a parameter that has to be there.
pub(super) fn required(card: &Card, key: &str, line: usize) -> Result<String, Error> {
    match card.get(key) {
        Some(value) if !value.is_empty() => Ok(value.into()),
        _ => refuse(FORMAT, line, format!("`*{}` without `{key}=`", card.name)),
    }
}

/// Labels of a set: listed, generated (first, last, step) or those of sets named before.
pub(super) fn members(card: &Card, line: usize, fields: &[&str], sets: &Sets) -> Result<Vec<usize>, Error> {
    if card.get("GENERATE").is_some() {
        // A range, bounded before it is made: three numbers can name any amount of members.
        let bounds = fields.iter().map(|f| number(FORMAT, line, f)).collect::<Result<Vec<usize>, _>>()?;
        let (first, last, step) = match bounds.as_slice() {
            [first, last] => (*first, *last, 1),
            [first, last, step] if *step > 0 => (*first, *last, *step),
            _ => return refuse(FORMAT, line, "expected first, last and a positive step"),
        };
        let count = last.saturating_sub(first) / step;
        if count >= MEMBERS_MAX {
            return refuse(FORMAT, line, format!("a set of {count} members, expected at most {MEMBERS_MAX}"));
        }
        return Ok((first..=last).step_by(step).collect());
    }
    // Names of sets that were read before, else labels.
    let mut all = Vec::new();
    for field in fields {
        match sets.get(&field.to_uppercase()) {
            Some(set) => all.extend(set.keys()),
            None => all.push(number(FORMAT, line, field)?),
        }
    }
    Ok(all)
}
