//! From a pair to a simulation: its scenario, put together as that of a file.

use super::{Bonds, Kind, Pair, Start};
use crate::assembled::{MOTION, meeting_s, prime, sampled};
use crate::models::{Factory, Models, cannot_run};
use macrostep_benchmarks::Oscillator;
use macrostep_description::ModelDescription;
use macrostep_master::predict::Predictor;
use macrostep_master::unit::Unit;
use macrostep_master::{
    ChannelId, Grid, LawId, RunError, Series, Simulation, SpringDamper, System, SystemError, UnitId,
};
use macrostep_oscillator::Exact;
use macrostep_system::assemble::Sampled;
use macrostep_system::scenario::{Scenario, Source};
use macrostep_system::{Catalogue, assemble};
use std::sync::Arc;

/// A pair ready to run.
pub struct Coupled {
    /// Initialised and primed.
    pub simulation: Simulation,
    /// Subsystems 1 and 2.
    pub units: [UnitId; 2],
    /// Their motions: x, v, and what else is sampled with them.
    pub motions: [ChannelId; 2],
    /// The coupling law where the master evaluates it.
    law: Option<LawId>,
    /// All that is sampled.
    channels: Vec<Sampled>,
}

impl Coupled {
    /// Begins anew with other parameters, start and history of the same pair: cheaper than [`build`].
    ///
    /// # Errors
    /// As [`build`].
    pub fn reset_with(&mut self, pair: &Pair) -> Result<(), RunError> {
        let p = &pair.parameters;
        if let Some(law) = self.law {
            let spring = SpringDamper { stiffness: p.k_c, damping: p.c_c };
            self.simulation.replace_law(law, Box::new(spring));
        }
        let kinds = pair.coupling.kinds();
        self.simulation.restart(|unit, slave| set_parameters(slave, pair, unit.index(), kinds[unit.index()]))?;
        self.prime(pair);
        Ok(())
    }

    /// Fills histories with the solution, where the pair begins with it.
    fn prime(&mut self, pair: &Pair) {
        let p = &pair.parameters;
        let Some(exact) = (pair.start == Start::Exact).then(|| Exact::new(p).ok()).flatten() else { return };
        prime(
            &mut self.simulation,
            &self.channels,
            |t_s| exact.at(t_s),
            |z, i, name| match MOTION.iter().position(|known| *known == name) {
                Some(place) => p.motion(i, z)[place],
                None => p.coupling_force(z),
            },
        );
    }
}

/// The simulation of a pair, initialised and primed.
///
/// # Errors
/// Where a unit is not an oscillator of the benchmark, refuses a parameter, or lacks what the method needs.
pub fn build(pair: &Pair, factory: Factory<'_>) -> Result<Coupled, RunError> {
    // The scenario with the method of the pair, which words need not say.
    let models = Predicted { models: Models(factory), predictor: &pair.method.predictor };
    let (mut assembly, _) = assemble(&scenario(pair), &models).map_err(|findings| cannot_run(&findings))?;
    // Motions of both are looked at, no columns.
    let motions = sampled(&mut assembly, &[MOTION; 2], pair.method.predictor.as_ref())?;
    let (units, motions) = ([assembly.units[0], assembly.units[1]], [motions[0], motions[1]]);
    pull(&mut assembly.system, pair, units)?;
    // The simulation. An exact start fills the histories with the solution.
    let (law, channels) = (assembly.laws.first().copied(), assembly.channels);
    let grid = Grid { stop_s: Some(pair.stop_s), ..assembly.grid };
    let mut simulation = Simulation::new(assembly.system, &pair.method, grid)?;
    simulation.initialise()?;
    let mut coupled = Coupled { simulation, units, motions, law, channels };
    coupled.prime(pair);
    Ok(coupled)
}

/// The scenario of a pair but for its method, its external forces and its end.
fn scenario(pair: &Pair) -> Scenario {
    let times_s = [pair.step_s, meeting_s(pair.step_s, &pair.shares)];
    let mut scenario = Oscillator {
        shares: pair.shares,
        micro_step_s: pair.micro_step_s,
        integrator: pair.integrator,
        ..Oscillator::new(pair.parameters, pair.coupling, times_s)
    }
    .scenario();
    if pair.bonds != Bonds::Named {
        scenario.bonds.clear();
        scenario.bonds_are_all = pair.bonds == Bonds::Unwatched;
    }
    scenario
}

/// Models of this program, coupled with a predictor of the caller's.
struct Predicted<'a> {
    models: Models<'a>,
    predictor: &'a Arc<dyn Predictor>,
}

impl Catalogue for Predicted<'_> {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.models.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        self.models.unit(source, name)
    }

    fn predictor(&self) -> Option<Arc<dyn Predictor>> {
        Some(Arc::clone(self.predictor))
    }
}

/// External forces, which are known over every step.
fn pull(system: &mut System, pair: &Pair, units: [UnitId; 2]) -> Result<(), RunError> {
    let Some(force) = &pair.force else { return Ok(()) };
    let bad = |found: &str, expected: &str| RunError::grid("external forces", found.to_owned(), expected.to_owned());
    if pair.start == Start::Exact {
        return Err(bad("samples of the exact solution before the start", "histories that begin at the start"));
    }
    for (i, unit) in units.into_iter().enumerate() {
        let series = Series::new(force.times_s().to_vec(), force.on(i));
        let series = series.ok_or_else(|| bad("none", "values at times that do not decrease"))?;
        system.connect_series(series, unit, "f_ext")?;
    }
    Ok(())
}

/// Parameters and start of a subsystem.
fn set_parameters(unit: &mut dyn Unit, pair: &Pair, i: usize, kind: Kind) -> Result<(), RunError> {
    let p = &pair.parameters;
    let own = [("m", p.m[i]), ("k", p.k[i]), ("c", p.c[i]), ("x0", p.x0[i]), ("v0", p.v0[i])];
    let coupling = [("k_c", p.k_c), ("c_c", p.c_c)];
    let coupling = coupling.into_iter().filter(|_| kind == Kind::Displacement);
    for (name, value) in own.into_iter().chain(coupling) {
        let reference = unit.description().variable(name).map(|v| v.value_reference);
        let reference = reference.ok_or_else(|| SystemError::UnknownVariable {
            unit: unit.name().to_string(),
            variable: name.to_string(),
            hint: "is this an oscillator of the benchmark?".to_string(),
        })?;
        unit.set_real(&[reference], &[value])?;
    }
    Ok(())
}
