//! The file as a whole: the root, the order of its parts, and the checks that need all parts.

use std::collections::HashMap;

use super::cursor::Cursor;
use super::decode::decode;
use super::element::{Element, unknown};
use super::finding::{quoted, refuse};
use super::variables::Variables;
use super::{ReadError, Warning, header, structure, three, units, variables};
use crate::{Dependencies, Kind, ModelDescription, ModelStructure, Naming, RealAttributes, Unknown, Variable};

/// A description, and the faults of the file that were accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What the file says.
    pub description: ModelDescription,
    /// Where it strays from the standard in its form, by line. What is wrong with the model it describes is a question
    /// for [`crate::rules`].
    pub warnings: Vec<Warning>,
    /// Line of each variable, as long as [`ModelDescription::variables`].
    pub variable_lines: Vec<u32>,
}

/// Reads `modelDescription.xml` in any of the encodings that occur.
///
/// # Errors
/// Where the file is not XML, not of FMI 2.0 or 3.0, or would make a run wrong: duplicate names, indices and value references
/// out of range, numbers that are none.
pub fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    read_str(&decode(bytes)?)
}

/// Reads `modelDescription.xml` from text.
///
/// # Errors
/// As [`read`].
pub fn read_str(text: &str) -> Result<Reading, ReadError> {
    let mut cursor = Cursor::new(text);
    let Some(start) = cursor.child()? else {
        return refuse(1, "no element", "`fmiModelDescription`");
    };
    let root = Element::new(&start)?;
    let reading = if three::is_of(&root) { three::read(&mut cursor, root)? } else { File::read(&mut cursor, root)? };
    // The element ended; what may follow are comments.
    if let Some(second) = cursor.child()? {
        return refuse(second.line, "a second root element", "the end of the file");
    }
    Ok(Reading { warnings: cursor.warnings.finish(), ..reading })
}

/// Parts of a description.
const PARTS: [&str; 9] = [
    "CoSimulation",
    "ModelExchange",
    "UnitDefinitions",
    "TypeDefinitions",
    "LogCategories",
    "DefaultExperiment",
    "VendorAnnotations",
    "ModelVariables",
    "ModelStructure",
];

/// An unknown of `ModelStructure` and its line.
pub(super) type Placed = (Unknown, u32);

/// What has been read so far.
#[derive(Default)]
struct File {
    description: ModelDescription,
    variables: Variables,
    structure: structure::Lists,
    /// Parts that have begun, with their lines.
    parts: Vec<(&'static str, u32)>,
}

impl File {
    /// A description of FMI 2.0, without warnings.
    fn read(cursor: &mut Cursor<'_>, root: Element<'_>) -> Result<Reading, ReadError> {
        let mut file = File::default();
        file.root(cursor, root)?;
        file.finish()?;
        let File { description, variables, .. } = file;
        Ok(Reading { description, warnings: Vec::new(), variable_lines: variables.lines })
    }

    fn root(&mut self, cursor: &mut Cursor<'_>, mut e: Element<'_>) -> Result<(), ReadError> {
        // Another version has another meaning.
        if e.name != "fmiModelDescription" {
            return refuse(e.line, format!("the root element {}", quoted(e.name)), "`fmiModelDescription`");
        }
        let d = &mut self.description;
        d.fmi_version = e.required("fmiVersion")?;
        if d.fmi_version.trim() != "2.0" {
            let expected = match d.fmi_version.trim().split('.').next() {
                Some("1" | "3") => "`2.0` or `3.0`: export it again as one of these, for co-simulation",
                _ => "`2.0` or `3.0`",
            };
            return refuse(e.line, format!("fmiVersion={}", quoted(&d.fmi_version)), expected);
        }
        // Attributes by name.
        d.model_name = e.required("modelName")?;
        d.guid = e.required("guid")?;
        d.description = e.text("description");
        d.author = e.text("author");
        d.version = e.text("version");
        d.copyright = e.text("copyright");
        d.license = e.text("license");
        d.generation_tool = e.text("generationTool");
        d.generation_date_and_time = e.text("generationDateAndTime");
        let namings = [("flat", Naming::Flat), ("structured", Naming::Structured)];
        d.naming = e.word("variableNamingConvention", &namings)?.unwrap_or_default();
        d.event_indicators = e.number("numberOfEventIndicators", "an integer ≥ 0")?.unwrap_or(0);
        e.done(&mut cursor.warnings);
        // Parts in the order of the file.
        while let Some(start) = cursor.child()? {
            self.part(cursor, Element::new(&start)?)?;
        }
        Ok(())
    }

    fn part(&mut self, cursor: &mut Cursor<'_>, e: Element<'_>) -> Result<(), ReadError> {
        // The schema has each part once; a second one would take the place of the first.
        if let Some((name, before)) = self.parts.iter().find(|(name, _)| *name == e.name) {
            let found = format!("{} again (first in line {before})", quoted(name));
            return refuse(e.line, found, "each part of `fmiModelDescription` once");
        }
        if let Some(name) = PARTS.iter().find(|name| **name == e.name) {
            self.parts.push((*name, e.line));
        }
        let d = &mut self.description;
        match e.name {
            "CoSimulation" => d.co_simulation = Some(header::co_simulation(cursor, e)?),
            "ModelExchange" => d.model_exchange = Some(header::model_exchange(cursor, e)?),
            "UnitDefinitions" => d.units = units::units(cursor)?,
            "TypeDefinitions" => d.types = header::types(cursor)?,
            "LogCategories" => d.log_categories = header::log_categories(cursor)?,
            "DefaultExperiment" => d.default_experiment = Some(header::default_experiment(cursor, e)?),
            "VendorAnnotations" => {
                d.vendor_annotations = header::annotations(cursor, ["VendorAnnotations", "Tool", "name"])?
            }
            "ModelVariables" => variables::variables(cursor, &mut self.variables)?,
            "ModelStructure" => self.structure = structure::lists(cursor)?,
            _ => unknown(cursor, &e, "fmiModelDescription")?,
        }
        Ok(())
    }

    /// What needs the whole file: names are unique, indices point somewhere, types are known.
    fn finish(&mut self) -> Result<(), ReadError> {
        // Variables take over from declared types what they leave out.
        self.description.variables = std::mem::take(&mut self.variables.all);
        self.inherit_types();
        let count = self.description.variables.len();
        // Names are unique, and what is a derivative points to a variable.
        let mut first = HashMap::with_capacity(count);
        for (v, line) in self.description.variables.iter().zip(&self.variables.lines) {
            if let Some(before) = first.insert(v.name.as_str(), *line) {
                return refuse(
                    *line,
                    format!("variable {} again (first in line {before})", quoted(&v.name)),
                    "unique names",
                );
            }
            if let Kind::Real(a) = &v.kind
                && let Some(index) = a.derivative
            {
                in_range(index, count, *line, || format!("derivative of {}", quoted(&v.name)))?;
            }
        }
        // Indices of the structure lie within the variables.
        let lists = std::mem::take(&mut self.structure);
        self.description.structure = ModelStructure {
            outputs: checked(lists.outputs, count, "Outputs")?,
            derivatives: checked(lists.derivatives, count, "Derivatives")?,
            initial_unknowns: checked(lists.initial_unknowns, count, "InitialUnknowns")?,
        };
        Ok(())
    }
}

impl File {
    /// Variables take over what their types say, but for flags they deny.
    fn inherit_types(&mut self) {
        self.description.inherit_types();
        deny_flags(&mut self.description.variables, &self.variables.absolute, &self.variables.bounded);
    }
}

/// Takes back flags of types that variables say they have not: `relativeQuantity` of some, `unbounded` of others.
pub(super) fn deny_flags(variables: &mut [Variable], absolute: &[usize], bounded: &[usize]) {
    let mut deny = |positions: &[usize], flag: fn(&mut RealAttributes) -> &mut bool| {
        for at in positions {
            if let Kind::Real(a) = &mut variables[*at].kind {
                *flag(a) = false;
            }
        }
    };
    deny(absolute, |a| &mut a.relative_quantity);
    deny(bounded, |a| &mut a.unbounded);
}

fn checked(list: Vec<Placed>, count: usize, name: &str) -> Result<Vec<Unknown>, ReadError> {
    let mut seen = HashMap::with_capacity(list.len());
    for (unknown, line) in &list {
        in_range(unknown.index, count, *line, || format!("index of `{name}`"))?;
        if let Some(before) = seen.insert(unknown.index, *line) {
            let found = format!("index {} of `{name}` again (first in line {before})", unknown.index + 1);
            return refuse(*line, found, "each variable once");
        }
        if let Dependencies::Known(known) = &unknown.dependencies {
            for (index, _) in known {
                in_range(*index, count, *line, || format!("dependency in `{name}`"))?;
            }
        }
    }
    Ok(list.into_iter().map(|(unknown, _)| unknown).collect())
}

/// `index` counts from 0; messages count from 1, as the file does.
fn in_range(index: usize, count: usize, line: u32, what: impl FnOnce() -> String) -> Result<(), ReadError> {
    if index < count {
        return Ok(());
    }
    refuse(line, format!("{} {}", what(), index + 1), format!("1 to {count}, the number of variables"))
}
