//! Documentation pages, from the declaration and the equations' text.

use macrostep_description::{Causality, Kind, Variable};
use macrostep_slave::{Equations, Instance, Ode};

/// A model with its equations in words and formulas.
pub(crate) trait Documented: Equations {
    /// Paragraphs of HTML between the title and the table of variables.
    fn equations() -> String;
}

/// Body of the page: title, equations, table of variables.
pub(crate) fn page<E: Documented>() -> String {
    let rows: String = match Instance::<Ode<E>>::describe(None) {
        Ok(description) => description.variables.iter().map(row).collect(),
        Err(_) => String::new(),
    };
    format!(
        "<h1>{}</h1>\n<p>{}.</p>\n{}<h2>Variables</h2>\n<table>\n<tr><th>name</th><th>causality</th><th>unit</th>\
         <th>start</th><th>meaning</th></tr>\n{rows}</table>\n",
        escape(E::IDENTIFIER),
        escape(E::ABOUT),
        E::equations()
    )
}

/// A row of the table; of the nodes of a dense output only the first and the last.
fn row(v: &Variable) -> String {
    let node = v.name.split_once('[').map(|(_, index)| index);
    if node.is_some_and(|index| index != "0]" && index != "20]") {
        return String::new();
    }
    let causality = match v.causality {
        Causality::Parameter => "parameter",
        Causality::Input => "input",
        Causality::Output => "output",
        _ => "local",
    };
    let start = v.start.as_ref().map_or(String::new(), |s| match s {
        macrostep_description::Value::Real(x) => x.to_string(),
        macrostep_description::Value::Integer(x) => x.to_string(),
        macrostep_description::Value::Boolean(x) => x.to_string(),
        macrostep_description::Value::String(x) => x.clone(),
    });
    let unit = if matches!(v.kind, Kind::Real(_)) { v.unit() } else { "" };
    let about = v.description.as_deref().unwrap_or("");
    let [name, unit, start, about] = [&v.name, unit, &start, about].map(escape);
    format!("<tr><td>{name}</td><td>{causality}</td><td>{unit}</td><td>{start}</td><td>{about}</td></tr>\n")
}

/// The characters HTML reserves.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
