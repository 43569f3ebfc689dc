//! The two-mass oscillator as a scenario: both cases of the benchmark and the model on which orders are measured.

use crate::pair::{Bonds, Coupling, Kind, Pair, build, unsolvable};
use crate::scenario::{Benchmark, Bond, Card, Coupled, Energy, Setup, Solution};
use macrostep_master::RunError;
use macrostep_oscillator::{Exact, Force, Parameters, State};
use macrostep_system::Scenario;
use macrostep_system::check::input_table;
use macrostep_system::scenario::{Connection, Gain, Law, LawKind, Names, Place, Source, Value};
use std::sync::Arc;

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
        let (start, shares) = (setup.start, [shares[0], shares[1]]);
        let bonds = if setup.scheme.weighs_energy() { Bonds::Named } else { Bonds::Unwatched };
        let coupled = build(&Pair { parameters, start, bonds, shares, ..pair }, setup.factory)?;
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
        Some(beside(self.exact().ok()?, Some(step_s), stop_s))
    }
}

/// Displacements, velocities and the energy of the exact solution, for macro steps of `step_s` \[s\], or of any length.
fn beside(exact: Exact, step_s: Option<f64>, stop_s: f64) -> Solution {
    let outputs = ["x", "v"].iter().flat_map(|v| [1, 2].map(|i| format!("mass{i}.{v}"))).collect();
    let [x1, x2] = exact.amplitudes(stop_s).map(Some);
    let parameters = *exact.parameters();
    let energy = move |y: &[f64]| match *y {
        [x1, x2, v1, v2] => parameters.energy(&State::new(x1, x2, v1, v2)),
        _ => f64::NAN,
    };
    let start_j = parameters.energy(&parameters.start());
    // Points of the grid are stepped, as units step; others are between them.
    let (mut grid, mut n, mut z) = (step_s.map(|step_s| (exact.grid(step_s), step_s)), 0u64, parameters.start());
    let at = move |t_s: f64, out: &mut Vec<f64>| {
        let mut is_on_grid = false;
        if let Some((grid, step_s)) = &mut grid {
            while n as f64 * *step_s <= t_s {
                (z, n) = (grid.next().unwrap_or(z), n + 1);
            }
            is_on_grid = n > 0 && (n - 1) as f64 * *step_s == t_s;
        }
        let z = if is_on_grid { z } else { exact.at(t_s) };
        let z: [f64; 4] = z.into();
        out.extend(z);
        out.push(parameters.energy(&State::from(z)));
    };
    let energy: Energy = Arc::new(energy);
    Solution { outputs, amplitudes: vec![x1, x2, None, None], at: Box::new(at), energy: Some((energy, start_j)) }
}

/// The exact solution of two masses that are coupled as in the benchmark, with the values of this scenario and under its forces, for macro
/// steps of `step_s` \[s\], or of any length.
///
/// # Errors
/// In words: what the scenario has that such a pair has not.
pub fn solution_of(s: &Scenario, step_s: Option<f64>) -> Result<Solution, String> {
    let parameters = parameters_of(s)?;
    is_pair(s, parameters)?;
    // The solution, without forces or under those of a file.
    let exact = match force(s)? {
        Some(force) => Exact::forced(&parameters, force),
        None => Exact::new(&parameters),
    };
    let exact = exact.map_err(|e| e.to_string())?;
    let e = &s.experiment;
    Ok(beside(exact, step_s, e.stop_s.unwrap_or(f64::NAN) - e.start_s))
}

/// The values of both masses and of the spring between them.
///
/// # Errors
/// In words: what the scenario has that such a pair has not.
pub fn parameters_of(s: &Scenario) -> Result<Parameters, String> {
    let names = Names::of(s);
    let [0, 1] = [1, 2].map(|i| names.unit(&format!("mass{i}")).unwrap_or(usize::MAX)) else {
        return Err("expected the units `mass1` and `mass2`".to_owned());
    };
    // The values, and the cut by what the units are.
    let mut parameters = Parameters::case_1();
    let mut springs = Vec::new();
    for i in 0..2 {
        let value = |name: &str| number(&names, i, name);
        let own = [value("m")?, value("k")?, value("c")?, value("x0")?, value("v0")?];
        (parameters.m[i], parameters.k[i], parameters.c[i], parameters.x0[i], parameters.v0[i]) =
            (own[0], own[1], own[2], own[3], own[4]);
        if s.units[i].source == Source::Embedded(format!("oscillator{}_displacement", i + 1)) {
            springs.push([value("k_c")?, value("c_c")?]);
        }
    }
    let law = s.laws.first().map(|law| &law.kind);
    if let (true, Some(LawKind::SpringDamper { stiffness: Gain::Number(k), damping: Gain::Number(c) })) =
        (springs.is_empty(), law)
    {
        springs.push([*k, *c]);
    }
    let (Some([k_c, c_c]), true) = (springs.first(), springs.windows(2).all(|two| two[0] == two[1])) else {
        return Err("expected one spring, the same in both masses".to_owned());
    };
    (parameters.k_c, parameters.c_c) = (*k_c, *c_c);
    Ok(parameters)
}

/// A value that the scenario sets.
fn number(names: &Names<'_>, unit: usize, variable: &str) -> Result<f64, String> {
    let setting = names.settings(unit).rfind(|setting| setting.variable == variable);
    match setting.map(|setting| (&setting.value, &setting.unit)) {
        Some((Value::Real(x), None)) => Ok(*x),
        Some((Value::Integer(n), None)) => Ok(*n as f64),
        _ => Err(format!("expected a number for `mass{}.{variable}`", unit + 1)),
    }
}

/// Whether units, connections and laws are those of the pair, whatever else there is.
fn is_pair(s: &Scenario, p: Parameters) -> Result<(), String> {
    let sources: Vec<&Source> = s.units.iter().map(|unit| &unit.source).collect();
    let connections: Vec<_> = s.connections.iter().filter(|c| s.input(&c.from.unit).is_none()).collect();
    let is_cut = |cut: &Coupling| {
        let pair = macrostep_benchmarks::Oscillator::new(p, *cut, [1e-3, 1.0]).scenario();
        let is_same_law = |(a, b): (&Law, &Law)| a.inputs == b.inputs && a.outputs == b.outputs && a.kind == b.kind;
        pair.units.iter().map(|unit| &unit.source).eq(sources.iter().copied())
            && pair.connections.iter().eq(connections.iter().copied())
            && pair.laws.len() == s.laws.len()
            && pair.laws.iter().zip(&s.laws).all(is_same_law)
    };
    let has_more =
        !s.events.is_empty() || !s.state_events.is_empty() || !s.maps.is_empty() || !s.constraints.is_empty();
    let is_one = !has_more && s.interface_models.is_empty() && Coupling::ALL.iter().any(is_cut);
    if is_one { Ok(()) } else { Err("expected units, connections and law of `macrostep oscillator`".to_owned()) }
}

/// Forces on both masses from a file, as they are; without one there are none.
fn force(s: &Scenario) -> Result<Option<Force>, String> {
    let fed: Vec<&Connection> = s.connections.iter().filter(|c| s.input(&c.from.unit).is_some()).collect();
    let names = Names::of(s);
    let mass =
        |c: &Connection| ["mass1", "mass2"].iter().position(|unit| c.to.unit == *unit && c.to.variable == "f_ext");
    // A mass that no file pulls is not pulled.
    for i in (0..2).filter(|i| !fed.iter().any(|c| mass(c) == Some(*i))) {
        if names.settings(i).any(|setting| setting.variable == "f_ext") && number(&names, i, "f_ext")? != 0.0 {
            return Err(format!("expected no force `mass{}.f_ext`, or one from a file", i + 1));
        }
    }
    let Some(file) = fed.first().and_then(|c| s.input(&c.from.unit)) else { return Ok(None) };
    let table = input_table(file).map_err(|finding| finding.to_string())?;
    let mut values = vec![[0.0; 2]; table.times_s.len()];
    for c in fed {
        let plain = Connection::new(c.from.clone(), c.to.clone(), Place::default());
        let Some(i) = mass(c).filter(|_| *c == plain && c.from.unit == file.name) else {
            return Err(format!("expected forces of one file as they are, and found `{}` from `{}`", c.to, c.from));
        };
        let texts = table.column(&c.from.variable).into_iter().flatten();
        values.iter_mut().zip(texts).for_each(|(value, (_, text))| value[i] = text.trim().parse().unwrap_or(f64::NAN));
    }
    let force = Force::new(table.times_s, values);
    force.map(Some).ok_or_else(|| format!("expected finite forces in `{}`", file.shown))
}
