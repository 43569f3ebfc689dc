//! *Ports* are connectors of components and systems; a signal runs from port to port until it reaches an input of a component.

use crate::finding::Finding;
use crate::scenario::{Connection, Endpoint, Place, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A connector: path of its element (`SYSTEM/COMPONENT`, empty for the root system) and its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Port {
    pub element: String,
    pub connector: String,
}

/// A connection as written.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    pub from: Port,
    pub factor: f64,
    pub offset: f64,
    pub converts: bool,
    /// See [`Connection::table`].
    pub table: Vec<(Value, Value)>,
    pub place: Place,
}

/// All connections of all systems, by their end.
#[derive(Debug, Default)]
pub(super) struct Wires {
    pub into: BTreeMap<Port, Wire>,
}

/// What is known of the ends of connections.
pub(super) struct Ends<'a> {
    /// Whether an element is a component.
    pub is_component: &'a dyn Fn(&str) -> bool,
    /// Whether a connector of a system, or an entry of a dictionary, is there.
    pub is_declared: &'a dyn Fn(&Port) -> bool,
    /// Whether a start value is given.
    pub is_given: &'a dyn Fn(&Port) -> bool,
    /// The unit of measurement that a connector declares.
    pub unit: &'a dyn Fn(&Port) -> Option<String>,
}

/// Systems a signal may pass.
const HOPS_MAX: usize = 64;

impl Wires {
    pub fn add(&mut self, to: Port, wire: Wire) -> Result<(), Finding> {
        let place = wire.place.clone();
        let name = to.to_string();
        match self.into.insert(to, wire) {
            None => Ok(()),
            Some(before) => {
                let what = format!("`{name}` is connected twice, first in line {}", before.place.line);
                Err(Finding::error(&place, what, "remove one of the connections"))
            }
        }
    }

    /// Connections from component to component, signals through systems followed back to their source. One that begins or
    /// ends nowhere is an error.
    pub fn connections(&self, ends: &Ends<'_>, findings: &mut Vec<Finding>) -> Result<Vec<Connection>, Finding> {
        // What is said of an end that does not exist.
        let is_component = ends.is_component;
        let nowhere = |port: &Port, place: &Place, way: &str| {
            let whose =
                if port.element.is_empty() { "the system".to_owned() } else { format!("system `{}`", port.element) };
            let what = format!("a connection {way} `{}`, which is not a connector of {whose}", port.connector);
            Err(Finding::error(place, what, "correct the name, or declare the connector"))
        };
        // An end that neither is a component, leads on, nor is declared.
        let sources: BTreeSet<&Port> = self.into.values().map(|wire| &wire.from).collect();
        let loose = |to: &&Port| !is_component(&to.element) && !sources.contains(to) && !(ends.is_declared)(to);
        if let Some((to, wire)) = self.into.iter().find(|(to, _)| loose(to)) {
            return nowhere(to, &wire.place, "to");
        }
        // From each input of a component back through systems, up to a component's output.
        let mut out = Vec::new();
        for (to, last) in self.into.iter().filter(|(to, _)| is_component(&to.element)) {
            let mut c = Connection {
                factor: last.factor,
                offset: last.offset,
                converts: last.converts,
                table: last.table.clone(),
                ..Connection::new(last.from.end(), to.end(), last.place.clone())
            };
            let (mut at, mut path) = (&last.from, vec![(to, last)]);
            for _ in 0..HOPS_MAX {
                if is_component(&at.element) {
                    break;
                }
                let Some(before) = self.into.get(at) else { break };
                // y = factor·(f x + o) + offset. A table is looked up before, so that nothing may stand in front of it.
                if !c.table.is_empty() && (before.factor, before.offset) != (1.0, 0.0) {
                    let what = format!("`{to}` gets a mapping of values behind a linear transformation");
                    return Err(Finding::error(&last.place, what, "map values first, and transform them after that"));
                }
                c.offset += c.factor * before.offset;
                c.factor *= before.factor;
                c.converts &= before.converts;
                c.table = composed(&before.table, &c.table);
                path.push((at, before));
                at = &before.from;
            }
            // At a component's output the connection is whole. A declared connector may be without a source.
            if is_component(&at.element) {
                c.from = at.end();
                path.reverse();
                if path.len() > 1 {
                    convertible(at, &path, ends.unit)?;
                }
                out.push(c);
            } else if !(ends.is_declared)(at) {
                return nowhere(at, &last.place, "from");
            } else if !(ends.is_given)(to) {
                let what = format!("`{to}` is connected to `{at}`, which has no source");
                findings.push(Finding::warning(&last.place, what, "the input keeps its start value"));
            }
        }
        // In the order of the file.
        out.sort_by_key(|c| c.place.line);
        Ok(out)
    }

    /// Ports a port feeds, with what becomes of a value on the way.
    pub fn fed_by<'a>(&'a self, port: &'a Port) -> impl Iterator<Item = (&'a Port, &'a Wire)> {
        self.into.iter().filter(move |(_, wire)| wire.from == *port)
    }
}

/// A connection through systems converts units once, before its transformations. That is what its parts say unless one of them
/// converts behind a transformation, or beside one that does not convert.
fn convertible(from: &Port, path: &[(&Port, &Wire)], unit: &dyn Fn(&Port) -> Option<String>) -> Result<(), Finding> {
    let suppressed = path.iter().any(|(_, wire)| !wire.converts);
    let (mut at, mut is_transformed) = (unit(from), false);
    for (to, wire) in path {
        // A connector without a unit takes the one that arrives.
        let next = unit(to).or_else(|| at.clone());
        if let (Some(a), Some(b)) = (&at, &next)
            && (a != b && wire.converts && (suppressed || is_transformed))
        {
            let last = path.last().map_or(from, |(to, _)| to);
            let behind =
                if suppressed { "beside a part with `suppressUnitConversion`" } else { "behind a transformation" };
            let what = format!("`{from}` to `{last}` is converted from `{a}` to `{b}` at `{to}`, {behind}");
            let next = "connectors of systems between components need the unit of the component that they lead to";
            return Err(Finding::error(&wire.place, what, next));
        }
        is_transformed |= wire.factor != 1.0 || wire.offset != 0.0;
        at = next;
    }
    Ok(())
}

/// One table after another; without lines one changes nothing.
fn composed(first: &[(Value, Value)], then: &[(Value, Value)]) -> Vec<(Value, Value)> {
    if first.is_empty() || then.is_empty() {
        return [first, then].concat();
    }
    let after = |value: &Value| then.iter().find(|(source, _)| source == value).map(|(_, target)| target.clone());
    first.iter().filter_map(|(source, target)| Some((source.clone(), after(target)?))).collect()
}

impl Port {
    pub fn end(&self) -> Endpoint {
        Endpoint { unit: self.element.clone(), variable: self.connector.clone() }
    }
}

impl std::fmt::Display for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.element.is_empty() {
            f.write_str(&self.connector)
        } else {
            write!(f, "{}.{}", self.element, self.connector)
        }
    }
}
