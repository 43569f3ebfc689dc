//! The macro steps of a scenario: rows and checkpoints during the run, interrupts, and the rows that are left when it
//! fails.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use macrostep_import::isolation::{Cut, interrupt};
use macrostep_master::record::Observer;
use macrostep_master::{RunError, SavedState, Simulation};

use crate::checkpoint::CheckpointWriter;
use crate::door::Collected;
use crate::failure::Failure;
use crate::stream::Stream;
use crate::system::pace::Pace;
use crate::system::report::Live;
use crate::thinned::Thinned;

/// Windows between two looks at the bar.
const BAR: u64 = 1000;

/// About the time between two looks of who watches a run.
const LOOK: Duration = Duration::from_millis(50);

/// Parts of a run that the bar tells apart.
const BAR_PARTS: f64 = 1e4;

/// Rows as they come; the last one is kept.
#[derive(Debug, Default)]
pub struct Rows {
    pub stream: Option<Stream>,
    /// Curves for the pictures, where there will be any.
    pub curves: Option<Thinned>,
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
    /// Who shows them while they come.
    pub live: Option<Live>,
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
        if let Some(curves) = &mut self.curves {
            curves.row(t_s, values);
        }
        if let Some(collected) = &mut self.collected {
            collected.row(t_s, values);
        }
        self.count += 1;
        self.last_s = t_s;
        self.last.clear();
        self.last.extend_from_slice(values);
    }

    fn event(&mut self, t_s: f64, values: &[f64], texts: &[(usize, String)]) {
        if !texts.is_empty() {
            self.texts(texts);
        }
        self.row(t_s, values);
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

    #[inline]
    fn goes_on(&mut self) -> bool {
        goes_on(self.stream.as_ref()) && !self.cut.as_ref().is_some_and(Cut::is_set)
    }
}

/// The receiver of the rows of a run, with data of its own beside the state of the run.
pub trait Sink: Observer {
    /// The file that rows go to.
    fn stream(&mut self) -> Option<&mut Stream>;

    /// Where nothing is left of a run that was continued: what is to be known at its end.
    ///
    /// # Errors
    /// What a unit answers.
    fn end(&mut self, simulation: &mut Simulation) -> Result<(), RunError>;

    /// Whether the run was ended from outside.
    fn is_cut(&self) -> bool {
        false
    }

    /// Whether somebody looks on, so that few macro steps are made at a time.
    fn is_watched(&self) -> bool {
        false
    }

    /// Shows what there is so far to who looks on.
    ///
    /// # Errors
    /// Where it cannot be put into words.
    fn show(&mut self, _simulation: &Simulation) -> Result<(), Failure> {
        Ok(())
    }

    /// The run as it is written down.
    ///
    /// # Errors
    /// Where a state cannot be saved.
    fn saved_state(&mut self, simulation: &mut Simulation) -> Result<SavedState, RunError> {
        simulation.saved_state()
    }

    /// Whether the run ends where it is, because of its rows.
    fn is_done(&self) -> bool {
        false
    }
}

impl Sink for Rows {
    fn is_cut(&self) -> bool {
        self.cut.as_ref().is_some_and(Cut::is_set)
    }

    fn is_watched(&self) -> bool {
        self.live.is_some()
    }

    fn show(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let Some(mut live) = self.live.take_if(|live| live.is_due()) else { return Ok(()) };
        let shown = live.show(simulation, self);
        self.live = Some(live);
        shown
    }

    fn stream(&mut self) -> Option<&mut Stream> {
        self.stream.as_mut()
    }

    fn end(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        // Their row is in the file.
        let mut end = Rows::default();
        simulation.observe(&mut end)?;
        (self.last_s, self.last, self.texts) = (end.last_s, end.last, end.texts);
        Ok(())
    }
}

/// Whether a run whose rows go there is to go on.
#[inline]
pub fn goes_on(stream: Option<&Stream>) -> bool {
    !interrupt::asked() && stream.is_none_or(Stream::is_fine)
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
    /// The clock the run keeps to.
    pub pace: Option<Pace>,
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
        Ok(Steps { windows, start_s, span_s, every: every.max(1), done: None, wall: Duration::ZERO, pace: None })
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
    /// [`Failure`] where it ended early, with unit, call and time.
    pub fn run(
        &mut self,
        simulation: &mut Simulation,
        rows: &mut impl Sink,
        mut writer: Option<&mut CheckpointWriter>,
    ) -> Result<(), Failure> {
        let bar = bar();
        let began = Instant::now();
        let ended = self.steps(simulation, rows, &mut writer, &bar);
        self.wall = began.elapsed();
        bar.finish_and_clear();
        let ended = ended.and_then(|()| Ok(simulation.terminate()?));
        // A row that could not be written is the reason of all that followed.
        rows.stream().map_or(Ok(()), Stream::check)?;
        ended
    }

    fn steps(
        &mut self,
        simulation: &mut Simulation,
        rows: &mut impl Sink,
        writer: &mut Option<&mut CheckpointWriter>,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        // The first row, or, of a run that its checkpoint has at the end, only the end.
        if self.done.is_none() {
            simulation.observe(rows)?;
        } else if self.done.is_some_and(|done| self.is_over(simulation, done)) {
            rows.end(simulation)?;
        }
        let done = self.done.unwrap_or(0);
        let mut n = done;
        self.pace.as_mut().into_iter().for_each(|pace| pace.begin(simulation.time_s()));
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
            let few_or_one = if self.pace.is_some() { 1 } else { few };
            let windows = most.min(until_kept).min(BAR - n % BAR).min(few_or_one);
            let began = Instant::now();
            n += simulation.advance(windows, (n, self.every), rows)?;
            few = few_next(few, began.elapsed());
            // The last window has a row whatever the interval of rows.
            if self.is_over(simulation, n) && !n.is_multiple_of(self.every) {
                simulation.observe(rows)?;
            }
            rows.stream().map_or(Ok(()), Stream::check)?;
            rows.show(simulation)?;
            self.pace.as_mut().into_iter().for_each(|pace| pace.reach(simulation.time_s()));
            if n.is_multiple_of(BAR) {
                let part = (simulation.time_s() - self.start_s) / self.span_s;
                bar.set_position((part * BAR_PARTS) as u64);
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
    rows: &mut impl Sink,
    writer: &mut Option<&mut CheckpointWriter>,
    windows: u64,
) -> Result<(), Failure> {
    let Some(writer) = writer else { return Ok(()) };
    let saved = rows.saved_state(simulation)?;
    writer.keep(windows, saved, rows.stream())
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {eta} left");
    ProgressBar::new(BAR_PARTS as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
