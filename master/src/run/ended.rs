//! A run that a unit ends by itself (`fmi2Terminated`): for a system of one unit its result is there, up to where the unit has come to.

use super::Simulation;
use crate::error::RunError;
use crate::record::Observer;
use crate::system::refresh::Refresh;
use macrostep_description::shown;

impl Simulation {
    /// Whether the error that a window ended with is the wish of the only unit to end the run. The observer gets the row where the unit is,
    /// inside the window, and the warnings of the run one of it. Of several units the others are elsewhere: they have no row.
    ///
    /// # Errors
    /// What the unit answers when it is read.
    pub fn is_ended_by_unit(&mut self, error: &RunError, observer: &mut dyn Observer) -> Result<bool, RunError> {
        let RunError::Discarded { unit, reached_s, terminated: true, .. } = error else { return Ok(false) };
        if self.window.unit_ports.len() != 1 {
            return Ok(false);
        }
        let end = self.state.now + self.window.length(&self.state);
        let (from_s, to_s) = (self.time_s(), self.window.sources.clock.seconds(end));
        self.warnings.push(format!("unit `{unit}` has ended the run at t = {} s", shown::time(*reached_s)));
        // Outputs that follow a file of inputs at once would need its values at that time, and not at the end of the window.
        let port = &self.window.unit_ports[0];
        let is_settled = port.feeds.is_empty() || port.outputs.refresh == Refresh::Reported;
        if is_settled && *reached_s > from_s && *reached_s <= to_s + 1e-9 * (to_s - from_s) {
            let mut coupled = self.window.parts(&mut self.state);
            let (port, state) = (&mut coupled.unit_ports[0], &mut coupled.states[0]);
            port.outputs.read_into(port.unit.as_mut(), &mut state.outputs.values)?;
            port.publish(state, &mut coupled.supply, end);
            self.recorder.read(&mut coupled, end, None)?;
            self.recorder.tell(*reached_s, observer);
        }
        Ok(true)
    }
}
