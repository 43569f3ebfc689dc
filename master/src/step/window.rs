//! The *window* \[t_k, t_k + H\]: runs histories, predictor, laws, plan and units together. It is the definition of a run,
//! its units, and room to work in; what changes is the [`State`] it is given.
//!
//! Explicit: the plan is run once. With a corrector it is run as a problem to solve, see `iteration.rs`.

use crate::error::RunError;
use crate::method::schedule::{Op, Plan};
use crate::signal::history::History;
use crate::step::algebraic::LoopState;
use crate::step::control::Controller;
use crate::step::joints::Joints;
use crate::step::line::Waves;
use crate::step::power::EnergyBalance;
use crate::step::pre_step::PreStep;
use crate::step::state::{Signals, State};
use crate::step::supply::{Coupled, Sources};
use crate::step::unit_port::UnitPort;
use crate::system::link::Links;
use crate::time::{Span, Tick};
use crate::unit::{Outcome, UnitError};
use macrostep_description::{Causality, Variable};

/// Slot in which units keep the state at a window's start.
pub(crate) const START: usize = 0;

/// A step that was not finished: the unit, what it answered, and the step's start.
pub(crate) type Unfinished = (usize, Outcome, Tick);

/// Runs windows.
pub(crate) struct Window {
    pub unit_ports: Vec<UnitPort>,
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
    pub fn new(unit_ports: Vec<UnitPort>, sources: Sources, links: Links, plan: Plan, groups: Vec<Vec<usize>>) -> Self {
        let (lines, joints, revocable, histories) = (Vec::new(), Joints::default(), false, Vec::new());
        let (pre_step, balance, kept) = (None, None, None);
        Window {
            unit_ports,
            sources,
            links,
            plan,
            groups,
            lines,
            joints,
            pre_step,
            balance,
            revocable,
            histories,
            kept,
        }
    }

    /// Before the first window: half steps of neighbouring windows are not merged, and no unit is sampled inside its steps.
    pub fn set_half_steps_apart(&mut self, state: &mut State) {
        if self.plan.is_staggered() {
            self.plan.set_half_steps_apart();
            self.unit_ports
                .iter_mut()
                .zip(&mut state.unit_ports)
                .for_each(|(unit_port, state)| unit_port.forget_dense(state));
        }
    }

    /// The signals before the first sample.
    pub fn signals(&self) -> Signals {
        let balance = self.balance.as_ref().map(EnergyBalance::state);
        Signals { histories: self.histories.clone(), links: self.links.state(), balance }
    }

    /// The states of algebraic loops before the first one is solved.
    pub fn loops(&self) -> Vec<LoopState> {
        self.groups.iter().map(|group| LoopState::new(group, &self.unit_ports)).collect()
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
        let span = Span { from: now, to: now + length, length_s: self.sources.clock.length_s(length) };
        self.joints.foretell(&state.joints, &mut self.unit_ports, &mut state.signals.histories, &span)
    }

    /// Runs the plan; `keep` as in [`crate::unit::Steps::step`]. A step that was not finished ends it.
    #[inline]
    pub fn execute(&mut self, state: &mut State, keep: bool) -> Result<Option<Unfinished>, UnitError> {
        // What left the ends of lines over the window before.
        self.sample_lines(state);
        let Window { unit_ports, sources, links, plan, groups, balance, .. } = self;
        let State { now, pace, signals, unit_ports: states, loops, .. } = state;
        let Signals { histories, links: carried, balance: accounts } = signals;
        let coupled = &mut Coupled { unit_ports, states, supply: sources.with(histories, *pace) };
        let (now, clock) = (*now, coupled.supply.clock);
        for op in plan.ops_at(now) {
            match op.stretched(pace.stretch) {
                Op::Advance { unit, from, to } => {
                    let span = Span { from: now + from, to: now + to, length_s: clock.length_s(to - from) };
                    // What the account of the step before says, and values that are not real.
                    if let (Some(balance), Some(accounts)) = (&*balance, &mut *accounts) {
                        balance.arrive(accounts, coupled, unit, &span);
                    }
                    let Coupled { unit_ports, states, supply } = &mut *coupled;
                    let (unit_port, state) = (&mut unit_ports[unit], &mut states[unit]);
                    if !links.is_empty() && !state.begun {
                        links.supply(carried, unit, unit_port.unit.as_mut())?;
                    }
                    // The step, and what was fed in it.
                    let outcome = unit_port.advance(state, supply, &span, keep)?;
                    if let (Some(balance), Some(accounts)) = (&*balance, &mut *accounts) {
                        balance.depart(accounts, unit_port, unit, &span);
                    }
                    if outcome != Outcome::Done {
                        return Ok(Some((unit, outcome, span.from)));
                    }
                    unit_port.keep_reported(state);
                    if !links.is_empty() {
                        let t_s = clock.seconds(span.to);
                        links.read(carried, unit, unit_port.unit.as_mut(), Some(t_s))?;
                    }
                }
                // What others may see from now on.
                Op::Publish { unit, at } => {
                    let Coupled { unit_ports, states, supply } = &mut *coupled;
                    unit_ports[unit].publish(&states[unit], supply, now + at);
                    if !links.is_empty() {
                        links.publish(carried, unit);
                    }
                }
                Op::Begin { unit, from, to } => {
                    let span = Span { from: now + from, to: now + to, length_s: clock.length_s(to - from) };
                    // As for a step made at once; what comes out of it is read where it is ended.
                    if let (Some(balance), Some(accounts)) = (&*balance, &mut *accounts) {
                        balance.arrive(accounts, coupled, unit, &span);
                    }
                    if !links.is_empty() {
                        links.supply(carried, unit, coupled.unit_ports[unit].unit.as_mut())?;
                    }
                    let Coupled { unit_ports, states, supply } = &mut *coupled;
                    unit_ports[unit].begin(&mut states[unit], supply, &span, keep)?;
                }
                // Outputs with feed-through: of one unit, or of an algebraic loop.
                Op::RefreshUnit { unit, at } => coupled.refresh(unit, now + at)?,
                Op::Refresh { group, at } => match groups[group].as_slice() {
                    [unit] => coupled.refresh(*unit, now + at)?,
                    units => loops[group].solve(coupled, units, now + at)?,
                },
            }
        }
        self.close(state)?;
        Ok(None)
    }

    /// At the end of a window: how far joints are open and the forces that close them, and the energy balance.
    #[inline]
    fn close(&mut self, state: &mut State) -> Result<(), UnitError> {
        let Window { unit_ports, sources, plan, joints, balance, .. } = self;
        let State { now, pace, signals, joints: joined, unit_ports: states, .. } = state;
        let Signals { histories, balance: accounts, .. } = signals;
        let length = plan.window * pace.stretch;
        let end = *now + length;
        if !joints.is_empty() {
            let length_s = sources.clock.length_s(length);
            joints.settle(joined, (unit_ports.as_mut_slice(), histories.as_mut_slice()), end, length_s)?;
        }
        if let (Some(balance), Some(accounts)) = (balance, accounts) {
            let supply = sources.with(histories, *pace);
            balance.settle(accounts, &mut Coupled { unit_ports, states, supply }, end);
        }
        Ok(())
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
        self.unit_ports.iter_mut().try_for_each(|unit_port| unit_port.unit.save(START))
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
        let mut parts = self.unit_ports.iter_mut().zip(&mut state.unit_ports);
        parts.try_for_each(|(unit_port, state)| unit_port.restore(state, START))
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
            balance.begin_anew(accounts, &mut self.unit_ports, supply);
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
        let owner = |c: usize| self.unit_ports.iter().position(|s| s.outputs.channels.iter().any(|o| o.0 == c));
        let mut known = vec![0; self.unit_ports.len()];
        let mut blind = vec![false; self.unit_ports.len()];
        for op in &self.plan.ops {
            match *op {
                Op::Publish { unit, at } => known[unit] = at,
                Op::Advance { unit, to, .. } => {
                    let sources = self.unit_ports[unit].feeds.iter().flat_map(|f| f.channels());
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
        let found = self.unit_ports.iter().find_map(|s| {
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
            unit: self.unit_ports[unit].unit.name().to_string(),
            t_s: clock.seconds(at),
            step_s: clock.length_s(self.unit_ports[unit].step * state.pace.stretch),
            reached_s,
            terminated,
            what: if terminated { "it wants the run to end" } else { "try a smaller macro step" },
        }
    }
}
