//! What the declarations of these models share.

use macrostep_description::{BaseUnit, Builder, CoSimulation, Declared, VariableId};
use macrostep_slave::Fault;

/// Exponents of kg, m and s.
const fn base(kg: i32, m: i32, s: i32) -> BaseUnit {
    BaseUnit { kg, m, s, a: 0, k: 0, mol: 0, cd: 0, rad: 0, factor: 1.0, offset: 0.0 }
}

const UNITS: [(&str, BaseUnit); 13] = [
    ("s", base(0, 0, 1)),
    ("1/s", base(0, 0, -1)),
    ("m", base(0, 1, 0)),
    ("m/s", base(0, 1, -1)),
    ("m/s2", base(0, 1, -2)),
    ("kg", base(1, 0, 0)),
    ("N", base(1, 1, -2)),
    ("N.m", base(1, 2, -2)),
    ("N/m", base(1, 0, -2)),
    ("N.s/m", base(1, 0, -1)),
    ("rad", BaseUnit { rad: 1, ..base(0, 0, 0) }),
    ("rad/s", BaseUnit { rad: 1, ..base(0, 0, -1) }),
    ("W", base(1, 2, -3)),
];

/// The unit of temperature.
const KELVIN: BaseUnit = BaseUnit { k: 1, ..base(0, 0, 0) };

/// Exponents of a unit of these models.
pub(crate) fn unit(name: &str) -> Option<BaseUnit> {
    if name == "K" {
        return Some(KELVIN);
    }
    UNITS.iter().find(|(known, _)| *known == name).map(|(_, base)| *base)
}

/// A builder with units, capabilities, log categories and the hash of the data.
pub(crate) fn builder(identifier: &str, about: &str, units: &[&str], hash: Option<&str>) -> Builder {
    let mut b = Builder::new(identifier, about);
    b.version(env!("CARGO_PKG_VERSION"));
    for (name, base) in units.iter().filter_map(|name| unit(name).map(|base| (name, base))) {
        b.unit(name, base);
    }
    b.capabilities(CoSimulation {
        can_handle_variable_communication_step_size: true,
        can_interpolate_inputs: true,
        max_output_derivative_order: 1,
        can_not_use_memory_management_functions: true,
        can_get_and_set_fmu_state: true,
        can_serialize_fmu_state: true,
        provides_directional_derivative: true,
        ..CoSimulation::default()
    });
    b.log_category("logStatusError", "Calls that failed");
    b.log_category("logStatusDiscard", "Calls that were refused and changed nothing");
    b.log_category("logStatusFatal", "Failures that ended an instance");
    b.log_category("logEvents", "Set-up, initialisation, reset and termination");
    b.annotate("getAfterSet", "true");
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
