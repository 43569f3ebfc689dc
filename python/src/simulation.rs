//! A simulation that Python steps.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use macrostep_answers::api::{Fault, Started};
use macrostep_description::Value;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

use crate::error::raised;
use crate::given::Raised;
use crate::work::at_once;

/// How long steps are made without a look for interrupts.
const LOOK: Duration = Duration::from_millis(50);

/// Most steps in one block: units may become slow from one step to the next.
const BLOCK_MAX: u64 = 4096;

/// A run under way.
#[pyclass(module = "macrostep._macrostep", frozen)]
pub struct Simulation {
    started: Mutex<Option<Started>>,
    /// What parts in Python raise.
    raised: Arc<Raised>,
}

impl Simulation {
    /// Initialised.
    pub fn new(started: Started, raised: Arc<Raised>) -> Simulation {
        Simulation { started: Mutex::new(Some(started)), raised }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Started>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// With the run, as long as it is one.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Started) -> Result<T, Fault> + Send) -> PyResult<T> {
        at_once(py, &self.raised, || match self.lock().as_mut() {
            Some(started) => work(started),
            None => Err(Fault::usage("the run was ended: `start()` begins another")),
        })
    }
}

#[pymethods]
impl Simulation {
    /// Present time in s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |started| Ok(started.time_s()))
    }

    /// Whether the stop time is reached.
    #[getter]
    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |started| Ok(started.is_over()))
    }

    /// Names of what is recorded.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |started| Ok(started.columns().map(str::to_owned).collect()))
    }

    /// The scenario with everything said, as TOML.
    #[getter]
    fn scenario(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |started| Ok(started.scenario()))
    }

    /// Makes so many macro steps.
    #[pyo3(signature = (steps = 1))]
    fn step(&self, py: Python<'_>, steps: u64) -> PyResult<()> {
        let mut left = steps;
        // Blocks of steps, so that what a call costs is paid once in many, and a look for interrupts between them.
        let mut block = 1;
        while left > 0 {
            let began = Instant::now();
            left -= self.with(py, |started| started.steps(left.min(block)))?;
            block = if began.elapsed() < LOOK / 4 { (2 * block).min(BLOCK_MAX) } else { (block / 2).max(1) };
            if left > 0 {
                py.check_signals()?;
            }
        }
        Ok(())
    }

    /// The value of `UNIT.VARIABLE` now.
    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self.with(py, |started| started.get(name))? {
            Value::Real(x) => PyFloat::new(py, x).into_any(),
            Value::Integer(i) => PyInt::new(py, i).into_any(),
            Value::Boolean(b) => PyBool::new(py, b).to_owned().into_any(),
            Value::String(s) => PyString::new(py, &s).into_any(),
        })
    }

    /// Sets an input that nothing is connected to, or a tunable parameter, from the next step on.
    fn set(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = match value.extract::<bool>() {
            Ok(b) => b.to_string(),
            Err(_) => value.str()?.to_string(),
        };
        self.with(py, |started| started.set(name, &text))
    }

    /// Ends the run in all units.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        at_once(py, &self.raised, || self.lock().take().map_or(Ok(()), Started::end))
    }

    fn __repr__(&self) -> String {
        match self.started.try_lock().as_deref() {
            Ok(Some(started)) => format!("<macrostep.Simulation at t = {} s>", started.time_s()),
            _ => "<macrostep.Simulation, ended>".to_owned(),
        }
    }
}

/// Keeps a fault from being lost where there is nobody to raise it to.
pub fn simulation(py: Python<'_>, started: Started, raised_by: Arc<Raised>) -> PyResult<Py<Simulation>> {
    Py::new(py, Simulation::new(started, raised_by)).map_err(|_| raised(py, &Fault::failed("no memory")))
}
