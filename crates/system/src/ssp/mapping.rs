//! Tables that a connection puts values through.

use super::xml::Node;
use crate::finding::Finding;
use crate::scenario::Value;

/// What a connection makes of values that are not real.
pub(super) fn table(node: &Node) -> Result<Vec<(Value, Value)>, Finding> {
    let Some(table) = node.children.iter().find(|n| n.name.ends_with("MappingTransformation")) else {
        return Ok(Vec::new());
    };
    let value = |line: &Node, key: &str| {
        let text = line.required(key)?;
        Ok(match table.name.as_str() {
            "BooleanMappingTransformation" => Value::Boolean(line.flag(key)?),
            "IntegerMappingTransformation" => Value::Integer(line.parsed(key, 0, "an integer")?),
            _ => Value::Text(text.to_owned()),
        })
    };
    let lines: Vec<_> = table
        .all("MapEntry")
        .map(|line| Ok((value(line, "source")?, value(line, "target")?)))
        .collect::<Result<_, _>>()?;
    if lines.is_empty() {
        return Err(Finding::error(&table.place, format!("`{}` without a `MapEntry`", table.name), "add one a value"));
    }
    Ok(lines)
}
