//! Algebraic loops: feed-through outputs of several units that depend on each other at one instant.
//!
//! One sweep evaluates the outputs of the group one unit after the other, `y ← G(y)`; the loop is solved by the same
//! Newton iteration as a window is.

use crate::correct::{Convergence, Corrector, InterfaceJacobian, Newton, Problem};
use crate::feed::Supply;
use crate::memento::Numbers;
use crate::station::Station;
use crate::time::Tick;
use crate::unit::{Failure, UnitError};
use nalgebra::DMatrix;

/// What a group keeps between instants: the Jacobian and room for its unknowns.
pub(crate) struct Loop {
    newton: Newton,
    y: Vec<f64>,
    scale: Vec<f64>,
}

struct Sweep<'a> {
    stations: &'a mut [Station],
    units: &'a [usize],
    supply: &'a mut Supply,
    at: Tick,
    scale: &'a mut [f64],
}

impl Loop {
    /// For a group of units; a group of one needs none of it.
    pub fn new(group: &[usize], stations: &[Station]) -> Self {
        let n = if group.len() < 2 { 0 } else { group.iter().map(|&u| stations[u].outputs.refresh_places.len()).sum() };
        Loop { newton: Newton::new(InterfaceJacobian::FiniteDifferences), y: vec![0.0; n], scale: vec![1.0; n] }
    }

    /// What it knows, for a memento.
    pub fn pass(&mut self, numbers: &mut Numbers<'_>) {
        self.newton.pass(numbers);
        numbers.list(&mut self.y);
        numbers.list(&mut self.scale);
    }

    /// Solves the loop at `at` and publishes the outputs.
    pub fn solve(
        &mut self,
        stations: &mut [Station],
        units: &[usize],
        supply: &mut Supply,
        at: Tick,
    ) -> Result<(), UnitError> {
        let outputs = units.iter().flat_map(|&u| stations[u].outputs.refreshed_values());
        for (y, v) in self.y.iter_mut().zip(outputs) {
            *y = v;
        }
        let t_s = supply.clock.seconds(at);
        let mut sweep = Sweep { stations, units, supply, at, scale: &mut self.scale };
        let Convergence { runs, residual, converged } = self.newton.correct(&mut sweep, &mut self.y)?;
        if converged {
            return Ok(());
        }
        let names: Vec<&str> = units.iter().map(|&u| stations[u].unit.name()).collect();
        Err(UnitError::from(Failure {
            unit: names.join("`, `"),
            call: "the algebraic loop through these units",
            status: format!("no solution after {runs} sweeps (residual {residual:.1e}, expected 1e-12)"),
            t_s,
            message: "check the gains around the loop, or sample with `lagged`".to_string(),
        }))
    }
}

impl Problem for Sweep<'_> {
    fn evaluate(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        let mut first = 0;
        for &u in self.units {
            first += self.stations[u].outputs.set_refreshed(&y[first..]);
            self.stations[u].publish(self.supply, self.at);
        }
        for &u in self.units {
            self.stations[u].refresh(self.supply, self.at)?;
        }
        let values = self.units.iter().flat_map(|&u| self.stations[u].outputs.refreshed_values());
        for (i, v) in values.enumerate() {
            residual[i] = v - y[i];
            self.scale[i] = self.scale[i].max(v.abs());
        }
        Ok(())
    }

    fn scale(&self) -> &[f64] {
        self.scale
    }

    fn estimate_jacobian(&mut self, _jacobian: &mut DMatrix<f64>) -> Result<bool, UnitError> {
        Ok(false)
    }
}
