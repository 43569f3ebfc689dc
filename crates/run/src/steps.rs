//! The loop of a run: macro steps with rows and checkpoints on the way, to the end, to an interrupt or to a failure.

use std::time::{Duration, Instant};

use macrostep_import::isolation::interrupt;
use macrostep_master::{RunError, Simulation};

use crate::checkpoint::CheckpointWriter;
use crate::clock::Clock;
use crate::error::Error;
use crate::sink::Sink;
use crate::stream::Stream;

/// Windows between two reports of progress.
const BAR: u64 = 1000;

/// About the time between two looks of who watches a run.
const LOOK: Duration = Duration::from_millis(50);

/// Receives the part of a run that is done.
pub type Progress = Box<dyn FnMut(f64)>;

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
    /// The clock the run keeps to.
    pub clock: Option<Clock>,
    /// Receives the part of the run that is done, 0 to 1; dropped when the run has ended.
    pub progress: Option<Progress>,
}

impl Steps {
    /// From the start to the stop \[s\], with a row after every `every`-th window.
    ///
    /// # Errors
    /// Where the span is not a whole number of windows.
    pub fn new(simulation: &Simulation, (start_s, stop_s): (f64, f64), every: u64) -> Result<Steps, RunError> {
        let span_s = stop_s - start_s;
        let is_chosen = simulation.course().is_some();
        let windows = if is_chosen { None } else { Some(simulation.windows_in(span_s)?) };
        Ok(Steps {
            windows,
            start_s,
            span_s,
            every: every.max(1),
            done: None,
            wall: Duration::ZERO,
            clock: None,
            progress: None,
        })
    }

    /// Most windows of the whole run.
    pub fn windows(&self) -> u64 {
        self.windows.unwrap_or(u64::MAX)
    }

    /// Whether the run is over after so many windows.
    fn is_over(&self, simulation: &Simulation, windows: u64) -> bool {
        self.windows.map_or_else(|| simulation.is_over(), |all| windows >= all)
    }

    /// The run goes on after so many windows.
    pub fn go_on_after(&mut self, windows: u64) {
        self.done = Some(windows);
    }

    /// Steps and records to the end, to an interrupt, or to a failure; all rows until then are in `rows`.
    ///
    /// # Errors
    /// [`Error`] where it ended early, with unit, call and time.
    pub fn run(
        &mut self,
        simulation: &mut Simulation,
        rows: &mut dyn Sink,
        mut writer: Option<&mut CheckpointWriter>,
    ) -> Result<(), Error> {
        let began = Instant::now();
        let ended = self.steps(simulation, rows, &mut writer);
        self.wall = began.elapsed();
        self.progress = None;
        let ended = ended.and_then(|()| Ok(simulation.terminate()?));
        // A row that could not be written is the reason of all that followed.
        rows.stream().map_or(Ok(()), Stream::check)?;
        ended
    }

    fn steps(
        &mut self,
        simulation: &mut Simulation,
        rows: &mut dyn Sink,
        writer: &mut Option<&mut CheckpointWriter>,
    ) -> Result<(), Error> {
        // The first row, or, of a run that its checkpoint has at the end, only the end.
        if self.done.is_none() {
            simulation.observe(rows)?;
        } else if self.done.is_some_and(|done| self.is_over(simulation, done)) {
            rows.end(simulation)?;
        }
        let done = self.done.unwrap_or(0);
        let mut n = done;
        self.clock.as_mut().into_iter().for_each(|clock| clock.begin(simulation.time_s()));
        // As many as take about a tenth of a second, where somebody looks on.
        let mut few = if rows.is_watched() { 1 } else { BAR };
        while !self.is_over(simulation, n) {
            // Whether the run is kept here, and whether it goes on.
            let is_interrupted = interrupt::asked() || rows.is_cut();
            if is_interrupted || (n > done && writer.as_ref().is_some_and(|k| k.is_due(n))) {
                keep(simulation, rows, writer, n)?;
            }
            if is_interrupted {
                let t_s = simulation.time_s();
                // The run is over; what the slaves say to that changes nothing.
                let _ = simulation.terminate();
                return Err(CheckpointWriter::interrupted(writer.as_deref(), t_s));
            }
            if rows.is_done() {
                break;
            }
            // Windows until one of them is to be looked at, with the rows that fall due.
            let until_kept = writer.as_ref().map_or(u64::MAX, |k| k.next(n));
            let most = self.windows.map_or(u64::MAX, |all| all - n);
            let few_or_one = if self.clock.is_some() { 1 } else { few };
            let windows = most.min(until_kept).min(BAR - n % BAR).min(few_or_one);
            let began = Instant::now();
            match simulation.advance(windows, (n, self.every), rows) {
                Ok(made) => n += made,
                // The end that the unit has chosen is the end of the run.
                Err(error) if simulation.is_ended_by_unit(&error, rows)? => break,
                Err(error) => return Err(error.into()),
            }
            few = few_next(few, began.elapsed());
            // The last window has a row whatever the interval of rows.
            if self.is_over(simulation, n) && !n.is_multiple_of(self.every) {
                simulation.observe(rows)?;
            }
            rows.stream().map_or(Ok(()), Stream::check)?;
            rows.show(simulation)?;
            self.clock.as_mut().into_iter().for_each(|clock| clock.wait_until(simulation.time_s()));
            if let Some(progress) = self.progress.as_mut().filter(|_| n.is_multiple_of(BAR)) {
                progress((simulation.time_s() - self.start_s) / self.span_s);
            }
        }
        Ok(())
    }
}

/// How many macro steps to make at a time, from how long so many took.
fn few_next(few: u64, took: Duration) -> u64 {
    if took > 2 * LOOK { (few / 2).max(1) } else { (2 * few).min(BAR) }
}

fn keep(
    simulation: &mut Simulation,
    rows: &mut dyn Sink,
    writer: &mut Option<&mut CheckpointWriter>,
    windows: u64,
) -> Result<(), Error> {
    let Some(writer) = writer else { return Ok(()) };
    let saved = rows.saved_state(simulation)?;
    writer.keep(windows, saved, rows.stream())
}
