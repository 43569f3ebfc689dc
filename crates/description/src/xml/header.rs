//! The parts of the file that are neither units, variables nor structure.

use super::ReadError;
use super::cursor::Cursor;
use super::element::{Element, unknown};
use super::finding::{quoted, refuse};
use super::variables::{Holder, kind};
use crate::{CoSimulation, DefaultExperiment, LogCategory, ModelExchange, TypeDefinition, VendorAnnotation};

/// `CoSimulation` (FMI 2.0.5, section 4.3.1).
pub(super) fn co_simulation(cursor: &mut Cursor<'_>, mut e: Element<'_>) -> Result<CoSimulation, ReadError> {
    // Capabilities; those that are missing are false or 0.
    let w = &mut cursor.warnings;
    let mut c = CoSimulation {
        model_identifier: e.required("modelIdentifier")?,
        needs_execution_tool: e.flag("needsExecutionTool", w)?,
        can_handle_variable_communication_step_size: e.flag("canHandleVariableCommunicationStepSize", w)?,
        can_interpolate_inputs: e.flag("canInterpolateInputs", w)?,
        max_output_derivative_order: e.number("maxOutputDerivativeOrder", "an integer ≥ 0")?.unwrap_or(0),
        can_run_asynchronuously: e.flag("canRunAsynchronuously", w)?,
        can_be_instantiated_only_once_per_process: e.flag("canBeInstantiatedOnlyOncePerProcess", w)?,
        can_not_use_memory_management_functions: e.flag("canNotUseMemoryManagementFunctions", w)?,
        can_get_and_set_fmu_state: e.flag("canGetAndSetFMUstate", w)?,
        can_serialize_fmu_state: e.flag("canSerializeFMUstate", w)?,
        provides_directional_derivative: e.flag("providesDirectionalDerivative", w)?,
        source_files: Vec::new(),
    };
    // The sources of an FMU with code.
    e.done(w);
    while let Some(start) = cursor.child()? {
        let child = Element::new(&start)?;
        if child.name == "SourceFiles" {
            let list = List { parent: "SourceFiles", child: "File", rule: "source-files" };
            named(cursor, &list, |name, _| c.source_files.push(name))?;
        } else {
            unknown(cursor, &child, "CoSimulation")?;
        }
    }
    Ok(c)
}

/// `ModelExchange` (FMI 2.0.5, section 3.3.1).
pub(super) fn model_exchange(cursor: &mut Cursor<'_>, mut e: Element<'_>) -> Result<ModelExchange, ReadError> {
    let w = &mut cursor.warnings;
    let m = ModelExchange {
        model_identifier: e.required("modelIdentifier")?,
        needs_execution_tool: e.flag("needsExecutionTool", w)?,
        completed_integrator_step_not_needed: e.flag("completedIntegratorStepNotNeeded", w)?,
        can_be_instantiated_only_once_per_process: e.flag("canBeInstantiatedOnlyOncePerProcess", w)?,
        can_not_use_memory_management_functions: e.flag("canNotUseMemoryManagementFunctions", w)?,
        can_get_and_set_fmu_state: e.flag("canGetAndSetFMUstate", w)?,
        can_serialize_fmu_state: e.flag("canSerializeFMUstate", w)?,
        provides_directional_derivative: e.flag("providesDirectionalDerivative", w)?,
    };
    // Its sources are of no concern here.
    e.done(w);
    cursor.skip()?;
    Ok(m)
}

/// `TypeDefinitions`.
pub(super) fn types(cursor: &mut Cursor<'_>) -> Result<Vec<TypeDefinition>, ReadError> {
    let mut types: Vec<TypeDefinition> = Vec::new();
    let mut seen = std::collections::HashMap::new();
    while let Some(start) = cursor.child()? {
        let mut e = Element::new(&start)?;
        if e.name != "SimpleType" {
            unknown(cursor, &e, "TypeDefinitions")?;
            continue;
        }
        // A name of its own.
        let (name, description) = (e.required("name")?, e.text("description"));
        if let Some(before) = seen.insert(name.clone(), e.line) {
            return refuse(e.line, format!("type {} again (first in line {before})", quoted(&name)), "unique names");
        }
        let line = e.line;
        e.done(&mut cursor.warnings);
        // One element inside says what type it is.
        let mut found = None;
        while let Some(inner) = cursor.child()? {
            let inner = Element::new(&inner)?;
            match kind(cursor, inner, Holder::Type)? {
                Some(typed) if found.is_none() => found = Some(typed.kind),
                Some(_) => return refuse(line, format!("type {} with two elements", quoted(&name)), "one"),
                None => {}
            }
        }
        match found {
            Some(kind) => types.push(TypeDefinition { name, description, kind }),
            None => {
                return refuse(line, format!("type {} without an element", quoted(&name)), "`Real` or another type");
            }
        }
    }
    Ok(types)
}

/// `LogCategories`.
pub(super) fn log_categories(cursor: &mut Cursor<'_>) -> Result<Vec<LogCategory>, ReadError> {
    let mut categories = Vec::new();
    let list = List { parent: "LogCategories", child: "Category", rule: "log-categories" };
    named(cursor, &list, |name, description| categories.push(LogCategory { name, description }))?;
    Ok(categories)
}

/// `DefaultExperiment`.
pub(super) fn default_experiment(cursor: &mut Cursor<'_>, mut e: Element<'_>) -> Result<DefaultExperiment, ReadError> {
    let experiment = DefaultExperiment {
        start_time: e.real("startTime")?,
        stop_time: e.real("stopTime")?,
        tolerance: e.real("tolerance")?,
        step_size: e.real("stepSize")?,
    };
    e.done(&mut cursor.warnings);
    cursor.skip()?;
    Ok(experiment)
}

/// `VendorAnnotations`, or the like under the names of list, element and attribute: of each tool, the attributes of the processing
/// instruction or of the first element inside. What else stands in that element is the tool's own affair.
pub(super) fn annotations(
    cursor: &mut Cursor<'_>,
    [list, element, key]: [&'static str; 3],
) -> Result<Vec<VendorAnnotation>, ReadError> {
    let mut annotations = Vec::new();
    while let Some(start) = cursor.child()? {
        // Each tool by name.
        let mut e = Element::new(&start)?;
        if e.name != element {
            unknown(cursor, &e, list)?;
            continue;
        }
        let tool = e.required(key)?;
        e.done(&mut cursor.warnings);
        // The first element or instruction of the tool; further ones are told.
        let mut attributes = None;
        while let Some(inner) = cursor.child_or_instruction()? {
            let inner = Element::new(&inner)?;
            if attributes.is_some() {
                let found = || format!("a further element `{}` of tool {}", inner.name, quoted(&tool));
                cursor.warnings.push(inner.line, found, "one element a tool");
            } else {
                attributes = Some(inner.rest());
            }
            cursor.skip()?;
        }
        annotations.push(VendorAnnotation { tool, attributes: attributes.unwrap_or_default() });
    }
    Ok(annotations)
}

/// A list of elements with `name` and `description`.
struct List {
    parent: &'static str,
    child: &'static str,
    /// What wants its names to be unique.
    rule: &'static str,
}

/// Reads such a list; a name that was there before is noted and left out.
fn named(cursor: &mut Cursor<'_>, list: &List, mut each: impl FnMut(String, Option<String>)) -> Result<(), ReadError> {
    let mut seen = std::collections::HashSet::new();
    while let Some(start) = cursor.child()? {
        let mut e = Element::new(&start)?;
        if e.name != list.child {
            unknown(cursor, &e, list.parent)?;
            continue;
        }
        let (name, description) = (e.required("name")?, e.text("description"));
        if seen.insert(name.clone()) {
            each(name, description);
        } else {
            let found = || format!("{} again in `{}`", quoted(&name), list.parent);
            cursor.warnings.of_rule(list.rule, e.line, found, "unique names");
        }
        e.done(&mut cursor.warnings);
        cursor.skip()?;
    }
    Ok(())
}
