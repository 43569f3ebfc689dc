//! A window before its first step: inputs and outputs of all units are made to agree.

use super::window::Window;
use crate::step::state::State;
use crate::step::supply::Coupled;
use crate::system::link::LinksState;
use crate::system::refresh::Refresh;
use crate::unit::UnitError;

impl Window {
    /// Sets the first values of all connections: links first, then feed-through outputs, then the inputs themselves.
    pub fn connect(&mut self, state: &mut State) -> Result<(), UnitError> {
        self.link(state)?;
        self.sample_lines(state);
        self.settle(state)?;
        let Coupled { unit_ports, states, mut supply } = self.parts(state);
        let now = 0;
        for (unit_port, state) in unit_ports.iter_mut().zip(states) {
            unit_port.feed_now(&mut supply, now);
            unit_port.show_inputs(state)?;
        }
        Ok(())
    }

    /// The unit ports with their states and the sources of their inputs.
    pub fn parts<'a>(&'a mut self, state: &'a mut State) -> Coupled<'a> {
        let supply = self.sources.with(&mut state.signals.histories, state.pace);
        Coupled { unit_ports: &mut self.unit_ports, states: &mut state.unit_ports, supply }
    }

    /// Evaluates all feed-through outputs as the units allow it.
    pub fn refresh(&mut self, state: &mut State) -> Result<(), UnitError> {
        self.refresh_all(state)
    }

    /// Evaluates all feed-through outputs, where every unit may be read after it was set.
    fn settle(&mut self, state: &mut State) -> Result<(), UnitError> {
        let ways: Vec<Refresh> = self.unit_ports.iter().map(|s| s.outputs.refresh).collect();
        self.unit_ports.iter_mut().for_each(|s| s.outputs.refresh = Refresh::GetAfterSet);
        let result = self.refresh_all(state);
        for (s, way) in self.unit_ports.iter_mut().zip(ways) {
            s.outputs.refresh = way;
        }
        result
    }

    fn refresh_all(&mut self, state: &mut State) -> Result<(), UnitError> {
        let State { now, pace, signals, unit_ports: states, loops, .. } = state;
        let supply = self.sources.with(&mut signals.histories, *pace);
        let coupled = &mut Coupled { unit_ports: &mut self.unit_ports, states, supply };
        self.groups.iter().zip(loops).try_for_each(|(units, group)| match units.as_slice() {
            [unit] => coupled.refresh(*unit, *now),
            units => group.solve(coupled, units, *now),
        })
    }

    /// Passes linked values around, as often as a value needs to reach the last unit of a chain.
    fn link(&mut self, state: &mut State) -> Result<(), UnitError> {
        if self.links.is_empty() {
            return Ok(());
        }
        for passed in 0..self.unit_ports.len() {
            let before = state.signals.links.clone();
            self.read_links(&mut state.signals.links, None)?;
            // Whoever was given these values has given others all there is.
            if passed > 0 && state.signals.links == before {
                break;
            }
            for (u, unit_port) in self.unit_ports.iter_mut().enumerate() {
                self.links.supply(&state.signals.links, u, unit_port.unit.as_mut())?;
            }
        }
        Ok(())
    }

    /// Reads and publishes all linked values.
    pub fn sample_links(&mut self, state: &mut State) -> Result<(), UnitError> {
        let t_s = self.sources.clock.seconds(state.now);
        self.read_links(&mut state.signals.links, Some(t_s))
    }

    fn read_links(&mut self, carried: &mut LinksState, t_s: Option<f64>) -> Result<(), UnitError> {
        for (u, unit_port) in self.unit_ports.iter_mut().enumerate() {
            self.links.read(carried, u, unit_port.unit.as_mut(), t_s)?;
            self.links.publish(carried, u);
        }
        Ok(())
    }
}
