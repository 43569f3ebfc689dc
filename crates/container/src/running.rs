//! The run inside: a simulation of the scenario, with the last values from outside.

use macrostep_description::Value;
use macrostep_master::record::Observer;
use macrostep_master::unit::set;
use macrostep_master::{RunError, SavedState, Simulation, UnitId};
use macrostep_ode::Polynomials;
use macrostep_slave::{Fault, Memory};
use macrostep_system::scenario::{Place, Scenario, Setting, Value as ScenarioValue};
use macrostep_system::{Finding, assemble};
use serde::{Deserialize, Serialize};

use crate::contents::Contents;
use crate::course::Course;
use crate::declaration::{Alias, Type};
use crate::judged::Judged;
use crate::said::Said;
use crate::slaves::Inside;

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
            s.experiment.stop_s = Some(made.stop_s);
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
    units: Vec<UnitId>,
    /// Whether it is where initialisation has left it.
    pub is_fresh: bool,
    /// Polynomials of the real inputs as they were told, their origin at the present time.
    told: Polynomials,
    /// Values of the other inputs, then of the tunable parameters, as they were told.
    told_others: Vec<Value>,
    wanted: Polynomials,
    /// Of the real inputs, where they are extrapolated.
    course: Option<Course>,
    /// What was told of its verdict.
    pub judged: Judged,
}

/// What a state of the run is kept as.
#[derive(Serialize, Deserialize)]
struct Kept {
    state: SavedState,
    /// With extrapolated inputs: their values, and their polynomials as they were told.
    course: Option<(Course, Vec<Vec<f64>>)>,
}

impl Running {
    /// A simulation that is initialised with the values of a memory.
    ///
    /// # Errors
    /// In words: what the assembly finds wrong, and what a unit answers.
    pub fn start(contents: &Contents, said: &Said, made: Made, memory: &Memory) -> Result<Running, String> {
        // The scenario, assembled with its units as the container's slaves.
        let scenario = contents.scenario(&made);
        let Contents { fmus, slaves, resources, .. } = contents;
        let inside = Inside { fmus, slaves: *slaves, resources, isolate: made.isolate, said };
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
        let simulation = assembly.simulation().map_err(|e| e.to_string())?;
        let course = made.extrapolate.then(Course::default);
        let mut running = Running {
            simulation,
            made,
            units,
            is_fresh: true,
            told: Polynomials::default(),
            told_others: Vec::new(),
            wanted: Polynomials::default(),
            course,
            judged: Judged::default(),
        };
        running.retell(contents, memory);
        running.simulation.initialise().map_err(|e| e.to_string())?;
        Ok(running)
    }

    /// Takes what a memory holds for told: the units have it already, or are about to get it.
    pub fn retell(&mut self, contents: &Contents, memory: &Memory) {
        self.told = wanted(contents, memory);
        self.told_others = others(contents).map(|alias| value(memory, alias)).collect();
        for i in 0..self.told.count() {
            self.simulation.set_outside(i, &coefficients(&self.told, i));
        }
    }

    /// Sets all values in the run that were changed outside since the last call.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn tell(&mut self, contents: &Contents, memory: &Memory) -> Result<(), RunError> {
        // Values that are not real, and parameters.
        for (i, alias) in others(contents).enumerate() {
            let now = value(memory, alias);
            if self.told_others[i] != now {
                set(self.simulation.unit_mut(self.units[alias.unit]), alias.inner, &now)?;
                self.told_others[i] = now;
            }
        }
        // Polynomials. What a step has left is told already, extrapolated or not.
        let is_left = self.course.as_ref().is_some_and(|course| course.knows(reals(contents, memory)));
        if !is_left && !is_told(&self.told, contents, memory) {
            self.wanted = wanted(contents, memory);
            self.give()?;
        }
        Ok(())
    }

    /// Gives the units the wanted polynomials.
    fn give(&mut self) -> Result<(), RunError> {
        let mut is_other = false;
        for i in 0..self.wanted.count() {
            is_other |= self.simulation.set_outside(i, &coefficients(&self.wanted, i));
        }
        std::mem::swap(&mut self.told, &mut self.wanted);
        if is_other { self.simulation.refresh() } else { Ok(()) }
    }

    /// A step begins: inputs that came without derivatives go on as they did over the step before, where that is asked for.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn begin(&mut self, contents: &Contents, memory: &Memory) -> Result<(), RunError> {
        let Some(course) = &mut self.course else { return Ok(()) };
        course.begin(self.simulation.time_s(), reals(contents, memory).collect());
        self.wanted = wanted(contents, memory);
        for i in 0..self.wanted.count() {
            if (1..=self.wanted.degree()).all(|j| self.wanted.coefficient(i, j) == 0.0) {
                self.wanted.set(i, 1, course.slope(i));
            }
        }
        self.give()
    }

    /// The polynomial of a real input as it was told.
    pub(crate) fn told_polynomial(&self, i: usize) -> Vec<f64> {
        coefficients(&self.told, i)
    }

    /// Its value at the present time.
    pub(crate) fn told_value(&self, i: usize) -> f64 {
        self.told.coefficient(i, 0)
    }

    /// Windows over `step_s` seconds.
    ///
    /// # Errors
    /// As [`Simulation::reach`].
    pub fn step(&mut self, step_s: f64) -> Result<(), RunError> {
        self.is_fresh = false;
        let to_s = self.simulation.time_s() + step_s;
        self.simulation.reach(to_s)?;
        // The slave moves the origin of its polynomials in the same way.
        if self.told.degree() > 0 {
            self.told.shift(step_s);
        }
        Ok(())
    }

    /// Whether a step of `step_s` seconds ends where the units meet.
    pub fn reaches(&self, step_s: f64) -> bool {
        self.simulation.reaches(self.simulation.time_s() + step_s)
    }

    /// Writes the outputs into a memory.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn show(&mut self, contents: &Contents, memory: &mut Memory) -> Result<(), RunError> {
        self.simulation.observe(&mut Shown { outputs: &contents.table.outputs, memory })
    }

    /// Derivatives of outputs, as their units give them.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn output_derivative(&mut self, alias: &Alias, order: i32) -> Result<f64, RunError> {
        let mut out = [0.0];
        let unit = self.simulation.unit_mut(self.units[alias.unit]);
        unit.get_output_derivatives(&[alias.inner], &[order], &mut out)?;
        Ok(out[0])
    }

    /// Everything that changes, as bytes.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn keep(&mut self) -> Result<Vec<u8>, String> {
        let state = self.simulation.saved_state().map_err(|e| e.to_string())?;
        let told = || (0..self.told.count()).map(|i| coefficients(&self.told, i)).collect();
        let course = self.course.clone().map(|course| (course, told()));
        postcard::to_stdvec(&Kept { state, course }).map_err(|e| e.to_string())
    }

    /// Goes on where bytes were kept.
    ///
    /// # Errors
    /// Where they are those of something else, and what a unit answers.
    pub fn recall(&mut self, bytes: &[u8], contents: &Contents, memory: &Memory) -> Result<(), String> {
        let kept: Kept = postcard::from_bytes(bytes).map_err(|e| e.to_string())?;
        self.is_fresh = false;
        self.simulation.resume(&kept.state).map_err(|e| e.to_string())?;
        self.retell(contents, memory);
        // Inputs that were extrapolated are not those the memory has.
        let Some((course, told)) = kept.course else { return Ok(()) };
        if told.len() != self.told.count() {
            return Err(format!("{} inputs, expected {}", told.len(), self.told.count()));
        }
        for (i, coefficients) in told.iter().enumerate() {
            coefficients.iter().enumerate().for_each(|(j, c)| self.told.set(i, j, *c));
            self.simulation.set_outside(i, coefficients);
        }
        self.course = Some(course);
        Ok(())
    }
}

/// Inputs that are not real, then tunable parameters.
fn others(contents: &Contents) -> impl Iterator<Item = &Alias> {
    contents.table.others.iter().chain(&contents.table.tunable)
}

/// Values of the real inputs.
fn reals<'a>(contents: &'a Contents, memory: &'a Memory) -> impl Iterator<Item = f64> + 'a {
    contents.table.reals.iter().map(|alias| memory.reals[alias.outer])
}

/// The polynomials of the real inputs from the present time on.
fn wanted(contents: &Contents, memory: &Memory) -> Polynomials {
    let mut wanted = memory.inputs.clone();
    for (value, alias) in wanted.values_mut().iter_mut().zip(&contents.table.reals) {
        *value = memory.reals[alias.outer];
    }
    wanted
}

fn coefficients(of: &Polynomials, i: usize) -> Vec<f64> {
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

/// Takes a row into a memory.
struct Shown<'a> {
    outputs: &'a [Alias],
    memory: &'a mut Memory,
}

impl Observer for Shown<'_> {
    fn row(&mut self, _t_s: f64, values: &[f64]) {
        for (alias, value) in self.outputs.iter().zip(values) {
            match alias.kind {
                Type::Real => self.memory.reals[alias.outer] = *value,
                // They were integers.
                Type::Integer => self.memory.integers[alias.outer] = *value as i32,
                Type::Boolean => self.memory.booleans[alias.outer] = *value != 0.0,
                Type::Text => {}
            }
        }
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        for (place, text) in texts {
            if let Some(alias) = self.outputs.get(*place) {
                self.memory.strings[alias.outer].clone_from(text);
            }
        }
    }
}

fn first_error(findings: &[Finding]) -> String {
    let errors = findings.iter().filter(|f| f.severity == macrostep_system::Severity::Error);
    errors.map(ToString::to_string).next().unwrap_or_else(|| "the scenario cannot run".to_owned())
}

/// A failure of the run inside as the outer master sees it.
pub(crate) fn failed(t_s: f64, error: &impl ToString) -> Fault {
    Fault::Model { t_s, message: error.to_string() }
}
