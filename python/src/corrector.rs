//! A corrector written in Python, as the master has it.

use std::sync::Arc;

use macrostep_master::correct::{Convergence, Corrector, Learnt, Problem, relative};
use macrostep_master::unit::{Failure, UnitError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::given::{Raised, numbers};
use crate::unit::copied;

/// Residual relative to the size of the unknowns at which to stop, as that of `fixed-point`.
const TOLERANCE: f64 = 1e-12;
/// Most runs of a step, as those of `fixed-point`.
const RUNS_MAX: usize = 50;

/// A corrector: `next(x, residual, scale)` gives the next guess, and `begin(first)`, where there is one, is called before a step is run.
/// Every run works on a copy of the object.
#[derive(Debug)]
pub struct Correcting {
    /// The copy, or why there is none.
    object: Result<Py<PyAny>, String>,
    has_begin: bool,
    tolerance: f64,
    runs_max: usize,
    raised: Arc<Raised>,
}

impl Correcting {
    /// Whether an object is a corrector.
    ///
    /// # Errors
    /// A sentence: what is missing.
    pub fn check(object: &Bound<'_, PyAny>) -> Result<(), String> {
        if object.getattr("next").is_ok_and(|m| m.is_callable()) {
            return Ok(());
        }
        Err("corrector: found no method `next`, expected `next(x, residual, scale)`, which gives the next x".into())
    }

    /// A copy of the object, with the tolerance and the number of corrections of the scenario, where it says them.
    pub fn new(object: &Py<PyAny>, most: (Option<f64>, Option<usize>), raised: &Arc<Raised>) -> Correcting {
        let copied = Python::attach(|py| copied(py, object));
        let object = copied.map_err(|e| raised.keep("the corrector: it cannot be copied for a run".to_owned(), e));
        let has_begin =
            object.as_ref().is_ok_and(|object| Python::attach(|py| object.bind(py).hasattr("begin").unwrap_or(false)));
        let (tolerance, runs_max) = (most.0.unwrap_or(TOLERANCE), most.1.unwrap_or(RUNS_MAX));
        Correcting { object, has_begin, tolerance, runs_max, raised: Arc::clone(raised) }
    }

    /// Before a step is run; `first` says that nothing is known of steps before.
    fn begin(&self, first: bool) -> Result<(), UnitError> {
        let object = self.object.as_ref().map_err(|told| failed("begin", told))?;
        if !self.has_begin {
            return Ok(());
        }
        let done = Python::attach(|py| object.bind(py).call_method1("begin", (first,)).map(drop));
        done.map_err(|e| failed("begin", &self.raised.keep("the corrector".to_owned(), e)))
    }

    /// Puts the next guess in the place of `y`.
    fn next(&self, y: &mut [f64], residual: &[f64], scale: &[f64]) -> Result<(), UnitError> {
        let object = self.object.as_ref().map_err(|told| failed("next", told))?;
        let done = Python::attach(|py| {
            let tuple = |x: &[f64]| PyTuple::new(py, x.iter().copied());
            let given = object.bind(py).call_method1("next", (tuple(y)?, tuple(residual)?, tuple(scale)?))?;
            numbers(&given, y)?;
            match y.iter().position(|x| !x.is_finite()) {
                None => Ok(()),
                Some(i) => Err(PyValueError::new_err(format!("found {} at place {i}, expected finite numbers", y[i]))),
            }
        });
        done.map_err(|e| failed("next", &self.raised.keep("the corrector".to_owned(), e)))
    }
}

#[cold]
fn failed(call: &'static str, message: &str) -> UnitError {
    let status = "an exception".to_owned();
    Failure { unit: "corrector".to_owned(), call, status, t_s: f64::NAN, message: message.to_owned() }.into()
}

impl Corrector for Correcting {
    fn correct(&self, learnt: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        // Nothing is learnt where there is no room for the residuals yet.
        let residuals = &mut learnt.numbers;
        let first = residuals.is_empty();
        residuals.resize(y.len(), 0.0);
        self.begin(first)?;
        for runs in 1.. {
            problem.evaluate(y, residuals)?;
            let residual = relative(residuals, problem.scale());
            let converged = residual <= self.tolerance;
            if converged || runs >= self.runs_max || !residual.is_finite() {
                return Ok(Convergence { runs, residual, converged });
            }
            self.next(y, residuals, problem.scale())?;
        }
        Ok(Convergence { runs: self.runs_max, residual: f64::INFINITY, converged: false })
    }
}
