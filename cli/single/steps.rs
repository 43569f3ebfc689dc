//! The steps of one FMU, and the values recorded of them.

use macrostep_answers::failure::Failure;
use macrostep_description::{Variable, shown};
use macrostep_import::isolation::interrupt;
use macrostep_master::SavedState;
use macrostep_master::unit::{Outcome, Start, Unit, UnitError};
use macrostep_run::{Checkpoint, CheckpointWriter, Reading, Stream};

use super::options::Experiment;
use macrostep_answers::input::Input;

/// Parts a step may be done in by an FMU that stops before its end.
const PARTS_MAX: usize = 1000;

/// A run; its results can be read after any failure.
pub struct Steps<'a> {
    experiment: &'a Experiment,
    names: Vec<&'a str>,
    /// The values, and those of the last row.
    pub reading: Reading,
    input: Option<&'a Input>,
    allow_non_finite: bool,
    /// Rows recorded.
    pub rows: u64,
    /// Time of the last row \[s\].
    pub reached_s: f64,
    /// Calls of `fmi2DoStep`.
    pub do_steps: u64,
    /// What was noticed.
    pub warnings: Vec<String>,
}

impl<'a> Steps<'a> {
    /// A run that has not begun.
    pub fn new(
        experiment: &'a Experiment,
        recorded: &[&'a Variable],
        input: Option<&'a Input>,
        allow_non_finite: bool,
    ) -> Self {
        Steps {
            experiment,
            names: recorded.iter().map(|v| v.name.as_str()).collect(),
            reading: Reading::new(recorded),
            input,
            allow_non_finite,
            rows: 0,
            reached_s: experiment.start_s,
            do_steps: 0,
            warnings: Vec::new(),
        }
    }

    /// From instantiation, or from where a run was kept, to the end.
    ///
    /// # Errors
    /// [`Failure::Run`] with slave, call, time, what was found and what was expected.
    pub fn run(&mut self, unit: &mut dyn Unit, starts: &[Start], mut kept: RunFiles<'_>) -> Result<(), Failure> {
        let done = self.steps(unit, starts, &mut kept);
        self.do_steps = unit.do_steps();
        done
    }

    fn steps(&mut self, unit: &mut dyn Unit, starts: &[Start], kept: &mut RunFiles<'_>) -> Result<(), Failure> {
        // A run begins with the first row, or where its checkpoint was written, with the rows that are there.
        let e = *self.experiment;
        self.initialise(unit, starts).map_err(Failure::run)?;
        let mut first = 0;
        if let Some(at) = kept.resumed.take() {
            unit.deserialize(at.saved.units.first().map_or(&[], Vec::as_slice)).map_err(Failure::run)?;
            (first, self.rows) = (at.steps, at.file.rows);
            self.reached_s = e.start_s + e.step_s * first as f64;
        } else {
            self.record(unit, e.start_s, kept)?;
        }
        // From here on an interrupt ends the run at a communication point.
        interrupt::note();
        for n in first..e.steps + u64::from(e.rest_s > 0.0) {
            let t_s = e.start_s + e.step_s * n as f64;
            let step_s = if n == e.steps { e.rest_s } else { e.step_s };
            // The state is kept when it is due, and before an interrupt ends the run.
            let is_interrupted = interrupt::asked();
            if is_interrupted || (n > first && kept.writer.as_ref().is_some_and(|k| k.is_due(n))) {
                kept.keep(n, unit)?;
            }
            if is_interrupted {
                // The run is over; what the slave says to that changes nothing.
                let _ = unit.terminate();
                return Err(CheckpointWriter::interrupted(kept.writer.as_deref(), t_s).into());
            }
            // Inputs at the start of the step, the step, and its row.
            if let Some(input) = self.input {
                input.set(t_s, step_s, unit).map_err(Failure::run)?;
            }
            if let Some(reached_s) = self.step(unit, t_s, step_s)? {
                // The FMU has ended the run, inside the step or at its start.
                if reached_s > self.reached_s && reached_s <= t_s + step_s * (1.0 + 1e-9) {
                    self.record(unit, reached_s, kept)?;
                }
                break;
            }
            // The last row is at the stop time itself, not at a sum of steps.
            let end_s = if n == e.steps { e.stop_s } else { e.start_s + e.step_s * (n + 1) as f64 };
            self.record(unit, end_s, kept)?;
        }
        super::end(unit)
    }

    fn initialise(&self, unit: &mut dyn Unit, starts: &[Start]) -> Result<(), UnitError> {
        let e = self.experiment;
        unit.setup(e.start_s, Some(e.stop_s), e.tolerance)?;
        starts.iter().try_for_each(|start| start.set(unit))?;
        unit.enter_initialization()?;
        if let Some(input) = self.input {
            input.set(e.start_s, e.step_s, unit)?;
        }
        unit.exit_initialization()
    }

    /// One communication step, in parts where the FMU stops in it; where the FMU ends the run, the time
    /// it has reached.
    fn step(&mut self, unit: &mut dyn Unit, t_s: f64, step_s: f64) -> Result<Option<f64>, Failure> {
        // A whole step first, then what is left of it.
        let end_s = t_s + step_s;
        let mut from_s = t_s;
        for _ in 0..PARTS_MAX {
            let length_s = if from_s == t_s { step_s } else { end_s - from_s };
            let (reached_s, terminated) = match unit.step(from_s, length_s, true).map_err(Failure::run)? {
                Outcome::Done => return Ok(None),
                Outcome::Discarded { reached_s, terminated } => (reached_s, terminated),
            };
            // It has ended the run, or stopped so near to the end that rounding alone is left.
            if terminated {
                self.warnings.push(format!("the FMU asked to end the run at t = {} s", shown::time(reached_s)));
                return Ok(Some(reached_s));
            }
            if (end_s - reached_s).abs() <= 1e-9 * step_s {
                return Ok(None);
            }
            // A shorter step needs an FMU that can vary its step, and one that has moved at all.
            let goes_on = reached_s > from_s && reached_s < end_s && self.experiment.can_continue;
            if !goes_on {
                return Err(Failure::Run(format!(
                    "unit `{}`: it discarded the step at t = {} s: it reached {} s, expected {} s; choose a smaller `--step`",
                    unit.name(),
                    shown::time(from_s),
                    shown::time(reached_s),
                    shown::time(end_s)
                )));
            }
            from_s = reached_s;
        }
        Err(Failure::Run(format!(
            "unit `{}`: it stopped {PARTS_MAX} times between t = {} s and {} s; choose a smaller `--step`",
            unit.name(),
            shown::time(t_s),
            shown::time(end_s)
        )))
    }

    fn record(&mut self, unit: &mut dyn Unit, t_s: f64, kept: &mut RunFiles<'_>) -> Result<(), Failure> {
        self.reading.read(unit).map_err(Failure::run)?;
        if let Some(i) = self.reading.not_finite().filter(|_| !self.allow_non_finite) {
            let (found, name) = (&self.reading.row[i], self.names[i]);
            let found = found.as_real().unwrap_or(f64::NAN);
            return Err(Failure::Run(format!(
                "unit `{}`: output `{name}` is {found} at t = {} s, expected a finite number; `--allow-non-finite` goes on",
                unit.name(),
                shown::time(t_s)
            )));
        }
        if let Some(stream) = &mut kept.stream {
            stream.push(t_s, &self.reading.row)?;
        }
        self.rows += 1;
        self.reached_s = t_s;
        self.reading.recorded();
        Ok(())
    }
}

/// The files of a run, and the checkpoint that it continues.
pub struct RunFiles<'a> {
    /// Rows.
    pub stream: Option<&'a mut Stream>,
    /// Checkpoints.
    pub writer: Option<&'a mut CheckpointWriter>,
    /// The run that is continued.
    pub resumed: Option<Checkpoint>,
}

impl RunFiles<'_> {
    /// Writes the run down, where that is asked for.
    fn keep(&mut self, steps: u64, unit: &mut dyn Unit) -> Result<(), Failure> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let state = unit.serialize().map_err(Failure::run)?;
        let saved = SavedState { units: vec![state], engine: Vec::new() };
        Ok(writer.keep(steps, saved, self.stream.as_deref_mut())?)
    }
}
