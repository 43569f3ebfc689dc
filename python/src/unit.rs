//! Units written in Python, as the master has them.

use std::sync::Arc;

use macrostep_description::{Builder, CoSimulation, Declared, DependencyKind, ModelDescription, VendorAnnotation};
use macrostep_master::unit::{Derivatives, Described, Failure, Outcome, States, Steps, Unit, UnitError, Values};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::given::{Raised, numbers};

/// Names of variables, each with its unit of measurement (`1` for none).
pub type Names = Vec<(String, String)>;

/// A unit as it was added: every run works on a copy of the object.
#[derive(Debug)]
pub struct Written {
    /// The object, which runs only copy.
    pub object: Py<PyAny>,
    /// Inputs, outputs, and start values of the inputs, as they were declared.
    pub declared: (Names, Names, Vec<f64>),
    description: Arc<ModelDescription>,
    inputs: usize,
    outputs: usize,
    /// Whether outputs follow inputs at once: it has a method `outputs`.
    follows: bool,
    /// Whether it has methods `state` and `restore`; else its attributes are copied.
    has_state: bool,
}

impl Written {
    /// Looks at what methods an object has.
    ///
    /// # Errors
    /// A sentence: a method that is missing, or a name or unit of measurement that is none.
    pub fn new(object: &Bound<'_, PyAny>, inputs: &Names, outputs: &Names, starts: &[f64]) -> Result<Written, String> {
        let has = |method: &str| object.getattr(method).is_ok_and(|m| m.is_callable());
        if !has("do_step") {
            return Err(
                "found no method `do_step`, expected `do_step(t, h, u)`, which gives the outputs at t + h".into()
            );
        }
        let follows = has("outputs");
        if !follows && !has("start") {
            let expected =
                "`start(t, u)`, which gives the outputs at the start, or `outputs(t, u)`, which gives those of now";
            return Err(format!("found neither method `start` nor `outputs`, expected {expected}"));
        }
        let has_state = has("state") && has("restore");
        let goes_back = has_state || object.hasattr("__dict__").unwrap_or(false);
        let description = described(inputs, outputs, starts, (follows, goes_back))?;
        let declared = (inputs.clone(), outputs.clone(), starts.to_vec());
        let (inputs, outputs) = (inputs.len(), outputs.len());
        Ok(Written { object: object.clone().unbind(), declared, description, inputs, outputs, follows, has_state })
    }

    /// What it declares.
    pub fn description(&self) -> Arc<ModelDescription> {
        Arc::clone(&self.description)
    }

    /// A copy of the object as a unit of a run.
    ///
    /// # Errors
    /// A sentence: why it cannot be copied.
    pub fn instance(self: &Arc<Self>, name: &str, raised: &Arc<Raised>) -> Result<Box<dyn Unit>, String> {
        let object = Python::attach(|py| copied(py, &self.object));
        let object = object.map_err(|e| raised.keep(format!("unit `{name}`: it cannot be copied for a run"), e))?;
        let (u, y) = (vec![0.0; self.inputs], vec![0.0; self.outputs]);
        let (written, raised, name) = (Arc::clone(self), Arc::clone(raised), name.to_owned());
        let states = Vec::new();
        Ok(Box::new(Stepped { written, raised, name, object, u, y, is_changed: true, t_s: 0.0, states, do_steps: 0 }))
    }
}

/// A deep copy.
pub fn copied(py: Python<'_>, object: &Py<PyAny>) -> PyResult<Py<PyAny>> {
    Ok(py.import("copy")?.call_method1("deepcopy", (object,))?.unbind())
}

/// Real inputs and outputs; value references count the inputs, then the outputs.
fn described(
    inputs: &Names,
    outputs: &Names,
    starts: &[f64],
    (follows, goes_back): (bool, bool),
) -> Result<Arc<ModelDescription>, String> {
    // It is called with any step; whether it goes back depends on its methods.
    let mut b = Builder::new("python", "A unit written in Python");
    b.capabilities(CoSimulation {
        can_handle_variable_communication_step_size: true,
        can_get_and_set_fmu_state: goes_back,
        ..CoSimulation::default()
    });
    // Units of measurement; `1` means none.
    let measured = |declared: Declared, unit: &str| if unit == "1" { declared } else { declared.unit(unit) };
    let units: Vec<&str> = inputs.iter().chain(outputs).map(|(_, unit)| unit.as_str()).filter(|u| *u != "1").collect();
    b.si_units(&units);
    // Inputs first, as value references count.
    let mut known = Vec::new();
    for ((name, unit), start) in inputs.iter().zip(starts) {
        known.push(b.add(measured(Declared::input(name, *start), unit)));
    }
    // An output depends on all inputs, or, where it is known only after a step, on none.
    let followed: Vec<_> = known.iter().map(|id| (*id, DependencyKind::Dependent)).collect();
    for (name, unit) in outputs {
        let output = measured(Declared::output(name), unit);
        b.add(output.depends(if follows { &followed } else { &[] }).initially(&known));
    }
    let mut description = b.finish().map_err(|e| e.to_string())?;
    // It may be read after its inputs were set, without a step between.
    if follows {
        let attributes = vec![("getAfterSet".to_owned(), "true".to_owned())];
        description.vendor_annotations.push(VendorAnnotation { tool: "macrostep".to_owned(), attributes });
    }
    Ok(Arc::new(description))
}

/// A unit of a run.
struct Stepped {
    written: Arc<Written>,
    raised: Arc<Raised>,
    name: String,
    object: Py<PyAny>,
    u: Vec<f64>,
    y: Vec<f64>,
    /// Whether the outputs are to be asked for anew.
    is_changed: bool,
    t_s: f64,
    states: Vec<Option<(Py<PyAny>, f64, Vec<f64>, Vec<f64>)>>,
    do_steps: u64,
}

impl Stepped {
    /// What an exception becomes; it is kept for whoever raises the error in the end.
    #[cold]
    fn failed(&self, call: &'static str, error: PyErr) -> UnitError {
        let message = Python::attach(|py| error.value(py).to_string());
        let status =
            Python::attach(|py| error.get_type(py).name().map_or_else(|_| "an exception".into(), |n| n.to_string()));
        self.raised.keep(String::new(), error);
        Failure { unit: self.name.clone(), call, status, t_s: self.t_s, message }.into()
    }

    #[cold]
    fn refused(&self, call: &'static str, message: &str) -> UnitError {
        let (unit, status, t_s) = (self.name.clone(), "fmi2Error".to_owned(), self.t_s);
        Failure { unit, call, status, t_s, message: message.to_owned() }.into()
    }

    /// Asks for the outputs now: at the start, and where they follow inputs that have changed.
    fn refresh(&mut self, call: &'static str) -> Result<(), UnitError> {
        let asked = Python::attach(|py| {
            let u = PyTuple::new(py, &self.u)?;
            numbers(&self.object.bind(py).call_method1(call, (self.t_s, u))?, &mut self.y)
        });
        asked.map_err(|e| self.failed(call, e))?;
        self.is_changed = false;
        Ok(())
    }

    fn state(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let object = self.object.bind(py);
        if self.written.has_state {
            return Ok(object.call_method0("state")?.unbind());
        }
        copied(py, &object.getattr("__dict__")?.unbind())
    }

    fn take(&self, py: Python<'_>, state: &Py<PyAny>) -> PyResult<()> {
        let object = self.object.bind(py);
        if self.written.has_state {
            object.call_method1("restore", (state,))?;
            return Ok(());
        }
        let state = copied(py, state)?;
        let (own, state) = (object.getattr("__dict__")?, state.bind(py).cast::<PyDict>()?.clone());
        own.call_method0("clear")?;
        own.call_method1("update", (state,))?;
        Ok(())
    }
}

impl Described for Stepped {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &ModelDescription {
        &self.written.description
    }

    fn shared_description(&self) -> Arc<ModelDescription> {
        self.written.description()
    }

    fn kind(&self) -> &'static str {
        "python"
    }
}

impl Values for Stepped {
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError> {
        for (place, value) in refs.iter().zip(values) {
            match self.u.get_mut(*place as usize) {
                Some(u) => *u = *value,
                None => return Err(self.refused("fmi2SetReal", "expected a reference of an input")),
            }
        }
        self.is_changed = true;
        Ok(())
    }

    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        // Before the start is over, and where outputs follow inputs, they are those of the inputs now.
        if self.is_changed && (self.written.follows || self.do_steps == 0) {
            self.refresh(if self.written.follows { "outputs" } else { "start" })?;
        }
        for (place, value) in refs.iter().zip(values) {
            let place = *place as usize;
            match self.u.get(place).or_else(|| self.y.get(place.wrapping_sub(self.u.len()))) {
                Some(known) => *value = *known,
                None => return Err(self.refused("fmi2GetReal", "expected a reference of an input or output")),
            }
        }
        Ok(())
    }
}

impl Derivatives for Stepped {}

impl States for Stepped {
    fn save(&mut self, slot: usize) -> Result<(), UnitError> {
        let state = Python::attach(|py| self.state(py)).map_err(|e| self.failed("state", e))?;
        if self.states.len() <= slot {
            self.states.resize_with(slot + 1, || None);
        }
        self.states[slot] = Some((state, self.t_s, self.u.clone(), self.y.clone()));
        Ok(())
    }

    fn restore(&mut self, slot: usize) -> Result<(), UnitError> {
        let Some(Some((state, t_s, u, y))) = self.states.get(slot) else {
            return Err(self.refused("restore", "nothing was saved there"));
        };
        Python::attach(|py| self.take(py, state)).map_err(|e| self.failed("restore", e))?;
        (self.t_s, self.is_changed) = (*t_s, false);
        self.u.clone_from(u);
        self.y.clone_from(y);
        Ok(())
    }

    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        Err(self.refused("fmi2SerializeFMUstate", "the state of a unit in Python is not kept as bytes"))
    }

    fn deserialize(&mut self, _: &[u8]) -> Result<(), UnitError> {
        Err(self.refused("fmi2DeSerializeFMUstate", "the state of a unit in Python is not kept as bytes"))
    }
}

impl Steps for Stepped {
    fn step(&mut self, t_s: f64, step_s: f64, _keep: bool) -> Result<Outcome, UnitError> {
        self.do_steps += 1;
        self.t_s = t_s;
        let done = Python::attach(|py| {
            let u = PyTuple::new(py, &self.u)?;
            numbers(&self.object.bind(py).call_method1("do_step", (t_s, step_s, u))?, &mut self.y)
        });
        done.map_err(|e| self.failed("do_step", e))?;
        (self.t_s, self.is_changed) = (t_s + step_s, false);
        Ok(Outcome::Done)
    }

    fn do_steps(&self) -> u64 {
        self.do_steps
    }
}

impl Unit for Stepped {
    fn setup(&mut self, start_s: f64, _stop_s: Option<f64>, _tolerance: Option<f64>) -> Result<(), UnitError> {
        self.t_s = start_s;
        Ok(())
    }

    /// Without a method `outputs` those of the start hold from here on.
    fn exit_initialization(&mut self) -> Result<(), UnitError> {
        self.refresh(if self.written.follows { "outputs" } else { "start" })
    }

    fn reset(&mut self) -> Result<(), UnitError> {
        let object = Python::attach(|py| copied(py, &self.written.object));
        self.object = object.map_err(|e| self.failed("reset", e))?;
        self.is_changed = true;
        Ok(())
    }
}
