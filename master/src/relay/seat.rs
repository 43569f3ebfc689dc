//! Units that a window only visits: inputs set to held values, a step, outputs read.
//!
//! What a visit needs of the unit's place in the run lies side by side here, in the order of the visits: of many units, the cache
//! lines that are touched are what a step costs.

use super::port::Port;
use crate::station::{Refresh, Station, StationState};
use crate::unit::{Outcome, UnitError};
use std::ops::Range;

/// A unit, how long its lists in [`Seats`] are, and where its outputs go on the board.
#[derive(Debug, Clone, Copy)]
struct Seat {
    unit: u32,
    inputs: u32,
    outputs: u32,
    first: u32,
}

/// Units that are visited one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Visits {
    seats: Range<usize>,
    /// Where the lists of the first one begin.
    words: usize,
}

/// Seats in the order of the visits, with their lists.
#[derive(Debug, Default)]
pub(super) struct Seats {
    seats: Vec<Seat>,
    /// Of each seat: value references of inputs, places on the board that they are copies of, value references of outputs.
    words: Vec<u32>,
    /// Room for the inputs of a unit.
    values: Vec<f64>,
    /// Up to which seat units have been stepped by the last visits.
    stepped: usize,
}

impl Visits {
    /// Visits of nobody yet, at the end of the seats there are.
    pub fn after(seats: &Seats) -> Self {
        let n = seats.seats.len();
        Visits { seats: n..n, words: seats.words.len() }
    }

    /// The seat that was added last is visited too.
    pub fn extend(&mut self, seats: &Seats) {
        self.seats.end = seats.seats.len();
    }
}

impl Seats {
    /// Adds a seat for a unit, where a visit is all it needs; whether it is.
    pub fn add(&mut self, unit: usize, station: &Station, port: &Port) -> bool {
        let y = &station.outputs;
        let is_full = y.refresh_refs.is_empty() || y.refresh == Refresh::Reported;
        if !is_full || y.refresh == Refresh::Directional || !port.copies() {
            return false;
        }
        // Each input is the copy of one place.
        let mut wires: Vec<(usize, usize)> = port.copied().collect();
        wires.sort_by_key(|&(_, to)| to);
        let n = station.inputs.refs.len();
        if !wires.iter().map(|&(_, to)| to).eq(0..n) {
            return false;
        }
        // More places than these a board of one process does not have.
        let [unit, inputs, outputs, first] = [unit, n, y.refs.len(), port.first].map(u32::try_from);
        let (Ok(unit), Ok(inputs), Ok(outputs), Ok(first)) = (unit, inputs, outputs, first) else { return false };
        self.seats.push(Seat { unit, inputs, outputs, first });
        self.words.extend(&station.inputs.refs);
        self.words.extend(wires.iter().map(|&(from, _)| from as u32));
        self.words.extend(&y.refs);
        self.values.resize(self.values.len().max(n), 0.0);
        true
    }

    /// Visits units: sets the inputs to what the board says, steps the unit and reads its outputs to the next board. A row may have
    /// set the same inputs already where `is_after_row`. The first step that is not finished ends it.
    #[inline(always)]
    pub fn visit(
        &mut self,
        visits: &Visits,
        (board, next): (&[f64], &mut [f64]),
        (stations, states): (&mut [Station], &mut [StationState]),
        (t_s, length_s): (f64, f64),
        is_after_row: bool,
    ) -> Result<Option<(usize, Outcome)>, UnitError> {
        let mut words = &self.words[visits.words..];
        for (i, seat) in self.seats[visits.seats.clone()].iter().enumerate() {
            // The lists of this seat, and its inputs.
            let Seat { unit, inputs, outputs, first } = *seat;
            let (unit, n, first) = (unit as usize, inputs as usize, first as usize);
            let (refs, rest) = words.split_at(n);
            let (places, rest) = rest.split_at(n);
            let (outputs, rest) = rest.split_at(outputs as usize);
            words = rest;
            let values = &mut self.values[..n];
            for (value, &place) in values.iter_mut().zip(places) {
                *value = board[place as usize];
            }
            // The calls.
            let is_set = is_after_row && n > 0 && states[unit].inputs.takes_shown(values);
            let set = if is_set { (&[][..], &[][..]) } else { (refs, &*values) };
            let get = (outputs, &mut next[first..first + outputs.len()]);
            match stations[unit].unit.visit(set, (t_s, length_s), get) {
                Ok(Outcome::Done) => {}
                Ok(outcome) => {
                    self.stepped = visits.seats.start + i + 1;
                    return Ok(Some((unit, outcome)));
                }
                Err(error) => {
                    self.stepped = visits.seats.start + i;
                    return Err(error);
                }
            }
        }
        self.stepped = visits.seats.end;
        Ok(None)
    }

    /// Units that have been stepped by the visits made last, which are `visits`.
    pub fn stepped(&self, visits: &Visits) -> impl Iterator<Item = usize> {
        self.seats[visits.seats.start..self.stepped].iter().map(|seat| seat.unit as usize)
    }
}
