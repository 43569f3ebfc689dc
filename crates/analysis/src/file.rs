//! A system read from a file as a benchmark: one cut, as it is written, and a fine run of the same system as its solution.
//!
//! Quantities are the recorded real outputs that are not constant. The reference run is that of
//! [`crate::trajectory`], by whatever methods the FMUs allow, and knows its own error.

use crate::interfaces::Capabilities;
use crate::models::cannot_run;
use crate::nudged::Nudged;
use crate::pair::Coupling;
use crate::perturbed::{self, Probe};
use crate::scenario::{Benchmark, Bond, Card, Coupled, Growth, Quantity, Setup, Source};
use crate::scheme::{Control, Correct, Energy, Predict, Schedule, Scheme};
use crate::trajectory::{self, Trajectory};
use crate::written;
use macrostep_description::{Causality, ModelDescription, Variability};
use macrostep_master::RunError;
use macrostep_master::unit::Unit as Slave;
use macrostep_system::assemble::{sees_derivatives, unmeasured};
use macrostep_system::explain::{PowerPort, ports};
use macrostep_system::scenario::{Face, Law, LawKind, Place, Scenario, Source as Fmu, Unit};
use macrostep_system::words::Rollback;
use macrostep_system::{Catalogue, Finding, assemble};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A system from a file.
pub struct FromFile {
    /// With everything said that was left to the FMUs.
    scenario: Scenario,
    catalogue: Box<dyn Catalogue + Send + Sync>,
    descriptions: Vec<Arc<ModelDescription>>,
    quantities: Vec<Quantity>,
    card: Card,
    name: String,
    /// The reference run, and up to when \[s\].
    reference: Mutex<Option<(f64, Arc<Trajectory>)>>,
}

impl FromFile {
    /// A scenario whose FMUs come from `catalogue`, and the warnings about it. `name` is what it is called.
    ///
    /// # Errors
    /// Findings that keep it from running, or that no quantity is left to measure.
    pub fn new(
        name: &str,
        scenario: &Scenario,
        catalogue: Box<dyn Catalogue + Send + Sync>,
    ) -> Result<(Self, Vec<Finding>), Vec<Finding>> {
        // The scenario as it runs, with its times.
        let (assembly, findings) = assemble(scenario, catalogue.as_ref())?;
        let mut scenario = assembly.effective.clone();
        let mut findings = findings;
        // What depends on the method has no error that would shrink with the step.
        findings.extend(unmeasured(&assembly).1);
        // Quantities: recorded real variables that may change in a run.
        let moves = |(u, v): &&(usize, usize)| {
            let variable = &assembly.descriptions[*u].variables[*v];
            let is_constant = matches!(variable.variability, Variability::Constant | Variability::Fixed)
                || matches!(variable.causality, Causality::Parameter | Causality::CalculatedParameter);
            variable.real().is_some() && !is_constant && !sees_derivatives(&assembly.descriptions[*u], *v)
        };
        let quantity = |(u, v): &(usize, usize)| {
            let variable = &assembly.descriptions[*u].variables[*v];
            let unit = variable.real().and_then(|r| r.unit.clone()).unwrap_or_default();
            Quantity { name: assembly.column(*u, *v), unit }
        };
        let quantities: Vec<Quantity> = assembly.recorded.iter().filter(moves).map(quantity).collect();
        if quantities.is_empty() {
            let what = "no real output that changes is recorded: there is no error to measure";
            let next = "name one by `--record UNIT.VARIABLE` or `record.variables`";
            return Err(vec![Finding::error(&scenario.experiment.place, what.to_owned(), next)]);
        }
        // They alone are recorded, in each row.
        scenario.record.variables = quantities.iter().map(|q| (q.name.clone(), Place::default())).collect();
        scenario.record.every = 1;
        let e = &scenario.experiment;
        let (step_s, stop_s) = (e.step_s.unwrap_or(f64::NAN), e.stop_s.unwrap_or(f64::NAN) - e.start_s);
        // One cut: the file's own.
        let card = Card {
            name: "file",
            couplings: &[Coupling::AsWritten],
            units: scenario.units.len(),
            motions: &[],
            step_s,
            stop_s,
            integrations: 1,
            linear: false,
        };
        // Units are made anew for each run.
        let descriptions = assembly.descriptions.clone();
        drop(assembly);
        let (name, reference) = (name.to_owned(), Mutex::new(None));
        let file = FromFile { scenario, catalogue, descriptions, quantities, card, name, reference };
        Ok((file, findings))
    }

    /// The complete scenario, with all values that were left to the FMUs.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The scenario with another method, macro step and end \[s after the start\].
    fn changed(&self, scheme: &Scheme, step_s: f64, stop_s: f64) -> Scenario {
        let mut s = self.scenario.clone();
        s.coupling = written::coupling(scheme, &s.coupling);
        (s.experiment.step_s, s.experiment.stop_s) = (Some(step_s), Some(s.experiment.start_s + stop_s));
        s
    }

    /// As [`Benchmark::couple`], with units made by `catalogue`.
    fn coupled(&self, s: &Scenario, catalogue: &dyn Catalogue) -> Result<Coupled, RunError> {
        let (assembly, _) = assemble(s, catalogue).map_err(|findings| cannot_run(&findings))?;
        let unit = |port: &PowerPort| s.unit(&port.flow.unit).map(|u| assembly.units[u]);
        let bond = |port: PowerPort| Some(Bond { unit: unit(&port)?, efforts: port.efforts, flow: port.flow.variable });
        let bonds = ports(s, &self.descriptions).into_iter().filter_map(bond).collect();
        let mut simulation = assembly.simulation()?;
        simulation.initialise()?;
        Ok(Coupled { simulation, motions: Vec::new(), bonds })
    }

    /// Whether a unit goes back by fork alone, if at all.
    fn goes_back_by_fork(&self) -> bool {
        self.descriptions.iter().any(|d| !Capabilities::of("", d).rollback)
    }

    /// The reference run up to a time \[s\] after the start.
    ///
    /// # Errors
    /// As [`trajectory::fine`].
    fn reference(&self, stop_s: f64) -> Result<Arc<Trajectory>, RunError> {
        let mut known = self.reference.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, run)) = known.as_ref().filter(|(until_s, _)| *until_s >= stop_s * (1.0 - 1e-9)) {
            return Ok(Arc::clone(run));
        }
        let mut until_s = stop_s.max(self.card.stop_s.min(2.0 * stop_s));
        // Where units take multiples of a step only, a run of some hundred steps that may be halved as often as possible.
        let mut step_s = self.card.step_s;
        if let Some(multiple_s) = self.step_multiple_s() {
            step_s = multiple_s * (until_s / (100.0 * multiple_s)).log2().floor().max(0.0).exp2();
            until_s = (until_s / step_s - 1e-6).ceil() * step_s;
        }
        let (schemes, times_s) = (references(&self.scenario), (step_s, until_s));
        let explicit: Vec<Scheme> = schemes.iter().copied().filter(|s| s.correct == Correct::Explicit).collect();
        // Going back by fork costs more than all else: only where nothing else converges.
        let cheap = self.goes_back_by_fork().then(|| trajectory::fine(self, &explicit, times_s));
        let run = match cheap {
            Some(Ok(run)) => run,
            _ => trajectory::fine(self, &schemes, times_s)?,
        };
        let run = Arc::new(run);
        *known = Some((until_s, Arc::clone(&run)));
        Ok(run)
    }
}

/// Outputs of units that others are fed with.
fn exchanged(s: &Scenario) -> Vec<(String, Place)> {
    let connections = s.connections.iter().map(|c| &c.from);
    let laws = s.laws.iter().flat_map(|l| &l.inputs);
    let maps = s.maps.iter().flat_map(|m| m.from.iter().chain(m.reaction.iter().flat_map(|r| &r.from)));
    let joints = s.constraints.iter().flat_map(|c| c.outputs());
    let of_units = connections.chain(laws).chain(maps).chain(joints).filter(|end| s.unit(&end.unit).is_some());
    let mut names: Vec<(String, Place)> = of_units.map(|end| (end.to_string(), Place::default())).collect();
    names.sort_by(|a, b| a.0.cmp(&b.0));
    names.dedup_by(|a, b| a.0 == b.0);
    names
}

/// Schemes for a reference run, those of high order first; the last one needs nothing but what the file needs.
fn references(scenario: &Scenario) -> Vec<Scheme> {
    let written = written::scheme(&scenario.coupling);
    let written = Scheme { control: Control::Fixed, energy: Energy::Monitor, ..written };
    let of = |schedule, predict, correct| Scheme { schedule, predict, correct, ..written };
    let (first, all) = (Schedule::GaussSeidel, Schedule::Jacobi);
    let mut schemes = vec![
        of(first, Predict::jerk(2), Correct::Explicit),
        of(all, Predict::integrated(2), Correct::Explicit),
        of(first, Predict { family: crate::scheme::Family::Hermite, degree: 3 }, Correct::Newton),
        of(first, Predict::classical(2), Correct::Newton),
        of(first, Predict::classical(3), Correct::Explicit),
        of(all, Predict::classical(1), Correct::Explicit),
        of(first, Predict::classical(0), Correct::Explicit),
        written,
    ];
    // Forces of joints are found by repeating macro steps.
    schemes.retain(|s| s.correct != Correct::Explicit || scenario.constraints.is_empty());
    schemes
}

impl Benchmark for FromFile {
    fn card(&self) -> Card {
        self.card
    }

    fn couple(&self, setup: &Setup<'_>) -> Result<Coupled, RunError> {
        // Told to units: a run is no longer than this.
        let stop_s = setup.stop_s.unwrap_or((self.card.stop_s / setup.step_s - 1e-6).ceil() * setup.step_s);
        self.coupled(&self.changed(setup.scheme, setup.step_s, stop_s), self.catalogue.as_ref())
    }

    fn solution(&self, times_s: &[f64]) -> Result<Vec<Vec<f64>>, RunError> {
        let run = self.reference(times_s.iter().copied().fold(0.0, f64::max))?;
        Ok(times_s.iter().map(|t_s| run.at(*t_s)).collect())
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> Vec<Quantity> {
        self.quantities.clone()
    }

    fn solution_error(&self, stop_s: f64) -> Result<f64, RunError> {
        Ok(self.reference(stop_s)?.error)
    }

    fn starts_anywhere(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Vec<Capabilities> {
        let units = self.scenario.units.iter().zip(&self.descriptions);
        let by_fork = |description| self.catalogue.rollback().forks(description);
        units
            .map(|(unit, description)| {
                let own = Capabilities::of(&unit.name, description);
                Capabilities { rollback: own.rollback || by_fork(description), ..own }
            })
            .collect()
    }

    fn written(&self) -> Option<Scheme> {
        Some(written::scheme(&self.scenario.coupling))
    }

    fn signals(&self) -> usize {
        exchanged(&self.scenario).len()
    }

    fn is_far(&self) -> bool {
        self.scenario.units.iter().any(|unit| unit.source.is_remote())
    }

    fn step_max_s(&self) -> f64 {
        // What a line carries is known for its delay.
        let delay_s = |law: &Law| match &law.kind {
            LawKind::Line(line) => Some(line.delay_s),
            _ => None,
        };
        self.scenario.laws.iter().filter_map(delay_s).fold(f64::INFINITY, f64::min)
    }

    fn step_multiple_s(&self) -> Option<f64> {
        // The longest is that of all, or no step is.
        let of =
            |(unit, description): (&Unit, &Arc<ModelDescription>)| self.scenario.step_multiple_s(unit, description);
        self.scenario.units.iter().zip(&self.descriptions).filter_map(of).reduce(f64::max)
    }

    fn growth_step_min_s(&self) -> f64 {
        // A hair more, so that rounding does not refuse it.
        self.card.stop_s / perturbed::WINDOWS_MAX * (1.0 + 1e-9)
    }

    fn growth(&self, scheme: &Scheme, step_s: f64, until: Option<Instant>) -> Result<Growth, RunError> {
        let probe = Probe::new(self.card.stop_s / step_s)?;
        let mut s = self.changed(scheme, step_s, probe.windows as f64 * step_s);
        // Signals that units exchange: others, as energies, may be products of them and grow faster.
        let exchanged = exchanged(&s);
        if !exchanged.is_empty() {
            s.record.variables = exchanged;
        }
        let start_s = s.experiment.start_s;
        let nudged = WithPulse { units: self.catalogue.as_ref(), pulse_s: probe.pulse_s(start_s, step_s), start_s };
        let couple = |is_nudged: bool| {
            let catalogue: &dyn Catalogue = if is_nudged { &nudged } else { self.catalogue.as_ref() };
            self.coupled(&s, catalogue)
        };
        Ok(Growth { radius: perturbed::radius(&couple, probe, until)?, source: Source::PerturbedRuns })
    }
}

/// Units whose inputs get a pulse.
struct WithPulse<'a> {
    units: &'a dyn Catalogue,
    pulse_s: [f64; 2],
    start_s: f64,
}

impl Catalogue for WithPulse<'_> {
    fn description(&self, source: &Fmu) -> Result<Arc<ModelDescription>, String> {
        self.units.description(source)
    }

    fn unit(&self, source: &Fmu, name: &str) -> Result<Box<dyn Slave>, String> {
        Ok(Nudged::boxed(self.units.unit(source, name)?, self.pulse_s, self.start_s))
    }

    fn forked(&self, source: &Fmu, name: &str) -> Result<Box<dyn Slave>, String> {
        Ok(Nudged::boxed(self.units.forked(source, name)?, self.pulse_s, self.start_s))
    }

    fn rollback(&self) -> Rollback {
        self.units.rollback()
    }

    fn isolates(&self) -> bool {
        self.units.isolates()
    }

    fn faces(&self, source: &Fmu) -> Vec<Face> {
        self.units.faces(source)
    }
}
