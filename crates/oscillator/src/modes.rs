//! Eigenfrequencies and damping ratios.
//!
//! ```text
//!     undamped:  det(K − ω² M) = 0                     two frequencies
//!     damped:    A v = λ v ,  ω = |λ| ,  ζ = −Re λ / |λ|      a pair λ, λ* is one oscillation, a real λ a decay
//! ```
//!
//! | symbol | code | unit | meaning |
//! |---|---|---|---|
//! | λ | `re`, `im` | 1/s | eigenvalue of A |
//! | ω | `omega` | rad/s | natural frequency |
//! | ζ | `zeta` | 1 | damping ratio: 0 undamped, below 1 an oscillation, 1 a decay |
//!
//! Reference: [LIM 2021], equations (1) and (5).

use nalgebra::Complex;

use crate::Parameters;

/// One motion of the form e^{λt}.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Re λ in 1/s, 0 or below.
    pub re: f64,
    /// |Im λ| in rad/s, the frequency seen; 0 for a decay.
    pub im: f64,
    /// Natural frequency |λ| in rad/s.
    pub omega: f64,
    /// Damping ratio −Re λ / |λ|; 0 for a free mass, where λ = 0.
    pub zeta: f64,
}

impl Parameters {
    /// ω1 ≤ ω2 in rad/s of the oscillator with its dampers taken away, to a few rounding errors.
    ///
    /// They are the roots of the quadratic det(K − ω²M) = 0, the smaller by way of the product of both, so that it is not a
    /// difference of large numbers.
    pub fn eigenfrequencies(&self) -> [f64; 2] {
        let a = (self.k[0] + self.k_c) / self.m[0];
        let b = (self.k[1] + self.k_c) / self.m[1];
        let mixed = self.k_c / self.m[0] * (self.k_c / self.m[1]);
        let large = 0.5 * ((a + b) + ((a - b) * (a - b) + 4.0 * mixed).sqrt());
        // det K = k1 k2 + k_c (k1 + k2), free of cancellation.
        let det = (self.k[0] * self.k[1] + self.k_c * (self.k[0] + self.k[1])) / (self.m[0] * self.m[1]);
        let small = if large > 0.0 { det / large } else { 0.0 };
        [small.sqrt(), large.sqrt()]
    }

    /// All motions e^{λt} of the damped oscillator, slowest |λ| first: two to four of them.
    ///
    /// To about 1e-13 relative, but where two eigenvalues meet (critical damping, a free mass) only to about 1e-7, because
    /// there they move with the square root of any rounding.
    pub fn modes(&self) -> Vec<Mode> {
        let mut modes: Vec<Mode> =
            self.system_matrix().complex_eigenvalues().iter().filter(|lambda| lambda.im >= 0.0).map(mode).collect();
        modes.sort_by(|left, right| left.omega.total_cmp(&right.omega));
        modes
    }
}

fn mode(lambda: &Complex<f64>) -> Mode {
    let omega = lambda.norm();
    let zeta = if omega > 0.0 { -lambda.re / omega } else { 0.0 };
    Mode { re: lambda.re, im: lambda.im, omega, zeta }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_1_has_the_frequencies_of_the_closed_form() {
        let [slow, fast] = Parameters::case_1().eigenfrequencies();
        assert!((slow - 10.0).abs() < 1e-14 && (fast - 1110f64.sqrt()).abs() < 1e-14);

        let modes = Parameters::case_1().modes();
        assert_eq!(modes.len(), 2);
        assert!((modes[0].omega - slow).abs() < 1e-11 && (modes[1].omega - fast).abs() < 1e-11);
        assert!(modes.iter().all(|mode| mode.zeta.abs() < 1e-12));
    }

    /// With masses and springs that all differ: det(K − ω² M) = 0, written out.
    #[test]
    fn frequencies_of_unequal_masses_are_roots_of_the_determinant() {
        let p = Parameters { m: [0.5, 3.0], k: [70.0, 20.0], k_c: 40.0, ..Parameters::case_1() };
        let [slow, fast] = p.eigenfrequencies();
        for omega in [slow, fast] {
            let square = omega * omega;
            let det = (p.k[0] + p.k_c - square * p.m[0]) * (p.k[1] + p.k_c - square * p.m[1]) - p.k_c * p.k_c;
            assert!(det.abs() < 1e-10, "{omega}: {det}");
        }
        assert!(slow < fast);
    }

    #[test]
    fn modes_satisfy_the_invariants_of_the_characteristic_polynomial() {
        // Sum of all λ = trace A, product of all λ = det A, each pair counted twice.
        for parameters in [Parameters::case_2(), Parameters::test_model()] {
            let modes = parameters.modes();
            assert_eq!(modes.len(), 2);
            let trace = parameters.system_matrix().trace();
            let det = parameters.system_matrix().determinant();
            let sum: f64 = modes.iter().map(|mode| 2.0 * mode.re).sum();
            let product: f64 = modes.iter().map(|mode| mode.omega * mode.omega).product();
            assert!((sum / trace - 1.0).abs() < 1e-10, "{sum} {trace}");
            assert!((product / det - 1.0).abs() < 1e-12, "{product} {det}");
            assert!(modes.iter().all(|mode| mode.zeta > 0.0 && mode.zeta < 1.0));
        }
    }

    #[test]
    fn a_strongly_damped_oscillator_has_four_decays() {
        // Uncoupled: λ² + c λ + k = 0 with c = 5, k = 4 gives −1 and −4; with c = 10, k = 16 gives −2 and −8.
        let parameters = Parameters { k: [4.0, 16.0], c: [5.0, 10.0], k_c: 0.0, c_c: 0.0, ..Parameters::case_1() };
        let omega: Vec<f64> = parameters.modes().iter().map(|mode| mode.omega).collect();
        assert_eq!(omega.len(), 4);
        for (found, expected) in omega.iter().zip([1.0, 2.0, 4.0, 8.0]) {
            assert!((found - expected).abs() < 1e-12, "{omega:?}");
        }
        assert!(parameters.modes().iter().all(|mode| mode.im == 0.0 && (mode.zeta - 1.0).abs() < 1e-15));
    }
}
