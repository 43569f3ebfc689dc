//! From set-up to termination, and steps.

use super::Instance;
use crate::access::{CHANGED, COMPUTED};
use crate::phase::{DO_STEP, ENTER_INITIALIZATION, EXIT_INITIALIZATION, RESET, SETUP_EXPERIMENT, TERMINATE};
use crate::{Fault, Model, Outcome, Phase, Span};

/// How far the master's time may be from the slave's, relative to the step: rounding, not drift.
const STEP_TOLERANCE: f64 = 1e-6;
/// The same relative to the time itself.
const TIME_TOLERANCE: f64 = 1e-12;

impl<M: Model> Instance<M> {
    pub(super) fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), Fault> {
        SETUP_EXPERIMENT.check(self.memory.phase)?;
        let time =
            |what, found, expected: String| Err(Fault::Time { call: SETUP_EXPERIMENT.name, what, found, expected });
        if !start_s.is_finite() {
            return time("startTime", start_s, "a finite number".into());
        }
        if let Some(stop_s) = stop_s
            && !(stop_s.is_finite() && stop_s >= start_s)
        {
            return time("stopTime", stop_s, format!("a finite number from {start_s} s on"));
        }
        if let Some(tolerance) = tolerance
            && !(tolerance.is_finite() && tolerance > 0.0)
        {
            return time("tolerance", tolerance, "a positive number".into());
        }
        (self.memory.start_s, self.memory.time_s) = (start_s, start_s);
        self.memory.stop_s = stop_s.unwrap_or(f64::INFINITY);
        Ok(())
    }

    pub(super) fn enter(&mut self) -> Result<(), Fault> {
        ENTER_INITIALIZATION.check(self.memory.phase)?;
        self.memory.phase = Phase::Initialization;
        self.stale = CHANGED;
        // Parameters that make no sense are found here already.
        self.prepare()
    }

    pub(super) fn exit(&mut self) -> Result<(), Fault> {
        EXIT_INITIALIZATION.check(self.memory.phase)?;
        self.prepare()?;
        self.memory.last_inputs.copy_from(&self.memory.inputs);
        self.memory.last_step_s = 0.0;
        self.memory.phase = if self.exchange.is_some() { Phase::EventMode } else { Phase::StepComplete };
        self.stale = CHANGED;
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<(), Fault> {
        TERMINATE.check(self.memory.phase)?;
        self.memory.phase = Phase::Terminated;
        Ok(())
    }

    pub(super) fn start_over(&mut self) -> Result<(), Fault> {
        RESET.check(self.memory.phase)?;
        self.memory.clone_from(&self.access.fresh);
        self.stale = CHANGED;
        self.model.recall_state(&mut self.memory)
    }

    #[inline(always)]
    pub(super) fn advance(&mut self, t_s: f64, step_s: f64) -> Result<Outcome, Fault> {
        DO_STEP.check(self.memory.phase)?;
        self.check_times(t_s, step_s)?;
        self.gather_inputs();
        self.memory.inputs.trim();
        self.memory.last_inputs.copy_from(&self.memory.inputs);
        let result = self.model.step(&mut self.memory, Span { start_s: t_s, step_s });
        let outcome = self.survive(result)?;
        (self.memory.time_s, self.memory.last_step_s) = match outcome {
            // Not the difference of the times, which is another number by rounding.
            Outcome::Done => (t_s + step_s, step_s),
            Outcome::Discarded { reached_s, terminated } => {
                self.memory.phase = Phase::StepFailed;
                self.memory.wants_termination = terminated;
                (reached_s, reached_s - t_s)
            }
        };
        self.stale |= COMPUTED;
        if self.memory.inputs.degree() > 0 {
            self.continue_inputs();
        }
        Ok(outcome)
    }

    /// Moves the origin of the input polynomials to the present time.
    fn continue_inputs(&mut self) {
        self.memory.inputs.shift(self.memory.last_step_s);
        for (i, reference) in self.access.inputs.iter().enumerate() {
            self.memory.reals[*reference] = self.memory.inputs.coefficient(i, 0);
        }
        self.memory.touched.fill(false);
    }

    #[inline]
    fn check_times(&self, t_s: f64, step_s: f64) -> Result<(), Fault> {
        let slack = STEP_TOLERANCE * step_s + TIME_TOLERANCE * t_s.abs();
        // Comparisons with NaN are false, so that it is refused as well.
        let sound = step_s > 0.0
            && step_s < f64::INFINITY
            && (t_s - self.memory.time_s).abs() <= slack
            && t_s + step_s <= self.memory.stop_s + slack
            && t_s + step_s > t_s;
        if sound { Ok(()) } else { Err(self.wrong_time(t_s, step_s, slack)) }
    }

    #[cold]
    fn wrong_time(&self, t_s: f64, step_s: f64, slack: f64) -> Fault {
        let at = self.memory.time_s;
        let (what, found, expected) = if !(step_s > 0.0 && step_s.is_finite()) {
            // Section 4.2.2 wants a step above 0. Some masters make one of 0 to have outputs follow their inputs while they
            // initialise; that is what initialisation mode is for (section 4.2.4). An error rather than `fmi2Discard`:
            // no part of an interval was computed that could be continued. Nothing is changed.
            let expected = "a finite number above 0 (FMI 2.0.5, section 4.2.2); outputs follow inputs in initialization mode, \
                            without a step";
            ("communicationStepSize", step_s, expected.to_string())
        } else if (t_s - at).abs() > slack || !t_s.is_finite() {
            ("currentCommunicationPoint", t_s, format!("{at} s"))
        } else if t_s + step_s > t_s {
            ("end of the step", t_s + step_s, format!("at most the stop time {} s", self.memory.stop_s))
        } else {
            ("communicationStepSize", step_s, format!("enough to change the time {t_s} s"))
        };
        Fault::Time { call: DO_STEP.name, what, found, expected }
    }
}
