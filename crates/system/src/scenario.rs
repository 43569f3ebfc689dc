//! A *scenario* as plain values: units, connections, laws, maps, power bonds, parameter sets, method, experiment and recording.
//!
//! It knows neither files nor FMUs; every part keeps its [`Place`] for messages.

use crate::words::{Control, Correct, Derivative, Energy, Named, Predict, Sampling, Schedule, Variant};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Where something stands in a file. Line 0: in no particular line.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The file as named by the user.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 where only the line is known.
    pub column: u32,
}

/// Two scenarios are equal wherever they were read.
impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Eq for Place {}

/// `FILE:LINE:COLUMN: `, as far as known.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.file.is_empty(), self.line, self.column) {
            (true, ..) => Ok(()),
            (_, 0, _) => write!(f, "{}: ", self.file),
            (_, line, 0) => write!(f, "{}:{line}: ", self.file),
            (_, line, column) => write!(f, "{}:{line}:{column}: ", self.file),
        }
    }
}

/// A system of FMUs and how it is run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenario {
    /// For people.
    pub name: String,
    /// One sentence.
    pub description: String,
    /// From when to when, and the macro step.
    pub experiment: Experiment,
    /// How it is coupled.
    pub coupling: Coupling,
    /// The units, in the order in which they are stepped by Jacobi and, unless said otherwise, by Gauss–Seidel.
    pub units: Vec<Unit>,
    /// Parameter sets.
    pub sets: Vec<ParameterSet>,
    /// Names of the sets that are applied, in this order, after the units' own settings.
    pub applied: Vec<String>,
    /// One signal to one input.
    pub connections: Vec<Connection>,
    /// Laws the master evaluates.
    pub laws: Vec<Law>,
    /// Linear maps from several outputs to several inputs.
    pub maps: Vec<Map>,
    /// Where units exchange power: their residual energy is watched.
    pub bonds: Vec<Bond>,
    /// Motions that are predicted by the interface model of another unit.
    pub interface_models: Vec<InterfaceModel>,
    /// Files that inputs follow.
    pub inputs: Vec<InputFile>,
    /// Values set at a time.
    pub events: Vec<Event>,
    /// What is recorded.
    pub record: Record,
}

/// The speed that a slow unit has at its interface, integrated on the grid of the fast unit that drives it: `ẇ = W λ + b`. For r
/// forces there are r speeds, positions and biases, and r (r + 1)/2 mobilities.
#[derive(Debug, Clone, PartialEq)]
pub struct InterfaceModel {
    /// λ, outputs of the fast unit.
    pub force: Vec<Endpoint>,
    /// w, outputs of the slow unit.
    pub speed: Vec<Endpoint>,
    /// s, outputs of the slow unit.
    pub position: Vec<Endpoint>,
    /// W, outputs of the slow unit: the lower triangle by rows.
    pub mobility: Vec<Endpoint>,
    /// b, outputs of the slow unit.
    pub bias: Vec<Endpoint>,
    /// Inputs of the fast unit that get the speeds; as many as there are, or none.
    pub to_speed: Vec<Endpoint>,
    /// Inputs of the fast unit that get the positions; as many as there are, or none.
    pub to_position: Vec<Endpoint>,
    /// Where.
    pub place: Place,
}

/// A file of inputs: connections may begin at its columns, `NAME.COLUMN`.
#[derive(Debug, Clone, PartialEq)]
pub struct InputFile {
    /// Unique among units, laws and files; without dots.
    pub name: String,
    /// Path to open.
    pub path: PathBuf,
    /// As written.
    pub shown: String,
    /// Where.
    pub place: Place,
}

/// Values set at a communication point, before the step from there.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When \[s\].
    pub at_s: f64,
    /// Unit and setting.
    pub settings: Vec<(String, Setting)>,
    /// Where.
    pub place: Place,
}

/// Times.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Experiment {
    /// Start \[s\].
    pub start_s: f64,
    /// End \[s\]; `None`: what the FMUs propose.
    pub stop_s: Option<f64>,
    /// Macro step H \[s\]; `None`: what the FMUs propose.
    pub step_s: Option<f64>,
    /// Relative tolerance of the units' own solvers; `None`: what each FMU proposes.
    pub tolerance: Option<f64>,
    /// Where.
    pub place: Place,
    /// Where the end stands; line 0 without a file: nowhere else than all of it.
    pub stop_place: Place,
    /// Where the macro step stands; as `stop_place`.
    pub step_place: Place,
}

/// The method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Coupling {
    /// A method with a name; schedule, prediction and correction are then its own.
    pub method: Option<Named>,
    /// Who steps when.
    pub schedule: Schedule,
    /// Order of the units for Gauss–Seidel and palindromic; empty: the order of the file, or its opposite.
    pub order: Vec<String>,
    /// Prediction of inputs.
    pub predict: Predict,
    /// What integrated acceleration makes of a known end.
    pub gs_variant: Variant,
    /// Where derivatives of motions come from.
    pub derivative: Derivative,
    /// Correction of a macro step.
    pub correct: Correct,
    /// Relative residual at which a correction ends, default 1e-12.
    pub tolerance: Option<f64>,
    /// Most corrections in a window.
    pub corrections_max: Option<usize>,
    /// Evaluation of feed-through outputs.
    pub sampling: Sampling,
    /// What is done about the energy that power bonds make.
    pub energy: Energy,
    /// Choice of the communication step.
    pub control: StepChoice,
    /// Steps per communication step of units that cannot interpolate their inputs; 0: one.
    pub sub_steps: usize,
    /// Where.
    pub place: Place,
}

/// How the communication step is chosen as a run goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepChoice {
    /// By what.
    pub kind: Control,
    /// Of the inputs predicted, or of residual power; relative.
    pub tolerance: f64,
    /// Shortest step \[s\]; `None`: 1/1024 of the longest. What is used is the part 1/n of the longest that comes next above.
    pub step_min_s: Option<f64>,
    /// Longest step \[s\]; `None`: the step of the experiment.
    pub step_max_s: Option<f64>,
}

/// Steps of one length.
impl Default for StepChoice {
    fn default() -> Self {
        StepChoice { kind: Control::Fixed, tolerance: 1e-4, step_min_s: None, step_max_s: None }
    }
}

impl StepChoice {
    /// Shortest steps in a longest one of `step_s` seconds.
    pub fn parts(&self, step_s: f64) -> u32 {
        let shortest = |min_s: f64| (step_s / min_s * (1.0 + 1e-9)).floor().clamp(1.0, f64::from(PARTS_MAX)) as u32;
        self.step_min_s.map_or(PARTS, shortest)
    }
}

/// Shortest steps in a longest one, unless said otherwise.
const PARTS: u32 = 1024;

/// More of them would leave no room to count them over a run.
pub(crate) const PARTS_MAX: u32 = 1 << 20;

/// An FMU in the system.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// Name, unique in the system; without dots.
    pub name: String,
    /// The FMU.
    pub source: Source,
    /// Its macro step as a fraction of H.
    pub share: (u32, u32),
    /// A real parameter that is told the unit's own macro step \[s\], where no start value is given for it.
    pub step_parameter: Option<String>,
    /// Relative tolerance of its own solver; `None`: that of the experiment.
    pub tolerance: Option<f64>,
    /// Start values of parameters and inputs.
    pub settings: Vec<Setting>,
    /// Outputs each of which is the time derivative of the one before, where the FMU does not declare it.
    pub motions: Vec<Vec<String>>,
    /// What a description in SSP says of its variables; empty in TOML.
    pub connectors: Vec<Connector>,
    /// Where.
    pub place: Place,
}

/// A connector of a component or system in SSP.
#[derive(Debug, Clone, PartialEq)]
pub struct Connector {
    /// Name of the variable.
    pub name: String,
    /// input, output, parameter, calculatedParameter or inout.
    pub kind: String,
    /// Real, Integer, Boolean, String, Enumeration or Binary, if given.
    pub type_name: Option<String>,
    /// Unit of measurement, if given.
    pub unit: Option<String>,
    /// Where.
    pub place: Place,
}

/// Where an FMU is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Carried in the program.
    Embedded(String),
    /// A file or folder; `shown` as the scenario names it.
    File {
        /// Path to open.
        path: PathBuf,
        /// As written.
        shown: String,
    },
}

/// A value of any type; an enumeration's is the name of its item or its number.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Real(f64),
    Integer(i64),
    Boolean(bool),
    Text(String),
}

/// A start value.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The variable.
    pub variable: String,
    /// Its value.
    pub value: Value,
    /// Unit of the value, where it is not the variable's own.
    pub unit: Option<String>,
    /// Whether it is passed over where the unit has no such variable, as SSP says of its parameter sets.
    pub is_optional: bool,
    /// Where.
    pub place: Place,
}

/// Start values under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterSet {
    /// Its name.
    pub name: String,
    /// Unit and setting.
    pub settings: Vec<(String, Setting)>,
    /// Where.
    pub place: Place,
}

/// A variable of a unit, or an output of a law.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// Unit or law.
    pub unit: String,
    /// Variable of the unit, or name of the law's output.
    pub variable: String,
}

/// `to = factor · from + offset`, or what the table has for `from`.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// An output.
    pub from: Endpoint,
    /// An input.
    pub to: Endpoint,
    /// Dimensionless factor, after conversion of units.
    pub factor: f64,
    /// Offset in the unit of the input.
    pub offset: f64,
    /// Whether units of measurement are converted.
    pub converts: bool,
    /// Values that are not real, and what becomes of each; empty: they stay.
    pub table: Vec<(Value, Value)>,
    /// Whether the input gets the mean over its unit's step of an output that is sampled more often.
    pub is_mean: bool,
    /// The law that `from` obeys: predictors of motions apply it to predicted motions instead of extrapolating `from`.
    pub law: Option<String>,
    /// Where.
    pub place: Place,
}

/// A relation between outputs and inputs that the master evaluates.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    /// Name, unique among units and laws.
    pub name: String,
    /// Which relation.
    pub kind: LawKind,
    /// What it is evaluated of.
    pub inputs: Vec<Endpoint>,
    /// Names of what comes out.
    pub outputs: Vec<String>,
    /// Where.
    pub place: Place,
}

/// Relations.
#[derive(Debug, Clone, PartialEq)]
pub enum LawKind {
    /// `f = k (x₁ − x₂) + c (v₁ − v₂)`; inputs x₁, v₁, x₂, v₂; the force body 1 exerts on body 2.
    SpringDamper {
        /// k \[N/m\]: a number, or a parameter `UNIT.NAME` of a unit.
        stiffness: Gain,
        /// c \[N·s/m\], likewise.
        damping: Gain,
    },
    /// `f = Σ kᵢ dⁱ + c ḋ` of `d = x₁ − x₂`; inputs x₁, v₁, x₂, v₂.
    NonlinearSpring {
        /// k₁, k₂, … \[N/mⁱ\].
        coefficients: Vec<f64>,
        /// c \[N·s/m\].
        damping: f64,
    },
    /// Flow through an orifice, `q = k sign(Δp) √|Δp|` of `Δp = p₁ − p₂`, linear for |Δp| below `laminar`.
    Orifice {
        /// k.
        coefficient: f64,
        /// Pressure difference below which the flow is laminar.
        laminar: f64,
    },
}

/// `to = M · from`, and back `reaction.to = Mᵀ · reaction.from`: power is conserved.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// As many outputs as `matrix` has columns.
    pub from: Vec<Endpoint>,
    /// As many inputs as `matrix` has rows.
    pub to: Vec<Endpoint>,
    /// Rows of M.
    pub matrix: Vec<Vec<f64>>,
    /// The way back by the dual map.
    pub reaction: Option<Reaction>,
    /// Where.
    pub place: Place,
}

/// The way back through a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Reaction {
    /// As many outputs as the matrix has rows.
    pub from: Vec<Endpoint>,
    /// As many inputs as the matrix has columns.
    pub to: Vec<Endpoint>,
}

/// A power bond: units exchange power through its ports, and none is lost or made between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Bond {
    /// For people.
    pub name: String,
    /// Two or more.
    pub ports: Vec<Port>,
    /// Where.
    pub place: Place,
}

/// Where a unit receives power: `P = Σ gain · input · flow`.
#[derive(Debug, Clone, PartialEq)]
pub struct Port {
    /// An output of the unit, as a velocity.
    pub flow: Endpoint,
    /// Connected inputs of the same unit, and the effort that each makes at the port.
    pub inputs: Vec<(String, Gain)>,
    /// Where.
    pub place: Place,
}

/// Effort for one unit of an input, in coherent units of SI: ±1 for a force, the stiffness for a displacement.
#[derive(Debug, Clone, PartialEq)]
pub enum Gain {
    /// As said.
    Number(f64),
    /// The value of a parameter of the unit, or its negative.
    Parameter {
        /// Its name.
        name: String,
        /// Whether the negative is meant.
        is_negative: bool,
    },
}

/// What a run leaves behind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Variables `UNIT.NAME` of any type; `*` stands for any letters. Empty: all real outputs but elements of arrays.
    pub variables: Vec<(String, Place)>,
    /// Every how many windows a row is kept; 0: every one.
    pub every: u64,
}

impl Endpoint {
    /// `UNIT.VARIABLE`, split at the first dot.
    pub fn parse(text: &str) -> Option<Endpoint> {
        let (unit, variable) = text.split_once('.')?;
        let (unit, variable) = (unit.trim(), variable.trim());
        (!unit.is_empty() && !variable.is_empty()).then(|| Endpoint { unit: unit.into(), variable: variable.into() })
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.unit, self.variable)
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Embedded(name) => write!(f, "embedded:{name}"),
            Source::File { shown, .. } => f.write_str(shown),
        }
    }
}

impl std::fmt::Display for Gain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Gain::Number(x) => write!(f, "{x:?}"),
            Gain::Parameter { name, is_negative } => write!(f, "{}{name}", if *is_negative { "-" } else { "" }),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Real(x) => write!(f, "{x:?}"),
            Value::Integer(i) => write!(f, "{i}"),
            Value::Boolean(b) => write!(f, "{b}"),
            Value::Text(t) => write!(f, "{t:?}"),
        }
    }
}

impl Source {
    /// The name without folder and ending, for a unit or a file.
    pub fn stem(&self) -> String {
        match self {
            Source::Embedded(name) => name.clone(),
            Source::File { path, .. } => {
                path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
            }
        }
    }
}

impl Setting {
    /// A value in the variable's own unit, for a variable that must be there.
    pub fn new(variable: impl Into<String>, value: Value, place: Place) -> Self {
        Setting { variable: variable.into(), value, unit: None, is_optional: false, place }
    }
}

impl Unit {
    /// A unit of an FMU, at every macro step, with its own start values.
    pub fn new(name: impl Into<String>, source: Source) -> Self {
        let (settings, motions, connectors) = (Vec::new(), Vec::new(), Vec::new());
        let (share, step_parameter, tolerance, place) = ((1, 1), None, None, Place::default());
        Unit { name: name.into(), source, share, step_parameter, tolerance, settings, motions, connectors, place }
    }
}

impl Gain {
    /// `k_c` or `-k_c`.
    pub fn parse(text: &str) -> Gain {
        let (name, is_negative) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        Gain::Parameter { name: name.trim().to_owned(), is_negative }
    }
}

impl Place {
    /// This place where it is one, else the other.
    pub fn or<'a>(&'a self, other: &'a Place) -> &'a Place {
        if self.file.is_empty() { other } else { self }
    }

    /// An option of the command line.
    pub fn option(name: &str) -> Place {
        Place { file: name.into(), line: 0, column: 0 }
    }
}

impl Coupling {
    /// Takes a method with a name: its schedule, prediction and correction.
    pub fn take(&mut self, method: Named) {
        self.method = Some(method);
        (self.schedule, self.predict, self.correct) = method.parts();
    }
}

impl Connection {
    /// One to one.
    pub fn new(from: Endpoint, to: Endpoint, place: Place) -> Self {
        let (factor, offset, converts, table) = (1.0, 0.0, true, Vec::new());
        Connection { from, to, factor, offset, converts, table, is_mean: false, law: None, place }
    }
}

impl Scenario {
    /// The scenario as it can be read from any folder: paths of FMUs are absolute where the file exists.
    pub fn anywhere(&self) -> Scenario {
        let mut out = self.clone();
        for unit in &mut out.units {
            if let Source::File { path, shown } = &mut unit.source
                && let Ok(absolute) = path.canonicalize()
            {
                *shown = absolute.display().to_string();
                *path = absolute;
            }
        }
        for file in &mut out.inputs {
            if let Ok(absolute) = file.path.canonicalize() {
                file.shown = absolute.display().to_string();
                file.path = absolute;
            }
        }
        out
    }

    /// The file of inputs of this name.
    pub fn input(&self, name: &str) -> Option<&InputFile> {
        self.inputs.iter().find(|file| file.name == name)
    }

    /// All inputs that something feeds.
    pub fn targets(&self) -> impl Iterator<Item = (&Endpoint, &Place)> {
        let connections = self.connections.iter().map(|c| (&c.to, &c.place));
        let maps = self.maps.iter().flat_map(|m| {
            let back = m.reaction.iter().flat_map(|r| &r.to);
            m.to.iter().chain(back).map(|to| (to, &m.place))
        });
        let models = self.interface_models.iter();
        let models = models.flat_map(|m| m.to_speed.iter().chain(&m.to_position).map(|to| (to, &m.place)));
        connections.chain(maps).chain(models)
    }

    /// Position of the unit of this name.
    pub fn unit(&self, name: &str) -> Option<usize> {
        self.units.iter().position(|u| u.name == name)
    }

    /// The law of this name.
    pub fn law(&self, name: &str) -> Option<&Law> {
        self.laws.iter().find(|l| l.name == name)
    }

    /// The same scenario with every value given once: the one that counts.
    pub fn settled(&self) -> Scenario {
        let mut out = self.clone();
        let mut later: BTreeSet<(String, String)> = BTreeSet::new();
        let mut seen = BTreeSet::new();
        // The last set first; of a set that is applied twice, the last time counts.
        out.applied = self.applied.iter().rev().filter(|name| seen.insert((*name).clone())).cloned().collect();
        for name in &out.applied {
            let Some(set) = out.sets.iter_mut().find(|set| set.name == *name) else { continue };
            set.settings.reverse();
            set.settings.retain(|(unit, s)| later.insert((unit.clone(), s.variable.clone())));
            set.settings.reverse();
        }
        out.applied.reverse();
        for unit in &mut out.units {
            let name = &unit.name;
            unit.settings.reverse();
            unit.settings.retain(|s| later.insert((name.clone(), s.variable.clone())));
            unit.settings.reverse();
        }
        out
    }

    /// All settings of a unit in the order in which they are made: its own, then those of the applied sets.
    pub fn settings(&self, unit: &str) -> Vec<&Setting> {
        let own = self.units.iter().filter(|u| u.name == unit).flat_map(|u| &u.settings);
        let sets = self.applied.iter().filter_map(|name| self.sets.iter().find(|s| s.name == *name));
        own.chain(sets.flat_map(|s| &s.settings).filter(|(of, _)| of == unit).map(|(_, s)| s)).collect()
    }
}
