//! The *window* \[t_k, t_k + H\]: runs histories, predictor, laws, plan and units together. It is the definition of a run,
//! its units, and room to work in; what changes is the [`State`] it is given.
//!
//! Explicit: the plan is run once. With a corrector it is run as a problem to solve, see `iteration.rs`.

use crate::algebraic::LoopState;
use crate::constraint::Joints;
use crate::control::Controller;
use crate::error::RunError;
use crate::history::History;
use crate::line::Waves;
use crate::link::{Links, LinksState};
use crate::power::EnergyBalance;
use crate::pre_step::PreStep;
use crate::schedule::{Op, Plan};
use crate::state::{Signals, State};
use crate::station::{Refresh, Station, StationState};
use crate::supply::{Sources, Supply};
use crate::time::{Span, Tick};
use crate::unit::{Outcome, UnitError};
use macrostep_description::{Causality, Variable};

/// Slot in which units keep the state at a window's start.
pub(crate) const START: usize = 0;

/// A step that was not finished: the unit, what it answered, and the step's start.
pub(crate) type Unfinished = (usize, Outcome, Tick);

/// Runs windows.
pub(crate) struct Window {
    pub stations: Vec<Station>,
    pub sources: Sources,
    pub links: Links,
    pub plan: Plan,
    pub groups: Vec<Vec<usize>>,
    /// Lines with delay.
    pub lines: Vec<Waves>,
    /// Joints between units.
    pub joints: Joints,
    /// Linear models that inputs follow from, where the coupling is linear-implicit.
    pub pre_step: Option<Box<PreStep>>,
    /// How power bonds are accounted for, where there are any.
    pub balance: Option<EnergyBalance>,
    /// Whether windows may be taken back after they have been run.
    pub revocable: bool,
    /// Histories before the first sample.
    pub histories: Vec<History>,
    /// What was known at the start of the window under way.
    kept: Option<Signals>,
}

impl Window {
    pub fn new(
        stations: Vec<Station>,
        (sources, histories): (Sources, Vec<History>),
        links: Links,
        plan: Plan,
        groups: Vec<Vec<usize>>,
    ) -> Self {
        let (lines, joints, revocable) = (Vec::new(), Joints::default(), false);
        let (pre_step, balance, kept) = (None, None, None);
        Window { stations, sources, links, plan, groups, lines, joints, pre_step, balance, revocable, histories, kept }
    }

    /// Before the first window: half steps of neighbouring windows are not merged, and no unit is sampled inside its steps.
    pub fn set_half_steps_apart(&mut self, state: &mut State) {
        if self.plan.is_staggered() {
            self.plan.set_half_steps_apart();
            self.stations.iter_mut().zip(&mut state.stations).for_each(|(station, state)| station.forget_dense(state));
        }
    }

    /// The signals before the first sample.
    pub fn signals(&self) -> Signals {
        let balance = self.balance.as_ref().map(EnergyBalance::state);
        Signals { histories: self.histories.clone(), links: self.links.state(), balance }
    }

    /// The states of algebraic loops before the first one is solved.
    pub fn loops(&self) -> Vec<LoopState> {
        self.groups.iter().map(|group| LoopState::new(group, &self.stations)).collect()
    }

    /// Length of a window now.
    #[inline]
    pub fn length(&self, state: &State) -> Tick {
        self.plan.window * state.pace.stretch
    }

    /// Runs the plan once, as a window that is not repeated.
    #[inline]
    pub fn run(&mut self, state: &mut State) -> Result<(), RunError> {
        if !self.joints.is_empty() {
            self.foretell_joints(state)?;
        }
        // Linear models are outside of the window they look at.
        let mut pre_step = self.pre_step.take();
        let foreseen = pre_step.as_mut().map_or(Ok(()), |models| models.foresee(self, state));
        let outcome = foreseen.and_then(|()| self.execute(state, !self.revocable));
        if let (Some(models), Ok(None)) = (&mut pre_step, &outcome) {
            models.learn(self, state);
        }
        self.pre_step = pre_step;
        match outcome? {
            Some(unfinished) => Err(self.unfinished(state, unfinished)),
            None => {
                state.now += self.length(state);
                if !self.joints.is_empty() {
                    self.joints.accept(&mut state.joints);
                }
                Ok(())
            }
        }
    }

    /// The forces of joints in a window that is run once.
    fn foretell_joints(&mut self, state: &mut State) -> Result<(), RunError> {
        let (now, length) = (state.now, self.length(state));
        let parts = (self.stations.as_mut_slice(), state.signals.histories.as_mut_slice());
        let length_s = self.sources.clock.length_s(length);
        self.joints.foretell(&state.joints, parts, (now, now + length), length_s)
    }

    /// Runs the plan; `keep` as in [`crate::unit::Unit::step`]. A step that was not finished ends it.
    #[inline]
    pub fn execute(&mut self, state: &mut State, keep: bool) -> Result<Option<Unfinished>, UnitError> {
        // What left the ends of lines over the window before.
        self.sample_lines(state);
        let Window { stations, sources, links, plan, groups, joints, balance, .. } = self;
        let State { now, pace, signals, stations: states, loops, joints: joined, .. } = state;
        let Signals { histories, links: carried, balance: accounts } = signals;
        let supply = &mut sources.with(histories, *pace);
        let now = *now;
        for op in plan.ops_at(now) {
            match op.stretched(pace.stretch) {
                Op::Advance { unit, from, to } => {
                    let span = Span { from: now + from, to: now + to, length_s: supply.clock.length_s(to - from) };
                    // What the account of the step before says, and values that are not real.
                    if let (Some(balance), Some(accounts)) = (&*balance, &mut *accounts) {
                        balance.arrive(accounts, (stations, states), supply, (unit, &span));
                    }
                    let (station, state) = (&mut stations[unit], &mut states[unit]);
                    if !links.is_empty() && !state.begun {
                        links.supply(carried, unit, station.unit.as_mut())?;
                    }
                    // The step, and what was fed in it.
                    let outcome = station.advance(state, supply, &span, keep)?;
                    if let (Some(balance), Some(accounts)) = (&*balance, &mut *accounts) {
                        balance.depart(accounts, station, unit, &span);
                    }
                    if outcome != Outcome::Done {
                        return Ok(Some((unit, outcome, span.from)));
                    }
                    station.keep_reported(state);
                    if !links.is_empty() {
                        let t_s = supply.clock.seconds(span.to);
                        links.read(carried, unit, station.unit.as_mut(), Some(t_s))?;
                    }
                }
                // What others may see from now on.
                Op::Publish { unit, at } => {
                    stations[unit].publish(&states[unit], supply, now + at);
                    if !links.is_empty() {
                        links.publish(carried, unit);
                    }
                }
                Op::Begin { unit, from, to } => {
                    let span = Span { from: now + from, to: now + to, length_s: supply.clock.length_s(to - from) };
                    // As for a step made at once; what comes out of it is read where it is ended.
                    if let (Some(balance), Some(accounts)) = (&*balance, &mut *accounts) {
                        balance.arrive(accounts, (stations, states), supply, (unit, &span));
                    }
                    if !links.is_empty() {
                        links.supply(carried, unit, stations[unit].unit.as_mut())?;
                    }
                    stations[unit].begin(&mut states[unit], supply, &span, keep)?;
                }
                // Outputs with feed-through: of one unit, or of an algebraic loop.
                Op::RefreshUnit { unit, at } => stations[unit].refresh(&mut states[unit], supply, now + at)?,
                Op::Refresh { group, at } => match groups[group].as_slice() {
                    [unit] => stations[*unit].refresh(&mut states[*unit], supply, now + at)?,
                    units => loops[group].solve((stations, states), units, supply, now + at)?,
                },
            }
        }
        // How far joints are open at the end, and the forces that close them.
        if !joints.is_empty() {
            let length = plan.window * pace.stretch;
            let parts = (stations.as_mut_slice(), &mut *supply.histories);
            joints.settle(joined, parts, now + length, supply.clock.length_s(length))?;
        }
        // The energy balance of the window is closed.
        if let (Some(balance), Some(accounts)) = (balance, accounts) {
            balance.settle(accounts, stations, (supply, now + plan.window * pace.stretch));
        }
        Ok(None)
    }

    /// Takes samples of the waves in the lines.
    #[inline]
    pub fn sample_lines(&self, state: &mut State) {
        for line in &self.lines {
            line.sample(&mut state.signals.histories, &self.sources.clock, state.now);
        }
    }

    /// Keeps everything as it is, to come back to.
    pub fn begin(&mut self, state: &State) -> Result<(), UnitError> {
        self.keep(state);
        self.stations.iter_mut().try_for_each(|station| station.unit.save(START))
    }

    /// Saves the signals for a rollback.
    pub fn keep(&mut self, state: &State) {
        match &mut self.kept {
            Some(kept) => kept.take(&state.signals),
            None => self.kept = Some(state.signals.clone()),
        }
    }

    /// Goes back to where [`Window::begin`] was.
    pub fn rewind(&mut self, state: &mut State) -> Result<(), UnitError> {
        self.take_back(state);
        let mut parts = self.stations.iter_mut().zip(&mut state.stations);
        parts.try_for_each(|(station, state)| station.restore(state, START))
    }

    /// Restores the saved signals.
    pub fn take_back(&self, state: &mut State) {
        if let Some(kept) = &self.kept {
            state.signals.take(kept);
        }
    }

    /// After an event, at a common communication point of all units: begins new histories.
    pub fn begin_anew(&mut self, state: &mut State) {
        let (now, signals) = (state.now, &mut state.signals);
        if let (Some(balance), Some(accounts)) = (&self.balance, &mut signals.balance) {
            let supply = &mut self.sources.with(&mut signals.histories, state.pace);
            balance.begin_anew(accounts, &mut self.stations, supply);
            if let Some(chosen) = &mut state.control {
                chosen.energy_j = accounts.totals().0;
            }
        }
        signals.histories.iter_mut().for_each(|history| history.begin_anew(now));
        state.learnt = Default::default();
        if let Some(chosen) = &mut state.control {
            Controller::begin_anew(chosen);
        }
    }

    /// Units with an input that is predicted in some step, not known.
    pub fn blind(&self) -> Vec<bool> {
        let owner = |c: usize| self.stations.iter().position(|s| s.outputs.channels.iter().any(|o| o.0 == c));
        let mut known = vec![0; self.stations.len()];
        let mut blind = vec![false; self.stations.len()];
        for op in &self.plan.ops {
            match *op {
                Op::Publish { unit, at } => known[unit] = at,
                Op::Advance { unit, to, .. } => {
                    let sources = self.stations[unit].feeds.iter().flat_map(|f| f.channels());
                    blind[unit] |= sources.filter_map(owner).any(|source| source != unit && known[source] < to);
                }
                Op::Begin { .. } | Op::Refresh { .. } | Op::RefreshUnit { .. } => {}
            }
        }
        blind
    }

    /// `UNIT.VARIABLE` of a component of a channel.
    pub fn name(&self, (channel, component): (usize, usize)) -> String {
        if let Some(name) = self.joints.name(channel) {
            return name;
        }
        let found = self.stations.iter().find_map(|s| {
            let (_, first, width) = s.outputs.channels.iter().find(|c| c.0 == channel)?;
            let reference = s.outputs.refs.get(first + component.min(width - 1))?;
            let variables = &s.unit.description().variables;
            let is_it = |v: &&Variable| v.value_reference == *reference && v.real().is_some();
            let named = variables.iter().filter(is_it).max_by_key(|v| v.causality == Causality::Output)?;
            Some(format!("{}.{}", s.unit.name(), named.name))
        });
        found.unwrap_or_default()
    }

    /// The error of a step that was not finished.
    pub fn unfinished(&self, state: &State, (unit, outcome, at): Unfinished) -> RunError {
        let (reached_s, terminated) = match outcome {
            Outcome::Discarded { reached_s, terminated } => (reached_s, terminated),
            Outcome::Done => (f64::NAN, false),
        };
        let clock = self.sources.clock;
        RunError::Discarded {
            unit: self.stations[unit].unit.name().to_string(),
            t_s: clock.seconds(at),
            step_s: clock.length_s(self.stations[unit].step * state.pace.stretch),
            reached_s,
            terminated,
            what: if terminated { "it wants the run to end" } else { "try a smaller macro step" },
        }
    }
}

/// Initialisation.
impl Window {
    /// Sets the first values of all connections: links first, then feed-through outputs, then the inputs themselves.
    pub fn connect(&mut self, state: &mut State) -> Result<(), UnitError> {
        self.link(state)?;
        self.sample_lines(state);
        self.settle(state)?;
        let (stations, states, mut supply) = self.parts(state);
        let now = 0;
        for (station, state) in stations.iter_mut().zip(states) {
            station.feed_now(&mut supply, now);
            station.show_inputs(state)?;
        }
        Ok(())
    }

    /// The stations with their states and the sources of their inputs.
    pub fn parts<'a>(&'a mut self, state: &'a mut State) -> (&'a mut [Station], &'a mut [StationState], Supply<'a>) {
        let supply = self.sources.with(&mut state.signals.histories, state.pace);
        (&mut self.stations, &mut state.stations, supply)
    }

    /// Evaluates all feed-through outputs as the units allow it.
    pub fn refresh(&mut self, state: &mut State) -> Result<(), UnitError> {
        self.refresh_all(state)
    }

    /// Evaluates all feed-through outputs, where every unit may be read after it was set.
    fn settle(&mut self, state: &mut State) -> Result<(), UnitError> {
        let ways: Vec<Refresh> = self.stations.iter().map(|s| s.outputs.refresh).collect();
        self.stations.iter_mut().for_each(|s| s.outputs.refresh = Refresh::GetAfterSet);
        let result = self.refresh_all(state);
        for (s, way) in self.stations.iter_mut().zip(ways) {
            s.outputs.refresh = way;
        }
        result
    }

    fn refresh_all(&mut self, state: &mut State) -> Result<(), UnitError> {
        let State { now, pace, signals, stations: states, loops, .. } = state;
        let supply = &mut self.sources.with(&mut signals.histories, *pace);
        self.groups.iter().zip(loops).try_for_each(|(units, group)| match units.as_slice() {
            [unit] => self.stations[*unit].refresh(&mut states[*unit], supply, *now),
            units => group.solve((&mut self.stations, states), units, supply, *now),
        })
    }

    /// Passes linked values around, as often as a value needs to reach the last unit of a chain.
    fn link(&mut self, state: &mut State) -> Result<(), UnitError> {
        if self.links.is_empty() {
            return Ok(());
        }
        for passed in 0..self.stations.len() {
            let before = state.signals.links.clone();
            self.read_links(&mut state.signals.links, None)?;
            // Whoever was given these values has given others all there is.
            if passed > 0 && state.signals.links == before {
                break;
            }
            for (u, station) in self.stations.iter_mut().enumerate() {
                self.links.supply(&state.signals.links, u, station.unit.as_mut())?;
            }
        }
        Ok(())
    }

    /// Reads and publishes all linked values.
    pub fn sample_links(&mut self, state: &mut State) -> Result<(), UnitError> {
        let t_s = self.sources.clock.seconds(state.now);
        self.read_links(&mut state.signals.links, Some(t_s))
    }

    fn read_links(&mut self, carried: &mut LinksState, t_s: Option<f64>) -> Result<(), UnitError> {
        for (u, station) in self.stations.iter_mut().enumerate() {
            self.links.read(carried, u, station.unit.as_mut(), t_s)?;
            self.links.publish(carried, u);
        }
        Ok(())
    }
}
