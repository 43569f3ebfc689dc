//! Steps of the master, as steps of the integrator and events.

use macrostep_master::unit::{Outcome, UnitError};
use macrostep_ode::adaptive::{Integrator, Rates, Stopped};

use super::events::Wish;
use super::inputs::Inputs;
use super::{ContinuousUnit, FmuUnit, Pairs};
use crate::fmu::instance::Phase;

/// Events in one step of the master, at most: more are taken for an FMU that switches to and fro without end.
const EVENTS_MAX: u64 = 10_000;

/// The name that failures of the integration have.
const CALL: &str = "the integration of fmi2GetDerivatives";

/// The equations of an FMU, with its inputs.
pub(super) struct Equations<'a> {
    pub(super) fmu: &'a mut FmuUnit,
    pub(super) inputs: &'a mut Inputs,
    pub(super) pairs: Option<&'a Pairs>,
}

impl Equations<'_> {
    pub(super) fn put(&mut self, t: f64, z: &[f64]) -> Result<(), UnitError> {
        self.fmu.set_time(t)?;
        self.fmu.set_states(z)?;
        self.inputs.put(self.fmu, t)
    }
}

impl Rates for Equations<'_> {
    type Error = UnitError;

    fn rates(&mut self, t: f64, z: &[f64], dz: &mut [f64]) -> Result<(), UnitError> {
        // Inputs that do not change are set already.
        let inputs = if self.inputs.change() { self.inputs.at(t) } else { (&[] as &[u32], &[] as &[f64]) };
        self.fmu.evaluate(t, z, inputs, dz)
    }

    fn jacobian(&mut self, t: f64, z: &mut [f64], dz: &[f64], jacobian: &mut [f64]) -> Result<(), UnitError> {
        let Some(pairs) = self.pairs.filter(|pairs| pairs.states.len() == z.len()) else {
            return macrostep_ode::adaptive::differences(self, (t, z, dz), jacobian);
        };
        self.put(t, z)?;
        self.fmu.jacobian(&pairs.derivatives, &pairs.states, jacobian)
    }
}

impl ContinuousUnit {
    /// Puts the FMU to the states in `z` at a time \[s\].
    pub(super) fn put(&mut self, t_s: f64) -> Result<(), UnitError> {
        self.fmu.set_time(t_s)?;
        self.fmu.set_states(&self.z)?;
        self.inputs.put(&mut self.fmu, t_s)
    }

    /// An integrator for the states as they are, with the sizes that the FMU says.
    pub(super) fn begin(&mut self) -> Result<(), UnitError> {
        let mut nominal = vec![1.0; self.z.len()];
        self.fmu.get_nominals(&mut nominal)?;
        let memory = self.integrator.memory();
        self.integrator = Integrator::new(&nominal, self.tolerance);
        self.integrator.remember(memory);
        self.fmu.get_states(&mut self.z)
    }

    /// Integrates over a step of the master.
    pub(super) fn advance(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        if self.fmu.phase != Phase::Stepping {
            return Err(self.fmu.refusal("fmi2SetTime", "a step before the FMU is initialised, or after its end"));
        }
        if self.is_over {
            return Ok(Outcome::Discarded { reached_s: t_s, terminated: true });
        }
        let end_s = t_s + step_s;
        self.inputs.begin(t_s);
        self.integrator.begin(t_s, &self.z);
        self.put(t_s)?;
        // Inputs that were set since the last step may have changed a sign.
        let mut count = 0;
        if self.have_signs_changed()? && self.counted(&mut count, t_s)? == Wish::Terminate {
            return Ok(Outcome::Discarded { reached_s: t_s, terminated: true });
        }
        while self.integrator.time() < end_s {
            if self.part(end_s, keep, &mut count)? == Wish::Terminate {
                return Ok(Outcome::Discarded { reached_s: self.fmu.t_s, terminated: true });
            }
        }
        self.inputs.end(end_s);
        Ok(Outcome::Done)
    }

    /// One step of the integrator, and the event in it or at its end.
    fn part(&mut self, end_s: f64, keep: bool, count: &mut u64) -> Result<Wish, UnitError> {
        let until_s = self.next_event_s.map_or(end_s, |event_s| event_s.min(end_s));
        let mut equations = Equations { fmu: &mut self.fmu, inputs: &mut self.inputs, pairs: self.pairs.as_ref() };
        if let Err(stopped) = self.integrator.step(&mut equations, until_s) {
            return Err(self.stopped(stopped));
        }
        self.z.copy_from_slice(self.integrator.states());
        let mut t_s = self.integrator.time();
        self.put(t_s)?;
        // A sign that has changed: back to where it did.
        let has_changed = self.have_signs_changed()?;
        if has_changed {
            t_s = self.go_to_event()?;
        }
        let completed = self.fmu.completed_step(keep)?;
        if completed.terminate {
            return Ok(Wish::Terminate);
        }
        if has_changed || completed.enter_event_mode || self.next_event_s.is_some_and(|event_s| t_s >= event_s) {
            return self.counted(count, t_s);
        }
        std::mem::swap(&mut self.indicators.before, &mut self.indicators.now);
        Ok(Wish::Continue)
    }

    /// An event, one more in this step of the master.
    fn counted(&mut self, count: &mut u64, t_s: f64) -> Result<Wish, UnitError> {
        *count += 1;
        if *count > EVENTS_MAX {
            let why = format!(
                "{EVENTS_MAX} events in one macro step, the last at t = {t_s} s: the FMU switches to and fro; expected fewer, as with a hysteresis, \
                 or a shorter macro step"
            );
            return Err(self.fmu.nonsense(CALL, &why));
        }
        self.event(t_s)
    }

    /// Why an integration ended, in words.
    #[cold]
    pub(super) fn stopped(&self, stopped: Stopped<UnitError>) -> UnitError {
        match stopped {
            Stopped::Rates(error) => error,
            Stopped::NotFinite(t_s) => self.fmu.nonsense(
                CALL,
                &format!("derivatives that are not finite from t = {t_s} s on, however short the step"),
            ),
            Stopped::TooShort(t_s) => {
                let tolerance = self.tolerance;
                self.fmu.nonsense(CALL, &format!("no step meets the tolerance {tolerance:e} at t = {t_s} s: the solution ends or jumps there without an event; a larger `solver_tolerance` may pass it"))
            }
        }
    }
}
