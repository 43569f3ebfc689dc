//! The one conversion from a [`Scenario`] into what the master runs.
//!
//! Signals of a unit that are derivatives of each other (attribute `derivative`, or `motions` in the scenario) go into one
//! channel, so that predictors that know motions can use them. A connection that changes its value is a law with one input.

mod bonds;
mod channels;
mod laws;
mod wiring;

pub use laws::{Affine, NonlinearSpring, Orifice};

use crate::catalogue::Catalogue;
use crate::check::{Converted, check, convert, fails};
use crate::explain::feed_through;
use crate::finding::Finding;
use crate::scenario::{Place, Scenario};
use crate::words::{Sampling, Schedule};
use channels::Channels;
use macrostep_description::{Causality, Kind, ModelDescription};
use macrostep_master::unit::Unit;
use macrostep_master::{self as master, ChannelId, Grid, Method, RunError, Simulation, System, UnitId};
use std::sync::Arc;

/// A scenario ready to run.
pub struct Assembly {
    /// What is coupled.
    pub system: System,
    /// How.
    pub method: Method,
    /// When.
    pub grid: Grid,
    /// The units, in the order of the scenario.
    pub units: Vec<UnitId>,
    /// What they declare.
    pub descriptions: Vec<Arc<ModelDescription>>,
    /// Which variables are sampled together.
    pub channels: Vec<Sampled>,
    /// Recorded variables: unit and name; columns are `UNIT.NAME`.
    pub recorded: Vec<(usize, String)>,
    /// The scenario with everything said that was left to the FMUs.
    pub effective: Scenario,
}

/// A channel of the system.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// Which unit.
    pub unit: usize,
    /// Its variables: a value and its successive derivatives.
    pub names: Vec<String>,
    /// As the master has it.
    pub id: ChannelId,
}

/// Makes units and couples them.
///
/// # Errors
/// Everything [`check()`] finds, if that keeps it from running; else why a unit could not be made or refused a setting. With
/// success come the findings that do not.
pub fn assemble(scenario: &Scenario, catalogue: &dyn Catalogue) -> Result<(Assembly, Vec<Finding>), Vec<Finding>> {
    let mut findings = check(scenario, catalogue);
    if fails(&findings) {
        return Err(findings);
    }
    let mut descriptions = Vec::new();
    for unit in &scenario.units {
        let failed = |reason: String| vec![Finding::error(&unit.place, format!("unit `{}`: {reason}", unit.name), "")];
        descriptions.push(catalogue.description(&unit.source).map_err(failed)?);
    }
    let effective = times(scenario, &descriptions, &mut findings).map_err(|f| vec![f])?;
    let mut assembly = build(effective, descriptions, catalogue).map_err(|f| vec![f])?;
    assembly.recorded = recorded(&assembly, &mut findings);
    findings.extend(feed_through(&assembly));
    let columns = assembly.recorded.iter().map(|(u, name)| format!("{}.{name}", assembly.effective.units[*u].name));
    let columns = columns.map(|column| (column, Place::default())).collect();
    assembly.effective.record.variables = columns;
    Ok((assembly, findings))
}

fn build(
    s: Scenario,
    descriptions: Vec<Arc<ModelDescription>>,
    catalogue: &dyn Catalogue,
) -> Result<Assembly, Finding> {
    let mut system = System::new();
    let mut units = Vec::new();
    for (entry, description) in s.units.iter().zip(&descriptions) {
        let failed = |reason: String| Finding::error(&entry.place, format!("unit `{}`: {reason}", entry.name), "");
        let mut unit = catalogue.unit(&entry.source, &entry.name).map_err(failed)?;
        set(unit.as_mut(), &s, &entry.name, description)?;
        units.push(system.add(unit));
    }
    let method = method(&s);
    let channels = Channels::of(&s, &descriptions, &method, &mut system, &units)?;
    wiring::connect(&s, &descriptions, &channels, &mut system, &units)?;
    bonds::declare(&s, &descriptions, &mut system, &units)?;
    let e = &s.experiment;
    let grid = Grid {
        start_s: e.start_s,
        step_s: e.step_s.unwrap_or(0.0),
        stop_s: e.stop_s,
        shares: s.units.iter().map(|u| u.share).collect(),
    };
    let channels = channels.sampled;
    Ok(Assembly { system, method, grid, units, descriptions, channels, recorded: Vec::new(), effective: s })
}

/// The method in the master's terms.
pub fn method(s: &Scenario) -> Method {
    let c = &s.coupling;
    let position = |name: &String| s.unit(name).unwrap_or(usize::MAX);
    Method {
        predictor: c.predict.predictor(c.derivative.of_master(), c.gs_variant.of_master()),
        schedule: match c.schedule {
            Schedule::Jacobi => master::Schedule::Jacobi,
            Schedule::GaussSeidel if c.order.is_empty() => master::Schedule::GaussSeidel((0..s.units.len()).collect()),
            Schedule::GaussSeidel => master::Schedule::GaussSeidel(c.order.iter().map(position).collect()),
        },
        correction: c.correct.of_master(c.tolerance, c.corrections_max),
        sampling: match c.sampling {
            Sampling::Updated => master::Sampling::Updated,
            Sampling::Lagged => master::Sampling::Lagged,
        },
        sub_steps: c.sub_steps.max(1),
        ..Method::default()
    }
}

/// Start, stop and step, where the scenario leaves them to the FMUs.
fn times(
    s: &Scenario,
    descriptions: &[Arc<ModelDescription>],
    findings: &mut Vec<Finding>,
) -> Result<Scenario, Finding> {
    let mut s = s.clone();
    let e = &mut s.experiment;
    let proposed = || descriptions.iter().filter_map(|d| d.default_experiment);
    if e.stop_s.is_none() {
        e.stop_s = proposed().filter_map(|p| p.stop_time).filter(|t| *t > e.start_s).reduce(f64::max);
        let Some(stop) = e.stop_s else {
            return Err(Finding::error(
                &e.place,
                "no stop time, and no FMU proposes one",
                "say `stop` in [experiment], or `--stop`",
            ));
        };
        findings.push(Finding::note(&e.place, format!("no stop time: {stop} s, the latest the FMUs propose"), ""));
    }
    let span = e.stop_s.unwrap_or(e.start_s) - e.start_s;
    if e.step_s.is_none() {
        let smallest = proposed().filter_map(|p| p.step_size).filter(|h| *h > 0.0).reduce(f64::min);
        let wanted = smallest.unwrap_or(span / 1000.0);
        // A whole number of steps, none longer than wanted.
        let step = if wanted > 0.0 { span / (span / wanted - 1e-9).ceil().max(1.0) } else { span };
        e.step_s = Some(step);
        let whose = if smallest.is_some() { "the smallest the FMUs propose" } else { "a thousandth of the run" };
        findings.push(Finding::note(&e.place, format!("no macro step: {step} s, {whose}"), "say `step`, or `--step`"));
    }
    s.coupling.sub_steps = s.coupling.sub_steps.max(1);
    Ok(s)
}

/// Makes a unit's settings.
fn set(unit: &mut dyn Unit, s: &Scenario, name: &str, description: &ModelDescription) -> Result<(), Finding> {
    for setting in s.settings(name) {
        let failed = |what: String| Finding::error(&setting.place, what, "");
        let Some(v) = description.variable(&setting.variable) else { continue };
        let value = convert(setting, v, description).map_err(failed)?;
        let reference = [v.value_reference];
        match value {
            Converted::Real(x) => unit.set_real(&reference, &[x]),
            Converted::Integer(i) => unit.set_integer(&reference, &[i]),
            Converted::Boolean(b) => unit.set_boolean(&reference, &[b]),
            Converted::Text(t) => unit.set_string(&reference, &[&t]),
        }
        .map_err(|e| failed(e.to_string()))?;
    }
    Ok(())
}

/// Unit and name of what is recorded.
fn recorded(a: &Assembly, findings: &mut Vec<Finding>) -> Vec<(usize, String)> {
    let wanted = &a.effective.record.variables;
    let mut used = vec![false; wanted.len()];
    let mut out = Vec::new();
    for (u, (unit, description)) in a.effective.units.iter().zip(&a.descriptions).enumerate() {
        for v in description.variables.iter().filter(|v| matches!(v.kind, Kind::Real(_))) {
            let column = format!("{}.{}", unit.name, v.name);
            // Elements of arrays are recorded where they are asked for.
            let mut is_wanted = wanted.is_empty() && v.causality == Causality::Output && !v.name.contains('[');
            for ((pattern, _), used) in wanted.iter().zip(&mut used) {
                if matches(pattern, &column) {
                    *used = true;
                    is_wanted = true;
                }
            }
            if is_wanted {
                out.push((u, v.name.clone()));
            }
        }
    }
    for ((pattern, place), _) in wanted.iter().zip(used).filter(|(_, used)| !used) {
        findings.push(Finding::warning(
            place,
            format!("`{pattern}` is no real variable of any unit"),
            "nothing is recorded for it",
        ));
    }
    out
}

/// Whether a text fits a pattern in which `*` stands for any letters.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == text };
    let Some(rest) = text.strip_prefix(head) else { return false };
    let ends = std::iter::once(rest.len()).chain(rest.char_indices().map(|(i, _)| i));
    ends.into_iter().any(|i| matches(tail, &rest[i..]))
}

impl Assembly {
    /// A simulation, its recorded variables chosen, not yet initialised.
    ///
    /// # Errors
    /// [`RunError`] where the master refuses.
    pub fn simulation(self) -> Result<Simulation, RunError> {
        let mut simulation = Simulation::new(self.system, &self.method, self.grid)?;
        for (u, name) in &self.recorded {
            let column = format!("{}.{name}", self.effective.units[*u].name);
            simulation.record(self.units[*u], name, &column)?;
        }
        Ok(simulation)
    }
}

/// A mistake of the scenario that only the master has noticed.
pub(crate) fn refused(place: &Place) -> impl Fn(master::SystemError) -> Finding + use<> {
    let place = place.clone();
    move |e| Finding::error(&place, e.to_string(), "")
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, text) in
            [("a.*", "a.b"), ("*", ""), ("*.x", "m.y.x"), ("a*b*c", "a1b2c"), ("é*", "éé"), ("x", "x")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a.*", "b.a"), ("*.x", "m.xx"), ("x", "xy"), ("a*b", "a")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
