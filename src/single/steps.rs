//! The steps of one FMU, and what is kept of them.

use macrostep_description::{Value, Variable};
use macrostep_master::unit::{Outcome, Unit, UnitError};

use super::input::Input;
use super::options::Experiment;
use crate::failure::Failure;
use crate::stream::Stream;
use crate::values::{self, Reading};

/// Parts a step may be done in by an FMU that stops before its end.
const PARTS_MAX: usize = 1000;

/// A run under way; what it came to can be read after any failure.
pub struct Steps<'a> {
    experiment: &'a Experiment,
    names: Vec<&'a str>,
    reading: Reading,
    input: Option<&'a Input>,
    allow_non_finite: bool,
    /// Rows recorded.
    pub rows: u64,
    /// Time of the last row [s].
    pub reached_s: f64,
    /// Values of the last row.
    pub last: Vec<Value>,
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
            last: Vec::new(),
            do_steps: 0,
            warnings: Vec::new(),
        }
    }

    /// From instantiation to the end.
    ///
    /// # Errors
    /// [`Failure::Run`] with slave, call, time, what was found and what was expected.
    pub fn run(
        &mut self,
        unit: &mut dyn Unit,
        starts: &[(u32, Value)],
        out: &mut Option<Stream>,
    ) -> Result<(), Failure> {
        let done = self.steps(unit, starts, out);
        self.do_steps = unit.do_steps();
        done
    }

    fn steps(&mut self, unit: &mut dyn Unit, starts: &[(u32, Value)], out: &mut Option<Stream>) -> Result<(), Failure> {
        let e = *self.experiment;
        self.initialise(unit, starts).map_err(run_failure)?;
        self.record(unit, e.start_s, out)?;
        for n in 0..e.steps + u64::from(e.rest_s > 0.0) {
            let t_s = e.start_s + e.step_s * n as f64;
            let step_s = if n == e.steps { e.rest_s } else { e.step_s };
            if macrostep_isolation::interrupt::asked() {
                let _ = unit.terminate();
                return Err(Failure::Run(format!("interrupted at t = {t_s} s")));
            }
            if let Some(input) = self.input {
                input.set(t_s, unit).map_err(run_failure)?;
            }
            if !self.step(unit, t_s, step_s)? {
                break;
            }
            let end_s = if n == e.steps { e.stop_s } else { e.start_s + e.step_s * (n + 1) as f64 };
            self.record(unit, end_s, out)?;
        }
        super::end(unit)
    }

    fn initialise(&self, unit: &mut dyn Unit, starts: &[(u32, Value)]) -> Result<(), UnitError> {
        let e = self.experiment;
        for (reference, value) in starts {
            values::set(unit, *reference, value)?;
        }
        unit.setup(e.start_s, Some(e.stop_s), e.tolerance)?;
        unit.enter_initialization()?;
        if let Some(input) = self.input {
            input.set(e.start_s, unit)?;
        }
        unit.exit_initialization()
    }

    /// One communication step, in parts where the FMU stops in it; false where the FMU asks to end the run.
    fn step(&mut self, unit: &mut dyn Unit, t_s: f64, step_s: f64) -> Result<bool, Failure> {
        let end_s = t_s + step_s;
        let mut from_s = t_s;
        for _ in 0..PARTS_MAX {
            let length_s = if from_s == t_s { step_s } else { end_s - from_s };
            let (reached_s, terminated) = match unit.step(from_s, length_s, true).map_err(run_failure)? {
                Outcome::Done => return Ok(true),
                Outcome::Discarded { reached_s, terminated } => (reached_s, terminated),
            };
            if terminated {
                self.warnings.push(format!("the FMU asked to end the run at t = {reached_s} s"));
                return Ok(false);
            }
            if (end_s - reached_s).abs() <= 1e-9 * step_s {
                return Ok(true);
            }
            let goes_on = reached_s > from_s && reached_s < end_s && self.experiment.can_continue;
            if !goes_on {
                return Err(Failure::Run(format!(
                    "unit `{}`: fmi2DoStep returned fmi2Discard at t = {from_s} s: it reached {reached_s} s, expected {end_s} s; choose a smaller `--step`",
                    unit.name()
                )));
            }
            from_s = reached_s;
        }
        Err(Failure::Run(format!(
            "unit `{}`: fmi2DoStep stopped {PARTS_MAX} times between t = {t_s} s and {end_s} s; choose a smaller `--step`",
            unit.name()
        )))
    }

    fn record(&mut self, unit: &mut dyn Unit, t_s: f64, out: &mut Option<Stream>) -> Result<(), Failure> {
        self.reading.read(unit).map_err(run_failure)?;
        let bad = self.reading.row.iter().position(|v| v.as_real().is_some_and(|x| !x.is_finite()));
        if let Some(i) = bad.filter(|_| !self.allow_non_finite) {
            let (found, name) = (&self.reading.row[i], self.names[i]);
            let found = found.as_real().unwrap_or(f64::NAN);
            return Err(Failure::Run(format!(
                "unit `{}`: fmi2GetReal of `{name}` gave {found} at t = {t_s} s, expected a finite number; `--allow-non-finite` goes on",
                unit.name()
            )));
        }
        if let Some(stream) = out {
            stream.push(t_s, &self.reading.row)?;
        }
        self.rows += 1;
        self.reached_s = t_s;
        self.last.clone_from(&self.reading.row);
        Ok(())
    }
}

/// A failed call as the end of a verb.
fn run_failure(error: UnitError) -> Failure {
    Failure::Run(error.to_string())
}
