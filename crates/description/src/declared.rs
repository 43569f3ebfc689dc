//! A variable being declared.

use crate::{Causality, DependencyKind, Initial, Kind, RealAttributes, Value, Variability, Variable, VariableId};

/// A variable for [`crate::Builder::add`]: a constructor takes causality and start value, the methods set the rest.
#[derive(Debug, Clone)]
pub struct Declared {
    variable: Variable,
    statement: Statement,
}

/// What `ModelStructure` will say of a variable.
#[derive(Debug, Clone, Default)]
pub(crate) struct Statement {
    /// Dependencies of an output or derivative while the simulation runs: on inputs and states.
    pub depends: Option<Vec<(VariableId, DependencyKind)>>,
    /// Dependencies at initialisation: on inputs and on what has an exact start value.
    pub initially: Option<Vec<VariableId>>,
    /// Whether it stands in `Derivatives`.
    pub state_derivative: bool,
}

impl Declared {
    /// A fixed parameter.
    pub fn parameter(name: &str, start: impl Into<Value>) -> Declared {
        Self::new(name, Causality::Parameter, Variability::Fixed, Some(Initial::Exact), start.into())
    }

    /// An input: continuous if it is a Real, else discrete.
    pub fn input(name: &str, start: impl Into<Value>) -> Declared {
        let start = start.into();
        let variability = if start.as_real().is_some() { Variability::Continuous } else { Variability::Discrete };
        Self::new(name, Causality::Input, variability, None, start)
    }

    /// A continuous Real output, calculated.
    pub fn output(name: &str) -> Declared {
        let variability = Variability::Continuous;
        let mut declared = Self::new(name, Causality::Output, variability, Some(Initial::Calculated), Value::Real(0.0));
        declared.variable.start = None;
        declared
    }

    /// A continuous Real that is no output, calculated.
    pub fn local(name: &str) -> Declared {
        let mut declared = Self::output(name);
        declared.variable.causality = Causality::Local;
        declared
    }

    /// A discrete output of the type of `like`, calculated.
    pub fn discrete_output(name: &str, like: impl Into<Value>) -> Declared {
        let variability = Variability::Discrete;
        let mut declared = Self::new(name, Causality::Output, variability, Some(Initial::Calculated), like.into());
        declared.variable.start = None;
        declared
    }

    fn new(
        name: &str,
        causality: Causality,
        variability: Variability,
        initial: Option<Initial>,
        start: Value,
    ) -> Declared {
        // The type is that of the start value.
        let kind = match &start {
            Value::Real(_) => Kind::Real(RealAttributes::default()),
            Value::Integer(_) => Kind::Integer { min: None, max: None },
            Value::Boolean(_) => Kind::Boolean,
            Value::String(_) => Kind::String,
        };
        // Value references and the declared type come later.
        let variable = Variable {
            name: name.into(),
            value_reference: 0,
            description: None,
            causality,
            variability,
            initial,
            kind,
            start: Some(start),
            declared_type: None,
            can_handle_multiple_set: true,
        };
        Declared { variable, statement: Statement::default() }
    }

    /// One sentence of description.
    pub fn about(mut self, text: &str) -> Declared {
        self.variable.description = Some(text.into());
        self
    }

    /// Takes the type's attributes (unit, range, nominal value) from another declaration.
    pub fn like(mut self, other: &Declared) -> Declared {
        self.variable.kind = other.variable.kind.clone();
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.variable.name
    }

    /// Whether it is a Real.
    pub fn is_real(&self) -> bool {
        self.variable.real().is_some()
    }

    /// The start value.
    pub fn start(&self) -> Option<&Value> {
        self.variable.start.as_ref()
    }

    /// A parameter that may change while the simulation runs.
    pub fn tunable(mut self) -> Declared {
        self.variable.variability = Variability::Tunable;
        self
    }

    /// Unit of a Real, defined by [`crate::Builder::unit`].
    pub fn unit(mut self, name: &str) -> Declared {
        if let Kind::Real(a) = &mut self.variable.kind {
            a.unit = Some(name.into());
        }
        self
    }

    /// `min` and `max` of a Real; infinite for none.
    pub fn range(mut self, min: f64, max: f64) -> Declared {
        if let Kind::Real(a) = &mut self.variable.kind {
            a.min = min.is_finite().then_some(min);
            a.max = max.is_finite().then_some(max);
        }
        self
    }

    /// `nominal` of a Real: how large it usually is.
    pub fn nominal(mut self, value: f64) -> Declared {
        if let Kind::Real(a) = &mut self.variable.kind {
            a.nominal = Some(value);
        }
        self
    }

    /// `min` and `max` of an Integer or an enumeration.
    pub fn bounds(mut self, lowest: i32, highest: i32) -> Declared {
        if let Kind::Integer { min, max } | Kind::Enumeration { min, max, .. } = &mut self.variable.kind {
            (*min, *max) = (Some(lowest), Some(highest));
        }
        self
    }

    /// Makes an Integer a variable of an enumeration defined by [`crate::Builder::enumeration`].
    pub fn of_type(mut self, name: &str) -> Declared {
        if let Kind::Integer { min, max } = self.variable.kind {
            self.variable.kind = Kind::Enumeration { items: Vec::new(), min, max };
        }
        self.variable.declared_type = Some(name.into());
        self
    }

    /// `derivative`: this is the time derivative of another Real.
    pub fn derivative_of(mut self, other: VariableId) -> Declared {
        if let Kind::Real(a) = &mut self.variable.kind {
            a.derivative = Some(other.0);
        }
        self
    }

    /// As [`Declared::derivative_of`], of a continuous state, so that it stands in `Derivatives`.
    pub fn state_derivative_of(mut self, state: VariableId) -> Declared {
        self.statement.state_derivative = true;
        self.derivative_of(state)
    }

    /// What it depends on while the simulation runs: inputs and states, with the kind of dependency.
    pub fn depends(mut self, on: &[(VariableId, DependencyKind)]) -> Declared {
        let mut on = on.to_vec();
        on.sort_by_key(|(id, _)| *id);
        self.statement.depends = Some(on);
        self
    }

    /// What it depends on at initialisation: inputs, and variables with an exact start value.
    pub fn initially(mut self, on: &[VariableId]) -> Declared {
        let mut on = on.to_vec();
        on.sort();
        self.statement.initially = Some(on);
        self
    }

    pub(crate) fn into_parts(self) -> (Variable, Statement) {
        (self.variable, self.statement)
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Value {
        Value::Real(x)
    }
}

impl From<i32> for Value {
    fn from(x: i32) -> Value {
        Value::Integer(x)
    }
}

impl From<bool> for Value {
    fn from(x: bool) -> Value {
        Value::Boolean(x)
    }
}

impl From<&str> for Value {
    fn from(x: &str) -> Value {
        Value::String(x.into())
    }
}
