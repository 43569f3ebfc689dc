//! Input estimation: the signal behind noisy samples, by a Kalman filter.
//!
//! The signal is a motion of constant velocity (K = 1) or of constant acceleration (K = 2) that random accelerations w disturb
//! from sample to sample, and its samples are values with noise v:
//!
//! ```text
//! z_{k+1} = F z_k + Γ w_k,   y_k = z_k[0] + v_k,   F_ij = T^{j−i}/(j − i)!,   Γ = (T²/2, T, 1) without the last for K = 1
//! P⁻ = F P Fᵀ + σ_w² Γ Γᵀ,   G = P⁻ e₀/(P⁻_00 + σ_v²),   z ← F z + G (y − (F z)_0),   P = P⁻ − G P⁻_0
//! p(t) = z_0 + z_1 (t − t_N) + z_2 (t − t_N)²/2
//! ```
//!
//! Only r = σ_w/σ_v \[1/s²\] counts. With samples every T seconds the gains settle at those of the Riccati equation, which the
//! tracking index Λ = r T² gives in closed form (the α-β and α-β-γ filters). The filter begins with the polynomial through the oldest
//! K + 1 samples in reach, without disturbance, and goes over all later ones, so that it has no state of its own.
//!
//! The filter is as quick as r says and not as the macro step: a signal that changes faster than √r is smoothed away. Its order K + 1 in the
//! macro step shows only where all samples in reach lie within 1/√r. Where a sample at
//! the end of the step is known, it is a sample like the others.
//!
//! References: \[Kalman 1960\]; \[Kalata 1984\] for the gains.

use super::{Edge, Lagrange, Predictor};
use crate::signal::history::History;
use crate::signal::segment::Segment;
use crate::time::Span;

/// Samples that the filter goes over: for Λ below some 1e-3 it is a fit to these.
const REACH: usize = 64;

/// A Kalman filter of each component for itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kalman {
    /// Degree K of the undisturbed motion: 1 or 2.
    degree: usize,
    /// r = σ_w/σ_v \[1/s²\], positive.
    ratio: f64,
}

impl Kalman {
    /// Of degree 1 or 2; other numbers are brought there. `ratio` is that of the noise of acceleration over that of the samples
    /// \[1/s²\].
    pub fn new(degree: usize, ratio: f64) -> Self {
        Kalman { degree: degree.clamp(1, 2), ratio }
    }

    /// Gains for the samples at local times s(0) … s(n − 1), of which those after the first K + 1 have one; the length of a step is
    /// `length_s`.
    fn gains(&self, s: impl Fn(usize) -> f64, n: usize, length_s: f64) -> [[f64; 3]; REACH] {
        let k = self.degree;
        let index = (self.ratio * length_s * length_s).powi(2);
        let mut gains = [[0.0; 3]; REACH];
        // The covariance of the first state: that of the derivatives of a polynomial through samples of variance 1.
        let weights = weights(k, &s);
        let mut p = [[0.0; 3]; 3];
        for (a, row) in p.iter_mut().enumerate() {
            for (b, x) in row.iter_mut().enumerate() {
                *x = (0..=k).map(|j| weights[a][j] * weights[b][j]).sum();
            }
        }
        for (i, gain) in gains.iter_mut().enumerate().take(n).skip(k + 1) {
            // To the next sample: F P Fᵀ, and the disturbance.
            let t = s(i) - s(i - 1);
            for row in &mut p {
                *row = shifted(*row, t);
            }
            for b in 0..3 {
                let column = shifted([p[0][b], p[1][b], p[2][b]], t);
                (p[0][b], p[1][b], p[2][b]) = (column[0], column[1], column[2]);
            }
            let moved = [0.5 * t * t, t, if k == 2 { 1.0 } else { 0.0 }];
            for (a, row) in p.iter_mut().enumerate() {
                row.iter_mut().zip(moved).for_each(|(x, m)| *x += index * moved[a] * m);
            }
            // Its gain, and what is known after it.
            let top = p[0];
            *gain = [0, 1, 2].map(|a| p[a][0] / (top[0] + 1.0));
            for (row, g) in p.iter_mut().zip(*gain) {
                row.iter_mut().zip(top).for_each(|(x, y)| *x -= g * y);
            }
        }
        gains
    }
}

/// A motion (value and derivatives) later by t.
fn shifted([x, v, a]: [f64; 3], t: f64) -> [f64; 3] {
    [x + t * (v + 0.5 * t * a), v + t * a, a]
}

/// Value and derivatives at sample k of the polynomial through samples 0 … k: derivative a is Σ_j weights\[a\]\[j\] y_j.
fn weights(k: usize, s: impl Fn(usize) -> f64) -> [[f64; 3]; 3] {
    if k == 1 {
        let t = s(1) - s(0);
        return [[0.0, 1.0, 0.0], [-1.0 / t, 1.0 / t, 0.0], [0.0; 3]];
    }
    let (a, b) = (s(2) - s(1), s(2) - s(0));
    let far = b * (b - a);
    let near = a * (b - a);
    [[0.0, 0.0, 1.0], [a / far, -b / near, (a + b) / (a * b)], [2.0 / far, -2.0 / near, 2.0 / (a * b)]]
}

impl Predictor for Kalman {
    fn depth(&self) -> usize {
        REACH
    }

    fn edge(&self) -> Edge {
        Edge::AfterLaw
    }

    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        let (lead, k) = (history.lead(span.to), self.degree);
        let n = (lead + 1).min(REACH);
        // Too few samples for a filter.
        if n <= k {
            return Lagrange::new(k).segments(history, span, out);
        }
        let first = lead + 1 - n;
        let s = |i: usize| span.local(history.at(first + i));
        let (gains, weights) = (self.gains(s, n, span.length_s), weights(k, s));
        for (c, segment) in out.iter_mut().enumerate() {
            // From the oldest samples to the newest one.
            let y = |i: usize| history.value(first + i, c);
            let mut z = weights.map(|w| (0..=k).map(|j| w[j] * y(j)).sum());
            for i in k + 1..n {
                z = shifted(z, s(i) - s(i - 1));
                let off = y(i) - z[0];
                z.iter_mut().zip(gains[i]).for_each(|(x, g)| *x += g * off);
            }
            // The undisturbed motion from there on.
            let [x, v, a] = shifted(z, -s(n - 1));
            segment.fill(k, |i| [x, v, 0.5 * a][i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of a function every 0.1 s, up to tick 0.
    fn history(n: i64, y: impl Fn(f64) -> f64) -> (History, Span) {
        let mut history = History::new(1, REACH, 2);
        for k in 1 - n..=0 {
            history.put(k, &[y(0.1 * k as f64)]);
        }
        (history, Span { from: 0, to: 1, length_s: 0.1 })
    }

    fn predicted(filter: Kalman, n: i64, y: impl Fn(f64) -> f64) -> Segment {
        let (history, span) = history(n, y);
        let mut out = [Segment::default()];
        filter.segments(&history, &span, &mut out);
        out[0]
    }

    /// Where the sample at the step's end is known already, the prediction still begins at the step's start.
    #[test]
    fn a_known_end_is_met() {
        let line = |t: f64| 3.0 - 2.0 * t;
        let (history, _) = history(9, line);
        let mut out = [Segment::default()];
        Kalman::new(1, 50.0).segments(&history, &Span { from: -1, to: 0, length_s: 0.1 }, &mut out);
        assert!([0.0, 0.5, 1.0].iter().all(|s| (out[0].at(*s) - line(0.1 * (s - 1.0))).abs() < 1e-12), "{:?}", out[0]);
    }

    /// The gains settle at the solution of the Riccati equation: α = 1 − r², β = 2 (2 − α) − 4 √(1 − α) with
    /// r = (4 + Λ − √(8 Λ + Λ²))/4; with acceleration α = 1 − q², β = 2 (1 − q)², γ = β²/(2 α) with q³ + (Λ/2 − 3) q² + (Λ/2 + 3) q = 1.
    #[test]
    fn gains_settle_at_the_closed_form() {
        for index in [0.1_f64, 1.0, 5.0] {
            let r = (4.0 + index - (8.0 * index + index * index).sqrt()) / 4.0;
            let alpha = 1.0 - r * r;
            let expected = [alpha, 2.0 * (2.0 - alpha) - 4.0 * (1.0 - alpha).sqrt(), 0.0];
            let found = Kalman::new(1, index / 0.01).gains(|i| i as f64, REACH, 0.1)[REACH - 1];
            assert!((0..3).all(|a| (found[a] - expected[a]).abs() < 1e-9), "{index}: {found:?} {expected:?}");
            let cubic = |q: f64| q * (q * (q + 0.5 * index - 3.0) + 0.5 * index + 3.0) - 1.0;
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if cubic(middle) < 0.0 { low = middle } else { high = middle }
            }
            let (alpha, beta) = (1.0 - low * low, 2.0 * (1.0 - low) * (1.0 - low));
            let expected = [alpha, beta, beta * beta / (2.0 * alpha)];
            let found = Kalman::new(2, index / 0.01).gains(|i| i as f64, REACH, 0.1)[REACH - 1];
            assert!((0..3).all(|a| (found[a] - expected[a]).abs() < 1e-9), "{index}: {found:?} {expected:?}");
        }
    }

    /// The undisturbed motion is predicted exactly, from as many samples as there are; one of degree K + 1 with the lag of the settled
    /// filter, (1 − α) a T²/β in the value.
    #[test]
    fn the_model_is_exact_and_lags_behind_others() {
        let (line, parabola) = (|t: f64| 1.0 - 3.0 * t, |t: f64| 1.0 - 3.0 * t + 4.0 * t * t);
        for n in [2, 3, 10, 64] {
            let (one, two) =
                (predicted(Kalman::new(1, 50.0), n, line), predicted(Kalman::new(2, 50.0), n.max(3), parabola));
            for s in [0.0, 1.0] {
                assert!((one.at(s) - line(0.1 * s)).abs() < 1e-10, "{n} {s}");
                assert!((two.at(s) - parabola(0.1 * s)).abs() < 1e-10, "{n} {s}");
            }
        }
        assert_eq!(predicted(Kalman::new(2, 50.0), 1, line).at(1.0), 1.0);
        let [alpha, beta, _] = Kalman::new(1, 50.0).gains(|i| i as f64, REACH, 0.1)[REACH - 1];
        let lag = (1.0 - alpha) / beta * 8.0 * 0.01;
        assert!((predicted(Kalman::new(1, 50.0), 64, parabola).at(0.0) - (1.0 - lag)).abs() < 1e-9);
    }

    /// Gains count the time between samples: every second one is as one of steps twice as long, with derivatives by that time.
    #[test]
    fn samples_twice_as_far_apart_have_the_gains_of_steps_twice_as_long() {
        for degree in [1, 2] {
            let (filter, n) = (Kalman::new(degree, 30.0), 20);
            let (far, long) = (filter.gains(|i| 2.0 * i as f64, n, 0.1), filter.gains(|i| i as f64, n, 0.2));
            for (far, long) in far[..n].iter().zip(&long) {
                let off = |a: usize| (far[a] * [1.0, 2.0, 4.0][a] - long[a]).abs();
                assert!((0..3).all(|a| off(a) < 1e-12), "{degree}: {far:?} {long:?}");
            }
        }
    }

    /// Samples that are not even give weights of the same polynomial.
    #[test]
    fn samples_need_not_be_even() {
        let mut history = History::new(1, REACH, 2);
        let y = |k: f64| 2.0 + k * (0.5 + 0.25 * k);
        for k in [-9, -7, -4, -2, 0] {
            history.put(k, &[y(k as f64)]);
        }
        let mut out = [Segment::default()];
        Kalman::new(2, 5.0).segments(&history, &Span { from: 0, to: 3, length_s: 0.3 }, &mut out);
        assert!((out[0].at(1.0) - y(3.0)).abs() < 1e-11, "{}", out[0].at(1.0));
    }
}
