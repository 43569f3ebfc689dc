//! A *simulation*: a system coupled by a method on a grid, from initialisation to the end, step by step.

use crate::books::SETTLED_DEPTH;
use crate::change::Changes;
use crate::control::{Controller, Course, Estimate, Verdict};
use crate::correct::{Convergence, Corrector};
use crate::dense::Dense;
use crate::error::{Diverged, RunError};
use crate::feed::Supply;
use crate::feedthrough;
use crate::grid::Grid;
use crate::guess::{Cause, Doubt};
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
use crate::system::{ChannelId, LawId, Settings, System, SystemError, UnitId};
use crate::time::{Span, Tick};
use crate::unit::Unit;
use crate::window::Window;
use crate::work::{LawSources, WORK_TOLERANCE, WorkWatch};
use macrostep_description::shown;

/// What a run has cost so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Statistics {
    /// Windows completed.
    pub windows: u64,
    /// Runs of windows, repetitions included; equal to `windows` for explicit coupling.
    pub runs: u64,
    /// Windows whose correction did not converge, or whose nodes have nothing to do with a signal; see
    /// [`Simulation::unconverged`].
    pub unconverged: u64,
    /// Other windows whose nodes resolve a signal less than their number promises; see [`Simulation::coarse`].
    pub coarse: u64,
    /// Largest relative residual a window was accepted with.
    pub residual_max: f64,
    /// Largest relative defect of virtual work of the pairs of maps under watch; 0 without any.
    pub work_defect: f64,
}

/// Sampled values larger than this are those of a run that has diverged.
const SIZE_MAX: f64 = 1e100;

/// With sampled values larger than this a call that fails is taken for a sign of divergence.
const SIZE_BLAMED: f64 = 1e30;

/// A window that is not to be relied on, or not to the last digits.
#[derive(Debug, Clone, PartialEq)]
pub struct Unconverged {
    /// Its start \[s\].
    pub t_s: f64,
    /// How many there were.
    pub windows: u64,
    /// `UNIT.VARIABLE` that is worst.
    pub signal: String,
    /// Residual relative to the size of the signal, or the part of the signal that nodes leave out.
    pub found: f64,
    /// That part where it is allowed; `None` for a residual.
    pub allowed: Option<f64>,
}

/// "3 macro steps did not converge, the first from …", "3 macro steps are coarse, the worst from …".
impl std::fmt::Display for Unconverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Unconverged { t_s, windows, signal, found, allowed } = self;
        let (steps, t_s) = (if *windows == 1 { "macro step" } else { "macro steps" }, shown::time(*t_s));
        match allowed {
            None => write!(
                f,
                "{windows} {steps} did not converge, the first from t = {t_s} s: a residual of {found:.1e} of the size of \
                 `{signal}` is left; choose a smaller macro step"
            ),
            Some(allowed) => write!(
                f,
                "{windows} {steps} with too few nodes, as from t = {t_s} s: they leave out about {found:.1e} of `{signal}`, and \
                 errors may be as large, expected at most {allowed:.1e}; choose a smaller macro step or more nodes"
            ),
        }
    }
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
    /// The first window not to be relied on: its start and why.
    doubt: Option<(Tick, Doubt)>,
    /// The window with the largest part of a signal left out.
    coarse: Option<(Tick, Doubt)>,
    /// What ended the run where its signals grew beyond all bounds.
    diverged: Option<Diverged>,
    warnings: Vec<String>,
    grid: Grid,
    /// A last window that is shorter than the others.
    rest: Option<Rest>,
    sources: LawSources,
    watches: Vec<WorkWatch>,
    /// Values that units are given on the way.
    changes: Changes,
    /// What each unit is told when it is initialised.
    settings: Vec<Settings>,
}

/// The last window of a run that is no whole number of windows.
#[derive(Debug, Clone, Copy)]
struct Rest {
    /// Where it begins.
    from: Tick,
    /// Its length, and that of a whole window, as [`Window::stretch`] counts.
    parts: Tick,
    of: Tick,
}

/// Ticks that a run with a shorter last window may have.
const TICKS_MAX: f64 = 4.5e15;

impl Simulation {
    /// Checks that system, method and grid fit together; units have been instantiated, and nothing else.
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
            doubt: None,
            coarse: None,
            diverged: None,
            warnings,
            grid,
            rest: None,
            sources,
            watches: Vec::new(),
            changes: Changes::new(system.changes),
            settings: system.settings,
        })
    }

    /// Makes the last window before the stop time a shorter one, where the span is no whole number of windows; call it before
    /// [`Simulation::initialise`]. All units must be able to vary their step. Windows before it keep their bits: ticks are
    /// made finer, so that the rest is a whole number of them to 1e-12 of a window.
    ///
    /// # Errors
    /// [`RunError::Grid`] where steps are controlled or half steps merged: these choose their steps in another way.
    pub fn end_in_part(&mut self) -> Result<(), RunError> {
        let Some(stop_s) = self.grid.stop_s else { return Ok(()) };
        let span_s = stop_s - self.grid.start_s;
        let (whole, rest) = windows_and_rest(span_s, self.window_s());
        let Some(rest) = rest else { return Ok(()) };
        if self.control.is_some() || self.window.plan.is_staggered() {
            return Err(RunError::Grid {
                what: "stop time",
                found: format!("{span_s} s, {} windows", whole as f64 + rest),
                expected: format!("a whole number of windows of {} s", self.window_s()),
            });
        }
        // Ticks stay exact in the histories, which count them in doubles.
        let room = TICKS_MAX / (whole.max(1) as f64 * self.window.plan.window as f64);
        let (parts, of) = fraction(rest, room.clamp(1.0, 1e6) as Tick);
        // As with steps that are controlled: steps of one part, stretched to the whole window.
        self.window.supply.clock.per_unit *= of;
        self.window.stretch(of);
        let from = whole as Tick * self.window.plan.window;
        self.rest = Some(Rest { from, parts, of });
        if self.relay.is_some() {
            self.relay = Relay::of(&self.window);
        }
        Ok(())
    }

    /// Records a variable of a unit, of any type, in a column of the given name.
    ///
    /// # Errors
    /// [`SystemError::UnknownVariable`] where the unit has none of that name.
    pub fn record(&mut self, unit: UnitId, variable: &str, column: &str) -> Result<(), SystemError> {
        let station = &self.window.stations[unit.index()];
        let variables = &station.unit.description().variables;
        let Some(i) = variables.iter().position(|v| v.name == variable) else {
            return Err(SystemError::UnknownVariable {
                unit: station.unit.name().to_string(),
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
        if self.window.plan.is_staggered() && self.window.now == 0 {
            let station = &self.window.stations[unit.index()];
            let v = &station.unit.description().variables[variable];
            if v.real().is_none() || !station.outputs.refs.contains(&v.value_reference) {
                self.window.plan.unmerge();
            }
        }
        self.recorder.add(&self.window.stations, unit.index(), variable, column.to_string());
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
        self.initialise_with(|_, _| Ok(()))
    }

    /// As [`Simulation::initialise`]; `set` may change each unit further, after its start values were set.
    ///
    /// # Errors
    /// As [`Simulation::initialise`], and those of `set`.
    pub fn initialise_with(
        &mut self,
        mut set: impl FnMut(UnitId, &mut dyn Unit) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let (start_s, stop_s) = (self.grid.start_s, self.grid.stop_s);
        let Window { stations, supply, .. } = &mut self.window;
        for (u, s) in stations.iter_mut().enumerate() {
            let Settings { tolerance, starts } = &self.settings[u];
            s.unit.setup(start_s, stop_s, *tolerance)?;
            // Not before: some FMUs give their parameters the declared values again in `fmi2SetupExperiment`.
            starts.iter().try_for_each(|start| start.set(s.unit.as_mut()))?;
            self.changes.of_start(u, start_s).try_for_each(|start| start.set(s.unit.as_mut()))?;
            set(UnitId(u), s.unit.as_mut())?;
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

    /// Begins anew: units are reset, get their start values again and then what `set` gives them, histories and statistics are forgotten, and
    /// everything is initialised. Cheaper than building the system again.
    ///
    /// # Errors
    /// What a unit answers to parameters or initialisation.
    pub fn restart(&mut self, set: impl FnMut(UnitId, &mut dyn Unit) -> Result<(), RunError>) -> Result<(), RunError> {
        self.window.forget();
        if let Some(rest) = self.rest {
            self.window.stretch(rest.of);
        }
        for s in &mut self.window.stations {
            s.unit.reset()?;
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
        self.changes.forget();
        self.statistics = Statistics::default();
        (self.doubt, self.coarse, self.diverged) = (None, None, None);
        self.initialise_with(set)
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
        if let Some(rest) = self.rest.filter(|rest| rest.from == self.window.now) {
            self.window.stretch(rest.parts);
            if let Some(corrector) = &mut self.corrector {
                corrector.forget();
            }
        }
        if self.changes.are_pending() {
            let times_s = (self.grid.start_s, self.time_s(), self.window_s());
            self.changes.set(times_s, &mut self.window.stations)?;
        }
        let began = self.window.now;
        let outcome = match &mut self.control {
            None => self.window.run(self.corrector.as_deref_mut()),
            Some(_) => self.controlled(),
        };
        let convergence = outcome.map_err(|error| self.blamed(error))?;
        self.statistics.windows += 1;
        self.statistics.runs += convergence.map_or(1, |c| c.runs as u64);
        if let Some(c) = convergence {
            self.statistics.unconverged += u64::from(!c.converged);
            self.statistics.residual_max = self.statistics.residual_max.max(c.residual);
            let doubt = self.window.doubt.map(|doubt| (began, doubt));
            if !c.converged {
                self.doubt = self.doubt.or(doubt);
            } else if let Some((_, found)) = doubt {
                self.statistics.coarse += 1;
                let is_worst = self.coarse.is_none_or(|(_, worst)| found.found > worst.found);
                self.coarse = if is_worst { doubt } else { self.coarse };
            }
        }
        self.check_size()?;
        self.check_work()?;
        Ok(convergence)
    }

    /// The first window that did not converge, or whose nodes have nothing to do with a signal, where there was one.
    pub fn unconverged(&self) -> Option<Unconverged> {
        self.told(self.doubt, self.statistics.unconverged)
    }

    /// The window that converged but leaves out the largest part of a signal, where that is more than its nodes promise.
    pub fn coarse(&self) -> Option<Unconverged> {
        self.told(self.coarse, self.statistics.coarse)
    }

    fn told(&self, doubt: Option<(Tick, Doubt)>, windows: u64) -> Option<Unconverged> {
        let (at, doubt) = doubt?;
        let signal = self.window.name(doubt.place);
        let allowed = match doubt.cause {
            Cause::Residual => None,
            Cause::Nodes { allowed } => Some(allowed),
        };
        let t_s = self.window.supply.clock.seconds(at);
        Some(Unconverged { t_s, windows, signal, found: doubt.found, allowed })
    }

    /// What ended the run where its signals grew beyond all bounds.
    pub fn diverged(&self) -> Option<&Diverged> {
        self.diverged.as_ref()
    }

    /// Whether all sampled values are those of a run that can go on.
    fn check_size(&mut self) -> Result<(), RunError> {
        match self.beyond(SIZE_MAX) {
            None => Ok(()),
            Some(diverged) => {
                self.diverged = Some(diverged.clone());
                Err(RunError::Diverged(Box::new(diverged)))
            }
        }
    }

    /// A call that failed; what a unit says to signals that have grown beyond all measure is not its fault.
    fn blamed(&mut self, error: RunError) -> RunError {
        match (&error, self.beyond(SIZE_BLAMED)) {
            (RunError::Unit(_), Some(diverged)) => {
                self.diverged = Some(diverged.clone());
                RunError::Diverged(Box::new(diverged))
            }
            _ => error,
        }
    }

    /// The first sampled value at the present time that is larger than `size`, or is not a number.
    fn beyond(&self, size: f64) -> Option<Diverged> {
        let Window { supply, now, .. } = &self.window;
        let is_beyond = |x: &f64| x.is_nan() || x.abs() > size;
        let known = supply.histories.iter().enumerate().filter(|(_, history)| !history.is_empty());
        let mut rows = known.map(|(channel, history)| (channel, history.row(history.not_after(*now))));
        let (channel, row) = rows.find(|(_, row)| row.iter().any(is_beyond))?;
        let component = row.iter().position(is_beyond)?;
        let signal = self.window.name((channel, component));
        Some(Diverged { t_s: self.time_s(), stop_s: self.grid.stop_s, signal, found: row[component] })
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
        // The relay knows whole windows only.
        let left = self.rest.map_or(Tick::MAX, |rest| (rest.from - self.window.now) / self.window.plan.window);
        let Some(relay) = self.relay.as_mut().filter(|_| Tick::try_from(windows).is_ok_and(|n| n <= left)) else {
            return (0..windows).try_for_each(|_| self.step().map(|_| ()));
        };
        if self.changes.are_pending() {
            return (0..windows).try_for_each(|_| self.step().map(|_| ()));
        }
        if !self.watches.is_empty() && windows > 1 {
            return (0..windows).try_for_each(|_| self.stretch(1));
        }
        let (began, length) = (self.window.now, self.window.plan.window);
        let result = self.window.run_by(relay, windows);
        let done = ((self.window.now - began) / length) as u64;
        self.statistics.windows += done;
        self.statistics.runs += done;
        result.map_err(|error| self.blamed(error))?;
        self.check_size()?;
        self.check_work()
    }

    /// Reads the recorded variables now.
    #[inline]
    pub fn observe(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Window { stations, supply, now, .. } = &mut self.window;
        self.recorder.read(stations, supply, *now)?;
        if !self.recorder.texts.is_empty() {
            observer.texts(&self.recorder.texts);
        }
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
        for count in [&mut s.windows, &mut s.runs, &mut s.unconverged, &mut s.coarse] {
            let mut n = *count as i64;
            numbers.count(&mut n);
            *count = n as u64;
        }
        numbers.real(&mut s.residual_max);
        crate::guess::pass(&mut self.doubt, numbers);
        crate::guess::pass(&mut self.coarse, numbers);
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

    /// How many windows make up `span_s` seconds, from the start on; a shorter last one counts where
    /// [`Simulation::end_in_part`] allows it.
    ///
    /// # Errors
    /// [`RunError::Grid`] where it is not a whole number.
    pub fn windows_in(&self, span_s: f64) -> Result<u64, RunError> {
        let window_s = self.rest.map_or(self.window_s(), |rest| {
            let clock = self.window.supply.clock;
            clock.length_s(self.window.plan.window / self.window.plan.stretched() * rest.of)
        });
        let n = span_s / window_s;
        match windows_and_rest(span_s, window_s) {
            (whole, None) if n.is_finite() && n >= 0.0 => Ok(whole),
            (whole, Some(_)) if self.rest.is_some() && n.is_finite() && n >= 0.0 => Ok(whole + 1),
            _ => Err(RunError::Grid {
                what: "stop time",
                found: format!("{span_s} s, {n} windows"),
                expected: format!("a whole number of windows of {window_s} s"),
            }),
        }
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

/// How many whole windows a span has, and what part of another one is left; a part in a million is none.
pub fn windows_and_rest(span_s: f64, window_s: f64) -> (u64, Option<f64>) {
    let n = span_s / window_s;
    if (n - n.round()).abs() <= 1e-6 * n.clamp(1.0, 1e3) {
        (n.round() as u64, None)
    } else {
        (n as u64, Some(n.fract()))
    }
}

/// The fraction p/q that comes nearest to `x` between 0 and 1, with q up to `most`, by continued fractions; p is at least 1.
fn fraction(x: f64, most: Tick) -> (Tick, Tick) {
    let (mut before, mut now) = ((1, 0), (0, 1));
    let mut left = x;
    while (x - now.0 as f64 / now.1 as f64).abs() > 1e-12 && left > 1.0 / most as f64 {
        let whole = (1.0 / left) as Tick;
        let next = (whole * now.0 + before.0, whole * now.1 + before.1);
        if next.1 > most {
            break;
        }
        (before, now) = (now, next);
        left = 1.0 / left - whole as f64;
    }
    if now.0 == 0 { (1, most) } else { now }
}

#[cfg(test)]
mod tests {
    use super::{fraction, windows_and_rest};

    #[test]
    fn rests_are_fractions() {
        assert_eq!(fraction(0.25, 1_000_000), (1, 4));
        assert_eq!(fraction(0.7 / 0.9, 1_000_000), (7, 9));
        assert_eq!(fraction(1e-9, 1000), (1, 1000));
        assert_eq!(fraction(0.999, 1_000_000), (999, 1000));
        for x in [0.123_456_789_f64, std::f64::consts::FRAC_1_PI, 0.618_033_988_7] {
            let (p, q) = fraction(x, 1_000_000);
            // No convergent that continues to a denominator above the largest is farther away than this.
            let bound = 1.0 / (q as f64 * 1e6);
            assert!((x - p as f64 / q as f64).abs() < bound && q <= 1_000_000, "{x}: {p}/{q}");
        }
        assert_eq!(windows_and_rest(1.0, 0.1), (10, None));
        let (whole, rest) = windows_and_rest(20.0, 0.0256);
        assert!(whole == 781 && (rest.expect("a rest") - 0.25).abs() < 1e-9);
        assert_eq!(windows_and_rest(0.5, 1.0), (0, Some(0.5)));
    }
}
