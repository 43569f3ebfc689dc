//! *Resolution*: whether the macro steps see the motion that a derivative tells of.
//!
//! Where a unit has an output x and its derivative v, both are known at the communication points, and one follows from the other as
//! far as the macro steps resolve the motion. Over two steps, which Simpson's rule takes (here for steps of one length H),
//!
//! ```text
//! way = H (|v_0| + 4 |v_1| + |v_2|)/3        unseen = min(way/3, |x_2 − x_0 − H (v_0 + 4 v_1 + v_2)/3|)
//! share = Σ unseen / Σ way
//! ```
//!
//! An oscillation of angular frequency ω gives 0.005 at ωH = 1, 0.07 at 2 and 0.16 at 2.5, and between 0.24 and 1/3 wherever it is stepped over,
//! ωH > π: since |2 sin θ − θ (2 cos θ + 4)/3| ≥ 2θ/3 − 2, no frequency is hidden, which it is from the trapezoidal rule. A stiff link that is stepped over
//! may be smooth at the points, may conserve what goes through its power bond, and agrees with a run of half the step that steps over it as well, so
//! that nothing else tells. A jump of one of both, as an impact or an angle that begins anew, counts in two steps only, and there by a third.
//!
//! It looks at the macro steps that `growth.rs` looks at.

use macrostep_description::Variable;

use crate::savable::savable;
use crate::signal::history::History;
use crate::step::unit_port::UnitPort;
use crate::time::{Clock, Tick};

/// From this share on the macro steps do not see the motion: 2.3 of them in a period.
const UNSEEN: f64 = 0.2;
/// The most that two steps count.
const MOST: f64 = 1.0 / 3.0;
/// Two steps with lengths further apart are no pair for Simpson's rule, whose weights would be negative.
const RATIO: f64 = 2.0;
/// Fewer steps say nothing.
const STEPS_MIN: u64 = 8;
/// A motion this small relative to where it is may be rounding.
const ROUNDING: f64 = 1e-9;

/// An output and its derivative: channel and component of each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rated {
    pub value: (usize, usize),
    pub rate: (usize, usize),
}

savable! {
/// What was seen of one output and its derivative.
#[derive(Default)]
pub(crate) struct Resolution {
    /// Value, derivative and tick of the last points that follow each other, the newest first.
    points: [[f64; 3]; 2],
    /// How many of them there are.
    known: usize,
    steps: u64,
    unseen: f64,
    way: f64,
    size: f64,
}
}

impl Rated {
    /// Of the outputs of one unit that are sampled.
    pub fn of(unit_port: &UnitPort) -> Vec<Rated> {
        let (outputs, variables) = (&unit_port.outputs, &unit_port.unit.description().variables);
        let place = |at: usize| {
            let &(channel, first, _) = outputs.channels.iter().find(|c| (c.1..c.1 + c.2).contains(&at))?;
            Some((channel, at - first))
        };
        let sampled = |v: &Variable| {
            v.real()?;
            place(outputs.refs.iter().position(|reference| *reference == v.value_reference)?)
        };
        let rated = |v: &Variable| {
            let base = variables.get(v.real()?.derivative?)?;
            Some(Rated { value: sampled(base)?, rate: sampled(v)? })
        };
        variables.iter().filter_map(rated).collect()
    }
}

impl Resolution {
    /// Takes the newest values not after `now`; whether they follow those before.
    pub fn take(&mut self, rated: &Rated, histories: &[History], (now, clock): (Tick, &Clock), follows: bool) {
        let newest = |(channel, component): (usize, usize)| {
            let history = &histories[channel];
            let row = (!history.is_empty()).then(|| history.not_after(now))?;
            Some((history.at(row), history.value(row, component)))
        };
        let (Some((at, x)), Some((_, v))) = (newest(rated.value), newest(rated.rate)) else { return };
        let tick_s = clock.unit_s / clock.per_unit as f64;
        let known = if follows { self.known } else { 0 };
        let [[x_1, v_1, at_1], [x_0, v_0, at_0]] = self.points;
        // A unit with longer steps may have no new value.
        if known > 0 && at <= at_1 {
            return;
        }
        self.points = [[x, v, at], self.points[0]];
        self.known = 2.min(known + 1);
        let [h_0, h_1] = [tick_s * (at_1 - at_0), tick_s * (at - at_1)];
        if known < 2 || h_1 > RATIO * h_0 || h_0 > RATIO * h_1 {
            return;
        }
        // Simpson's rule for two steps of any lengths.
        let sixth = (h_0 + h_1) / 6.0;
        let weights = [2.0 - h_1 / h_0, (h_0 + h_1) * (h_0 + h_1) / (h_0 * h_1), 2.0 - h_0 / h_1].map(|w| sixth * w);
        let rates = [v_0, v_1, v];
        let sum = |of: fn(f64) -> f64| -> f64 { weights.iter().zip(rates).map(|(w, v)| w * of(v)).sum() };
        let way = sum(f64::abs);
        self.steps += 1;
        self.way += way;
        self.unseen += (x - x_0 - sum(|v| v)).abs().min(MOST * way);
        self.size += x_1.abs();
    }

    /// The share of the motion that was not seen, where it is a large one.
    pub fn unseen(&self) -> Option<f64> {
        let share = self.unseen / self.way;
        (self.steps >= STEPS_MIN && self.way > ROUNDING * self.size && share >= UNSEEN).then_some(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of x(t) with derivative v(t), in 100 steps of 1 s.
    fn share(x: impl Fn(f64) -> f64, v: impl Fn(f64) -> f64) -> f64 {
        let clock = Clock { start_s: 0.0, unit_s: 1.0, per_unit: 1 };
        let rated = Rated { value: (0, 0), rate: (1, 0) };
        let mut histories = [History::new(1, 1, 2), History::new(1, 1, 2)];
        let mut resolution = Resolution::default();
        for k in 0..=100 {
            histories[0].put(k, &[x(k as f64)]);
            histories[1].put(k, &[v(k as f64)]);
            resolution.take(&rated, &histories, (k, &clock), true);
        }
        assert_eq!(resolution.unseen().is_some(), resolution.unseen / resolution.way >= UNSEEN);
        resolution.unseen / resolution.way
    }

    /// Oscillations give the shares that the text above names, and none that is stepped over hides.
    #[test]
    fn what_is_resolved_is_seen() {
        let oscillation = |omega: f64| share(|t| (omega * t).sin(), |t| omega * (omega * t).cos());
        for (omega, expected) in [(0.1, 0.0), (1.0, 0.005), (2.0, 0.073), (2.5, 0.16), (141.42, 0.333)] {
            let found = oscillation(omega);
            assert!((found - expected).abs() < 0.002, "{omega}: {found}");
        }
        let least = (0..3000).map(|i| oscillation(3.2 + 0.037 * f64::from(i))).fold(1.0, f64::min);
        assert!(least > 0.24, "{least}");
    }

    /// Steps of different lengths make no difference to what is resolved.
    #[test]
    fn lengths_of_steps_may_change() {
        let at = |k: f64| k + 0.3 * (k % 3.0);
        let (x, v) = (|t: f64| t * t * t, |t: f64| 3.0 * t * t);
        let clock = Clock { start_s: 0.0, unit_s: 0.1, per_unit: 1 };
        let rated = Rated { value: (0, 0), rate: (1, 0) };
        let mut histories = [History::new(1, 1, 2), History::new(1, 1, 2)];
        let mut resolution = Resolution::default();
        for k in 0..100 {
            let tick = (10.0 * at(f64::from(k))) as Tick;
            histories[0].put(tick, &[x(0.1 * tick as f64)]);
            histories[1].put(tick, &[v(0.1 * tick as f64)]);
            resolution.take(&rated, &histories, (tick, &clock), true);
        }
        assert!(resolution.steps > 30 && resolution.unseen < 1e-3 * resolution.way, "{resolution:?}");
    }

    /// An angle that begins anew at 2π, a ball that is thrown back, and rest are seen.
    #[test]
    fn jumps_and_rest_count_little() {
        assert!(share(|t| (1.0 * t).rem_euclid(std::f64::consts::TAU), |_| 1.0) < 0.12);
        assert!(share(|t| (t % 10.0 - 5.0).abs(), |t| if t % 10.0 < 5.0 { -1.0 } else { 1.0 }) < 0.15);
        assert!(share(|_| 1.0, |_| 0.0).is_nan());
    }
}
