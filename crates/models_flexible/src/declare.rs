//! Parts that the declarations of these models share.

use macrostep_description::{Builder, CoSimulation, Declared, VariableId};
use macrostep_slave::{Fault, capabilities};

/// A builder with units, capabilities and the hash of the data.
pub(crate) fn builder(identifier: &str, about: &str, units: &[&str], hash: Option<&str>) -> Builder {
    let mut b = macrostep_slave::builder(identifier, about);
    b.si_units(units);
    b.capabilities(CoSimulation {
        can_handle_variable_communication_step_size: true,
        can_interpolate_inputs: true,
        max_output_derivative_order: 1,
        ..capabilities()
    });
    if let Some(hash) = hash {
        b.annotate("data", hash);
    }
    b
}

/// Three variables `name[1]` … `name[3]`.
pub(crate) fn vector(b: &mut Builder, make: impl Fn(&str) -> Declared, name: &str) -> [VariableId; 3] {
    [1, 2, 3].map(|i| b.add(make(&format!("{name}[{i}]"))))
}

/// The description.
pub(crate) fn finish(b: Builder) -> Result<macrostep_description::ModelDescription, Fault> {
    b.finish().map_err(|e| Fault::Declaration(e.to_string()))
}

/// The refusal of a directional derivative.
#[cold]
pub(crate) fn no_derivative(memory: &macrostep_slave::Memory, unknown: u32, known: &[u32]) -> Fault {
    let name = |r: u32| format!("value reference {r}");
    Fault::NotDifferentiable {
        unknown: name(unknown),
        known: known.first().map(|k| name(*k)).unwrap_or_default(),
        phase: memory.phase,
    }
}
