//! External forces f(t) on both masses, and the motion under them.
//!
//! ```text
//!     ż = A z + B f(t) ,   f a line between values:   d/dt (z, f, g) = (A z + B f, g, 0) ,   g the slope of f
//! ```
//!
//! Over a span in which f is one line the motion is the exponential of the 8 × 8 matrix of the second form, so it is as exact as
//! that without forces.
//!
//! | symbol | code | unit | meaning |
//! |---|---|---|---|
//! | f | `values` | N | external forces on mass 1 and mass 2, positive along x |
//! | g | `slope` | N/s | their slope |
//! | B | rows 3 and 4 of `matrix` | 1/kg | 1/m_i |

use crate::double::Double;
use crate::exponential::{Matrix, Transition, exponential};

/// Forces on both masses over time: lines between values, constant before the first and after the last. Two values of one time make a
/// jump there.
#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    times_s: Vec<f64>,
    values: Vec<[f64; 2]>,
}

impl Force {
    /// Forces \[N\] at times \[s\] that do not decrease; `None` where there is no value, the numbers differ, or one is not finite.
    pub fn new(times_s: Vec<f64>, values: Vec<[f64; 2]>) -> Option<Self> {
        let is_one = !times_s.is_empty() && times_s.len() == values.len() && times_s.is_sorted();
        let is_finite = times_s.iter().chain(values.iter().flatten()).all(|x| x.is_finite());
        (is_one && is_finite).then_some(Force { times_s, values })
    }

    /// Times \[s\].
    pub fn times_s(&self) -> &[f64] {
        &self.times_s
    }

    /// Values on one of the masses \[N\].
    pub fn on(&self, mass: usize) -> Vec<f64> {
        self.values.iter().map(|value| value[mass]).collect()
    }

    /// The line from `from_s` on, which reaches to `to_s` without a value between: forces at `from_s`, and slopes.
    fn line(&self, from_s: f64, to_s: f64) -> [[f64; 2]; 2] {
        let middle_s = 0.5 * (from_s + to_s);
        let after = self.times_s.partition_point(|t| *t <= middle_s);
        let (Some(t1), Some(b)) = (self.times_s.get(after), self.values.get(after)) else {
            return [self.values[self.values.len() - 1], [0.0; 2]];
        };
        if after == 0 {
            return [*b, [0.0; 2]];
        }
        let (t0, a) = (self.times_s[after - 1], self.values[after - 1]);
        let slope = [0, 1].map(|i| (b[i] - a[i]) / (t1 - t0));
        [[0, 1].map(|i| a[i] + slope[i] * (from_s - t0)), slope]
    }
}

/// The oscillator and lines of force on it as one linear system.
#[derive(Debug, Clone)]
pub(crate) struct Forced {
    matrix: Matrix<8>,
    force: Force,
    /// Times at which a line begins, from 0 s on, and the states there.
    begins_s: Vec<f64>,
    states: Vec<[Double; 4]>,
}

impl Forced {
    /// Of the matrix A, the masses, and the state at 0 s.
    pub fn new(a: &Matrix, m: [f64; 2], start: [Double; 4], force: Force) -> Self {
        let mut matrix = [[Double::default(); 8]; 8];
        for i in 0..4 {
            matrix[i][..4].copy_from_slice(&a[i]);
        }
        for i in 0..2 {
            matrix[2 + i][4 + i] = Double::ONE.over(m[i]);
            matrix[4 + i][6 + i] = Double::ONE;
        }
        let mut begins_s: Vec<f64> = force.times_s.iter().copied().filter(|t| *t > 0.0).collect();
        begins_s.insert(0, 0.0);
        begins_s.dedup();
        let mut forced = Forced { matrix, force, begins_s, states: vec![start] };
        for n in 1..forced.begins_s.len() {
            let state = forced.over(forced.states[n - 1], forced.begins_s[n - 1], forced.begins_s[n]);
            forced.states.push(state);
        }
        forced
    }

    /// The state at a time, which may be negative.
    pub fn at(&self, t_s: f64) -> [Double; 4] {
        let n = self.begins_s.partition_point(|begin| *begin <= t_s).saturating_sub(1);
        if t_s >= 0.0 {
            return self.over(self.states[n], self.begins_s[n], t_s);
        }
        // Back over the lines before the start, the latest first.
        let (mut state, mut from_s) = (self.states[0], 0.0);
        for &knot_s in self.force.times_s.iter().rev().filter(|knot| **knot < 0.0 && **knot > t_s) {
            (state, from_s) = (self.over(state, from_s, knot_s), knot_s);
        }
        self.over(state, from_s, t_s)
    }

    /// The state after a span in which the force is one line.
    fn over(&self, z: [Double; 4], from_s: f64, to_s: f64) -> [Double; 4] {
        if to_s == from_s {
            return z;
        }
        self.moved(&self.transition(to_s - from_s), z, self.force.line(from_s, to_s))
    }

    /// e^{X h} of the whole.
    pub fn transition(&self, span_s: f64) -> Transition<8> {
        let span = Double::from(span_s);
        exponential(&self.matrix.map(|row| row.map(|value| value * span)))
    }

    /// Whether the force is one line from one time to the other.
    fn is_line(&self, from_s: f64, to_s: f64) -> bool {
        // Times that differ by rounding are one.
        let near_s = 1e-12 * to_s.abs();
        let after = self.begins_s.partition_point(|begin| *begin <= from_s + near_s);
        self.begins_s.get(after).is_none_or(|begin| *begin >= to_s - near_s)
    }

    /// The state a step later: with the transition of a step where the force is one line in it, which lies before `to_s`.
    pub fn stepped(&self, step: &Transition<8>, z: [Double; 4], [from_s, to_s]: [f64; 2]) -> [Double; 4] {
        if self.is_line(from_s, to_s) { self.moved(step, z, self.force.line(from_s, to_s)) } else { self.at(to_s) }
    }

    fn moved(&self, transition: &Transition<8>, z: [Double; 4], [force, slope]: [[f64; 2]; 2]) -> [Double; 4] {
        let [f, g] = [force, slope].map(|values| values.map(Double::from));
        let whole = transition.apply(&[z[0], z[1], z[2], z[3], f[0], f[1], g[0], g[1]]);
        [whole[0], whole[1], whole[2], whole[3]]
    }
}
