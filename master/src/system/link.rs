//! *Links*: connections between variables of which one at least is not real. They are sampled when their unit publishes and held
//! by the receiver until its next step; no predictor, law or corrector sees them. What becomes of a value on the way is a
//! [`Passage`].

use crate::savable::savable;
use crate::unit::{Failure, Unit, UnitError};
use macrostep_description::{Kind, ModelDescription, Variable};
use serde::{Deserialize, Serialize};

/// Types of linked variables; an enumeration is an integer to FMI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Real,
    Integer,
    Boolean,
    Text,
}

/// What becomes of a value x: first the table's value for it, then `factor · x + offset`, then the nearest whole number where it is
/// rounded, halves away from zero. False and true are 0 and 1 on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Values of an output that is not real, and what becomes of each; empty: they stay.
    pub table: Vec<(i32, f64)>,
    /// Dimensionless.
    pub factor: f64,
    /// In the unit of the input.
    pub offset: f64,
    /// Whether a number becomes the nearest whole number.
    pub rounds: bool,
}

impl Default for Passage {
    /// Values stay.
    fn default() -> Self {
        Passage { table: Vec::new(), factor: 1.0, offset: 0.0, rounds: false }
    }
}

impl Passage {
    /// What becomes of `x`; `None` where the table has no line for it.
    pub fn value(&self, x: f64) -> Option<f64> {
        let x = match self.table.iter().find(|(source, _)| f64::from(*source) == x) {
            Some((_, target)) => *target,
            None if self.table.is_empty() => x,
            None => return None,
        };
        // A number that only passes keeps its bits, the sign of a zero too.
        let y = if self.factor == 1.0 && self.offset == 0.0 { x } else { self.factor * x + self.offset };
        Some(if self.rounds { y.round() } else { y })
    }
}

/// One output to one input.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub from: usize,
    pub output: u32,
    pub kind: Type,
    pub to: usize,
    pub input: u32,
    /// Of the input.
    pub wanted: Type,
    pub passage: Passage,
    /// What the input takes.
    pub takes: Values,
}

/// Values an input may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Values {
    /// Of which variable, for messages.
    pub of: String,
    pub min: i32,
    pub max: i32,
    /// Values of an enumeration's items; empty: all between the two.
    pub items: Vec<i32>,
}

/// A variable with its description.
type End<'a> = (&'a ModelDescription, Option<&'a Variable>);

impl Values {
    /// What the input `of` takes: an enumeration its items; an integer its range, unless it gets integers as they are.
    pub fn of(of: String, [from, to]: [End<'_>; 2], passage: &Passage) -> Values {
        let every = |of| Values { of, min: i32::MIN, max: i32::MAX, items: Vec::new() };
        let (Some(source), Some(v)) = (from.1, to.1) else { return every(of) };
        let is_plain = *passage == Passage::default();
        let (min, max, items) = match (&source.kind, &v.kind) {
            (_, Kind::Enumeration { min, max, items }) => (min, max, items.as_slice()),
            (Kind::Integer { .. }, Kind::Integer { .. }) if is_plain => return every(of),
            (_, Kind::Integer { min, max }) => (min, max, [].as_slice()),
            _ => return every(of),
        };
        let of_type = to.0.types.iter().filter(|t| v.declared_type.as_deref() == Some(t.name.as_str()));
        let of_type = of_type.filter_map(|t| match &t.kind {
            Kind::Enumeration { items, .. } => Some(items.as_slice()),
            _ => None,
        });
        let items: Vec<i32> = of_type.chain([items]).flatten().map(|item| item.value).collect();
        Values { of, min: min.unwrap_or(i32::MIN), max: max.unwrap_or(i32::MAX), items }
    }

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
    Real(f64),
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

/// Type of a variable.
pub(crate) fn type_of(v: &Variable) -> Type {
    match v.kind {
        Kind::Real(_) => Type::Real,
        Kind::Integer { .. } | Kind::Enumeration { .. } => Type::Integer,
        Kind::Boolean => Type::Boolean,
        Kind::String => Type::Text,
    }
}

impl Link {
    /// What the input is given for a value of the output at `t_s`; it must be one that the input takes.
    fn carried(&self, x: f64, from: &dyn Unit, t_s: Option<f64>) -> Result<Held, UnitError> {
        let found = self.passage.value(x);
        // A value of the input's type, in its range.
        let held = found.and_then(|y| match self.wanted {
            Type::Real => Some(Held::Real(y)),
            Type::Integer => whole(y).filter(|i| self.takes.contains(*i)).map(Held::Integer),
            Type::Boolean if y == 0.0 || y == 1.0 => Some(Held::Boolean(y == 1.0)),
            Type::Boolean | Type::Text => None,
        });
        if let Some(held) = held {
            return Ok(held);
        }
        // In initialisation a value may still change: nothing is refused yet.
        if t_s.is_none() {
            return Ok(match self.wanted {
                Type::Real => Held::Real(x),
                Type::Integer => Held::Integer(x as i32),
                Type::Boolean | Type::Text => Held::Boolean(x != 0.0),
            });
        }
        Err(self.refused((x, found), from, t_s.unwrap_or(f64::NAN)))
    }

    /// A value `x`, and what became of it, that the input does not take at `t_s`.
    fn refused(&self, (x, found): (f64, Option<f64>), from: &dyn Unit, t_s: f64) -> UnitError {
        let of = &self.takes.of;
        let takes = match self.wanted {
            Type::Boolean => format!("`{of}` takes 0 and 1 for false and true"),
            Type::Integer if found.is_some_and(|y| whole(y).is_none()) => {
                format!("`{of}` takes whole numbers of 32 bits")
            }
            _ => self.takes.to_string(),
        };
        // What the input takes, or what the table has.
        let message = match found {
            Some(y) if y == x => takes,
            Some(y) if !self.passage.table.is_empty() => {
                format!("the table of its connection makes {y} of it, but {takes}")
            }
            Some(y) => format!("its connection makes {y} of it, but {takes}"),
            None => {
                let known: Vec<String> = self.passage.table.iter().map(|(source, _)| source.to_string()).collect();
                format!("the table of its connection has {}", known.join(", "))
            }
        };
        // The output by its name, for the message.
        let reference = self.output;
        let d = from.description();
        let is_it = |v: &&Variable| v.value_reference == reference && type_of(v) == self.kind;
        let name = d.variables.iter().find(is_it).map_or("", |v| v.name.as_str());
        let call = match (self.kind, d.fmi3.is_some()) {
            (Type::Real, false) => "fmi2GetReal",
            (Type::Boolean, false) => "fmi2GetBoolean",
            (Type::Integer | Type::Text, false) => "fmi2GetInteger",
            (Type::Real, true) => "fmi3GetFloat64",
            (Type::Boolean, true) => "fmi3GetBoolean",
            (Type::Integer | Type::Text, true) => "fmi3GetInt64",
        };
        let status = format!("{x} of `{name}`");
        UnitError::from(Failure { unit: from.name().to_owned(), call, status, t_s, message })
    }
}

/// A number as an integer, where it is one of 32 bits.
fn whole(y: f64) -> Option<i32> {
    let i = y as i32;
    (f64::from(i) == y).then_some(i)
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
        let start = |link: &Link| match link.wanted {
            Type::Real => Held::Real(0.0),
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
                Held::Real(x) => to.set_real(&[link.input], &[*x])?,
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
                    *held = link.carried(value[0].into(), from, t_s)?;
                }
                Type::Boolean => {
                    let mut value = [false];
                    from.get_boolean(&[link.output], &mut value)?;
                    *held = link.carried(value[0].into(), from, t_s)?;
                }
                Type::Real => {
                    let mut value = [0.0];
                    from.get_real(&[link.output], &mut value)?;
                    *held = link.carried(value[0], from, t_s)?;
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
