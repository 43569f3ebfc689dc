//! The macro steps of a scenario: rows and checkpoints as they come, interrupts, and what of a run is left when it fails.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use macrostep_description::shown;
use macrostep_import::isolation::{Cut, interrupt};
use macrostep_master::record::Observer;
use macrostep_master::{RunError, Simulation};
use macrostep_system::Scenario;

use crate::checkpoint::{Checkpoint, Keeper};
use crate::door::Collected;
use crate::failure::Failure;
use crate::stream::Stream;

/// Windows between two looks at the bar.
const BAR: u64 = 1000;

/// Parts of a run that the bar tells apart.
const BAR_PARTS: f64 = 1e4;

/// Rows as they come; the last one is kept.
#[derive(Debug, Default)]
pub struct Rows {
    pub stream: Option<Stream>,
    /// Recorded, those of an earlier part of the run counted.
    pub count: u64,
    /// Time of the last row \[s\]; NaN before the first.
    pub last_s: f64,
    /// Its values.
    pub last: Vec<f64>,
    /// Its texts, each with its place among them.
    pub texts: Vec<(usize, String)>,
    /// All of them, where they are wanted in memory.
    pub collected: Option<Collected>,
    /// Ends the run from outside.
    pub cut: Option<Cut>,
}

impl Rows {
    /// None yet.
    pub fn new(stream: Option<Stream>) -> Self {
        Rows { stream, last_s: f64::NAN, ..Rows::default() }
    }

    /// None yet, and all are kept in memory.
    pub fn collected(cut: Cut) -> Self {
        Rows { collected: Some(Collected::default()), cut: Some(cut), ..Rows::new(None) }
    }
}

impl Observer for Rows {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        if let Some(stream) = &mut self.stream {
            stream.row(t_s, values);
        }
        if let Some(collected) = &mut self.collected {
            collected.row(t_s, values);
        }
        self.count += 1;
        self.last_s = t_s;
        self.last.clear();
        self.last.extend_from_slice(values);
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        if let Some(stream) = &mut self.stream {
            stream.texts(texts);
        }
        if let Some(collected) = &mut self.collected {
            collected.texts(texts);
        }
        self.texts.clear();
        self.texts.extend_from_slice(texts);
    }
}

/// How far a run goes.
pub struct Steps {
    /// Windows of the whole run; `None` where they are chosen as it goes on.
    windows: Option<u64>,
    start_s: f64,
    span_s: f64,
    /// Every how many windows a row is kept.
    every: u64,
    /// Windows done in an earlier part of the run, whose first row is recorded; `None`: there is none.
    done: Option<u64>,
    /// Time spent in windows and recording.
    pub wall: Duration,
}

impl Steps {
    /// To the scenario's stop.
    ///
    /// # Errors
    /// Where the span is no whole number of windows.
    pub fn new(simulation: &Simulation, scenario: &Scenario) -> Result<Steps, RunError> {
        let start_s = scenario.experiment.start_s;
        let span_s = scenario.experiment.stop_s.unwrap_or(0.0) - start_s;
        let is_chosen = simulation.course().is_some();
        let windows = if is_chosen { None } else { Some(simulation.windows_in(span_s)?) };
        let every = scenario.record.every.max(1);
        Ok(Steps { windows, start_s, span_s, every, done: None, wall: Duration::ZERO })
    }

    /// Most windows of the whole run.
    pub fn windows(&self) -> u64 {
        self.windows.unwrap_or(u64::MAX)
    }

    /// Whether the run is over after so many windows.
    fn is_over(&self, simulation: &Simulation, windows: u64) -> bool {
        self.windows.map_or_else(|| simulation.is_over(), |all| windows >= all)
    }

    /// Takes up a run where it was kept; `simulation` is initialised.
    ///
    /// # Errors
    /// Where the checkpoint is of another run.
    pub fn resume(&mut self, simulation: &mut Simulation, at: Checkpoint, rows: &mut Rows) -> Result<(), RunError> {
        simulation.resume(&at.memento)?;
        (self.done, rows.count) = (Some(at.steps), at.file.rows);
        Ok(())
    }

    /// Steps and records to the end, to an interrupt, or to a failure; all rows until then are in `rows`.
    ///
    /// # Errors
    /// [`Failure`] where it ended early, with unit, call and time.
    pub fn run(
        &mut self,
        simulation: &mut Simulation,
        rows: &mut Rows,
        mut keeper: Option<&mut Keeper>,
    ) -> Result<(), Failure> {
        let bar = bar();
        let began = Instant::now();
        let ended = self.steps(simulation, rows, &mut keeper, &bar);
        self.wall = began.elapsed();
        bar.finish_and_clear();
        let ended = ended.and_then(|()| simulation.terminate().map_err(failed));
        // A row that could not be written is the reason of all that followed.
        rows.stream.as_mut().map_or(Ok(()), Stream::check)?;
        ended
    }

    fn steps(
        &self,
        simulation: &mut Simulation,
        rows: &mut Rows,
        keeper: &mut Option<&mut Keeper>,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        if self.done.is_none() {
            simulation.observe(rows).map_err(failed)?;
        } else if self.done.is_some_and(|done| self.is_over(simulation, done)) {
            // Nothing is left but to know the values at the end; their row is there.
            let mut end = Rows::default();
            simulation.observe(&mut end).map_err(failed)?;
            (rows.last_s, rows.last, rows.texts) = (end.last_s, end.last, end.texts);
        }
        let done = self.done.unwrap_or(0);
        let mut n = done;
        while !self.is_over(simulation, n) {
            let is_interrupted = interrupt::asked() || rows.cut.as_ref().is_some_and(Cut::is_set);
            if is_interrupted || (n > done && keeper.as_ref().is_some_and(|k| k.is_due(n))) {
                keep(simulation, rows, keeper, n)?;
            }
            if is_interrupted {
                return Err(interrupted(simulation, keeper));
            }
            simulation.step().map_err(failed)?;
            n += 1;
            if n.is_multiple_of(self.every) || self.is_over(simulation, n) {
                simulation.observe(rows).map_err(failed)?;
                rows.stream.as_mut().map_or(Ok(()), Stream::check)?;
            }
            if n.is_multiple_of(BAR) {
                let part = (simulation.time_s() - self.start_s) / self.span_s;
                bar.set_position((part * BAR_PARTS) as u64);
            }
        }
        Ok(())
    }
}

fn keep(
    simulation: &mut Simulation,
    rows: &mut Rows,
    keeper: &mut Option<&mut Keeper>,
    windows: u64,
) -> Result<(), Failure> {
    let Some(keeper) = keeper else { return Ok(()) };
    let memento = simulation.memento().map_err(failed)?;
    keeper.keep(windows, memento, rows.stream.as_mut())
}

/// How an interrupted run ends.
fn interrupted(simulation: &mut Simulation, keeper: &Option<&mut Keeper>) -> Failure {
    let t_s = shown::time(simulation.time_s());
    // The run is over; what the slaves say to that changes nothing.
    let _ = simulation.terminate();
    let kept = keeper.as_ref().map(|k| format!("; `--resume {}` continues", k.path().display()));
    Failure::Run(format!("interrupted at t = {t_s} s{}", kept.unwrap_or_default()))
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {eta} left");
    ProgressBar::new(BAR_PARTS as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A failed call as the end of a verb.
pub fn failed(error: RunError) -> Failure {
    Failure::Simulation(error)
}
