//! Interface models against the variables at their ends.

use super::Declared;
use super::wiring::reals;
use crate::finding::Finding;
use crate::scenario::InterfaceModel;

/// More repetitions than this are taken for a mistake.
const REPEAT_MAX: u32 = 20;

/// As many speeds, positions and biases as forces, and a triangle of mobilities.
pub(super) fn check(d: &Declared<'_>, m: &InterfaceModel, findings: &mut Vec<Finding>) {
    // All sizes follow from the number r of forces.
    let r = m.force.len();
    let sizes = [
        ("speed", &m.speed, r),
        ("position", &m.position, r),
        ("mobility", &m.mobility, r * (r + 1) / 2),
        ("bias", &m.bias, r),
    ];
    let mut bad = |what: String, next: &str| findings.push(Finding::error(&m.place, what, next));
    if r == 0 {
        bad("an interface model without a force".to_owned(), "name an output of the fast unit");
    }
    for (name, list, expected) in sizes.into_iter().filter(|(_, list, expected)| list.len() != *expected) {
        let what = format!("`{name}` of an interface model has {} outputs, expected {expected}", list.len());
        bad(what, "for r forces: r speeds, positions and biases, r (r + 1)/2 mobilities");
    }
    // Lists that may be left out are whole where they are there.
    let ends = [("predicted", &m.predicted), ("arrived", &m.arrived)];
    for (name, list) in ends.into_iter().filter(|(_, list)| !list.is_empty() && list.len() != r) {
        bad(format!("`{name}` of an interface model has {} outputs, expected {r} or none", list.len()), "");
    }
    let targets = [("to.speed", &m.to_speed), ("to.position", &m.to_position)];
    for (name, list) in targets.into_iter().filter(|(_, list)| !list.is_empty() && list.len() != r) {
        bad(format!("`{name}` of an interface model has {} inputs, expected {r} or none", list.len()), "");
    }
    // The model feeds inputs, or it is there to repeat steps of a unit that integrates it itself.
    let feeds_nothing = m.to_speed.is_empty() && m.to_position.is_empty();
    if feeds_nothing && m.predicted.is_empty() {
        bad("an interface model that no input is connected to".to_owned(), "write to = { speed = [\"UNIT.INPUT\"] }");
    }
    if !m.predicted.is_empty() && (!feeds_nothing || m.repeat == 0) {
        let what = "`predicted` of an interface model is only for repeated steps of a fast unit that integrates it";
        bad(what.to_owned(), "write repeat = 2 and no `to`, or no `predicted`");
    }
    // More repetitions are taken for a mistake.
    if m.repeat > REPEAT_MAX {
        bad(format!("`repeat` of an interface model is {}, expected at most {REPEAT_MAX}", m.repeat), "2 is enough");
    }
    // Its ends are real outputs and inputs.
    reals(d, m.sources(), m.to_speed.iter().chain(&m.to_position), (&m.place, findings));
}
