//! The two-mass oscillator as a scenario: both cases of the benchmark and the model on which orders are measured.

use crate::pair::{Coupling, Kind, Pair, build, unsolvable};
use crate::scenario::{Benchmark, Bond, Card, Coupled, Setup, Solution};
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

    fn beside(self: Box<Self>, step_s: f64, stop_s: f64) -> Option<Solution> {
        let exact = self.exact().ok()?;
        let outputs = ["x", "v"].iter().flat_map(|v| [1, 2].map(|i| format!("mass{i}.{v}"))).collect();
        let [x1, x2] = exact.amplitudes(stop_s).map(Some);
        // Points of the grid are stepped, as units step; others are between them.
        let (mut grid, mut n, mut z) = (exact.grid(step_s), 0u64, exact.parameters().start());
        let at = move |t_s: f64| {
            while n as f64 * step_s <= t_s {
                (z, n) = (grid.next().unwrap_or(z), n + 1);
            }
            let is_on_grid = n > 0 && (n - 1) as f64 * step_s == t_s;
            let z = if is_on_grid { z } else { exact.at(t_s) };
            z.iter().copied().collect()
        };
        Some(Solution { outputs, amplitudes: vec![x1, x2, None, None], at: Box::new(at) })
    }
}
