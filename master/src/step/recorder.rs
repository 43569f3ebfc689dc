//! The *recorder* reads the recorded variables at common communication points of all units.
//!
//! A row is one list of numbers whatever the types are: integers and Booleans fit into a double exactly. Texts go beside
//! it, see [`crate::record::Observer::texts`].

use crate::record::{Column, ColumnKind, Observer};
use crate::step::compiled::CompiledPlan;
use crate::step::supply::Coupled;
use crate::step::unit_port::UnitPort;
use crate::system::link::{Type, type_of};
use crate::system::refresh::Refresh;
use crate::time::Tick;
use crate::unit::{Unit, UnitError};
use macrostep_description::{Causality, Dependencies, ModelDescription};
use std::collections::{HashMap, HashSet};

/// Variables of one type that are got by one call, and their places in the row.
#[derive(Default)]
struct Group<T> {
    refs: Vec<u32>,
    places: Vec<usize>,
    values: Vec<T>,
}

/// Recorded variables of one unit.
struct Reading {
    unit_port: usize,
    /// Places in the row of values that are sampled anyway, and their places among the unit's outputs.
    sampled: Vec<(usize, usize)>,
    reals: Group<f64>,
    integers: Group<i32>,
    booleans: Group<bool>,
    /// Places among the texts.
    texts: Group<()>,
    /// Whether nothing else is recorded.
    is_sampled_only: bool,
    /// Whether some are no real numbers.
    has_discrete: bool,
    /// Whether some follow an input at once, so that the inputs are set before they are read.
    follows_inputs: bool,
    /// Where each sampled output is, by its value reference.
    outputs: HashMap<u32, usize>,
    /// Variables that follow a connected input at once, where that is known to matter.
    followers: HashSet<usize>,
    /// Reals that follow an input at once and are brought to its value by directional derivatives; the values are what the
    /// inputs' change adds.
    responding: Group<f64>,
}

/// Reads rows.
pub(crate) struct Recorder {
    readings: Vec<Reading>,
    pub columns: Vec<Column>,
    pub row: Vec<f64>,
    /// Place in the row and text.
    pub texts: Vec<(usize, String)>,
}

impl Recorder {
    /// A recorder without variables.
    pub fn new() -> Self {
        Recorder { readings: Vec::new(), columns: Vec::new(), row: Vec::new(), texts: Vec::new() }
    }

    /// Adds a variable of a unit under the column name `name`; the caller has checked that it exists.
    pub fn add(&mut self, unit_ports: &[UnitPort], unit_port: usize, variable: usize, name: String) {
        let s = &unit_ports[unit_port];
        let v = &s.unit.description().variables[variable];
        let place = self.row.len();
        // Variables mostly come unit by unit.
        let known = self.readings.iter().rposition(|r| r.unit_port == unit_port);
        let known = known.unwrap_or_else(|| {
            self.readings.push(Reading::of(unit_port, s));
            self.readings.len() - 1
        });
        let reading = &mut self.readings[known];
        // The column, and its place in the row; a text is NaN there and goes beside it.
        let kind = match type_of(v) {
            Type::Real => ColumnKind::Real,
            Type::Integer => ColumnKind::Integer,
            Type::Boolean => ColumnKind::Boolean,
            Type::Text => ColumnKind::Text,
        };
        self.columns.push(match kind {
            ColumnKind::Real => Column::new(name, if v.unit().is_empty() { "1" } else { v.unit() }),
            kind => Column::discrete(name, kind),
        });
        self.row.push(if kind == ColumnKind::Text { f64::NAN } else { 0.0 });
        // A call of its own for each type; outputs that are sampled anyway need none.
        let reference = v.value_reference;
        match kind {
            ColumnKind::Real => {
                if let Some(&output) = reading.outputs.get(&reference) {
                    reading.sampled.push((place, output));
                    return;
                }
                reading.reals.add(reference, place, 0.0);
            }
            ColumnKind::Integer => reading.integers.add(reference, place, 0),
            ColumnKind::Boolean => reading.booleans.add(reference, place, false),
            ColumnKind::Text => {
                reading.texts.add(reference, self.texts.len(), ());
                self.texts.push((place, String::new()));
            }
        }
        // What follows inputs at once needs those of now: set before it is read, or by directional derivatives.
        reading.is_sampled_only = false;
        reading.has_discrete |= kind != ColumnKind::Real;
        let follows = reading.followers.contains(&variable);
        reading.follows_inputs |= follows && s.outputs.refresh == Refresh::GetAfterSet;
        if follows && kind == ColumnKind::Real && s.outputs.refresh == Refresh::Directional {
            reading.responding.add(reference, place, 0.0);
        }
    }

    /// Reads the row at `at`, when every unit is there; with a compiled plan under way, it has the newest values.
    #[inline]
    pub fn read(
        &mut self,
        coupled: &mut Coupled<'_>,
        at: Tick,
        mut compiled: Option<&mut CompiledPlan>,
    ) -> Result<(), UnitError> {
        let Coupled { unit_ports, states, supply } = coupled;
        for r in &mut self.readings {
            let (unit_port, state) = (&mut unit_ports[r.unit_port], &mut states[r.unit_port]);
            // What is sampled anyway.
            match compiled.as_deref() {
                Some(compiled) => {
                    let (outputs, row) = (compiled.outputs(r.unit_port), self.row.as_mut_slice());
                    r.sampled.iter().for_each(|&(place, output)| row[place] = outputs[output]);
                }
                None => {
                    for &(place, output) in &r.sampled {
                        self.row[place] = unit_port.sampled(state, supply, output, at);
                    }
                }
            }
            if r.is_sampled_only {
                continue;
            }
            // What follows inputs at once is read with those of now.
            if r.follows_inputs || !r.responding.refs.is_empty() {
                match compiled.as_deref_mut() {
                    Some(compiled) => compiled.feed(r.unit_port, supply, &mut unit_port.inputs.values),
                    None => unit_port.feed_now(supply, at),
                }
            }
            // Reals in one call; where inputs cannot be set in between, the effect of their change is added.
            if r.follows_inputs {
                unit_port.show_known(state)?;
            }
            if !r.reals.refs.is_empty() {
                unit_port.unit.get_real(&r.reals.refs, &mut r.reals.values)?;
                r.reals.write(&mut self.row);
            }
            if !r.responding.refs.is_empty() {
                unit_port.respond(state, &r.responding.refs, &mut r.responding.values)?;
                for (&place, &added) in r.responding.places.iter().zip(&r.responding.values) {
                    self.row[place] += added;
                }
            }
            if r.has_discrete {
                r.read_discrete(unit_port.unit.as_mut(), &mut self.row, &mut self.texts)?;
            }
        }
        Ok(())
    }

    /// Hands out the row that was read.
    #[inline]
    pub fn tell(&self, t_s: f64, observer: &mut dyn Observer) {
        if !self.texts.is_empty() {
            observer.texts(&self.texts);
        }
        observer.row(t_s, &self.row);
    }
}

impl<T: Copy> Group<T> {
    fn add(&mut self, reference: u32, place: usize, value: T) {
        self.refs.push(reference);
        self.places.push(place);
        self.values.push(value);
    }

    fn write(&self, row: &mut [f64])
    where
        f64: From<T>,
    {
        for (&place, &value) in self.places.iter().zip(&self.values) {
            row[place] = value.into();
        }
    }
}

impl Reading {
    fn of(unit_port: usize, s: &UnitPort) -> Self {
        let followers = match s.outputs.refresh {
            Refresh::Reported => HashSet::new(),
            Refresh::GetAfterSet | Refresh::Directional => followers(s.unit.description(), &s.inputs.refs),
        };
        Reading {
            unit_port,
            sampled: Vec::new(),
            reals: Group::default(),
            integers: Group::default(),
            booleans: Group::default(),
            texts: Group::default(),
            is_sampled_only: true,
            has_discrete: false,
            follows_inputs: false,
            outputs: s.outputs.refs.iter().enumerate().rev().map(|(i, r)| (*r, i)).collect(),
            followers,
            responding: Group::default(),
        }
    }

    /// Everything that is no real number.
    fn read_discrete(
        &mut self,
        unit: &mut dyn Unit,
        row: &mut [f64],
        texts: &mut [(usize, String)],
    ) -> Result<(), UnitError> {
        if !self.integers.refs.is_empty() {
            unit.get_integer(&self.integers.refs, &mut self.integers.values)?;
            self.integers.write(row);
        }
        if !self.booleans.refs.is_empty() {
            unit.get_boolean(&self.booleans.refs, &mut self.booleans.values)?;
            self.booleans.write(row);
        }
        if !self.texts.refs.is_empty() {
            let found = unit.get_string(&self.texts.refs)?;
            for (&place, text) in self.texts.places.iter().zip(found) {
                texts[place].1 = text;
            }
        }
        Ok(())
    }
}

/// Outputs that depend directly on one of the connected inputs.
fn followers(description: &ModelDescription, inputs: &[u32]) -> HashSet<usize> {
    let inputs: HashSet<u32> = inputs.iter().copied().collect();
    let connected = |i: usize| {
        description
            .variables
            .get(i)
            .is_some_and(|v| v.causality == Causality::Input && inputs.contains(&v.value_reference))
    };
    let follows = |dependencies: &Dependencies| match dependencies {
        Dependencies::All => !inputs.is_empty(),
        Dependencies::Known(known) => known.iter().any(|(i, _)| connected(*i)),
    };
    description.structure.outputs.iter().filter(|o| follows(&o.dependencies)).map(|o| o.index).collect()
}
