//! The time that the master has waited for steps of each unit, where it is measured: the clock is read twice a step.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use macrostep_description::ModelDescription;
use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Trials, Unit, UnitError, Values};

/// The times of all units of a run.
#[derive(Debug, Default)]
pub struct Times {
    units: Mutex<Vec<(String, Arc<AtomicU64>)>>,
}

impl Times {
    /// The unit, whose steps are timed from now on. Units of one name, made one after the other, are one.
    pub fn unit(&self, unit: Box<dyn Unit>) -> Box<dyn Unit> {
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        let known = units.iter().find(|(name, _)| name == unit.name()).map(|(_, spent)| Arc::clone(spent));
        let spent_ns = known.unwrap_or_else(|| {
            let spent = Arc::new(AtomicU64::new(0));
            units.push((unit.name().to_owned(), Arc::clone(&spent)));
            spent
        });
        Box::new(Timed { unit, spent_ns })
    }

    /// Time in steps of the unit of this name \[s\].
    pub fn seconds(&self, name: &str) -> Option<f64> {
        let units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, spent) = units.iter().find(|(known, _)| known == name)?;
        Some(spent.load(Ordering::Relaxed) as f64 * 1e-9)
    }

    /// The counters, in the order in which units were made.
    pub fn counters(&self) -> Vec<(String, Arc<AtomicU64>)> {
        self.units.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A unit whose steps are timed.
struct Timed {
    unit: Box<dyn Unit>,
    spent_ns: Arc<AtomicU64>,
}

impl Timed {
    fn spent<T>(&mut self, call: impl FnOnce(&mut dyn Unit) -> T) -> T {
        let began = Instant::now();
        let answer = call(self.unit.as_mut());
        let spent_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent_ns.fetch_add(spent_ns, Ordering::Relaxed);
        answer
    }
}

impl Described for Timed {
    fn name(&self) -> &str {
        self.unit.name()
    }

    fn description(&self) -> &ModelDescription {
        self.unit.description()
    }

    fn inner(&self) -> Option<&dyn Unit> {
        Some(self.unit.as_ref())
    }

    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(Some(self.unit.as_mut()))
    }
}

impl Values for Timed {}

impl Derivatives for Timed {}

impl States for Timed {}

impl Steps for Timed {
    fn do_steps(&self) -> u64 {
        self.unit.do_steps()
    }

    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.spent(|unit| unit.step(t_s, step_s, keep))
    }

    fn begin_step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<(), UnitError> {
        if self.unit.is_parallel() { self.spent(|unit| unit.begin_step(t_s, step_s, keep)) } else { Ok(()) }
    }

    fn trials(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        self.spent(|unit| unit.trials(of, values))
    }
}

impl Unit for Timed {}
