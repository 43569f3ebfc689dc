//! A step made from node to node, where a unit without dense output is to be sampled inside it.

use super::{UnitPort, UnitPortState};
use crate::step::dense::{Dense, DenseState};
use crate::system::refresh::Refresh;
use crate::unit::{Outcome, UnitError};

impl UnitPort {
    /// A step with polynomial inputs, those in `inputs.segments`, in parts that end at the nodes. Outputs are read after each part but
    /// the last; a part that is not finished ends the step.
    pub(super) fn step_by_nodes(
        &mut self,
        state: &mut UnitPortState,
        t_s: f64,
        length_s: f64,
        keep: bool,
    ) -> Result<Outcome, UnitError> {
        let (Some(mut dense), Some(mut samples)) = (self.dense.take(), state.dense.take()) else {
            return self.follow(state, t_s, length_s, keep);
        };
        // The inputs over the whole step are kept meanwhile: accounts look at them after it.
        exchange(&mut dense, self);
        let outcome =
            self.parts(state, &mut Sampled { dense: &mut dense, samples: &mut samples }, (t_s, length_s), keep);
        exchange(&mut dense, self);
        (self.dense, state.dense) = (Some(dense), Some(samples));
        outcome
    }

    fn parts(
        &mut self,
        state: &mut UnitPortState,
        sampled: &mut Sampled<'_>,
        (t_s, length_s): (f64, f64),
        keep: bool,
    ) -> Result<Outcome, UnitError> {
        let Sampled { dense, samples } = sampled;
        let (q, mut from) = (dense.nodes.len(), 0.0);
        for i in 1..=q {
            // The part of the inputs up to the next node.
            let to = dense.nodes[i - 1];
            for (part, whole) in self.inputs.segments.iter_mut().zip(dense.stepped().into_iter().flatten()) {
                whole.part(from, to - from, part);
            }
            let outcome = self.follow(state, t_s + from * length_s, (to - from) * length_s, keep)?;
            if outcome != Outcome::Done {
                return Ok(outcome);
            }
            // What the unit is at the node; its values at the end are read as those of every step.
            if i < q {
                self.read_node(state, dense.row(samples, i))?;
            }
            from = to;
        }
        Ok(Outcome::Done)
    }

    /// Reads all sampled outputs between two parts of a step. Those that follow inputs at once are brought to the inputs' values of
    /// that instant, where the unit holds those of an earlier one.
    fn read_node(&mut self, state: &mut UnitPortState, row: &mut [f64]) -> Result<(), UnitError> {
        let (x, y) = (&mut self.inputs, &mut self.outputs);
        self.unit.get_real(&y.refs, row)?;
        if x.interpolates() || y.refresh == Refresh::Reported || y.refresh_refs.is_empty() {
            return Ok(());
        }
        for (value, part) in x.values.iter_mut().zip(&x.segments) {
            *value = part.at(1.0);
        }
        if y.refresh == Refresh::GetAfterSet {
            x.set(self.unit.as_mut())?;
            self.unit.get_real(&y.refresh_refs, &mut y.refreshed)?;
        } else {
            x.respond(&state.inputs, self.unit.as_mut(), (&y.refresh_refs, &mut y.refreshed))?;
            y.refreshed.iter_mut().zip(&y.refresh_places).for_each(|(d, &place)| *d += row[place]);
        }
        for (&place, &v) in y.refresh_places.iter().zip(&y.refreshed) {
            row[place] = v;
        }
        Ok(())
    }
}

/// The nodes of a step, and what is read at them.
struct Sampled<'a> {
    dense: &'a mut Dense,
    samples: &'a mut DenseState,
}

/// Puts the inputs' polynomials in the place of those that are kept for the whole step.
fn exchange(dense: &mut Dense, unit_port: &mut UnitPort) {
    if let Some(whole) = dense.stepped() {
        std::mem::swap(whole, &mut unit_port.inputs.segments);
    }
}
