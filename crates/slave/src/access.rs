//! What may be done with each variable, worked out once from the declaration.

use std::sync::Arc;

use macrostep_description::{Causality, Initial, Kind, ModelDescription, Value, Variability, Variable};
use macrostep_ode::{MAX_DEGREE, Polynomials};

use crate::{Fault, Group, Memory, Model, Phase, Shape, Shared, shared};

/// Flags of a variable. The low bits are the phases it may be set in ([`Phase::bit`]).
pub(crate) type Flags = u16;
/// A real input, which has a polynomial.
pub(crate) const INPUT: Flags = 1 << 8;
/// Has `min` or `max`.
pub(crate) const BOUNDED: Flags = 1 << 9;
/// An output.
pub(crate) const OUTPUT: Flags = 1 << 10;
/// First bit of the groups of computed variables.
const GROUP_SHIFT: u32 = 12;
/// All groups.
pub(crate) const COMPUTED: Flags = 0b111 << GROUP_SHIFT;

/// Among what is out of date: inputs were set that are not in their polynomials yet.
pub(crate) const GATHER: Flags = 1 << 15;
/// After variables have changed.
pub(crate) const CHANGED: Flags = COMPUTED | GATHER;

/// The flag of a group.
pub(crate) const fn group_flag(group: Group) -> Flags {
    1 << (GROUP_SHIFT + group as u32)
}

/// The immutable half of an instance, shared by all instances of a model.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub description: Arc<ModelDescription>,
    /// Hash of the GUID, which identifies saved states.
    pub identity: u64,
    pub reals: Vec<Flags>,
    pub integers: Vec<Flags>,
    pub booleans: Vec<Flags>,
    pub strings: Vec<Flags>,
    /// `min`, `max` of each real.
    pub real_bounds: Vec<(f64, f64)>,
    pub integer_bounds: Vec<(i32, i32)>,
    /// Value references of the real inputs.
    pub inputs: Vec<usize>,
    /// Position of a real among the inputs; meaningless for others.
    pub input_of: Vec<usize>,
    /// Highest order of a derivative that a real input may be given.
    pub max_input_order: u32,
    /// How many of the first reals are saved.
    pub stored: usize,
    /// Memory of a fresh instance.
    pub fresh: Memory,
}

/// The four name spaces of value references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Real,
    Integer,
    Boolean,
    String,
}

impl Space {
    pub fn of(variable: &Variable) -> Space {
        match variable.kind {
            Kind::Real(_) => Space::Real,
            Kind::Integer { .. } | Kind::Enumeration { .. } => Space::Integer,
            Kind::Boolean => Space::Boolean,
            Kind::String => Space::String,
        }
    }
}

impl Access {
    /// The tables of this model, one for all its instances.
    ///
    /// # Errors
    /// As [`Access::new`].
    pub fn shared<M: Model>(description: ModelDescription, model: &M) -> Result<Shared<Access>, Fault> {
        Access::of(std::any::type_name::<M>(), description, model.shape(), &|v| model.group(v))
    }

    /// [`Access::shared`] of the model with this name. It is compiled once, and not for every model.
    fn of(
        name: &str,
        description: ModelDescription,
        shape: Shape,
        group: &dyn Fn(&Variable) -> Group,
    ) -> Result<Shared<Access>, Fault> {
        // The identifier of a saved state's model is a hash of the whole declaration; the type says how it is computed.
        let key = format!("{name} {}", description.guid);
        let access = shared(&key, || Access::new(description.clone(), shape, group))?;
        let hidden = &access.fresh;
        let same = *access.description == description
            && (hidden.hidden_reals.len(), hidden.hidden_integers.len()) == (shape.hidden_reals, shape.hidden_integers);
        // Another declaration under the same identifier: tables of its own.
        if same { Ok(access) } else { Access::new(description, shape, group).map(Shared::from) }
    }

    /// Works out the tables.
    ///
    /// # Errors
    /// [`Fault::Declaration`] if value references do not count from 0 in each type.
    fn new(description: ModelDescription, shape: Shape, group: &dyn Fn(&Variable) -> Group) -> Result<Access, Fault> {
        // Empty tables; the GUID tells whose saved states they are.
        let interpolates = description.co_simulation.as_ref().is_some_and(|c| c.can_interpolate_inputs);
        let mut access = Access {
            max_input_order: if interpolates { MAX_DEGREE as u32 } else { 0 },
            identity: fnv(description.guid.as_bytes()),
            description: Arc::new(description),
            reals: Vec::new(),
            integers: Vec::new(),
            booleans: Vec::new(),
            strings: Vec::new(),
            real_bounds: Vec::new(),
            integer_bounds: Vec::new(),
            inputs: Vec::new(),
            input_of: Vec::new(),
            stored: 0,
            fresh: Memory { stop_s: f64::INFINITY, ..Memory::default() },
        };
        // Rows in the order of the declaration, which is that of value references.
        let description = Arc::clone(&access.description);
        for variable in &description.variables {
            access.add(variable, flags(variable, group))?;
        }
        // What a fresh instance keeps beside its variables.
        let inputs = access.inputs.len();
        access.fresh.inputs = Polynomials::new(inputs);
        access.fresh.last_inputs = Polynomials::new(inputs);
        access.fresh.touched = vec![true; inputs];
        access.fresh.hidden_reals = vec![0.0; shape.hidden_reals];
        access.fresh.hidden_integers = vec![0; shape.hidden_integers];
        Ok(access)
    }

    fn add(&mut self, variable: &Variable, flags: Flags) -> Result<(), Fault> {
        // Value references count from 0 in each of the four types.
        let list = match Space::of(variable) {
            Space::Real => &mut self.reals,
            Space::Integer => &mut self.integers,
            Space::Boolean => &mut self.booleans,
            Space::String => &mut self.strings,
        };
        if variable.value_reference as usize != list.len() {
            let (name, found) = (&variable.name, variable.value_reference);
            let expected = list.len();
            return Err(Fault::Declaration(format!(
                "variable `{name}` has value reference {found}, expected {expected}"
            )));
        }
        // Start values and bounds; of reals also the place among the inputs, and how many are to be saved.
        list.push(flags);
        let memory = &mut self.fresh;
        match (&variable.kind, &variable.start) {
            (Kind::Real(a), start) => {
                memory.reals.push(start.as_ref().and_then(Value::as_real).unwrap_or(0.0));
                self.real_bounds.push((a.min.unwrap_or(f64::NEG_INFINITY), a.max.unwrap_or(f64::INFINITY)));
                self.input_of.push(self.inputs.len());
                if flags & INPUT != 0 {
                    self.inputs.push(self.reals.len() - 1);
                }
                if flags & COMPUTED == 0 {
                    self.stored = self.reals.len();
                }
            }
            // Enumerations are integers with bounds.
            (Kind::Integer { min, max } | Kind::Enumeration { min, max, .. }, start) => {
                memory.integers.push(if let Some(Value::Integer(x)) = start { *x } else { 0 });
                self.integer_bounds.push((min.unwrap_or(i32::MIN), max.unwrap_or(i32::MAX)));
            }
            // Booleans and texts have no bounds.
            (Kind::Boolean, start) => memory.booleans.push(matches!(start, Some(Value::Boolean(true)))),
            (Kind::String, start) => {
                memory.strings.push(if let Some(Value::String(x)) = start { x.clone() } else { String::new() });
            }
        }
        Ok(())
    }

    /// Name of a variable, for messages.
    pub fn name(&self, space: Space, reference: u32) -> String {
        let mut variables = self.description.variables.iter();
        let found = variables.find(|v| v.value_reference == reference && Space::of(v) == space);
        found.map_or_else(|| format!("value reference {reference}"), |v| v.name.clone())
    }
}

/// Where a variable may be set (FMI 2.0.5, tables of sections 3.2.3 and 4.2.4) and what else it is.
fn flags(v: &Variable, group: &dyn Fn(&Variable) -> Group) -> Flags {
    // Phases in which it may be set; a constant in none.
    let is_input = v.causality == Causality::Input;
    let mut phases = 0;
    if v.variability != Variability::Constant {
        if is_input || matches!(v.initial, Some(Initial::Exact | Initial::Approx)) {
            phases |= Phase::Instantiated.bit();
        }
        if is_input || v.initial == Some(Initial::Exact) {
            phases |= Phase::Initialization.bit();
        }
        if is_input || v.causality == Causality::Parameter && v.variability == Variability::Tunable {
            phases |= Phase::StepComplete.bit() | Phase::EventMode.bit();
        }
        if is_input && v.variability == Variability::Continuous {
            phases |= Phase::ContinuousTimeMode.bit();
        }
    }
    // What else a call must look at.
    let bounded = match &v.kind {
        Kind::Real(a) => a.min.is_some() || a.max.is_some(),
        Kind::Integer { min, max } | Kind::Enumeration { min, max, .. } => min.is_some() || max.is_some(),
        _ => false,
    };
    let computed = v.initial == Some(Initial::Calculated);
    let is_real = v.real().is_some();
    Flags::from(phases)
        | if is_input && is_real { INPUT } else { 0 }
        | if bounded { BOUNDED } else { 0 }
        | if v.causality == Causality::Output { OUTPUT } else { 0 }
        | if computed { group_flag(group(v)) } else { 0 }
}

/// FNV-1a, 64 bits.
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3))
}
