//! Linear systems of a fixed active set, `G_a z = −g` with `G_a = A_a M⁻¹ A_aᵀ + C_a`, refined once.
//!
//! Reduced to the bounded rows the matrix is `S_aa`; when sliding rows follow their normal row it is
//! `S_aa + Σ s μ S_at` and not symmetric. `S` is a difference of nearly equal terms wherever bounded rows nearly repeat
//! the joints, so the residual is computed again from the velocities `M⁻¹ Aᵀ z` and solved for a correction: that is
//! what makes the identity (I) hold to rounding with small compliance.

use macrostep_mlcp::{Set, dense};

use crate::{
    algebra::{Twist, ZERO},
    configuration::Configuration,
    row::{Bounds, Row},
};

/// An active set, its factor, and the last solution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Active {
    pub set: Vec<Set>,
    /// Bounded rows strictly inside their bounds.
    pub rows: Vec<usize>,
    /// `(sliding row, place of its normal row in rows, s μ)`.
    pub slaves: Vec<(usize, usize, f64)>,
    factor: Vec<f64>,
    exchange: Vec<usize>,
    /// Impulses of the equations.
    pub z_b: Vec<f64>,
    /// Impulses of the bounded rows: active ones and slaves.
    pub z_u: Vec<f64>,
    /// `M⁻¹ Aᵀ z`.
    pub response: Vec<Twist>,
    rhs_b: Vec<f64>,
    rhs_u: Vec<f64>,
    reduced: Vec<f64>,
    z_a: Vec<f64>,
}

impl Active {
    /// Takes over `set` and factors its block; sliding rows follow their normal rows when `slaved`.
    pub fn factor(&mut self, c: &Configuration, set: &[Set], slaved: bool) -> Result<(), dense::Breakdown> {
        // Active rows are those inside their bounds; sliding rows may follow them.
        self.set.clear();
        self.set.extend_from_slice(set);
        self.rows.clear();
        self.rows.extend((0..set.len()).filter(|&u| set[u] == Set::Inside));
        self.slaves.clear();
        if slaved {
            self.enslave(c);
        }
        // S_aa, symmetric where no row follows another.
        let n = self.rows.len();
        self.factor.clear();
        for &u in &self.rows {
            let row = c.problem.matrix_row(u);
            self.factor.extend(self.rows.iter().map(|&v| row[v]));
        }
        if self.slaves.is_empty() {
            return dense::cholesky(&mut self.factor, n);
        }
        // Plus s μ S_at in the columns of the normal rows.
        for &(t, column, factor) in &self.slaves {
            for (k, &u) in self.rows.iter().enumerate() {
                self.factor[k * n + column] += factor * c.problem.matrix_row(u)[t];
            }
        }
        dense::lu(&mut self.factor, n, &mut self.exchange)
    }

    /// Lists the sliding rows whose normal row is active.
    fn enslave(&mut self, c: &Configuration) {
        for (t, bounded) in c.bounded.iter().enumerate() {
            let Bounds::Friction { normal, coefficient } = bounded.bounds else { continue };
            if self.set[t] == Set::Inside {
                continue;
            }
            if let Ok(place) = self.rows.binary_search(&normal) {
                self.slaves.push((t, place, self.set[t].sign() * coefficient));
            }
        }
    }

    /// Solves for the right-hand side `g` of each active row; leaves `z_b`, `z_u` and `response`.
    pub fn solve(&mut self, c: &Configuration, bodies: usize, g: impl Fn(&Row) -> f64) {
        self.clear(c, bodies);
        for _ in 0..2 {
            self.slack(c, &g, None);
            self.correct(c);
        }
    }

    /// Solves once for the slack that a given solution leaves, `g + C z`, where `g` has its velocities in it.
    pub fn refine(&mut self, c: &Configuration, bodies: usize, g: impl Fn(&Row) -> f64, z_b: &[f64], z_u: &[f64]) {
        self.clear(c, bodies);
        self.slack(c, &g, Some((z_b, z_u)));
        self.correct(c);
    }

    fn clear(&mut self, c: &Configuration, bodies: usize) {
        self.z_b.clear();
        self.z_b.resize(c.bilateral.len(), 0.0);
        self.z_u.clear();
        self.z_u.resize(c.bounded.len(), 0.0);
        self.response.clear();
        self.response.resize(bodies, ZERO);
    }

    /// `g + A M⁻¹ Aᵀ z + C z` of the active rows, with the impulses of this solution or of `other`.
    fn slack(&mut self, c: &Configuration, g: &impl Fn(&Row) -> f64, other: Option<(&[f64], &[f64])>) {
        let (z_b, z_u) = other.unwrap_or((&self.z_b, &self.z_u));
        let response = &self.response;
        let slack = |row: &Row, z: f64| g(row) + row.rate(response) + row.compliance * z;
        self.rhs_b.clear();
        self.rhs_b.extend(c.bilateral.iter().zip(z_b).map(|(row, &z)| slack(row, z)));
        self.rhs_u.clear();
        self.rhs_u.resize(c.bounded.len(), 0.0);
        for &u in &self.rows {
            self.rhs_u[u] = slack(&c.bounded[u].row, z_u[u]);
        }
    }

    /// Adds the solution for the right-hand sides in `rhs_b`, `rhs_u`.
    fn correct(&mut self, c: &Configuration) {
        // Active rows: S_aa z_a = −g_u + X_uᵀ L⁻¹ g_b.
        let rhs_u = &self.rhs_u;
        c.reduce(&mut self.rhs_b, |u| rhs_u[u], &mut self.reduced);
        self.z_a.clear();
        self.z_a.extend(self.rows.iter().map(|&u| -self.reduced[u]));
        let n = self.rows.len();
        if self.slaves.is_empty() {
            dense::cholesky_solve(&self.factor, n, &mut self.z_a);
        } else {
            dense::lu_solve(&self.factor, n, &self.exchange, &mut self.z_a);
        }
        // Their impulses, and s μ times the normal one of the rows that follow.
        self.rhs_u.fill(0.0);
        for (&u, &z) in self.rows.iter().zip(&self.z_a) {
            self.rhs_u[u] = z;
        }
        for &(t, place, factor) in &self.slaves {
            self.rhs_u[t] = factor * self.z_a[place];
        }
        // Impulses of the equations that go with them, and what all do to the velocities.
        c.expand(&mut self.rhs_b, &self.rhs_u);
        for ((row, z), &dz) in c.bilateral.iter().zip(&mut self.z_b).zip(&self.rhs_b) {
            *z += dz;
            row.push(&mut self.response, dz);
        }
        for ((b, z), &dz) in c.bounded.iter().zip(&mut self.z_u).zip(&self.rhs_u) {
            if dz != 0.0 {
                *z += dz;
                b.row.push(&mut self.response, dz);
            }
        }
    }
}
