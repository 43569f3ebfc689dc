//! *Links*: connections between variables that are not real. They are sampled when their unit publishes and held by the
//! receiver until its next step; no predictor, law or corrector sees them. A link may have a table: what comes out is found
//! in it.

use crate::savable::savable;
use crate::unit::{Failure, Unit, UnitError};
use macrostep_description::Variable;
use serde::{Deserialize, Serialize};

/// Types of linked variables; an enumeration is an integer to FMI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Integer,
    Boolean,
    Text,
}

/// One output to one input.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub from: usize,
    pub output: u32,
    pub to: usize,
    pub input: u32,
    pub kind: Type,
    /// Values, and what becomes of them; 0 and 1 are false and true. Empty: they stay.
    pub table: Vec<(i32, i32)>,
    /// What the input takes, where that is not every value.
    pub takes: Option<Values>,
}

/// Values an integer or enumeration may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Values {
    /// Of which variable, for messages.
    pub of: String,
    pub min: i32,
    pub max: i32,
    /// Values of an enumeration's items; empty: all between the two.
    pub items: Vec<i32>,
}

impl Values {
    fn contains(&self, value: i32) -> bool {
        (self.min..=self.max).contains(&value) && (self.items.is_empty() || self.items.contains(&value))
    }
}

impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.items.is_empty() {
            return write!(f, "`{}` takes {} to {}", self.of, self.min, self.max);
        }
        let items: Vec<String> = self.items.iter().map(i32::to_string).collect();
        write!(f, "`{}` takes {}", self.of, items.join(", "))
    }
}

/// A value of any of the types.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Held {
    Integer(i32),
    Boolean(bool),
    Text(String),
}

/// All links of a run.
pub(crate) struct Links {
    list: Vec<Link>,
    /// Positions of those that end at each unit, and of those that begin there.
    to: Vec<Vec<usize>>,
    from: Vec<Vec<usize>>,
}

savable! {
/// What the links of a run carry.
#[derive(PartialEq)]
pub(crate) struct LinksState {
    /// As the sources said after their last step.
    read: Vec<Held>,
    /// As everybody knows them.
    published: Vec<Held>,
}
}

/// Type of a variable that is not real.
pub(crate) fn discrete_type(v: &Variable) -> Option<Type> {
    use macrostep_description::Kind;
    match v.kind {
        Kind::Real(_) => None,
        Kind::Integer { .. } | Kind::Enumeration { .. } => Some(Type::Integer),
        Kind::Boolean => Some(Type::Boolean),
        Kind::String => Some(Type::Text),
    }
}

impl Link {
    /// The value in the table; it must be one that the input takes.
    fn look_up(&self, value: i32, from: &dyn Unit, t_s: Option<f64>) -> Result<i32, UnitError> {
        let found = match self.table.iter().find(|(source, _)| *source == value) {
            Some((_, target)) => Some(*target),
            None if self.table.is_empty() => Some(value),
            None => None,
        };
        let takes = |value: &i32| self.takes.as_ref().is_none_or(|takes| takes.contains(*value));
        // The value itself where there is no table, and one that the input takes.
        if let Some(value) = found.filter(takes) {
            return Ok(value);
        }
        // In initialisation a value may still change: nothing is refused yet.
        let Some(t_s) = t_s else { return Ok(value) };
        // What the input takes, or what the table has.
        let message = match (&self.takes, found) {
            (Some(takes), Some(found)) if found == value => takes.to_string(),
            (Some(takes), Some(found)) => format!("the table of its connection makes {found} of it, but {takes}"),
            _ => {
                let known: Vec<String> = self.table.iter().map(|(source, _)| source.to_string()).collect();
                format!("the table of its connection has {}", known.join(", "))
            }
        };
        // The output by its name, for the message.
        let reference = self.output;
        let d = from.description();
        let is_it = |v: &&Variable| v.value_reference == reference && discrete_type(v) == Some(self.kind);
        let name = d.variables.iter().find(is_it).map_or("", |v| v.name.as_str());
        Err(UnitError::from(Failure {
            unit: from.name().to_owned(),
            call: if self.kind == Type::Boolean { "fmi2GetBoolean" } else { "fmi2GetInteger" },
            status: format!("{value} of `{name}`"),
            t_s,
            message,
        }))
    }
}

impl Links {
    /// Those of `units` units.
    pub fn new(list: Vec<Link>, units: usize) -> Self {
        let (mut to, mut from) = (vec![Vec::new(); units], vec![Vec::new(); units]);
        for (i, link) in list.iter().enumerate() {
            to[link.to].push(i);
            from[link.from].push(i);
        }
        Links { list, to, from }
    }

    /// The state before the first value.
    pub fn state(&self) -> LinksState {
        let start = |link: &Link| match link.kind {
            Type::Integer => Held::Integer(0),
            Type::Boolean => Held::Boolean(false),
            Type::Text => Held::Text(String::new()),
        };
        let held: Vec<Held> = self.list.iter().map(start).collect();
        LinksState { read: held.clone(), published: held }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Gives a unit its inputs.
    pub fn supply(&self, state: &LinksState, unit: usize, to: &mut dyn Unit) -> Result<(), UnitError> {
        for &i in &self.to[unit] {
            let link = &self.list[i];
            match &state.published[i] {
                Held::Integer(i) => to.set_integer(&[link.input], &[*i])?,
                Held::Boolean(b) => to.set_boolean(&[link.input], &[*b])?,
                Held::Text(t) => to.set_string(&[link.input], &[t])?,
            }
        }
        Ok(())
    }

    /// Reads a unit's outputs after its step, at `t_s`; `None`: in initialisation, where a value may not be the last one.
    pub fn read(
        &self,
        state: &mut LinksState,
        unit: usize,
        from: &mut dyn Unit,
        t_s: Option<f64>,
    ) -> Result<(), UnitError> {
        // What is read is held here until the unit publishes.
        for &i in &self.from[unit] {
            let (link, held) = (&self.list[i], &mut state.read[i]);
            match link.kind {
                Type::Integer => {
                    let mut value = [0];
                    from.get_integer(&[link.output], &mut value)?;
                    *held = Held::Integer(link.look_up(value[0], from, t_s)?);
                }
                Type::Boolean => {
                    let mut value = [false];
                    from.get_boolean(&[link.output], &mut value)?;
                    *held = Held::Boolean(link.look_up(i32::from(value[0]), from, t_s)? != 0);
                }
                Type::Text => *held = Held::Text(from.get_string(&[link.output])?.pop().unwrap_or_default()),
            }
        }
        Ok(())
    }

    /// Publishes the values that were read from a unit.
    pub fn publish(&self, state: &mut LinksState, unit: usize) {
        for &i in &self.from[unit] {
            state.published[i].clone_from(&state.read[i]);
        }
    }
}
