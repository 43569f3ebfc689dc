//! What one unit exchanges with the row of newest values.

use crate::step::feed::Feed;
use crate::step::supply::Supply;
use crate::step::unit_port::UnitPort;

/// Where a copied value comes from in the row, or among a law's outputs, and its place among a unit's or law's inputs.
#[derive(Debug, Clone, Copy)]
struct Wire {
    from: usize,
    to: usize,
}

/// A law on the way to one unit.
struct Tap {
    law: usize,
    inputs: Vec<Wire>,
    outputs: Vec<Wire>,
    u: Vec<f64>,
    y: Vec<f64>,
}

/// What one unit exchanges.
pub(super) struct UnitWiring {
    wires: Vec<Wire>,
    taps: Vec<Tap>,
    /// First place of the unit's outputs in the row.
    pub first: usize,
}

impl UnitWiring {
    pub fn of(unit_port: &UnitPort, first: usize, places: &[usize]) -> Self {
        let mut wiring = UnitWiring { wires: Vec::new(), taps: Vec::new(), first };
        for feed in &unit_port.feeds {
            match feed {
                Feed::Channel { channel, picks } => {
                    wiring.wires.extend(picks.iter().map(|&(c, to)| Wire { from: places[*channel] + c, to }));
                }
                // Not memoryless: left to the window.
                Feed::Interface(_) | Feed::Line(_) | Feed::Mean(_) | Feed::Series(_) | Feed::Outside(_) => {}
                Feed::Reaction(_) => {}
                Feed::Law(f) => {
                    let inputs = f.sources().flat_map(|(channel, picks)| {
                        picks.iter().map(move |&(c, to)| Wire { from: places[channel] + c, to })
                    });
                    let (m, n) = f.sizes();
                    wiring.taps.push(Tap {
                        law: f.law(),
                        inputs: inputs.collect(),
                        outputs: f.picks().iter().map(|&(from, to)| Wire { from, to }).collect(),
                        u: vec![0.0; m],
                        y: vec![0.0; n],
                    });
                }
            }
        }
        wiring
    }

    /// Whether inputs are copies of values in the row.
    pub fn copies(&self) -> bool {
        self.taps.is_empty()
    }

    /// Places of the copied values in the row and among the unit's inputs.
    pub fn copied(&self) -> impl Iterator<Item = (usize, usize)> {
        self.wires.iter().map(|wire| (wire.from, wire.to))
    }

    /// The newest values into the unit's inputs.
    #[inline(always)]
    pub fn gather(&mut self, newest: &[f64], supply: &Supply<'_>, inputs: &mut [f64]) {
        for wire in &self.wires {
            inputs[wire.to] = newest[wire.from];
        }
        if !self.taps.is_empty() {
            self.apply_laws(newest, supply, inputs);
        }
    }

    /// The laws on the newest values.
    fn apply_laws(&mut self, newest: &[f64], supply: &Supply<'_>, inputs: &mut [f64]) {
        for tap in &mut self.taps {
            for wire in &tap.inputs {
                tap.u[wire.to] = newest[wire.from];
            }
            supply.laws[tap.law].evaluate(&tap.u, &mut tap.y);
            for wire in &tap.outputs {
                inputs[wire.to] = tap.y[wire.from];
            }
        }
    }
}
