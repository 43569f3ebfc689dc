//! The run inside: a simulation of the scenario, with the last values from outside.

use macrostep_description::Value;
use macrostep_master::unit::set;
use macrostep_master::{RunError, Simulation, UnitId};
use macrostep_ode::Polynomials;
use macrostep_slave::{Fault, Memory};
use macrostep_system::scenario::{Place, Scenario, Setting, Value as ScenarioValue};
use macrostep_system::{Finding, assemble};

use crate::between::Between;
use crate::contents::Contents;
use crate::declaration::{Alias, Type};
use crate::extrapolation::Extrapolation;
use crate::judged::Judged;
use crate::messages::Messages;
use crate::slaves::Inside;
use crate::steps::end_s;

/// What a simulation was made with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    start_s: f64,
    stop_s: f64,
    /// Whether each unit has a process of its own.
    isolate: bool,
    /// Whether inputs are extrapolated.
    extrapolate: bool,
    /// Parameters and inputs that are not as the scenario has them, each with its value.
    changed: Vec<(Given, Value)>,
}

/// One of the lists of variables that are given from outside, and a place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    Parameter(usize),
    Real(usize),
    Other(usize),
}

impl Made {
    /// From what a memory holds.
    pub fn of(contents: &Contents, memory: &Memory) -> Made {
        let table = &contents.table;
        let lists: [(&[Alias], fn(usize) -> Given); 3] =
            [(&table.parameters, Given::Parameter), (&table.reals, Given::Real), (&table.others, Given::Other)];
        let of_list = |(list, given): (&[Alias], fn(usize) -> Given)| {
            let values = list.iter().enumerate().map(move |(i, alias)| (given(i), alias, value(memory, alias)));
            let changed = values.filter(|(_, alias, now)| alias.start.as_ref() != Some(now));
            changed.map(|(given, _, now)| (given, now)).collect::<Vec<_>>()
        };
        let changed = lists.into_iter().flat_map(of_list).collect();
        let [isolate, extrapolate] = [table.isolate, table.extrapolate].map(|reference| memory.booleans[reference]);
        Made { start_s: memory.start_s, stop_s: memory.stop_s, isolate, extrapolate, changed }
    }

    /// Whether a state saved in a simulation made so can be taken up in one made otherwise: inputs are told again.
    pub fn serves(&self, other: &Made) -> bool {
        let parameters = |made: &Made| {
            made.changed.iter().filter(|(g, _)| matches!(g, Given::Parameter(_))).cloned().collect::<Vec<_>>()
        };
        let ways = |made: &Made| (made.start_s, made.stop_s, made.isolate, made.extrapolate);
        ways(self) == ways(other) && parameters(self) == parameters(other)
    }
}

impl Contents {
    /// The scenario from start to stop with values that were given from outside.
    fn scenario(&self, made: &Made) -> Scenario {
        // The scenario's own start and stop give way to those from outside.
        let mut s = self.scenario.clone();
        let place = Place::option("given from outside");
        s.experiment.start_s = made.start_s;
        if made.stop_s.is_finite() {
            // What would come after the stop does not.
            s.experiment.stop_s = Some(end_s(&self.scenario, &self.descriptions, made.start_s, made.stop_s));
            s.events.retain(|e| e.at_s < made.stop_s);
        }
        // What was given takes the place of what the scenario says.
        for (given, value) in &made.changed {
            let alias = match given {
                Given::Parameter(i) => &self.table.parameters[*i],
                Given::Real(i) => &self.table.reals[*i],
                Given::Other(i) => &self.table.others[*i],
            };
            let name = s.units[alias.unit].name.clone();
            for set in &mut s.sets {
                set.settings.retain(|(unit, x)| *unit != name || x.variable != alias.name);
            }
            // The value in the scenario's types.
            let value = match value {
                Value::Real(x) => ScenarioValue::Real(*x),
                Value::Integer(i) => ScenarioValue::Integer(i64::from(*i)),
                Value::Boolean(b) => ScenarioValue::Boolean(*b),
                Value::String(t) => ScenarioValue::Text(t.clone()),
            };
            s.units[alias.unit].settings.push(Setting::new(&alias.name, value, place.clone()));
        }
        s
    }
}

/// The value a variable has outside.
pub(crate) fn value(memory: &Memory, alias: &Alias) -> Value {
    match alias.kind {
        Type::Real => Value::Real(memory.reals[alias.outer]),
        Type::Integer => Value::Integer(memory.integers[alias.outer]),
        Type::Boolean => Value::Boolean(memory.booleans[alias.outer]),
        Type::Text => Value::String(memory.strings[alias.outer].clone()),
    }
}

/// A simulation under way.
pub(crate) struct Running {
    pub simulation: Simulation,
    pub made: Made,
    pub(crate) units: Vec<UnitId>,
    /// Whether it is where initialisation has left it.
    pub is_fresh: bool,
    /// Polynomials of the real inputs as they were told, their origin at the present time.
    pub(crate) told: Polynomials,
    /// Values of the other inputs, then of the tunable parameters, as they were told; `None` where that is not known.
    pub(crate) told_others: Vec<Option<Value>>,
    pub(crate) wanted: Polynomials,
    /// Of the real inputs, where they are extrapolated.
    pub(crate) extrapolation: Option<Extrapolation>,
    /// Where the run is ahead of the outer master: its last window.
    pub between: Option<Between>,
    /// Whether its windows are shortened rather than passed.
    pub(crate) is_free: bool,
    /// What was told of its verdict.
    pub judged: Judged,
}

impl Running {
    /// A simulation that is initialised with the values of a memory.
    ///
    /// # Errors
    /// In words: what the assembly finds wrong, and what a unit answers.
    pub fn start(contents: &Contents, messages: &Messages, made: Made, memory: &Memory) -> Result<Running, String> {
        // The scenario, assembled with its units as the container's slaves.
        let scenario = contents.scenario(&made);
        let Contents { fmus, slaves, resources, .. } = contents;
        let inside = Inside { fmus, slaves: *slaves, resources, isolate: made.isolate, messages };
        let (mut assembly, _) = assemble(&scenario, &inside).map_err(|findings| first_error(&findings))?;
        // A run without a stop has an open end.
        if made.stop_s.is_infinite() {
            assembly.grid.stop_s = None;
        }
        // Real inputs are fed from outside, as polynomials.
        let units = assembly.units.clone();
        for alias in &contents.table.reals {
            assembly.system.connect_outside(units[alias.unit], &alias.name).map_err(|e| e.to_string())?;
        }
        // The run, which is told all inputs anew before it initialises.
        let mut simulation = assembly.simulation().map_err(|e| e.to_string())?;
        let is_free = contents.table.varies && simulation.shorten();
        let extrapolation = made.extrapolate.then(Extrapolation::default);
        let mut running = Running {
            simulation,
            made,
            units,
            is_fresh: true,
            told: Polynomials::default(),
            told_others: Vec::new(),
            wanted: Polynomials::default(),
            extrapolation,
            between: None,
            is_free,
            judged: Judged::default(),
        };
        running.retell(contents, memory);
        running.simulation.initialise().map_err(|e| e.to_string())?;
        Ok(running)
    }

    /// Takes what a memory holds for told: the units have it already, or are about to get it.
    pub fn retell(&mut self, contents: &Contents, memory: &Memory) {
        self.told = wanted(contents, memory);
        self.told_others = others(contents).map(|alias| Some(value(memory, alias))).collect();
        for i in 0..self.told.count() {
            self.simulation.set_outside(i, &coefficients(&self.told, i));
        }
    }

    /// Sets all values in the run that were changed outside since the last call.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn tell(&mut self, contents: &Contents, memory: &Memory) -> Result<(), RunError> {
        // Between two points of its grid a run is told nothing.
        if self.between.is_some() {
            return Ok(());
        }
        self.tell_others(contents, memory)?;
        // Polynomials. What a step has left is told already, extrapolated or not.
        let is_left =
            self.extrapolation.as_ref().is_some_and(|extrapolation| extrapolation.knows(reals(contents, memory)));
        if !is_left && !is_told(&self.told, contents, memory) {
            self.wanted = wanted(contents, memory);
            self.give()?;
        }
        Ok(())
    }

    /// Values that are not real, and parameters.
    pub(crate) fn tell_others(&mut self, contents: &Contents, memory: &Memory) -> Result<(), RunError> {
        for (i, alias) in others(contents).enumerate() {
            let now = value(memory, alias);
            if self.told_others[i].as_ref() != Some(&now) {
                set(self.simulation.unit_mut(self.units[alias.unit]), alias.inner, &now)?;
                self.told_others[i] = Some(now);
            }
        }
        Ok(())
    }

    /// Gives the units the wanted polynomials.
    pub(crate) fn give(&mut self) -> Result<(), RunError> {
        let mut is_other = false;
        for i in 0..self.wanted.count() {
            is_other |= self.simulation.set_outside(i, &coefficients(&self.wanted, i));
        }
        std::mem::swap(&mut self.told, &mut self.wanted);
        if is_other { self.simulation.refresh() } else { Ok(()) }
    }

    /// The polynomial of a real input as it was told.
    pub(crate) fn told_polynomial(&self, i: usize) -> Vec<f64> {
        coefficients(&self.told, i)
    }

    /// Its value at the present time.
    pub(crate) fn told_value(&self, i: usize) -> f64 {
        self.told.coefficient(i, 0)
    }
}

/// Inputs that are not real, then tunable parameters.
fn others(contents: &Contents) -> impl Iterator<Item = &Alias> {
    contents.table.others.iter().chain(&contents.table.tunable)
}

/// Values of the real inputs.
pub(crate) fn reals<'a>(contents: &'a Contents, memory: &'a Memory) -> impl Iterator<Item = f64> + 'a {
    contents.table.reals.iter().map(|alias| memory.reals[alias.outer])
}

/// The polynomials of the real inputs from the present time on.
pub(crate) fn wanted(contents: &Contents, memory: &Memory) -> Polynomials {
    let mut wanted = memory.inputs.clone();
    for (value, alias) in wanted.values_mut().iter_mut().zip(&contents.table.reals) {
        *value = memory.reals[alias.outer];
    }
    wanted
}

pub(crate) fn coefficients(of: &Polynomials, i: usize) -> Vec<f64> {
    (0..=of.degree()).map(|j| of.coefficient(i, j)).collect()
}

/// Whether the polynomials in a memory are those that were told.
fn is_told(told: &Polynomials, contents: &Contents, memory: &Memory) -> bool {
    let is_same = |(i, alias): (usize, &Alias)| {
        let degree = told.degree().max(memory.inputs.degree());
        told.coefficient(i, 0) == memory.reals[alias.outer]
            && (1..=degree).all(|j| higher(told, i, j) == higher(&memory.inputs, i, j))
    };
    contents.table.reals.iter().enumerate().all(is_same)
}

fn higher(of: &Polynomials, i: usize, j: usize) -> f64 {
    if j <= of.degree() { of.coefficient(i, j) } else { 0.0 }
}

fn first_error(findings: &[Finding]) -> String {
    let errors = findings.iter().filter(|f| f.severity == macrostep_system::Severity::Error);
    errors.map(ToString::to_string).next().unwrap_or_else(|| "the scenario cannot run".to_owned())
}

/// A failure of the run inside as the outer master sees it.
pub(crate) fn failed(t_s: f64, error: &impl ToString) -> Fault {
    Fault::Model { t_s, message: error.to_string() }
}
