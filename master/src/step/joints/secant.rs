//! What the runs of a window tell of the correction itself, beside W and how it turns, kept from window to window.
//!
//! With x the correction that W gives for what a run has left open, the right one is x + M x, with an M that is small and changes
//! slowly. Two runs one after the other with forces y₀ and y₁ have left x₀ and x₁, so that (I + M) (x₀ − x₁) = y₁ − y₀; the least
//! change of M that agrees is, as in Broyden's update \[Broyden 1965\],
//!
//! ```text
//! M ← M + (y₁ − y₀ − (I + M) z) zᵀ/(zᵀz),   z = x₀ − x₁
//! ```
//!
//! Forces are measured with √W, so that moments and forces count alike. What is known fades from window to window: directions that
//! no correction has had for long are forgotten.

/// What is kept of M from one window to the next.
const KEPT: f64 = 0.8;

/// Changes of forces smaller than this part of them are rounding.
const NOISE: f64 = 1e-8;

/// M with an entry above this is no small correction, and is forgotten.
const LARGEST: f64 = 1.0;

/// What is known of the window under way, and room to work in; n forces, which are all (a, b).
#[derive(Debug, Default)]
pub(super) struct Secant {
    n: usize,
    /// Whether the window has been run before.
    ran: bool,
    /// √W of each force.
    size: Vec<f64>,
    /// Forces and corrections of the run before, both measured with √W.
    forces: Vec<f64>,
    corrections: Vec<f64>,
    z: Vec<f64>,
    wrong: Vec<f64>,
    /// M with what this window has told.
    next: Vec<f64>,
}

impl Secant {
    pub fn new(rows: usize) -> Self {
        let (n, zeros) = (2 * rows, || vec![0.0; 2 * rows]);
        Secant {
            n,
            ran: false,
            size: zeros(),
            forces: zeros(),
            corrections: zeros(),
            z: zeros(),
            wrong: zeros(),
            next: vec![0.0; n * n],
        }
    }

    /// M of which nothing is known.
    pub fn unknown(&self) -> Vec<f64> {
        vec![0.0; self.n * self.n]
    }

    /// A window begins with this M.
    pub fn begin(&mut self, known: &[f64]) {
        self.next.copy_from_slice(known);
        self.ran = false;
    }

    /// Takes a run with forces (a, b) for which W says the corrections `x`; `measure` gives the diagonal of W, and the least
    /// size of a force that counts as one.
    pub fn see(&mut self, forces: [&[f64]; 2], x: [&[f64]; 2], measure: impl Fn(usize) -> [f64; 2]) {
        let rows = self.n / 2;
        let part = |of: [&[f64]; 2], i: usize| of[i / rows][i % rows];
        // The first run is what the second is compared with, and fixes the measure.
        if !self.ran {
            (0..self.n).for_each(|i| self.size[i] = measure(i % rows)[0].max(0.0).sqrt());
        }
        let (mut moved, mut size, mut square) = (0.0f64, 0.0f64, 0.0);
        for i in 0..self.n {
            let (force, correction) = (self.size[i] * part(forces, i), self.size[i] * part(x, i));
            self.z[i] = self.corrections[i] - correction;
            self.wrong[i] = force - self.forces[i] - self.z[i];
            (moved, size) = (moved.max((force - self.forces[i]).abs()), size.max(force.abs()));
            size = size.max(self.size[i] * measure(i % rows)[1]);
            square += self.z[i] * self.z[i];
            (self.forces[i], self.corrections[i]) = (force, correction);
        }
        // A change of forces that is no more than rounding tells nothing.
        if self.ran && moved > NOISE * size && square > 0.0 && square.is_finite() {
            self.learn(square);
        }
        self.ran = true;
    }

    /// The least change of M with which the last change of forces is what it says.
    fn learn(&mut self, square: f64) {
        let n = self.n;
        for (row, wrong) in self.next.chunks_exact(n).zip(&mut self.wrong) {
            *wrong -= row.iter().zip(&self.z).map(|(m, z)| m * z).sum::<f64>();
        }
        for (row, wrong) in self.next.chunks_exact_mut(n).zip(&self.wrong) {
            row.iter_mut().zip(&self.z).for_each(|(m, z)| *m += wrong * z / square);
        }
    }

    /// Adds M x to the corrections.
    pub fn improve(&mut self, known: &[f64], x: [&mut [f64]; 2]) {
        let (n, rows) = (self.n, self.n / 2);
        for (row, wrong) in known.chunks_exact(n).zip(&mut self.wrong) {
            *wrong = row.iter().zip(&self.corrections).map(|(m, x)| m * x).sum();
        }
        for (half, more) in x.into_iter().zip(self.wrong.chunks_exact(rows)) {
            for (i, (x, more)) in half.iter_mut().zip(more).enumerate() {
                // What no force moves has no measure.
                *x += if self.size[i] > 0.0 { more / self.size[i] } else { 0.0 };
            }
        }
    }

    /// The window is one of the run.
    pub fn accept(&self, known: &mut [f64]) {
        let is_small = self.next.iter().all(|m| m.abs() <= LARGEST);
        known.iter_mut().zip(&self.next).for_each(|(m, next)| *m = if is_small { KEPT * next } else { 0.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of a problem whose right corrections are (I + M) x: M is found but for what has faded.
    #[test]
    fn corrections_are_learnt_from_runs() {
        let exact = [0.02, -0.01, 0.004, 0.03];
        let mut secant = Secant::new(1);
        let mut known = secant.unknown();
        let left = |y: [f64; 2], goal: [f64; 2]| {
            // x = (I + M)⁻¹ (goal − y).
            let (r, [a, b, c, d]) = ([goal[0] - y[0], goal[1] - y[1]], exact);
            let determinant = (1.0 + a) * (1.0 + d) - b * c;
            [((1.0 + d) * r[0] - b * r[1]) / determinant, ((1.0 + a) * r[1] - c * r[0]) / determinant]
        };
        let mut errors = Vec::new();
        for window in 0..40 {
            let goal = [1.0 + (0.7 * f64::from(window)).sin(), 2.0 * (1.1 * f64::from(window)).cos()];
            let mut y = [0.5, 0.3];
            secant.begin(&known);
            for _ in 0..2 {
                let [mut a, mut b] = left(y, goal).map(|x| [x]);
                secant.see([&y[..1], &y[1..]], [&a, &b], |_| [4.0, 0.0]);
                secant.improve(&known, [&mut a, &mut b]);
                y = [y[0] + a[0], y[1] + b[0]];
            }
            errors.push((y[0] - goal[0]).abs().max((y[1] - goal[1]).abs()));
            secant.accept(&mut known);
        }
        // Two corrections leave M² of the first error; with a fifth of M, 1/25 of that.
        let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
        assert!(mean(&errors[20..]) < 0.15 * errors[0].max(errors[1]), "{errors:?}");
    }
}
