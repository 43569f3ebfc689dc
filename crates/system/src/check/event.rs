//! Events of a condition, against the variables that they use and set, and the units that must reach them.

use super::Declared;
use super::driven::may_be_set;
use super::units::{Conversion, conversion};
use crate::finding::Finding;
use crate::scenario::{Endpoint, Place, StateEvent, Taken};
use macrostep_description::{Causality, Variable};
use std::collections::BTreeSet;

pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    let s = d.scenario;
    let Some(first) = s.state_events.first() else { return };
    let fed: BTreeSet<&Endpoint> = s.targets().map(|(to, _)| to).collect();
    // Outputs that are looked at, and variables that are set.
    for event in &s.state_events {
        for end in std::iter::once(&event.of).chain(&event.minus) {
            output(d, end, &event.place, findings);
        }
        if let Some(minus) = &event.minus {
            subtracted(d, (&event.of, minus), &event.place, findings);
        }
        for (unit, setting) in &event.settings {
            if let Err((what, next)) = super::driven::set(d, (unit, setting), &fed) {
                findings.push(Finding::error(&setting.place, what, next));
            }
        }
        taken(d, event, &fed, findings);
    }
    // Windows of any length, and such that can be taken back.
    for (unit, description) in s.units.iter().zip(d.descriptions) {
        let Some(co) = description.as_ref().and_then(|d| d.co_simulation.as_ref()) else { continue };
        if !co.can_handle_variable_communication_step_size {
            let what = format!(
                "an event of a condition needs shorter steps, but unit `{}` has no `canHandleVariableCommunicationStepSize`",
                unit.name
            );
            findings.push(Finding::error(&first.place, what, "set values at a time, `at`, or take another FMU"));
        }
        // Without a way back an event is not met exactly.
        let forks = description.as_ref().is_some_and(|d_| d.rollback.forks(d_));
        if !co.can_get_and_set_fmu_state && !forks {
            let what = format!(
                "unit `{}` cannot go back: steps before an expected event are shortened, and the event may be late",
                unit.name
            );
            findings.push(Finding::warning(
                &first.place,
                what,
                "the result says by how much; `--rollback auto` goes back by fork",
            ));
        }
    }
}

/// A real output, which can be sampled.
fn output<'d>(d: &'d Declared<'_>, end: &Endpoint, place: &Place, findings: &mut Vec<Finding>) -> Option<&'d Variable> {
    let v = d.found(end, place, findings)?;
    if v.real().is_none() || !matches!(v.causality, Causality::Output | Causality::Local) {
        let what = format!("the condition of an event has `{end}`, which is not a real output");
        findings.push(Finding::error(place, what, "name a real output"));
        return None;
    }
    Some(v)
}

/// An output that is subtracted is taken in the unit of the first one, as by a connection.
fn subtracted(d: &Declared<'_>, (of, minus): (&Endpoint, &Endpoint), place: &Place, findings: &mut Vec<Finding>) {
    let (Some(first), Some(second)) = (d.declared(of), d.declared(minus)) else { return };
    let units = format!("`{of}` is in `{}`, `{minus}` in `{}`", first.1.unit(), second.1.unit());
    match conversion(second, first) {
        Conversion::Same => {}
        Conversion::Affine(factor, offset) => findings.push(Finding::note(
            place,
            format!("{units}: converted by {factor} · y + {offset} before it is subtracted"),
            "",
        )),
        Conversion::Unknown => findings.push(Finding::warning(
            place,
            format!("{units}, and one of them has no base units"),
            "numbers are subtracted unchanged",
        )),
        Conversion::Incompatible => {
            findings.push(Finding::error(place, format!("{units}: different quantities"), "compare another output"))
        }
    }
}

/// Variables that are set to what outputs are.
fn taken(d: &Declared<'_>, event: &StateEvent, fed: &BTreeSet<&Endpoint>, findings: &mut Vec<Finding>) {
    for taken in &event.taken {
        // Both ends are there: a real output, and what is set to it.
        let from = output(d, &taken.from, &taken.place, findings);
        let to = d.found(&taken.to, &taken.place, findings);
        let (Some(_), Some(to)) = (from, to) else { continue };
        // What is set is a real variable that may be set during the run, in the same unit or by a factor.
        if let Err((what, next)) = may_be_set(&taken.to, to, fed) {
            findings.push(Finding::error(&taken.place, what, next));
        } else if to.real().is_none() {
            let what = format!("`{}` is not a real variable, and an event sets it to `{}`", taken.to, taken.from);
            findings.push(Finding::error(&taken.place, what, "write a value"));
        } else {
            unconverted(d, taken, findings);
        }
    }
}

/// Values of events are not converted: a factor that is not given is wrong between two units of one quantity, and one that is given
/// may be.
fn unconverted(d: &Declared<'_>, taken: &Taken, findings: &mut Vec<Finding>) {
    let (Some(from), Some(to)) = (d.declared(&taken.from), d.declared(&taken.to)) else { return };
    let units = (to.1.unit(), from.1.unit());
    let what = format!(
        "`{}` is set to `{}`: units `{}` and `{}`, which are not converted",
        taken.to, taken.from, units.0, units.1
    );
    let is_given = taken.factor != 1.0 || taken.offset != 0.0;
    match conversion(from, to) {
        Conversion::Affine(factor, offset) if !is_given => findings.push(Finding::error(
            &taken.place,
            what,
            format!("write factor = {factor:?}, offset = {offset:?}, times your own"),
        )),
        Conversion::Affine(factor, offset) => findings.push(Finding::warning(
            &taken.place,
            what,
            format!("the factor given has to contain the {factor} · y + {offset} between them"),
        )),
        _ if units.0 != units.1 && !is_given => {
            findings.push(Finding::warning(&taken.place, what, "give the `factor` that converts them"));
        }
        _ => {}
    }
}
