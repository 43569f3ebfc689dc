//! A `System` with its components, connectors, connections and nested systems, made flat.

use super::annotation;
use super::dictionary::Dictionaries;
use super::mapping::table;
use super::parameters::{Bound, binding};
use super::port::{Ends, Port, Wire, Wires};
use super::read::Files;
use super::xml::Node;
use crate::finding::Finding;
use crate::scenario::{Connection, Connector, ParameterSet, Place, Source, Unit};
use macrostep_import::Face;
use std::collections::{BTreeMap, BTreeSet};

/// What has been collected of all systems.
#[derive(Default)]
pub(super) struct Flat {
    pub units: Vec<Unit>,
    pub sets: Vec<ParameterSet>,
    pub wires: Wires,
    /// Connectors of systems by path.
    pub systems: BTreeMap<String, Vec<Connector>>,
    /// Bindings with the path of their element; inner ones first.
    pub(super) bindings: Vec<(String, Vec<Bound>, String)>,
    pub findings: Vec<Finding>,
    pub(super) dictionaries: Dictionaries,
    /// References to signal dictionaries by path, and the element that stands for the dictionary.
    references: BTreeMap<String, String>,
    /// How often each part without a meaning for a run was met, and where first.
    unused: BTreeMap<String, (usize, Place)>,
}

/// Nested systems.
pub(super) const DEPTH_MAX: usize = 32;

impl Flat {
    /// Adds the system `node` whose path is `path` (empty for the root).
    pub fn system(&mut self, node: &Node, path: &str, files: &Files, depth: usize) -> Result<(), Finding> {
        // The depth is bounded, whatever a file says.
        if depth > DEPTH_MAX {
            return Err(Finding::error(
                &node.place,
                format!("systems nested more than {DEPTH_MAX} deep"),
                "does one contain itself?",
            ));
        }
        // What a system may have, and what of it is passed over.
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
        self.leave_out(
            node,
            path,
            &["ElementGeometry", "SystemGeometry", "GraphicalElements", "SimulationInformation"],
        );
        // Connectors, and the dictionaries its elements may refer to.
        let connectors = self.connectors(node)?;
        self.systems.insert(path.to_owned(), connectors);
        for dictionary in node.list("SignalDictionaries", "SignalDictionary") {
            self.dictionaries.read(dictionary, path, files, &mut self.findings)?;
        }
        // Elements: components, systems, and references to dictionaries.
        if let Some(elements) = node.child("Elements") {
            for (i, element) in elements.children.iter().enumerate() {
                // Names in a system are unique, as connections go by them.
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
        // Connections between them, and the parameters of the system.
        for connection in node.list("Connections", "Connection") {
            self.connection(connection, path)?;
        }
        self.bindings(node, path, None, files)
    }

    /// A place where a signal dictionary is connected to.
    fn reference(&mut self, node: &Node, path: &str) -> Result<(), Finding> {
        node.understood(&["Connectors", "ElementGeometry", "Annotations"], &["dictionary"], &mut self.findings);
        self.leave_out(node, path, &["ElementGeometry"]);
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
        // What the component is named, and what it is made of.
        node.understood(
            &["Connectors", "ElementGeometry", "ParameterBindings", "Annotations"],
            &["type", "source", "implementation"],
            &mut self.findings,
        );
        let name = join(path, node.required("name")?);
        self.leave_out(node, &name, &["ElementGeometry"]);
        let source = node.required("source")?;
        let kind = node.attribute("type").unwrap_or("application/x-fmu-sharedlibrary");
        // A description in the place of an FMU is a nested system.
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
        // How it is driven: as is said, or, for `any` and nothing, as the FMU offers it.
        let face = match node.attribute("implementation") {
            Some("ModelExchange") => Some(Face::ModelExchange),
            _ => None,
        };
        // The FMU, embedded in this program or from a file.
        let fmu = match Source::named(source) {
            Source::File { shown, python, .. } => {
                Source::File { path: files.path(source, &node.place)?, shown, python, face }
            }
            embedded @ Source::Embedded(_) => embedded,
        };
        let connectors = self.connectors(node)?;
        self.units.push(Unit { place: node.place.clone(), connectors, ..Unit::new(name.clone(), fmu) });
        self.bindings(node, &name, Some(source), files)
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
            &[
                "startElement",
                "startConnector",
                "startIndices",
                "endElement",
                "endConnector",
                "endIndices",
                "suppressUnitConversion",
            ],
            &mut self.findings,
        );
        self.leave_out(node, "connection", &["ConnectionGeometry"]);
        let start = self.port(node, path, ["startElement", "startConnector", "startIndices"])?;
        let end = self.port(node, path, ["endElement", "endConnector", "endIndices"])?;
        let (from, to) = if self.runs_back(&start, &end, path) { (end, start) } else { (start, end) };
        let (factor, offset) = match node.child("LinearTransformation") {
            Some(t) => (t.parsed("factor", 1.0, "a number")?, t.parsed("offset", 0.0, "a number")?),
            None => (1.0, 0.0),
        };
        let converts = !node.flag("suppressUnitConversion")?;
        let table = table(node)?;
        for port in [&from, &to] {
            self.dictionaries.missing(port, &node.place)?;
        }
        self.wires.add(to, Wire { from, factor, offset, converts, table, place: node.place.clone() })
    }

    /// An end of a connection in the system at `path`, by the names of its attributes.
    fn port(&self, node: &Node, path: &str, [element, connector, indices]: [&str; 3]) -> Result<Port, Finding> {
        // Some tools write an empty name where they mean none: the system itself.
        let element = match node.attribute(element).filter(|name| !name.is_empty()) {
            None => path.to_owned(),
            Some(name) => self.element(path, name, &node.place)?,
        };
        // All references to a dictionary are one element.
        let element = self.references.get(&element).cloned().unwrap_or(element);
        // One element of an array, or the connector as a whole.
        let connector = node.required(connector)?;
        let connector = match node.attribute(indices).map(|text| text.split_whitespace().collect::<Vec<_>>()) {
            None => connector.to_owned(),
            Some(indices) => format!("{connector}[{}]", indices.join(",")),
        };
        Ok(Port { element, connector })
    }

    /// The path of an element of the system at `path`.
    fn element(&self, path: &str, name: &str, place: &Place) -> Result<String, Finding> {
        let element = join(path, name);
        let mut units = self.units.iter().map(|u| u.name.as_str());
        if self.systems.contains_key(&element)
            || self.references.contains_key(&element)
            || units.clone().any(|u| u == element)
        {
            return Ok(element);
        }
        let known = units
            .by_ref()
            .chain(self.systems.keys().map(String::as_str))
            .chain(self.references.keys().map(String::as_str));
        let known: BTreeSet<&str> = known.collect();
        let inside = if path.is_empty() { String::new() } else { format!("{path}/") };
        let siblings = known.iter().filter_map(|known| known.strip_prefix(&inside));
        let siblings: Vec<&str> = siblings.filter(|name| !name.is_empty() && !name.contains('/')).take(8).collect();
        let what = format!("a connection to an element `{name}`, which this system does not have");
        Err(Finding::error(place, what, format!("it has `{}`", siblings.join("`, `"))))
    }

    /// Whether a connection is written against the direction its connectors' kinds say.
    fn runs_back(&self, start: &Port, end: &Port, path: &str) -> bool {
        // Seen from inside a system its own inputs are sources.
        let is_source = |port: &Port| {
            let inside = port.element == path;
            match self.connector(port)?.kind.as_str() {
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

    /// Parts without effect on a run are counted, and named at the end. `path`: of the element, empty for the root.
    pub fn leave_out(&mut self, node: &Node, path: &str, names: &[&str]) {
        for n in node.children.iter().filter(|n| names.contains(&n.name.as_str())) {
            self.unused.entry(n.name.clone()).or_insert_with(|| (0, n.place.clone())).0 += 1;
        }
        for a in node.list("Annotations", "Annotation").filter(|a| a.attribute("type") != Some(super::ANNOTATION)) {
            // The macro step of the whole is taken, or another one is.
            if path.is_empty() && annotation::is_step_only(a) {
                continue;
            }
            let name = format!("annotation `{}`", a.attribute("type").unwrap_or(""));
            self.unused.entry(name).or_insert_with(|| (0, a.place.clone())).0 += 1;
        }
    }

    /// Names the parts that were left out. `partly`: the type of the annotation of which something was taken.
    pub fn name_left_out(&mut self, partly: Option<&str>) {
        let partly = partly.map(|of| format!("annotation `{of}`"));
        for (name, (count, place)) in std::mem::take(&mut self.unused) {
            let more = if Some(&name) == partly.as_ref() { "further " } else { "" };
            let what = format!("{name} ({count}, first here) has no {more}effect on a run");
            // Where things are drawn is of no weight.
            let is_drawing = name.ends_with("Geometry") || name == "GraphicalElements";
            let next = "it is left out";
            let finding =
                if is_drawing { Finding::note(&place, what, next) } else { Finding::warning(&place, what, next) };
            self.findings.push(finding);
        }
    }

    /// Connections from component to component.
    pub fn connections(&mut self) -> Result<Vec<Connection>, Finding> {
        let set = self.sets.iter().flat_map(|s| &s.settings).map(|(unit, s)| (unit.as_str(), s));
        let own = self.units.iter().flat_map(|u| u.settings.iter().map(|s| (u.name.as_str(), s)));
        let given: BTreeSet<(&str, &str)> = set.chain(own).map(|(unit, s)| (unit, s.variable.as_str())).collect();
        let names: BTreeSet<&str> = self.units.iter().map(|u| u.name.as_str()).collect();
        let ends = Ends {
            is_component: &|name| names.contains(name),
            is_declared: &|port| self.is_declared(port),
            is_given: &|port| given.contains(&(port.element.as_str(), port.connector.as_str())),
            unit: &|port| self.connector(port)?.unit.clone(),
        };
        let mut findings = Vec::new();
        let connections = self.wires.connections(&ends, &mut findings)?;
        self.findings.extend(findings);
        Ok(connections)
    }

    /// Removes connections between parameters: values went through them, signals do not.
    pub fn drop_parameter_wires(&mut self) {
        let parameter = |port: &Port| self.connector(port).is_some_and(|c| c.kind == "parameter");
        let dropped: Vec<Port> = self.wires.into.keys().filter(|to| parameter(to)).cloned().collect();
        for to in dropped {
            self.wires.into.remove(&to);
        }
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}
