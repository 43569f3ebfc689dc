//! The beginning of a run: initialisation, values before the start, and beginning anew.

use super::Simulation;
use crate::error::RunError;
use crate::ids::{ChannelId, UnitId};
use crate::step::supply::Coupled;
use crate::step::unit_port::UnitPort;
use crate::system::settings::Settings;
use crate::time::Tick;
use crate::unit::Unit;

impl Simulation {
    /// Initialises the units: signals are passed around, algebraic loops solved, and the first samples taken.
    pub fn initialise(&mut self) -> Result<(), RunError> {
        self.initialise_with(|_, _| Ok(()))
    }

    /// As [`Simulation::initialise`]; `set` may change each unit further, after its start values were set.
    ///
    /// # Errors
    /// As [`Simulation::initialise`], and those of `set`.
    pub fn initialise_with(
        &mut self,
        mut set: impl FnMut(UnitId, &mut dyn Unit) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        // Start values, and what each unit makes of them.
        let (start_s, stop_s) = (self.grid.start_s, self.grid.stop_s);
        let Coupled { unit_ports, states, mut supply } = self.window.parts(&mut self.state);
        for (u, (s, state)) in unit_ports.iter_mut().zip(states).enumerate() {
            let Settings { tolerance, starts } = &self.settings[u];
            s.unit.setup(start_s, stop_s, *tolerance)?;
            // Not before: some FMUs give their parameters the declared values again in `fmi2SetupExperiment`.
            starts.iter().try_for_each(|start| start.set(s.unit.as_mut()))?;
            self.changes.of_start(u, start_s).try_for_each(|start| start.set(s.unit.as_mut()))?;
            set(UnitId(u), s.unit.as_mut())?;
            s.unit.enter_initialization()?;
            s.sample(state, &mut supply, 0)?;
        }
        // What they see of each other.
        self.window.connect(&mut self.state)?;
        // The first samples.
        let Coupled { unit_ports, states, mut supply } = self.window.parts(&mut self.state);
        for (s, state) in unit_ports.iter_mut().zip(states) {
            s.unit.exit_initialization()?;
            s.sample(state, &mut supply, 0)?;
        }
        self.window.sample_links(&mut self.state)?;
        self.window.joints.begin(&mut self.state.signals.histories)?;
        self.window.unit_ports.iter_mut().try_for_each(UnitPort::ask_first)?;
        // What was before.
        let past = std::mem::take(&mut self.past);
        if !past.is_empty() {
            self.prime(|channel, t_s, row| {
                let known = past.iter().find(|(c, at_s, _)| *c == channel && *at_s == t_s);
                known.into_iter().for_each(|(_, _, values)| row.copy_from_slice(values));
            });
        }
        self.past = past;
        Ok(())
    }

    /// Which rows [`Simulation::prime`] asks for: channels, and times \[s\] before the start.
    pub fn before(&mut self) -> Vec<(ChannelId, f64)> {
        let (mut asked, state) = (Vec::new(), self.state.clone());
        self.prime(|channel, t_s, _| asked.push((channel, t_s)));
        self.state = state;
        asked
    }

    /// From now on initialisation fills histories with these rows, of the channels and times that [`Simulation::before`] names.
    pub fn begin_with(&mut self, past: Vec<(ChannelId, f64, Vec<f64>)>) {
        self.past = past;
    }

    /// Fills histories with values from before the start, so that the first steps extrapolate as all others do.
    /// `past(channel, t_s, row)` writes the channel's values at a time before the start.
    pub fn prime(&mut self, mut past: impl FnMut(ChannelId, f64, &mut [f64])) {
        let Coupled { unit_ports, mut supply, .. } = self.window.parts(&mut self.state);
        let (clock, stretch) = (supply.clock, supply.pace.stretch);
        for s in unit_ports.iter_mut() {
            let step = s.step * stretch;
            // Samples of its outputs.
            for &(channel, _, width) in &s.outputs.channels {
                let mut row = vec![0.0; width];
                for j in 1..self.depth as Tick {
                    past(ChannelId(channel), clock.seconds(-j * step), &mut row);
                    supply.histories[channel].put(-j * step, &row);
                }
            }
            // Samples of the laws it is fed by.
            for feed in &mut s.feeds {
                for j in 1..self.depth as Tick {
                    let at = -j * step;
                    feed.prime(at, &mut |c, row| past(ChannelId(c), clock.seconds(at), row), &mut supply);
                }
            }
        }
    }

    /// Begins anew with the initial state: units are reset, get their start values again and then what `set` gives them, and
    /// everything is initialised. Cheaper than building the system again.
    ///
    /// # Errors
    /// What a unit answers to parameters or initialisation.
    pub fn restart(&mut self, set: impl FnMut(UnitId, &mut dyn Unit) -> Result<(), RunError>) -> Result<(), RunError> {
        self.state = self.initial();
        for s in &mut self.window.unit_ports {
            s.unit.reset()?;
            if let Some(dense) = &s.dense {
                dense.ask(s.unit.as_mut())?;
            }
        }
        self.initialise_with(set)
    }

    /// Ends the run in all units.
    pub fn terminate(&mut self) -> Result<(), RunError> {
        for s in &mut self.window.unit_ports {
            s.unit.terminate()?;
        }
        Ok(())
    }
}
