//! A *simulation*: a system coupled by a method on a grid, from initialisation to the end, step by step.

use crate::correct::{Convergence, Correction, Corrector};
use crate::error::RunError;
use crate::feed::Supply;
use crate::feedthrough;
use crate::history::History;
use crate::law::Law;
use crate::method::{Method, Sampling};
use crate::record::{Column, Observer, Recorder};
use crate::schedule::{Plan, Schedule};
use crate::station::{Refresh, Station};
use crate::system::{ChannelId, LawId, System, SystemError, UnitId};
use crate::time::{Clock, Tick, lcm};
use crate::unit::Unit;
use crate::window::Window;

/// Start, macro step and the units' shares of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Start time [s].
    pub start_s: f64,
    /// The slow macro step H [s], positive.
    pub step_s: f64,
    /// Stop time told to the units [s]; `None` leaves it open.
    pub stop_s: Option<f64>,
    /// For each unit its communication step as a fraction (numerator, denominator) of H; missing ones are (1, 1).
    pub shares: Vec<(u32, u32)>,
}

impl Grid {
    /// One macro step `step_s` for all units, from 0 to `stop_s`.
    pub fn uniform(step_s: f64, stop_s: f64) -> Self {
        Grid { start_s: 0.0, step_s, stop_s: Some(stop_s), shares: Vec::new() }
    }

    /// Clock and steps in ticks of `n` units.
    fn resolve(&self, n: usize) -> Result<(Clock, Vec<Tick>), RunError> {
        let bad = |what, found: String, expected: &str| RunError::Grid { what, found, expected: expected.to_string() };
        if !(self.step_s.is_finite() && self.step_s > 0.0) {
            return Err(bad("macro step", format!("{} s", self.step_s), "a positive number of seconds"));
        }
        if !self.start_s.is_finite() {
            return Err(bad("start time", format!("{} s", self.start_s), "a finite number of seconds"));
        }
        let share = |u: usize| self.shares.get(u).copied().unwrap_or((1, 1));
        let mut per_unit: Tick = 1;
        for (p, q) in (0..n).map(share) {
            if p == 0 || q == 0 || p > 1_000_000 || q > 1_000_000 {
                return Err(bad("rate", format!("{p}/{q}"), "a fraction of whole numbers from 1 to 1000000"));
            }
            per_unit = lcm(per_unit, Tick::from(q));
        }
        let steps: Vec<Tick> = (0..n).map(|u| per_unit * Tick::from(share(u).0) / Tick::from(share(u).1)).collect();
        let window = steps.iter().copied().fold(1, lcm);
        if window > 1_000_000 {
            return Err(bad(
                "rates",
                format!("units that meet every {window} ticks"),
                "units that meet within 1000000",
            ));
        }
        Ok((Clock { start_s: self.start_s, unit_s: self.step_s, per_unit }, steps))
    }
}

/// What a run has cost so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Statistics {
    /// Windows completed.
    pub windows: u64,
    /// Runs of windows, repetitions included; equal to `windows` for explicit coupling.
    pub runs: u64,
    /// Windows whose correction did not converge.
    pub unconverged: u64,
    /// Largest relative residual a window was accepted with.
    pub residual_max: f64,
}

/// A run under way.
pub struct Simulation {
    window: Window,
    corrector: Option<Box<dyn Corrector>>,
    recorder: Recorder,
    depth: usize,
    statistics: Statistics,
    warnings: Vec<String>,
    grid: Grid,
}

impl Simulation {
    /// Checks that system, method and grid fit together; units have been instantiated and their parameters set.
    ///
    /// # Errors
    /// [`RunError::Capability`] where the method needs what a unit does not offer, [`RunError::Grid`] for times that make
    /// no sense, [`RunError::Schedule`] for an order that is not one of all units.
    pub fn new(mut system: System, method: &Method, grid: Grid) -> Result<Self, RunError> {
        let (clock, steps) = grid.resolve(system.units.len())?;
        check(&system, method)?;
        let groups = feedthrough::groups(&system);
        let refreshed = if method.sampling == Sampling::Updated { groups.as_slice() } else { &[] };
        let plan = Plan::new(&method.schedule, &steps, refreshed);
        let in_window = |u: usize| (plan.window / steps[u]) as usize + 1;
        let depth = method.predictor.depth();
        let channels = system.channels.iter();
        let histories = channels.map(|c| History::new(c.refs.len(), depth, in_window(c.unit))).collect();
        let units = std::mem::take(&mut system.units).into_iter().enumerate();
        let stations: Vec<Station> = units.map(|(u, unit)| Station::new(&system, u, unit, steps[u], method)).collect();
        let warnings = stations.iter().filter_map(|s| warning(s, method)).collect();
        let laws = system.laws.into_iter().map(|l| l.law).collect();
        let supply = Supply::new(histories, laws, method.predictor.clone(), clock);
        Ok(Simulation {
            window: Window::new(stations, supply, plan, groups),
            corrector: method.correction.build(),
            recorder: Recorder::new(),
            depth,
            statistics: Statistics::default(),
            warnings,
            grid,
        })
    }

    /// Records a real variable of a unit in a column of the given name.
    pub fn record(&mut self, unit: UnitId, variable: &str, column: &str) -> Result<(), SystemError> {
        let station = &self.window.stations[unit.index()];
        let variables = &station.unit.description().variables;
        let Some(i) = variables.iter().position(|v| v.name == variable && v.real().is_some()) else {
            return Err(SystemError::UnknownVariable {
                unit: station.unit.name().to_string(),
                variable: variable.to_string(),
                hint: "only real variables are recorded".to_string(),
            });
        };
        self.recorder.add(&self.window.stations, unit.index(), i, column.to_string());
        Ok(())
    }

    /// Columns of the rows an observer gets, without time.
    pub fn columns(&self) -> &[Column] {
        &self.recorder.columns
    }

    /// Initialises the units: signals are passed around, algebraic loops solved, and the first samples taken.
    pub fn initialise(&mut self) -> Result<(), RunError> {
        let (start_s, stop_s) = (self.grid.start_s, self.grid.stop_s);
        let Window { stations, supply, .. } = &mut self.window;
        for s in stations.iter_mut() {
            s.unit.setup(start_s, stop_s, None)?;
            s.unit.enter_initialization()?;
            s.sample(supply, 0)?;
        }
        self.window.settle()?;
        let Window { stations, supply, .. } = &mut self.window;
        for s in stations.iter_mut() {
            s.show_inputs(supply, 0)?;
        }
        for s in stations.iter_mut() {
            s.unit.exit_initialization()?;
            s.sample(supply, 0)?;
        }
        Ok(())
    }

    /// Fills histories with what was before the start, so that the first steps extrapolate as all others do.
    /// `past(channel, t_s, row)` writes the channel's values at a time before the start.
    pub fn prime(&mut self, mut past: impl FnMut(ChannelId, f64, &mut [f64])) {
        let Window { stations, supply, .. } = &mut self.window;
        let clock = supply.clock;
        for s in stations.iter_mut() {
            for &(channel, _, width) in &s.outputs.channels {
                let mut row = vec![0.0; width];
                for j in 1..self.depth as Tick {
                    past(ChannelId(channel), clock.seconds(-j * s.step), &mut row);
                    supply.histories[channel].put(-j * s.step, &row);
                }
            }
            for feed in &mut s.feeds {
                for j in 1..self.depth as Tick {
                    let at = -j * s.step;
                    feed.prime(at, &mut |c, row| past(ChannelId(c), clock.seconds(at), row), supply);
                }
            }
        }
    }

    /// Begins anew: units are reset, `set` gives them their parameters again, histories and statistics are forgotten, and
    /// everything is initialised. Cheaper than building the system again.
    ///
    /// # Errors
    /// What a unit answers to parameters or initialisation.
    pub fn restart(
        &mut self,
        mut set: impl FnMut(UnitId, &mut dyn Unit) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        self.window.forget();
        for (u, s) in self.window.stations.iter_mut().enumerate() {
            s.unit.reset()?;
            set(UnitId(u), s.unit.as_mut())?;
        }
        if let Some(corrector) = &mut self.corrector {
            corrector.forget();
        }
        self.statistics = Statistics::default();
        self.initialise()
    }

    /// Puts another law in the place of one; it must have the same inputs and outputs.
    pub fn replace_law(&mut self, law: LawId, by: Box<dyn Law>) {
        self.window.supply.laws[law.0] = by;
    }

    /// The parts a one-step map reads and changes.
    pub(crate) fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    /// One window: to the next point where all units meet.
    #[inline]
    pub fn step(&mut self) -> Result<Option<Convergence>, RunError> {
        let convergence = self.window.run(self.corrector.as_deref_mut())?;
        self.statistics.windows += 1;
        self.statistics.runs += convergence.map_or(1, |c| c.runs as u64);
        if let Some(c) = convergence {
            self.statistics.unconverged += u64::from(!c.converged);
            self.statistics.residual_max = self.statistics.residual_max.max(c.residual);
        }
        Ok(convergence)
    }

    /// Runs `windows` windows and hands the observer a row at the start and after every `every`-th one.
    pub fn run(&mut self, windows: u64, every: u64, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.observe(observer)?;
        let every = every.max(1);
        let mut left = windows;
        while left > 0 {
            let n = left.min(every);
            self.stretch(n)?;
            left -= n;
            if n == every {
                self.observe(observer)?;
            }
        }
        Ok(())
    }

    /// Windows of which only the end is looked at.
    fn stretch(&mut self, windows: u64) -> Result<(), RunError> {
        if self.corrector.is_some() {
            return (0..windows).try_for_each(|_| self.step().map(|_| ()));
        }
        let (done, result) = self.window.stretch(windows);
        self.statistics.windows += done;
        self.statistics.runs += done;
        result
    }

    /// Reads the recorded variables now.
    #[inline]
    pub fn observe(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Window { stations, supply, now, .. } = &mut self.window;
        self.recorder.read(stations, supply, *now)?;
        observer.row(supply.clock.seconds(*now), &self.recorder.row);
        Ok(())
    }

    /// The newest sample of a channel.
    #[inline]
    pub fn latest(&self, channel: ChannelId) -> &[f64] {
        let history = &self.window.supply.histories[channel.index()];
        history.row(history.newest())
    }

    /// Ends the run in all units.
    pub fn terminate(&mut self) -> Result<(), RunError> {
        for s in &mut self.window.stations {
            s.unit.terminate()?;
        }
        Ok(())
    }

    /// Present time [s].
    pub fn time_s(&self) -> f64 {
        self.window.supply.clock.seconds(self.window.now)
    }

    /// Length of a window [s]: the shortest span after which all units meet.
    pub fn window_s(&self) -> f64 {
        self.window.supply.clock.length_s(self.window.plan.window)
    }

    /// How many windows make up `span_s` seconds.
    ///
    /// # Errors
    /// [`RunError::Grid`] where it is not a whole number.
    pub fn windows_in(&self, span_s: f64) -> Result<u64, RunError> {
        let n = span_s / self.window_s();
        if n.is_finite() && n >= 0.0 && (n - n.round()).abs() <= 1e-6 * n.clamp(1.0, 1e3) {
            return Ok(n.round() as u64);
        }
        Err(RunError::Grid {
            what: "stop time",
            found: format!("{span_s} s, {n} windows"),
            expected: format!("a whole number of windows of {} s", self.window_s()),
        })
    }

    /// The plan that is carried out in each window.
    pub fn plan(&self) -> &Plan {
        &self.window.plan
    }

    /// What was noticed that may surprise.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What the run has cost so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Calls of `fmi2DoStep` of each unit.
    pub fn do_steps(&self) -> Vec<u64> {
        self.window.stations.iter().map(|s| s.unit.do_steps()).collect()
    }

    /// "fmu", "native" or "isolated" of each unit.
    pub fn kinds(&self) -> Vec<&'static str> {
        self.window.stations.iter().map(|s| s.unit.kind()).collect()
    }

    /// A unit, to drive it by hand between windows.
    pub fn unit_mut(&mut self, unit: UnitId) -> &mut dyn Unit {
        self.window.stations[unit.index()].unit.as_mut()
    }
}

/// Whether units and system allow the method.
fn check(system: &System, method: &Method) -> Result<(), RunError> {
    if let Schedule::GaussSeidel(order) = &method.schedule {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..system.units.len()) {
            return Err(RunError::Schedule { found: format!("{order:?}"), units: system.units.len() });
        }
    }
    for (unit, description) in system.units.iter().zip(&system.descriptions) {
        let co = description.co_simulation.as_ref();
        if !matches!(method.correction, Correction::Explicit) && !co.is_some_and(|c| c.can_get_and_set_fmu_state) {
            return Err(RunError::Capability {
                needs: "implicit coupling",
                capability: "canGetAndSetFMUstate",
                unit: unit.name().to_string(),
                hint: "choose explicit coupling",
            });
        }
    }
    Ok(())
}

/// What a user should know of how a unit is sampled.
fn warning(station: &Station, method: &Method) -> Option<String> {
    let lags = method.sampling == Sampling::Updated
        && station.outputs.refresh == Refresh::Reported
        && !station.outputs.refresh_refs.is_empty();
    lags.then(|| {
        format!(
            "unit `{}` has direct feed-through but offers no directional derivatives: its outputs lag by one step",
            station.unit.name()
        )
    })
}
