//! A simulation made from system, method and grid.

use super::Simulation;
use super::crossings::Crossings;
use crate::balance::SETTLED_DEPTH;
use crate::change::Changes;
use crate::constraint::Joints;
use crate::control::Controller;
use crate::correct::Correction;
use crate::definition::Definition;
use crate::dense::Dense;
use crate::error::RunError;
use crate::event::EventsState;
use crate::feedthrough::FeedThrough;
use crate::grid::Grid;
use crate::growth::Growth;
use crate::history::History;
use crate::iteration::{Chosen, Iteration};
use crate::line::Waves;
use crate::link::Links;
use crate::method::{Estimate, Method, Sampling};
use crate::power::EnergyBalance;
use crate::pre_step::PreStep;
use crate::record::Recorder;
use crate::relay::Relay;
use crate::repetition::Repetition;
use crate::requirements::{MIDDLE, check, stagger};
use crate::resolution::Rated;
use crate::schedule::{Plan, Schedule};
use crate::state::State;
use crate::station::Station;
use crate::supply::{Pace, Sources};
use crate::system::System;
use crate::time::Tick;
use crate::window::Window;
use crate::work::LawSources;
use std::sync::Arc;

/// Outputs that are held against their derivatives: none where nodes see inside macro steps.
fn rated(window: &Window, method: &Method) -> Vec<Rated> {
    if method.predictor.nodes() > 1 {
        return Vec::new();
    }
    window.stations.iter().flat_map(Rated::of).collect()
}

impl Simulation {
    /// Checks that system, method and grid fit together; units have been instantiated, and nothing else.
    ///
    /// # Errors
    /// [`RunError::Capability`] where the method needs what a unit does not offer, [`RunError::Grid`] for times that make
    /// no sense, [`RunError::Schedule`] for an order that is not one of all units.
    pub fn new(mut system: System, method: &Method, grid: Grid) -> Result<Self, RunError> {
        // Times, and predictors to choose from; room is made for the highest degree there is.
        let definition = Definition::new(&system, method, &grid);
        let (mut clock, steps) = grid.resolve(system.units.len(), method.schedule.parts())?;
        let chosen = method.control.as_ref().map(|c| c.family.as_slice()).unwrap_or_default();
        let family = if chosen.is_empty() { vec![method.predictor.clone()] } else { chosen.to_vec() };
        let widest = family.last().unwrap_or(&method.predictor).clone();
        let method = &Method { predictor: widest, ..method.clone() };
        if let Some(control) = &method.control {
            clock.per_unit *= Tick::from(control.parts.max(1));
        }
        check(&system, method, &steps)?;
        // The plan.
        let feed = FeedThrough::of(&system, method.predictor.rates());
        let none = FeedThrough::none(system.units.len());
        let refreshed = if method.sampling == Sampling::Updated { &feed } else { &none };
        let stagger = stagger(&system, method);
        let plan = match stagger {
            Some(order) => Plan::staggered(order, &steps, refreshed, grid.last_window(steps[0])),
            None => Plan::new(&method.schedule, &steps, refreshed).beside(|unit| system.units[unit].is_parallel()),
        };
        let mut warnings = Vec::new();
        if stagger.is_none() && matches!(method.schedule, Schedule::Palindromic(_)) {
            let warning = "half steps of neighbouring windows are not merged: the first unit has no dense output, or gets what follows its own outputs";
            warnings.push(warning.to_string());
        }
        // Units at their places, and what each of them reads.
        let mut histories = histories(&system, method, (&plan, &steps), stagger.is_some());
        let parts = method.control.as_ref().map_or(1, |control| Tick::from(control.parts.max(1)));
        let lines = Waves::of(&system, (plan.window, plan.window * parts), &clock, &mut histories)?;
        let stations = stations(&mut system, method, (&steps, stagger), &mut histories)?;
        let (channels, sources) = (system.channels.len(), LawSources::of(&system));
        let width = system.width();
        let joints = Joints::new(&system.constraints, &system.channels, &stations, channels);
        let laws = std::mem::take(&mut system.laws).into_iter().map(|l| l.law).collect();
        // Links, sources of signals, and the window that runs all of it.
        let links = Links::new(std::mem::take(&mut system.links), stations.len());
        let mut supply = Sources::new(laws, family, clock, width);
        supply.outside.resize_with(system.outside, Default::default);
        let mut window = Window::new(stations, (supply, histories), links, plan, feed.groups);
        window.lines = lines;
        window.joints = joints;
        window.balance = balance(&system, &window, method, &steps);
        // What chooses steps, and what repeats them.
        let control = control(&mut window, method)?;
        let iterates = method.correction.repeats();
        if matches!(method.correction, Correction::LinearImplicit) {
            window.pre_step = Some(Box::new(PreStep::new(&system, &mut window, channels)?));
        }
        if let Some(unit) = window.joints.silent_unit().filter(|_| !iterates) {
            return Err(silent(window.stations[unit].unit.name()));
        }
        let mut iteration = iterates.then(|| Iteration::new(&method.correction, &window, channels));
        if let (Some(iteration), Some(control)) = (&mut iteration, &control) {
            let longest_s = clock.length_s(control.longest() * window.plan.window);
            iteration.chosen = control.left_out_max().map(|left_out_max| Chosen { left_out_max, longest_s });
        }
        let repetition = Repetition::of(&system.interfaces, &window.stations);
        let crossings = Crossings::new(std::mem::take(&mut system.events), &window);
        window.revocable |= crossings.goes_back();
        // Where windows are neither controlled nor run again, and no link is carried, a relay may do what they do.
        let plain = iteration.is_none()
            && window.joints.is_empty()
            && window.pre_step.is_none()
            && control.is_none()
            && repetition.is_none()
            && crossings.is_empty();
        let held = plain && window.links.is_empty();
        let relay = if held { Relay::of(&window, 1) } else { None };
        // Nodes see motions inside macro steps, and tell where they are too few.
        let rated = rated(&window, method);
        // All of it, and ticks as fine as events want them before the state at the start is made.
        let mut simulation = Simulation {
            state: initial(&window, iteration.as_ref(), control.as_ref()),
            window,
            iteration,
            control,
            repetition,
            relay,
            recorder: Recorder::new(),
            depth: method.predictor.depth(),
            channels,
            rated,
            warnings,
            grid,
            rest: None,
            whole: None,
            until: None,
            sources,
            watches: Vec::new(),
            changes: Changes::new(system.changes),
            settings: system.settings,
            definition,
            crossings,
            past: Vec::new(),
        };
        simulation.refine();
        simulation.state = simulation.initial();
        Ok(simulation)
    }

    /// The state before initialisation.
    pub(crate) fn initial(&self) -> State {
        let mut state = initial(&self.window, self.iteration.as_ref(), self.control.as_ref());
        state.watches.resize_with(self.watches.len(), Default::default);
        state.pace.stretch =
            self.whole.unwrap_or_else(|| self.rest.as_ref().map_or(self.crossings.parts, |rest| rest.of));
        state.events = EventsState::new(&self.crossings.events);
        state.growth = Growth::new(&self.window.histories[..self.channels]);
        state.resolution = vec![Default::default(); self.rated.len()];
        state
    }
}

fn initial(window: &Window, iteration: Option<&Iteration>, control: Option<&Controller>) -> State {
    State {
        now: 0,
        pace: Pace { stretch: 1, degree: control.map_or(0, Controller::first_degree) },
        signals: window.signals(),
        stations: window.stations.iter().map(Station::state).collect(),
        loops: window.loops(),
        joints: window.joints.state(),
        guess: iteration.map(Iteration::state).unwrap_or_default(),
        learnt: Default::default(),
        control: control.map(Controller::state),
        watches: Vec::new(),
        statistics: Default::default(),
        doubts: Default::default(),
        growth: Default::default(),
        resolution: Vec::new(),
        changes_past: 0,
        events: EventsState::default(),
        diverged: None,
    }
}

/// Explicit coupling of joints, with a unit of which nothing says how a force moves it.
fn silent(unit: &str) -> RunError {
    let found =
        format!("explicit coupling, and unit `{unit}` without directional derivatives of the velocities' rates");
    let expected = "a corrector, which finds the forces of joints by repeating macro steps, as `correct = \"iqn-ils\"`";
    RunError::grid("constraints", found, expected.to_string())
}

/// Whether accounts of power bonds are closed at the end of windows, because units step at different rates, or by half steps.
fn settles(system: &System, method: &Method, steps: &[Tick]) -> bool {
    let is_apart = matches!(method.schedule, Schedule::Palindromic(_)) || steps.iter().any(|s| *s != steps[0]);
    !system.bonds.is_empty() && is_apart
}

/// Histories of all channels, then those of joints.
fn histories(system: &System, method: &Method, (plan, steps): (&Plan, &[Tick]), is_staggered: bool) -> Vec<History> {
    let nodes = if is_staggered { MIDDLE } else { method.predictor.nodes() };
    let in_window = |u: usize| (plan.window / steps[u]) as usize * nodes.max(1) + 1;
    let depth = method.predictor.depth();
    let kept = if settles(system, method, steps) { depth.max(SETTLED_DEPTH) } else { depth };
    let sampled = system.channels.iter().map(|c| History::new(c.refs.len(), kept, in_window(c.unit)));
    sampled.chain(Joints::histories(system)).collect()
}

/// Stations of all units, with dense output where the method wants it.
fn stations(
    system: &mut System,
    method: &Method,
    (steps, stagger): (&[Tick], Option<&[usize]>),
    histories: &mut Vec<History>,
) -> Result<Vec<Station>, RunError> {
    let nodes = if stagger.is_some() { MIDDLE } else { method.predictor.nodes() };
    let units = std::mem::take(&mut system.units).into_iter().enumerate();
    let mut stations: Vec<Station> =
        units.map(|(u, unit)| Station::new((system, u), unit, steps[u], method, histories)).collect();
    for (u, station) in stations.iter_mut().enumerate() {
        if nodes > 0 && stagger.is_none_or(|order| order.first() == Some(&u)) {
            // Of a merged step, the middle; a half step is as if nothing were merged.
            let shortest = if stagger.is_some() { steps[u] } else { 0 };
            station.dense = Some(Dense::new((system, u), station.unit.as_mut(), nodes, shortest)?);
        }
        // Predictors of a family are not all alike, and a model of a step takes polynomials.
        if method.control.is_some() || matches!(method.correction, Correction::LinearImplicit) {
            station.holds = false;
        }
    }
    Ok(stations)
}

/// The accounts of the power bonds, where there are any.
fn balance(system: &System, window: &Window, method: &Method, steps: &[Tick]) -> Option<EnergyBalance> {
    let mut balance = EnergyBalance::new(system, &window.stations, method)?;
    if settles(system, method, steps) {
        balance.settle_windows(window.plan.window, steps, method.schedule.parts());
    }
    Some(balance)
}

/// Step control, where it is wanted.
fn control(window: &mut Window, method: &Method) -> Result<Option<Controller>, RunError> {
    let Some(control) = &method.control else { return Ok(None) };
    if window.balance.is_none() && control.estimate == Estimate::Ecco {
        let (found, expected) = ("no power bond".to_string(), "a power bond, or the estimate of errors".to_string());
        return Err(RunError::grid("step control by residual energy", found, expected));
    }
    let family: &[Arc<_>] = &window.sources.family;
    let controller = Controller::new(control, family, &window.stations, (window.blind(), method.correction.repeats()));
    window.revocable = controller.revocable;
    Ok(Some(controller))
}
