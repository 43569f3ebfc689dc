//! The declaration of a container, from its scenario and what the units declare.
//!
//! Value references count from 0 in each type, in the order of the variables: parameters, inputs, outputs.

use std::collections::HashMap;
use std::sync::Arc;

use macrostep_description::{
    Causality, DefaultExperiment, Dependencies, DependencyKind, Initial, Kind, ModelDescription, ModelStructure,
    Naming, Unknown, Value, Variability, Variable, guid_of,
};
use macrostep_master::Refresh;
use macrostep_slave::{builder, capabilities};
use macrostep_system::scenario::{Endpoint, Names};
use macrostep_system::words::{Rollback, Sampling};
use macrostep_system::{Scenario, assemble, toml};

use crate::contents::Interface;
use crate::dependence::Dependence;
use crate::slaves::{EXTRAPOLATE, ISOLATE};
use crate::{steps, types};

/// One of the four name spaces of value references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Real,
    Integer,
    Boolean,
    Text,
}

impl Type {
    fn of(v: &Variable) -> Type {
        match v.kind {
            Kind::Real(_) => Type::Real,
            Kind::Integer { .. } | Kind::Enumeration { .. } => Type::Integer,
            Kind::Boolean => Type::Boolean,
            Kind::String => Type::Text,
        }
    }
}

/// A variable of the container that stands for one of a unit.
#[derive(Debug, Clone)]
pub(crate) struct Alias {
    /// Its type, and value reference outside.
    pub kind: Type,
    pub outer: usize,
    /// The unit, its value reference and name inside.
    pub unit: usize,
    pub inner: u32,
    pub name: String,
    /// Its start value outside; `None` for an output.
    pub start: Option<Value>,
}

/// What stands for what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    /// Parameters.
    pub parameters: Vec<Alias>,
    /// Those of them that may be set between steps.
    pub tunable: Vec<Alias>,
    /// Real inputs, in the order of their value references.
    pub reals: Vec<Alias>,
    /// Other inputs.
    pub others: Vec<Alias>,
    /// Outputs.
    pub outputs: Vec<Alias>,
    /// Value reference of the parameter that gives each unit a process of its own.
    pub isolate: usize,
    /// Value reference of the parameter by which inputs are extrapolated.
    pub extrapolate: usize,
    /// Whether windows inside can be shortened.
    pub varies: bool,
}

/// The declaration of the container of a complete scenario.
///
/// # Errors
/// In words, where the scenario, what its units declare, and the interface do not fit together.
pub fn describe(
    scenario: &Scenario,
    descriptions: &[Arc<ModelDescription>],
    interface: &Interface,
) -> Result<ModelDescription, String> {
    declare(scenario, descriptions, interface).map(|(description, _)| description)
}

/// As [`describe`], with what stands for what inside.
///
/// # Errors
/// As [`describe`].
pub(crate) fn declare(
    scenario: &Scenario,
    descriptions: &[Arc<ModelDescription>],
    interface: &Interface,
) -> Result<(ModelDescription, Table), String> {
    // Parameters, some of which may be set during a run.
    let mut declaring = Declaring::new(scenario, descriptions, interface)?;
    for name in &interface.parameters {
        let alias = declaring.add(name, Causality::Parameter)?;
        let is_tunable = declaring.description.variables.last().is_some_and(|v| v.variability == Variability::Tunable);
        declaring.table.tunable.extend(is_tunable.then(|| alias.clone()));
        declaring.table.parameters.push(alias);
    }
    // Inputs. Real ones are apart from others, as they have derivatives.
    for name in &interface.inputs {
        let alias = declaring.add(name, Causality::Input)?;
        let list = if alias.kind == Type::Real { &mut declaring.table.reals } else { &mut declaring.table.others };
        list.push(alias);
    }
    // Outputs.
    for name in &interface.outputs {
        let alias = declaring.add(name, Causality::Output)?;
        declaring.table.outputs.push(alias);
    }
    // How the container runs is a parameter, too.
    let (isolates, extrapolates) = (
        "each FMU inside runs in a process of its own (Linux)",
        "inputs without derivatives are extrapolated over a step with their slope over the step before",
    );
    declaring.table.isolate = declaring.choice(ISOLATE, isolates, interface.slaves.isolate)?;
    declaring.table.extrapolate = declaring.choice(EXTRAPOLATE, extrapolates, false)?;
    // What can only be said when all variables are there. The GUID is made of all the rest.
    declaring.structure();
    declaring.experiment();
    declaring.table.varies = steps::vary(scenario, descriptions);
    declaring.capabilities(interface);
    let Declaring { mut description, table, .. } = declaring;
    description.guid = guid_of(&description);
    Ok((description, table))
}

/// A declaration being made.
struct Declaring<'a> {
    scenario: &'a Scenario,
    descriptions: &'a [Arc<ModelDescription>],
    description: ModelDescription,
    table: Table,
    /// Variables of each type so far.
    counts: [usize; 4],
    /// Positions outside of variables of units.
    places: HashMap<(usize, usize), usize>,
    /// The same the other way.
    sources: Vec<(usize, usize)>,
    /// Start values the scenario gives: of a unit, by value reference and type.
    starts: Vec<Vec<(u32, Value)>>,
}

impl<'a> Declaring<'a> {
    fn new(
        scenario: &'a Scenario,
        descriptions: &'a [Arc<ModelDescription>],
        interface: &Interface,
    ) -> Result<Self, String> {
        // What the container is called.
        let about = if scenario.description.is_empty() { "A system of FMUs" } else { &scenario.description };
        let mut builder = builder(&interface.identifier, about);
        builder.log_category("logStatusWarning", "A run inside whose result is doubtful, or that grows");
        let mut description = builder.finish().map_err(|e| e.to_string())?;
        description.model_name.clone_from(&interface.name);
        description.naming = Naming::Flat;
        // Start values of the units, which are those of the container's variables.
        let names = Names::of(scenario);
        let of_unit = |(unit, d): (usize, &Arc<ModelDescription>)| {
            let starts = assemble::starts(&names, unit, d).map_err(|f| f.to_string())?;
            Ok::<_, String>(starts.into_iter().map(|start| (start.reference, start.value)).collect())
        };
        let starts = descriptions.iter().enumerate().map(of_unit).collect::<Result<_, _>>()?;
        // Nothing is declared yet.
        Ok(Declaring {
            scenario,
            descriptions,
            description,
            table: Table::default(),
            counts: [0; 4],
            places: HashMap::new(),
            sources: Vec::new(),
            starts,
        })
    }

    /// Adds the variable that stands for `UNIT.NAME`.
    fn add(&mut self, full: &str, causality: Causality) -> Result<Alias, String> {
        // What it stands for.
        let missing = || format!("no unit has the variable `{full}`");
        let end = Endpoint::parse(full).ok_or_else(missing)?;
        let unit = self.scenario.unit(&end.unit).ok_or_else(missing)?;
        let inside = &self.descriptions[unit];
        let at = inside.variables.iter().position(|v| v.name == end.variable).ok_or_else(missing)?;
        let inner = &inside.variables[at];
        // As it is declared there, as far as that can stand here.
        let mut v = Variable { name: full.to_owned(), causality, ..inner.clone() };
        let kind = Type::of(&v);
        v.can_handle_multiple_set = causality != Causality::Input || inner.can_handle_multiple_set;
        v.variability = types::variability(causality, inner);
        v.initial = match causality {
            Causality::Parameter => Some(Initial::Exact),
            Causality::Input => None,
            _ => Some(Initial::Calculated),
        };
        types::take_over(&mut v, (inside, &self.scenario.units[unit].name), &mut self.description);
        v.start = if causality == Causality::Output { None } else { Some(self.start(unit, inner, &v)) };
        types::bounded(&mut v);
        // Its place.
        let count = &mut self.counts[kind as usize];
        v.value_reference = u32::try_from(*count).map_err(|e| e.to_string())?;
        let alias = Alias {
            kind,
            outer: *count,
            unit,
            inner: inner.value_reference,
            name: inner.name.clone(),
            start: v.start.clone(),
        };
        *count += 1;
        self.places.insert((unit, at), self.description.variables.len());
        self.sources.push((unit, at));
        self.description.variables.push(v);
        Ok(alias)
    }

    /// Adds a parameter that stands for no unit, behind all variables of units; its value reference.
    fn choice(&mut self, name: &str, about: &str, start: bool) -> Result<usize, String> {
        let count = &mut self.counts[Type::Boolean as usize];
        self.description.variables.push(Variable {
            name: name.to_owned(),
            value_reference: u32::try_from(*count).map_err(|e| e.to_string())?,
            description: Some(about.to_owned()),
            causality: Causality::Parameter,
            variability: Variability::Fixed,
            initial: Some(Initial::Exact),
            kind: Kind::Boolean,
            start: Some(Value::Boolean(start)),
            declared_type: None,
            can_handle_multiple_set: true,
        });
        *count += 1;
        Ok(*count - 1)
    }

    /// What the scenario sets, else what the unit declares.
    fn start(&self, unit: usize, inner: &Variable, v: &Variable) -> Value {
        let fits = |value: &Value| {
            matches!(
                (&v.kind, value),
                (Kind::Real(_), Value::Real(_))
                    | (Kind::Integer { .. } | Kind::Enumeration { .. }, Value::Integer(_))
                    | (Kind::Boolean, Value::Boolean(_))
                    | (Kind::String, Value::String(_))
            )
        };
        let set = self.starts[unit].iter().rev().find(|(r, value)| *r == inner.value_reference && fits(value));
        if let Some(value) = set.map(|(_, value)| value).or(inner.start.as_ref()).filter(|value| fits(value)) {
            return value.clone();
        }
        // What a slave begins with that says nothing.
        match &v.kind {
            Kind::Real(_) => Value::Real(0.0),
            Kind::Integer { .. } => Value::Integer(0),
            Kind::Enumeration { .. } => {
                let of_type = self.description.types.iter().find(|t| Some(&t.name) == v.declared_type.as_ref());
                let Some(Kind::Enumeration { items, .. }) = of_type.map(|t| &t.kind) else { return Value::Integer(0) };
                Value::Integer(items.first().map_or(0, |item| item.value))
            }
            Kind::Boolean => Value::Boolean(false),
            Kind::String => Value::String(String::new()),
        }
    }

    /// Which outputs are derivatives of each other, and what they follow.
    fn structure(&mut self) {
        let mut structure = ModelStructure::default();
        let dependence = Dependence::new(self.scenario, self.descriptions);
        for (at, &(unit, inner)) in self.sources.iter().enumerate() {
            let v = &mut self.description.variables[at];
            if v.causality != Causality::Output {
                continue;
            }
            // The derivative of an output is declared where its base is an output, too.
            let declared = &self.descriptions[unit].variables[inner];
            let base = declared.real().and_then(|a| a.derivative).and_then(|base| self.places.get(&(unit, base)));
            if let Kind::Real(a) = &mut v.kind {
                a.derivative = base.copied();
            }
            // The inputs of the container that it follows through all units and connections.
            let end = Endpoint { unit: self.scenario.units[unit].name.clone(), variable: declared.name.clone() };
            let place = |end: &Endpoint| {
                let unit = self.scenario.unit(&end.unit)?;
                let inside = self.descriptions[unit].variables.iter().position(|v| v.name == end.variable)?;
                self.places.get(&(unit, inside)).copied()
            };
            let mut known: Vec<usize> = dependence.of(&end).iter().filter_map(place).collect();
            known.sort_unstable();
            let known = known.into_iter().map(|i| (i, DependencyKind::Dependent)).collect();
            structure.outputs.push(Unknown { index: at, dependencies: Dependencies::Known(known) });
            structure.initial_unknowns.push(Unknown { index: at, dependencies: Dependencies::All });
        }
        // A derivative is that of a continuous output.
        let continuous: Vec<bool> = self
            .description
            .variables
            .iter()
            .map(|v| v.variability == Variability::Continuous && v.causality == Causality::Output)
            .collect();
        for v in &mut self.description.variables {
            if let Kind::Real(a) = &mut v.kind {
                a.derivative = a.derivative.filter(|&base| continuous[base]);
            }
        }
        self.description.structure = structure;
    }

    /// A run of the scenario, one window a step.
    fn experiment(&mut self) {
        let e = &self.scenario.experiment;
        let window = assemble::grid(self.scenario).window(self.scenario.units.len()).ok().map(|(window, _)| window);
        self.description.default_experiment = Some(DefaultExperiment {
            start_time: Some(e.start_s),
            stop_time: e.stop_s,
            tolerance: None,
            step_size: window.zip(e.step_s).map(|(window, step_s)| window * step_s),
        });
    }

    /// What every unit inside can do.
    fn capabilities(&mut self, interface: &Interface) {
        // What all of them can, and what one of them needs.
        let all = |can: fn(&macrostep_description::CoSimulation) -> bool| {
            self.descriptions.iter().all(|d| d.co_simulation.as_ref().is_some_and(can))
        };
        let any = |does: fn(&macrostep_description::CoSimulation) -> bool| {
            self.descriptions.iter().any(|d| d.co_simulation.as_ref().is_some_and(does))
        };
        // A state in another process is none of its own functions.
        let slaves = &interface.slaves;
        let goes_back =
            slaves.rollback != Rollback::Fork && all(|c| c.can_get_and_set_fmu_state && c.can_serialize_fmu_state);
        // Outputs follow inputs at once where those of every unit do.
        let refreshed = self.scenario.coupling.sampling == Sampling::Updated
            && self.descriptions.iter().all(|d| Refresh::of(d) != Refresh::Reported);
        let content = self.content();
        let co_simulation = macrostep_description::CoSimulation {
            model_identifier: interface.identifier.clone(),
            can_handle_variable_communication_step_size: self.table.varies,
            can_interpolate_inputs: true,
            max_output_derivative_order: self.output_order(),
            can_get_and_set_fmu_state: goes_back,
            can_serialize_fmu_state: goes_back,
            provides_directional_derivative: refreshed,
            needs_execution_tool: any(|c| c.needs_execution_tool),
            can_be_instantiated_only_once_per_process: !slaves.isolate
                && any(|c| c.can_be_instantiated_only_once_per_process),
            ..capabilities()
        };
        // The annotation says that values are up to date after a set, only where they are.
        self.description.co_simulation = Some(co_simulation);
        for annotation in &mut self.description.vendor_annotations {
            annotation.attributes.retain(|(name, _)| refreshed || name != "getAfterSet");
            // Another scenario inside is another model.
            annotation.attributes.push(("content".to_owned(), content.clone()));
        }
    }

    /// The highest order of which every output has a derivative.
    fn output_order(&self) -> u32 {
        let order = |&(unit, at): &(usize, usize)| {
            let d = &self.descriptions[unit];
            let is_output = d.variables[at].causality == Causality::Output;
            d.co_simulation.as_ref().filter(|_| is_output).map_or(0, |c| c.max_output_derivative_order)
        };
        let outputs = self.description.variables.iter().zip(&self.sources);
        let outputs = outputs.filter(|(v, _)| v.causality == Causality::Output && v.real().is_some());
        outputs.map(|(_, source)| order(source)).min().unwrap_or(0)
    }

    /// A hash of the scenario and of the FMUs in it.
    fn content(&self) -> String {
        let guids: String = self.descriptions.iter().map(|d| format!("{}\n", d.guid)).collect();
        let mut carrier = ModelDescription { description: Some(toml::write(self.scenario)), ..Default::default() };
        carrier.author = Some(guids);
        guid_of(&carrier)
    }
}
