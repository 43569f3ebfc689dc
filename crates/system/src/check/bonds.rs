//! Power bonds against the variables of their ports.
//!
//! A term `gain · input · flow` is a power in W where all three are in coherent units of SI; what an FMU declares in other
//! units is converted.

use super::units::{base, exponents};
use super::values::causality;
use super::{Converted, Declared, convert, near, type_name};
use crate::finding::Finding;
use crate::scenario::{Bond, Endpoint, Gain, Names, Port};
use macrostep_description::{Causality, ModelDescription, Value, Variable};
use std::collections::BTreeSet;

/// Exponents of kg, m, s, A, K, mol, cd of the watt.
pub(crate) const WATT: [i32; 7] = [1, 2, -3, 0, 0, 0, 0];

pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    let fed: BTreeSet<&Endpoint> = d.scenario.targets().map(|(to, _)| to).collect();
    for (b, bond) in d.scenario.bonds.iter().enumerate() {
        if d.scenario.bonds[..b].iter().any(|other| other.name == bond.name) {
            let what = format!("the name `{}` of a power bond twice", bond.name);
            findings.push(Finding::error(&bond.place, what, "rename one of them"));
        }
        if bond.ports.len() < 2 {
            let what = format!("power bond `{}` has {} ports, expected two or more", bond.name, bond.ports.len());
            findings.push(Finding::error(&bond.place, what, "name a port of each unit that exchanges power"));
        }
        for port in &bond.ports {
            self::port(d, bond, port, &fed, findings);
        }
    }
}

fn port(d: &Declared<'_>, bond: &Bond, port: &Port, fed: &BTreeSet<&Endpoint>, findings: &mut Vec<Finding>) {
    let mut fail = |what: String, next: &str| {
        findings.push(Finding::error(&port.place, format!("power bond `{}`: {what}", bond.name), next));
    };
    // The flow is a real output. Where the unit's description is missing, that has been told already.
    let flow = match d.variable(&port.flow) {
        Ok(None) => return,
        Ok(Some(v)) => v,
        // A unit or variable that is not there.
        Err(what) => return fail(what, ""),
    };
    if flow.real().is_none() || !matches!(flow.causality, Causality::Output | Causality::Local) {
        let what = format!("flow `{}` is {} and {}", port.flow, type_name(flow), causality(flow.causality));
        return fail(format!("{what}, expected a real output"), "the unit's velocity, current or flow rate");
    }
    // Each input is a real one of the flow's unit, which something feeds: else it has no power.
    if port.inputs.is_empty() {
        fail(format!("no input beside flow `{}`", port.flow), "write inputs = { f = 1.0 }");
    }
    let mut notes = Vec::new();
    for (name, gain) in &port.inputs {
        let end = Endpoint { unit: port.flow.unit.clone(), variable: name.clone() };
        // The input; one that is not there is told, and the others are looked at.
        let input = match d.variable(&end) {
            Ok(None) => return,
            Ok(Some(v)) => v,
            Err(what) => {
                fail(what, "");
                continue;
            }
        };
        // What it is, and whether anything feeds it.
        if input.real().is_none() || input.causality != Causality::Input {
            let what = format!("`{end}` is {} and {}", type_name(input), causality(input.causality));
            fail(format!("{what}, expected a real input"), "inputs of the flow's unit");
        } else if !fed.contains(&end) {
            fail(format!("input `{end}` has no source"), "connect it, or leave it out");
        } else if let Some(held) = held(d, &end) {
            let what = format!("input `{end}` gets `{held}`, which is not real and has no account");
            fail(what, "leave it out");
        }
        // The gain makes a power of input and flow, whether it is a parameter or a number.
        match (gain, d.description(&end.unit)) {
            // Parameters are judged at once; what is noted of a number is kept for the end.
            (Gain::Parameter { name, .. }, Some(description)) => {
                if let Err((what, next)) = parameter(d, &end, name, flow, description) {
                    fail(what, &next);
                }
            }
            (Gain::Number(x), Some(description)) => {
                if x.is_nan() || x.is_infinite() {
                    fail(format!("gain {x} of `{end}`, expected a finite number"), "");
                }
                // A number is taken in SI: said where it is no pure one.
                notes.extend(beyond_power(input, flow, description).map(|rest| {
                    let (name, flow) = (&bond.name, &port.flow);
                    let what =
                        format!("power bond `{name}`: `{end}` · `{flow}` is not a power: the gain {x} is in {rest}");
                    Finding::note(&port.place, what, "")
                }));
            }
            _ => {}
        }
    }
    // Notes come after the errors.
    findings.append(&mut notes);
}

/// The output that feeds an input and is not real.
fn held<'a>(d: &Declared<'a>, input: &Endpoint) -> Option<&'a Endpoint> {
    let fed = d.scenario.connections.iter().find(|c| c.to == *input)?;
    let is_held = d.variable(&fed.from).ok().flatten().is_some_and(|v| v.real().is_none());
    is_held.then_some(&fed.from)
}

/// A gain that is a parameter must make a power of input and flow.
fn parameter(
    d: &Declared<'_>,
    end: &Endpoint,
    name: &str,
    flow: &Variable,
    description: &ModelDescription,
) -> Result<(), (String, String)> {
    // The gain is a real parameter with a value.
    let Some(v) = description.variable(name) else {
        return Err((format!("unit `{}` has no parameter `{name}`", end.unit), near(name, description)));
    };
    let next = "write the gain as a number".to_owned();
    if v.real().is_none() || v.causality != Causality::Parameter {
        let what = format!("gain `{name}` is {} and {}", type_name(v), causality(v.causality));
        return Err((format!("{what}, expected a real parameter"), next));
    }
    if set_value(d.names, &end.unit, v, description).is_none() {
        return Err((format!("parameter `{name}` has neither a start value nor a setting"), next));
    }
    // Where all three have base units, their product must be watts.
    let Some(input) = description.variable(&end.variable) else { return Ok(()) };
    let units = [v, input, flow].map(|v| dimension(v, description));
    let [Some(a), Some(b), Some(c)] = units else { return Ok(()) };
    if (0..7).any(|i| a[i] + b[i] + c[i] != WATT[i]) {
        let found = format!("`{}` · `{}` · `{}`", v.unit(), input.unit(), flow.unit());
        return Err((format!("`{name}` · `{}` · `{}` is in {found}, expected a power", end.variable, flow.name), next));
    }
    Ok(())
}

/// The unit of measurement by which input times flow differs from a power; `None` where it does not, or where one of them is unknown.
fn beyond_power(input: &Variable, flow: &Variable, description: &ModelDescription) -> Option<String> {
    let (a, b) = (dimension(input, description)?, dimension(flow, description)?);
    let rest: Vec<String> = ["kg", "m", "s", "A", "K", "mol", "cd"]
        .iter()
        .zip((0..7).map(|i| WATT[i] - a[i] - b[i]))
        .filter(|(_, exponent)| *exponent != 0)
        .map(|(name, exponent)| if exponent == 1 { (*name).to_owned() } else { format!("{name}^{exponent}") })
        .collect();
    (!rest.is_empty()).then(|| rest.join("·"))
}

/// Exponents of the base units; `None` where they are not declared.
pub(crate) fn dimension(v: &Variable, description: &ModelDescription) -> Option<[i32; 7]> {
    let b = base(description, v.unit())?;
    // An angle has no dimension.
    let [kg, m, s, a, k, mol, cd, _] = exponents(&b);
    Some([kg, m, s, a, k, mol, cd])
}

/// A real parameter as set, or its start.
fn set_value(names: &Names<'_>, unit: &str, v: &Variable, description: &ModelDescription) -> Option<f64> {
    let setting = names.unit(unit).and_then(|u| names.settings(u).rfind(|setting| setting.variable == v.name));
    match (setting.map(|setting| convert(setting, v, description)), &v.start) {
        (Some(Ok(Converted::Real(x))), _) => Some(x),
        (None, Some(Value::Real(x))) => Some(*x),
        _ => None,
    }
}

/// Effort times flow in W for one unit of the input and one of the flow, both as the FMU has them.
pub(crate) fn gain(names: &Names<'_>, port: &Port, (input, gain): &(String, Gain), d: &ModelDescription) -> f64 {
    let si = |v: Option<&Variable>| v.and_then(|v| base(d, v.unit())).map_or(1.0, |b| b.factor);
    let own = match gain {
        Gain::Number(x) => *x,
        Gain::Parameter { name, is_negative } => {
            let v = d.variable(name);
            let value = v.and_then(|v| set_value(names, &port.flow.unit, v, d)).unwrap_or(0.0);
            if *is_negative { -value * si(v) } else { value * si(v) }
        }
    };
    own * si(d.variable(input)) * si(d.variable(&port.flow.variable))
}

/// What a law is told: a number, or the value of a real parameter `UNIT.NAME`, as set or its start; in words why there is none.
pub(crate) fn amount<'a>(
    names: &Names<'_>,
    gain: &Gain,
    description: impl Fn(&str) -> Option<&'a ModelDescription>,
) -> Result<f64, String> {
    let (name, sign) = match gain {
        Gain::Number(x) => return Ok(*x),
        Gain::Parameter { name, is_negative } => (name, if *is_negative { -1.0 } else { 1.0 }),
    };
    let none = || format!("`{name}` is not a real parameter of a unit with a value");
    let end = Endpoint::parse(name).ok_or_else(none)?;
    let d = description(&end.unit).ok_or_else(none)?;
    let v = d.variable(&end.variable).ok_or_else(none)?;
    let si = base(d, v.unit()).map_or(1.0, |b| b.factor);
    set_value(names, &end.unit, v, d).map(|value| sign * value * si).ok_or_else(none)
}
