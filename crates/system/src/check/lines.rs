//! Lines with delay: their sizes, their ends, and the connections of their outputs.

use super::Declared;
use crate::finding::Finding;
use crate::scenario::{Connection, Law, Line, LineEnd};
use macrostep_description::Causality;

/// Everything that is wrong with a line, and what an end costs.
pub(super) fn check(d: &Declared<'_>, law: &Law, line: &Line, findings: &mut Vec<Finding>) {
    let error = |what: String, next: &str| Finding::error(&law.place, format!("line `{}`: {what}", law.name), next);
    // A wave needs time for its way.
    if !(line.delay_s.is_finite() && line.delay_s > 0.0) {
        findings.push(error(format!("the delay is {} s", line.delay_s), "give a positive number of seconds"));
    }
    // Both sides are known over a step only where it is no longer than the delay.
    let step_s = d.scenario.experiment.step_s.filter(|step_s| *step_s > line.delay_s * (1.0 + 1e-9));
    if let Some(step_s) = step_s {
        let what = format!("the macro step of {step_s} s is longer than its delay of {} s", line.delay_s);
        findings.push(error(what, "choose a macro step no longer than the delay, or a longer delay"));
    }
    // An obeyed law makes forces from motions, and a line answers with waves.
    if d.scenario.connections.iter().any(|c| c.law.as_deref() == Some(&law.name)) {
        let what = "a connection obeys it, but the input of an end is not a function of the motions".to_owned();
        findings.push(error(what, "connect an output of the line itself"));
    }
    for (end, who) in line.ends.iter().enumerate() {
        let (Some(speed), Some(output)) = (law.inputs.get(2 * end + 1), law.outputs.get(end)) else { continue };
        // Position and speed of an end belong to one unit.
        if law.inputs[2 * end].unit != speed.unit {
            let what = format!("end {} has `{}` and `{speed}`, which are of two units", end + 1, law.inputs[2 * end]);
            findings.push(error(what, "give x and v of one unit"));
        }
        // One input, of the unit at that end, as it is.
        let of_end = |c: &&Connection| c.from.unit == law.name && c.from.variable == *output;
        let fed: Vec<&Connection> = d.scenario.connections.iter().filter(of_end).collect();
        match fed.as_slice() {
            // Scaled, or at another unit, it would not be the wave that the line works with.
            [c] if c.to.unit != speed.unit || c.factor != 1.0 || c.offset != 0.0 => {
                let what = format!("`{output}` goes to `{}`, scaled or not at the end of `{speed}`", c.to);
                findings.push(error(what, "connect it to one input of the unit at that end, as it is"));
            }
            [_] => {}
            other => {
                let what = format!("`{output}` is connected {} times", other.len());
                findings.push(error(what, "connect it to one input of the unit at that end"));
            }
        }
        // A unit takes the wave by a parameter; else the local part is made outside of it, at the cost of stability.
        match who {
            // The unit is told the impedance.
            LineEnd::Inside(parameter) => {
                let known = d.variable(parameter);
                let fits = known
                    .as_ref()
                    .is_ok_and(|v| v.is_none_or(|v| v.causality == Causality::Parameter && v.real().is_some()));
                if parameter.unit != speed.unit || !fits {
                    let what = format!("`{parameter}` is not a real parameter of unit `{}`", speed.unit);
                    findings
                        .push(error(what, "name the parameter that is set to the impedance, or write \"feedback\""));
                }
            }
            // The master holds the local part over a step.
            LineEnd::Hold => {
                let what = format!("line `{}`: the local part Z v at `{speed}` is held over a step", law.name);
                let next = "the line is then stable only if Z H is small against the mass: a unit that takes the wave is \
                            stable at any step up to the delay";
                findings.push(Finding::warning(&law.place, what, next));
            }
            // The master makes the local part by feedback.
            LineEnd::Feedback => {
                let what = format!("line `{}`: the local part Z v at `{speed}` is computed by feedback", law.name);
                let next = "it was observed to be stable for Z H up to the mass, and to grow from ten times the mass on: a unit \
                            that takes the wave is stable at any step up to the delay";
                findings.push(Finding::warning(&law.place, what, next));
            }
        }
    }
}
