//! Directional derivatives: `∂ẇ/∂λ_i = W`, and 0 for everything that an interface force reaches only through a step.

use macrostep_slave::{Fault, Memory};

use super::{Layout, Multibody, failed};
use crate::plants::Plant;

/// Value references of unknowns and knowns, and the changes of both.
pub(super) struct Along<'a> {
    pub unknown: &'a [u32],
    pub known: &'a [u32],
    pub d_known: &'a [f64],
    pub d_unknown: &'a mut [f64],
}

impl<P: Plant> Multibody<P> {
    /// In `initial`isation b follows the forces through the
    /// look-ahead, which has no derivative where sets change; only what is constant there has one.
    pub(super) fn differentiate(&mut self, memory: &Memory, initial: bool, along: Along<'_>) -> Result<(), Fault> {
        let Along { unknown, known, d_known, d_unknown } = along;
        let layout = self.layout;
        // Outputs that no force changes at once, and where ẇ stands.
        let (forces, r) = (layout.force()..layout.outputs(), layout.r);
        let (constant, dense) = (layout.outputs()..layout.outputs() + 4 * r, layout.dense());
        // Knowns are interface forces.
        for &u in unknown {
            let u = u as usize;
            let allowed = if initial { constant.contains(&u) } else { u >= layout.outputs() };
            let wrong = known.iter().find(|k| !allowed || !forces.contains(&(**k as usize)));
            if let Some(&k) = wrong {
                let name = |reference: usize| self.name(reference);
                let (unknown, known) = (name(u), name(k as usize));
                return Err(Fault::NotDifferentiable { unknown, known, phase: memory.phase });
            }
        }
        // Only ẇ follows them at once, and its slopes are W.
        d_unknown.fill(0.0);
        if initial || !unknown.iter().any(|u| (dense..dense + r).contains(&(*u as usize))) {
            return Ok(());
        }
        let (options, step_s) = (Self::options(memory), self.next_step_s(memory));
        let simulation = &mut self.current(memory)?.simulation;
        let model = simulation.interface_model(step_s, &options).map_err(failed(memory.time_s))?;
        // W is made symmetric, as it is published.
        for (u, d) in unknown.iter().zip(d_unknown) {
            let row = (*u as usize).wrapping_sub(dense);
            if row < r {
                let entry = |k: &u32| {
                    0.5 * (model.mobility[row * r + *k as usize - forces.start]
                        + model.mobility[(*k as usize - forces.start) * r + row])
                };
                *d = known.iter().zip(d_known).map(|(k, dk)| entry(k) * dk).sum();
            }
        }
        Ok(())
    }

    /// Name of a real, for messages.
    fn name(&self, reference: usize) -> String {
        let layout = self.layout;
        match reference {
            Layout::STEP => "communication_step".to_owned(),
            k if layout.force() <= k && k < layout.outputs() => format!("lam_i[{}]", k - layout.force() + 1),
            k if k < layout.force() => format!("parameter {k}"),
            k => format!("output {k}"),
        }
    }
}
