//! The oscillator in one piece by semi-implicit Euler, the benchmark's reference integrator:
//!
//! ```text
//!     ẋ_{k+1} = ẋ_k + h ẍ_k ,      x_{k+1} = x_k + h ẋ_{k+1}                                               (7)
//! ```
//!
//! Order 1. A co-simulation with hold, Jacobi and the same integrator at h = H performs the same arithmetic.
//!
//! | symbol | code | unit | meaning |
//! |---|---|---|---|
//! | h | `h_s` | s | step |
//!
//! Reference: [LIM 2021], equation (7).

use crate::State;
use crate::parameters::{ParameterError, Parameters};

/// The states at t = 0, h, 2h, … by equation (7), without end: take as many as needed.
#[derive(Debug, Clone)]
pub struct Monolithic {
    parameters: Parameters,
    h_s: f64,
    z: State,
}

impl Monolithic {
    /// Starts at t = 0 with step `h_s` in s.
    ///
    /// # Errors
    /// Those of [`Parameters::validate`].
    pub fn new(parameters: &Parameters, h_s: f64) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self { parameters: *parameters, h_s, z: parameters.start() })
    }
}

impl Iterator for Monolithic {
    type Item = State;

    fn next(&mut self) -> Option<State> {
        let now = self.z;
        let a = self.parameters.acceleration(&now);
        for i in 0..2 {
            self.z[i + 2] = now[i + 2] + self.h_s * a[i];
            self.z[i] = now[i] + self.h_s * self.z[i + 2];
        }
        Some(now)
    }
}
