//! From `.ssd` and `.ssp` to a [`Scenario`].

use super::parameters::units;
use super::system::Flat;
use super::xml::{self, Node};
use super::{ANNOTATION, MAIN, annotation, archive};
use crate::finding::Finding;
use crate::open::Document;
use crate::scenario::{Experiment, Place, Scenario, Unit};
use macrostep_import::fmu::{Limits, Unpacked};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

/// Where URIs of a description lead.
#[derive(Clone)]
pub(super) struct Files {
    folder: PathBuf,
    /// How the user calls the description, for messages.
    shown: String,
    /// Archives that were unpacked on the way.
    unpacked: Arc<Mutex<Vec<Arc<Unpacked>>>>,
    /// Bytes that archives may still unpack to.
    left: Arc<AtomicU64>,
    /// This description and those around it, by their paths.
    within: Vec<PathBuf>,
}

impl Files {
    /// A URI as a path: relative, without leaving the folder of the description by more than its own parents.
    pub fn path(&self, uri: &str, place: &Place) -> Result<PathBuf, Finding> {
        let relative = decoded(uri);
        let has_scheme = relative
            .split_once(':')
            .is_some_and(|(scheme, _)| scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric()));
        let path = relative.strip_prefix("file://").unwrap_or(&relative);
        if path.len() == relative.len() && has_scheme || uri.starts_with('#') {
            return Err(Finding::error(
                place,
                format!("source `{uri}`, expected a path relative to the description"),
                "copy the file beside it",
            ));
        }
        let inside = !self.unpacked.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        let leaves = Path::new(path).components().any(|c| !matches!(c, Component::Normal(_) | Component::CurDir));
        if inside && leaves {
            return Err(Finding::error(place, format!("source `{uri}` leaves the archive"), "pack the file into it"));
        }
        Ok(self.folder.join(path))
    }

    /// A file of parameters; `component` is the source of the component whose archive it is in, if it is.
    pub fn xml(&self, uri: &str, component: Option<&str>, place: &Place) -> Result<Node, Finding> {
        let failed = |e: &dyn std::fmt::Display| Finding::error(place, format!("`{uri}`: {e}"), "is the file there?");
        let bytes = match component {
            None => xml::bytes(&self.path(uri, place)?).map_err(|e| failed(&e))?,
            Some(source) => {
                let (component, inside) = (self.path(source, place)?, decoded(uri));
                archive::file(&component, &inside).map_err(|e| failed(&format!("in `{source}`: {e}")))?
            }
        };
        xml::parse(&bytes, &format!("{}/{uri}", self.shown))
    }

    /// A description another one refers to, and where its own URIs lead.
    pub fn description(&self, uri: &str, package: bool, place: &Place) -> Result<(Node, Files), Finding> {
        // The file, and which description of it is meant.
        let (file, part) = uri.split_once('#').unwrap_or((uri, MAIN));
        let path = self.path(file, place)?;
        let failed = |e: std::io::Error| Finding::error(place, format!("`{file}`: {e}"), "is the file there?");
        // A description that contains itself would never end.
        let mut within = self.within.clone();
        let own = path.canonicalize().map_err(failed)?.join(if package { part } else { "" });
        if within.contains(&own) {
            let what = format!("`{uri}` contains itself");
            return Err(Finding::error(place, what, "remove this component, or name another description"));
        }
        within.push(own);
        // A package is unpacked, for as long as the scenario is in use; its own URIs lead into that folder.
        let (path, folder) = if package {
            let folder = archive::unpack(&path, &format!("{}/{file}", self.shown), &self.left)?;
            let inner = folder.path().join(part);
            self.unpacked.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(folder));
            let parent = inner.parent().unwrap_or(Path::new("")).to_owned();
            (inner, parent)
        } else {
            let parent = path.parent().unwrap_or(Path::new("")).to_owned();
            (path, parent)
        };
        // The description itself, with the files as it sees them.
        let bytes = xml::bytes(&path).map_err(failed)?;
        let shown = format!("{}/{uri}", self.shown);
        let root = xml::parse(&bytes, &shown)?;
        root.expect(ROOT, "is this an SSD file?")?;
        Ok((root, Files { folder, shown, within, ..self.clone() }))
    }
}

/// The root element of a description.
const ROOT: &str = "SystemStructureDescription";

/// Percent signs of a URI resolved.
fn decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|h| std::str::from_utf8(h).ok()).and_then(|h| u8::from_str_radix(h, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a description; paths are relative to `folder`.
///
/// # Errors
/// The first thing that is wrong in its form.
pub fn read_ssd(bytes: &[u8], shown: &str, folder: &Path) -> Result<Document, Finding> {
    let own = Path::new(shown).file_name().map(|name| folder.join(name)).and_then(|path| path.canonicalize().ok());
    read(
        bytes,
        Files {
            folder: folder.to_owned(),
            shown: shown.to_owned(),
            unpacked: Arc::default(),
            left: Arc::new(Limits::default().total_bytes_max.into()),
            within: own.into_iter().collect(),
        },
    )
}

/// Reads the main description of an archive, which is unpacked as long as the document lives.
///
/// # Errors
/// Where it is no archive, or has no description.
pub fn read_ssp(path: &Path, shown: &str) -> Result<Document, Finding> {
    let left = AtomicU64::new(Limits::default().total_bytes_max);
    let folder = archive::unpack(path, shown, &left)?;
    let main = folder.path().join(MAIN);
    let place = Place { file: shown.into(), line: 0, column: 0 };
    let bytes = std::fs::read(&main).map_err(|_| {
        Finding::error(&place, format!("no `{MAIN}` at its root"), "is this a system structure package?")
    })?;
    let root = folder.path().to_owned();
    let unpacked = Arc::new(Mutex::new(vec![Arc::new(folder)]));
    let within = main.canonicalize().into_iter().collect();
    read(&bytes, Files { folder: root, shown: format!("{shown}/{MAIN}"), unpacked, left: Arc::new(left), within })
}

fn read(bytes: &[u8], files: Files) -> Result<Document, Finding> {
    let root = xml::parse(bytes, &files.shown)?;
    // What of the root is understood, and of which version it is.
    root.expect(ROOT, "is this an SSD file?")?;
    let mut flat = Flat::default();
    let known = ["System", "Enumerations", "Units", "DefaultExperiment", "Annotations"];
    root.understood(&known, &[], &mut flat.findings);
    if let Some(version) = root.attribute("version").filter(|v| !v.starts_with("1.") && !v.starts_with("2.")) {
        let what = format!("version {version} of SSP, expected 1.0 or 2.0");
        flat.findings.push(Finding::warning(&root.place, what, "elements that are new in it are not understood"));
    }
    // The system, made flat: units, parameters and connections.
    let Some(system) = root.child("System") else {
        return Err(Finding::error(&root.place, "a description without a `System`", "add one"));
    };
    flat.system(system, "", &files, 0)?;
    if flat.units.is_empty() {
        let what = "a system without components, expected at least one FMU";
        return Err(Finding::error(&system.place, what, "add a `Component`: there is nothing to run"));
    }
    flat.settings()?;
    flat.define(&units(&root)?);
    flat.drop_parameter_wires();
    let connections = flat.connections()?;
    let units = std::mem::take(&mut flat.units);
    // The scenario as SSP has it.
    let mut scenario = Scenario {
        name: root.attribute("name").or(system.attribute("name")).unwrap_or("").to_owned(),
        description: root.attribute("description").unwrap_or("").to_owned(),
        experiment: experiment(&root, &mut flat.findings)?,
        units,
        applied: flat.sets.iter().map(|s| s.name.clone()).collect(),
        sets: std::mem::take(&mut flat.sets),
        connections,
        ..Scenario::default()
    };
    scenario.coupling.place = root.place.clone();
    // What is left out, so that it can be told.
    let experiment = root.child("DefaultExperiment");
    for node in [&root].into_iter().chain(experiment) {
        flat.leave_out(node, "", &[]);
    }
    // Our annotation is heard before those of others.
    let lists = [&root, system].into_iter().flat_map(|n| n.list("Annotations", "Annotation"));
    let ours: Vec<&Node> = lists.filter(|a| a.attribute("type") == Some(ANNOTATION)).collect();
    for annotation in &ours {
        merge(&mut scenario, annotation, &files)?;
    }
    // A macro step of another tool's annotation, where ours has none.
    let places: Vec<&Node> = experiment.into_iter().chain([&root, system]).collect();
    let step = annotation::step(&places)?.filter(|_| scenario.experiment.step_s.is_none());
    flat.name_left_out(step.as_ref().map(|s| s.of));
    if let Some(step) = step {
        scenario.experiment.step_s = Some(step.step_s);
        flat.findings.push(step.note);
    }
    if ours.is_empty() {
        let what = "no annotation `macrostep`: Jacobi with hold, explicit";
        flat.findings.push(Finding::note(&root.place, what, "choose with `--schedule`, `--predict`, `--correct`"));
    }
    let unpacked = files.unpacked.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Document { scenario, findings: flat.findings, unpacked })
}

fn experiment(root: &Node, findings: &mut Vec<Finding>) -> Result<Experiment, Finding> {
    let Some(e) = root.child("DefaultExperiment") else {
        return Ok(Experiment { place: root.place.clone(), ..Experiment::default() });
    };
    e.understood(&["Annotations"], &["startTime", "stopTime"], findings);
    let stop_s = e.attribute("stopTime").map(|_| e.parsed("stopTime", 0.0, "a time")).transpose()?;
    Ok(Experiment {
        start_s: e.parsed("startTime", 0.0, "a time")?,
        stop_s,
        place: e.place.clone(),
        ..Experiment::default()
    })
}

/// Adds what our annotation says.
fn merge(s: &mut Scenario, annotation: &Node, files: &Files) -> Result<(), Finding> {
    // The annotation is a scenario without what SSP has words for.
    let text = annotation.children.first().map_or(annotation.text.as_str(), |child| child.text.as_str());
    let shown = format!("{} (annotation from line {})", files.shown, annotation.place.line);
    let Scenario {
        name,
        experiment,
        coupling,
        units,
        sets,
        connections,
        laws,
        maps,
        bonds,
        bonds_are_all,
        interface_models,
        constraints,
        inputs,
        events,
        state_events,
        history,
        solution,
        record,
        // These stand in the description itself.
        description: _,
        applied: _,
    } = crate::toml::read(text, &shown, &files.folder)?;
    if !name.is_empty() {
        s.name = name;
    }
    // What SSP has no words for is the annotation's alone.
    let Experiment {
        step_s,
        solver_tolerance,
        error,
        expect_growth,
        start_s: _,
        stop_s: _,
        place: _,
        stop_place: _,
        step_place: _,
    } = experiment;
    (s.experiment.step_s, s.experiment.solver_tolerance, s.experiment.error) = (step_s, solver_tolerance, error);
    s.experiment.expect_growth = expect_growth;
    (s.coupling, s.record) = (coupling, record);
    (s.laws, s.maps, s.bonds, s.bonds_are_all) = (laws, maps, bonds, bonds_are_all);
    (s.interface_models, s.constraints) = (interface_models, constraints);
    (s.events, s.state_events, s.history) = (events, state_events, history);
    // Nothing outside of an archive is read.
    inputs.iter().try_for_each(|input| files.path(&input.shown, &input.place).map(drop))?;
    (s.inputs, s.solution) = (inputs, solution);
    for c in connections {
        // One that stands in SSP is there again for the law it obeys.
        match s.connections.iter_mut().find(|known| known.to == c.to && (c.law.is_some() || c.is_mean)) {
            Some(known) => (known.law, known.is_mean) = (c.law, c.is_mean),
            None => s.connections.push(c),
        }
    }
    // Parameter sets that are not applied, and what units have beside their FMUs and values.
    s.sets.extend(sets);
    units.into_iter().try_for_each(|unit| merge_unit(s, unit))
}

/// Adds what our annotation says of one unit.
fn merge_unit(s: &mut Scenario, other: Unit) -> Result<(), Finding> {
    let Unit { name, share, step_parameter, solver_tolerance, motions, place, source, settings: _, connectors: _ } =
        other;
    let Some(u) = s.unit(&name) else {
        return Err(Finding::error(&place, format!("no component `{name}`"), "remove it from the annotation"));
    };
    let unit = &mut s.units[u];
    (unit.share, unit.step_parameter, unit.solver_tolerance, unit.motions) =
        (share, step_parameter, solver_tolerance, motions);
    unit.source = unit.source.clone().driven_as(&source);
    Ok(())
}
