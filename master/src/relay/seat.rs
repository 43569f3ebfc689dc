//! Units that a window only visits: inputs set to held values, a step, outputs read.
//!
//! What a visit needs of the unit's place in the run lies side by side here, in the order of the visits: of many units, the cache
//! lines that are touched are what a step costs.

use super::port::Port;
use crate::station::{Refresh, Station, StationState};
use crate::unit::{Outcome, UnitError};
use std::ops::Range;

/// Where a unit's lists begin and end in [`Seats`], and its outputs on the board.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat {
    pub unit: u32,
    wires: [u32; 2],
    inputs: [u32; 2],
    outputs: [u32; 2],
    first: u32,
}

/// Lists of all seats, one after the other.
#[derive(Debug, Default)]
pub(super) struct Seats {
    /// Places on the board and among `values`.
    wires: Vec<(u32, u32)>,
    /// Value references and values of inputs.
    inputs: Vec<u32>,
    values: Vec<f64>,
    /// Value references of outputs.
    outputs: Vec<u32>,
}

fn range([from, to]: [u32; 2]) -> Range<usize> {
    from as usize..to as usize
}

impl Seats {
    /// A seat for a unit, where a visit is all it needs.
    pub fn of(&mut self, unit: usize, station: &Station, port: &Port) -> Option<Seat> {
        let y = &station.outputs;
        let is_full = y.refresh_refs.is_empty() || y.refresh == Refresh::Reported;
        if !is_full || y.refresh == Refresh::Directional || !port.copies() {
            return None;
        }
        // More places than these a board of one process does not have.
        let [unit, first] = [unit, port.first].map(u32::try_from);
        let (unit, first) = (unit.ok()?, first.ok()?);
        let begin = [self.wires.len(), self.inputs.len(), self.outputs.len()];
        for (from, to) in port.copied() {
            self.wires.push((u32::try_from(from).ok()?, u32::try_from(begin[1] + to).ok()?));
        }
        self.inputs.extend(&station.inputs.refs);
        self.values.resize(self.inputs.len(), 0.0);
        self.outputs.extend(&y.refs);
        let end = [self.wires.len(), self.inputs.len(), self.outputs.len()];
        let [wires, inputs, outputs] = [0, 1, 2].map(|i| [begin[i] as u32, end[i] as u32]);
        Some(Seat { unit, wires, inputs, outputs, first })
    }

    /// Sets the inputs to what the board says, steps the unit and reads its outputs to the next board.
    #[inline(always)]
    pub fn visit(
        &mut self,
        seat: Seat,
        (board, next): (&[f64], &mut [f64]),
        (station, state): (&mut Station, &mut StationState),
        (t_s, length_s): (f64, f64),
    ) -> Result<Outcome, UnitError> {
        for &(from, to) in &self.wires[range(seat.wires)] {
            self.values[to as usize] = board[from as usize];
        }
        // A row may have set the same values already.
        let inputs = range(seat.inputs);
        let values = &self.values[inputs.clone()];
        if !inputs.is_empty() && !state.inputs.takes_shown(values) {
            station.unit.set_real(&self.inputs[inputs], values)?;
        }
        let outcome = station.unit.step(t_s, length_s, true)?;
        let outputs = &self.outputs[range(seat.outputs)];
        if outcome == Outcome::Done && !outputs.is_empty() {
            station.unit.get_real(outputs, &mut next[seat.first as usize..][..outputs.len()])?;
        }
        Ok(outcome)
    }
}
