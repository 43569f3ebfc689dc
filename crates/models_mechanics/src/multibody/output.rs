//! The outputs of a multibody model.

use macrostep_slave::{Fault, Memory};

use super::{Layout, Multibody, failed};
use crate::inverse::invert;
use crate::plants::Plant;

impl<P: Plant> Multibody<P> {
    /// Everything but the interface model, which is that of the next step of the method also between two points of its grid.
    pub(super) fn evaluate_outputs(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        // The interface, now.
        let (tape, layout) = (self.tape, self.layout);
        let (r, first) = (layout.r, layout.outputs());
        let mut scratch = std::mem::take(&mut self.scratch);
        let [position, speed, ..] = &mut scratch;
        let simulation = &self.current(memory)?.simulation;
        simulation.interface(position, speed);
        let note = tape.note(memory);
        memory.reals[first..first + r].copy_from_slice(position);
        memory.reals[first + r..first + 2 * r].copy_from_slice(speed);
        // Holding forces and speeds of the last step stand first in the hidden memory.
        memory.reals[first + 2 * r..first + 4 * r].copy_from_slice(&memory.hidden_reals[..2 * r]);

        // Outputs that all plants have, and those of this one.
        let (energy, violation) = (simulation.energy(), simulation.violation());
        let common = [
            energy.kinetic_j,
            energy.potential_j,
            energy.elastic_j,
            simulation.state().interface_work_j,
            simulation.state().motor_work_j,
            simulation.state().constraint_work_j,
            violation.length_m,
            violation.angle_rad,
            note.residual,
            note.contact_force_n,
        ];
        let own = first + 4 * r + Layout::COMMON;
        memory.reals[first + 4 * r..own].copy_from_slice(&common);
        P::evaluate(simulation, &mut memory.reals[own..own + layout.own]);

        // The statistics of the last step.
        let counts = [note.contacts, note.contact_points, note.pivots, note.active, fold(note.active_hash)];
        for (to, count) in memory.integers[layout.integers..].iter_mut().zip(counts) {
            *to = count as i32;
        }
        self.scratch = scratch;
        self.show_between(memory)?;
        Ok(())
    }

    /// The interface model for the next step, and ẇ with the present forces.
    pub(super) fn evaluate_model(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let (layout, options, step_s) = (self.layout, Self::options(memory), self.next_step_s(memory));
        let (r, packed, t_s) = (layout.r, layout.packed(), memory.time_s);
        let mut scratch = std::mem::take(&mut self.scratch);
        // W and b for the step that is next.
        let simulation = &mut self.current(memory)?.simulation;
        let model = simulation.interface_model(step_s, &options).map_err(failed(t_s))?;
        let (known, computed) = memory.reals.split_at_mut(layout.dense());
        let force = &known[layout.force()..layout.outputs()];
        let [rate, mobility, bias, mass, effective] = parts(computed, [r, packed, r, packed, r]);
        let symmetric = |i: usize, j: usize| 0.5 * (model.mobility[i * r + j] + model.mobility[j * r + i]);
        // ẇ = W λ + b, and the lower triangle of W.
        for i in 0..r {
            let row = model.mobility[i * r..(i + 1) * r].iter().zip(force);
            rate[i] = row.map(|(w, f)| w * f).sum::<f64>() + model.bias[i];
            for j in 0..=i {
                mobility[i * (i + 1) / 2 + j] = symmetric(i, j);
            }
        }
        bias.copy_from_slice(&model.bias);
        // W⁻¹ and W⁻¹ b, zero where W is singular.
        let [inverse, work, ..] = &mut scratch;
        let regular = invert(r, symmetric, inverse, work);
        for i in 0..r {
            let row = &inverse[i * r..(i + 1) * r];
            effective[i] = if regular { row.iter().zip(bias.iter()).map(|(m, b)| m * b).sum() } else { 0.0 };
            for j in 0..=i {
                mass[i * (i + 1) / 2 + j] = if regular { row[j] } else { 0.0 };
            }
        }
        // What the model was made with.
        memory.booleans[1] = regular;
        let at = layout.integers + Layout::STEP_COUNTS;
        memory.integers[at] = model.active as i32;
        memory.integers[at + 1] = fold(model.active_hash) as i32;
        self.scratch = scratch;
        Ok(())
    }
}

/// The first parts of a list, of these lengths.
fn parts<const N: usize>(mut list: &mut [f64], lengths: [usize; N]) -> [&mut [f64]; N] {
    lengths.map(|n| {
        let (part, rest) = std::mem::take(&mut list).split_at_mut(n);
        list = rest;
        part
    })
}

/// A hash in the 32 bits that an Integer of FMI 2.0 has.
fn fold(hash: u64) -> i64 {
    i64::from((hash ^ (hash >> 32)) as u32 as i32)
}
