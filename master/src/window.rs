//! The *window* \[t_k, t_k + H\]: where histories, predictor, laws, plan, units and corrector meet.
//!
//! Explicit: the plan is run once. With a corrector: the samples that are consumed before they are published are
//! guessed, put into the histories, the plan is run, and what was published is compared with the guess.

use crate::algebraic::Loop;
use crate::correct::{Convergence, Corrector, Problem};
use crate::error::RunError;
use crate::feed::Supply;
use crate::history::History;
use crate::jacobian;
use crate::relay::Relay;
use crate::schedule::{Op, Plan};
use crate::station::{Refresh, Station};
use crate::time::{Span, Tick};
use crate::unit::{Outcome, UnitError};
use nalgebra::DMatrix;

/// Slot in which units keep the state at a window's start.
const START: usize = 0;

/// Samples a corrector guesses: a channel at an instant of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Guess {
    channel: usize,
    at: Tick,
    /// Place of its first component among the unknowns.
    first: usize,
    width: usize,
}

/// Runs windows.
pub(crate) struct Window {
    pub stations: Vec<Station>,
    pub supply: Supply,
    pub plan: Plan,
    pub groups: Vec<Vec<usize>>,
    /// Start of the window under way.
    pub now: Tick,
    guesses: Vec<Guess>,
    unknowns: Vec<f64>,
    /// Largest absolute value seen of each unknown, and what residuals are measured with.
    seen: Vec<f64>,
    scale: Vec<f64>,
    loops: Vec<Loop>,
    /// Whether the window under way has been run before, so that it must be taken back first.
    ran: bool,
    /// The plan as copies and calls, where inputs are held and nothing is taken back.
    relay: Option<Relay>,
    /// A step a unit did not finish.
    discarded: Option<(usize, Outcome, Tick)>,
}

impl Window {
    pub fn new(stations: Vec<Station>, supply: Supply, plan: Plan, groups: Vec<Vec<usize>>) -> Self {
        let loops = groups.iter().map(|g| Loop::new(g, &stations)).collect();
        let relay = Relay::of(&stations, &supply, &plan, &groups);
        Window {
            relay,
            stations,
            supply,
            plan,
            groups,
            now: 0,
            guesses: Vec::new(),
            unknowns: Vec::new(),
            seen: Vec::new(),
            scale: Vec::new(),
            loops,
            ran: false,
            discarded: None,
        }
    }

    /// The interface Jacobian at the start of the window to come, from directional derivatives; `None` where a unit offers
    /// none or nothing is guessed.
    pub fn interface_jacobian(&mut self) -> Result<Option<DMatrix<f64>>, UnitError> {
        if self.guesses.is_empty() {
            self.find_guesses();
        }
        self.histories_mut().for_each(History::begin_window);
        let mut y = std::mem::take(&mut self.unknowns);
        for g in &self.guesses {
            self.supply.value(g.channel, self.now + g.at, &mut y[g.first..g.first + g.width]);
        }
        for g in &self.guesses {
            self.supply.histories[g.channel].put(self.now + g.at, &y[g.first..g.first + g.width]);
        }
        let mut jacobian = DMatrix::zeros(y.len(), y.len());
        self.unknowns = y;
        let found = self.estimate_jacobian(&mut jacobian)? && !self.guesses.is_empty();
        self.histories_mut().for_each(History::rewind);
        Ok(found.then_some(jacobian))
    }

    /// Back to the first tick, nothing known.
    pub fn forget(&mut self) {
        self.now = 0;
        self.histories_mut().for_each(History::clear);
        self.seen.fill(0.0);
        self.scale.fill(1.0);
        self.unknowns.fill(0.0);
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
        let convergence = match corrector {
            None => {
                self.execute(true)?;
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

    /// Runs explicit windows of which only the end is looked at; returns how many were completed, and what ended them
    /// early.
    pub fn stretch(&mut self, windows: u64) -> (u64, Result<(), RunError>) {
        let Some(relay) = &mut self.relay else {
            for done in 0..windows {
                if let Err(e) = self.run(None) {
                    return (done, Err(e));
                }
            }
            return (windows, Ok(()));
        };
        let began = self.now;
        let clock = (&mut self.now, self.plan.window);
        let result = match relay.run(&mut self.stations, &mut self.supply, clock, windows) {
            Ok(None) => Ok(()),
            Ok(Some((unit, outcome, at))) => Err(self.discard(unit, outcome, at)),
            Err(e) => Err(e.into()),
        };
        (((self.now - began) / self.plan.window) as u64, result)
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

    fn iterate(&mut self, corrector: &mut (dyn Corrector + 'static)) -> Result<Convergence, RunError> {
        if self.guesses.is_empty() {
            self.find_guesses();
        }
        for h in &mut self.supply.histories {
            h.begin_window();
        }
        for h in self.stations.iter_mut().flat_map(|s| s.feeds.iter_mut()).filter_map(|f| f.history_mut()) {
            h.begin_window();
        }
        for station in &mut self.stations {
            station.unit.save(START)?;
        }
        let mut y = std::mem::take(&mut self.unknowns);
        for g in &self.guesses {
            self.supply.value(g.channel, self.now + g.at, &mut y[g.first..g.first + g.width]);
        }
        self.ran = false;
        let result = if y.is_empty() {
            self.execute(false).map(|()| Convergence { runs: 1, residual: 0.0, converged: true })
        } else {
            corrector.correct(self, &mut y)
        };
        self.unknowns = y;
        Ok(result?)
    }

    /// The samples that some step consumes before they are published.
    fn find_guesses(&mut self) {
        let mut first = 0;
        for channel in 0..self.supply.histories.len() {
            let owner = self.stations.iter().position(|s| s.outputs.channels.iter().any(|c| c.0 == channel));
            let Some(owner) = owner else { continue };
            if !self.consumed_early(channel, owner) {
                continue;
            }
            for at in self.plan.published(owner) {
                let width = self.supply.histories[channel].width();
                self.guesses.push(Guess { channel, at, first, width });
                first += width;
            }
        }
        self.unknowns = vec![0.0; first];
        self.seen = vec![0.0; first];
        self.scale = vec![1.0; first];
    }

    fn consumed_early(&self, channel: usize, owner: usize) -> bool {
        let mut known = 0;
        self.plan.ops.iter().any(|op| match *op {
            Op::Publish { unit, at } => {
                known = if unit == owner { at } else { known };
                false
            }
            Op::Advance { unit, to, .. } => {
                to > known && self.stations[unit].feeds.iter().any(|f| f.channels().contains(&channel))
            }
            Op::Refresh { .. } | Op::RefreshUnit { .. } => false,
        })
    }

    /// Runs the plan; `keep` as in [`crate::unit::Unit::step`].
    #[inline]
    fn execute(&mut self, keep: bool) -> Result<(), UnitError> {
        let Window { stations, supply, plan, groups, now, discarded, loops, .. } = self;
        for op in &plan.ops {
            match *op {
                Op::Advance { unit, from, to } => {
                    let span = Span { from: *now + from, to: *now + to, length_s: supply.clock.length_s(to - from) };
                    let station = &mut stations[unit];
                    let outcome = station.advance(supply, &span, keep)?;
                    if outcome != Outcome::Done {
                        *discarded = Some((unit, outcome, span.from));
                        return Ok(());
                    }
                    station.keep_reported();
                }
                Op::Publish { unit, at } => stations[unit].publish(supply, *now + at),
                Op::RefreshUnit { unit, at } => stations[unit].refresh(supply, *now + at)?,
                Op::Refresh { group, at } => match groups[group].as_slice() {
                    [unit] => stations[*unit].refresh(supply, *now + at)?,
                    units => loops[group].solve(stations, units, supply, *now + at)?,
                },
            }
        }
        Ok(())
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

impl Problem for Window {
    fn evaluate(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        if self.ran {
            for station in &mut self.stations {
                station.restore(START)?;
            }
            for h in &mut self.supply.histories {
                h.rewind();
            }
            for h in self.stations.iter_mut().flat_map(|s| s.feeds.iter_mut()).filter_map(|f| f.history_mut()) {
                h.rewind();
            }
        }
        self.ran = true;
        for g in &self.guesses {
            self.supply.histories[g.channel].put(self.now + g.at, &y[g.first..g.first + g.width]);
        }
        self.execute(false)?;
        for g in &self.guesses {
            let history = &self.supply.histories[g.channel];
            let row = history.find(self.now + g.at).map_or(&y[g.first..g.first + g.width], |i| history.row(i));
            for (c, value) in row.iter().enumerate() {
                let i = g.first + c;
                residual[i] = value - y[i];
                self.seen[i] = self.seen[i].max(value.abs());
                // Nothing seen yet of a signal that starts at zero: measure it absolutely.
                self.scale[i] = if self.seen[i] > 0.0 { self.seen[i] } else { 1.0 };
            }
        }
        Ok(())
    }

    fn scale(&self) -> &[f64] {
        &self.scale
    }

    fn estimate_jacobian(&mut self, jacobian: &mut DMatrix<f64>) -> Result<bool, UnitError> {
        let Window { stations, supply, plan, now, guesses, scale, .. } = self;
        let samples: Vec<_> = guesses.iter().map(|g| (g.channel, g.first, *now + g.at)).collect();
        jacobian::estimate(stations, supply, plan, *now, &samples, scale, jacobian)
    }
}
