//! Arrays, divided into their elements (FMI 3.0.2, sections 2.2.7.1 and 2.4.7.2).

use std::collections::{HashMap, HashSet};

use super::super::ReadError;
use super::super::finding::{Warnings, quoted, refuse};
use super::variables::{Dimension, Raw};
use crate::{Kind, Native, Place, Value, Variable};

/// Elements of all arrays of a file, at most.
const ELEMENTS_MAX: usize = 100_000;

/// Bytes of the texts of all elements, at most.
const TEXTS_MAX: usize = 64 << 20;

/// All variables, those of arrays element by element.
#[derive(Default)]
pub(super) struct Elements {
    pub(super) variables: Vec<Variable>,
    pub(super) places: Vec<Place>,
    /// Line of each of them.
    pub(super) lines: Vec<u32>,
    /// Positions of the elements of each variable of the file, by its value reference.
    pub(super) of: HashMap<u32, std::ops::Range<usize>>,
    /// Positions of those that say `relativeQuantity="false"`, and of those that say `unbounded="false"`.
    pub(super) absolute: Vec<usize>,
    pub(super) bounded: Vec<usize>,
}

/// The numbers that elements of arrays get as references: none that a variable of the file has.
struct Free {
    used: HashSet<u32>,
    next: u32,
}

impl Free {
    fn take(&mut self) -> u32 {
        while self.used.contains(&self.next) {
            self.next -= 1;
        }
        let taken = self.next;
        self.next = self.next.saturating_sub(1);
        taken
    }
}

impl Elements {
    /// Those of the variables of a file.
    pub(super) fn of(raw: Vec<Raw>, warnings: &mut Warnings) -> Result<Elements, ReadError> {
        // References and names are unique.
        let (mut first, mut names) = (HashMap::with_capacity(raw.len()), HashMap::new());
        for (at, v) in raw.iter().enumerate() {
            if let Some(before) = first.insert(v.variable.value_reference, at) {
                let found = format!(
                    "value reference {} again (first in line {})",
                    v.variable.value_reference, raw[before].line
                );
                return refuse(v.line, found, "one of its own: other names of a variable are `Alias` elements in it");
            }
        }
        let counts = counts(&raw, &first)?;
        let dimensions: HashSet<u32> = raw.iter().flat_map(|v| &v.dimensions).filter_map(reference).collect();
        let mut free = Free { used: first.keys().copied().collect(), next: u32::MAX };
        let mut all = Elements::default();
        for (v, lengths) in raw.iter().zip(&counts) {
            all.add(v, lengths, dimensions.contains(&v.variable.value_reference), &mut free)?;
        }
        for (v, line) in all.variables.iter().zip(&all.lines) {
            if let Some(before) = names.insert(v.name.as_str(), *line) {
                let found = format!("variable {} again (first in line {before})", quoted(&v.name));
                return refuse(*line, found, "unique names");
            }
        }
        all.derivatives(&raw, warnings)?;
        Ok(all)
    }

    /// The elements of one variable, then those of its aliases.
    fn add(&mut self, raw: &Raw, lengths: &[usize], is_dimension: bool, free: &mut Free) -> Result<(), ReadError> {
        let is_array = !raw.dimensions.is_empty();
        let count: usize = lengths.iter().product();
        let v = &raw.variable;
        let starts = starts(raw, count)?;
        let from = self.variables.len();
        let indices = |element| if is_array { indexed(element, lengths) } else { String::new() };
        for element in 0..count {
            let start = starts.as_ref().map(|list| list.get(element).unwrap_or(&list[0]));
            let (start, is_wide) = match start {
                Some(text) => self::start(raw, text)?,
                None => (None, false),
            };
            let value_reference = if is_array { free.take() } else { v.value_reference };
            let at = self.variables.len();
            self.absolute.extend(raw.denied[0].then_some(at));
            self.bounded.extend(raw.denied[1].then_some(at));
            self.variables.push(Variable {
                name: format!("{}{}", v.name, indices(element)),
                value_reference,
                start,
                ..v.clone()
            });
            self.lines.push(raw.line);
            self.places.push(Place {
                reference: v.value_reference,
                native: raw.native,
                element: element as u32,
                count: is_array.then_some(count as u32),
                is_intermediate: raw.is_intermediate,
                is_structural: raw.is_structural,
                is_alias: false,
                is_dimension,
                is_wide,
            });
        }
        self.of.insert(v.value_reference, from..self.variables.len());
        // Other names are local variables: what is connected has one.
        for alias in &raw.aliases {
            for element in 0..count {
                let mut other = self.variables[from + element].clone();
                other.name = format!("{}{}", alias.name, indices(element));
                other.description.clone_from(&alias.description);
                (other.causality, other.start) = (crate::Causality::Local, None);
                other.initial = crate::rules::default_initial(other.causality, other.variability);
                if let (Kind::Real(a), Some(unit)) = (&mut other.kind, &alias.display_unit) {
                    a.display_unit = Some(unit.clone());
                }
                let place = Place { is_alias: true, ..self.places[from + element] };
                self.variables.push(other);
                self.places.push(place);
                self.lines.push(alias.line);
            }
        }
        Ok(())
    }

    /// Derivatives name the variables that they are derivatives of, element by element.
    fn derivatives(&mut self, raw: &[Raw], warnings: &mut Warnings) -> Result<(), ReadError> {
        for v in raw {
            let Some(state) = v.derivative else { continue };
            let Some(states) = self.of.get(&state).cloned() else {
                let found = format!("derivative of {}: value reference {state}", quoted(&v.variable.name));
                return refuse(v.line, found, "the value reference of a variable");
            };
            let own = self.of[&v.variable.value_reference].clone();
            if own.len() != states.len() {
                let found = || format!("{} derivatives of {} states", own.len(), states.len());
                warnings.push(v.line, found, "as many elements");
                continue;
            }
            for (at, state) in own.zip(states) {
                if let Kind::Real(a) = &mut self.variables[at].kind {
                    a.derivative = Some(state);
                }
            }
        }
        Ok(())
    }
}

fn reference(dimension: &Dimension) -> Option<u32> {
    match dimension {
        Dimension::Of(reference) => Some(*reference),
        Dimension::Fixed(_) => None,
    }
}

/// The lengths of each variable's dimensions; all elements together are bounded, and so is their text.
fn counts(raw: &[Raw], first: &HashMap<u32, usize>) -> Result<Vec<Vec<usize>>, ReadError> {
    let (mut counts, mut elements, mut texts) = (Vec::with_capacity(raw.len()), 0_usize, 0_usize);
    for v in raw {
        let mut lengths = Vec::with_capacity(v.dimensions.len());
        let mut count = Some(1_usize);
        for dimension in &v.dimensions {
            let length = match dimension {
                Dimension::Fixed(length) => *length,
                Dimension::Of(reference) => length_of(raw, first, v, *reference)?,
            };
            let length = usize::try_from(length).ok();
            count = count.zip(length).and_then(|(count, length)| count.checked_mul(length));
            lengths.push(length.unwrap_or(usize::MAX));
        }
        if !v.dimensions.is_empty() {
            let count = count.and_then(|count| count.checked_mul(1 + v.aliases.len()));
            let bytes = count.and_then(|count| count.checked_mul(length_of_texts(v)));
            let (all, bytes) = (count.and_then(|n| elements.checked_add(n)), bytes.and_then(|n| texts.checked_add(n)));
            let (Some(all), Some(bytes)) = (all.filter(|n| *n <= ELEMENTS_MAX), bytes.filter(|n| *n <= TEXTS_MAX))
            else {
                let found = format!(
                    "array {}, with which there are more than {ELEMENTS_MAX} elements",
                    quoted(&v.variable.name)
                );
                return refuse(
                    v.line,
                    found,
                    format!("at most {ELEMENTS_MAX} elements of all arrays, and {TEXTS_MAX} bytes of text"),
                );
            };
            (elements, texts) = (all, bytes);
        }
        counts.push(lengths);
    }
    Ok(counts)
}

/// Bytes of what each element of an array has a copy of.
fn length_of_texts(raw: &Raw) -> usize {
    let v = &raw.variable;
    let of_unit = v.real().into_iter().flat_map(|a| [&a.quantity, &a.unit, &a.display_unit]);
    let texts = of_unit.chain([&v.description, &v.declared_type]);
    let aliases: usize = raw.aliases.iter().map(|a| a.name.len() + a.description.as_ref().map_or(0, String::len)).sum();
    v.name.len() + aliases + texts.flatten().map(String::len).sum::<usize>()
}

/// The start value of a structural parameter.
fn length_of(raw: &[Raw], first: &HashMap<u32, usize>, array: &Raw, reference: u32) -> Result<u64, ReadError> {
    let found = || format!("a dimension of {} by value reference {reference}", quoted(&array.variable.name));
    let parameter = first.get(&reference).map(|at| &raw[*at]);
    let parameter = parameter
        .filter(|p| p.native == Native::UInt64 && p.dimensions.is_empty() && (p.is_structural || is_constant(p)));
    let Some(parameter) = parameter else {
        return refuse(array.line, found(), "that of a structural parameter, a UInt64 that is no array");
    };
    let start = parameter.start.as_ref().and_then(|list| list.first()?.parse().ok());
    start.map_or_else(
        || refuse(parameter.line, format!("{} without a start value", quoted(&parameter.variable.name)), "a number"),
        Ok,
    )
}

fn is_constant(raw: &Raw) -> bool {
    raw.variable.variability == crate::Variability::Constant
}

/// `[2,1]` of an element that is counted from 0 row by row.
fn indexed(element: usize, lengths: &[usize]) -> String {
    let mut rest = element;
    let mut indices: Vec<String> = Vec::with_capacity(lengths.len());
    for length in lengths.iter().rev() {
        indices.push((rest % length + 1).to_string());
        rest /= length;
    }
    indices.reverse();
    format!("[{}]", indices.join(","))
}

/// Start values: as many as elements, or one for all of them.
fn starts(raw: &Raw, count: usize) -> Result<Option<&Vec<String>>, ReadError> {
    let Some(list) = &raw.start else { return Ok(None) };
    if list.len() == count || list.len() == 1 {
        return Ok(Some(list));
    }
    let found = format!("{} start values of {}", list.len(), quoted(&raw.variable.name));
    refuse(raw.line, found, format!("{count}, one for each element, or one for all"))
}

/// A start value by its text; whether it is a number that has no room in 32 bits.
fn start(raw: &Raw, text: &str) -> Result<(Option<Value>, bool), ReadError> {
    let wrong = || {
        let found = format!("start=`{}` of {}", crate::shown::text(text), quoted(&raw.variable.name));
        refuse(raw.line, found, format!("a value of type {}", raw.native.name()))
    };
    Ok((
        Some(match raw.native {
            Native::Float32 | Native::Float64 => match text.parse() {
                Ok(number) => Value::Real(number),
                Err(_) => return wrong(),
            },
            Native::Boolean => match text.trim() {
                "true" | "1" => Value::Boolean(true),
                "false" | "0" => Value::Boolean(false),
                _ => return wrong(),
            },
            Native::String => Value::String(text.to_owned()),
            Native::Binary => {
                let digits: String = text.split_ascii_whitespace().collect();
                if !digits.len().is_multiple_of(2) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return wrong();
                }
                Value::String(digits.to_ascii_lowercase())
            }
            native => {
                let number: Option<i128> = text.parse().ok();
                match number.zip(native.range()) {
                    Some((number, (least, greatest))) if (least..=greatest).contains(&number) => {
                        match i32::try_from(number) {
                            Ok(number) => Value::Integer(number),
                            Err(_) => return Ok((None, true)),
                        }
                    }
                    _ => return wrong(),
                }
            }
        }),
        false,
    ))
}
