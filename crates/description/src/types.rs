//! The description as a whole.

use crate::{Causality, Dependencies, Fmi3, Unit, Value, Variable};

/// The content of `modelDescription.xml` of an FMU for co-simulation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelDescription {
    /// `fmiVersion`, "2.0" for ours.
    pub fmi_version: String,
    /// `modelName`, for people.
    pub model_name: String,
    /// `guid`; ours is a hash of everything else here, see [`crate::guid_of`].
    pub guid: String,
    /// `description`, one sentence.
    pub description: Option<String>,
    /// `author`.
    pub author: Option<String>,
    /// `version` of the model.
    pub version: Option<String>,
    /// `copyright`.
    pub copyright: Option<String>,
    /// `license`, an SPDX expression.
    pub license: Option<String>,
    /// `generationTool`.
    pub generation_tool: Option<String>,
    /// `generationDateAndTime`, as written.
    pub generation_date_and_time: Option<String>,
    /// `variableNamingConvention`.
    pub naming: Naming,
    /// The `CoSimulation` element; `None` for an FMU that offers model exchange only.
    pub co_simulation: Option<CoSimulation>,
    /// The `ModelExchange` element; `None` for an FMU that offers co-simulation only.
    pub model_exchange: Option<ModelExchange>,
    /// `numberOfEventIndicators`, of model exchange.
    pub event_indicators: usize,
    /// `UnitDefinitions`.
    pub units: Vec<Unit>,
    /// `TypeDefinitions`.
    pub types: Vec<TypeDefinition>,
    /// `LogCategories`.
    pub log_categories: Vec<LogCategory>,
    /// `DefaultExperiment`.
    pub default_experiment: Option<DefaultExperiment>,
    /// `VendorAnnotations`.
    pub vendor_annotations: Vec<VendorAnnotation>,
    /// `ModelVariables`, in the order of the file: indices of [`ModelStructure`] are positions in it, from 0.
    pub variables: Vec<Variable>,
    /// `ModelStructure`.
    pub structure: ModelStructure,
    /// What only FMI 3.0 has; `None` for FMI 2.0.
    pub fmi3: Option<Fmi3>,
}

/// The name of [`ModelDescription::dense_nodes`].
pub const DENSE_NODES: &str = "dense_nodes";

impl ModelDescription {
    /// The variable of this name, a linear search: look up once, before a run.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|v| v.name == name)
    }

    /// The parameter that says how many nodes inside a step a slave with dense output has.
    pub fn dense_nodes(&self) -> Option<&Variable> {
        self.variable(DENSE_NODES).filter(|v| v.causality == Causality::Parameter)
    }
}

/// `variableNamingConvention`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    /// Names are any strings.
    #[default]
    Flat,
    /// Names follow the grammar of structured names (FMI 2.0.5, section 2.2.9).
    Structured,
}

/// The `CoSimulation` element: name of the library and capabilities.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(missing_docs)] // the attributes of FMI 2.0.5, section 4.3.1, under their names there
pub struct CoSimulation {
    pub model_identifier: String,
    pub needs_execution_tool: bool,
    pub can_handle_variable_communication_step_size: bool,
    pub can_interpolate_inputs: bool,
    pub max_output_derivative_order: u32,
    pub can_run_asynchronuously: bool,
    pub can_be_instantiated_only_once_per_process: bool,
    pub can_not_use_memory_management_functions: bool,
    pub can_get_and_set_fmu_state: bool,
    pub can_serialize_fmu_state: bool,
    pub provides_directional_derivative: bool,
    pub source_files: Vec<String>,
}

/// The `ModelExchange` element: name of the library and capabilities.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(missing_docs)] // the attributes of FMI 2.0.5, section 3.3.1, under their names there
pub struct ModelExchange {
    pub model_identifier: String,
    pub needs_execution_tool: bool,
    pub completed_integrator_step_not_needed: bool,
    pub can_be_instantiated_only_once_per_process: bool,
    pub can_not_use_memory_management_functions: bool,
    pub can_get_and_set_fmu_state: bool,
    pub can_serialize_fmu_state: bool,
    pub provides_directional_derivative: bool,
}

/// A `SimpleType` of `TypeDefinitions`.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDefinition {
    /// `name`, unique among the types.
    pub name: String,
    /// `description`.
    pub description: Option<String>,
    /// The element inside, with its attributes as defaults of the variables that name this type.
    pub kind: crate::Kind,
}

/// A log category a user can switch on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogCategory {
    /// `name`.
    pub name: String,
    /// `description`.
    pub description: Option<String>,
}

/// `DefaultExperiment`, in seconds where not dimensionless.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DefaultExperiment {
    /// `startTime` (s).
    pub start_time: Option<f64>,
    /// `stopTime` (s).
    pub stop_time: Option<f64>,
    /// `tolerance`, relative.
    pub tolerance: Option<f64>,
    /// `stepSize` (s).
    pub step_size: Option<f64>,
}

/// An annotation of a tool in `VendorAnnotations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorAnnotation {
    /// `name` of the tool.
    pub tool: String,
    /// Pairs of attribute and value of the first element inside; ours keeps its flags there.
    pub attributes: Vec<(String, String)>,
}

/// `ModelStructure`. Indices count from 0 here, from 1 in the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelStructure {
    /// `Outputs`.
    pub outputs: Vec<Unknown>,
    /// `Derivatives`.
    pub derivatives: Vec<Unknown>,
    /// `InitialUnknowns`.
    pub initial_unknowns: Vec<Unknown>,
}

/// An unknown of `ModelStructure` with its dependencies.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// Position in [`ModelDescription::variables`].
    pub index: usize,
    /// Its dependencies.
    pub dependencies: Dependencies,
}

impl Value {
    /// The real number, if it is one.
    pub fn as_real(&self) -> Option<f64> {
        match self {
            Value::Real(x) => Some(*x),
            _ => None,
        }
    }
}
