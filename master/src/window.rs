//! The *window* \[t_k, t_k + H\]: where histories, predictor, laws, plan, units and corrector meet.
//!
//! Explicit: the plan is run once. With a corrector it is run as a problem to solve, see `guess.rs`.

use crate::algebraic::Loop;
use crate::control::Controller;
use crate::correct::{Convergence, Corrector};
use crate::error::RunError;
use crate::feed::Supply;
use crate::guess::{Doubt, Guess};
use crate::history::History;
use crate::link::Links;
use crate::memento::Numbers;
use crate::power::Ledger;
use crate::relay::Relay;
use crate::schedule::{Op, Plan};
use crate::sizes::Sizes;
use crate::station::{Refresh, Station};
use crate::time::{Span, Tick};
use crate::unit::{Outcome, UnitError};
use macrostep_description::{Causality, Variable};

/// Slot in which units keep the state at a window's start.
const START: usize = 0;

/// Runs windows.
pub(crate) struct Window {
    pub stations: Vec<Station>,
    pub supply: Supply,
    pub links: Links,
    pub plan: Plan,
    pub groups: Vec<Vec<usize>>,
    /// Start of the window under way.
    pub now: Tick,
    pub guesses: Vec<Guess>,
    pub unknowns: Vec<f64>,
    /// What residuals are measured with, one an unknown.
    pub scale: Vec<f64>,
    pub sizes: Sizes,
    /// Which unit is fed with which channel, where nodes are sampled.
    pub fed: Vec<(usize, usize)>,
    /// Channel and component with the largest residual of the guess evaluated last.
    pub worst: (usize, usize),
    /// Why the window just run is not to be relied on.
    pub doubt: Option<Doubt>,
    loops: Vec<Loop>,
    /// Accounts of the power bonds, where there are any.
    pub ledger: Option<Ledger>,
    /// Whether windows may be taken back after they have been run.
    pub revocable: bool,
    /// Whether the window under way has been run before, so that it must be taken back first.
    pub ran: bool,
    /// A step a unit did not finish.
    pub discarded: Option<(usize, Outcome, Tick)>,
}

impl Window {
    pub fn new(stations: Vec<Station>, supply: Supply, links: Links, plan: Plan, groups: Vec<Vec<usize>>) -> Self {
        let loops = groups.iter().map(|g| Loop::new(g, &stations)).collect();
        Window {
            stations,
            supply,
            links,
            plan,
            groups,
            now: 0,
            guesses: Vec::new(),
            unknowns: Vec::new(),
            scale: Vec::new(),
            sizes: Sizes::default(),
            fed: Vec::new(),
            worst: (0, 0),
            doubt: None,
            loops,
            ledger: None,
            revocable: false,
            ran: false,
            discarded: None,
        }
    }

    /// Back to the first tick, nothing known.
    pub fn forget(&mut self) {
        self.now = 0;
        self.histories_mut().for_each(History::clear);
        self.scale.fill(1.0);
        self.sizes.forget();
        self.doubt = None;
        self.unknowns.fill(0.0);
        // A staggered plan has used up its turns.
        self.plan.unmerge();
        if let Some(ledger) = &mut self.ledger {
            ledger.forget();
        }
    }

    /// All histories, those of channels first, then those that feeds keep of laws.
    pub fn histories_mut(&mut self) -> impl Iterator<Item = &mut History> {
        let Window { stations, supply, .. } = self;
        let of_feeds = stations.iter_mut().flat_map(|s| s.feeds.iter_mut()).filter_map(|f| f.history_mut());
        supply.histories.iter_mut().chain(of_feeds)
    }

    /// Runs one window.
    #[inline]
    pub fn run(&mut self, corrector: Option<&mut (dyn Corrector + 'static)>) -> Result<Option<Convergence>, RunError> {
        if self.now == self.plan.turn_at {
            self.plan.turn();
        }
        let convergence = match corrector {
            None => {
                self.execute(!self.revocable)?;
                None
            }
            Some(corrector) => Some(self.iterate(corrector)?),
        };
        if let Some((unit, outcome, at)) = self.discarded.take() {
            return Err(self.discard(unit, outcome, at));
        }
        self.now += self.plan.window;
        Ok(convergence)
    }

    /// Runs up to `windows` windows by the relay made of the plan.
    pub fn run_by(&mut self, relay: &mut Relay, windows: u64) -> Result<(), RunError> {
        let clock = (&mut self.now, self.plan.window);
        match relay.run(&mut self.stations, &mut self.supply, clock, windows)? {
            None => Ok(()),
            Some((unit, outcome, at)) => Err(self.discard(unit, outcome, at)),
        }
    }

    /// Evaluates all feed-through outputs in initialisation, where every unit may be read after it was set.
    pub fn settle(&mut self) -> Result<(), UnitError> {
        let ways: Vec<Refresh> = self.stations.iter().map(|s| s.outputs.refresh).collect();
        for s in &mut self.stations {
            s.outputs.refresh = Refresh::GetAfterSet;
        }
        let mut result = Ok(());
        for (group, units) in self.groups.iter().enumerate() {
            let (stations, supply) = (&mut self.stations, &mut self.supply);
            result = result.and_then(|()| match units.as_slice() {
                [unit] => stations[*unit].refresh(supply, self.now),
                units => self.loops[group].solve(stations, units, supply, self.now),
            });
        }
        for (s, way) in self.stations.iter_mut().zip(ways) {
            s.outputs.refresh = way;
        }
        result
    }

    /// Passes linked values around in initialisation, as often as a value needs to reach the last unit of a chain.
    pub fn link(&mut self) -> Result<(), UnitError> {
        if self.links.is_empty() {
            return Ok(());
        }
        for _ in 0..self.stations.len() {
            self.read_links(None)?;
            for (u, station) in self.stations.iter_mut().enumerate() {
                self.links.supply(u, station.unit.as_mut())?;
            }
        }
        Ok(())
    }

    /// Reads and publishes all linked values.
    pub fn sample_links(&mut self) -> Result<(), UnitError> {
        self.read_links(Some(self.supply.clock.seconds(self.now)))
    }

    fn read_links(&mut self, t_s: Option<f64>) -> Result<(), UnitError> {
        for (u, station) in self.stations.iter_mut().enumerate() {
            self.links.read(u, station.unit.as_mut(), t_s)?;
            self.links.publish(u);
        }
        Ok(())
    }

    fn iterate(&mut self, corrector: &mut (dyn Corrector + 'static)) -> Result<Convergence, RunError> {
        if self.guesses.is_empty() {
            self.find_guesses();
        }
        self.begin()?;
        let mut y = std::mem::take(&mut self.unknowns);
        self.guess_first(&mut y);
        self.ran = false;
        let result = if y.is_empty() {
            self.execute(false).map(|()| Convergence { runs: 1, residual: 0.0, converged: true })
        } else {
            corrector.correct(self, &mut y)
        };
        self.unknowns = y;
        let mut convergence = result?;
        self.doubt = if convergence.converged { self.accept() } else { Some(self.unmet(convergence.residual)) };
        convergence.converged = self.doubt.is_none_or(|d| !d.is_serious());
        Ok(convergence)
    }

    /// Keeps everything as it is, to come back to.
    pub fn begin(&mut self) -> Result<(), UnitError> {
        for h in &mut self.supply.histories {
            h.begin_window();
        }
        for h in self.stations.iter_mut().flat_map(|s| s.feeds.iter_mut()).filter_map(|f| f.history_mut()) {
            h.begin_window();
        }
        for station in &mut self.stations {
            station.unit.save(START)?;
        }
        self.links.begin_window();
        if let Some(ledger) = &mut self.ledger {
            ledger.save();
        }
        Ok(())
    }

    /// Goes back to where [`Window::begin`] was.
    pub fn rewind(&mut self) -> Result<(), UnitError> {
        for station in &mut self.stations {
            station.restore(START)?;
        }
        self.links.rewind();
        for h in &mut self.supply.histories {
            h.rewind();
        }
        for h in self.stations.iter_mut().flat_map(|s| s.feeds.iter_mut()).filter_map(|f| f.history_mut()) {
            h.rewind();
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.restore();
        }
        Ok(())
    }

    /// Makes all steps of the window `n` times as long as they were made.
    pub fn stretch(&mut self, n: Tick) {
        let old = self.plan.window;
        self.plan.stretch(n);
        let to = |k: &mut Tick| *k = (*k * self.plan.window) / old;
        self.stations.iter_mut().for_each(|s| to(&mut s.step));
        for g in &mut self.guesses {
            to(&mut g.from);
            to(&mut g.to);
        }
    }

    /// What a control makes of the window just run, `length_s` seconds long.
    pub fn estimate(&mut self, control: &mut Controller, length_s: f64) -> [f64; 3] {
        let Window { stations, supply, ledger, now, .. } = self;
        match ledger {
            Some(ledger) if control.weighs_energy() => {
                ledger.close_all(stations, supply);
                let (energy_j, power_w) = ledger.totals();
                control.leak(energy_j, length_s, power_w)
            }
            _ => control.errors(stations, supply, *now),
        }
    }

    /// `UNIT.VARIABLE` of a component of a channel.
    pub fn name(&self, (channel, component): (usize, usize)) -> String {
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

    /// Runs the plan; `keep` as in [`crate::unit::Unit::step`].
    #[inline]
    pub fn execute(&mut self, keep: bool) -> Result<(), UnitError> {
        let Window { stations, supply, links, plan, groups, now, discarded, loops, ledger, .. } = self;
        for op in &plan.ops {
            match *op {
                Op::Advance { unit, from, to } => {
                    let span = Span { from: *now + from, to: *now + to, length_s: supply.clock.length_s(to - from) };
                    if let Some(ledger) = ledger {
                        ledger.arrive(stations, supply, unit, &span);
                    }
                    let station = &mut stations[unit];
                    if !links.is_empty() && !station.begun {
                        links.supply(unit, station.unit.as_mut())?;
                    }
                    let outcome = station.advance(supply, &span, keep)?;
                    if let Some(ledger) = ledger {
                        ledger.depart(station, unit, &span);
                    }
                    if outcome != Outcome::Done {
                        *discarded = Some((unit, outcome, span.from));
                        return Ok(());
                    }
                    station.keep_reported();
                    if !links.is_empty() {
                        links.read(unit, station.unit.as_mut(), Some(supply.clock.seconds(span.to)))?;
                    }
                }
                Op::Publish { unit, at } => {
                    stations[unit].publish(supply, *now + at);
                    links.publish(unit);
                }
                Op::Begin { unit, from, to } => {
                    let span = Span { from: *now + from, to: *now + to, length_s: supply.clock.length_s(to - from) };
                    if let Some(ledger) = ledger {
                        ledger.arrive(stations, supply, unit, &span);
                    }
                    stations[unit].begin(supply, &span, keep)?;
                }
                Op::RefreshUnit { unit, at } => stations[unit].refresh(supply, *now + at)?,
                Op::Refresh { group, at } => match groups[group].as_slice() {
                    [unit] => stations[*unit].refresh(supply, *now + at)?,
                    units => loops[group].solve(stations, units, supply, *now + at)?,
                },
            }
        }
        if let Some(ledger) = ledger {
            ledger.settle(stations, supply);
        }
        Ok(())
    }

    /// What of it no memento holds.
    pub fn unkept(&self) -> Option<&'static str> {
        if self.plan.is_staggered() || self.stations.iter().any(|s| s.dense.is_some()) {
            return Some("samples inside steps");
        }
        None
    }

    /// What it knows, for a memento.
    pub fn pass(&mut self, numbers: &mut Numbers<'_>) {
        numbers.count(&mut self.now);
        self.supply.histories.iter_mut().for_each(|history| history.pass(numbers));
        self.stations.iter_mut().for_each(|station| station.pass(numbers));
        self.loops.iter_mut().for_each(|l| l.pass(numbers));
        self.links.pass(numbers);
        if let Some(ledger) = &mut self.ledger {
            ledger.pass(numbers);
        }
        let mut has_guesses = !self.guesses.is_empty();
        numbers.flag(&mut has_guesses);
        if has_guesses {
            if self.guesses.is_empty() {
                self.find_guesses();
            }
            self.sizes.pass(numbers);
        }
    }

    fn discard(&self, unit: usize, outcome: Outcome, at: Tick) -> RunError {
        let (reached_s, terminated) = match outcome {
            Outcome::Discarded { reached_s, terminated } => (reached_s, terminated),
            Outcome::Done => (f64::NAN, false),
        };
        RunError::Discarded {
            unit: self.stations[unit].unit.name().to_string(),
            t_s: self.supply.clock.seconds(at),
            step_s: self.supply.clock.length_s(self.stations[unit].step),
            reached_s,
            what: if terminated { "it wants the run to end" } else { "try a smaller macro step" },
        }
    }
}
