//! An FMU as one of its [faces](Face).

use std::sync::{Arc, Mutex};

use macrostep_description::{
    Causality, CoSimulation, DENSE_NODES, Kind, ModelDescription, ModelExchange, Variability, VendorAnnotation,
};
use macrostep_fmi2 as abi;

use super::library::Loaded;
use crate::Face;

impl Face {
    /// `fmuType`.
    pub(super) fn kind(self) -> abi::Type {
        match self {
            Face::CoSimulation => abi::CO_SIMULATION,
            Face::ModelExchange => abi::MODEL_EXCHANGE,
        }
    }
}

/// An FMU as it is seen by one of its faces.
pub(super) struct Driven {
    /// What it declares; of model exchange with the capabilities that it has here.
    pub(super) description: Arc<ModelDescription>,
    pub(super) co_simulation: CoSimulation,
    pub(super) library: Mutex<Option<Arc<Loaded>>>,
    /// The same of an FMU of FMI 3.0.
    pub(super) library_3: Mutex<Option<Arc<Loaded<macrostep_fmi3::Functions>>>>,
}

impl Driven {
    /// By this face, where the FMU has it.
    pub(super) fn new(description: &Arc<ModelDescription>, face: Face) -> Option<Arc<Driven>> {
        let (description, co_simulation) = match face {
            Face::CoSimulation => (Arc::clone(description), description.co_simulation.clone()?),
            // Equations of FMI 3.0 are not integrated here.
            Face::ModelExchange if description.fmi3.is_some() => return None,
            Face::ModelExchange => {
                let co_simulation = capabilities(description, description.model_exchange.as_ref()?);
                let mut description =
                    ModelDescription { co_simulation: Some(co_simulation.clone()), ..(**description).clone() };
                // Dense output lies inside the FMU's own steps, and there are none.
                for v in description.variables.iter_mut().filter(|v| v.name == DENSE_NODES) {
                    v.causality = Causality::Local;
                }
                // Equations are evaluated at any instant, so that outputs are those of the inputs that were set last, without a step between.
                description.vendor_annotations.push(VendorAnnotation {
                    tool: face.word().to_owned(),
                    attributes: vec![("getAfterSet".to_owned(), "true".to_owned())],
                });
                (Arc::new(description), co_simulation)
            }
        };
        Some(Arc::new(Driven { description, co_simulation, library: Mutex::new(None), library_3: Mutex::new(None) }))
    }
}

/// What a unit can do whose equations are integrated here.
fn capabilities(d: &ModelDescription, m: &ModelExchange) -> CoSimulation {
    let keeps = m.can_get_and_set_fmu_state || is_smooth(d);
    CoSimulation {
        model_identifier: m.model_identifier.clone(),
        needs_execution_tool: m.needs_execution_tool,
        can_handle_variable_communication_step_size: true,
        can_interpolate_inputs: true,
        max_output_derivative_order: 0,
        can_run_asynchronuously: false,
        can_be_instantiated_only_once_per_process: m.can_be_instantiated_only_once_per_process,
        can_not_use_memory_management_functions: m.can_not_use_memory_management_functions,
        can_get_and_set_fmu_state: keeps,
        can_serialize_fmu_state: keeps && (m.can_serialize_fmu_state || is_smooth(d)),
        provides_directional_derivative: m.provides_directional_derivative,
        source_files: Vec::new(),
    }
}

/// Whether time, states and inputs are all that an FMU for model exchange has to remember, as far as it declares it: no event indicators and no
/// discrete variables.
pub(super) fn is_smooth(d: &ModelDescription) -> bool {
    let discrete =
        |v: &macrostep_description::Variable| v.variability == Variability::Discrete && !matches!(v.kind, Kind::String);
    d.event_indicators == 0 && !d.variables.iter().any(discrete)
}
