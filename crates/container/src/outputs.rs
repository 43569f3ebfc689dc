//! Outputs of a run inside as the outer master sees them.

use macrostep_master::RunError;
use macrostep_master::record::Observer;
use macrostep_slave::Memory;

use crate::contents::Contents;
use crate::declaration::{Alias, Type};
use crate::running::Running;

impl Running {
    /// Writes the outputs into a memory.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn show(&mut self, contents: &Contents, memory: &mut Memory) -> Result<(), RunError> {
        let (t_s, outputs) = (memory.time_s, &contents.table.outputs);
        if let Some(between) = &self.between {
            // What is not real stays as it was at the point before.
            let of = |(i, alias): (usize, &Alias)| match alias.kind {
                Type::Real => between.value(i, t_s),
                _ => between.before.values[i],
            };
            let values: Vec<f64> = outputs.iter().enumerate().map(of).collect();
            let mut shown = Shown { outputs, memory };
            shown.texts(&between.before.texts);
            shown.row(t_s, &values);
            return Ok(());
        }
        self.simulation.observe(&mut Shown { outputs: &contents.table.outputs, memory })
    }

    /// Derivatives of outputs, as their units give them.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn output_derivative(&mut self, alias: &Alias, order: i32) -> Result<f64, RunError> {
        let mut out = [0.0];
        let unit = self.simulation.unit_mut(self.units[alias.unit]);
        unit.get_output_derivatives(&[alias.inner], &[order], &mut out)?;
        Ok(out[0])
    }
}

/// Takes a row into a memory.
struct Shown<'a> {
    outputs: &'a [Alias],
    memory: &'a mut Memory,
}

impl Observer for Shown<'_> {
    fn row(&mut self, _t_s: f64, values: &[f64]) {
        for (alias, value) in self.outputs.iter().zip(values) {
            match alias.kind {
                Type::Real => self.memory.reals[alias.outer] = *value,
                // They were integers.
                Type::Integer => self.memory.integers[alias.outer] = *value as i32,
                Type::Boolean => self.memory.booleans[alias.outer] = *value != 0.0,
                Type::Text => {}
            }
        }
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        for (place, text) in texts {
            if let Some(alias) = self.outputs.get(*place) {
                self.memory.strings[alias.outer].clone_from(text);
            }
        }
    }
}
