//! A *simulation*: a system coupled by a method on a grid, from initialisation to the end, step by step.

mod advance;
mod beginning;
pub(crate) mod changes;
mod construction;
mod course;
mod crossing;
mod crossings;
pub(crate) mod definition;
mod ended;
pub(crate) mod excursion;
pub(crate) mod grid;
mod led;
pub(crate) mod map;
mod outcome;
mod reach;
mod remainder;
pub(crate) mod requirements;
pub(crate) mod saved_state;
pub(crate) mod second_look;
pub(crate) mod verdict;

pub use remainder::windows_and_rest;

use crate::error::{RunError, SystemError};
use crate::ids::{ChannelId, LawId, UnitId};
use crate::method::predict::Edge;
use crate::method::schedule::Plan;
use crate::record::{Column, Observer};
use crate::run::changes::Changes;
use crate::run::definition::Definition;
use crate::run::grid::Grid;
use crate::step::compiled::CompiledPlan;
use crate::step::control::Controller;
use crate::step::iteration::Iteration;
use crate::step::recorder::Recorder;
use crate::step::repetition::Repetition;
use crate::step::resolution::Rated;
use crate::step::state::State;
use crate::step::window::Window;
use crate::step::work::{LawSources, WatchState, WorkWatch};
use crate::system::law::Law;
use crate::system::settings::Settings;
use crate::time::Tick;
use crate::unit::{Distance, Unit};
use crossings::Crossings;
use nalgebra::DMatrix;
use remainder::Rest;

/// A run: its definition, its units, and its state.
pub struct Simulation {
    pub(crate) window: Window,
    pub(crate) state: State,
    iteration: Option<Iteration>,
    control: Option<Controller>,
    /// What repeats windows because of an interface model.
    repetition: Option<Repetition>,
    /// The plan as copies and calls, where inputs are held and nothing is taken back.
    pub(crate) compiled: Option<CompiledPlan>,
    recorder: Recorder,
    depth: usize,
    /// How many channels there are.
    pub(crate) channels: usize,
    /// Outputs that are sampled with their derivatives.
    pub(crate) rated: Vec<Rated>,
    warnings: Vec<String>,
    grid: Grid,
    /// A last window that is shorter than the others.
    rest: Option<Rest>,
    /// How many times as long as made whole steps are, where windows may be shortened to any length.
    whole: Option<Tick>,
    /// Where step control must arrive before the end.
    until: Option<Tick>,
    /// Windows until now after which histories began anew because a signal jumped in them.
    jumps: u64,
    sources: LawSources,
    watches: Vec<WorkWatch>,
    /// Values that units are given on the way.
    changes: Changes,
    crossings: Crossings,
    /// What each unit is told when it is initialised.
    settings: Vec<Settings>,
    /// What a saved state must be of.
    pub(crate) definition: Definition,
    /// Rows of channels before the start \[s\], which histories begin with.
    past: Vec<(ChannelId, f64, Vec<f64>)>,
}

/// What is recorded and looked at.
impl Simulation {
    /// Records a variable of a unit, of any type, in a column of the given name.
    ///
    /// # Errors
    /// [`SystemError::UnknownVariable`] where the unit has none of that name.
    pub fn record(&mut self, unit: UnitId, variable: &str, column: &str) -> Result<(), SystemError> {
        let unit_port = &self.window.unit_ports[unit.index()];
        let variables = &unit_port.unit.description().variables;
        let Some(i) = variables.iter().position(|v| v.name == variable) else {
            return Err(SystemError::UnknownVariable {
                unit: unit_port.unit.name().to_string(),
                variable: variable.to_string(),
                hint: "name one that its model description has".to_string(),
            });
        };
        self.record_at(unit, i, column);
        Ok(())
    }

    /// As [`Simulation::record`], by the variable's position in the model description, which must be one.
    pub fn record_at(&mut self, unit: UnitId, variable: usize, column: &str) {
        // What a unit is at mid-step is known of its sampled outputs only.
        if self.window.plan.is_staggered() && self.state.now == 0 {
            let unit_port = &self.window.unit_ports[unit.index()];
            let v = &unit_port.unit.description().variables[variable];
            if v.real().is_none() || !unit_port.outputs.refs.contains(&v.value_reference) {
                self.window.set_half_steps_apart(&mut self.state);
            }
        }
        self.recorder.add(&self.window.unit_ports, unit.index(), variable, column.to_string());
    }

    /// Checks from now on, at every communication point, that two laws conserve virtual work: positions go forward by
    /// `forward`, forces come back by `back`. The largest defect is in [`crate::Statistics::work_defect`]; one above
    /// [`crate::WORK_TOLERANCE`] ends the run.
    ///
    /// # Errors
    /// [`SystemError::LawShape`] where one has not as many outputs as the other has inputs.
    pub fn watch_work(&mut self, forward: LawId, back: LawId) -> Result<(), SystemError> {
        let supply = &self.window.sources;
        let Some(watch) = WorkWatch::new(supply, &self.sources, forward, back) else {
            let outputs = |law: LawId| supply.laws.get(law.0).map_or(0, |l| l.outputs());
            let (found, expected) = (outputs(back), self.sources.inputs(forward));
            return Err(SystemError::LawShape { what: "outputs on the way back", found, expected });
        };
        self.watches.push(watch);
        self.state.watches.push(WatchState::default());
        Ok(())
    }

    /// Columns of the rows an observer gets, without time.
    pub fn columns(&self) -> &[Column] {
        &self.recorder.columns
    }

    /// Reads the recorded variables now.
    #[inline]
    pub fn observe(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let now = self.state.now;
        let mut coupled = self.window.parts(&mut self.state);
        self.recorder.read(&mut coupled, now, None)?;
        self.recorder.tell(coupled.supply.clock.seconds(now), observer);
        Ok(())
    }

    /// The newest sample of a channel that is not ahead of the present time.
    #[inline]
    pub fn latest(&self, channel: ChannelId) -> &[f64] {
        let history = &self.state.signals.histories[channel.index()];
        history.row(history.not_after(self.state.now))
    }

    /// The newest samples of all channels that are not ahead of the present time; of a motion, displacement and velocity, because an
    /// acceleration jumps where forces do.
    pub(crate) fn compared(&self) -> impl Iterator<Item = &[f64]> {
        let now = self.state.now;
        let is_motion = self.window.sources.family.iter().any(|predictor| predictor.edge() == Edge::BeforeLaw);
        self.state.signals.histories[..self.channels].iter().map(move |history| {
            let row = history.row(history.not_after(now));
            if is_motion { &row[..row.len().min(2)] } else { row }
        })
    }

    /// Present time \[s\].
    pub fn time_s(&self) -> f64 {
        self.window.sources.clock.seconds(self.state.now)
    }

    /// Length of a window \[s\]: the shortest span after which all units meet.
    pub fn window_s(&self) -> f64 {
        self.window.sources.clock.length_s(self.window.length(&self.state))
    }

    /// The plan that is carried out in each window, in ticks as it was made.
    pub fn plan(&self) -> &Plan {
        &self.window.plan
    }

    /// Warnings of the run.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Calls of `fmi2DoStep` of each unit.
    pub fn do_steps(&self) -> Vec<u64> {
        self.window.unit_ports.iter().map(|s| s.unit.do_steps()).collect()
    }

    /// "fmu", "native" or "isolated" of each unit.
    pub fn kinds(&self) -> Vec<&'static str> {
        self.window.unit_ports.iter().map(|s| s.unit.kind()).collect()
    }

    /// How far each unit is away, `None` of those on this machine.
    pub fn distances(&self) -> Vec<Option<Distance>> {
        self.window.unit_ports.iter().map(|s| s.unit.distance()).collect()
    }

    /// A unit, to drive it by hand between windows.
    pub fn unit_mut(&mut self, unit: UnitId) -> &mut dyn Unit {
        self.window.unit_ports[unit.index()].unit.as_mut()
    }

    /// Puts another law in the place of one; it must have the same inputs and outputs.
    pub fn replace_law(&mut self, law: LawId, by: Box<dyn Law>) {
        self.window.sources.laws[law.0] = by;
    }

    /// The interface Jacobian at the present state; `None` where units offer none, or nothing is guessed.
    pub(crate) fn interface_jacobian(&mut self) -> Result<Option<DMatrix<f64>>, RunError> {
        if let Some(iteration) = &self.iteration {
            return Ok(iteration.interface_jacobian(&mut self.window, &mut self.state)?);
        }
        // An explicit run guesses nothing: what an implicit one would.
        let iteration = Iteration::new(&crate::method::correct::Correction::Explicit, &self.window, self.channels);
        let before = std::mem::replace(&mut self.state.guess, iteration.state());
        let jacobian = iteration.interface_jacobian(&mut self.window, &mut self.state);
        self.state.guess = before;
        Ok(jacobian?)
    }
}
