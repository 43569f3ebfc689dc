//! Rules on names and texts.

use std::collections::HashMap;

use super::Findings;
use crate::{Kind, ModelDescription, Naming, Value, shown};

pub(super) fn unique(d: &ModelDescription, f: &mut Findings<'_>) {
    let mut first = HashMap::with_capacity(d.variables.len());
    for (at, v) in d.variables.iter().enumerate() {
        if let Some(before) = first.insert(v.name.as_str(), at) {
            f.variable(at, format!("the name of variable {} again", before + 1), "a name of its own");
        }
    }
}

pub(super) fn convention(d: &ModelDescription, f: &mut Findings<'_>) {
    for (at, v) in d.variables.iter().enumerate() {
        let blank = |c: char| matches!(c, '\t' | '\n' | '\r');
        if v.name.is_empty() {
            f.variable(at, "an empty name", "a name");
        } else if v.name.contains(blank) {
            f.variable(at, "a tabulator or line feed in the name", "none");
        } else if d.naming == Naming::Structured && !is_structured(name_in_file(d, at)) {
            f.variable(at, "a name outside the grammar", "a structured name, as `a.b[1].c` or `der(a.b)`");
        }
    }
}

/// The name as it stands in the file: that of an array, where the variable is an element of one.
fn name_in_file(d: &ModelDescription, at: usize) -> &str {
    let name = &d.variables[at].name;
    let is_element = d.fmi3.as_ref().and_then(|fmi3| fmi3.places.get(at)).is_some_and(|place| place.count.is_some());
    name.rsplit_once('[').filter(|_| is_element).map_or(name, |(name, _)| name)
}

/// The grammar of structured names: `name = identifier | "der(" identifier ["," unsignedInteger] ")"`.
fn is_structured(name: &str) -> bool {
    let Some(inner) = name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')) else {
        return is_identifier(name);
    };
    match inner.rsplit_once(',') {
        Some((identifier, order)) if is_unsigned(order.trim()) => is_identifier(identifier),
        _ => is_identifier(inner),
    }
}

/// `identifier = B-name [arrayIndices] {"." B-name [arrayIndices]}`, walked from left to right.
fn is_identifier(text: &str) -> bool {
    let mut rest = text;
    loop {
        let Some(after) = strip_b_name(rest) else { return false };
        let Some(after) = strip_indices(after) else { return false };
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None => return after.is_empty(),
        }
    }
}

/// `B-name = nondigit {digit | nondigit} | Q-name`, where a Q-name is quoted by `'` with `\` before a quote inside.
fn strip_b_name(text: &str) -> Option<&str> {
    if let Some(quoted) = text.strip_prefix('\'') {
        let mut escaped = false;
        for (at, c) in quoted.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\'' => return (at > 0).then(|| &quoted[at + 1..]),
                _ => {}
            }
        }
        return None;
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0 && !text.starts_with(|c: char| c.is_ascii_digit())).then(|| &text[end..])
}

/// `arrayIndices = "[" unsignedInteger {"," unsignedInteger} "]"`, or nothing.
fn strip_indices(text: &str) -> Option<&str> {
    let Some(inside) = text.strip_prefix('[') else { return Some(text) };
    let (indices, rest) = inside.split_once(']')?;
    indices.split(',').all(|index| is_unsigned(index.trim())).then_some(rest)
}

fn is_unsigned(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

pub(super) fn characters(d: &ModelDescription, f: &mut Findings<'_>) {
    // Texts of the root.
    let root = [
        ("modelName", Some(d.model_name.as_str())),
        ("guid", Some(d.guid.as_str())),
        ("description", d.description.as_deref()),
        ("author", d.author.as_deref()),
        ("version", d.version.as_deref()),
        ("copyright", d.copyright.as_deref()),
        ("license", d.license.as_deref()),
        ("generationTool", d.generation_tool.as_deref()),
        ("generationDateAndTime", d.generation_date_and_time.as_deref()),
    ];
    for (key, text) in root {
        if let Some(c) = text.and_then(forbidden) {
            f.add(format!("`{key}`"), format!("the character U+{:04X}", u32::from(c)), "text");
        }
    }
    of_parts(d, f);
    // Texts of variables.
    for (at, v) in d.variables.iter().enumerate() {
        let start = match &v.start {
            Some(Value::String(text)) => Some(text.as_str()),
            _ => None,
        };
        let texts = [Some(v.name.as_str()), v.description.as_deref(), v.declared_type.as_deref(), start];
        if let Some(c) = texts.into_iter().flatten().chain(of_kind(&v.kind)).find_map(forbidden) {
            f.variable(at, format!("the character U+{:04X}", u32::from(c)), "text");
        }
    }
}

/// The rule for what stands between the root and the variables.
fn of_parts(d: &ModelDescription, f: &mut Findings<'_>) {
    // The two faces.
    if let Some(face) = &d.model_exchange {
        each(f, "ModelExchange", &face.model_identifier, []);
    }
    if let Some(face) = &d.co_simulation {
        each(f, "CoSimulation", &face.model_identifier, face.source_files.iter().map(String::as_str));
    }
    // Lists, in the order of the file.
    for unit in &d.units {
        each(f, "unit", &unit.name, unit.display.iter().map(|u| u.name.as_str()));
    }
    for t in &d.types {
        each(f, "type", &t.name, t.description.as_deref().into_iter().chain(of_kind(&t.kind)));
    }
    for category in &d.log_categories {
        each(f, "log category", &category.name, category.description.as_deref());
    }
    for a in &d.vendor_annotations {
        each(f, "annotation of", &a.tool, a.attributes.iter().flat_map(|(key, value)| [key.as_str(), value]));
    }
    for terminal in d.fmi3.iter().flat_map(|fmi3| &fmi3.terminals) {
        let members = terminal.members.iter().flat_map(|m| [m.name.as_str(), &m.variable, &m.kind]);
        let own = [terminal.rule.as_str()].into_iter().chain(terminal.kind.as_deref());
        each(f, "terminal", &terminal.name, own.chain(members));
    }
}

/// The rule for what has a name, and the other texts of it.
fn each<'a>(f: &mut Findings<'_>, what: &str, name: &'a str, texts: impl IntoIterator<Item = &'a str>) {
    if let Some(c) = [name].into_iter().chain(texts).find_map(forbidden) {
        f.add(format!("{what} `{}`", shown::text(name)), format!("the character U+{:04X}", u32::from(c)), "text");
    }
}

/// Texts among the attributes of a type.
fn of_kind(kind: &Kind) -> impl Iterator<Item = &str> {
    let (real, items) = match kind {
        Kind::Real(a) => ([&a.quantity, &a.unit, &a.display_unit].map(Option::as_deref), &[][..]),
        Kind::Enumeration { items, .. } => ([None; 3], items.as_slice()),
        _ => ([None; 3], &[][..]),
    };
    let items = items.iter().flat_map(|item| [Some(item.name.as_str()), item.description.as_deref()]);
    real.into_iter().chain(items).flatten()
}

/// The first character that XML 1.0 has no way to write.
fn forbidden(text: &str) -> Option<char> {
    text.chars().find(|c| matches!(c, '\u{0}'..'\u{20}' | '\u{fffe}' | '\u{ffff}') && !matches!(c, '\t' | '\n' | '\r'))
}

#[cfg(test)]
mod tests {
    use super::is_structured;

    #[test]
    fn the_grammar_of_structured_names() {
        for name in ["a", "a.b", "a[1].b_2", "a[1,2]", "der(x)", "der(a.b[3],2)", "'any thing'.c", r"'it\'s'", "_x"] {
            assert!(is_structured(name), "{name}");
        }
        for name in ["", "1a", "a..b", "a[", "a[x]", "a b", "der(", "der()", "a.", "''", "'open", "ξ", "a[1]b"] {
            assert!(!is_structured(name), "{name}");
        }
    }
}
