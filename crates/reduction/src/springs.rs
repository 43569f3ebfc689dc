//! A field of springs to the ground, one vertical spring per node: F_y = −k (y − y₀).

use crate::Error;

/// Springs of equal stiffness under the nodes of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct SpringField {
    stiffness_n_m: f64,
    rest: Vec<f64>,
    components: usize,
}

impl SpringField {
    /// Springs of stiffness k (N/m) at rest in the given positions, `components` values a node, the second of them vertical.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a stiffness that is negative or not finite, [`Error::Shape`] for fewer than two components.
    pub fn new(stiffness_n_m: f64, rest: Vec<f64>, components: usize) -> Result<Self, Error> {
        if !(stiffness_n_m.is_finite() && stiffness_n_m >= 0.0) {
            let expected = "a number not below zero";
            return Err(Error::Parameter { name: "stiffness_n_m", value: stiffness_n_m, expected });
        }
        if components < 2 {
            return Err(Error::Shape { what: "components per node", found: components, expected: 2 });
        }
        Ok(Self { stiffness_n_m, rest, components })
    }

    /// Forces (N) on the nodes at `positions` (m), all components.
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths do not fit.
    pub fn forces(&self, positions: &[f64], forces: &mut [f64]) -> Result<(), Error> {
        for found in [positions.len(), forces.len()] {
            if found != self.rest.len() {
                return Err(Error::Shape { what: "values of the spring field", found, expected: self.rest.len() });
            }
        }
        for (i, force) in forces.iter_mut().enumerate() {
            let vertical = i % self.components == 1;
            *force = if vertical { -self.stiffness_n_m * (positions[i] - self.rest[i]) } else { 0.0 };
        }
        Ok(())
    }
}
