//! Parts that the declarations share: units and capabilities.

use macrostep_description::{Builder, CoSimulation, Declared, VariableId};
use macrostep_slave::capabilities;

const UNITS: [&str; 15] =
    ["s", "kg", "m", "m/s", "m/s2", "N", "1/kg", "J", "Pa", "rad", "rad/s", "m2", "m3", "N.s/m", "m3/(s.Pa)"];

/// A builder with units and capabilities; `any_step` says whether the communication step may vary.
pub(crate) fn builder(identifier: &str, about: &str, any_step: bool, interpolates: bool) -> Builder {
    let mut b = macrostep_slave::builder(identifier, about);
    b.si_units(&UNITS);
    b.capabilities(CoSimulation {
        can_handle_variable_communication_step_size: any_step,
        can_interpolate_inputs: interpolates,
        ..capabilities()
    });
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

/// Adds a continuous output for each name, that follows no input at once while it runs, and these variables at initialisation; an empty
/// unit is none.
pub(crate) fn outputs(
    b: &mut Builder,
    names: &[String],
    look: (&str, &str),
    initially: &[VariableId],
) -> Vec<VariableId> {
    let (unit, about) = look;
    let declare = |name: &String| {
        let declared = Declared::output(name).about(about).depends(&[]).initially(initially);
        if unit.is_empty() { declared } else { declared.unit(unit) }
    };
    let list: Vec<Declared> = names.iter().map(declare).collect();
    list.into_iter().map(|declared| b.add(declared)).collect()
}

/// Adds an input for each name.
pub(crate) fn inputs(b: &mut Builder, names: &[String], start: f64, look: (&str, &str)) -> Vec<VariableId> {
    names.iter().map(|name| b.add(Declared::input(name, start).unit(look.0).about(look.1))).collect()
}
