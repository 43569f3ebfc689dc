//! The two-mass oscillator as a scenario: both cases of the benchmark and the model on which orders are measured.

use crate::pair::{Coupling, Kind, Pair, build, unsolvable};
use crate::scenario::{Benchmark, Bond, Card, Coupled, Setup};
use macrostep_master::RunError;
use macrostep_oscillator::{Exact, Parameters};

/// An oscillator pair with exact subsystems.
#[derive(Debug, Clone, Copy)]
pub struct Oscillator {
    card: Card,
    /// Masses, springs, dampers, start.
    pub parameters: Parameters,
}

impl Oscillator {
    /// The model on which orders are measured: damped coupling, initial acceleration.
    pub fn test_model() -> Self {
        Self::of("test-model", Parameters::test_model(), [1e-2, 2.0])
    }

    /// Case 1 of the benchmark, undamped.
    pub fn case_1() -> Self {
        Self::of("case-1", Parameters::case_1(), [1e-3, 10.0])
    }

    /// Case 2 of the benchmark, lightly damped.
    pub fn case_2() -> Self {
        Self::of("case-2", Parameters::case_2(), [1e-3, 10.0])
    }

    fn of(name: &'static str, parameters: Parameters, [step_s, stop_s]: [f64; 2]) -> Self {
        let card = Card {
            name,
            couplings: &Coupling::ALL,
            units: 2,
            motions: &["mass 1", "mass 2"],
            step_s,
            stop_s,
            integrations: 2,
            linear: true,
        };
        Oscillator { card, parameters }
    }

    fn exact(&self) -> Result<Exact, RunError> {
        Exact::new(&self.parameters).map_err(unsolvable)
    }
}

impl Benchmark for Oscillator {
    fn card(&self) -> Card {
        self.card
    }

    fn couple(&self, setup: &Setup<'_>) -> Result<Coupled, RunError> {
        let mut parameters = self.parameters;
        if setup.from_s != 0.0 {
            let z = self.exact()?.at(setup.from_s);
            (parameters.x0, parameters.v0) = ([z[0], z[1]], [z[2], z[3]]);
        }
        let method = setup.scheme.method(2);
        // A stop time is told to units only, where steps are of one length; a run may be shorter.
        let pair = Pair::new(setup.scheme.coupling, method, setup.step_s, setup.stop_s.unwrap_or(1e9));
        let shares = setup.scheme.shares(2);
        let (start, bond, shares) = (setup.start, setup.scheme.weighs_energy(), [shares[0], shares[1]]);
        let coupled = build(&Pair { parameters, start, bond, shares, ..pair }, setup.factory)?;
        let kinds = setup.scheme.coupling.kinds();
        let bond = |i: usize| {
            let effort = if kinds[i] == Kind::Force { "f" } else { "f_c" };
            Bond::new(coupled.units[i], effort, "v")
        };
        let bonds = (0..2).map(bond).collect();
        Ok(Coupled { motions: coupled.motions.to_vec(), bonds, simulation: coupled.simulation })
    }

    fn solution(&self, times_s: &[f64]) -> Result<Vec<Vec<f64>>, RunError> {
        let exact = self.exact()?;
        Ok(times_s.iter().map(|t| exact.at(*t).iter().copied().collect()).collect())
    }
}
