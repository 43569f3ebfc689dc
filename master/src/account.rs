//! Residual energy of power bonds, and the ports that it is computed from. The equations are those of `power.rs`.

use crate::savable::savable;
use crate::supply::Supply;
use crate::time::Tick;

savable! {
/// The account of a bond.
#[derive(PartialEq)]
pub struct Account {
    /// Name of the bond.
    pub name: String,
    /// Residual energy so far \[J\]; positive where the coupling has added energy.
    pub residual_energy_j: f64,
    /// Its largest absolute value at a communication point \[J\].
    pub residual_energy_max_j: f64,
    /// Largest absolute residual power \[W\].
    pub residual_power_max_w: f64,
    /// Largest power transmitted through a port by its inputs, had they been true: Σ g u y \[W\].
    pub power_max_w: f64,
}
}

/// A port in a run.
#[derive(Debug, Clone)]
pub(crate) struct PortPlace {
    pub bond: usize,
    pub unit: usize,
    /// Places among the unit's inputs, and gains.
    pub inputs: Vec<(usize, f64)>,
    /// Channel and component of the flow.
    pub flow: (usize, usize),
    /// +1 for the first port of a bond, −1 for the second.
    pub side: f64,
}

impl PortPlace {
    /// The flow at `at`, or the last known one.
    pub fn flow(&self, supply: &Supply<'_>, at: Tick) -> f64 {
        let history = &supply.histories[self.flow.0];
        history.value(history.not_after(at), self.flow.1)
    }
}
