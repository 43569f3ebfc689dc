//! Connectors of components and systems: kind, type, unit and dimensions.

use super::port::Port;
use super::system::Flat;
use super::xml::Node;
use crate::finding::Finding;
use crate::scenario::Connector;

/// Kinds of connectors; the last four are of SSP 2.0.
const KINDS: [&str; 9] =
    ["input", "output", "parameter", "calculatedParameter", "inout", "structuralParameter", "constant", "local", ""];
/// Types of values; SSP 2.0 has numbers of all widths.
const TYPES: [&str; 15] = [
    "Real",
    "Integer",
    "Boolean",
    "String",
    "Enumeration",
    "Float32",
    "Float64",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
];

/// The type of FMI 2.0 that a type of SSP comes to.
pub(super) fn type_of(name: &str) -> &str {
    if name.starts_with("Float") {
        "Real"
    } else if name.starts_with("Int") || name.starts_with("UInt") {
        "Integer"
    } else {
        name
    }
}

/// Sizes of the dimensions of an array, `None` where another connector gives it or nothing; empty for what is no array.
pub(super) fn dimensions(node: &Node) -> Result<Vec<Option<u32>>, Finding> {
    let size = |n: &Node| match n.attribute("size") {
        None => Ok(None),
        Some(_) => n.parsed("size", 0, "a size").map(Some),
    };
    node.all("Dimension").map(size).collect()
}

/// The connector of which this is an element, or the same.
fn whole(connector: &str) -> &str {
    connector.rsplit_once('[').map_or(connector, |(whole, _)| whole)
}

impl Flat {
    pub(super) fn connectors(&mut self, node: &Node) -> Result<Vec<Connector>, Finding> {
        let mut out = Vec::new();
        for c in node.list("Connectors", "Connector") {
            c.understood(
                &[&TYPES[..], &["Binary", "Dimension", "ConnectorGeometry", "Annotations"]].concat(),
                &["kind"],
                &mut self.findings,
            );
            self.leave_out(c, "connector", &["ConnectorGeometry"]);
            // SSP 2.0 has more kinds, and leaves it open to say none.
            let kind = c.attribute("kind").unwrap_or("");
            if !KINDS.contains(&kind) {
                let what = format!("connector kind `{kind}`");
                let next = "expected input, output, parameter, calculatedParameter or inout";
                return Err(Finding::error(&c.place, what, next));
            }
            let typed = c.children.iter().find(|n| TYPES.contains(&n.name.as_str()) || n.name == "Binary");
            out.push(Connector {
                name: c.required("name")?.to_owned(),
                kind: kind.to_owned(),
                type_name: typed.map(|n| type_of(&n.name).to_owned()),
                unit: typed.and_then(|n| n.attribute("unit")).map(str::to_owned),
                dimensions: dimensions(c)?,
                place: c.place.clone(),
            });
        }
        Ok(out)
    }

    /// Whether a port is where a connection may begin or end.
    pub(super) fn is_declared(&self, port: &Port) -> bool {
        let of = self.systems.get(&port.element);
        let names = [port.connector.as_str(), whole(&port.connector)];
        of.is_some_and(|c| c.iter().any(|c| names.contains(&c.name.as_str()))) || self.dictionaries.has(port)
    }

    /// The connector that a component or a system declares.
    pub(super) fn connector(&self, port: &Port) -> Option<&Connector> {
        let unit = self.units.iter().find(|u| u.name == port.element).map(|u| &u.connectors);
        let name = whole(&port.connector);
        unit.or_else(|| self.systems.get(&port.element))?.iter().find(|c| c.name == port.connector || c.name == name)
    }
}
