//! The mobility W of all rows of all constraints, factorised: Cholesky with pivots, and least norm where rows depend on
//! each other.
//!
//! ```text
//! C = D⁻¹ W D⁻¹ = P L Lᵀ Pᵀ,   D² = diag W,   L n × r
//! C⁺ = L (LᵀL)⁻² Lᵀ            where r < n; L is permuted back
//! ```
//!
//! Among all λ that do the same, the one with the smallest ‖D λ‖ is taken. Room is made once, when the run is set up.

/// A factor of W, and room to work in.
#[derive(Debug, Default)]
pub(crate) struct Factor {
    n: usize,
    rank: usize,
    /// 1/D; 0 for a row that no force moves.
    scale: Vec<f64>,
    /// L by rows of W, n × n of which the first `rank` columns count.
    lower: Vec<f64>,
    /// Rows in the order of their pivots.
    order: Vec<usize>,
    left: Vec<f64>,
    /// Cholesky factor of LᵀL, rank × rank, where rows depend on each other.
    inner: Vec<f64>,
    room: Vec<f64>,
}

impl Factor {
    /// Room for `n` rows.
    pub fn new(n: usize) -> Self {
        let zeros = |n: usize| vec![0.0; n];
        let (scale, left, room) = (zeros(n), zeros(n), zeros(n));
        Factor { n, rank: 0, scale, lower: zeros(n * n), order: vec![0; n], left, inner: zeros(n * n), room }
    }

    /// Factors W, of which the symmetric part counts; `moves` says for each row whether a force moves it. Pivots below
    /// `least`, relative to the diagonal, belong to rows that depend on others.
    pub fn make(&mut self, w: &[f64], moves: impl Fn(usize) -> bool, least: f64) {
        let n = self.n;
        for i in 0..n {
            self.scale[i] = if moves(i) { 1.0 / w[i * n + i].sqrt() } else { 0.0 };
            self.left[i] = if moves(i) { 1.0 } else { 0.0 };
            self.order[i] = i;
        }
        self.lower.fill(0.0);
        self.rank = 0;
        for k in 0..n {
            // The row of which most is left.
            let mut best = k;
            for i in k..n {
                if self.left[self.order[i]] > self.left[self.order[best]] {
                    best = i;
                }
            }
            self.order.swap(k, best);
            let p = self.order[k];
            if self.left[p] <= least {
                break;
            }
            // Its column of L.
            let pivot = self.left[p].sqrt();
            self.lower[p * n + k] = pivot;
            for &i in &self.order[k + 1..] {
                let c = 0.5 * (w[i * n + p] + w[p * n + i]) * self.scale[i] * self.scale[p];
                let known: f64 = (0..k).map(|j| self.lower[i * n + j] * self.lower[p * n + j]).sum();
                let entry = (c - known) / pivot;
                self.lower[i * n + k] = entry;
                self.left[i] -= entry * entry;
            }
            self.rank += 1;
        }
        if self.rank < n {
            self.make_inner();
        }
    }

    /// How many rows do not depend on others.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Cholesky factor of LᵀL.
    fn make_inner(&mut self) {
        let (n, r) = (self.n, self.rank);
        for i in 0..r {
            for j in 0..=i {
                let dot: f64 = (0..n).map(|row| self.lower[row * n + i] * self.lower[row * n + j]).sum();
                let known: f64 = (0..j).map(|k| self.inner[i * n + k] * self.inner[j * n + k]).sum();
                let entry = dot - known;
                self.inner[i * n + j] = if i == j { entry.sqrt() } else { entry / self.inner[j * n + j] };
            }
        }
    }

    /// `x ← W⁺ x`.
    pub fn solve(&mut self, x: &mut [f64]) {
        let (n, r) = (self.n, self.rank);
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        if r == n {
            // Forward and back in the order of the pivots.
            for k in 0..n {
                let p = self.order[k];
                let known: f64 = (0..k).map(|j| self.lower[p * n + j] * self.room[j]).sum();
                self.room[k] = (x[p] - known) / self.lower[p * n + k];
            }
            for k in (0..n).rev() {
                let p = self.order[k];
                let known: f64 = (k + 1..n).map(|j| self.lower[self.order[j] * n + k] * x[self.order[j]]).sum();
                x[p] = (self.room[k] - known) / self.lower[p * n + k];
            }
        } else {
            self.reduced(x);
            self.solve_inner();
            self.solve_inner();
            self.expanded(x);
        }
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
    }

    /// Removes from `x` the part that has no effect.
    pub fn project(&mut self, x: &mut [f64]) {
        if self.rank == self.n {
            return;
        }
        for (x, s) in x.iter_mut().zip(&self.scale) {
            *x = if *s > 0.0 { *x / s } else { 0.0 };
        }
        self.reduced(x);
        self.solve_inner();
        self.expanded(x);
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
    }

    /// `room = Lᵀ x`.
    fn reduced(&mut self, x: &[f64]) {
        for k in 0..self.rank {
            self.room[k] = (0..self.n).map(|i| self.lower[i * self.n + k] * x[i]).sum();
        }
    }

    /// `x = L room`.
    fn expanded(&self, x: &mut [f64]) {
        for (i, x) in x.iter_mut().enumerate() {
            *x = (0..self.rank).map(|k| self.lower[i * self.n + k] * self.room[k]).sum();
        }
    }

    /// `room ← (LᵀL)⁻¹ room`.
    fn solve_inner(&mut self) {
        let (n, r) = (self.n, self.rank);
        for i in 0..r {
            let known: f64 = (0..i).map(|k| self.inner[i * n + k] * self.room[k]).sum();
            self.room[i] = (self.room[i] - known) / self.inner[i * n + i];
        }
        for i in (0..r).rev() {
            let known: f64 = (i + 1..r).map(|k| self.inner[k * n + i] * self.room[k]).sum();
            self.room[i] = (self.room[i] - known) / self.inner[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// J diag(s) Jᵀ by rows.
    fn mobility(j: &[[f64; 3]], s: [f64; 3]) -> Vec<f64> {
        let entry = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| a[k] * s[k] * b[k]).sum::<f64>();
        j.iter().flat_map(|a| j.iter().map(move |b| entry(a, b))).collect()
    }

    #[test]
    fn a_full_mobility_is_solved() {
        let w = mobility(&[[1.0, 0.2, 0.0], [0.0, 1.0, -3.0], [2.0, 0.5, 1.0]], [1.0, 1e-3, 50.0]);
        let mut factor = Factor::new(3);
        factor.make(&w, |_| true, 1e-10);
        let lambda = [0.3, -2.0, 5.0];
        let mut x: Vec<f64> = (0..3).map(|i| (0..3).map(|k| w[i * 3 + k] * lambda[k]).sum()).collect();
        factor.solve(&mut x);
        assert_eq!(factor.rank(), 3);
        assert!(x.iter().zip(lambda).all(|(x, l)| (x - l).abs() < 1e-9), "{x:?}");
    }

    #[test]
    fn rows_that_depend_on_each_other_share_the_force_that_is_needed() {
        // The third row is the sum of the others, the fourth moves nothing.
        let w = mobility(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0; 3]], [1.0, 1.0, 1.0]);
        let mut factor = Factor::new(4);
        factor.make(&w, |i| i < 3, 1e-10);
        assert_eq!(factor.rank(), 2);
        let lambda = [0.3, -2.0, 5.0, 9.0];
        let mut x: Vec<f64> = (0..4).map(|i| (0..4).map(|k| w[i * 4 + k] * lambda[k]).sum()).collect();
        let wanted = x.clone();
        factor.solve(&mut x);
        // It does the same, and is the smallest: a null vector in the norm of D is at right angles to it.
        for i in 0..4 {
            let does: f64 = (0..4).map(|k| w[i * 4 + k] * x[k]).sum();
            assert!((does - wanted[i]).abs() < 1e-12, "{x:?}");
        }
        let along: f64 = [1.0, 1.0, -2.0].iter().zip(&x).map(|(n, x)| n * x).sum();
        assert!(along.abs() < 1e-12 && x[3] == 0.0, "{x:?}");
        let mut projected = lambda;
        factor.project(&mut projected);
        assert!(projected.iter().zip(&x).all(|(p, x)| (p - x).abs() < 1e-12), "{projected:?} {x:?}");
    }
}
