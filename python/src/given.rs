//! What is written in Python and used by the master: units, laws, a predictor and a corrector, and the exceptions they raise.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use macrostep_answers::api::{Fault, Given};
use macrostep_description::ModelDescription;
use macrostep_master::correct::Corrector;
use macrostep_master::predict::{Edge, Predictor};
use macrostep_master::unit::Unit;
use macrostep_master::{DEGREE_MAX, History, Jet, Law, Segment, Span, interpolate};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::corrector::Correcting;
use crate::error::raised;
use crate::unit::Written;

/// Before a name of a unit, so that it is none of the FMUs the program carries.
pub const UNIT: &str = "python:";

/// The first exception of a run, with a sentence about where it came from; empty where the fault of the run tells it.
#[derive(Debug, Default)]
pub struct Raised(Mutex<Option<(String, PyErr)>>);

impl Raised {
    /// Keeps an exception; the sentence, with what the exception says.
    pub fn keep(&self, sentence: String, error: PyErr) -> String {
        let told =
            Python::attach(
                |py| if sentence.is_empty() { sentence } else { format!("{sentence}: {}", text_of(py, &error)) },
            );
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert((told.clone(), error));
        told
    }

    fn take(&self) -> Option<(String, PyErr)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The error of a fault, caused by the exception that was kept, if any.
    pub fn raise(&self, py: Python<'_>, mut fault: Fault) -> PyErr {
        let Some((sentence, cause)) = self.take() else { return raised(py, &fault) };
        if !sentence.is_empty() {
            fault.sentence = sentence;
        }
        let error = raised(py, &fault);
        error.set_cause(py, Some(cause));
        error
    }

    /// The error of an exception that nobody else has noticed.
    pub fn unnoticed(&self, py: Python<'_>, time_s: Option<f64>) -> Option<PyErr> {
        let is_there = self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        is_there.then(|| self.raise(py, Fault { time_s, ..Fault::failed("an exception in Python") }))
    }
}

fn text_of(py: Python<'_>, error: &PyErr) -> String {
    let kind = error.get_type(py).name().map_or_else(|_| "exception".to_owned(), |name| name.to_string());
    format!("{kind}: {}", error.value(py))
}

/// A number, or as many numbers as there is room for.
///
/// # Errors
/// Where it is something else.
pub fn numbers(given: &Bound<'_, PyAny>, into: &mut [f64]) -> PyResult<()> {
    if let ([one], Ok(x)) = (&mut *into, given.extract::<f64>()) {
        *one = x;
        return Ok(());
    }
    let found = given
        .try_iter()
        .map_err(|_| PyTypeError::new_err(format!("found {}, expected {} numbers", given.get_type(), into.len())))?;
    let mut count = 0;
    for x in found {
        let x = x?.extract::<f64>()?;
        if let Some(place) = into.get_mut(count) {
            *place = x;
        }
        count += 1;
    }
    if count == into.len() {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("found {count} numbers, expected {}", into.len())))
}

/// Everything of one system that is written in Python.
#[derive(Debug, Default, Clone)]
pub struct Parts {
    /// Units by their names.
    pub units: BTreeMap<String, Arc<Written>>,
    /// Laws by their names: function and number of outputs.
    pub laws: BTreeMap<String, (Arc<Py<PyAny>>, usize)>,
    /// A predictor.
    pub predictor: Option<Arc<Predicting>>,
    /// A corrector.
    pub corrector: Option<Arc<Py<PyAny>>>,
    /// What they raise.
    pub raised: Arc<Raised>,
}

impl Given for Parts {
    fn description(&self, name: &str) -> Option<Arc<ModelDescription>> {
        Some(self.units.get(name.strip_prefix(UNIT)?)?.description())
    }

    fn unit(&self, name: &str, instance: &str) -> Result<Box<dyn Unit>, String> {
        let unit = self.units.get(name.strip_prefix(UNIT).unwrap_or(name));
        unit.ok_or_else(|| format!("no unit `{name}` in Python"))?.instance(instance, &self.raised)
    }

    fn law(&self, name: &str) -> Option<Box<dyn Law>> {
        let (function, outputs) = self.laws.get(name)?;
        let (function, raised) = (Arc::clone(function), Arc::clone(&self.raised));
        Some(Box::new(Relation { name: name.to_owned(), function, outputs: *outputs, raised }))
    }

    fn predictor(&self) -> Option<Arc<dyn Predictor>> {
        self.predictor.clone().map(|predictor| predictor as Arc<dyn Predictor>)
    }

    fn corrector(&self, tolerance: Option<f64>, corrections_max: Option<usize>) -> Option<Arc<dyn Corrector>> {
        let corrector = Correcting::new(self.corrector.as_deref()?, (tolerance, corrections_max), &self.raised);
        Some(Arc::new(corrector))
    }

    fn has_corrector(&self) -> bool {
        self.corrector.is_some()
    }
}

/// A law `y = f(*u)`. Where it raises there are no numbers, and the run cannot go on.
struct Relation {
    name: String,
    function: Arc<Py<PyAny>>,
    outputs: usize,
    raised: Arc<Raised>,
}

impl fmt::Debug for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Relation({})", self.name)
    }
}

impl Law for Relation {
    fn outputs(&self) -> usize {
        self.outputs
    }

    fn evaluate(&self, u: &[f64], y: &mut [f64]) {
        let done = Python::attach(|py| numbers(&self.function.bind(py).call1(PyTuple::new(py, u)?)?, y));
        if let Err(error) = done {
            self.raised.keep(format!("law `{}`", self.name), error);
            y.fill(f64::NAN);
        }
    }
}

/// A predictor: `predict(times, values, t)` gives the value at `t` of what is known at `times`, all in s after the step's start. It
/// looks at `depth` rows and becomes a polynomial of degree `degree`.
#[derive(Debug)]
pub struct Predicting {
    object: Py<PyAny>,
    depth: usize,
    degree: usize,
    raised: Arc<Raised>,
}

impl Predicting {
    /// Looks at what an object has.
    ///
    /// # Errors
    /// A sentence: what is missing or out of range.
    pub fn new(object: &Bound<'_, PyAny>, raised: &Arc<Raised>) -> Result<Predicting, String> {
        if !object.getattr("predict").is_ok_and(|m| m.is_callable()) {
            return Err("predictor: found no method `predict`, expected `predict(times, values, t)`".into());
        }
        let number = |name: &str, range: std::ops::RangeInclusive<usize>| {
            let found = object.getattr(name).ok().and_then(|x| x.extract::<usize>().ok()).filter(|n| range.contains(n));
            let (low, high) = (range.start(), range.end());
            found.ok_or_else(|| {
                format!("predictor: expected an attribute `{name}`, a whole number from {low} to {high}")
            })
        };
        let (depth, degree) = (number("depth", 1..=64)?, number("degree", 0..=DEGREE_MAX - 2)?);
        Ok(Predicting { object: object.clone().unbind(), depth, degree, raised: Arc::clone(raised) })
    }

    fn segment(&self, py: Python<'_>, (history, span): (&History, &Span), c: usize, out: &mut Segment) -> PyResult<()> {
        // Rows it may look at, the oldest first.
        let lead = history.lead(span.to);
        let rows = (lead + 1).saturating_sub(self.depth)..=lead;
        let seconds = |s: f64| s * span.length_s;
        let times = PyTuple::new(py, rows.clone().map(|i| seconds(span.local(history.at(i)))).collect::<Vec<_>>())?;
        let values = PyTuple::new(py, rows.map(|i| history.value(i, c)).collect::<Vec<_>>())?;
        // The polynomial through its values at Chebyshev–Lobatto nodes of the step.
        let at = |s: f64| -> PyResult<f64> {
            self.object.bind(py).call_method1("predict", (&times, &values, seconds(s)))?.extract()
        };
        if self.degree == 0 {
            out.set_constant(at(1.0)?);
            return Ok(());
        }
        let mut jets = [Jet { s: 0.0, values: [0.0; 3], len: 1 }; DEGREE_MAX + 1];
        for (i, jet) in jets[..=self.degree].iter_mut().enumerate() {
            jet.s = (1.0 - (std::f64::consts::PI * i as f64 / self.degree as f64).cos()) / 2.0;
            jet.values[0] = at(jet.s)?;
        }
        interpolate(&jets[..=self.degree], out);
        Ok(())
    }
}

impl Predictor for Predicting {
    fn depth(&self) -> usize {
        self.depth
    }

    fn edge(&self) -> Edge {
        Edge::AfterLaw
    }

    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        let done = Python::attach(|py| {
            out.iter_mut().enumerate().try_for_each(|(c, out)| self.segment(py, (history, span), c, out))
        });
        if let Err(error) = done {
            self.raised.keep("the predictor".to_owned(), error);
            out.iter_mut().for_each(|out| out.set_constant(f64::NAN));
        }
    }
}
