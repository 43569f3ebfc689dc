//! Handling of a step that did not simply succeed.

use std::thread;
use std::time::{Duration, Instant};

use macrostep_fmi2 as abi;

use super::{FmuUnit, instance::Phase, status};
use macrostep_master::unit::{Outcome, UnitError};

const CALL: &str = "fmi2DoStep";

impl FmuUnit {
    /// Any status but `fmi2OK`, of `fmi2DoStep` or of the step it left pending.
    #[cold]
    #[inline(never)]
    pub(super) fn step_ended(&mut self, status: abi::Status, t_s: f64, step_s: f64) -> Result<Outcome, UnitError> {
        let status = if status == abi::PENDING { self.wait()? } else { status };
        match status {
            abi::DISCARD => {
                let reached_s = self.last_successful_time().unwrap_or(t_s);
                self.t_s = reached_s;
                Ok(Outcome::Discarded { reached_s, terminated: self.wants_termination() })
            }
            _ => {
                self.answered(CALL, status)?;
                self.t_s = t_s + step_s;
                Ok(Outcome::Done)
            }
        }
    }

    /// After a step that left another floating-point environment, so that no sum of the master is made in it.
    #[cold]
    #[inline(never)]
    pub(super) fn step_strayed(&mut self, status: abi::Status, t_s: f64, step_s: f64) -> Result<Outcome, UnitError> {
        self.mended(CALL);
        // Not before: the compiler knows of no other environment than the default.
        let (t_s, step_s) = (std::hint::black_box(t_s), std::hint::black_box(step_s));
        self.step_ended(status, t_s, step_s)
    }

    /// Polls until the step is no longer pending: at first without sleeping, then ever less often.
    fn wait(&mut self) -> Result<abi::Status, UnitError> {
        const EAGER: u32 = 100;
        const PAUSE_MAX: Duration = Duration::from_millis(10);
        let Some(get_status) = self.library.functions.get_status else {
            return Err(self.refusal("fmi2GetStatus", "the step is fmi2Pending and the library has no such function"));
        };
        let start = Instant::now();
        let mut pause = Duration::from_micros(10);
        for round in 0_u32.. {
            let mut step = abi::PENDING;
            // SAFETY: alive, and one status is written to one place.
            let answer = unsafe { get_status(self.component, abi::DO_STEP_STATUS, &raw mut step) };
            self.answered("fmi2GetStatus", answer)?;
            if step != abi::PENDING {
                return Ok(step);
            }
            if start.elapsed() > self.options.pending_limit {
                break;
            }
            if round < EAGER {
                thread::yield_now();
            } else {
                thread::sleep(pause);
                pause = (pause * 2).min(PAUSE_MAX);
            }
        }
        if let Some(cancel) = self.library.functions.cancel_step {
            // SAFETY: alive, and a step is pending, the state this call is for.
            unsafe { cancel(self.component) };
            self.mend("fmi2CancelStep");
        }
        self.phase = Phase::Failed;
        let limit = self.options.pending_limit.as_secs_f64();
        let message = format!("it stayed so for {limit} s and was cancelled: `--call-limit` allows a longer time");
        Err(self.error(CALL, status::name(abi::PENDING), message))
    }

    /// `fmi2LastSuccessfulTime` \[s\]; `None` where the FMU does not say.
    fn last_successful_time(&mut self) -> Option<f64> {
        let get = self.library.functions.get_real_status?;
        let mut reached_s = f64::NAN;
        // SAFETY: alive, after a discarded step, the state this call is for; one number is written to one place.
        let status = unsafe { get(self.component, abi::LAST_SUCCESSFUL_TIME, &raw mut reached_s) };
        self.mend("fmi2GetRealStatus");
        (matches!(status, abi::OK | abi::WARNING) && reached_s.is_finite()).then_some(reached_s)
    }

    /// `fmi2Terminated`; false where the FMU does not say.
    fn wants_termination(&mut self) -> bool {
        let Some(get) = self.library.functions.get_boolean_status else { return false };
        let mut terminated = abi::FALSE;
        // SAFETY: as for the time.
        let status = unsafe { get(self.component, abi::TERMINATED, &raw mut terminated) };
        self.mend("fmi2GetBooleanStatus");
        matches!(status, abi::OK | abi::WARNING) && terminated != abi::FALSE
    }
}
