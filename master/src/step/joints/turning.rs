//! The change of the mobility within a window, which makes the correction of a joint's force right to the first order in H.
//!
//! Velocities of an end follow those of its unit's bodies, v = A(q) u, and forces on it act by Aᵀ. What a force at the time τ
//! before the window's end T does to ġ and g there is, with S = A M⁻¹ Aᵀ summed over units (W = S at the end),
//!
//! ```text
//! ∂ġ(T)/∂λ = (A + Ȧ τ) M⁻¹ (A − Ȧ τ)ᵀ = W − D τ + …,      D = A M⁻¹ Ȧᵀ − Ȧ M⁻¹ Aᵀ = −Dᵀ
//! ∂g(T)/∂λ = τ A M⁻¹ (A − Ȧ τ)ᵀ       = τ W − τ² C + …,   C = A M⁻¹ Ȧᵀ = (Ẇ + D)/2
//! ```
//!
//! over λ = a + b s, s = 1 − τ/H, therefore
//!
//! ```text
//! δ(g/H) = W (H/2 δa + H/6 δb) − C (H²/3 δa + H²/12 δb)
//! δġ     = W (H δa + H/2 δb)   − D (H²/2 δa + H²/6 δb)
//! ```
//!
//! Ẇ is (W(T) − W(T_n))/H. D is in no directional derivative: two runs of a window tell it in one direction u = H²/2 δa + H²/6 δb,
//! D u = e, and the least change of an antisymmetric D that agrees is (e uᵀ − u eᵀ)/uᵀu with the part of e along u left out. It is
//! kept from window to window.

/// Changes of forces smaller than this part of them are rounding.
const NOISE: f64 = 1e-7;

/// What is known of the window under way, and room to work in.
#[derive(Debug, Default)]
pub(super) struct Turning {
    n: usize,
    /// Runs of the window so far; more than two tell nothing new.
    runs: u32,
    /// W at the start of the window.
    start: Vec<f64>,
    /// Forces (a, b) and ġ of the first run.
    forces: [Vec<f64>; 2],
    rate: Vec<f64>,
    u: Vec<f64>,
    e: Vec<f64>,
    /// What D changes by once the window is accepted.
    change: Vec<f64>,
    /// Room for what a solution leaves open.
    pub rest: [Vec<f64>; 2],
}

impl Turning {
    pub fn new(n: usize) -> Self {
        let (zeros, square) = (|| vec![0.0; n], || vec![0.0; n * n]);
        Turning {
            n,
            runs: 0,
            start: square(),
            forces: [zeros(), zeros()],
            rate: zeros(),
            u: zeros(),
            e: zeros(),
            change: square(),
            rest: [zeros(), zeros()],
        }
    }

    /// A window begins with this W.
    pub fn begin(&mut self, mobility: &[f64]) {
        self.start.copy_from_slice(mobility);
        self.change.fill(0.0);
        self.runs = 0;
    }

    /// Whether the window has not been run before.
    pub fn is_first(&self) -> bool {
        self.runs == 0
    }

    /// −C and −D of changes of (a, b), into `out`: what they do to (g/H, ġ) beside what W does; W is that of the end.
    pub fn of(&self, [a, b]: [&[f64]; 2], (w, turn): (&[f64], &[f64]), length_s: f64, out: &mut [Vec<f64>; 2]) {
        let (n, h) = (self.n, length_s * length_s);
        for i in 0..n {
            let (mut gap, mut rate) = (0.0, 0.0);
            for j in 0..n {
                let (k, d) = (i * n + j, turn[i * n + j]);
                gap -= 0.5 * ((w[k] - self.start[k]) / length_s + d) * h * (a[j] / 3.0 + b[j] / 12.0);
                rate -= d * h * (a[j] / 2.0 + b[j] / 6.0);
            }
            (out[0][i], out[1][i]) = (gap, rate);
        }
    }

    /// Takes a run with forces (a, b) that has left `rate`; the second of a window tells what D is.
    pub fn see(&mut self, [a, b]: [&[f64]; 2], rate: &[f64], (w, turn): (&[f64], &[f64]), length_s: f64) {
        let (n, h) = (self.n, length_s);
        if self.runs == 1 {
            // What the change of the forces has done to ġ beside W, which λ takes from it.
            let (mut size, mut moved) = (0.0f64, 0.0f64);
            for i in 0..n {
                let (da, db) = (a[i] - self.forces[0][i], b[i] - self.forces[1][i]);
                self.u[i] = h * h * (da / 2.0 + db / 6.0);
                moved = moved.max(da.abs()).max(db.abs());
                size = size.max(a[i].abs()).max(b[i].abs());
            }
            // e: the fall of ġ by W and the D known so far, less the fall that was seen.
            for i in 0..n {
                let row = i * n..(i + 1) * n;
                let parts = w[row.clone()].iter().zip(&turn[row]).enumerate();
                let known = parts.map(|(j, (w, d))| {
                    let (da, db) = (a[j] - self.forces[0][j], b[j] - self.forces[1][j]);
                    w * (h * da + h / 2.0 * db) - d * self.u[j]
                });
                self.e[i] = known.sum::<f64>() - (self.rate[i] - rate[i]);
            }
            // A change of forces that is no more than rounding tells nothing.
            let square: f64 = self.u.iter().map(|u| u * u).sum();
            if moved > NOISE * size && square > 0.0 && self.e.iter().all(|e| e.is_finite()) {
                self.change_by(square);
            }
        }
        // The first run is what the second is compared with.
        if self.runs == 0 {
            self.forces[0].copy_from_slice(a);
            self.forces[1].copy_from_slice(b);
            self.rate.copy_from_slice(rate);
        }
        self.runs = (self.runs + 1).min(2);
    }

    /// The least antisymmetric change with which D u grows by e, but for the part of e along u.
    fn change_by(&mut self, square: f64) {
        let n = self.n;
        let along = self.u.iter().zip(&self.e).map(|(u, e)| u * e).sum::<f64>() / square;
        for i in 0..n {
            self.e[i] -= along * self.u[i];
        }
        for i in 0..n {
            for j in 0..n {
                self.change[i * n + j] = (self.e[i] * self.u[j] - self.u[i] * self.e[j]) / square;
            }
        }
    }

    /// The window is one of the run.
    pub fn accept(&self, turn: &mut [f64]) {
        turn.iter_mut().zip(&self.change).for_each(|(d, change)| *d += change);
    }
}
