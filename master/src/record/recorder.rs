//! The *recorder* reads the variables a run is to leave behind, at communication points where all units meet.

use super::Column;
use crate::feed::Supply;
use crate::station::{Refresh, Station};
use crate::time::Tick;
use crate::unit::UnitError;
use macrostep_description::{Causality, ModelDescription};

/// Takes rows as they come.
pub trait Observer {
    /// One row: time \[s\] and the values of the recorded variables.
    fn row(&mut self, t_s: f64, values: &[f64]);
}

impl Observer for super::Trace {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        self.push(t_s, values);
    }
}

/// For runs of which only the end is wanted.
impl Observer for () {
    fn row(&mut self, _: f64, _: &[f64]) {}
}

/// Recorded variables of one unit.
struct Reading {
    station: usize,
    /// Places in the row of values that are sampled anyway, and their places among the unit's outputs.
    sampled: Vec<(usize, usize)>,
    /// Value references of the others and their places in the row.
    refs: Vec<u32>,
    places: Vec<usize>,
    values: Vec<f64>,
    /// Whether some follow an input at once, so that the inputs are set before they are read.
    follows_inputs: bool,
    /// Those that follow an input at once and are brought to its value by directional derivatives: value references, places in
    /// the row, and room for what the inputs' change adds.
    responding: Vec<u32>,
    responding_places: Vec<usize>,
    added: Vec<f64>,
}

/// Reads rows.
pub(crate) struct Recorder {
    readings: Vec<Reading>,
    pub columns: Vec<Column>,
    pub row: Vec<f64>,
}

impl Recorder {
    /// Records nothing yet.
    pub fn new() -> Self {
        Recorder { readings: Vec::new(), columns: Vec::new(), row: Vec::new() }
    }

    /// Adds a real variable of a unit under the column name `name`; the caller has checked that it exists.
    pub fn add(&mut self, stations: &[Station], station: usize, variable: usize, name: String) {
        let s = &stations[station];
        let description = s.unit.description();
        let v = &description.variables[variable];
        let place = self.row.len();
        let unit = if v.unit().is_empty() { "1" } else { v.unit() };
        self.columns.push(Column::new(name, unit));
        self.row.push(0.0);
        let reading = match self.readings.iter_mut().find(|r| r.station == station) {
            Some(r) => r,
            None => {
                self.readings.push(Reading::of(station));
                let last = self.readings.len() - 1;
                &mut self.readings[last]
            }
        };
        if let Some(output) = s.outputs.refs.iter().position(|r| *r == v.value_reference) {
            reading.sampled.push((place, output));
            return;
        }
        reading.refs.push(v.value_reference);
        reading.places.push(place);
        reading.values.push(0.0);
        if !follows(description, variable, &s.inputs.refs) {
            return;
        }
        match s.outputs.refresh {
            Refresh::GetAfterSet => reading.follows_inputs = true,
            Refresh::Directional => {
                reading.responding.push(v.value_reference);
                reading.responding_places.push(place);
                reading.added.push(0.0);
            }
            Refresh::Reported => {}
        }
    }

    /// Reads the row at `at`, when every unit is there.
    #[inline]
    pub fn read(&mut self, stations: &mut [Station], supply: &mut Supply, at: Tick) -> Result<(), UnitError> {
        for r in &mut self.readings {
            let station = &mut stations[r.station];
            for &(place, output) in &r.sampled {
                self.row[place] = station.sampled(supply, output, at);
            }
            if r.refs.is_empty() {
                continue;
            }
            if r.follows_inputs {
                station.show_inputs(supply, at)?;
            }
            station.unit.get_real(&r.refs, &mut r.values)?;
            for (&place, &value) in r.places.iter().zip(&r.values) {
                self.row[place] = value;
            }
            if !r.responding.is_empty() {
                station.respond(supply, at, &r.responding, &mut r.added)?;
                for (&place, &added) in r.responding_places.iter().zip(&r.added) {
                    self.row[place] += added;
                }
            }
        }
        Ok(())
    }
}

impl Reading {
    fn of(station: usize) -> Self {
        Reading {
            station,
            sampled: Vec::new(),
            refs: Vec::new(),
            places: Vec::new(),
            values: Vec::new(),
            follows_inputs: false,
            responding: Vec::new(),
            responding_places: Vec::new(),
            added: Vec::new(),
        }
    }
}

/// Whether an output depends directly on one of the connected inputs.
fn follows(description: &ModelDescription, variable: usize, inputs: &[u32]) -> bool {
    use macrostep_description::Dependencies;
    let Some(output) = description.structure.outputs.iter().find(|o| o.index == variable) else { return false };
    let connected = |i: usize| {
        description
            .variables
            .get(i)
            .is_some_and(|v| v.causality == Causality::Input && inputs.contains(&v.value_reference))
    };
    match &output.dependencies {
        Dependencies::All => !inputs.is_empty(),
        Dependencies::Known(known) => known.iter().any(|(i, _)| connected(*i)),
    }
}
