//! Inputs that the importer sets inside a step, while its `intermediateUpdate` runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use macrostep_fmi3::{FALSE, InstanceEnvironment, IntermediateUpdate, TRUE};

/// The callback and what it has set.
#[derive(Debug)]
pub(super) struct Inside {
    update: Option<IntermediateUpdate>,
    environment: InstanceEnvironment,
    /// Inputs that the importer has named: value references of FMI 3.0, and of FMI 2.0.
    named: Vec<u32>,
    pub locals: Vec<u32>,
    /// Whether the callback runs.
    is_open: AtomicBool,
    /// Values of the inputs, in the order of `named`.
    values: Mutex<Vec<f64>>,
}

impl Inside {
    pub fn new(
        update: Option<IntermediateUpdate>,
        environment: InstanceEnvironment,
        inputs: Vec<(u32, u32)>,
    ) -> Inside {
        let (named, locals): (Vec<u32>, Vec<u32>) = inputs.into_iter().unzip();
        let values = Mutex::new(vec![0.0; named.len()]);
        Inside { update, environment, named, locals, is_open: AtomicBool::new(false), values }
    }

    /// Whether the importer is to be asked.
    pub fn asks(&self) -> bool {
        self.update.is_some() && !self.named.is_empty()
    }

    pub fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    fn values(&self) -> MutexGuard<'_, Vec<f64>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Values that inputs have until they are set.
    pub fn begin(&self, values: &[f64]) {
        self.values().copy_from_slice(values);
    }

    /// Asks for the inputs at this time (s).
    pub fn ask(&self, time_s: f64) -> Vec<f64> {
        if let Some(update) = self.update {
            self.is_open.store(true, Ordering::Release);
            let (mut early, mut early_s) = (FALSE, time_s);
            // SAFETY: the importer's callback, with its environment and two places to write to. It may call `fmi3SetFloat64`, which touches
            // `values` alone while `is_open`; other calls are refused, because the step has the shell.
            unsafe { update(self.environment, time_s, TRUE, FALSE, FALSE, FALSE, &mut early, &mut early_s) };
            self.is_open.store(false, Ordering::Release);
        }
        self.values().clone()
    }

    /// Takes values that the callback sets; nothing is taken where one of them is not an input that was named.
    pub fn set(&self, references: &[u32], new: &[f64]) -> bool {
        let place = |reference: &u32| self.named.iter().position(|named| named == reference);
        let Some(places) = references.iter().map(place).collect::<Option<Vec<usize>>>() else {
            return false;
        };
        let mut values = self.values();
        places.into_iter().zip(new).for_each(|(at, new)| values[at] = *new);
        true
    }
}
