//! A description of FMI 3.0, read into the values of FMI 2.0 (FMI 3.0.2, sections 2.4 and 4.4).

mod elements;
mod structure;
mod terminals;
mod variables;
mod write;

pub use terminals::read_terminals;
pub use write::write_3;

use super::ReadError;
use super::cursor::Cursor;
use super::element::{Element, unknown};
use super::finding::{quoted, refuse};
use super::read::Reading;
use super::{header, units};
use crate::{CoSimulation, Fmi3, ModelDescription, ModelExchange, Naming, TypeDefinition};
use elements::Elements;
use variables::Raw;

/// Whether the root of a file says that it is of FMI 3.0; corrections of it, as 3.0.2, count as that.
pub(super) fn is_of(root: &Element<'_>) -> bool {
    root.name == "fmiModelDescription"
        && root.look("fmiVersion").is_some_and(|v| v.trim() == "3.0" || v.trim().starts_with("3.0."))
}

/// Parts of a description.
const PARTS: [&str; 10] = [
    "CoSimulation",
    "ModelExchange",
    "ScheduledExecution",
    "UnitDefinitions",
    "TypeDefinitions",
    "LogCategories",
    "DefaultExperiment",
    "Annotations",
    "ModelVariables",
    "ModelStructure",
];

/// What has been read so far.
#[derive(Default)]
struct File {
    description: ModelDescription,
    fmi3: Fmi3,
    variables: Vec<Raw>,
    /// Value references of clocks, which are no variables here.
    clocks: Vec<u32>,
    structure: structure::Lists,
    /// Parts that have begun, with their lines.
    parts: Vec<(&'static str, u32)>,
}

/// Reads a file whose root has begun; without warnings.
pub(super) fn read(cursor: &mut Cursor<'_>, mut e: Element<'_>) -> Result<Reading, ReadError> {
    let mut file = File::default();
    let d = &mut file.description;
    d.fmi_version = e.required("fmiVersion")?;
    d.model_name = e.required("modelName")?;
    d.guid = e.required("instantiationToken")?;
    d.description = e.text("description");
    d.author = e.text("author");
    d.version = e.text("version");
    d.copyright = e.text("copyright");
    d.license = e.text("license");
    d.generation_tool = e.text("generationTool");
    d.generation_date_and_time = e.text("generationDateAndTime");
    let namings = [("flat", Naming::Flat), ("structured", Naming::Structured)];
    d.naming = e.word("variableNamingConvention", &namings)?.unwrap_or_default();
    e.done(&mut cursor.warnings);
    // Parts in the order of the file.
    while let Some(start) = cursor.child()? {
        file.part(cursor, Element::new(&start)?)?;
    }
    // What needs all of them: elements of arrays, references to variables, types.
    let File { mut description, mut fmi3, variables, clocks, structure, .. } = file;
    let Elements { variables, places, lines, of, absolute, bounded } = Elements::of(variables, &mut cursor.warnings)?;
    (description.variables, fmi3.places) = (variables, places);
    fmi3.has_clocks = !clocks.is_empty();
    description.event_indicators = structure.event_indicators;
    description.structure = structure.resolved(&of, &clocks)?;
    if let Some(c) = &mut description.co_simulation {
        c.can_interpolate_inputs =
            fmi3.provides_intermediate_update && has_intermediate_input(&description.variables, &fmi3);
    }
    description.fmi3 = Some(fmi3);
    description.inherit_types();
    super::read::deny_flags(&mut description.variables, &absolute, &bounded);
    Ok(Reading { description, warnings: Vec::new(), variable_lines: lines })
}

/// Whether some continuous input can be set inside a step.
fn has_intermediate_input(variables: &[crate::Variable], fmi3: &Fmi3) -> bool {
    let is_input = |v: &crate::Variable| v.causality == crate::Causality::Input && v.real().is_some();
    variables.iter().zip(&fmi3.places).any(|(v, place)| is_input(v) && place.is_intermediate)
}

impl File {
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
            "CoSimulation" => d.co_simulation = Some(co_simulation(cursor, e, &mut self.fmi3)?),
            "ModelExchange" => d.model_exchange = Some(model_exchange(cursor, e)?),
            "ScheduledExecution" => {
                self.fmi3.has_scheduled_execution = true;
                cursor.skip()?;
            }
            "UnitDefinitions" => d.units = units::units(cursor)?,
            "TypeDefinitions" => d.types = types(cursor)?,
            "LogCategories" => d.log_categories = header::log_categories(cursor)?,
            "DefaultExperiment" => d.default_experiment = Some(header::default_experiment(cursor, e)?),
            "Annotations" => d.vendor_annotations = header::annotations(cursor, ["Annotations", "Annotation", "type"])?,
            "ModelVariables" => variables::variables(cursor, &mut self.variables, &mut self.clocks)?,
            "ModelStructure" => self.structure = structure::lists(cursor)?,
            _ => unknown(cursor, &e, "fmiModelDescription")?,
        }
        Ok(())
    }
}

/// `CoSimulation` (FMI 3.0.2, sections 2.4.2 and 4.4).
fn co_simulation(cursor: &mut Cursor<'_>, mut e: Element<'_>, fmi3: &mut Fmi3) -> Result<CoSimulation, ReadError> {
    let w = &mut cursor.warnings;
    let c = CoSimulation {
        model_identifier: e.required("modelIdentifier")?,
        needs_execution_tool: e.flag("needsExecutionTool", w)?,
        can_handle_variable_communication_step_size: e.flag("canHandleVariableCommunicationStepSize", w)?,
        // Known when the variables are.
        can_interpolate_inputs: false,
        max_output_derivative_order: e.number("maxOutputDerivativeOrder", "an integer ≥ 0")?.unwrap_or(0),
        can_run_asynchronuously: false,
        can_be_instantiated_only_once_per_process: e.flag("canBeInstantiatedOnlyOncePerProcess", w)?,
        can_not_use_memory_management_functions: false,
        can_get_and_set_fmu_state: e.flag("canGetAndSetFMUState", w)?,
        can_serialize_fmu_state: e.flag("canSerializeFMUState", w)?,
        provides_directional_derivative: e.flag("providesDirectionalDerivatives", w)?,
        source_files: Vec::new(),
    };
    fmi3.has_event_mode = e.flag("hasEventMode", w)?;
    fmi3.provides_intermediate_update = e.flag("providesIntermediateUpdate", w)?;
    // What is of no concern here: steps go on after an early return, and nobody asks for one.
    e.ignore(&[
        "mightReturnEarlyFromDoStep",
        "canReturnEarlyAfterIntermediateUpdate",
        "fixedInternalStepSize",
        "recommendedIntermediateInputSmoothness",
        "providesAdjointDerivatives",
        "providesPerElementDependencies",
        "providesEvaluateDiscreteStates",
    ]);
    e.done(w);
    cursor.skip()?;
    Ok(c)
}

/// `ModelExchange`, of which only is told that it is there.
fn model_exchange(cursor: &mut Cursor<'_>, mut e: Element<'_>) -> Result<ModelExchange, ReadError> {
    let model_identifier = e.required("modelIdentifier")?;
    cursor.skip()?;
    Ok(ModelExchange { model_identifier, ..ModelExchange::default() })
}

/// `TypeDefinitions`: `Float64Type` and the like.
fn types(cursor: &mut Cursor<'_>) -> Result<Vec<TypeDefinition>, ReadError> {
    let mut types: Vec<TypeDefinition> = Vec::new();
    let mut seen = std::collections::HashMap::new();
    while let Some(start) = cursor.child()? {
        let mut e = Element::new(&start)?;
        let native = variables::native(e.name.strip_suffix("Type").unwrap_or_default());
        // Clocks are no variables here.
        if matches!(e.name, "ClockType" | "Annotations") {
            cursor.skip()?;
            continue;
        }
        let Some(native) = native else {
            unknown(cursor, &e, "TypeDefinitions")?;
            continue;
        };
        let (name, description) = (e.required("name")?, e.text("description"));
        if let Some(before) = seen.insert(name.clone(), e.line) {
            return refuse(e.line, format!("type {} again (first in line {before})", quoted(&name)), "unique names");
        }
        let mut kind = variables::kind(&mut e, native, &mut cursor.warnings)?.kind;
        e.done(&mut cursor.warnings);
        // Items of an enumeration.
        while let Some(inner) = cursor.child()? {
            let inner = Element::new(&inner)?;
            match &mut kind {
                _ if inner.name == "Annotations" => cursor.skip()?,
                crate::Kind::Enumeration { items, .. } if inner.name == "Item" => {
                    items.push(super::variables::item(cursor, inner)?);
                }
                _ => unknown(cursor, &inner, "a type")?,
            }
        }
        types.push(TypeDefinition { name, description, kind });
    }
    Ok(types)
}
