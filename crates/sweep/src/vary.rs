//! The varied names and their values: `unit.k=lin:1:10:20`, `predict=hold,linear`, `step=log:1e-4:1e-2:5`.

use std::fmt;
use std::str::FromStr;

use macrostep_system::Scenario;
use macrostep_system::scenario::{Endpoint, Place, StepChoice, Value};
use macrostep_system::words::Control;

/// A value that changes from run to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The start value of a variable of a unit.
    Variable(Endpoint),
    /// A number or a word of the experiment or the method.
    Key(Key),
}

/// Keys of the experiment and the method that can be varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Key {
    /// Which system, by its file or name: it is chosen before anything is put into it.
    System,
    Step,
    Stop,
    SolverTolerance,
    CorrectorTolerance,
    Method,
    Schedule,
    Predict,
    Correct,
    Sampling,
    Derivative,
    GsVariant,
    Energy,
    Control,
    ControlTolerance,
}

/// All keys with the names they are typed with.
const KEYS: [(Key, &str); 15] = [
    (Key::System, "system"),
    (Key::Step, "step"),
    (Key::Stop, "stop"),
    (Key::SolverTolerance, "solver_tolerance"),
    (Key::CorrectorTolerance, "corrector_tolerance"),
    (Key::Method, "method"),
    (Key::Schedule, "schedule"),
    (Key::Predict, "predict"),
    (Key::Correct, "correct"),
    (Key::Sampling, "sampling"),
    (Key::Derivative, "derivative"),
    (Key::GsVariant, "gs_variant"),
    (Key::Energy, "energy"),
    (Key::Control, "control"),
    (Key::ControlTolerance, "control_tolerance"),
];

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains('.') {
            let endpoint = Endpoint::parse(text).ok_or_else(|| format!("`{text}`: expected UNIT.VARIABLE"))?;
            return Ok(Target::Variable(endpoint));
        }
        let key = text.replace('-', "_");
        let known = KEYS.iter().find(|(_, name)| *name == key);
        known.map(|(key, _)| Target::Key(*key)).ok_or_else(|| {
            let names: Vec<&str> = KEYS.iter().map(|(_, name)| *name).collect();
            format!("`{text}`: expected UNIT.VARIABLE or one of `{}`", names.join("`, `"))
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Variable(endpoint) => write!(f, "{endpoint}"),
            Target::Key(key) => f.write_str(key.name()),
        }
    }
}

impl Key {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        KEYS.iter().find(|(key, _)| *key == self).map_or("", |(_, name)| name)
    }

    /// Puts a value into a scenario.
    ///
    /// # Errors
    /// What is expected instead of this value.
    pub fn apply(self, s: &mut Scenario, value: &Value) -> Result<(), String> {
        // Times. A step that is varied is the longest one, too, and a tolerance that of all units.
        let (c, e) = (&mut s.coupling, &mut s.experiment);
        match self {
            Key::System => {}
            Key::Step => {
                (e.step_s, e.step_place) = (Some(positive(value)?), Place::option("--vary step"));
                c.control.step_max_s = None;
            }
            Key::Stop => (e.stop_s, e.stop_place) = (Some(positive(value)?), Place::option("--vary stop")),
            Key::SolverTolerance => {
                e.solver_tolerance = Some(positive(value)?);
                s.units.iter_mut().for_each(|unit| unit.solver_tolerance = None);
            }
            // The method, word by word. Another schedule has another order.
            Key::Method => c.take(word(value)?),
            Key::Schedule => {
                c.schedule = word(value)?;
                c.order.clear();
            }
            Key::Predict => c.predict = word(value)?,
            Key::Correct => c.correct = word(value)?,
            Key::CorrectorTolerance => c.corrector_tolerance = Some(positive(value)?),
            Key::Sampling => c.sampling = word(value)?,
            Key::Derivative => c.derivative = word(value)?,
            Key::GsVariant => c.gs_variant = word(value)?,
            Key::Energy => c.energy = word(value)?,
            // How steps are chosen.
            Key::Control => match word(value)? {
                Control::Fixed => c.control = StepChoice::default(),
                kind => c.control.kind = kind,
            },
            Key::ControlTolerance => c.control.tolerance = positive(value)?,
        }
        Ok(())
    }

    /// Whether a named method contains this.
    pub fn is_part_of_method(self) -> bool {
        matches!(self, Key::Schedule | Key::Predict | Key::Correct)
    }
}

/// A number as one, whatever its type.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Real(x) => Some(*x),
        Value::Integer(i) => Some(*i as f64),
        Value::Boolean(b) => Some(f64::from(u8::from(*b))),
        Value::Text(_) => None,
    }
}

fn positive(value: &Value) -> Result<f64, String> {
    number(value).filter(|x| x.is_finite() && *x > 0.0).ok_or_else(|| "expected a positive number".to_owned())
}

fn word<T: FromStr<Err = String>>(value: &Value) -> Result<T, String> {
    match value {
        Value::Text(text) => text.parse(),
        other => other.to_string().parse(),
    }
}

/// The values of one target.
#[derive(Debug, Clone, PartialEq)]
pub enum Levels {
    /// From `low` to `high`, evenly or by equal factors.
    Range {
        /// By equal factors.
        is_log: bool,
        /// Smallest value.
        low: f64,
        /// Largest value.
        high: f64,
        /// How many of them a grid has.
        count: Option<u64>,
        /// Whole numbers only.
        is_whole: bool,
    },
    /// One after the other.
    List(Vec<Value>),
}

impl Levels {
    /// Number of its values in a grid; `None` if not given.
    pub fn count(&self) -> Option<u64> {
        match self {
            Levels::Range { count, .. } => *count,
            Levels::List(values) => Some(values.len() as u64),
        }
    }

    /// The value at a place between 0 and 1, 1 left out.
    pub fn at(&self, u: f64) -> Value {
        match self {
            // Every whole number has its part: as long as the others, or the logarithm of it and the next one.
            Levels::Range { is_log: true, low, high, is_whole: true, .. } => {
                Value::Integer((low * ((high + 1.0) / low).powf(u)).floor().clamp(*low, *high) as i64)
            }
            Levels::Range { low, high, is_whole: true, .. } => {
                Value::Integer((low + (u * (high - low + 1.0)).floor()).min(*high) as i64)
            }
            Levels::Range { .. } => self.real(u),
            Levels::List(values) => {
                let i = ((u * values.len() as f64) as usize).min(values.len().saturating_sub(1));
                values.get(i).cloned().unwrap_or(Value::Real(f64::NAN))
            }
        }
    }

    /// Value `i` of a grid.
    pub fn level(&self, i: u64) -> Value {
        match self {
            Levels::Range { count: Some(n), high, is_whole: false, .. } if i + 1 == *n => Value::Real(*high),
            Levels::Range { count: Some(n), .. } => self.real(i as f64 / (n.max(&2) - 1) as f64),
            Levels::Range { .. } => self.real(0.0),
            Levels::List(values) => values.get(i as usize).cloned().unwrap_or(Value::Real(f64::NAN)),
        }
    }

    fn real(&self, u: f64) -> Value {
        match self {
            Levels::Range { is_log, low, high, is_whole, .. } => {
                let x = rounded(if *is_log { low * (high / low).powf(u) } else { low + (high - low) * u });
                if *is_whole && x.fract() == 0.0 { Value::Integer(x as i64) } else { Value::Real(x) }
            }
            Levels::List(_) => Value::Real(f64::NAN),
        }
    }

    /// Whether a range of whole numbers has whole numbers only, at its ends and at every level.
    pub fn are_whole(&self) -> bool {
        match self {
            Levels::Range { low, high, count, is_whole: true, .. } => {
                let is_whole = |i| matches!(self.level(i), Value::Integer(_));
                low.fract() == 0.0 && high.fract() == 0.0 && (0..count.unwrap_or(0)).all(is_whole)
            }
            _ => true,
        }
    }

    /// Where a value stands between 0 and 1; the middle of its part for one of a list, and for whole numbers by equal factors.
    pub fn place(&self, text: &str) -> Option<f64> {
        match self {
            Levels::Range { is_log: true, low, high, is_whole: true, .. } => {
                let x: f64 = text.parse().ok()?;
                Some(0.5 * (x * (x + 1.0) / (low * low)).ln() / ((high + 1.0) / low).ln())
            }
            Levels::Range { is_log, low, high, .. } => {
                let x: f64 = text.parse().ok()?;
                Some(if *is_log { (x / low).ln() / (high / low).ln() } else { (x - low) / (high - low) })
            }
            Levels::List(values) => {
                let i = values.iter().position(|value| cell(value) == text)?;
                Some((i as f64 + 0.5) / values.len() as f64)
            }
        }
    }

    /// The values that a check before the first run looks at: the ends of a range, all of a list.
    pub fn ends(&self) -> Vec<Value> {
        match self {
            Levels::Range { low, high, is_whole: true, .. } => {
                vec![Value::Integer(*low as i64), Value::Integer(*high as i64)]
            }
            Levels::Range { low, high, .. } => vec![Value::Real(*low), Value::Real(*high)],
            Levels::List(values) => values.clone(),
        }
    }
}

/// A target and its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Vary {
    /// What.
    pub target: Target,
    /// Over which values.
    pub levels: Levels,
}

/// `TARGET=lin:LOW:HIGH:N`, `TARGET=log:LOW:HIGH:N` or `TARGET=VALUE,VALUE,…`; a sampled design needs no N.
impl FromStr for Vary {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, values) = text
            .split_once('=')
            .ok_or_else(|| "expected NAME=lin:LOW:HIGH:N, NAME=log:LOW:HIGH:N or NAME=A,B,…".to_owned())?;
        let target: Target = name.trim().parse()?;
        let values = values.trim();
        let levels = match values.split_once(':') {
            Some(("lin", rest)) => range(rest, false)?,
            Some(("log", rest)) => range(rest, true)?,
            _ if values.is_empty() => return Err("no values after `=`, expected at least one".to_owned()),
            _ => Levels::List(values.split(',').map(|value| Value::typed(value.trim())).collect()),
        };
        if let Levels::List(values) = &levels {
            let is_bad = |v: &&Value| {
                matches!(v, Value::Real(x) if !x.is_finite()) || matches!(v, Value::Text(t) if t.is_empty())
            };
            if let Some(bad) = values.iter().find(is_bad) {
                return Err(format!("found the value {bad}, expected finite numbers or words"));
            }
        }
        Ok(Vary { target, levels })
    }
}

impl fmt::Display for Vary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=", self.target)?;
        match &self.levels {
            Levels::Range { is_log, low, high, count, .. } => {
                write!(f, "{}:{low:?}:{high:?}", if *is_log { "log" } else { "lin" })?;
                count.map_or(Ok(()), |n| write!(f, ":{n}"))
            }
            Levels::List(values) => {
                let cells: Vec<String> = values.iter().map(cell).collect();
                f.write_str(&cells.join(","))
            }
        }
    }
}

fn range(text: &str, is_log: bool) -> Result<Levels, String> {
    let expected = || format!("found `{text}`, expected LOW:HIGH or LOW:HIGH:N");
    let parts: Vec<&str> = text.split(':').collect();
    let (low, high, count) = match parts.as_slice() {
        [low, high] => (low, high, None),
        [low, high, n] => (low, high, Some(n.parse::<u64>().map_err(|_| expected())?)),
        _ => return Err(expected()),
    };
    let real = |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(expected);
    let (low, high) = (real(low)?, real(high)?);
    if low >= high {
        return Err(format!("the range from {low:?} to {high:?} is empty or reversed, expected LOW below HIGH"));
    }
    if is_log && low <= 0.0 {
        return Err(format!("`log` from {low:?}, expected a positive LOW"));
    }
    if count.is_some_and(|n| n < 2) {
        return Err(format!("{} values from {low:?} to {high:?}, expected at least 2", count.unwrap_or(0)));
    }
    Ok(Levels::Range { is_log, low, high, count, is_whole: false })
}

/// The number with few digits that rounding errors have moved: 1 for 0.9999999999999997. Others stay as they are.
fn rounded(x: f64) -> f64 {
    let few: f64 = format!("{x:.11e}").parse().unwrap_or(x);
    if (few - x).abs() <= 16.0 * f64::EPSILON * x.abs() { few } else { x }
}

/// A value as a field of a table: the shortest digits that read back to the same bits, and texts as they are.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Real(x) => digits(*x),
        other => other.to_string(),
    }
}

/// A number as a field of a table; nothing for one that is NaN.
pub fn digits(x: f64) -> String {
    let size = x.abs();
    match x {
        _ if x.is_nan() => String::new(),
        _ if size == 0.0 || !x.is_finite() || (1e-4..1e16).contains(&size) => format!("{x}"),
        _ => format!("{x:e}"),
    }
}

#[cfg(test)]
mod tests;
