//! Joints against the variables at their ends, and against the method.

use super::Declared;
use super::wiring::reals;
use crate::finding::Finding;
use crate::scenario::{Constraint, Endpoint, Joint, JointEnd, JointForce};
use crate::words::Correct;

pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    for (i, c) in d.scenario.constraints.iter().enumerate() {
        shape(c, findings);
        if d.scenario.constraints[..i].iter().any(|other| other.name == c.name) {
            let what = format!("two constraints of the name `{}`", c.name);
            findings.push(Finding::error(&c.place, what, "give each its own `name`"));
        }
        reals(d, c.outputs(), c.inputs(), (&c.place, findings));
        method(d, c, findings);
    }
}

/// As many coordinates, velocities and forces as the joint has.
fn shape(c: &Constraint, findings: &mut Vec<Finding>) {
    ends(c, findings);
    gap_max(c, findings);
    constants(c, findings);
}

fn bad(c: &Constraint, what: impl std::fmt::Display, next: &str) -> Finding {
    Finding::error(&c.place, format!("constraint `{}`: {what}", c.name), next)
}

/// What the two ends have: coordinates, velocities and forces, or finite numbers.
fn ends(c: &Constraint, findings: &mut Vec<Finding>) {
    // Both ends have as many coordinates as the kind of joint takes.
    let [first, second] = c.ends.each_ref().map(JointEnd::coordinates);
    let (expected, fits) = c.kind.takes(first);
    if first != second || !fits {
        let what = format!("{first} and {second} coordinates at its ends, expected as many at both: {expected}");
        findings.push(bad(c, what, "name the outputs, or the numbers of a fixed end"));
    }
    // A free end has a velocity and a force for each direction, in pairs of one unit.
    for end in &c.ends {
        let JointEnd::Free { position, velocity, force } = end else { continue };
        let n = c.kind.velocities(position.len());
        for (name, found) in [("velocity", velocity.len()), ("force", force.len())].into_iter().filter(|l| l.1 != n) {
            let what = format!("`{name}` has {found} variables, expected {n}");
            findings.push(bad(c, what, "one for each direction that the end moves in"));
        }
        for (force, velocity) in force.iter().zip(velocity).filter(|(f, v)| f.unit != v.unit) {
            let what = format!("force `{force}` and velocity `{velocity}` are of different units");
            findings.push(bad(c, what, "a force acts on the velocity beside it"));
        }
    }
    // A joint between two fixed ends holds nothing.
    if c.ends.iter().all(|end| matches!(end, JointEnd::Fixed(_))) {
        findings.push(bad(c, "both ends are fixed", "name outputs and inputs of a unit at one of them"));
    }
    // Numbers of fixed ends are finite.
    let values = c.ends.iter().flat_map(|end| match end {
        JointEnd::Fixed(values) => values.as_slice(),
        JointEnd::Free { .. } => &[],
    });
    if values.into_iter().any(|x| !x.is_finite()) {
        findings.push(bad(c, "a fixed end that is not finite", "write finite numbers"));
    }
}

/// A limit of the gap is one that can be met.
fn gap_max(c: &Constraint, findings: &mut Vec<Finding>) {
    match c.gap_max {
        Some(gap) if !(gap.is_finite() && gap > 0.0) => {
            let what = format!("`gap_max` is {gap:?}, expected a number above 0");
            findings.push(bad(c, what, "1e-12 is a usual one for lengths of 1 m"));
        }
        Some(_) if c.force == JointForce::Hold => {
            let what = "`gap_max` with a force that is held, which closes the velocity alone";
            findings.push(bad(c, what, "remove one of them"));
        }
        _ => {}
    }
}

/// What the kind itself has: a length, or an offset for each coordinate. Of a pose with 12 of them there is none.
fn constants(c: &Constraint, findings: &mut Vec<Finding>) {
    let coordinates = c.ends[0].coordinates();
    match &c.kind {
        Joint::Distance { length } if !(length.is_finite() && *length > 0.0) => {
            let what = format!("`length` is {length:?} m, expected a number above 0");
            findings.push(bad(c, what, "for the distance 0 take `kind = \"ball\"`"));
        }
        Joint::Rigid { offset } if !offset.is_empty() && coordinates == 12 => {
            let next = "remove it; an offset is for joints in the plane, and for `kind = \"equal\"`";
            findings.push(bad(c, "`offset` of a pose in space, which has none", next));
        }
        Joint::Rigid { offset } | Joint::Equal { offset }
            if !offset.is_empty() && (offset.len() != coordinates || offset.iter().any(|x| !x.is_finite())) =>
        {
            let what = format!("`offset` has {} numbers, expected {coordinates} finite ones", offset.len());
            findings.push(bad(c, what, "first end less second"));
        }
        _ => {}
    }
}

/// Whether directional derivatives say how forces change the rate of a velocity.
fn answers(d: &Declared<'_>, velocity: &Endpoint) -> bool {
    let Some(description) = d.description(&velocity.unit) else { return true };
    let offers = description.co_simulation.as_ref().is_some_and(|co| co.provides_directional_derivative);
    let place = description.variables.iter().position(|v| v.name == velocity.variable);
    offers
        && description
            .variables
            .iter()
            .any(|v| v.real().is_some_and(|r| r.derivative.is_some() && r.derivative == place))
}

/// The forces are found by repeating windows, or foretold, and change over them.
fn method(d: &Declared<'_>, c: &Constraint, findings: &mut Vec<Finding>) {
    let coupling = &d.scenario.coupling;
    if coupling.correct == Correct::Explicit {
        let next = "write `correct = \"iqn-ils\"` or `correct = \"newton\"` in [coupling]";
        let mut refused = |why: String| {
            let what = format!("constraint `{}` with explicit coupling: {why}", c.name);
            findings.push(Finding::error(&c.place, what, next));
        };
        // A force that is foretold needs to know what it moves, and closes a joint as far as it does.
        if let Some(silent) = c.velocities().find(|end| !answers(d, end)) {
            refused(format!("unit `{}` has no directional derivatives of the rate of `{silent}`", silent.unit));
        }
        if c.gap_max.is_some() {
            refused("`gap_max` is met by repeating macro steps".to_owned());
        }
    }
    for end in c.inputs() {
        let co = d.description(&end.unit).and_then(|description| description.co_simulation.as_ref());
        if coupling.sub_steps < 2 && co.is_some_and(|co| !co.can_interpolate_inputs) {
            let what = format!(
                "unit `{}` holds its inputs, but the force of constraint `{}` changes over a step",
                end.unit, c.name
            );
            findings.push(Finding::error(&c.place, what, "write `sub_steps = 4` in [coupling], at least 2"));
            return;
        }
    }
}
