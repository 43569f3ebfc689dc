//! Directional derivatives of a system at a communication point, as central differences over its inputs.
//!
//! ```text
//! dy = (8 (y(u + ε d) − y(u − ε d)) − (y(u + 2 ε d) − y(u − 2 ε d))) / 12 ε
//! ```
//!
//! Outputs are evaluated as after a step, through units, connections, laws and loops. ε moves no input by more than 2⁻⁹ of its
//! size, or of 1 where it is smaller: rounding then is about 1e-13 of the output, and what outputs have of the fifth power of the
//! inputs adds 1e-12 of it.

use macrostep_master::RunError;
use macrostep_master::record::Observer;

use crate::running::Running;

/// The largest change of an input, as a part of its size.
const PART: f64 = 1.0 / 512.0;

impl Running {
    /// Changes of outputs for changes of inputs. `known` are places among the real inputs with their changes, `unknown` places among
    /// the outputs.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn tangent(
        &mut self,
        known: &[(usize, f64)],
        unknown: &[usize],
        d_unknown: &mut [f64],
    ) -> Result<(), RunError> {
        // The longest way in this direction.
        let reach = |(i, d): &(usize, f64)| PART * self.told_value(*i).abs().max(1.0) / d.abs();
        let epsilon = known.iter().filter(|(_, d)| *d != 0.0).map(reach).fold(f64::INFINITY, f64::min);
        if epsilon.is_infinite() {
            d_unknown.fill(0.0);
            return Ok(());
        }
        // To both sides, and back.
        let [above, below, far_above, far_below] = [1.0, -1.0, 2.0, -2.0].map(|n| self.outputs_at(known, n * epsilon));
        self.outputs_at(known, 0.0)?;
        let (above, below, far_above, far_below) = (above?, below?, far_above?, far_below?);
        for (d, &place) in d_unknown.iter_mut().zip(unknown) {
            let (near, far) = (above[place] - below[place], far_above[place] - far_below[place]);
            *d = (8.0 * near - far) / (12.0 * epsilon);
        }
        Ok(())
    }

    /// The outputs with inputs so far from what was told last.
    fn outputs_at(&mut self, known: &[(usize, f64)], epsilon: f64) -> Result<Vec<f64>, RunError> {
        for &(i, d) in known {
            let mut polynomial = self.told_polynomial(i);
            polynomial[0] += epsilon * d;
            self.simulation.set_outside(i, &polynomial);
        }
        self.simulation.refresh()?;
        let mut row = Row::default();
        self.simulation.observe(&mut row)?;
        Ok(row.0)
    }
}

/// Keeps a row.
#[derive(Default)]
struct Row(Vec<f64>);

impl Observer for Row {
    fn row(&mut self, _t_s: f64, values: &[f64]) {
        self.0 = values.to_vec();
    }
}
