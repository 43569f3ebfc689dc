//! `ModelStructure` (FMI 2.0.5, section 2.2.8).

use super::ReadError;
use super::cursor::Cursor;
use super::element::{Element, unknown};
use super::finding::{Warnings, quoted, refuse};
use super::read::Placed;
use super::variables::position;
use crate::{Dependencies, DependencyKind, Unknown};

pub(super) const KINDS: [(&str, DependencyKind); 5] = [
    ("dependent", DependencyKind::Dependent),
    ("constant", DependencyKind::Constant),
    ("fixed", DependencyKind::Fixed),
    ("tunable", DependencyKind::Tunable),
    ("discrete", DependencyKind::Discrete),
];

/// The three lists with their lines; indices are not yet known to exist.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) outputs: Vec<Placed>,
    pub(super) derivatives: Vec<Placed>,
    pub(super) initial_unknowns: Vec<Placed>,
}

/// Reads the lists.
pub(super) fn lists(cursor: &mut Cursor<'_>) -> Result<Lists, ReadError> {
    let mut lists = Lists::default();
    while let Some(start) = cursor.child()? {
        let e = Element::new(&start)?;
        match e.name {
            "Outputs" => unknowns(cursor, &mut lists.outputs)?,
            "Derivatives" => unknowns(cursor, &mut lists.derivatives)?,
            "InitialUnknowns" => unknowns(cursor, &mut lists.initial_unknowns)?,
            _ => unknown(cursor, &e, "ModelStructure")?,
        }
    }
    Ok(lists)
}

fn unknowns(cursor: &mut Cursor<'_>, list: &mut Vec<Placed>) -> Result<(), ReadError> {
    while let Some(start) = cursor.child()? {
        let mut e = Element::new(&start)?;
        if e.name != "Unknown" {
            unknown(cursor, &e, "ModelStructure")?;
            continue;
        }
        let line = e.line;
        let index = e.number("index", "the index of a variable")?;
        let Some(index) = position(index, "index", line)? else {
            return refuse(line, "`Unknown` without `index`", "the index of a variable");
        };
        let dependencies = dependencies(&mut e, &mut cursor.warnings)?;
        e.done(&mut cursor.warnings);
        cursor.skip()?;
        list.push((Unknown { index, dependencies }, line));
    }
    Ok(())
}

/// Absent means "on everything". Kinds that do not fit the list are dropped, which is the safe side: dependent.
fn dependencies(e: &mut Element<'_>, w: &mut Warnings) -> Result<Dependencies, ReadError> {
    // Without a list: on everything.
    let (list, kinds, line) = (e.take("dependencies"), e.take("dependenciesKind"), e.line);
    let Some(list) = list else {
        if kinds.is_some() {
            w.push(line, || "`dependenciesKind` without `dependencies`".into(), "both or none");
        }
        return Ok(Dependencies::All);
    };
    // Indices, all dependent so far.
    let mut known = Vec::new();
    for word in list.split_ascii_whitespace() {
        match position(word.parse().ok(), "dependency", line)? {
            Some(index) => known.push((index, DependencyKind::Dependent)),
            None => return refuse(line, format!("{} in `dependencies`", quoted(word)), "indices of variables"),
        }
    }
    // Kinds, one for each index; with another number of them none counts.
    let Some(kinds) = kinds else { return Ok(Dependencies::Known(known)) };
    let mut given = Vec::with_capacity(known.len());
    for word in kinds.split_ascii_whitespace() {
        match KINDS.iter().find(|(name, _)| *name == word) {
            Some((_, kind)) => given.push(*kind),
            None => {
                return refuse(
                    line,
                    format!("{} in `dependenciesKind`", quoted(word)),
                    "`dependent`, `constant`, `fixed`, `tunable`, `discrete`",
                );
            }
        }
    }
    // Each index with its kind.
    if given.len() == known.len() {
        known.iter_mut().zip(given).for_each(|(entry, kind)| entry.1 = kind);
    } else {
        w.push(line, || format!("{} kinds of {} dependencies", given.len(), known.len()), "as many");
    }
    Ok(Dependencies::Known(known))
}
