//! A simulation made from system, method and grid.

use super::Simulation;
use super::crossings::Crossings;
use crate::error::RunError;
use crate::method::correct::Correction;
use crate::method::predict::Predictor;
use crate::method::schedule::{Plan, Schedule};
use crate::method::{Estimate, Method, Sampling};
use crate::run::changes::Changes;
use crate::run::definition::Definition;
use crate::run::grid::Grid;
use crate::run::requirements::{MIDDLE, check, stagger};
use crate::signal::history::History;
use crate::step::balance::SETTLED_DEPTH;
use crate::step::compiled::CompiledPlan;
use crate::step::control::Controller;
use crate::step::dense::Dense;
use crate::step::events::EventsState;
use crate::step::growth::Growth;
use crate::step::iteration::{Chosen, Iteration};
use crate::step::joints::Joints;
use crate::step::line::Waves;
use crate::step::power::EnergyBalance;
use crate::step::pre_step::PreStep;
use crate::step::recorder::Recorder;
use crate::step::repetition::Repetition;
use crate::step::resolution::Rated;
use crate::step::state::State;
use crate::step::supply::{Pace, Sources};
use crate::step::unit_port::UnitPort;
use crate::step::window::Window;
use crate::step::work::LawSources;
use crate::system::System;
use crate::system::feedthrough::FeedThrough;
use crate::system::link::Links;
use crate::time::{Clock, Tick};
use std::sync::Arc;

/// Outputs that are held against their derivatives: none where nodes see inside macro steps.
fn rated(window: &Window, method: &Method) -> Vec<Rated> {
    if method.predictor.nodes() > 1 {
        return Vec::new();
    }
    window.unit_ports.iter().flat_map(Rated::of).collect()
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
        // The plan, and the window that runs it.
        let feed = FeedThrough::of(&system, method.predictor.rates());
        let resolved = Resolved { method, clock, steps: &steps, stagger: stagger(&system, method) };
        let plan = plan(&system, &resolved, &feed, &grid);
        let mut warnings = Vec::new();
        if resolved.stagger.is_none() && matches!(method.schedule, Schedule::Palindromic(_)) {
            let warning = "half steps of neighbouring windows are not merged: the first unit has no dense output, or gets what follows its own outputs";
            warnings.push(warning.to_string());
        }
        let (channels, sources) = (system.channels.len(), LawSources::of(&system));
        let mut window = window(&mut system, &resolved, (plan, feed.groups), family)?;
        // What chooses steps, and what repeats them.
        let control = control(&mut window, method)?;
        let iteration = iteration((&system, channels), &mut window, method, control.as_ref())?;
        let repetition = Repetition::of(&system.interfaces, &window.unit_ports);
        let crossings = Crossings::new(std::mem::take(&mut system.events), &window);
        window.revocable |= crossings.goes_back();
        // Where windows are neither controlled nor run again, and no link is carried, a compiled plan may do what they do.
        let plain = iteration.is_none()
            && window.joints.is_empty()
            && window.pre_step.is_none()
            && control.is_none()
            && repetition.is_none()
            && crossings.is_empty();
        let held = plain && window.links.is_empty();
        let compiled = if held { CompiledPlan::of(&window, 1) } else { None };
        // Nodes see motions inside macro steps, and tell where they are too few.
        let rated = rated(&window, method);
        // All of it, and ticks as fine as events want them before the state at the start is made.
        let mut simulation = Simulation {
            state: initial(&window, iteration.as_ref(), control.as_ref()),
            window,
            iteration,
            control,
            repetition,
            compiled,
            recorder: Recorder::new(),
            depth: method.predictor.depth(),
            channels,
            rated,
            warnings,
            grid,
            rest: None,
            whole: None,
            until: None,
            jumps: 0,
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
        unit_ports: window.unit_ports.iter().map(UnitPort::state).collect(),
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

/// How a system is coupled, with times in ticks.
struct Resolved<'a> {
    method: &'a Method,
    clock: Clock,
    /// Macro step of each unit.
    steps: &'a [Tick],
    /// The order in which half steps of neighbouring windows are merged, where they can be.
    stagger: Option<&'a [usize]>,
}

/// The plan of a schedule, in which half steps of neighbouring windows are merged where there is an order for that.
fn plan(system: &System, resolved: &Resolved<'_>, feed: &FeedThrough, grid: &Grid) -> Plan {
    let Resolved { method, steps, stagger, .. } = resolved;
    let none = FeedThrough::none(system.units.len());
    let refreshed = if method.sampling == Sampling::Updated { feed } else { &none };
    match stagger {
        Some(order) => Plan::staggered(order, steps, refreshed, grid.last_window(steps[0])),
        None => Plan::new(&method.schedule, steps, refreshed).beside(|unit| system.units[unit].is_parallel()),
    }
}

/// Units at their places, what each of them reads, and the window that runs all of it.
fn window(
    system: &mut System,
    resolved: &Resolved<'_>,
    (plan, groups): (Plan, Vec<Vec<usize>>),
    family: Vec<Arc<dyn Predictor>>,
) -> Result<Window, RunError> {
    let Resolved { method, clock, steps, stagger } = *resolved;
    // Histories of channels, of joints, of lines, and those that inputs have of their own.
    let mut histories = histories(system, method, (&plan, steps), stagger.is_some());
    let parts = method.control.as_ref().map_or(1, |control| Tick::from(control.parts.max(1)));
    let lines = Waves::of(system, (plan.window, plan.window * parts), &clock, &mut histories)?;
    let unit_ports = unit_ports(system, method, (steps, stagger), &mut histories)?;
    let joints = Joints::new(&system.constraints, &system.channels, &unit_ports, system.channels.len());
    // Links, and sources of signals.
    let links = Links::new(std::mem::take(&mut system.links), unit_ports.len());
    let width = system.width();
    let laws = std::mem::take(&mut system.laws).into_iter().map(|l| l.law).collect();
    let mut supply = Sources::new(laws, family, clock, width);
    supply.outside.resize_with(system.outside, Default::default);
    let mut window = Window::new(unit_ports, supply, links, plan, groups);
    window.histories = histories;
    window.lines = lines;
    window.joints = joints;
    window.balance = balance(system, &window, method, steps);
    Ok(window)
}

/// What repeats windows, where the method does; the models of a window that is run once are put into it.
fn iteration(
    (system, channels): (&System, usize),
    window: &mut Window,
    method: &Method,
    control: Option<&Controller>,
) -> Result<Option<Iteration>, RunError> {
    if matches!(method.correction, Correction::LinearImplicit) {
        window.pre_step = Some(Box::new(PreStep::new(system, window, channels)?));
    }
    if !method.correction.repeats() {
        // Forces of joints are then foretold by what their units say.
        return match window.joints.silent_unit() {
            Some(unit) => Err(silent(window.unit_ports[unit].unit.name())),
            None => Ok(None),
        };
    }
    let mut iteration = Iteration::new(&method.correction, window, channels);
    if let Some(control) = control {
        let longest_s = window.sources.clock.length_s(control.longest() * window.plan.window);
        iteration.chosen = control.left_out_max().map(|left_out_max| Chosen { left_out_max, longest_s });
    }
    Ok(Some(iteration))
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

/// Unit ports of all units, with dense output where the method wants it.
fn unit_ports(
    system: &mut System,
    method: &Method,
    (steps, stagger): (&[Tick], Option<&[usize]>),
    histories: &mut Vec<History>,
) -> Result<Vec<UnitPort>, RunError> {
    let nodes = if stagger.is_some() { MIDDLE } else { method.predictor.nodes() };
    let units = std::mem::take(&mut system.units).into_iter().enumerate();
    let mut unit_ports: Vec<UnitPort> =
        units.map(|(u, unit)| UnitPort::new((system, u), unit, method, histories).with_step(steps[u])).collect();
    for (u, unit_port) in unit_ports.iter_mut().enumerate() {
        if nodes > 0 && stagger.is_none_or(|order| order.first() == Some(&u)) {
            // Of a merged step, the middle; a half step is as if nothing were merged.
            let shortest = if stagger.is_some() { steps[u] } else { 0 };
            unit_port.dense = Some(Dense::new((system, u), unit_port.unit.as_mut(), nodes, shortest)?);
        }
        // Predictors of a family are not all alike, and a model of a step takes polynomials.
        if method.control.is_some() || matches!(method.correction, Correction::LinearImplicit) {
            unit_port.holds = false;
        }
    }
    Ok(unit_ports)
}

/// The accounts of the power bonds, where there are any.
fn balance(system: &System, window: &Window, method: &Method, steps: &[Tick]) -> Option<EnergyBalance> {
    let mut balance = EnergyBalance::new(system, &window.unit_ports, method)?;
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
    let controller =
        Controller::new(control, family, &window.unit_ports, (window.blind(), method.correction.repeats()));
    window.revocable = controller.revocable;
    Ok(Some(controller))
}
