//! Exact steps of a linear system under polynomial inputs.
//!
//! ```text
//! ẋ = A x + B u(τ),  u(τ) = Σ_j w_j τʲ/j!,  w_j = j! c_j
//! x(h) = F x + Σ_j G_j w_j,      [F G₀ … G_d] = first rows of exp(h [A B 0; 0 0 I; 0 0 0])
//! ```
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | w_j | j-th derivatives of the inputs at the step's start |
//! | d | degree of the inputs |

use macrostep_ode::Polynomials;
use nalgebra::DMatrix;

/// Largest step relative to the fastest rate of a system: beyond it nothing of its phase is left in a number.
const SPAN_MAX: f64 = 1e15;

/// exp(A · step).
///
/// # Errors
/// In words, for a step of more than [`SPAN_MAX`], whose exponential would be rounding and take very long.
pub(crate) fn exponential(a: &DMatrix<f64>, step_s: f64) -> Result<DMatrix<f64>, String> {
    let norm = a.column_iter().map(|column| column.lp_norm(1)).fold(0.0, f64::max) * step_s;
    // NaN is refused, too.
    if norm <= SPAN_MAX {
        return Ok((a * step_s).exp());
    }
    Err(format!(
        "a step of {step_s} s, {norm:e} times the fastest time constant, found, expected at most {SPAN_MAX:e} times"
    ))
}

/// Steps kept: a run has a few lengths and degrees.
const KEPT: usize = 8;

/// [F G₀ … G_d] of one length and degree.
#[derive(Debug, Clone)]
struct Propagator {
    step_s: f64,
    degree: usize,
    rows: DMatrix<f64>,
}

/// A linear system with the steps it was asked for lately.
#[derive(Debug, Clone)]
pub(crate) struct LinearSystem {
    a: DMatrix<f64>,
    b: DMatrix<f64>,
    kept: Vec<Propagator>,
    recent: usize,
    scratch: Vec<f64>,
}

impl LinearSystem {
    /// From A (n × n) and B (n × m).
    pub fn new(a: DMatrix<f64>, b: DMatrix<f64>) -> LinearSystem {
        let scratch = vec![0.0; a.nrows()];
        LinearSystem { a, b, kept: Vec::new(), recent: 0, scratch }
    }

    /// ẋ = A x + B u into `rate`.
    pub fn rate(&self, x: &[f64], u: impl Fn(usize) -> f64, rate: &mut [f64]) {
        for (i, rate) in rate.iter_mut().enumerate() {
            let own: f64 = self.a.row(i).iter().zip(x).map(|(a, x)| a * x).sum();
            let driven: f64 = self.b.row(i).iter().enumerate().map(|(j, b)| b * u(j)).sum();
            *rate = own + driven;
        }
    }

    /// Advances x by `step_s` (s); `u` begins at the step's start.
    ///
    /// # Errors
    /// In words, for a step whose exponential does not exist, and where x left the finite numbers.
    pub fn advance(&mut self, x: &mut [f64], u: &Polynomials, step_s: f64) -> Result<(), String> {
        // The propagator used last mostly serves again; else another one that is kept, or a new one.
        let degree = u.degree();
        let serves = |p: &Propagator| p.step_s == step_s && p.degree == degree;
        if !self.kept.get(self.recent).is_some_and(serves) {
            self.recent = match self.kept.iter().position(serves) {
                Some(found) => found,
                None => self.make(step_s, degree)?,
            };
        }
        // Columns of the propagator, each with its factor.
        let (n, m) = self.b.shape();
        let rows = &self.kept[self.recent].rows;
        self.scratch.fill(0.0);
        let mut add = |column: usize, factor: f64| {
            for (sum, value) in self.scratch.iter_mut().zip(rows.column(column).iter()) {
                *sum += factor * value;
            }
        };
        // F x + Σ_j G_j w_j with w_j = j! c_j.
        x.iter().enumerate().for_each(|(j, x)| add(j, *x));
        let mut factorial = 1.0;
        for j in 0..=degree {
            factorial *= if j > 0 { j as f64 } else { 1.0 };
            for i in 0..m {
                add(n + j * m + i, factorial * u.coefficient(i, j));
            }
        }
        x.copy_from_slice(&self.scratch);
        if x.iter().all(|x| x.is_finite()) {
            Ok(())
        } else {
            Err(format!("the state is not finite after a step of {step_s} s"))
        }
    }

    #[cold]
    fn make(&mut self, step_s: f64, degree: usize) -> Result<usize, String> {
        let (n, m) = self.b.shape();
        let size = n + m * (degree + 1);
        let mut system = DMatrix::zeros(size, size);
        system.view_mut((0, 0), (n, n)).copy_from(&self.a);
        system.view_mut((0, n), (n, m)).copy_from(&self.b);
        for row in n..size - m {
            system[(row, row + m)] = 1.0;
        }
        let made = Propagator { step_s, degree, rows: exponential(&system, step_s)?.rows(0, n).into_owned() };
        if self.kept.len() < KEPT {
            self.kept.push(made);
            return Ok(self.kept.len() - 1);
        }
        let place = (self.recent + 1) % KEPT;
        self.kept[place] = made;
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driven_decay_is_exact() {
        // ẋ = −2 x + 3 + 5 τ: x = c e^{−2τ} + 5τ/2 + 3/2 − 5/4.
        let mut s = LinearSystem::new(DMatrix::from_element(1, 1, -2.0), DMatrix::from_element(1, 1, 1.0));
        let mut u = Polynomials::new(1);
        u.set(0, 0, 3.0);
        u.set(0, 1, 5.0);
        let mut x = [1.0];
        s.advance(&mut x, &u, 0.3).unwrap();
        let exact = 0.75 * (-0.6_f64).exp() + 0.75 + 0.25;
        assert!((x[0] - exact).abs() < 1e-14, "{} {exact}", x[0]);
    }
}
