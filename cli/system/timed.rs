//! How long the master has waited for steps of each unit, where that is asked for: two looks at the clock a step.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use macrostep_description::ModelDescription;
use macrostep_master::unit::{Outcome, Unit, UnitError};

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

type Answer = Result<(), UnitError>;

/// One line a call: hand it on.
macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(#[inline]
        fn $name(&mut self, $($argument: $type),*) -> $result {
            self.unit.$name($($argument),*)
        })*
    };
}

impl Unit for Timed {
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.spent(|unit| unit.step(t_s, step_s, keep))
    }

    fn begin_step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Answer {
        if self.unit.is_parallel() { self.spent(|unit| unit.begin_step(t_s, step_s, keep)) } else { Ok(()) }
    }

    fn name(&self) -> &str {
        self.unit.name()
    }
    fn description(&self) -> &ModelDescription {
        self.unit.description()
    }
    fn shared_description(&self) -> Arc<ModelDescription> {
        self.unit.shared_description()
    }
    fn kind(&self) -> &'static str {
        self.unit.kind()
    }
    fn is_parallel(&self) -> bool {
        self.unit.is_parallel()
    }
    fn do_steps(&self) -> u64 {
        self.unit.do_steps()
    }
    fn hidden_state(&mut self) -> Option<&mut [f64]> {
        self.unit.hidden_state()
    }

    forward! {
        setup(start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Answer;
        enter_initialization() -> Answer;
        exit_initialization() -> Answer;
        reset() -> Answer;
        terminate() -> Answer;
        set_real(refs: &[u32], values: &[f64]) -> Answer;
        get_real(refs: &[u32], values: &mut [f64]) -> Answer;
        set_integer(refs: &[u32], values: &[i32]) -> Answer;
        get_integer(refs: &[u32], values: &mut [i32]) -> Answer;
        set_boolean(refs: &[u32], values: &[bool]) -> Answer;
        get_boolean(refs: &[u32], values: &mut [bool]) -> Answer;
        set_string(refs: &[u32], values: &[&str]) -> Answer;
        get_string(refs: &[u32]) -> Result<Vec<String>, UnitError>;
        set_input_derivatives(refs: &[u32], orders: &[i32], values: &[f64]) -> Answer;
        get_output_derivatives(refs: &[u32], orders: &[i32], values: &mut [f64]) -> Answer;
        save(slot: usize) -> Answer;
        restore(slot: usize) -> Answer;
        serialize() -> Result<Vec<u8>, UnitError>;
        deserialize(bytes: &[u8]) -> Answer;
        directional(unknown: &[u32], known: &[u32], d_known: &[f64], d_unknown: &mut [f64]) -> Answer;
    }
}
