//! The outputs of a multibody model.

use macrostep_slave::{Fault, Memory};

use super::{Layout, Multibody, failed};
use crate::plants::Plant;

impl<P: Plant> Multibody<P> {
    /// Everything but the interface model.
    pub(super) fn evaluate_outputs(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let (tape, layout) = (self.tape, self.layout);
        let (r, first) = (layout.r, layout.outputs());
        let (mut position, mut speed) = (Vec::with_capacity(r), Vec::with_capacity(r));
        let simulation = &self.current(memory)?.simulation;
        simulation.interface(&mut position, &mut speed);
        let note = tape.note(memory);
        memory.reals[first..first + r].copy_from_slice(&position);
        memory.reals[first + r..first + 2 * r].copy_from_slice(&speed);
        let holding: Vec<f64> = tape.holding(memory).to_vec();
        memory.reals[first + 2 * r..first + 3 * r].copy_from_slice(&holding);

        let (energy, violation) = (simulation.energy(), simulation.violation());
        let common = [
            energy.kinetic_j,
            energy.potential_j,
            energy.elastic_j,
            simulation.state().interface_work_j,
            violation.length_m,
            violation.angle_rad,
            note.residual,
            note.contact_force_n,
        ];
        let own = first + 3 * r + Layout::COMMON;
        memory.reals[first + 3 * r..own].copy_from_slice(&common);
        P::evaluate(simulation, &mut memory.reals[own..own + layout.own]);

        let counts = [note.contacts, note.contact_points, note.pivots, note.active, fold(note.active_hash)];
        for (to, count) in memory.integers[layout.integers..].iter_mut().zip(counts) {
            *to = count as i32;
        }
        Ok(())
    }

    /// The interface model for the next step, and ẇ with the present forces.
    pub(super) fn evaluate_model(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let (layout, options, step_s) = (self.layout, Self::options(memory), memory.reals[Layout::STEP]);
        let (r, packed, t_s) = (layout.r, layout.packed(), memory.time_s);
        let simulation = &mut self.current(memory)?.simulation;
        let model = simulation.interface_model(step_s, &options).map_err(failed(t_s))?;
        let force = &memory.reals[layout.force()..layout.outputs()];
        let mut values = Vec::with_capacity(3 * r + 2 * packed);
        for i in 0..r {
            let row = model.mobility[i * r..(i + 1) * r].iter().zip(force);
            values.push(row.map(|(w, f)| w * f).sum::<f64>() + model.bias[i]);
        }
        values.extend(model.packed_mobility());
        values.extend(&model.bias);
        let effective = model.effective();
        memory.booleans[1] = effective.is_some();
        match effective {
            Some((mass, force)) => {
                values.extend((0..r).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|at| mass[at]));
                values.extend(force.iter());
            }
            None => values.resize(3 * r + 2 * packed, 0.0),
        }
        memory.reals[layout.dense()..layout.end()].copy_from_slice(&values);
        let at = layout.integers + Layout::STEP_COUNTS;
        memory.integers[at] = model.active as i32;
        memory.integers[at + 1] = fold(model.active_hash) as i32;
        Ok(())
    }
}

/// A hash in the 32 bits that an Integer of FMI 2.0 has.
fn fold(hash: u64) -> i64 {
    i64::from((hash ^ (hash >> 32)) as u32 as i32)
}
