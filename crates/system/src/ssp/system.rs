//! A `System` with its components, connectors, connections and nested systems, made flat.

use super::dictionary::Dictionaries;
use super::parameters::{Bound, binding};
use super::port::{Port, Wire, Wires};
use super::read::Files;
use super::xml::Node;
use crate::finding::Finding;
use crate::scenario::{Connector, ParameterSet, Source, Unit, Value};
use std::collections::BTreeMap;

/// What has been collected of all systems.
#[derive(Default)]
pub(super) struct Flat {
    pub units: Vec<Unit>,
    pub sets: Vec<ParameterSet>,
    pub wires: Wires,
    /// Connectors of systems by path.
    pub systems: BTreeMap<String, Vec<Connector>>,
    /// Bindings with the path of their element; inner ones first.
    bindings: Vec<(String, Vec<Bound>, String)>,
    pub findings: Vec<Finding>,
    dictionaries: Dictionaries,
    /// References to signal dictionaries by path, and the element that stands for the dictionary.
    references: BTreeMap<String, String>,
    /// How often each part without a meaning for a run was met, and where first.
    unused: BTreeMap<String, (usize, crate::scenario::Place)>,
}

/// Nested systems.
const DEPTH_MAX: usize = 32;

impl Flat {
    /// Adds the system `node` whose path is `path` (empty for the root).
    pub fn system(&mut self, node: &Node, path: &str, files: &Files, depth: usize) -> Result<(), Finding> {
        if depth > DEPTH_MAX {
            return Err(Finding::error(
                &node.place,
                format!("systems nested more than {DEPTH_MAX} deep"),
                "does one contain itself?",
            ));
        }
        node.understood(
            &[
                "Connectors",
                "ElementGeometry",
                "ParameterBindings",
                "Elements",
                "Connections",
                "SystemGeometry",
                "GraphicalElements",
                "SimulationInformation",
                "SignalDictionaries",
                "Annotations",
            ],
            &[],
            &mut self.findings,
        );
        self.leave_out(node, &["ElementGeometry", "SystemGeometry", "GraphicalElements", "SimulationInformation"]);
        let connectors = self.connectors(node)?;
        self.systems.insert(path.to_owned(), connectors);
        for dictionary in node.list("SignalDictionaries", "SignalDictionary") {
            self.dictionaries.read(dictionary, path, files, &mut self.findings)?;
        }
        if let Some(elements) = node.child("Elements") {
            for (i, element) in elements.children.iter().enumerate() {
                let name = element.attribute("name");
                if name.is_some() && elements.children[..i].iter().any(|earlier| earlier.attribute("name") == name) {
                    let what = format!("a second element named `{}` in one system", name.unwrap_or_default());
                    return Err(Finding::error(&element.place, what, "give each a name of its own"));
                }
                match element.name.as_str() {
                    "Component" => self.component(element, path, files, depth)?,
                    "System" => {
                        let inner = join(path, element.required("name")?);
                        self.system(element, &inner, files, depth + 1)?;
                    }
                    "SignalDictionaryReference" => self.reference(element, path)?,
                    other => {
                        let what = format!(
                            "the element `{other}` `{}` is not understood",
                            element.attribute("name").unwrap_or("")
                        );
                        self.findings.push(Finding::warning(&element.place, what, "it is left out"));
                    }
                }
            }
        }
        for connection in node.list("Connections", "Connection") {
            self.connection(connection, path)?;
        }
        self.bindings(node, path, None, files)
    }

    /// A place where a signal dictionary is connected to.
    fn reference(&mut self, node: &Node, path: &str) -> Result<(), Finding> {
        node.understood(&["Connectors", "ElementGeometry", "Annotations"], &["dictionary"], &mut self.findings);
        self.leave_out(node, &["ElementGeometry"]);
        let (name, dictionary) = (node.required("name")?, node.required("dictionary")?);
        let Some(element) = self.dictionaries.find(dictionary, path) else {
            let what =
                format!("reference `{name}` to the signal dictionary `{dictionary}`, which is in no system around it");
            return Err(Finding::error(&node.place, what, "add it to `SignalDictionaries`"));
        };
        self.references.insert(join(path, name), element);
        Ok(())
    }

    fn component(&mut self, node: &Node, path: &str, files: &Files, depth: usize) -> Result<(), Finding> {
        node.understood(
            &["Connectors", "ElementGeometry", "ParameterBindings", "Annotations"],
            &["type", "source", "implementation"],
            &mut self.findings,
        );
        self.leave_out(node, &["ElementGeometry"]);
        let name = join(path, node.required("name")?);
        let source = node.required("source")?;
        let kind = node.attribute("type").unwrap_or("application/x-fmu-sharedlibrary");
        match kind {
            "application/x-fmu-sharedlibrary" => {}
            "application/x-ssp-definition" | "application/x-ssp-package" => {
                let (root, inner) = files.description(source, kind.ends_with("package"), &node.place)?;
                let Some(system) = root.child("System") else {
                    return Err(Finding::error(&node.place, format!("`{source}` has no `System`"), ""));
                };
                self.system(system, &name, &inner, depth + 1)?;
                return self.bindings(node, &name, None, files);
            }
            other => {
                let what = format!("component `{name}` of type `{other}`, expected an FMU, a .ssd or an .ssp");
                return Err(Finding::error(&node.place, what, ""));
            }
        }
        if node.attribute("implementation") == Some("ModelExchange") {
            let what = format!("component `{name}` asks for model exchange");
            return Err(Finding::error(&node.place, what, "use an FMU for co-simulation"));
        }
        if let Some(known) = source.strip_prefix("embedded:") {
            let unit = Unit::new(name.clone(), Source::Embedded(known.to_owned()));
            let connectors = self.connectors(node)?;
            self.units.push(Unit { place: node.place.clone(), connectors, ..unit });
        } else {
            let file = Source::File { path: files.path(source, &node.place)?, shown: source.to_owned() };
            let connectors = self.connectors(node)?;
            self.units.push(Unit { place: node.place.clone(), connectors, ..Unit::new(name.clone(), file) });
        }
        self.bindings(node, &name, Some(source), files)
    }

    fn connectors(&mut self, node: &Node) -> Result<Vec<Connector>, Finding> {
        let mut out = Vec::new();
        for c in node.list("Connectors", "Connector") {
            c.understood(
                &["Real", "Integer", "Boolean", "String", "Enumeration", "Binary", "ConnectorGeometry", "Annotations"],
                &["kind"],
                &mut self.findings,
            );
            self.leave_out(c, &["ConnectorGeometry"]);
            let kind = c.required("kind")?;
            if !["input", "output", "parameter", "calculatedParameter", "inout"].contains(&kind) {
                let what = format!("connector kind `{kind}`");
                return Err(Finding::error(
                    &c.place,
                    what,
                    "expected input, output, parameter, calculatedParameter or inout",
                ));
            }
            let typed = c.children.iter().find(|n| !["ConnectorGeometry", "Annotations"].contains(&n.name.as_str()));
            out.push(Connector {
                name: c.required("name")?.to_owned(),
                kind: kind.to_owned(),
                type_name: typed.map(|n| n.name.clone()),
                unit: typed.and_then(|n| n.attribute("unit")).map(str::to_owned),
                place: c.place.clone(),
            });
        }
        Ok(out)
    }

    fn connection(&mut self, node: &Node, path: &str) -> Result<(), Finding> {
        node.understood(
            &[
                "LinearTransformation",
                "BooleanMappingTransformation",
                "IntegerMappingTransformation",
                "EnumerationMappingTransformation",
                "ConnectionGeometry",
                "Annotations",
            ],
            &["startElement", "startConnector", "endElement", "endConnector", "suppressUnitConversion"],
            &mut self.findings,
        );
        self.leave_out(node, &["ConnectionGeometry"]);
        let port = |element: &str, connector: &str| -> Result<Port, Finding> {
            let element = node.attribute(element).map_or_else(|| path.to_owned(), |e| join(path, e));
            // All references to a dictionary are one element.
            let element = self.references.get(&element).cloned().unwrap_or(element);
            Ok(Port { element, connector: node.required(connector)?.to_owned() })
        };
        let (start, end) = (port("startElement", "startConnector")?, port("endElement", "endConnector")?);
        let (from, to) = if self.runs_back(&start, &end, path) { (end, start) } else { (start, end) };
        let (factor, offset) = match node.child("LinearTransformation") {
            Some(t) => (t.parsed("factor", 1.0, "a number")?, t.parsed("offset", 0.0, "a number")?),
            None => (1.0, 0.0),
        };
        let converts = !node.flag("suppressUnitConversion")?;
        let table = table(node)?;
        for port in [&from, &to] {
            self.dictionaries.missing(port, &node.place, &mut self.findings);
        }
        self.wires.add(to, Wire { from, factor, offset, converts, table, place: node.place.clone() })
    }

    /// Whether a connection is written against the direction its connectors' kinds say.
    fn runs_back(&self, start: &Port, end: &Port, path: &str) -> bool {
        // Seen from inside a system its own inputs are sources.
        let is_source = |port: &Port| {
            let inside = port.element == path;
            let unit = self.units.iter().find(|u| u.name == port.element).map(|u| &u.connectors);
            let connectors = unit.or_else(|| self.systems.get(&port.element))?;
            let kind = connectors.iter().find(|c| c.name == port.connector)?.kind.as_str();
            match kind {
                "input" | "parameter" => Some(inside),
                "output" | "calculatedParameter" => Some(!inside),
                _ => None,
            }
        };
        // A connector of a signal dictionary has no direction of its own.
        match (is_source(start), is_source(end)) {
            (Some(false), Some(true)) => true,
            (Some(false), None) => self.dictionaries.contains(end),
            (None, Some(true)) => self.dictionaries.contains(start),
            _ => false,
        }
    }

    fn bindings(&mut self, node: &Node, path: &str, source: Option<&str>, files: &Files) -> Result<(), Finding> {
        for b in node.list("ParameterBindings", "ParameterBinding") {
            let (name, values) = binding(b, files, source, &mut self.findings)?;
            self.bindings.push((path.to_owned(), values, name));
        }
        Ok(())
    }

    /// Parts that mean nothing for a run are counted, and named in the end.
    fn leave_out(&mut self, node: &Node, names: &[&str]) {
        for n in node.children.iter().filter(|n| names.contains(&n.name.as_str())) {
            self.unused.entry(n.name.clone()).or_insert_with(|| (0, n.place.clone())).0 += 1;
        }
        for a in node.list("Annotations", "Annotation").filter(|a| a.attribute("type") != Some(super::ANNOTATION)) {
            let name = format!("annotation `{}`", a.attribute("type").unwrap_or(""));
            self.unused.entry(name).or_insert_with(|| (0, a.place.clone())).0 += 1;
        }
    }

    /// Turns bindings into parameter sets, and names what was left out.
    pub fn finish(&mut self) {
        for (path, values, name) in std::mem::take(&mut self.bindings) {
            if let Some(unit) = self.units.iter_mut().find(|u| u.name == path) {
                let own = values.into_iter().map(|v| {
                    let variable = v.target.clone();
                    v.setting(variable)
                });
                unit.settings.extend(own);
                continue;
            }
            let place = values.first().map(|v| v.place.clone()).unwrap_or_default();
            let mut settings = Vec::new();
            for value in values {
                self.apply(&path, value, &mut settings);
            }
            let name = if name.is_empty() { "parameters" } else { &name };
            let mut title = if path.is_empty() { name.to_owned() } else { format!("{path}: {name}") };
            while self.sets.iter().any(|s| s.name == title) {
                title.push('\'');
            }
            if !settings.is_empty() {
                self.sets.push(ParameterSet { name: title, settings, place });
            }
        }
        for (name, (count, place)) in std::mem::take(&mut self.unused) {
            let what = format!("{name} ({count}, first here) means nothing to a run");
            self.findings.push(Finding::warning(&place, what, "it is left out"));
        }
    }

    /// A value for something below the element at `path`.
    fn apply(&mut self, path: &str, value: Bound, settings: &mut Vec<(String, crate::scenario::Setting)>) {
        // Names of a system's elements are followed by a dot.
        let mut element = path.to_owned();
        let mut rest = value.target.as_str();
        while let Some((head, tail)) = rest.split_once('.') {
            let inner = join(&element, head);
            if self.units.iter().any(|u| u.name == inner) {
                let variable = tail.to_owned();
                settings.push((inner, value.setting(variable)));
                return;
            }
            if !self.systems.contains_key(&inner) {
                break;
            }
            (element, rest) = (inner, tail);
        }
        // A parameter of the system itself goes where it is connected to.
        let port = Port { element, connector: rest.to_owned() };
        let mut reached = Vec::new();
        self.follow(&port, &value, &mut reached, 0);
        if reached.is_empty() {
            let what = format!("parameter `{}` belongs to no component", value.target);
            self.findings.push(Finding::warning(&value.place, what, "it is left out"));
        }
        settings.extend(reached);
    }

    fn follow(&self, port: &Port, value: &Bound, out: &mut Vec<(String, crate::scenario::Setting)>, depth: usize) {
        for (to, wire) in self.wires.fed_by(port).filter(|_| depth < DEPTH_MAX) {
            let changed = match &value.value {
                Value::Real(x) => Value::Real(wire.factor * x + wire.offset),
                same => wire.table.iter().find(|(source, _)| source == same).map_or(same, |(_, target)| target).clone(),
            };
            let bound = Bound {
                target: to.connector.clone(),
                value: changed,
                unit: value.unit.clone(),
                place: value.place.clone(),
            };
            if self.units.iter().any(|u| u.name == to.element) {
                out.push((to.element.clone(), bound.setting(to.connector.clone())));
            } else {
                self.follow(to, &bound, out, depth + 1);
            }
        }
    }

    /// Removes connections between parameters: values went through them, signals do not.
    pub fn drop_parameter_wires(&mut self) {
        let parameter = |port: &Port| {
            let unit = self.units.iter().find(|u| u.name == port.element).map(|u| &u.connectors);
            let connectors = unit.or_else(|| self.systems.get(&port.element));
            connectors.is_some_and(|c| c.iter().any(|c| c.name == port.connector && c.kind == "parameter"))
        };
        let dropped: Vec<Port> = self.wires.into.keys().filter(|to| parameter(to)).cloned().collect();
        for to in dropped {
            self.wires.into.remove(&to);
        }
    }
}

/// What a connection makes of values that are not real.
fn table(node: &Node) -> Result<Vec<(Value, Value)>, Finding> {
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

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}
