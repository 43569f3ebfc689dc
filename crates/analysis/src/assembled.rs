//! Scenarios put together from units and laws, with the whole system's equations as reference.
//!
//! What such a scenario says is in [`Parts`]: the equations of the whole as ż = f(z), what its motions are at a state z, and
//! how units are coupled when they start at z. Starting, filling histories and solving the whole are done here.

use crate::pair::Start;
use crate::reference::advance;
use crate::scenario::{Benchmark, Bond, Card, Coupled, Setup, check_cut};
use macrostep_master::unit::Unit;
use macrostep_master::{ChannelId, Grid, RunError, Simulation, System, SystemError};

/// Computes a row of a channel from a state of the whole system.
pub type Row = Box<dyn Fn(&[f64], &mut [f64])>;

/// A quantity and its first three rates.
pub type Motion = [f64; 4];

/// A system, with the values of its channels for a state of the whole system.
pub struct Assembly {
    /// Units, channels, laws, connections.
    pub system: System,
    /// Channels of the motions.
    pub motions: Vec<ChannelId>,
    /// Rows of all channels, in the order of their declaration.
    pub rows: Vec<Row>,
    /// Where power goes in and out of units.
    pub bonds: Vec<Bond>,
}

/// The whole system, its motions and its parts.
pub trait Parts: Send + Sync {
    /// Name, cuts, time scales.
    fn card(&self) -> Card;

    /// The state of the whole at the start.
    fn start(&self) -> Vec<f64>;

    /// ż = f(z).
    fn rates(&self, z: &[f64], dz: &mut [f64]);

    /// (quantity, rate, second rate, third rate) of motion `i` at a state of the whole.
    fn motion(&self, i: usize, z: &[f64]) -> Motion;

    /// Units that start at `z`, coupled.
    ///
    /// # Errors
    /// Where a unit lacks a variable or refuses a value.
    fn assemble(&self, setup: &Setup<'_>, z: &[f64]) -> Result<Assembly, RunError>;
}

impl<P: Parts> Benchmark for P {
    fn card(&self) -> Card {
        Parts::card(self)
    }

    fn couple(&self, setup: &Setup<'_>) -> Result<Coupled, RunError> {
        check_cut(&Parts::card(self), setup.scheme.coupling)?;
        let rates = |z: &[f64], dz: &mut [f64]| self.rates(z, dz);
        let z = advance(&rates, &self.start(), setup.from_s);
        let Assembly { system, motions, rows, bonds } = self.assemble(setup, &z)?;
        let units = Parts::card(self).units;
        let shares = setup.scheme.shares(units);
        let grid = Grid { start_s: 0.0, step_s: setup.step_s, stop_s: setup.stop_s, shares };
        let mut simulation = Simulation::new(system, &setup.scheme.method(units), grid)?;
        simulation.initialise()?;
        if setup.start == Start::Exact {
            simulation.prime(|channel, t_s, row| {
                let before = advance(&rates, &z, t_s);
                if let Some(fill) = rows.get(channel.index()) {
                    fill(&before, row);
                }
            });
        }
        Ok(Coupled { simulation, motions, bonds })
    }

    fn solution(&self, times_s: &[f64]) -> Result<Vec<Vec<f64>>, RunError> {
        let rates = |z: &[f64], dz: &mut [f64]| self.rates(z, dz);
        let (mut now_s, mut z) = (0.0, self.start());
        let motions = Parts::card(self).motions.len();
        let mut all = Vec::with_capacity(times_s.len());
        for &t_s in times_s {
            z = advance(&rates, &z, t_s - now_s);
            now_s = t_s;
            all.push(
                (0..2).flat_map(|c| (0..motions).map(move |i| (i, c))).map(|(i, c)| self.motion(i, &z)[c]).collect(),
            );
        }
        Ok(all)
    }
}

/// The first components of a motion `names`, as many as the predictor of a scheme uses, at least two.
pub fn components<'n>(setup: &Setup<'_>, names: &'n [&'n str]) -> &'n [&'n str] {
    let wanted = setup.scheme.method(2).predictor.components();
    &names[..wanted.clamp(2, names.len())]
}

/// The motion of a mass.
pub const MOTION: [&str; 4] = ["x", "v", "a", "jerk"];

/// The state's rates and their rates at `z`, of which the latter are the former's where the equations are linear.
pub fn linear_rates(rates: impl Fn(&[f64], &mut [f64]), z: &[f64]) -> [Vec<f64>; 2] {
    let mut dz = vec![0.0; z.len()];
    rates(z, &mut dz);
    let mut ddz = vec![0.0; z.len()];
    rates(&dz, &mut ddz);
    [dz, ddz]
}

/// An integrator of the units by its value in their enumeration, and the micro step \[s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Integration {
    /// Matrix exponential.
    Exact,
    /// Runge–Kutta of order 4 with this micro step \[s\].
    RungeKutta(f64),
}

/// A unit with parameters and integrator set.
///
/// # Errors
/// Where there is no such model or variable.
pub fn unit(
    setup: &Setup<'_>,
    (model, name): (&str, &str),
    parameters: &[(&str, f64)],
    integration: Integration,
) -> Result<Box<dyn Unit>, RunError> {
    // The unit, and its variables by name.
    let mut unit = (setup.factory)(model, name)?;
    let reference = |unit: &dyn Unit, variable: &str| {
        let found = unit.description().variable(variable).map(|v| v.value_reference);
        found.ok_or_else(|| SystemError::UnknownVariable {
            unit: name.to_string(),
            variable: variable.to_string(),
            hint: format!("is this the model `{model}`?"),
        })
    };
    // Its parameters.
    for &(variable, value) in parameters {
        let r = reference(unit.as_ref(), variable)?;
        unit.set_real(&[r], &[value])?;
    }
    // The integrator is an item of an enumeration; Runge and Kutta's has a micro step.
    let (item, micro_s) = match integration {
        Integration::Exact => (3, None),
        Integration::RungeKutta(h) => (2, Some(h)),
    };
    let r = reference(unit.as_ref(), "integrator")?;
    unit.set_integer(&[r], &[item])?;
    if let Some(h) = micro_s {
        let r = reference(unit.as_ref(), "micro_step")?;
        unit.set_real(&[r], &[h])?;
    }
    Ok(unit)
}

/// The row of a channel that shows a motion or its first components.
pub fn motion_row(motion: impl Fn(&[f64]) -> Motion + 'static) -> Row {
    Box::new(move |z, row| {
        let n = row.len();
        row.copy_from_slice(&motion(z)[..n]);
    })
}
