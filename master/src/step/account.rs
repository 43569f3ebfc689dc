//! Residual energy of power bonds, and the ports that it is computed from. The equations are those of `power.rs`.

use crate::savable::savable;
use crate::step::supply::Supply;
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
    /// Residual energy of all steps, each by its absolute value \[J\]: what does not cancel from step to step.
    pub missed_j: f64,
    /// The same by Simpson's rule for every predictor, with a cubic through communication points for what lies between them: more than was missed
    /// where motions are predicted better than that, but not 0 where a corrector has made the ends of all steps true.
    pub missed_inside_j: f64,
    /// Energy that went through: the largest range of the energy that a port has received since the start \[J\].
    pub passed_j: f64,
}
}

impl Account {
    /// Residual energy of all steps as a share of the energy that went through; 0 where nothing did.
    pub fn missed_share(&self) -> f64 {
        if self.passed_j > PASSED_MIN_J { self.missed_j / self.passed_j } else { 0.0 }
    }

    /// The same of [`Account::missed_inside_j`].
    pub fn missed_inside_share(&self) -> f64 {
        if self.passed_j > PASSED_MIN_J { self.missed_inside_j / self.passed_j } else { 0.0 }
    }

    /// Residual energy so far as a share of the energy that went through, positive where the coupling has added energy.
    pub fn residual_share(&self) -> f64 {
        if self.passed_j > PASSED_MIN_J { self.residual_energy_j / self.passed_j } else { 0.0 }
    }
}

/// Less than this is rounding of a system at rest \[J\].
const PASSED_MIN_J: f64 = 1e-25;

savable! {
/// What has gone through a bond, by the first two of its ports.
///
/// The effort e that a port gets from its inputs may be a force, or the part k ξ of a spring k (ξ − x) that belongs to the unit, of which the
/// master does not know x. Of both kinds of ports one of e₁ y₁, −e₂ y₁ and (e₁ − e₂) y₁ is the power that goes into unit 1, and the others are larger
/// by what the spring alone takes and gives back. So the smallest range of the three energies counts.
#[derive(Default)]
pub(crate) struct Passage {
    /// Of both ports at the newest point.
    effort: [f64; 2],
    flow: [f64; 2],
    /// Which of both are known there.
    is_known: [bool; 2],
    /// The three powers of each port at the point before.
    power_w: [[f64; 3]; 2],
    received: [[Received; 3]; 2],
}
}

savable! {
/// Energy received since the start \[J\].
#[derive(Default)]
struct Received {
    now_j: f64,
    least_j: f64,
    most_j: f64,
}
}

impl Received {
    /// Adds what came in a step, and returns the range so far.
    #[inline(always)]
    fn add(&mut self, energy_j: f64) -> f64 {
        self.now_j += energy_j;
        self.most_j = if self.now_j > self.most_j { self.now_j } else { self.most_j };
        self.least_j = if self.now_j < self.least_j { self.now_j } else { self.least_j };
        self.most_j - self.least_j
    }
}

impl Passage {
    /// Takes effort and flow of a port at the end of a step of `length_s` seconds; where the other port is known there too, the energy that
    /// went through so far \[J\].
    #[inline]
    pub fn take(&mut self, port: usize, [effort, flow]: [f64; 2], length_s: f64) -> Option<f64> {
        if port > 1 {
            return None;
        }
        (self.effort[port], self.flow[port], self.is_known[port]) = (effort, flow, true);
        if self.is_known != [true; 2] {
            return None;
        }
        self.is_known = [false; 2];
        let mut passed_j = 0.0;
        for p in 0..2 {
            let (own, other, flow) = (self.effort[p], self.effort[1 - p], self.flow[p]);
            let power_w = [own * flow, -other * flow, (own - other) * flow];
            let before_w = std::mem::replace(&mut self.power_w[p], power_w);
            let mut least_j = f64::INFINITY;
            for (i, received) in self.received[p].iter_mut().enumerate() {
                let range_j = received.add(length_s * 0.5 * (before_w[i] + power_w[i]));
                least_j = if range_j < least_j { range_j } else { least_j };
            }
            passed_j = if least_j > passed_j { least_j } else { passed_j };
        }
        Some(passed_j)
    }
}

/// The ports of all bonds.
pub(crate) struct Ports {
    pub places: Vec<PortPlace>,
    /// Whether truth inside a step is a cubic through four points, which is better than what the step was fed with.
    pub cubic: bool,
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
    /// Its number among the ports of the bond.
    pub number: usize,
}

impl PortPlace {
    /// The flow at `at`, or the last known one.
    pub fn flow(&self, supply: &Supply<'_>, at: Tick) -> f64 {
        let history = &supply.histories[self.flow.0];
        history.value(history.not_after(at), self.flow.1)
    }
}
