//! Connections, laws and maps against the variables at their ends.

use super::passage::{note_on, passage};
use super::units::{Conversion, conversion};
use super::values::causality;
use super::{Declared, amount};
use super::{interface, lines};
use crate::finding::Finding;
use crate::scenario::{Connection, Endpoint, Law, LawKind, Map, Place};
use macrostep_description::{Causality, Kind, ModelDescription, Value, Variable};
use macrostep_master::LAW_SIZE_MAX;
use std::collections::{BTreeMap, HashSet};

pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    // An input has one source, whatever feeds it.
    let mut fed: BTreeMap<&Endpoint, &Place> = BTreeMap::new();
    let scenario = d.scenario;
    for (to, place) in scenario.targets() {
        if let Some(before) = fed.insert(to, place) {
            let what = format!("input `{to}` is connected twice, first in line {}", before.line);
            findings.push(Finding::error(place, what, "remove one of the connections"));
        }
    }
    // Connections, which name units, laws and files.
    for c in &scenario.connections {
        connection(d, c, findings);
    }
    // Laws that a connection comes from or obeys are in use.
    let used: HashSet<&str> =
        scenario.connections.iter().flat_map(|c| [Some(c.from.unit.as_str()), c.law.as_deref()]).flatten().collect();
    for law in &scenario.laws {
        // Sizes, constants and inputs of each law, and whether anything uses it.
        shape(law, findings);
        let gains = match &law.kind {
            LawKind::SpringDamper { stiffness, damping } => vec![stiffness, damping],
            LawKind::Line(line) => vec![line.gain()],
            LawKind::NonlinearSpring { .. } | LawKind::Orifice { .. } | LawKind::Given => Vec::new(),
        };
        for gain in gains {
            if let Err(what) = amount(d.names, gain, |unit| d.description(unit)) {
                let what = format!("law `{}`: {what}", law.name);
                findings.push(Finding::error(&law.place, what, "write a number, or \"UNIT.PARAMETER\""));
            }
        }
        // A line has rules of its own.
        if let LawKind::Line(line) = &law.kind {
            lines::check(d, law, line, findings);
        }
        for input in &law.inputs {
            source(d, input, &law.place, findings);
        }
        if !used.contains(law.name.as_str()) {
            let what = format!("no output of law `{}` is connected", law.name);
            findings.push(Finding::warning(&law.place, what, "connect one of its outputs, or remove it"));
        }
    }
    // Maps and interface models, and last the inputs nothing feeds.
    for m in &scenario.maps {
        map(d, m, findings);
    }
    for m in &scenario.interface_models {
        interface::check(d, m, findings);
    }
    unconnected(d, &fed, findings);
}

fn connection(d: &Declared<'_>, c: &Connection, findings: &mut Vec<Finding>) {
    // Arrays that fit each other are connected by their elements, which are looked at one by one; others are here still.
    let place = &c.place;
    if let Some(finding) = arrays(d, c) {
        findings.push(finding);
        return;
    }
    // The input, and the law it is to obey.
    let to = target(d, &c.to, place, findings);
    if let Some(name) = c.law.as_ref().filter(|name| d.names.law(name).is_none()) {
        let known: Vec<&str> = d.scenario.laws.iter().map(|l| l.name.as_str()).collect();
        let what = format!("`{}` obeys the law `{name}`, which does not exist", c.from);
        findings.push(Finding::error(place, what, format!("write [laws.{name}]; there are `{}`", known.join("`, `"))));
    }
    // What a file has for it is looked at with the file.
    if d.names.input(&c.from.unit).is_some() {
        return;
    }
    if c.is_mean {
        mean(d, c, to, findings);
    }
    if c.is_held {
        let what = format!("`{}` with `hold`, which is no column of a file of inputs", c.from);
        findings.push(Finding::error(
            place,
            what,
            "leave it out: the predictor says how outputs of units are continued",
        ));
    }
    if let Some(law) = d.names.law(&c.from.unit) {
        output_of_law(c, law, to, findings);
        return;
    }
    // Where one end is not real, values are passed on and held; what becomes of them is told where the types differ.
    let from = source(d, &c.from, place, findings);
    let (Some(from), Some(to)) = (from, to) else { return };
    let descriptions = d.description(&c.from.unit).zip(d.description(&c.to.unit));
    if from.real().is_none() || to.real().is_none() {
        let Some((a, b)) = descriptions else { return };
        match passage(c, (a, from), (b, to)) {
            Ok(passage) => {
                findings.extend(note_on(c, from, to, &passage).map(|(what, next)| Finding::note(place, what, next)))
            }
            Err((what, next)) => findings.push(Finding::error(place, what, next)),
        }
        return;
    }
    // Real values are scaled; a table and whole numbers have no meaning for them.
    if !c.table.is_empty() {
        let what = format!("`{}` is {}: a table is for integers, enumerations and Booleans", c.from, type_name(from));
        findings.push(Finding::error(place, what, "remove it, or give `factor` and `offset`"));
    }
    if c.rounds {
        let what = format!("`{}` is {}, and `round` makes whole numbers", c.to, type_name(to));
        let next = "leave it out: it is for inputs that are integers or enumerations";
        findings.push(Finding::error(place, what, next));
    }
    if let Some((a, b)) = descriptions.filter(|_| c.converts) {
        findings.extend(converted(c, (a, from), (b, to)));
    }
}

/// What is wrong with a connection of which an end is an array.
fn arrays(d: &Declared<'_>, c: &Connection) -> Option<Finding> {
    let (from, to) = (d.array(&c.from), d.array(&c.to));
    let shown = |end: &Endpoint, array: &Option<(usize, &str, &str)>| match array {
        None => format!("`{end}` is one variable"),
        Some((n, first, last)) => format!("`{end}` is an array of {n} elements, `{first}` to `{last}`"),
    };
    (from.is_some() || to.is_some()).then(|| {
        let what = format!("{}, and {}", shown(&c.from, &from), shown(&c.to, &to));
        Finding::error(&c.place, what, "connect arrays of the same dimensions, or name elements")
    })
}

/// Of what begins at a law, only the law's outputs are looked at.
fn output_of_law(c: &Connection, law: &Law, to: Option<&Variable>, findings: &mut Vec<Finding>) {
    if !law.outputs.contains(&c.from.variable) {
        let what = format!("law `{}` has no output `{}`", law.name, c.from.variable);
        findings.push(Finding::error(&c.place, what, format!("it has `{}`", law.outputs.join("`, `"))));
    }
    if let Some(to) = to.filter(|to| to.real().is_none() || c.rounds || !c.table.is_empty()) {
        let what = format!("`{}` is {}, and gets the output of a law", c.to, type_name(to));
        findings.push(Finding::error(&c.place, what, "connect a Real as it is, or with `factor` and `offset`"));
    }
}

/// Units of measurement: converted where they are known, told where they are not.
fn converted(
    c: &Connection,
    (a, from): (&ModelDescription, &Variable),
    (b, to): (&ModelDescription, &Variable),
) -> Option<Finding> {
    let units = format!("`{}` is in `{}`, `{}` in `{}`", c.from, from.unit(), c.to, to.unit());
    match conversion((a, from), (b, to)) {
        // Converted, passed on unchanged, or refused.
        Conversion::Same => None,
        Conversion::Affine(factor, offset) => {
            let what = format!("{units}: converted by {factor} · y + {offset}");
            Some(Finding::note(&c.place, what, "`convert_units = false` leaves numbers as they are"))
        }
        Conversion::Unknown => {
            let what = format!("{units}, and one of them has no base units");
            Some(Finding::warning(&c.place, what, "numbers are passed unchanged: give a `factor` if they differ"))
        }
        Conversion::Incompatible => {
            let what = format!("{units}: different quantities");
            Some(Finding::error(&c.place, what, "connect another variable, or set `convert_units = false`"))
        }
    }
}

/// The variable at a connection's beginning.
fn source<'a>(d: &Declared<'a>, end: &Endpoint, place: &Place, findings: &mut Vec<Finding>) -> Option<&'a Variable> {
    let v = d.found(end, place, findings)?;
    // Inputs feed nothing. Other variables that are no outputs may be stale after a step.
    if matches!(v.causality, Causality::Input | Causality::Independent) {
        let what = format!("`{end}` is {}, expected an output", causality(v.causality));
        findings.push(Finding::error(place, what, "the input must be at the left, the output at the right"));
        return None;
    }
    if v.causality != Causality::Output {
        let what = format!("`{end}` is {}, not an output", causality(v.causality));
        findings.push(Finding::warning(place, what, "the FMU need not keep it up to date"));
    }
    Some(v)
}

/// The variable at a connection's end.
fn target<'a>(d: &Declared<'a>, end: &Endpoint, place: &Place, findings: &mut Vec<Finding>) -> Option<&'a Variable> {
    let v = d.found(end, place, findings)?;
    if v.causality != Causality::Input {
        let what = format!("`{end}` is {}, expected an input", causality(v.causality));
        findings.push(Finding::error(place, what, "the input must be at the left, the output at the right"));
        return None;
    }
    Some(v)
}

/// All are real, outputs where it begins and inputs where it ends.
pub(super) fn reals<'e>(
    d: &Declared<'_>,
    from: impl IntoIterator<Item = &'e Endpoint>,
    to: impl IntoIterator<Item = &'e Endpoint>,
    (place, findings): (&Place, &mut Vec<Finding>),
) {
    for end in from {
        let v = source(d, end, place, findings);
        real(end, v, place, findings);
    }
    for end in to {
        let v = target(d, end, place, findings);
        real(end, v, place, findings);
    }
}

fn real(end: &Endpoint, v: Option<&Variable>, place: &Place, findings: &mut Vec<Finding>) {
    if let Some(v) = v.filter(|v| v.real().is_none()) {
        let what = format!("`{end}` is {}, expected a Real", type_name(v));
        findings.push(Finding::error(place, what, "laws and maps take real variables"));
    }
}

fn shape(law: &Law, findings: &mut Vec<Finding>) {
    let (inputs, signs, outputs, of_these) = match law.kind {
        LawKind::SpringDamper { .. } | LawKind::NonlinearSpring { .. } => (4, "x1, v1, x2, v2", 1, "one"),
        LawKind::Orifice { .. } => (2, "p1, p2", 1, "one"),
        LawKind::Line(_) => (4, "x1, v1, x2, v2", 2, "two"),
        LawKind::Given => {
            let sizes = [law.inputs.len(), law.outputs.len()];
            if sizes.iter().any(|n| !(1..=LAW_SIZE_MAX).contains(n)) {
                let what = format!("law `{}` has {} inputs and {} outputs", law.name, sizes[0], sizes[1]);
                let next = format!("expected 1 to {LAW_SIZE_MAX} of each");
                findings.push(Finding::error(&law.place, what, next));
            }
            return;
        }
    };
    if law.inputs.len() != inputs || law.outputs.len() != outputs {
        let found = format!("{} inputs and {} outputs", law.inputs.len(), law.outputs.len());
        let what = format!("law `{}` has {found}, expected {inputs} ({signs}) and {of_these}", law.name);
        findings.push(Finding::error(&law.place, what, ""));
    }
}

fn map(d: &Declared<'_>, m: &Map, findings: &mut Vec<Finding>) {
    // The matrix decides how many variables there are on each side, and on the way back.
    let (rows, columns) = (m.matrix.len(), m.matrix.first().map_or(0, Vec::len));
    let mut sizes = vec![("from", m.from.len(), columns, "columns"), ("to", m.to.len(), rows, "rows")];
    if let Some(r) = &m.reaction {
        sizes.extend([("reaction.from", r.from.len(), rows, "rows"), ("reaction.to", r.to.len(), columns, "columns")]);
    }
    // The matrix itself is a rectangle.
    if rows == 0 || columns == 0 || m.matrix.iter().any(|row| row.len() != columns) {
        findings.push(Finding::error(
            &m.place,
            "a matrix with rows of unequal length or none",
            "write [[a, b], [c, d]]",
        ));
    }
    // As many variables as it has columns and rows.
    for (name, found, expected, what) in sizes {
        if found != expected {
            let what = format!("`{name}` has {found} variables, but the matrix {expected} {what}");
            findings.push(Finding::error(&m.place, what, "y_to = M · y_from, and the reaction goes back through Mᵀ"));
        }
    }
    // All of them are real, outputs where it begins and inputs where it ends.
    let reaction = m.reaction.iter();
    let from = m.from.iter().chain(reaction.clone().flat_map(|r| &r.from));
    reals(d, from, m.to.iter().chain(reaction.flat_map(|r| &r.to)), (&m.place, findings));
}

/// A mean is of a real output as it is.
fn mean(d: &Declared<'_>, c: &Connection, to: Option<&Variable>, findings: &mut Vec<Finding>) {
    let from = d.variable(&c.from).ok().flatten();
    let both = from.zip(to);
    let is_real = both.is_none_or(|(a, b)| a.real().is_some() && b.real().is_some());
    let changes = c.factor != 1.0 || c.offset != 0.0 || !c.table.is_empty() || c.rounds || c.law.is_some();
    let descriptions = d.description(&c.from.unit).zip(d.description(&c.to.unit));
    let converts = both.zip(descriptions).is_some_and(|((from, to), (a, b))| {
        c.converts && matches!(conversion((a, from), (b, to)), Conversion::Affine(..))
    });
    if d.names.law(&c.from.unit).is_some() || !is_real || changes || converts {
        let what = format!("`{}` gets a mean that is scaled, converted, of a law or not of a real output", c.to);
        findings.push(Finding::error(&c.place, what, "connect a real output of a unit as it is, or leave `mean` out"));
    }
}

/// Inputs of coupled units that keep their start value: one note a unit.
fn unconnected(d: &Declared<'_>, fed: &BTreeMap<&Endpoint, &Place>, findings: &mut Vec<Finding>) {
    // A unit alone has nobody to feed it.
    if d.scenario.units.len() == 1 {
        return;
    }
    let events = d.scenario.events.iter().flat_map(|event| &event.settings);
    let mut set: HashSet<(&str, &str)> = events.map(|(u, s)| (u.as_str(), s.variable.as_str())).collect();
    for (i, (unit, description)) in d.scenario.units.iter().zip(d.descriptions).enumerate() {
        let Some(description) = description else { continue };
        set.extend(d.names.settings(i).map(|s| (unit.name.as_str(), s.variable.as_str())));
        let free = description.variables.iter().filter(|v| v.causality == Causality::Input).filter(|v| {
            let end = Endpoint { unit: unit.name.clone(), variable: v.name.clone() };
            !fed.contains_key(&end) && !set.contains(&(unit.name.as_str(), v.name.as_str()))
        });
        let free: Vec<String> = free.map(|v| format!("`{}` = {}", v.name, start(v))).collect();
        if !free.is_empty() {
            let shown = free.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
            let more = free.len().saturating_sub(8);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let what = format!("inputs of unit `{}` without a source keep their start: {shown}{more}", unit.name);
            findings.push(Finding::note(&unit.place, what, "connect them, or set them in [units.NAME.set]"));
        }
    }
}

fn start(v: &Variable) -> String {
    match &v.start {
        Some(Value::Real(x)) => format!("{x}{}{}", if v.unit().is_empty() { "" } else { " " }, v.unit()),
        Some(Value::Integer(i)) => i.to_string(),
        Some(Value::Boolean(b)) => b.to_string(),
        Some(Value::String(t)) => format!("{t:?}"),
        None => "the default of the FMU".to_owned(),
    }
}

pub(crate) fn type_name(v: &Variable) -> &'static str {
    match v.kind {
        Kind::Real(_) => "a Real",
        Kind::Integer { .. } => "an Integer",
        Kind::Boolean => "a Boolean",
        Kind::String => "a String",
        Kind::Enumeration { .. } => "an Enumeration",
    }
}
