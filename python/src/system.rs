//! A scenario that Python builds, and the verbs on it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use macrostep::embedded;
use macrostep::factory::CARRIED;
use macrostep_answers::api::{self, Asked, Asker, Fault, Given};
use macrostep_answers::progress::of_run;
use macrostep_answers::values;
use macrostep_description::Kind;
use macrostep_import::isolation::Cut;
use macrostep_system::scenario::{Connection, Endpoint, Law, LawKind, Place, Scenario, Source, Unit};
use macrostep_system::{Catalogue, Document, Fmus, toml};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::copies::{LawParts, Typed, UnitParts, apart, together};
use crate::corrector::Correcting;
use crate::error::raised;
use crate::free::{free, is_free};
use crate::given::{Parts, Predicting, Raised, UNIT};
use crate::rows::parts;
use crate::simulation::{Simulation, simulation};
use crate::source::source;
use crate::unit::{Names, Written};
use crate::work::work;

/// A system of FMUs and how it is run.
#[pyclass(module = "macrostep._macrostep", frozen, subclass)]
pub struct System {
    document: Mutex<Document>,
    /// What it is called in a command.
    name: Mutex<String>,
    /// FMUs that were looked into.
    fmus: Fmus,
    /// What is written in Python.
    given: Mutex<Parts>,
}

/// Words of the command line, whether foreign FMUs run in processes of their own, and a predictor and a corrector in the place of those of
/// the words.
type Words = (Vec<String>, bool, Own);

/// A predictor and a corrector.
type Own = (Option<Py<PyAny>>, Option<Py<PyAny>>);

impl System {
    fn of(document: Document, name: String) -> System {
        System {
            document: Mutex::new(document),
            name: Mutex::new(name),
            fmus: Fmus::new(embedded::fmu),
            given: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Document> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn written(&self) -> MutexGuard<'_, Parts> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is written in Python now, with exceptions of its own.
    fn parts(&self, py: Python<'_>, (predictor, corrector): Own) -> PyResult<Parts> {
        let raised_by = Arc::<Raised>::default();
        let refused = |sentence| raised(py, &Fault::usage(sentence));
        let predictor = predictor.map(|object| Predicting::new(object.bind(py), &raised_by));
        let predictor = predictor.transpose().map_err(refused)?.map(Arc::new);
        corrector.iter().try_for_each(|object| Correcting::check(object.bind(py))).map_err(refused)?;
        let corrector = corrector.map(Arc::new);
        Ok(Parts { raised: raised_by, predictor, corrector, ..self.written().clone() })
    }

    fn snapshot(&self) -> Document {
        self.lock().clone()
    }

    /// Changes the scenario.
    fn change<T>(&self, py: Python<'_>, change: impl FnOnce(&mut Scenario) -> Result<T, Fault>) -> PyResult<T> {
        change(&mut self.lock().scenario).map_err(|fault| raised(py, &fault))
    }

    /// A document in the place of this one.
    fn take(&self, document: Document, name: String) {
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = name;
        *self.lock() = document;
    }

    /// Does a verb beside the interpreter.
    fn verb<T: Send + 'static>(
        &self,
        py: Python<'_>,
        (words, is_spared, own): Words,
        verb: impl FnOnce(&Asked) -> Result<T, Fault> + Send + 'static,
    ) -> PyResult<(T, Vec<String>, Arc<Raised>)> {
        let (document, cut) = (self.snapshot(), Cut::default());
        let parts = self.parts(py, own)?;
        let raised_by = Arc::clone(&parts.raised);
        let asker = Asker { is_spared, cut: cut.clone(), given: Some(Arc::new(parts)) };
        let (done, remarks) = work(py, (&cut, &raised_by), move || {
            let asked = Asked::new(&CARRIED, document, &words, asker)?;
            let done = verb(&asked)?;
            Ok((done, asked.remarks()))
        })?;
        Ok((done, remarks, raised_by))
    }
}

#[pymethods]
impl System {
    /// An empty system; times in s.
    #[new]
    #[pyo3(signature = (step = None, stop = None, start = 0.0, name = ""))]
    fn new(step: Option<f64>, stop: Option<f64>, start: f64, name: &str) -> System {
        let mut scenario = Scenario { name: name.to_owned(), ..Scenario::default() };
        (scenario.experiment.start_s, scenario.experiment.stop_s, scenario.experiment.step_s) = (start, stop, step);
        System::of(Document { scenario, findings: Vec::new(), unpacked: Vec::new() }, name.to_owned())
    }

    /// Reads a scenario from a file, or takes the one of this name. What replaces this one's content.
    fn read(&self, py: Python<'_>, system: PathBuf) -> PyResult<()> {
        let path = system.clone();
        let document = work(py, (&Cut::default(), &Raised::default()), move || api::open(&path))?;
        self.take(document, system.display().to_string());
        Ok(())
    }

    /// Takes the scenario that is proposed for these FMUs. What replaces this one's content. Answers what was chosen and why, and what is left
    /// open.
    fn propose(&self, py: Python<'_>, fmus: Vec<PathBuf>) -> PyResult<(Vec<String>, Vec<String>)> {
        let (document, [chosen, open]) =
            work(py, (&Cut::default(), &Raised::default()), move || api::couple(&CARRIED, &fmus))?;
        let name = document.scenario.name.clone();
        self.take(document, name);
        Ok((chosen, open))
    }

    /// Adds what a text in TOML says: units, connections, laws, maps, power bonds, inputs, events, sets.
    fn include(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        let more = toml::read(text, "include", Path::new("")).map_err(|f| raised(py, &Fault::failed(f.to_string())))?;
        self.change(py, |s| {
            s.units.extend(more.units);
            s.sets.extend(more.sets);
            s.applied.extend(more.applied);
            s.connections.extend(more.connections);
            s.laws.extend(more.laws);
            s.maps.extend(more.maps);
            s.bonds.extend(more.bonds);
            s.bonds_are_all |= more.bonds_are_all;
            s.interface_models.extend(more.interface_models);
            s.constraints.extend(more.constraints);
            s.inputs.extend(more.inputs);
            s.events.extend(more.events);
            s.record.variables.extend(more.record.variables);
            Ok(())
        })
    }

    /// Units and laws that are written in Python, for `restore`.
    fn parts_in_python(&self, py: Python<'_>) -> (Vec<UnitParts>, Vec<LawParts>) {
        apart(py, &self.written())
    }

    /// Takes what `toml` and `parts_in_python` of another system say, and its name.
    fn restore(
        &self,
        py: Python<'_>,
        text: &str,
        name: String,
        units: Vec<UnitParts>,
        laws: Vec<LawParts>,
    ) -> PyResult<()> {
        let usage = |text: String| raised(py, &Fault::usage(text));
        let scenario = toml::read(text, "system", Path::new("")).map_err(|f| usage(f.to_string()))?;
        *self.written() = together(py, units, laws).map_err(usage)?;
        self.take(Document { scenario, findings: Vec::new(), unpacked: Vec::new() }, name);
        Ok(())
    }

    /// The scenario as TOML.
    fn toml(&self) -> String {
        toml::write(&self.lock().scenario.anywhere())
    }

    /// What it is called.
    #[getter]
    fn name(&self) -> String {
        self.name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Names of the units.
    fn unit_names(&self) -> Vec<String> {
        self.lock().scenario.units.iter().map(|u| u.name.clone()).collect()
    }

    /// The FMU of each unit, as the scenario names it.
    fn sources(&self) -> Vec<String> {
        self.lock().scenario.units.iter().map(|u| u.source.to_string()).collect()
    }

    /// Connections, as `input = output`.
    fn connections(&self) -> Vec<(String, String)> {
        self.lock().scenario.connections.iter().map(|c| (c.to.to_string(), c.from.to_string())).collect()
    }

    /// Variables of a unit: name, causality, type, unit of measurement, description.
    fn variables(&self, py: Python<'_>, unit: &str) -> PyResult<Vec<(String, String, &'static str, String, String)>> {
        let source = self.lock().scenario.units.iter().find(|u| u.name == unit).map(|u| u.source.clone());
        let source = source.ok_or_else(|| raised(py, &Fault::usage(format!("no unit `{unit}`"))))?;
        let given = if let Source::Embedded(name) = &source { self.written().description(name) } else { None };
        let description = match given {
            Some(description) => description,
            None => self.fmus.description(&source).map_err(|e| raised(py, &Fault::failed(e)))?,
        };
        let row = |v: &macrostep_description::Variable| {
            let measured = match &v.kind {
                Kind::Real(real) => real.unit.clone().unwrap_or_default(),
                _ => String::new(),
            };
            let about = v.description.clone().unwrap_or_default();
            (v.name.clone(), values::word(v.causality), values::type_name(v), measured, about)
        };
        Ok(description.variables.iter().map(row).collect())
    }

    /// Adds a unit: its FMU is a file, a folder, or `embedded:NAME`. Its name, made free of others.
    #[pyo3(signature = (fmu, name, settings, step = None, step_parameter = None, solver_tolerance = None, motions = None, face = None))]
    #[allow(clippy::too_many_arguments)]
    fn add_fmu(
        &self,
        py: Python<'_>,
        fmu: &str,
        name: Option<String>,
        settings: Vec<(String, Typed)>,
        step: Option<(u32, u32)>,
        step_parameter: Option<String>,
        solver_tolerance: Option<f64>,
        motions: Option<Vec<Vec<String>>>,
        face: Option<String>,
    ) -> PyResult<String> {
        let source = source(py, fmu, face.as_deref())?;
        // Says at once what is wrong with it.
        self.fmus.description(&source).map_err(|e| raised(py, &Fault::failed(e)))?;
        let place = Place::option(&format!("add({fmu:?})"));
        let settings =
            settings.iter().map(|(variable, value)| value.settings(variable, &place)).collect::<Result<Vec<_>, _>>();
        let settings = settings.map_err(|what| raised(py, &Fault::failed(what)))?.concat();
        self.change(py, |s| {
            let name = name.unwrap_or_else(|| free(s, &source.stem()));
            is_free(s, &name)?;
            let mut unit = Unit::new(name.clone(), source);
            (unit.settings, unit.place) = (settings, place);
            (unit.step_parameter, unit.solver_tolerance) = (step_parameter, solver_tolerance);
            unit.share = step.unwrap_or(unit.share);
            unit.motions = motions.unwrap_or_default();
            s.units.push(unit);
            Ok(name)
        })
    }

    /// Adds a unit written in Python.
    #[pyo3(signature = (name, object, inputs, outputs, starts, step = None, motions = None))]
    #[allow(clippy::too_many_arguments)]
    fn add_object(
        &self,
        py: Python<'_>,
        name: String,
        object: &Bound<'_, PyAny>,
        inputs: Names,
        outputs: Names,
        starts: Vec<f64>,
        step: Option<(u32, u32)>,
        motions: Option<Vec<Vec<String>>>,
    ) -> PyResult<()> {
        // What the object has to have is checked before the scenario changes.
        let written = Written::new(object, &inputs, &outputs, &starts);
        let written = written.map_err(|e| raised(py, &Fault::usage(format!("unit `{name}`: {e}"))))?;
        // In the scenario it is a unit with a source of its own, by which the object is found when units are made.
        self.change(py, |s| {
            is_free(s, &name)?;
            let mut unit = Unit::new(name.clone(), Source::Embedded(format!("{UNIT}{name}")));
            unit.place = Place::option(&format!("add_unit({name:?})"));
            (unit.share, unit.motions) = (step.unwrap_or(unit.share), motions.unwrap_or_default());
            s.units.push(unit);
            Ok(())
        })?;
        self.written().units.insert(name, Arc::new(written));
        Ok(())
    }

    /// Adds a law written in Python: inputs are signals, outputs names.
    fn add_law(
        &self,
        py: Python<'_>,
        name: String,
        function: Py<PyAny>,
        inputs: Vec<String>,
        outputs: Vec<String>,
    ) -> PyResult<()> {
        let place = Place::option(&format!("law({name:?})"));
        let count = outputs.len();
        self.change(py, |s| {
            is_free(s, &name)?;
            let parse = |text: &String| {
                Endpoint::parse(text).ok_or_else(|| Fault::usage(format!("`{text}`: expected UNIT.VARIABLE")))
            };
            let inputs = inputs.iter().map(parse).collect::<Result<_, _>>()?;
            s.laws.push(Law { name: name.clone(), kind: LawKind::Given, inputs, outputs, place });
            Ok(())
        })?;
        self.written().laws.insert(name, (Arc::new(function), count));
        Ok(())
    }

    /// Names of units and laws that are written in Python.
    fn in_python(&self) -> Vec<String> {
        let written = self.written();
        written.units.keys().chain(written.laws.keys()).cloned().collect()
    }

    /// Connects an output to an input: input = factor · output + offset.
    #[pyo3(signature = (to, source, factor = 1.0, offset = 0.0, convert_units = true, mean = false, law = None, round = false))]
    #[allow(clippy::too_many_arguments)]
    fn connect_ports(
        &self,
        py: Python<'_>,
        to: &str,
        source: &str,
        factor: f64,
        offset: f64,
        convert_units: bool,
        mean: bool,
        law: Option<String>,
        round: bool,
    ) -> PyResult<()> {
        // Messages name the call.
        let place = Place::option(&format!("connect({to} <= {source})"));
        self.change(py, |s| {
            // Both ends, and what is done to the value on its way.
            let parse = |text: &str| {
                Endpoint::parse(text).ok_or_else(|| Fault::usage(format!("`{text}`: expected UNIT.VARIABLE")))
            };
            let mut connection = Connection::new(parse(source)?, parse(to)?, place);
            (connection.factor, connection.offset, connection.converts) = (factor, offset, convert_units);
            (connection.is_mean, connection.law, connection.rounds) = (mean, law, round);
            s.connections.push(connection);
            Ok(())
        })
    }

    /// From start to end; the parts of the run.
    fn run_parts<'py>(&self, py: Python<'py>, words: Words) -> PyResult<Bound<'py, PyDict>> {
        let (ran, _, raised_by) = self.verb(py, words, |asked| asked.run(Some(of_run())))?;
        parts(py, ran, &raised_by)
    }

    /// Initialised, to be stepped; with remarks.
    fn started(&self, py: Python<'_>, words: Words) -> PyResult<(Py<Simulation>, Vec<String>)> {
        let (started, remarks, raised_by) = self.verb(py, words, Asked::start)?;
        let warnings = started.warnings().iter().map(|text| format!("warning: {text}"));
        let remarks = remarks.into_iter().chain(warnings).collect();
        Ok((simulation(py, started, raised_by)?, remarks))
    }

    /// The object of `macrostep verify --json`, its table, and remarks.
    fn verified(&self, py: Python<'_>, words: Words) -> PyResult<(String, String, Vec<String>)> {
        let (words, is_spared, own) = words;
        let (document, cut) = (self.snapshot(), Cut::default());
        let parts = self.parts(py, own)?;
        let raised_by = Arc::clone(&parts.raised);
        let asker = Asker { is_spared, cut: cut.clone(), given: Some(Arc::new(parts)) };
        work(py, (&cut, &raised_by), move || {
            let asked = Asked::to_verify(&CARRIED, document, &words, asker)?;
            let (json, table) = asked.verify()?;
            Ok((json, table, asked.remarks()))
        })
    }

    /// The text of `macrostep explain`.
    fn explained(&self, py: Python<'_>, words: Words, runs: bool) -> PyResult<(String, Vec<String>)> {
        let name = self.name();
        let name = if name.is_empty() { "SYSTEM".to_owned() } else { name };
        let (text, remarks, _) = self.verb(py, words, move |asked| asked.explain(&name, runs))?;
        Ok((text, remarks))
    }

    /// The picture of `macrostep graph`, as SVG.
    fn drawn(&self, py: Python<'_>, words: Words) -> PyResult<(String, Vec<String>)> {
        let (picture, remarks, _) = self.verb(py, words, Asked::graph)?;
        Ok((picture, remarks))
    }

    /// Writes a .toml, .ssd or .ssp; the files written.
    fn saved(&self, py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
        Ok(self.verb(py, (Vec::new(), true, (None, None)), move |asked| asked.save(&path))?.0)
    }
}
