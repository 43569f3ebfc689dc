//! What the declarations share: units, capabilities, log categories.

use macrostep_description::{BaseUnit, Builder, CoSimulation, Declared, DependencyKind, VariableId};

/// Exponents of kg, m and s.
const fn base(kg: i32, m: i32, s: i32) -> BaseUnit {
    BaseUnit { kg, m, s, a: 0, k: 0, mol: 0, cd: 0, rad: 0, factor: 1.0, offset: 0.0 }
}

const UNITS: [(&str, BaseUnit); 9] = [
    ("s", base(0, 0, 1)),
    ("kg", base(1, 0, 0)),
    ("m", base(0, 1, 0)),
    ("m/s", base(0, 1, -1)),
    ("m/s2", base(0, 1, -2)),
    ("N", base(1, 1, -2)),
    ("1/kg", base(-1, 0, 0)),
    ("J", base(1, 2, -2)),
    ("Pa", base(1, -1, -2)),
];

/// A builder with units, log categories and capabilities; `any_step` says whether the communication step may vary.
pub(crate) fn builder(identifier: &str, about: &str, any_step: bool, interpolates: bool) -> Builder {
    let mut b = Builder::new(identifier, about);
    b.version(env!("CARGO_PKG_VERSION"));
    for (name, base) in UNITS {
        b.unit(name, base);
    }
    b.unit("rad", BaseUnit { rad: 1, ..base(0, 0, 0) });
    b.unit("rad/s", BaseUnit { rad: 1, ..base(0, 0, -1) });
    b.capabilities(CoSimulation {
        can_handle_variable_communication_step_size: any_step,
        can_interpolate_inputs: interpolates,
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
    b
}

/// Names `name[1]` … `name[r]`.
pub(crate) fn vector(name: &str, r: usize) -> Vec<String> {
    (1..=r).map(|i| format!("{name}[{i}]")).collect()
}

/// Names of the lower triangle by rows, `name[1,1]`, `name[2,1]`, `name[2,2]`, …
pub(crate) fn packed(name: &str, r: usize) -> Vec<String> {
    (1..=r).flat_map(|i| (1..=i).map(move |j| (i, j))).map(|(i, j)| format!("{name}[{i},{j}]")).collect()
}

/// Adds a continuous output for each name, with these dependencies while running and at initialisation; an empty unit is
/// none.
pub(crate) fn outputs(
    b: &mut Builder,
    names: &[String],
    look: (&str, &str),
    on: &[(VariableId, DependencyKind)],
    initially: &[VariableId],
) -> Vec<VariableId> {
    let (unit, about) = look;
    let declare = |name: &String| {
        let declared = Declared::output(name).about(about).depends(on).initially(initially);
        if unit.is_empty() { declared } else { declared.unit(unit) }
    };
    let list: Vec<Declared> = names.iter().map(declare).collect();
    list.into_iter().map(|declared| b.add(declared)).collect()
}

/// Adds an input for each name.
pub(crate) fn inputs(b: &mut Builder, names: &[String], start: f64, look: (&str, &str)) -> Vec<VariableId> {
    names.iter().map(|name| b.add(Declared::input(name, start).unit(look.0).about(look.1))).collect()
}
