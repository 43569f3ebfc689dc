//! Algebraic loops: feed-through outputs of several units that depend on each other at one instant.
//!
//! One sweep evaluates the outputs of the group one unit after the other, `y ← G(y)`; the loop is solved by the same
//! Newton iteration as a window is.

use crate::method::correct::{Convergence, InterfaceJacobian, Newton, NewtonState, Problem};
use crate::savable::savable;
use crate::step::supply::Coupled;
use crate::step::unit_port::{UnitPort, UnitPortState};
use crate::time::Tick;
use crate::unit::{Failure, UnitError};
use macrostep_description::Causality;
use nalgebra::DMatrix;

savable! {
/// What a group keeps between instants: the Jacobian and its unknowns.
pub(crate) struct LoopState {
    newton: NewtonState,
    y: Vec<f64>,
    /// Largest values met, and those accepted before the instant under way.
    scale: Vec<f64>,
    accepted: Vec<f64>,
}
}

/// A solution this many times as large as all that was met before it is none: rounding has made it.
const AMPLIFICATION_MAX: f64 = 1e8;

struct Sweep<'a, 'b> {
    coupled: &'a mut Coupled<'b>,
    units: &'a [usize],
    at: Tick,
    scale: &'a mut [f64],
    /// Largest value after the first sweep.
    first: Option<f64>,
}

impl LoopState {
    /// For a group of units; a group of one needs none of it.
    pub fn new(group: &[usize], unit_ports: &[UnitPort]) -> Self {
        let n =
            if group.len() < 2 { 0 } else { group.iter().map(|&u| unit_ports[u].outputs.refresh_places.len()).sum() };
        LoopState { newton: NewtonState::default(), y: vec![0.0; n], scale: vec![1.0; n], accepted: vec![1.0; n] }
    }

    /// Solves the loop through `units` at `at` and publishes the outputs.
    pub fn solve(&mut self, coupled: &mut Coupled<'_>, units: &[usize], at: Tick) -> Result<(), UnitError> {
        let Coupled { unit_ports, states, supply } = &*coupled;
        // The values there are, as the first guess.
        let outputs = units.iter().flat_map(|&u| unit_ports[u].outputs.refreshed_values(&states[u].outputs));
        for (y, v) in self.y.iter_mut().zip(outputs) {
            *y = v;
        }
        let t_s = supply.clock.seconds(at);
        // Residuals are relative to values that were accepted and those of the sweep under way.
        self.accepted.copy_from_slice(&self.scale);
        let newton = Newton::new(InterfaceJacobian::FiniteDifferences);
        let mut sweep = Sweep { coupled, units, at, scale: &mut self.scale, first: None };
        let Convergence { runs, residual, converged } = newton.solve(&mut self.newton, &mut sweep, &mut self.y)?;
        let first = sweep.first.unwrap_or(0.0);
        // A loop of gain 1 drives the values up until its residual is small beside them: that is no solution.
        let bound = AMPLIFICATION_MAX * self.accepted.iter().fold(first, |m, s| m.max(*s));
        for ((scale, accepted), y) in self.scale.iter_mut().zip(&self.accepted).zip(&self.y) {
            *scale = accepted.max(y.abs());
        }
        if converged && self.scale.iter().all(|s| *s <= bound) {
            return Ok(());
        }
        // No solution: sizes are again those that were accepted.
        self.scale.copy_from_slice(&self.accepted);
        let Coupled { unit_ports, states, .. } = &*coupled;
        let names: Vec<&str> = units.iter().map(|&u| unit_ports[u].unit.name()).collect();
        let names = names.join("`, `");
        // Where values are not finite, the output that has left the range of numbers is named.
        if !residual.is_finite()
            && let Some((unit, output, value)) = worst(unit_ports, states, units)
        {
            return Err(UnitError::from(Failure {
                unit: unit.to_owned(),
                call: "fmi2GetReal",
                status: format!("`{output}` = {value:e}"),
                t_s,
                message: format!(
                    "the algebraic loop through `{names}` has no solution with such values; the coupling has diverged: take a \
                     smaller step, `macrostep verify` looks for one"
                ),
            }));
        }
        // Else the iteration ends without convergence, or with values that grow around the loop.
        let sweeps = if runs == 1 { "sweep" } else { "sweeps" };
        let tolerance = newton.tolerance;
        let status = if converged {
            format!(
                "no solution: values rise from {first:.0e} beyond {bound:.0e}, as with a gain of 1 around the loop,"
            )
        } else {
            format!("no solution after {runs} {sweeps} (residual {residual:.1e}, expected {tolerance:.0e})")
        };
        Err(UnitError::from(Failure {
            unit: names,
            call: "the algebraic loop through these units",
            status,
            t_s,
            message: "check the gains around the loop, or sample with `lagged`".to_string(),
        }))
    }
}

/// Unit, name and value of the first output of a loop that is NaN, else of the largest one.
fn worst<'a>(unit_ports: &'a [UnitPort], states: &[UnitPortState], units: &[usize]) -> Option<(&'a str, &'a str, f64)> {
    let size = |value: f64| if value.is_nan() { f64::INFINITY } else { value.abs() };
    let mut worst: Option<(&UnitPort, u32, f64)> = None;
    for &u in units {
        let outputs = &unit_ports[u].outputs;
        for (&reference, value) in outputs.refresh_refs.iter().zip(outputs.refreshed_values(&states[u].outputs)) {
            if worst.is_none_or(|(.., known)| size(value) > size(known)) {
                worst = Some((&unit_ports[u], reference, value));
            }
        }
    }
    let (unit_port, reference, value) = worst?;
    let variables = &unit_port.unit.description().variables;
    let is_it = |v: &&macrostep_description::Variable| {
        v.real().is_some() && v.value_reference == reference && v.causality == Causality::Output
    };
    Some((unit_port.unit.name(), variables.iter().find(is_it).map_or("", |v| v.name.as_str()), value))
}

impl Problem for Sweep<'_, '_> {
    fn evaluate(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        // The guess becomes known, and each unit answers it.
        let Sweep { coupled: Coupled { unit_ports, states, supply }, at, .. } = self;
        let mut first = 0;
        for &u in self.units {
            first += unit_ports[u].outputs.set_refreshed(&mut states[u].outputs, &y[first..]);
            unit_ports[u].publish(&states[u], supply, *at);
        }
        for &u in self.units {
            unit_ports[u].refresh(&mut states[u], supply, *at)?;
        }
        // What they answer less the guess.
        let values = self.units.iter().flat_map(|&u| unit_ports[u].outputs.refreshed_values(&states[u].outputs));
        for (i, v) in values.enumerate() {
            residual[i] = v - y[i];
            self.scale[i] = self.scale[i].max(v.abs());
        }
        if self.first.is_none() {
            self.first = Some(self.scale.iter().fold(0.0, |m: f64, s| m.max(*s)));
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
