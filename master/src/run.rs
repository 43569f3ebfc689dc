//! A *simulation*: a system coupled by a method on a grid, from initialisation to the end, step by step.

use crate::books::SETTLED_DEPTH;
use crate::control::{Controller, Course, Estimate, Verdict};
use crate::correct::{Convergence, Corrector};
use crate::dense::Dense;
use crate::error::RunError;
use crate::feed::Supply;
use crate::feedthrough;
use crate::grid::Grid;
use crate::history::History;
use crate::law::Law;
use crate::link::Links;
use crate::memento::Numbers;
use crate::method::{Method, Sampling};
use crate::power::{Account, Ledger};
use crate::record::{Column, Observer, Recorder};
use crate::relay::Relay;
use crate::requirements::{MIDDLE, check, stagger};
use crate::schedule::{Plan, Schedule};
use crate::station::Station;
use crate::system::{ChannelId, LawId, System, SystemError, UnitId};
use crate::time::{Span, Tick};
use crate::unit::Unit;
use crate::window::Window;
use crate::work::{LawSources, WORK_TOLERANCE, WorkWatch};

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
    /// Largest relative defect of virtual work of the pairs of maps under watch; 0 without any.
    pub work_defect: f64,
}

/// A run under way.
pub struct Simulation {
    pub(crate) window: Window,
    corrector: Option<Box<dyn Corrector>>,
    control: Option<Box<Controller>>,
    /// The plan as copies and calls, where inputs are held and nothing is taken back.
    relay: Option<Relay>,
    recorder: Recorder,
    depth: usize,
    statistics: Statistics,
    warnings: Vec<String>,
    grid: Grid,
    sources: LawSources,
    watches: Vec<WorkWatch>,
}

impl Simulation {
    /// Checks that system, method and grid fit together; units have been instantiated and their parameters set.
    ///
    /// # Errors
    /// [`RunError::Capability`] where the method needs what a unit does not offer, [`RunError::Grid`] for times that make
    /// no sense, [`RunError::Schedule`] for an order that is not one of all units.
    pub fn new(mut system: System, method: &Method, grid: Grid) -> Result<Self, RunError> {
        let (mut clock, steps) = grid.resolve(system.units.len(), method.schedule.parts())?;
        // Room is made for the highest degree there is to choose.
        let widest = method.control.as_ref().and_then(|c| c.family.last());
        let method = &widest.map_or_else(|| method.clone(), |p| Method { predictor: p.clone(), ..method.clone() });
        if let Some(control) = &method.control {
            clock.per_unit *= Tick::from(control.parts.max(1));
        }
        check(&system, method, &steps)?;
        let mut groups = feedthrough::groups(&system);
        if method.predictor.rates() {
            // The rate of a force follows accelerations, which themselves are refreshed: first these, then what follows them.
            groups.extend_from_within(..);
        }
        let refreshed = if method.sampling == Sampling::Updated { groups.as_slice() } else { &[] };
        let stagger = stagger(&system, method);
        let plan = match stagger {
            Some(order) => Plan::staggered(order, &steps, refreshed, grid.last_window(steps[0])),
            None => Plan::new(&method.schedule, &steps, refreshed).beside(|unit| system.units[unit].is_parallel()),
        };
        let nodes = if stagger.is_some() { MIDDLE } else { method.predictor.nodes() };
        let in_window = |u: usize| (plan.window / steps[u]) as usize * nodes.max(1) + 1;
        let depth = method.predictor.depth();
        let settles = !system.bonds.is_empty() && steps.iter().any(|s| *s != steps[0]);
        let kept = if settles { depth.max(SETTLED_DEPTH) } else { depth };
        let channels = system.channels.iter();
        let histories = channels.map(|c| History::new(c.refs.len(), kept, in_window(c.unit))).collect();
        let units = std::mem::take(&mut system.units).into_iter().enumerate();
        let mut stations: Vec<Station> =
            units.map(|(u, unit)| Station::new(&system, u, unit, steps[u], method)).collect();
        for (u, station) in stations.iter_mut().enumerate() {
            if nodes > 0 && stagger.is_none_or(|order| order.first() == Some(&u)) {
                station.dense = Some(Dense::new(&system, u, station.unit.as_mut(), nodes)?);
            }
        }
        let mut warnings = Vec::new();
        if stagger.is_none() && matches!(method.schedule, Schedule::Palindromic(_)) {
            let warning =
                "half steps of neighbouring windows are not merged, because the first unit has no dense output";
            warnings.push(warning.to_string());
        }
        let links = Links::new(std::mem::take(&mut system.links));
        let sources = LawSources::of(&system);
        let laws = std::mem::take(&mut system.laws).into_iter().map(|l| l.law).collect();
        let supply = Supply::new(histories, laws, method.predictor.clone(), clock);
        let mut ledger = Ledger::new(&system, &stations, method);
        if let Some(ledger) = ledger.as_mut().filter(|_| settles) {
            ledger.settle_windows(plan.window, &steps);
        }
        let mut window = Window::new(stations, supply, links, plan, groups);
        window.ledger = ledger;
        if window.ledger.is_none() && method.control.as_ref().is_some_and(|c| c.estimate == Estimate::Ecco) {
            let (found, expected) =
                ("no power bond".to_string(), "a power bond, or the estimate of errors".to_string());
            return Err(RunError::Grid { what: "step control by residual energy", found, expected });
        }
        let control = method.control.as_ref().map(|control| {
            let controller = Controller::new(control, &method.predictor, &window.stations, window.blind());
            window.stations.iter_mut().for_each(|s| s.holds = false);
            window.revocable = controller.revocable;
            window.supply.predictor = controller.predictor().clone();
            Box::new(controller)
        });
        let corrector = method.correction.build();
        let held = corrector.is_none() && control.is_none() && window.links.is_empty();
        let relay = if held { Relay::of(&window) } else { None };
        Ok(Simulation {
            window,
            control,
            corrector,
            relay,
            recorder: Recorder::new(),
            depth,
            statistics: Statistics::default(),
            warnings,
            grid,
            sources,
            watches: Vec::new(),
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
        // What a unit is at mid-step is known of its sampled outputs only.
        if self.window.now == 0 && !station.outputs.refs.contains(&variables[i].value_reference) {
            self.window.plan.unmerge();
        }
        self.recorder.add(&self.window.stations, unit.index(), i, column.to_string());
        Ok(())
    }

    /// Checks from now on, at every communication point, that two laws conserve virtual work: positions go forward by
    /// `forward`, forces come back by `back`. The largest defect is in [`Statistics::work_defect`]; one above
    /// [`WORK_TOLERANCE`] ends the run.
    ///
    /// # Errors
    /// [`SystemError::LawShape`] where one has not as many outputs as the other has inputs.
    pub fn watch_work(&mut self, forward: LawId, back: LawId) -> Result<(), SystemError> {
        let supply = &self.window.supply;
        let Some(watch) = WorkWatch::new(supply, &self.sources, forward, back) else {
            let outputs = |law: LawId| supply.laws.get(law.0).map_or(0, |l| l.outputs());
            let (found, expected) = (outputs(back), self.sources.inputs(forward));
            return Err(SystemError::LawShape { what: "outputs on the way back", found, expected });
        };
        self.watches.push(watch);
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
        self.window.link()?;
        self.window.settle()?;
        let Window { stations, supply, .. } = &mut self.window;
        for s in stations.iter_mut() {
            s.show_inputs(supply, 0)?;
        }
        for s in stations.iter_mut() {
            s.unit.exit_initialization()?;
            s.sample(supply, 0)?;
        }
        self.window.sample_links()?;
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
            if let Some(dense) = &mut s.dense {
                dense.begin(s.unit.as_mut())?;
            }
        }
        if let Some(corrector) = &mut self.corrector {
            corrector.forget();
        }
        if let Some(control) = &mut self.control {
            control.forget();
            self.window.supply.predictor = control.predictor().clone();
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
        let convergence = match &mut self.control {
            None => self.window.run(self.corrector.as_deref_mut())?,
            Some(_) => self.controlled()?,
        };
        self.statistics.windows += 1;
        self.statistics.runs += convergence.map_or(1, |c| c.runs as u64);
        if let Some(c) = convergence {
            self.statistics.unconverged += u64::from(!c.converged);
            self.statistics.residual_max = self.statistics.residual_max.max(c.residual);
        }
        self.check_work()?;
        Ok(convergence)
    }

    /// A window of a length that keeps the tolerance.
    fn controlled(&mut self) -> Result<Option<Convergence>, RunError> {
        let Simulation { window, control: Some(control), corrector, grid, .. } = self else { return Ok(None) };
        let clock = window.supply.clock;
        let end = grid.stop_s.map_or(Tick::MAX, |stop_s| {
            ((stop_s - clock.start_s) / clock.unit_s * clock.per_unit as f64).round() as Tick
        });
        loop {
            let before = window.plan.window;
            window.stretch(1);
            let left = ((end - window.now) / window.plan.window).max(1);
            let length = control.fit(left);
            window.stretch(length);
            if let Some(corrector) = corrector.as_deref_mut().filter(|_| window.plan.window != before) {
                corrector.forget();
            }
            if control.revocable {
                window.begin()?;
            }
            let span = Span {
                from: window.now,
                to: window.now + window.plan.window,
                length_s: clock.length_s(window.plan.window),
            };
            control.predict(&mut window.stations, &mut window.supply, &span);
            let outcome = window.run(corrector.as_deref_mut());
            let verdict = match &outcome {
                Err(RunError::Discarded { .. }) if control.revocable && length > 1 => {
                    control.course.rejected += 1;
                    control.shrink(length, 0.5);
                    window.rewind()?;
                    continue;
                }
                Err(_) => return outcome,
                Ok(_) => {
                    let errors = window.estimate(control, span.length_s);
                    control.judge(errors, length, span.length_s)
                }
            };
            if verdict == Verdict::Accepted {
                control.energy_j = window.ledger.as_ref().map_or(0.0, |l| l.totals().0);
                window.supply.predictor = control.predictor().clone();
                return outcome;
            }
            window.now = span.from;
            window.rewind()?;
        }
    }

    /// Whether the stop time has been reached; never without one.
    pub fn is_over(&self) -> bool {
        let clock = self.window.supply.clock;
        self.grid.stop_s.is_some_and(|stop_s| self.time_s() >= stop_s - 0.5 * clock.length_s(1))
    }

    /// What macro step control has done, where there is one.
    pub fn course(&self) -> Option<Course> {
        self.control.as_ref().map(|c| c.course)
    }

    /// The accounts of the power bonds, closed at the present time.
    pub fn accounts(&mut self) -> &[Account] {
        let Window { stations, supply, ledger, .. } = &mut self.window;
        ledger.as_mut().map_or(&[], |ledger| {
            ledger.close_all(stations, supply);
            &ledger.accounts
        })
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

    /// Looks at the newest samples of all pairs of maps under watch.
    fn check_work(&mut self) -> Result<(), RunError> {
        for watch in &mut self.watches {
            watch.look(&self.window.supply);
            self.statistics.work_defect = self.statistics.work_defect.max(watch.defect);
        }
        let found = self.statistics.work_defect;
        if found <= WORK_TOLERANCE {
            return Ok(());
        }
        Err(RunError::VirtualWork { t_s: self.time_s(), found, limit: WORK_TOLERANCE })
    }

    /// Windows of which only the end is looked at, by the observer; pairs of maps under watch are looked at after each.
    fn stretch(&mut self, windows: u64) -> Result<(), RunError> {
        let Some(relay) = &mut self.relay else {
            return (0..windows).try_for_each(|_| self.step().map(|_| ()));
        };
        if !self.watches.is_empty() && windows > 1 {
            return (0..windows).try_for_each(|_| self.stretch(1));
        }
        let (began, length) = (self.window.now, self.window.plan.window);
        let result = self.window.run_by(relay, windows);
        let done = ((self.window.now - began) / length) as u64;
        self.statistics.windows += done;
        self.statistics.runs += done;
        result?;
        self.check_work()
    }

    /// Reads the recorded variables now.
    #[inline]
    pub fn observe(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Window { stations, supply, now, .. } = &mut self.window;
        self.recorder.read(stations, supply, *now)?;
        observer.row(supply.clock.seconds(*now), &self.recorder.row);
        Ok(())
    }

    /// The newest sample of a channel that is not ahead of the present time.
    #[inline]
    pub fn latest(&self, channel: ChannelId) -> &[f64] {
        let history = &self.window.supply.histories[channel.index()];
        history.row(history.not_after(self.window.now))
    }

    /// Ends the run in all units.
    pub fn terminate(&mut self) -> Result<(), RunError> {
        for s in &mut self.window.stations {
            s.unit.terminate()?;
        }
        Ok(())
    }

    /// What the master knows, for a memento; what of it no memento holds, where there is such a thing.
    pub(crate) fn pass(&mut self, numbers: &mut Numbers<'_>) -> Option<&'static str> {
        self.window.pass(numbers);
        let all_learnt = self.corrector.as_mut().is_none_or(|corrector| corrector.pass(numbers));
        let s = &mut self.statistics;
        for count in [&mut s.windows, &mut s.runs, &mut s.unconverged] {
            let mut n = *count as i64;
            numbers.count(&mut n);
            *count = n as u64;
        }
        numbers.real(&mut s.residual_max);
        if self.control.is_some() {
            return Some("macro step control");
        }
        if !self.watches.is_empty() {
            return Some("a watch over virtual work");
        }
        if all_learnt { self.window.unkept() } else { Some("a corrector that learns in its own way") }
    }

    /// Present time \[s\].
    pub fn time_s(&self) -> f64 {
        self.window.supply.clock.seconds(self.window.now)
    }

    /// Length of a window \[s\]: the shortest span after which all units meet.
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
