//! Names, types and texts of a description, for messages about them.

use macrostep_description::{Kind, ModelDescription, Variable};
use std::collections::HashMap;

/// Where each name first stands.
pub(crate) fn positions(description: &ModelDescription) -> HashMap<String, usize> {
    let mut out = HashMap::with_capacity(description.variables.len());
    for (i, v) in description.variables.iter().enumerate() {
        out.entry(v.name.clone()).or_insert(i);
    }
    out
}

/// Its type in the words of FMI.
pub(crate) fn kind_name(v: &Variable) -> &'static str {
    match v.kind {
        Kind::Real(_) => "Real",
        Kind::Integer { .. } => "Integer",
        Kind::Boolean => "Boolean",
        Kind::String => "String",
        Kind::Enumeration { .. } => "Enumeration",
    }
}

/// Names that share the beginning, or the first few there are.
pub(crate) fn near(name: &str, description: &ModelDescription) -> String {
    let first = name.get(..1).unwrap_or("");
    let all = || description.variables.iter().map(|v| v.name.as_str());
    let like: Vec<&str> = all().filter(|n| n.starts_with(first)).take(6).collect();
    let shown = if like.is_empty() { all().take(6).collect() } else { like };
    if shown.is_empty() { "it declares none".to_string() } else { format!("it has `{}`", shown.join("`, `")) }
}
