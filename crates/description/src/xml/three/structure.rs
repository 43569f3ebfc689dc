//! `ModelStructure` (FMI 3.0.2, section 2.4.8).

use std::collections::HashMap;
use std::ops::Range;

use super::super::ReadError;
use super::super::cursor::Cursor;
use super::super::element::{Element, unknown};
use super::super::finding::{quoted, refuse};
use super::super::structure::KINDS;
use crate::{Dependencies, DependencyKind, ModelStructure, Unknown};

/// Dependencies of all elements of arrays, at most; an array beyond depends on everything.
const DEPENDENCIES_MAX: usize = 1_000_000;

/// The lists of the file, by value references.
#[derive(Default)]
pub(super) struct Lists {
    outputs: Vec<Listed>,
    derivatives: Vec<Listed>,
    initial_unknowns: Vec<Listed>,
    pub(super) event_indicators: usize,
}

/// An unknown, its line, and what it depends on; `None`: on everything.
struct Listed {
    line: u32,
    reference: u32,
    dependencies: Option<Vec<(u32, DependencyKind)>>,
}

/// Reads the lists.
pub(super) fn lists(cursor: &mut Cursor<'_>) -> Result<Lists, ReadError> {
    let mut lists = Lists::default();
    while let Some(start) = cursor.child()? {
        let e = Element::new(&start)?;
        let list = match e.name {
            "Output" => &mut lists.outputs,
            "ContinuousStateDerivative" => &mut lists.derivatives,
            "InitialUnknown" => &mut lists.initial_unknowns,
            // Of clocks and of model exchange; only how many indicators there are is told.
            "EventIndicator" | "ClockedState" | "Annotations" => {
                lists.event_indicators += usize::from(e.name == "EventIndicator");
                cursor.skip()?;
                continue;
            }
            _ => {
                unknown(cursor, &e, "ModelStructure")?;
                continue;
            }
        };
        list.push(listed(e)?);
        cursor.skip()?;
    }
    Ok(lists)
}

fn listed(mut e: Element<'_>) -> Result<Listed, ReadError> {
    let line = e.line;
    let Some(reference) = e.number("valueReference", "the value reference of a variable")? else {
        return refuse(line, format!("`{}` without `valueReference`", e.name), "the value reference of a variable");
    };
    let (list, kinds) = (e.take("dependencies"), e.take("dependenciesKind"));
    let Some(list) = list else { return Ok(Listed { line, reference, dependencies: None }) };
    // References, all dependent so far.
    let mut dependencies = Vec::new();
    for word in list.split_ascii_whitespace() {
        match word.parse() {
            Ok(reference) => dependencies.push((reference, DependencyKind::Dependent)),
            Err(_) => return refuse(line, format!("{} in `dependencies`", quoted(word)), "value references"),
        }
    }
    // Kinds, one for each; with another number of them none counts, which is the safe side.
    let kinds = kinds.as_deref().unwrap_or_default().split_ascii_whitespace();
    let mut given = Vec::new();
    for word in kinds {
        match KINDS.iter().find(|(name, _)| *name == word) {
            Some((_, kind)) => given.push(*kind),
            None => return refuse(line, format!("{} in `dependenciesKind`", quoted(word)), "kinds of dependencies"),
        }
    }
    if given.len() == dependencies.len() {
        dependencies.iter_mut().zip(given).for_each(|(entry, kind)| entry.1 = kind);
    }
    Ok(Listed { line, reference, dependencies: Some(dependencies) })
}

impl Lists {
    /// The same by positions of variables, element by element; `clocks` are no variables.
    pub(super) fn resolved(self, of: &HashMap<u32, Range<usize>>, clocks: &[u32]) -> Result<ModelStructure, ReadError> {
        let clocks: std::collections::HashSet<u32> = clocks.iter().copied().collect();
        let mut room = DEPENDENCIES_MAX;
        let mut resolve = |lists: Vec<Listed>, name: &str| -> Result<Vec<Unknown>, ReadError> {
            let mut unknowns = Vec::new();
            let mut seen = HashMap::new();
            for listed in lists.into_iter().filter(|listed| !clocks.contains(&listed.reference)) {
                let Some(elements) = of.get(&listed.reference) else {
                    return no_variable(listed.line, listed.reference, name);
                };
                if let Some(before) = seen.insert(listed.reference, listed.line) {
                    let found =
                        format!("value reference {} as `{name}` again (first in line {before})", listed.reference);
                    return refuse(listed.line, found, "each variable once");
                }
                let known = match &listed.dependencies {
                    Some(list) => known(list, (of, &clocks), listed.line, &mut room)?,
                    None => None,
                };
                // Each element of an array has a copy; scalars are bounded by the length of the file.
                let takes = known.as_ref().filter(|_| elements.len() > 1).map_or(0, Vec::len);
                for index in elements.clone() {
                    let known = known.as_ref().filter(|_| takes <= room);
                    room -= known.map_or(0, |_| takes);
                    let dependencies = known.map_or(Dependencies::All, |known| Dependencies::Known(known.clone()));
                    unknowns.push(Unknown { index, dependencies });
                }
            }
            unknowns.sort_by_key(|unknown| unknown.index);
            Ok(unknowns)
        };
        Ok(ModelStructure {
            outputs: resolve(self.outputs, "Output")?,
            derivatives: resolve(self.derivatives, "ContinuousStateDerivative")?,
            initial_unknowns: resolve(self.initial_unknowns, "InitialUnknown")?,
        })
    }
}

/// Positions of what an unknown depends on, ascending, each once; `None` where they are too many.
fn known(
    list: &[(u32, DependencyKind)],
    (of, clocks): (&HashMap<u32, Range<usize>>, &std::collections::HashSet<u32>),
    line: u32,
    room: &mut usize,
) -> Result<Option<Vec<(usize, DependencyKind)>>, ReadError> {
    let mut known = Vec::new();
    for (reference, kind) in list.iter().filter(|(reference, _)| !clocks.contains(reference)) {
        let Some(elements) = of.get(reference) else { return no_variable(line, *reference, "a dependency") };
        // Scalars are bounded by the length of the file.
        if elements.len() > 1 {
            let Some(left) = room.checked_sub(elements.len()) else { return Ok(None) };
            *room = left;
        }
        known.extend(elements.clone().map(|at| (at, *kind)));
    }
    known.sort_by_key(|(at, _)| *at);
    known.dedup_by_key(|(at, _)| *at);
    Ok(Some(known))
}

fn no_variable<T>(line: u32, reference: u32, name: &str) -> Result<T, ReadError> {
    refuse(line, format!("value reference {reference} as {name}"), "that of a variable")
}
