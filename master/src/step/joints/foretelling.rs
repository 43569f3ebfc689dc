//! The force of joints in windows that are run once, for units that cannot go back.
//!
//! What a window leaves open says which force would have closed it, λ_n = a_n + b_n s: the correction is added, but to no run. Of
//! these forces the next one is extrapolated by a parabola, and to it comes what takes back the gap g and its rate ġ at the
//! window's start by its end,
//!
//! ```text
//! W H (δa/2 + δb c) = g/H + ġ,      W H (δa + δb/2) = ġ
//! ```
//!
//! so that nothing drifts and there is nothing to tune: a joint is open by what the extrapolation misses, H² W (δa/2 + δb/6), of
//! order 5 in H. The force that is extrapolated has no part of what takes back: it does not ring. The first window begins with the
//! force that keeps the accelerations of the ends together. W must come from directional derivatives: differences would have to
//! repeat windows. Reference: \[Gear 1985\] for keeping position and velocity at once.

use super::Joints;
use super::prediction::{foretold, known};
use super::state::JointsState;
use crate::error::RunError;
use crate::signal::history::History;
use crate::step::unit_port::UnitPort;
use crate::time::Span;
use crate::unit::UnitError;

impl Joints {
    /// Puts the forces of the window over `span` into the histories.
    ///
    /// # Errors
    /// Those of the units, or [`RunError::Unmoved`] for a joint that no force moves.
    pub fn foretell(
        &mut self,
        state: &JointsState,
        unit_ports: &mut [UnitPort],
        histories: &mut [History],
        span: &Span,
    ) -> Result<(), RunError> {
        let (end, length_s) = (span.to, span.length_s);
        self.prepare(state, (&mut *unit_ports, &*histories), span.from)?;
        // What takes back what is open now.
        for i in 0..self.rows() {
            (self.by_a[i], self.by_b[i]) = (self.gap[i] / length_s + self.rate[i], self.rate[i]);
        }
        self.solve(length_s);
        self.returned[0].copy_from_slice(&self.by_a);
        self.returned[1].copy_from_slice(&self.by_b);
        // The force at the very start, where nothing is known of it.
        self.by_a.fill(0.0);
        if self.channels().all(|(channel, _)| known(&histories[channel]) == 0) {
            self.hold_together(unit_ports)?;
        }
        for (i, joint) in self.list.iter_mut().enumerate() {
            let (history, m) = (&mut histories[self.first + i], joint.rows.len());
            foretold(history, end, &mut joint.row);
            for (k, row) in joint.rows.clone().enumerate() {
                joint.row[k] += self.by_a[row] + self.returned[0][row];
                joint.row[m + k] += self.returned[1][row];
            }
            history.put(end, &joint.row);
        }
        Ok(())
    }

    /// The force that keeps the accelerations of the ends together, into `by_a`: W λ = G v̇, as far as G stays as it is.
    fn hold_together(&mut self, unit_ports: &mut [UnitPort]) -> Result<(), UnitError> {
        for touch in &mut self.touches {
            unit_ports[touch.unit].unit.get_real(&touch.accelerations, &mut touch.answer)?;
            for (answer, term) in touch.answer.iter().zip(&touch.terms) {
                let joint = &self.list[term.joint];
                for (i, slopes) in joint.rows.clone().zip(joint.slopes.chunks_exact(joint.v.len())) {
                    self.by_a[i] += slopes[term.column] * answer;
                }
            }
        }
        self.factor.solve(&mut self.by_a);
        Ok(())
    }
}
