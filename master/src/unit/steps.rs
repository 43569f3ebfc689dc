//! Steps of a unit: one by one, beside its caller, and many tried together.

use super::{Derivatives, Distance, Outcome, States, Trials, UnitError, Values, lacks};

/// Goes on in time. Who steps beside its caller, or gains by trials made together, says so.
pub trait Steps: Values + Derivatives + States {
    /// `fmi2DoStep` over [t_s, t_s + step_s]; `keep` is `noSetFMUStatePriorToCurrentPoint`: true where the master
    /// will not go back before `t_s`.
    #[inline]
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.step(t_s, step_s, keep),
            None => lacks(self, "fmi2DoStep"),
        }
    }

    /// How often [`Steps::step`] was called, rejected and repeated calls included.
    fn do_steps(&self) -> u64;

    /// [`Values::set_real`] of `set`, a step from `step.0` over `step.1` seconds that will not be taken back, and, where it was done,
    /// [`Values::get_real`] of `get`; lists of no length are left out. One call of the master instead of three.
    #[inline]
    fn set_step_get(
        &mut self,
        set: (&[u32], &[f64]),
        step: (f64, f64),
        get: (&[u32], &mut [f64]),
    ) -> Result<Outcome, UnitError> {
        if !set.0.is_empty() {
            self.set_real(set.0, set.1)?;
        }
        let outcome = self.step(step.0, step.1, true)?;
        if outcome == Outcome::Done && !get.0.is_empty() {
            self.get_real(get.0, get.1)?;
        }
        Ok(outcome)
    }

    /// Whether [`Steps::begin_step`] makes the unit work beside its caller.
    fn is_parallel(&self) -> bool {
        self.inner().is_some_and(|unit| unit.is_parallel())
    }

    /// Begins the step that the next call, [`Steps::step`] with the same arguments, ends. A unit that does not work beside
    /// its caller does nothing here.
    #[inline]
    fn begin_step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<(), UnitError> {
        self.inner_mut()?.map_or(Ok(()), |unit| unit.begin_step(t_s, step_s, keep))
    }

    /// Steps from one saved state, each with inputs of its own, and what is read behind each, row by row; false where one was not
    /// finished. What is read may be linear in the difference from trial 0. A unit that gains nothing by making them together makes them [one by one](Trials::one_by_one).
    fn trials(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.trials(of, values),
            None => of.one_by_one(self, values),
        }
    }

    /// Whether steps that are tried together take this unit less than one by one, on this machine: it has derivatives of what it computes, or differences
    /// that serve all of them.
    fn gains_by_trials(&self) -> bool {
        self.inner().is_some_and(|unit| unit.gains_by_trials())
    }

    /// How far it is away, where messages to it take time that counts: it gains by fewer of them. `None` of a unit on this machine.
    fn distance(&self) -> Option<Distance> {
        self.inner()?.distance()
    }
}
