//! The phases of a run, steps and events (FMI 3.0.2, sections 2.3 and 4.2).

use macrostep_fmi3 as abi;
use macrostep_master::unit::{Outcome, UnitError};

use super::super::instance::Phase;
use super::FmuUnit3;

const CALL: &str = "fmi3DoStep";
const UPDATE: &str = "fmi3UpdateDiscreteStates";

/// Parts of one step of the master, at most: more are taken for an FMU that switches to and fro without end.
const PARTS_MAX: usize = 10_000;

/// Updates of the discrete states at one event, at most.
const UPDATES_MAX: usize = 1000;

/// What is left of a step and counts as nothing, relative to its length: rounding.
const ROUNDING: f64 = 1e-9;

/// How a part of a step has ended.
struct Part {
    reached_s: f64,
    has_event: bool,
    terminates: bool,
    is_discarded: bool,
}

impl FmuUnit3 {
    /// A call without arguments that leads to another mode.
    pub(super) fn change(
        &mut self,
        call: &'static str,
        function: Option<unsafe extern "C" fn(abi::Instance) -> abi::Status>,
    ) -> Result<(), UnitError> {
        self.alive(call)?;
        let Some(function) = function else { return Err(self.lacks(call)) };
        // SAFETY: alive, as checked here, and the function takes nothing else.
        let status = unsafe { function(self.access.instance) };
        self.heard(call, status)
    }

    pub(super) fn enter_initialization_mode(&mut self) -> Result<(), UnitError> {
        const CALL: &str = "fmi3EnterInitializationMode";
        self.alive(CALL)?;
        let (start_s, stop_s, tolerance) = self.setup;
        // SAFETY: alive, as checked here; numbers only.
        let status = unsafe {
            (self.access.functions.enter_initialization_mode)(
                self.access.instance,
                u8::from(tolerance.is_some()),
                tolerance.unwrap_or(0.0),
                start_s,
                u8::from(stop_s.is_some()),
                stop_s.unwrap_or(0.0),
            )
        };
        self.heard(CALL, status)?;
        self.phase = Phase::Initializing;
        Ok(())
    }

    /// Into step mode, through event mode where the FMU has it.
    pub(super) fn exit_initialization_mode(&mut self) -> Result<(), UnitError> {
        self.change("fmi3ExitInitializationMode", Some(self.access.functions.exit_initialization_mode))?;
        self.phase = Phase::Stepping;
        if self.has_event_mode() && self.update_discrete_states()? {
            return Err(self.nonsense(UPDATE, "`terminateSimulation` at the start, expected a run".to_owned()));
        }
        Ok(())
    }

    /// An event at the time where the FMU is, before which something may be set; whether the FMU wants the run to end.
    pub(super) fn event(&mut self, set: impl FnOnce(&mut Self) -> Result<(), UnitError>) -> Result<bool, UnitError> {
        self.change("fmi3EnterEventMode", self.access.functions.enter_event_mode)?;
        set(self)?;
        self.update_discrete_states()
    }

    /// Sets something that only events change.
    pub(super) fn at_event(&mut self, set: impl FnOnce(&mut Self) -> Result<(), UnitError>) -> Result<(), UnitError> {
        if self.phase != Phase::Stepping || !self.has_event_mode() {
            return set(self);
        }
        self.event(set).map(|_| ())
    }

    /// Updates of an FMU in event mode until its discrete states stay, then step mode; whether the FMU wants the run to end.
    fn update_discrete_states(&mut self) -> Result<bool, UnitError> {
        let Some(update) = self.access.functions.update_discrete_states else { return Err(self.lacks(UPDATE)) };
        for _ in 0..UPDATES_MAX {
            self.alive(UPDATE)?;
            let mut flags = [abi::FALSE; 5];
            let [needed, terminate, nominals, values, defined] = &mut flags;
            let mut next_s = 0.0;
            // SAFETY: alive, as checked here; five truth values and a number are written to places of their own.
            let status =
                unsafe { update(self.access.instance, needed, terminate, nominals, values, defined, &raw mut next_s) };
            self.answered(UPDATE, status)?;
            let [needed, terminate, _, _, defined] = flags.map(|flag| flag != abi::FALSE);
            if terminate {
                return Ok(true);
            }
            if needed {
                continue;
            }
            // An event that lies behind is one at once, and would be one for ever.
            if defined && (next_s.is_nan() || next_s <= self.t_s) {
                let why = format!("`nextEventTime` is {next_s} s at t = {} s, expected a later time", self.t_s);
                return Err(self.nonsense(UPDATE, why));
            }
            self.next_event_s = defined.then_some(next_s);
            return self.change("fmi3EnterStepMode", self.access.functions.enter_step_mode).map(|()| false);
        }
        let why = format!("`discreteStatesNeedUpdate` after {UPDATES_MAX} updates, expected discrete states that stay");
        Err(self.nonsense(UPDATE, why))
    }

    /// A step of the master: parts of it up to events, which are handled where they are.
    pub(super) fn advance(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.alive(CALL)?;
        if self.phase != Phase::Stepping {
            return Err(self.refusal(CALL, "a step before the FMU is initialised, or after its end"));
        }
        let end_s = t_s + step_s;
        self.update.begin(t_s, end_s);
        let outcome = self.parts((t_s, end_s), step_s, keep);
        let is_held = self.update.end(end_s);
        if outcome.as_ref().is_ok_and(|outcome| *outcome == Outcome::Done) && is_held {
            let what = "it asked for no inputs in the step, although it declares `providesIntermediateUpdate`: they kept their values of its start";
            self.warn(CALL, what.to_owned());
        }
        outcome
    }

    fn parts(&mut self, (t_s, end_s): (f64, f64), step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        let may_vary = self.capabilities().can_handle_variable_communication_step_size;
        let (mut from_s, mut length_s) = (t_s, step_s);
        for _ in 0..PARTS_MAX {
            // Up to an event that the FMU has announced.
            let event_s = self.next_event_s.filter(|event_s| may_vary && *event_s < end_s - ROUNDING * step_s);
            if let Some(event_s) = event_s {
                length_s = event_s - from_s;
            }
            let part = self.part(from_s, length_s, keep)?;
            if part.is_discarded {
                return Ok(Outcome::Discarded { reached_s: from_s, terminated: false });
            }
            self.t_s = part.reached_s;
            if part.terminates {
                return Ok(Outcome::Discarded { reached_s: part.reached_s, terminated: true });
            }
            let is_announced = self.has_event_mode()
                && self.next_event_s.is_some_and(|event_s| event_s <= part.reached_s + ROUNDING * step_s);
            if is_announced {
                // It is this one.
                self.next_event_s = None;
            }
            if (part.has_event || is_announced) && self.has_event_mode() && self.event(|_| Ok(()))? {
                return Ok(Outcome::Discarded { reached_s: part.reached_s, terminated: true });
            }
            if part.reached_s >= end_s - ROUNDING * step_s {
                self.t_s = end_s;
                return Ok(Outcome::Done);
            }
            (from_s, length_s) = (part.reached_s, end_s - part.reached_s);
        }
        let why = format!(
            "{PARTS_MAX} events or early returns in one step, the last at t = {} s: the FMU switches to and fro; expected fewer, or a shorter macro step",
            self.t_s
        );
        Err(self.nonsense(CALL, why))
    }

    /// One call of `fmi3DoStep`.
    fn part(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Part, UnitError> {
        self.alive(CALL)?;
        let mut flags = [abi::FALSE; 3];
        let [event, terminate, early] = &mut flags;
        let mut reached_s = t_s + step_s;
        // SAFETY: alive, as checked here; three truth values and a number are written to places of their own.
        let status = unsafe {
            (self.access.functions.do_step)(
                self.access.instance,
                t_s,
                step_s,
                u8::from(keep),
                event,
                terminate,
                early,
                &raw mut reached_s,
            )
        };
        // What it has called back for and must not, or what could not be set, is the cause of what it answers.
        if let Some(fault) = self.update.fault() {
            let status = abi::status_name(status).map_or_else(|| format!("unknown status {status}"), str::to_owned);
            self.phase = Phase::Failed;
            return Err(self.error(CALL, status, fault));
        }
        let is_discarded = status == abi::DISCARD;
        // An FMU that logs a warning may not return it.
        let status = match status {
            abi::DISCARD | abi::OK if self.environment.has_warned() => abi::WARNING,
            abi::DISCARD => abi::OK,
            status => status,
        };
        self.answered(CALL, status)?;
        let [has_event, terminates, is_early] = flags.map(|flag| flag != abi::FALSE);
        if !is_early && !terminates {
            // Times of its own steps, which some FMUs report, are not where the next step begins.
            reached_s = t_s + step_s;
        } else if !(t_s..=t_s + step_s * (1.0 + ROUNDING)).contains(&reached_s) {
            let why = format!(
                "an early return with `lastSuccessfulTime` {reached_s} s from the step of {step_s} s at t = {t_s} s, expected a time in it"
            );
            return Err(self.nonsense(CALL, why));
        }
        Ok(Part { reached_s, has_event, terminates, is_discarded })
    }
}
