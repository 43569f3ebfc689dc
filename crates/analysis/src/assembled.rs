//! Scenarios of this program as benchmarks, with the whole system's equations as reference.
//!
//! Units, laws, connections and bonds are those of the scenario, put together as those of a file. What a benchmark says beside it is in
//! [`Whole`]: the equations of the whole as ż = f(z), which part of z each unit starts from, and what its outputs are at a
//! state z. Starting, filling histories and solving the whole are done here.

use crate::models::assembly;
use crate::pair::{Coupling, Start};
use crate::reference::advance;
use crate::scenario::{Benchmark, Bond, Card, Coupled, Setup, Solution, check_cut, no_bond};
use crate::written;
use macrostep_master::predict::{Edge, Predictor};
use macrostep_master::{ChannelId, Grid, RunError, Simulation, SystemError};
use macrostep_system::assemble::Sampled;
use macrostep_system::scenario::Value;
use macrostep_system::{Assembly, Scenario};
use std::sync::Arc;

/// A quantity and its first three rates.
pub type Motion = [f64; 4];

/// Outputs that are a motion: the quantity and its first three rates.
pub type Names = [&'static str; 4];

/// The motion of a mass.
pub const MOTION: Names = ["x", "v", "a", "jerk"];

/// A unit of the whole.
pub struct Part {
    /// Its motion.
    pub motion: Names,
    /// Start values, and where each stands in the state of the whole.
    pub starts: Vec<(&'static str, usize)>,
    /// Effort at its interface, an input or an output.
    pub effort: &'static str,
    /// Flow at its interface.
    pub flow: &'static str,
}

/// The whole system, its scenario and its units.
pub trait Whole: Send + Sync + 'static {
    /// Name, cuts, time scales.
    fn card(&self) -> Card;

    /// The scenario of a cut.
    fn scenario(&self, coupling: Coupling) -> Scenario;

    /// Its units, in the order of the scenario.
    fn parts(&self, coupling: Coupling) -> Vec<Part>;

    /// The state of the whole at the start.
    fn start(&self) -> Vec<f64>;

    /// ż = f(z).
    fn rates(&self, z: &[f64], dz: &mut [f64]);

    /// Motion of part `i` at a state of the whole.
    fn motion(&self, i: usize, z: &[f64]) -> Motion;

    /// Kinetic and potential energy at a state of the whole \[J\]; NaN where it is not known.
    fn energy(&self, _z: &[f64]) -> f64 {
        f64::NAN
    }

    /// The effort that part `i` sends at a state of the whole; NaN where it sends none.
    fn effort(&self, _i: usize, _z: &[f64]) -> f64 {
        f64::NAN
    }
}

/// The scenario of a whole that starts at the state `z`, coupled as is asked.
fn begun(whole: &impl Whole, setup: &Setup<'_>, z: &[f64]) -> Result<Scenario, RunError> {
    let scheme = setup.scheme;
    let mut s = whole.scenario(scheme.coupling);
    // Power bonds cost time: only where the scheme needs them.
    if !scheme.weighs_energy() {
        s.bonds.clear();
        s.bonds_are_all = true;
    } else if s.bonds.is_empty() {
        return Err(no_bond(&whole.card(), scheme.coupling));
    }
    s.coupling = written::coupling(scheme, &s.coupling);
    // Each unit at its own rate, from its part of the state.
    let (shares, parts) = (scheme.shares(s.units.len()), whole.parts(scheme.coupling));
    for ((unit, share), part) in s.units.iter_mut().zip(&shares).zip(&parts) {
        unit.share = *share;
        for (name, place) in &part.starts {
            let told = unit.settings.iter_mut().filter(|setting| setting.variable == *name);
            told.for_each(|setting| setting.value = Value::Real(z[*place]));
        }
    }
    s.experiment.step_s = Some(setup.step_s);
    s.experiment.stop_s = setup.stop_s.or(Some(meeting_s(setup.step_s, &shares)));
    Ok(s)
}

/// A time at which units with these shares of the macro step meet \[s\].
pub fn meeting_s(step_s: f64, shares: &[(u32, u32)]) -> f64 {
    step_s * shares.iter().map(|share| f64::from(share.0)).product::<f64>()
}

/// Channels of the motions of all units, as much of each as the predictor extrapolates. Those that nothing is made of are sampled from now on.
///
/// # Errors
/// Where a unit lacks an output.
pub fn sampled(
    assembly: &mut Assembly,
    motions: &[Names],
    predictor: &dyn Predictor,
) -> Result<Vec<ChannelId>, SystemError> {
    let components = if predictor.edge() == Edge::BeforeLaw { predictor.components().clamp(2, 4) } else { 2 };
    let mut all = Vec::new();
    for (unit, names) in motions.iter().enumerate() {
        let names = &names[..components];
        let known = assembly.channels.iter().find(|c| c.unit == unit && c.names.iter().take(components).eq(names));
        if let Some(known) = known {
            all.push(known.id);
            continue;
        }
        let id = assembly.system.channel(assembly.units[unit], names)?;
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        assembly.channels.push(Sampled { unit, names, id });
        all.push(id);
    }
    Ok(all)
}

/// Fills histories with what outputs were before the start: `state` of the whole at a time \[s\], and the value of the output
/// of a unit at a state.
pub fn prime<Z>(
    simulation: &mut Simulation,
    channels: &[Sampled],
    state: impl Fn(f64) -> Z,
    value: impl Fn(&Z, usize, &str) -> f64,
) {
    simulation.prime(|id, t_s, row| {
        let Some(channel) = channels.iter().find(|c| c.id == id) else { return };
        let z = state(t_s);
        row.iter_mut().zip(&channel.names).for_each(|(x, name)| *x = value(&z, channel.unit, name));
    });
}

impl<W: Whole> Benchmark for W {
    fn card(&self) -> Card {
        Whole::card(self)
    }

    fn couple(&self, setup: &Setup<'_>) -> Result<Coupled, RunError> {
        let coupling = setup.scheme.coupling;
        check_cut(&Whole::card(self), coupling)?;
        // The scenario from the solution's state, put together as a file is. Motions are looked at, no columns.
        let rates = |z: &[f64], dz: &mut [f64]| self.rates(z, dz);
        let (z, parts) = (advance(&rates, &self.start(), setup.from_s), self.parts(coupling));
        let mut assembly = assembly(&begun(self, setup, &z)?, setup.factory)?;
        let names: Vec<Names> = parts.iter().map(|part| part.motion).collect();
        let predictor = Arc::clone(&assembly.method.predictor);
        let motions = sampled(&mut assembly, &names, predictor.as_ref())?;
        let bonds =
            assembly.units.iter().zip(&parts).map(|(unit, part)| Bond::new(*unit, part.effort, part.flow)).collect();
        // At its start, with the solution as its past.
        let (channels, grid) = (assembly.channels, Grid { stop_s: setup.stop_s, ..assembly.grid });
        let mut simulation = Simulation::new(assembly.system, &assembly.method, grid)?;
        simulation.initialise()?;
        if setup.start == Start::Exact {
            let value = |z: &Vec<f64>, i: usize, name: &str| match names[i].iter().position(|known| *known == name) {
                Some(place) => self.motion(i, z)[place],
                None => self.effort(i, z),
            };
            prime(&mut simulation, &channels, |t_s| advance(&rates, &z, t_s), value);
        }
        Ok(Coupled { simulation, motions, bonds })
    }

    fn solution(&self, times_s: &[f64]) -> Result<Vec<Vec<f64>>, RunError> {
        let mut now = (0.0, self.start());
        Ok(times_s.iter().map(|t_s| motions_at(self, &mut now, *t_s)).collect())
    }

    fn beside(self: Box<Self>, step_s: f64, _: f64) -> Option<Solution> {
        let coupling = *Whole::card(&*self).couplings.first()?;
        let (units, parts) = (self.scenario(coupling).units, self.parts(coupling));
        let names = |c| units.iter().zip(&parts).map(move |(u, part)| format!("{}.{}", u.name, part.motion[c]));
        let outputs: Vec<String> = names(0).chain(names(1)).collect();
        // From one communication point to the next, so that a value depends on its time alone.
        let (mut n, mut now) = (0u64, (0.0, self.start()));
        let at = move |t_s: f64, out: &mut Vec<f64>| {
            while (n + 1) as f64 * step_s <= t_s {
                n += 1;
                motions_at(&*self, &mut now, n as f64 * step_s);
            }
            out.extend(motions_at(&*self, &mut now.clone(), t_s));
        };
        Some(Solution { amplitudes: vec![None; outputs.len()], outputs, at: Box::new(at), energy: None })
    }
}

/// Motions and then their rates at `t_s` \[s\], from a time \[s\] and the state then, which move on.
fn motions_at(whole: &impl Whole, (now_s, z): &mut (f64, Vec<f64>), t_s: f64) -> Vec<f64> {
    let rates = |z: &[f64], dz: &mut [f64]| whole.rates(z, dz);
    *z = advance(&rates, z, t_s - *now_s);
    *now_s = t_s;
    let motions = whole.card().motions.len();
    (0..2).flat_map(|c| (0..motions).map(move |i| (i, c))).map(|(i, c)| whole.motion(i, z)[c]).collect()
}

/// The state's rates and their rates at `z`, of which the latter are the former's where the equations are linear.
pub fn linear_rates(rates: impl Fn(&[f64], &mut [f64]), z: &[f64]) -> [Vec<f64>; 2] {
    let mut dz = vec![0.0; z.len()];
    rates(z, &mut dz);
    let mut ddz = vec![0.0; z.len()];
    rates(&dz, &mut ddz);
    [dz, ddz]
}

#[cfg(test)]
mod tests {
    use super::Whole;
    use crate::chain::Chain;
    use crate::circuit::Circuit;
    use crate::spring::NonlinearSpring;

    /// The energy falls by what the dampers take, and by nothing else: dE/dt along the motion against −Σ c v².
    #[test]
    fn the_energy_of_a_whole_falls_by_what_its_dampers_take() {
        let falls = |whole: &dyn Fn(&[f64], &mut [f64]), energy: &dyn Fn(&[f64]) -> f64, z: &[f64], taken: f64| {
            let mut dz = vec![0.0; z.len()];
            whole(z, &mut dz);
            // A central difference over a time that moves no state by more than 1e-4.
            let h = 1e-4 / dz.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            let at = |sign: f64| energy(&z.iter().zip(&dz).map(|(z, dz)| z + sign * h * dz).collect::<Vec<_>>());
            let rate = (at(1.0) - at(-1.0)) / (2.0 * h);
            assert!((rate + taken).abs() < 1e-6 * (1.0 + taken), "{rate} against {taken}");
        };

        let chain = Chain::default();
        let z: Vec<f64> = (0..10).map(|i| (1.0 + f64::from(i)).sin()).collect();
        let own =
            |masses: &[[f64; 5]], v: &[f64], c: usize| masses.iter().zip(v).map(|(m, v)| m[c] * v * v).sum::<f64>();
        let pairs = |v: &[f64]| v.windows(2).map(|v| (v[0] - v[1]).powi(2)).sum::<f64>();
        let taken = own(&chain.masses, &z[5..], 2) + chain.spring[1] * pairs(&z[5..]);
        falls(&|z, dz| chain.rates(z, dz), &|z| chain.energy(z), &z, taken);

        let spring = NonlinearSpring::default();
        let taken = own(&spring.masses, &z[2..4], 2) + spring.spring[2] * pairs(&z[2..4]);
        falls(&|z, dz| spring.rates(z, dz), &|z| spring.energy(z), &z[..4], taken);

        // Charges of a micro-coulomb, currents of an ampere.
        let circuit = Circuit::default();
        let state = [1e-6 * z[0], -2e-6 * z[1], z[2], z[3]];
        let taken = own(&circuit.meshes, &state[2..], 1) + circuit.shunt[1] * pairs(&state[2..]);
        falls(&|z, dz| circuit.rates(z, dz), &|z| circuit.energy(z), &state, taken);
    }
}
