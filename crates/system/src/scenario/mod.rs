//! A *scenario* as plain values: units, connections, laws, maps, power bonds, parameter sets, method, experiment and recording.
//!
//! It knows neither files nor FMUs; every part keeps its [`Place`] for messages.

mod bond;
mod connection;
mod constraint;
mod driven;
pub mod elements;
mod law;
mod method;
mod names;
mod place;
mod solution;
mod unit;

pub use bond::{Bond, Gain, Port};
pub use connection::{Connection, Endpoint};
pub use constraint::{Constraint, Joint, JointEnd, JointForce};
pub use driven::{Event, InputFile, StateEvent, Taken};
pub use law::{InterfaceModel, Law, LawKind, Line, LineEnd, LineSize, Map, Reaction};
pub use method::{Coupling, StepChoice};
pub use names::Names;
pub use place::Place;
pub use solution::{Solution, SolutionOf};
pub use unit::{Connector, ParameterSet, Setting, Source, Unit, Value};

pub use macrostep_import::Face;

use macrostep_description::ModelDescription;
use std::collections::BTreeSet;

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
    /// Whether these are all: without any, those that units of measurement show are watched unless this is so.
    pub bonds_are_all: bool,
    /// Motions that are predicted by the interface model of another unit.
    pub interface_models: Vec<InterfaceModel>,
    /// Joints between units.
    pub constraints: Vec<Constraint>,
    /// Files that inputs follow.
    pub inputs: Vec<InputFile>,
    /// Values set at a time.
    pub events: Vec<Event>,
    /// Values set when outputs cross a threshold.
    pub state_events: Vec<StateEvent>,
    /// Values of outputs before the start, which predictors begin with.
    pub history: Vec<Event>,
    /// What a run is compared with.
    pub solution: Option<Solution>,
    /// What is recorded.
    pub record: Record,
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
    pub solver_tolerance: Option<f64>,
    /// Largest error of the coupling, relative to the largest absolute value of each recorded output: the macro step is chosen
    /// for it, see [`crate::verify::bound`]. `None`: it is what is said.
    pub error: Option<f64>,
    /// Whether the system grows by itself, so that a run that grows is no failure.
    pub expect_growth: bool,
    /// Where.
    pub place: Place,
    /// Where the end stands; line 0 without a file: nowhere else than all of it.
    pub stop_place: Place,
    /// Where the macro step stands; as `stop_place`.
    pub step_place: Place,
}

/// The recorded variables of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Variables `UNIT.NAME` of any type; `*` stands for any letters. Empty: all real outputs but elements of arrays.
    pub variables: Vec<(String, Place)>,
    /// Every how many windows a row is kept; 0: every one.
    pub every: u64,
    /// Whether columns have the names of variables without that of the unit, of a system of one unit.
    pub are_plain: bool,
}

impl Scenario {
    /// The scenario as it can be read from any folder: paths of FMUs are absolute where the file exists.
    pub fn anywhere(&self) -> Scenario {
        let mut out = self.clone();
        for unit in &mut out.units {
            if let Source::File { path, shown, .. } = &mut unit.source
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

    /// Whether steps are taken back: by the method, for events, or by an interface model.
    pub fn repeats_steps(&self) -> bool {
        let by_model = self.interface_models.iter().any(|m| m.repeat > 0);
        self.coupling.repeats_steps() || by_model || !self.state_events.is_empty()
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
        let joints = self.constraints.iter().flat_map(|c| c.inputs().map(|to| (to, &c.place)));
        connections.chain(maps).chain(models).chain(joints)
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
        own.chain(self.in_sets().filter(|(of, _)| of == unit).map(|(_, s)| s)).collect()
    }

    /// The step \[s\] that macro steps of a unit are to be multiples of: the parameter that its annotation `stepMultipleOf` names, as it is
    /// set here.
    pub fn step_multiple_s(&self, unit: &Unit, description: &ModelDescription) -> Option<f64> {
        let ours = description.vendor_annotations.iter().filter(|a| a.tool == "macrostep").flat_map(|a| &a.attributes);
        let name = ours.filter(|(key, _)| key == "stepMultipleOf").map(|(_, name)| name).next()?;
        let set = self.settings(&unit.name).into_iter().rev().find(|s| s.variable == *name);
        let multiple_s = match set.map(|s| &s.value) {
            Some(Value::Real(x)) => *x,
            Some(Value::Integer(i)) => *i as f64,
            Some(_) => return None,
            None => match &description.variable(name)?.start {
                Some(macrostep_description::Value::Real(x)) => *x,
                _ => return None,
            },
        };
        Some(multiple_s).filter(|s| *s > 0.0)
    }

    /// Unit and setting of all applied sets, in the order in which they are set.
    fn in_sets(&self) -> impl Iterator<Item = &(String, Setting)> {
        let sets = self.applied.iter().filter_map(|name| self.sets.iter().find(|s| s.name == *name));
        sets.flat_map(|s| &s.settings)
    }
}
