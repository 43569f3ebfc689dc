//! Values of any type, out of a unit.

use macrostep_description::{Kind, Value, Variable};
use macrostep_master::unit::{Unit, UnitError};

/// Variables of any type that are read together.
#[derive(Debug, Default)]
pub struct Reading {
    reals: Group<f64>,
    integers: Group<i32>,
    booleans: Group<bool>,
    strings: Group<String>,
    /// The values, in the order of the variables.
    pub row: Vec<Value>,
    /// Those of the last row that was recorded.
    pub last: Vec<Value>,
}

/// Those of one type, and their places in the row.
#[derive(Debug, Default)]
struct Group<T> {
    refs: Vec<u32>,
    places: Vec<usize>,
    values: Vec<T>,
}

impl<T: Default> Group<T> {
    fn add(&mut self, reference: u32, place: usize) {
        self.refs.push(reference);
        self.places.push(place);
        self.values.push(T::default());
    }
}

impl Reading {
    /// Reads these variables, in this order.
    pub fn new(variables: &[&Variable]) -> Reading {
        let mut reading = Reading::default();
        for (place, v) in variables.iter().enumerate() {
            let reference = v.value_reference;
            match v.kind {
                Kind::Real(_) => reading.reals.add(reference, place),
                Kind::Integer { .. } | Kind::Enumeration { .. } => reading.integers.add(reference, place),
                Kind::Boolean => reading.booleans.add(reference, place),
                Kind::String => reading.strings.add(reference, place),
            }
            reading.row.push(Value::Integer(0));
        }
        reading
    }

    /// The first value that is no finite number.
    pub fn not_finite(&self) -> Option<usize> {
        self.row.iter().position(|v| v.as_real().is_some_and(|x| !x.is_finite()))
    }

    /// The values are those of a row.
    pub fn recorded(&mut self) {
        self.last.clone_from(&self.row);
    }

    /// Reads all of them now.
    ///
    /// # Errors
    /// Those of the unit.
    pub fn read(&mut self, unit: &mut dyn Unit) -> Result<(), UnitError> {
        let Reading { reals, integers, booleans, strings, row, .. } = self;
        if !reals.refs.is_empty() {
            unit.get_real(&reals.refs, &mut reals.values)?;
            reals.places.iter().zip(&reals.values).for_each(|(p, x)| row[*p] = Value::Real(*x));
        }
        if !integers.refs.is_empty() {
            unit.get_integer(&integers.refs, &mut integers.values)?;
            integers.places.iter().zip(&integers.values).for_each(|(p, i)| row[*p] = Value::Integer(*i));
        }
        if !booleans.refs.is_empty() {
            unit.get_boolean(&booleans.refs, &mut booleans.values)?;
            booleans.places.iter().zip(&booleans.values).for_each(|(p, b)| row[*p] = Value::Boolean(*b));
        }
        if !strings.refs.is_empty() {
            strings.values = unit.get_string(&strings.refs)?;
            strings.places.iter().zip(&strings.values).for_each(|(p, s)| row[*p] = Value::String(s.clone()));
        }
        Ok(())
    }
}
