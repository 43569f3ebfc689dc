//! The interface model as an input predictor: the speed that a slow unit has at its interface, integrated on the grid of
//! the fast unit that drives it, `ẇ = W λ + b`.
//!
//! ```text
//! w_{k+1} = w_k + h_f (W λ_k + b)      λ_k as the fast unit has it before its micro step
//! s_{k+1} = s_k + h_f w_{k+1}          w_0, s_0, W, b as the slow unit gave them at the communication point
//! ```
//!
//! The fast unit is any that takes speeds (and positions, where it wants them) and gives forces: it is stepped once a
//! micro step with w_{k+1} and s_k. Handing the *mean* of λ_0 … λ_{N−1} to the slow unit, and letting the fast unit go
//! first, keeps the impulse: `w_N` is then the speed the slow unit will have, as long as its active set holds.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | r | `width` | interface coordinates |
//! | λ | `force` | interface forces (N), outputs of the fast unit |
//! | w, s | `speed`, `position` | interface speeds (m/s) and positions (m), outputs of the slow unit |
//! | W | `mobility` | lower triangle by rows, r (r + 1)/2 outputs of the slow unit (1/kg) |
//! | b | `bias` | outputs of the slow unit (m/s²) |
//! | h_f | `step_s` | micro step (s), the communication step of the fast unit |
//!
//! Reference: \[Peiret\] eq. (4), in mobility form, so that a locked interface (W = 0) is no special case.

/// Values of an [`InterfaceModel`](crate::predict::InterfaceModel) at a communication point, and the motion it predicts since.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// w, r numbers.
    pub speed: Vec<f64>,
    /// s, r numbers.
    pub position: Vec<f64>,
    /// λ, r numbers.
    pub force: Vec<f64>,
    /// W, packed.
    pub mobility: Vec<f64>,
    /// b, r numbers.
    pub bias: Vec<f64>,
}

impl Motion {
    /// At rest at zero.
    pub fn new(r: usize) -> Self {
        let zeros = || vec![0.0; r];
        let mobility = vec![0.0; r * (r + 1) / 2];
        Motion { speed: zeros(), position: zeros(), force: zeros(), mobility, bias: zeros() }
    }

    /// One micro step of the speed; the position follows with [`Motion::drift`].
    #[inline]
    pub fn kick(&mut self, step_s: f64) {
        let r = self.speed.len();
        for i in 0..r {
            let place = |j: usize| if i >= j { i * (i + 1) / 2 + j } else { j * (j + 1) / 2 + i };
            let push = (0..r).map(|j| self.mobility[place(j)] * self.force[j]).sum::<f64>();
            self.speed[i] += step_s * (push + self.bias[i]);
        }
    }

    /// One micro step of the position with the present speed.
    #[inline]
    pub fn drift(&mut self, step_s: f64) {
        for (s, w) in self.position.iter_mut().zip(&self.speed) {
            *s += step_s * w;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_force_gives_the_closed_form() {
        let mut m = Motion::new(2);
        m.mobility.copy_from_slice(&[2.0, 0.5, 3.0]);
        m.force.copy_from_slice(&[1.0, -2.0]);
        m.bias.copy_from_slice(&[-0.25, 4.0]);
        for _ in 0..100 {
            m.kick(0.01);
            m.drift(0.01);
        }
        // ẇ = (2 − 1 − 0.25, 0.5 − 6 + 4); semi-implicit Euler adds half a step.
        for (i, rate) in [0.75, -1.5].into_iter().enumerate() {
            assert!((m.speed[i] - rate).abs() < 1e-13 && (m.position[i] - 0.505 * rate).abs() < 1e-13);
        }
    }
}
