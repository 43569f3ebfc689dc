//! Declaring a model of ours.
//!
//! A [`Builder`] takes [`Declared`] variables one by one and gives back a complete [`ModelDescription`]: contiguous value
//! references in each type, `ModelStructure` as FMI 2.0.5, section 2.2.8 demands, and the GUID.

use crate::{BaseUnit, declared::Statement};
use crate::{
    Causality, CoSimulation, Declared, DefaultExperiment, Dependencies, DependencyKind, Initial, Item, Kind,
    LogCategory, ModelDescription, ModelExchange, ModelStructure, Naming, TypeDefinition, Unit, Unknown, Value,
    Variability, Variable, VendorAnnotation, guid_of,
};

/// Position of a variable in the declaration (from 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub usize);

/// A declaration that FMI 2.0 does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclarationError {
    /// Name of the variable.
    pub variable: String,
    /// What is wrong with it.
    pub problem: String,
}

impl std::fmt::Display for DeclarationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "variable `{}` {}", self.variable, self.problem)
    }
}

impl std::error::Error for DeclarationError {}

/// Collects a declaration.
///
/// ```
/// use macrostep_description::{BaseUnit, Builder, Declared, DependencyKind::Fixed};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut b = Builder::new("spring", "A linear spring");
/// b.unit("m", BaseUnit { m: 1, ..BaseUnit::default() });
/// b.unit("N", BaseUnit { kg: 1, m: 1, s: -2, ..BaseUnit::default() });
/// let x = b.add(Declared::input("x", 0.0).unit("m").about("elongation"));
/// b.add(Declared::output("f").unit("N").about("force").depends(&[(x, Fixed)]).initially(&[x]));
/// let description = b.finish()?;
/// assert_eq!(description.structure.outputs.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    description: ModelDescription,
    co_simulation: CoSimulation,
    /// Whether the equations can be integrated by others as well.
    is_exchanged: bool,
    statements: Vec<Statement>,
    /// Variables of each type so far: real, integer and enumeration, Boolean, string.
    counts: [u32; 4],
}

impl Builder {
    /// A model of this `modelIdentifier`, which must be a C identifier, with one sentence of description.
    pub fn new(identifier: &str, about: &str) -> Builder {
        let description = ModelDescription {
            fmi_version: "2.0".into(),
            model_name: identifier.into(),
            description: Some(about.into()),
            generation_tool: Some("macrostep".into()),
            license: Some("MIT OR Apache-2.0".into()),
            naming: Naming::Structured,
            ..ModelDescription::default()
        };
        let co_simulation = CoSimulation { model_identifier: identifier.into(), ..CoSimulation::default() };
        Builder { description, co_simulation, is_exchanged: false, statements: Vec::new(), counts: [0; 4] }
    }

    /// `version` of the model.
    pub fn version(&mut self, version: &str) {
        self.description.version = Some(version.into());
    }

    /// The capabilities; the model identifier stays.
    pub fn capabilities(&mut self, capabilities: CoSimulation) {
        let model_identifier = std::mem::take(&mut self.co_simulation.model_identifier);
        self.co_simulation = CoSimulation { model_identifier, ..capabilities };
    }

    /// Adds the face of model exchange, of the same library: every state is a variable, with its derivative as another one.
    pub fn model_exchange(&mut self) {
        self.is_exchanged = true;
    }

    /// Defines a unit, once; a second definition of the same name is ignored.
    pub fn unit(&mut self, name: &str, base: BaseUnit) {
        if self.description.units.iter().all(|u| u.name != name) {
            self.description.units.push(Unit { name: name.into(), base: Some(base), display: Vec::new() });
        }
    }

    /// Defines units of the SI by their names ([`BaseUnit::si`]); a name it does not know stays undefined, which
    /// [`Builder::finish`] finds where a variable uses it.
    pub fn si_units(&mut self, names: &[&str]) {
        for (name, base) in names.iter().filter_map(|name| BaseUnit::si(name).map(|base| (name, base))) {
            self.unit(name, base);
        }
    }

    /// Defines an enumeration with items `(name, description)` counted from 1.
    pub fn enumeration(&mut self, name: &str, about: &str, items: &[(&str, &str)]) {
        let item = |(i, (name, about)): (usize, &(&str, &str))| Item {
            name: (*name).into(),
            value: i as i32 + 1,
            description: Some((*about).into()),
        };
        self.description.types.push(TypeDefinition {
            name: name.into(),
            description: Some(about.into()),
            kind: Kind::Enumeration { items: items.iter().enumerate().map(item).collect(), min: None, max: None },
        });
    }

    /// Declares a log category.
    pub fn log_category(&mut self, name: &str, about: &str) {
        self.description.log_categories.push(LogCategory { name: name.into(), description: Some(about.into()) });
    }

    /// `DefaultExperiment` in seconds.
    pub fn experiment(&mut self, start_s: f64, stop_s: f64, step_s: f64) {
        self.description.default_experiment = Some(DefaultExperiment {
            start_time: Some(start_s),
            stop_time: Some(stop_s),
            tolerance: None,
            step_size: Some(step_s),
        });
    }

    /// A flag in the vendor annotation of the tool `macrostep`.
    pub fn annotate(&mut self, attribute: &str, value: &str) {
        let tool = "macrostep";
        let annotations = &mut self.description.vendor_annotations;
        if annotations.iter().all(|a| a.tool != tool) {
            annotations.push(VendorAnnotation { tool: tool.into(), attributes: Vec::new() });
        }
        if let Some(ours) = annotations.iter_mut().find(|a| a.tool == tool) {
            ours.attributes.push((attribute.into(), value.into()));
        }
    }

    /// Adds a variable; it gets the next value reference of its type.
    pub fn add(&mut self, declared: Declared) -> VariableId {
        let (mut variable, statement) = declared.into_parts();
        let count = &mut self.counts[match variable.kind {
            Kind::Real(_) => 0,
            Kind::Integer { .. } | Kind::Enumeration { .. } => 1,
            Kind::Boolean => 2,
            Kind::String => 3,
        }];
        variable.value_reference = *count;
        *count += 1;
        self.description.variables.push(variable);
        self.statements.push(statement);
        VariableId(self.statements.len() - 1)
    }

    /// The variable that is added next.
    pub fn next_id(&self) -> VariableId {
        VariableId(self.statements.len())
    }

    /// Name of a variable.
    pub fn name(&self, id: VariableId) -> &str {
        &self.description.variables[id.0].name
    }

    /// Value reference of a variable among those of its type.
    pub fn reference(&self, id: VariableId) -> u32 {
        self.description.variables[id.0].value_reference
    }

    /// The complete description.
    ///
    /// # Errors
    /// The first variable that breaks a rule: a name twice, a start value where none may be or none where one must be,
    /// a start value out of range, an unknown unit or type, an output without stated dependencies.
    pub fn finish(self) -> Result<ModelDescription, DeclarationError> {
        let Builder { mut description, co_simulation, is_exchanged, statements, .. } = self;
        description.inherit_types();
        for (i, variable) in description.variables.iter().enumerate() {
            if let Some(problem) = problem(&description, i, variable, &statements[i]) {
                return Err(DeclarationError { variable: variable.name.clone(), problem });
            }
        }
        description.structure = structure(&description.variables, &statements);
        // The same instances stand behind both faces.
        let c = &co_simulation;
        description.model_exchange = is_exchanged.then(|| ModelExchange {
            model_identifier: c.model_identifier.clone(),
            completed_integrator_step_not_needed: true,
            can_not_use_memory_management_functions: c.can_not_use_memory_management_functions,
            can_get_and_set_fmu_state: c.can_get_and_set_fmu_state,
            can_serialize_fmu_state: c.can_serialize_fmu_state,
            provides_directional_derivative: c.provides_directional_derivative,
            ..ModelExchange::default()
        });
        description.co_simulation = Some(co_simulation);
        description.guid = guid_of(&description);
        Ok(description)
    }
}

/// What is wrong with a variable, if anything.
fn problem(description: &ModelDescription, i: usize, v: &Variable, statement: &Statement) -> Option<String> {
    // A name of its own, and a start value exactly where the standard has one.
    if description.variables[..i].iter().any(|other| other.name == v.name) {
        return Some("is declared twice".into());
    }
    let needs_start = matches!(v.initial, Some(Initial::Exact | Initial::Approx)) || v.causality == Causality::Input;
    if needs_start != v.start.is_some() {
        return Some(if needs_start { "needs a start value".into() } else { "must not have a start value".into() });
    }
    // Units and types that are defined.
    if !v.unit().is_empty() && description.units.iter().all(|u| u.name != v.unit()) {
        return Some(format!("has the undefined unit `{}`", v.unit()));
    }
    if let Some(t) = &v.declared_type
        && description.types.iter().all(|d| &d.name != t)
    {
        return Some(format!("has the undefined type `{t}`"));
    }
    // What the standard asks of its kind.
    if v.variability == Variability::Continuous && v.real().is_none() {
        return Some("is continuous and not a Real".into());
    }
    if needs_dependencies(v) && (statement.depends.is_none() || statement.initially.is_none()) {
        return Some("does not state what it depends on".into());
    }
    out_of_range(v)
}

/// Whether the start value lies outside `min` … `max`.
fn out_of_range(v: &Variable) -> Option<String> {
    let (value, min, max) = match (&v.start, &v.kind) {
        (Some(Value::Real(x)), Kind::Real(a)) => (*x, a.min, a.max),
        (Some(Value::Integer(x)), Kind::Integer { min, max } | Kind::Enumeration { min, max, .. }) => {
            (f64::from(*x), min.map(f64::from), max.map(f64::from))
        }
        (Some(Value::Boolean(_)), Kind::Boolean) | (Some(Value::String(_)), Kind::String) | (None, _) => return None,
        _ => return Some("has a start value of another type".into()),
    };
    let (min, max) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
    // Not a finite number is out of any range.
    let inside = value.is_finite() && min <= value && value <= max;
    (!inside).then(|| format!("has the start value {value}, expected {min} to {max}"))
}

/// Outputs and calculated variables are unknowns.
fn needs_dependencies(v: &Variable) -> bool {
    v.causality == Causality::Output || v.initial != Some(Initial::Exact) && v.initial.is_some()
}

/// `ModelStructure`: every output; the listed state derivatives; and as initial unknowns, ascending, the outputs,
/// calculated parameters, states and state derivatives that are not exact at the start.
fn structure(variables: &[Variable], statements: &[Statement]) -> ModelStructure {
    // Dependencies as stated: in step mode with their kinds, in initialisation without.
    let unknown = |index: usize| Unknown {
        index,
        dependencies: Dependencies::Known(
            statements[index].depends.iter().flatten().map(|(id, kind)| (id.0, *kind)).collect(),
        ),
    };
    let initial_unknown = |index: usize| Unknown {
        index,
        dependencies: Dependencies::Known(
            statements[index].initially.iter().flatten().map(|id| (id.0, DependencyKind::Dependent)).collect(),
        ),
    };
    // Outputs, state derivatives, and what is open at the start.
    let outputs = (0..variables.len()).filter(|i| variables[*i].causality == Causality::Output);
    let derivatives: Vec<usize> = (0..variables.len()).filter(|i| statements[*i].state_derivative).collect();
    let is_state = |i: usize| derivatives.iter().any(|d| variables[*d].real().and_then(|r| r.derivative) == Some(i));
    let initial = (0..variables.len()).filter(|i| {
        let v = &variables[*i];
        let open = matches!(v.initial, Some(Initial::Approx | Initial::Calculated));
        open && (matches!(v.causality, Causality::Output | Causality::CalculatedParameter)
            || derivatives.contains(i)
            || is_state(*i))
    });
    ModelStructure {
        outputs: outputs.map(unknown).collect(),
        initial_unknowns: initial.map(initial_unknown).collect(),
        derivatives: derivatives.iter().map(|i| unknown(*i)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter() -> Builder {
        let mut b = Builder::new("m", "A model");
        b.unit("m", BaseUnit { m: 1, ..BaseUnit::default() });
        b
    }

    fn refused(declared: Declared, expected: &str) {
        let mut b = meter();
        b.add(Declared::parameter("taken", 1.0));
        b.add(declared);
        let found = b.finish().expect_err("an error").to_string();
        assert!(found.contains(expected), "{found}");
    }

    #[test]
    fn rules_are_enforced() {
        refused(Declared::parameter("taken", 1.0), "twice");
        refused(Declared::parameter("p", 1.0).range(2.0, 3.0), "expected 2 to 3");
        refused(Declared::parameter("p", f64::NAN), "NaN");
        refused(Declared::parameter("p", 1.0).unit("furlong"), "furlong");
        refused(Declared::output("y"), "depends on");
        refused(Declared::parameter("e", 1).of_type("Nothing"), "undefined type");
    }

    #[test]
    fn structure_and_references_follow() {
        let mut b = meter();
        let x0 = b.add(Declared::parameter("x0", 1.0).unit("m"));
        let n = b.add(Declared::parameter("n", 3));
        let u = b.add(Declared::input("u", 0.0));
        let x = b.add(Declared::output("x").unit("m").depends(&[]).initially(&[x0]));
        let v = b.add(
            Declared::output("v").state_derivative_of(x).depends(&[(u, DependencyKind::Constant)]).initially(&[u]),
        );
        assert_eq!([x0, n, u, x, v].map(|id| b.reference(id)), [0, 0, 1, 2, 3]);
        let d = b.finish().expect("legal");
        let indices = |list: &[Unknown]| list.iter().map(|u| u.index).collect::<Vec<_>>();
        assert_eq!(indices(&d.structure.outputs), [3, 4]);
        assert_eq!(indices(&d.structure.derivatives), [4]);
        assert_eq!(indices(&d.structure.initial_unknowns), [3, 4]);
        assert_eq!(d.structure.outputs[0].dependencies, Dependencies::Known(Vec::new()));
        assert_eq!(d.guid.len(), 38);
    }

    #[test]
    fn guid_follows_the_declaration() {
        let guid = |start: f64| {
            let mut b = meter();
            b.add(Declared::parameter("p", start));
            b.finish().expect("legal").guid
        };
        assert_eq!(guid(1.0), guid(1.0));
        assert_ne!(guid(1.0), guid(1.0000000000000002));
    }
}
