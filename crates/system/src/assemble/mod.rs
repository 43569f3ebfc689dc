//! The one conversion from a [`Scenario`] into what the master runs.
//!
//! Signals of a unit that are derivatives of each other (attribute `derivative`, or `motions` in the scenario) go into one
//! channel, so that predictors that know motions can use them. A connection that changes its value is a law with one input.

mod bonds;
mod channels;
mod constraints;
mod driven;
mod event;
mod fork;
mod laws;
mod linear;
mod past;
mod probe;
mod recorded;
mod times;
mod wiring;

pub use fork::try_forks;
pub use linear::{Linear, linear};
pub use probe::{InputOrder, Trial, order_alone, try_inputs};
pub use recorded::{matches, sees_derivatives, unmeasured};
pub use times::grid;

use crate::catalogue::Catalogue;
use crate::check::{Converted, check, convert, fails, fits, keep_known, own_step, without_contradictions};
use crate::explain::feed_through;
use crate::finding::Finding;
use crate::rated::{Rated, rated};
use crate::scenario::{Connection, Endpoint, Names, Place, Scenario, Setting, Source};
use crate::words::{Correct, Family};
use channels::Channels;
pub(crate) use channels::wanted;
use macrostep_description::{ModelDescription, Value, Variable};
use macrostep_import::{Face, INTEGRATOR_TOLERANCE};
use macrostep_master::correct::Correction;
use macrostep_master::predict::Edge;
use macrostep_master::unit::Start;
use macrostep_master::{
    self as master, ChannelId, Grid, LawId, Method, RunError, Simulation, StepControl, System, UnitId,
};
use std::collections::HashSet;
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
    /// Whether each unit goes back by fork, where a method repeats steps.
    pub by_fork: Vec<bool>,
    /// Why a unit that would go back by fork does not, where that was tried.
    pub unforked: Vec<Option<String>>,
    /// Which derivatives of its inputs each unit takes, where that was tried.
    pub taken: Vec<Option<InputOrder>>,
    /// Which variables are sampled together.
    pub channels: Vec<Sampled>,
    /// Laws of the master, in the order in which connections and maps first need them.
    pub laws: Vec<LawId>,
    /// Recorded variables: unit, and position in its description; columns are `UNIT.NAME`.
    pub recorded: Vec<(usize, usize)>,
    /// Whether power bonds were found by their units of measurement, because the scenario names none.
    pub bonds_are_found: bool,
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
    // What fails before anything is made. The macro step for an error has to be found by then.
    let mut findings = check(scenario, catalogue);
    if let Some(error) = scenario.experiment.error {
        let what = format!("`error = {error:?}` of the experiment: the macro step is not chosen yet");
        findings.push(Finding::error(
            &scenario.experiment.place,
            what,
            "`macrostep run` does that; leave it out elsewhere",
        ));
    }
    if fails(&findings) {
        return Err(findings);
    }
    // What each unit declares, and whether it goes back by a fork of its process.
    let (mut descriptions, mut by_fork) = (Vec::new(), Vec::new());
    for unit in &scenario.units {
        let failed = |reason: String| vec![Finding::error(&unit.place, format!("unit `{}`: {reason}", unit.name), "")];
        let description = catalogue.description(&unit.source).map_err(failed)?;
        by_fork.push(catalogue.rollback().forks(&description));
        let wants_rates = scenario.coupling.predict.family == Family::Rates;
        let description = without_contradictions(description);
        descriptions.push(if wants_rates { rated(description) } else { description });
    }
    // Faces and times, where the scenario leaves them to the FMUs.
    let faced = &driven(scenario, catalogue);
    let mut effective = match times::times(faced, &descriptions, &mut findings) {
        Ok(effective) => effective,
        Err(finding) => {
            findings.push(finding);
            return Err(findings);
        }
    };
    // Power bonds that units of measurement show, where none are named.
    let watched = bonds::watch(&mut effective, &descriptions);
    // Settings from SSP that have no variable are dropped; then units are made and coupled.
    keep_known(&mut effective, &descriptions);
    let mut assembly = build(effective, descriptions, by_fork, catalogue).map_err(|f| vec![f])?;
    assembly.bonds_are_found = watched.is_some();
    findings.extend(watched);
    findings.extend(plain(&assembly));
    assembly.recorded = recorded::recorded(&assembly, &mut findings);
    if fails(&findings) {
        return Err(findings);
    }
    // What helps against outputs that are late is recommended where it works.
    let mut late = feed_through(&assembly);
    if !late.is_empty() && try_forks(&mut assembly, catalogue) {
        late = feed_through(&assembly);
    }
    findings.extend(late);
    findings.extend(probe::findings(&assembly));
    // The scenario that is in effect names every recorded column. Patterns that match nothing stay: an empty list is the default.
    let columns: Vec<_> =
        assembly.recorded.iter().map(|&(u, v)| (assembly.endpoint(u, v).to_string(), Place::default())).collect();
    if !columns.is_empty() {
        assembly.effective.record.variables = columns;
    }
    Ok((assembly, findings))
}

/// The scenario with the face named of each unit that could be driven by its equations. These are integrated by this program, whatever the FMU
/// proposes for a solver of its own.
fn driven(scenario: &Scenario, catalogue: &dyn Catalogue) -> Scenario {
    let mut s = scenario.clone();
    for unit in &mut s.units {
        let faces = catalogue.faces(&unit.source);
        if let Source::File { face, .. } = &mut unit.source
            && faces.contains(&Face::ModelExchange)
        {
            *face = faces.first().copied();
        }
        if unit.source.face() == Some(Face::ModelExchange) {
            unit.solver_tolerance =
                unit.solver_tolerance.or(scenario.experiment.solver_tolerance).or(Some(INTEGRATOR_TOLERANCE));
        }
    }
    s
}

fn build(
    s: Scenario,
    descriptions: Vec<Arc<ModelDescription>>,
    by_fork: Vec<bool>,
    catalogue: &dyn Catalogue,
) -> Result<Assembly, Finding> {
    // Units with their start values and tolerances.
    let names = &Names::of(&s);
    let mut system = System::new();
    let (mut units, mut taken) = (Vec::new(), Vec::new());
    let repeats = s.repeats_steps();
    for (u, ((entry, description), by_fork)) in s.units.iter().zip(&descriptions).zip(&by_fork).enumerate() {
        let failed = |reason: String| {
            // A slave in a process of its own has said its name already.
            let who = format!("unit `{}`: ", entry.name);
            Finding::error(&entry.place, format!("{who}{}", reason.strip_prefix(&who).unwrap_or(&reason)), "")
        };
        // Only where steps are repeated does a unit run in a process that is forked.
        let (source, name) = (&entry.source, &entry.name);
        let starts = starts(names, u, description)?;
        // Derivatives of inputs: what the FMU takes is tried on an instance that is thrown away.
        let order = probe::input_order(names, u, (description, &starts), catalogue);
        let made = if repeats && *by_fork { catalogue.forked(source, name) } else { catalogue.unit(source, name) };
        let made = made.map_err(failed)?;
        // A description with more variables than the FMU has was given derivatives of its outputs.
        let is_rated = description.variables.len() > made.description().variables.len();
        let made = if is_rated { Box::new(Rated::new(made, Arc::clone(description))) } else { made };
        let unit = system.add(made);
        starts.into_iter().for_each(|start| system.start(unit, start));
        if let Some(taken) = &order {
            system.input_order(unit, taken.order);
        }
        taken.push(order);
        system.tolerance(unit, entry.solver_tolerance);
        units.push(unit);
    }
    // The method, and everything that couples the units.
    let mut method = method_by(names);
    method.predictor = catalogue.predictor().unwrap_or(method.predictor);
    let corrector = catalogue.corrector(s.coupling.corrector_tolerance, s.coupling.corrections_max);
    method.correction = corrector.map_or(method.correction, Correction::Custom);
    let channels = Channels::of(names, &descriptions, &method, &mut system, &units)?;
    let is_before_law = method.predictor.edge() == Edge::BeforeLaw;
    let known = wiring::Known { descriptions: &descriptions, channels: &channels, catalogue };
    let laws = wiring::connect(names, &known, is_before_law, (&mut system, &units))?;
    constraints::declare(names, &channels, (&mut system, &units))?;
    bonds::declare(names, &descriptions, &mut system, &units)?;
    let grid = times::grid(&s);
    driven::declare(names, &descriptions, &grid, (&mut system, &units))?;
    event::declare(names, (&descriptions, &channels), (&mut system, &units))?;
    // The assembly; what is recorded is chosen later.
    let channels = channels.sampled;
    let recorded = Vec::new();
    let unforked = vec![None; units.len()];
    Ok(Assembly {
        system,
        method,
        grid,
        units,
        descriptions,
        by_fork,
        unforked,
        taken,
        channels,
        laws,
        recorded,
        bonds_are_found: false,
        effective: s,
    })
}

/// Signals that a predictor of motions extrapolates as values, because they are no motions.
fn plain(a: &Assembly) -> Vec<Finding> {
    let s = &a.effective;
    // Degree of what it makes of a mere value, and the components of a motion.
    let (degree, components) = match s.coupling.predict.family {
        Family::Integrated => (s.coupling.predict.degree + 1, 3),
        Family::Jerk => (2, 4),
        _ => return Vec::new(),
    };
    // Outputs whose channel has fewer components than a motion.
    let short = a.channels.iter().filter(|c| c.names.len() < components);
    let short: HashSet<(&str, &str)> =
        short.flat_map(|c| c.names.iter().map(|name| (s.units[c.unit].name.as_str(), name.as_str()))).collect();
    let is_plain = |e: &Endpoint| short.contains(&(e.unit.as_str(), e.variable.as_str()));
    // Explicit coupling shows the predictor's error: a note for each connection from such an output.
    let told = |c: &Connection| {
        let (predict, order) = (&s.coupling.predict, degree + 1);
        let what = format!(
            "`{}` is not a motion: {predict} extrapolates it by a polynomial of degree {degree}, with an error O(H^{order})",
            c.from
        );
        let next = "if it obeys a law of motions, name the law: `law = \"NAME\"` in the connection, and [laws.NAME]";
        Finding::note(&c.place, what, next)
    };
    let explicit = s.coupling.correct == Correct::Explicit;
    s.connections.iter().filter(|c| explicit && is_plain(&c.from)).map(told).collect()
}

/// The method in the master's terms.
pub fn method(s: &Scenario) -> Method {
    method_by(&Names::of(s))
}

fn method_by(names: &Names<'_>) -> Method {
    let s = names.scenario();
    let c = &s.coupling;
    let position = |name: &String| names.unit(name).unwrap_or(usize::MAX);
    let listed = if c.order.is_empty() { (0..s.units.len()).collect() } else { c.order.iter().map(position).collect() };
    Method {
        predictor: c.predict.predictor(c.derivative.into(), c.gs_variant.into()),
        schedule: c.schedule.schedule(listed),
        correction: c.correct.correction(c.corrector_tolerance, c.corrections_max),
        sampling: c.sampling.into(),
        energy: c.energy.into(),
        control: step_control(s),
        sub_steps: c.sub_steps.max(1),
        deviation: c.corrector_tolerance.map_or(Method::default().deviation, deviation),
    }
}

/// What parts of an input's polynomial may leave out so that the result is within the corrector's tolerance: a tenth of it, by their square.
fn deviation(tolerance: f64) -> f64 {
    (0.1 * tolerance).sqrt().clamp(1e-7, 1e-2)
}

/// How steps are chosen, if they are.
fn step_control(s: &Scenario) -> Option<StepControl> {
    let c = &s.coupling;
    let mut control = c.predict.step_control(c.control.kind, c.control.tolerance, (c.derivative, c.gs_variant))?;
    control.parts = c.control.parts(s.experiment.step_s.unwrap_or(f64::NAN));
    Some(control)
}

/// A unit's settings as its start values, behind that of its macro step.
///
/// # Errors
/// Where a value is none of its variable's type.
pub fn starts(names: &Names<'_>, u: usize, description: &ModelDescription) -> Result<Vec<Start>, Finding> {
    let (s, unit) = (names.scenario(), &names.scenario().units[u]);
    let mut out = Vec::new();
    let step = own_step(s, unit, s.experiment.step_s.unwrap_or_default(), description);
    for setting in step.iter().chain(names.settings(u)) {
        let Some(v) = description.variable(&setting.variable) else { continue };
        out.push(start_of(setting, v, description)?);
    }
    Ok(out)
}

/// A start value of the unit of this name, checked against its description: for runs that differ from a scenario in
/// values only.
///
/// # Errors
/// Where the unit has no such variable, it cannot be set, or the value is not of its type and range.
pub fn start(unit: &str, setting: &Setting, description: &ModelDescription) -> Result<Start, Finding> {
    let v = fits(unit, setting, description)?;
    start_of(setting, v, description)
}

/// A setting in the type of its variable, with where it comes from.
fn start_of(setting: &Setting, v: &Variable, description: &ModelDescription) -> Result<Start, Finding> {
    let value = convert(setting, v, description).map_err(|what| Finding::error(&setting.place, what, ""))?;
    let place = setting.place.to_string();
    let origin = format!("start value of `{}`, {}", setting.variable, place.trim_end_matches(": "));
    Ok(Start { reference: v.value_reference, value: plain_value(value), origin })
}

/// As the master takes it.
fn plain_value(value: Converted) -> Value {
    match value {
        Converted::Real(x) => Value::Real(x),
        Converted::Integer(i) => Value::Integer(i),
        Converted::Boolean(b) => Value::Boolean(b),
        Converted::Text(t) => Value::String(t),
    }
}

impl Assembly {
    /// A simulation, its recorded variables chosen, not yet initialised.
    ///
    /// # Errors
    /// [`RunError`] where the master refuses.
    pub fn simulation(self) -> Result<Simulation, RunError> {
        let columns: Vec<String> = self.recorded.iter().map(|&(u, variable)| self.column(u, variable)).collect();
        let mut simulation = Simulation::new(self.system, &self.method, self.grid)?;
        for (&(u, variable), column) in self.recorded.iter().zip(&columns) {
            simulation.record_at(self.units[u], variable, column);
        }
        simulation.end_in_part()?;
        if !self.effective.history.is_empty() {
            let past = past::rows(&self.effective, &self.channels, &mut simulation)?;
            simulation.begin_with(past);
        }
        Ok(simulation)
    }

    /// The column of a recorded variable.
    pub fn column(&self, unit: usize, variable: usize) -> String {
        if self.effective.record.are_plain {
            return self.descriptions[unit].variables[variable].name.clone();
        }
        self.endpoint(unit, variable).to_string()
    }

    /// A variable of a unit.
    fn endpoint(&self, unit: usize, variable: usize) -> Endpoint {
        let variable = self.descriptions[unit].variables[variable].name.clone();
        Endpoint { unit: self.effective.units[unit].name.clone(), variable }
    }
}

/// A mistake of the scenario that only the master has noticed.
pub(crate) fn refused(place: &Place) -> impl Fn(master::SystemError) -> Finding + use<> {
    let place = place.clone();
    move |e| Finding::error(&place, e.to_string(), "")
}
