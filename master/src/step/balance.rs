//! The *balance* of a unit: the values that the residual energy of a power bond is computed from. What a unit was fed with
//! over a step, what its inputs truly were, and what flowed meanwhile; and the steps of a window that are settled at its
//! end. The equations are those of `power.rs`.

use crate::method::predict::Lagrange;
use crate::savable::savable;
use crate::step::account::{Account, Passage, PortPlace, Ports};
use crate::step::supply::Coupled;
use crate::time::{Span, Tick};

/// Weights for a step as long as the two before it.
const EVEN: [f64; 4] = [0.5 * 0.75 * (2.5 / 3.0), 0.5 * 1.5 * 1.25, 0.25 * -0.5 * 2.5, (-0.5 / -3.0) * -0.25 * -1.5];

/// Samples of a signal that truth between its samples is made of.
pub(crate) const SETTLED_DEPTH: usize = 4;

savable! {
/// What is known of the inputs of one unit over its last step.
#[derive(Default)]
pub(crate) struct UnitBalance {
    /// Start of the step that was last prepared.
    pub arrived: Option<Tick>,
    /// Whether a step is open: taken, but the truth at its end is not known yet.
    pub open: bool,
    pub to: Tick,
    pub length_s: f64,
    pub length_before_s: f64,
    /// Weights of the values at the end, the start and the two starts before that make the value at mid-step.
    pub middle: [f64; 4],
    /// Whether means are of both ends alone.
    pub by_ends: bool,
    /// Of each input at the step's end, its start, and the starts of the two steps before.
    pub truth: Vec<[f64; 4]>,
    /// Of each input at the step's start, middle and end.
    pub applied: Vec<[f64; 3]>,
    /// Correction in use.
    pub offset: Vec<f64>,
}
}

savable! {
/// Steps of a window whose truth is known at the window's end only.
pub(crate) struct Settlement {
    /// Of each unit: the steps taken in the window, as many as are counted, and its balance after the last window.
    steps: Vec<Vec<Taken>>,
    taken: Vec<usize>,
    balance: Vec<UnitBalance>,
    /// Of each port, at the last step's start and at the starts of the two before.
    flow_at_start: Vec<[f64; 3]>,
}
}

savable! {
/// A step taken, as it was fed.
#[derive(Default)]
struct Taken {
    from: Tick,
    to: Tick,
    length_s: f64,
    applied: Vec<[f64; 3]>,
}
}

impl Settlement {
    /// For units with so many inputs and steps in a window, and so many ports.
    pub fn new(units: impl Iterator<Item = (usize, usize)>, ports: usize) -> Self {
        let (steps, taken, balance) = (Vec::new(), Vec::new(), Vec::new());
        let mut settlement = Settlement { steps, taken, balance, flow_at_start: vec![[0.0; 3]; ports] };
        for (inputs, steps) in units {
            let balance = UnitBalance::new(inputs);
            settlement.steps.push(vec![Taken { applied: balance.applied.clone(), ..Taken::default() }; steps]);
            settlement.balance.push(balance);
            settlement.taken.push(0);
        }
        settlement
    }

    /// Keeps a step of a unit, as it was fed.
    pub fn take(&mut self, unit: usize, span: &Span, applied: &[[f64; 3]]) {
        let Some(step) = self.steps[unit].get_mut(self.taken[unit]) else { return };
        (step.from, step.to, step.length_s) = (span.from, span.to, span.length_s);
        step.applied.copy_from_slice(applied);
        self.taken[unit] += 1;
    }

    /// Enters the steps kept that end by `end` into the accounts.
    pub fn close(
        &mut self,
        Coupled { unit_ports, supply, .. }: &mut Coupled<'_>,
        end: Tick,
        ports: &Ports,
        (accounts, passages): (&mut [Account], &mut [Passage]),
    ) {
        let Settlement { steps, taken, balance, flow_at_start } = self;
        // What lies between samples is interpolated.
        let truth = Lagrange::new(SETTLED_DEPTH - 1);
        let supply = &mut supply.by(&truth);
        for (unit, balance) in balance.iter_mut().enumerate() {
            let closed = steps[unit][..taken[unit]].iter().take_while(|step| step.to <= end).count();
            for step in &steps[unit][..closed] {
                if balance.length_s == 0.0 {
                    unit_ports[unit].feed_now(supply, step.from);
                    balance.meet(&unit_ports[unit].inputs.values);
                }
                balance.begin();
                balance.aim(step.length_s, ports.cubic);
                (balance.length_s, balance.length_before_s) = (step.length_s, balance.length_s);
                balance.applied.copy_from_slice(&step.applied);
                unit_ports[unit].feed_now(supply, step.to);
                balance.meet(&unit_ports[unit].inputs.values);
                for (port, known) in ports.places.iter().zip(flow_at_start.iter_mut()).filter(|(p, _)| p.unit == unit) {
                    *known = [port.flow(supply, step.from), known[0], known[1]];
                    port.post(balance, (port.flow(supply, step.to), *known), (accounts, passages));
                }
            }
            // What goes beyond the window waits for the end of the next.
            steps[unit].rotate_left(closed);
            taken[unit] -= closed;
        }
        for account in accounts {
            raise(&mut account.residual_energy_max_j, account.residual_energy_j.abs());
        }
    }
}

impl UnitBalance {
    pub fn new(n: usize) -> Self {
        let (truth, applied) = (vec![[0.0; 4]; n], vec![[0.0; 3]; n]);
        UnitBalance { truth, applied, offset: vec![0.0; n], ..UnitBalance::default() }
    }

    /// The last step has ended with these true values of the inputs.
    #[inline(always)]
    pub fn meet(&mut self, inputs: &[f64]) {
        self.truth.iter_mut().zip(inputs).for_each(|(truth, input)| truth[0] = *input);
    }

    /// A step begins where the last one has ended.
    #[inline(always)]
    pub fn begin(&mut self) {
        self.truth.iter_mut().for_each(|truth| *truth = [truth[0], truth[0], truth[1], truth[2]]);
    }

    /// Weights for a step of `length_s` seconds after the last ones: Lagrange polynomials at mid-step through as many of the
    /// four points as there are. Whether these are `cubic` enough for means.
    #[inline]
    pub fn aim(&mut self, length_s: f64, cubic: bool) {
        self.by_ends = !cubic || self.length_s == 0.0;
        if self.length_s == length_s && self.length_before_s == length_s {
            self.middle = EVEN;
            return;
        }
        self.aim_anew(length_s);
    }

    /// As [`UnitBalance::aim`], for steps of any length.
    fn aim_anew(&mut self, length_s: f64) {
        let points = match (self.length_s > 0.0, self.length_before_s > 0.0) {
            (false, _) => 2,
            (true, false) => 3,
            (true, true) => 4,
        };
        let before = -self.length_s / length_s;
        let at = [1.0, 0.0, before, before - self.length_before_s / length_s];
        self.middle = [0.0; 4];
        for i in 0..points {
            let others = (0..points).filter(|j| *j != i);
            self.middle[i] = others.map(|j| (0.5 - at[j]) / (at[i] - at[j])).product();
        }
    }

    #[inline(always)]
    pub fn at_middle(&self, [end, start, before, earlier]: [f64; 4]) -> f64 {
        let [a, b, c, d] = self.middle;
        a * end + b * start + c * before + d * earlier
    }

    /// True minus given value of input `i` at start, middle and end of the step.
    #[inline(always)]
    pub fn missed(&self, i: usize) -> [f64; 3] {
        let (known, [start, middle, end]) = (self.truth[i], self.applied[i]);
        [known[1] - start, self.at_middle(known) - middle, known[0] - end]
    }

    /// Mean over the step from values at start, middle and end: Simpson's rule, or the trapezoidal one where the middle
    /// is not known better than by its ends.
    #[inline(always)]
    pub fn mean(&self, [start, middle, end]: [f64; 3]) -> f64 {
        if self.by_ends { 0.5 * (start + end) } else { simpson([start, middle, end]) }
    }

    /// Mean error of the last step's inputs, without their own correction; 0 before the first step.
    pub fn nepce(&mut self) {
        if self.length_s == 0.0 {
            return;
        }
        for i in 0..self.offset.len() {
            self.offset[i] += self.mean(self.missed(i));
        }
    }
}

impl PortPlace {
    /// What the port's inputs missed over the step of its unit whose end is known, into the bond's account; flows at the step's end,
    /// its start and the starts of the two before.
    #[inline(always)]
    pub fn post(
        &self,
        unit: &UnitBalance,
        (flow, [start, before, earlier]): (f64, [f64; 3]),
        (accounts, passages): (&mut [Account], &mut [Passage]),
    ) {
        let middle = unit.at_middle([flow, start, before, earlier]);
        let (mut start_w, mut middle_w, mut end_w, mut power_w, mut effort) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(i, gain) in &self.inputs {
            let missed = unit.missed(i);
            start_w -= gain * missed[0] * start;
            middle_w -= gain * missed[1] * middle;
            end_w -= gain * missed[2] * flow;
            power_w += gain * unit.truth[i][0] * flow;
            effort += gain * unit.truth[i][0];
        }
        let account = &mut accounts[self.bond];
        let residual_j = unit.length_s * unit.mean([start_w, middle_w, end_w]);
        account.residual_energy_j += residual_j;
        // What the verdict on the run weighs it against.
        account.missed_j += residual_j.abs();
        account.missed_inside_j += unit.length_s * simpson([start_w, middle_w, end_w]).abs();
        if let Some(passed_j) = passages[self.bond].take(self.number, [effort, flow], unit.length_s) {
            raise(&mut account.passed_j, passed_j);
        }
        raise(&mut account.power_max_w, power_w.abs());
        raise(&mut account.residual_power_max_w, start_w.abs());
        raise(&mut account.residual_power_max_w, end_w.abs());
    }

    /// Where both ports are in the account: its largest value.
    #[inline(always)]
    pub fn close(&self, accounts: &mut [Account]) {
        if self.side < 0.0 {
            let account = &mut accounts[self.bond];
            raise(&mut account.residual_energy_max_j, account.residual_energy_j.abs());
        }
    }
}

/// Mean by Simpson's rule.
#[inline(always)]
fn simpson([start, middle, end]: [f64; 3]) -> f64 {
    (start + 4.0 * middle + end) / 6.0
}

/// The larger of both; NaN changes nothing, as in [`f64::max`], which takes six times the instructions.
#[inline(always)]
fn raise(largest: &mut f64, value: f64) {
    if value > *largest {
        *largest = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_even_steps_are_those_of_any() {
        let at = [1.0, 0.0, -1.0, -2.0];
        let weight =
            |i: usize| -> f64 { (0..4).filter(|j| *j != i).map(|j| (0.5 - at[j]) / (at[i] - at[j])).product() };
        assert_eq!([0, 1, 2, 3].map(|i| weight(i).to_bits()), EVEN.map(f64::to_bits));
    }
}
