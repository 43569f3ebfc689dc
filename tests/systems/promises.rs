//! What `verify` says of a step, a method and an error bar is held against the exact solution of masses in a row.
//!
//! ```text
//! cargo test --test all systems::promises -- --include-ignored --nocapture     all of it, with the counts
//! ```

use macrostep::embedded;
use macrostep_benchmarks::Coupling;
use macrostep_benchmarks::chain::row;
use macrostep_master::record::Trace;
use macrostep_oscillator::Parameters;
use macrostep_system::scenario::Scenario;
use macrostep_system::verify::verify;
use macrostep_system::words::{Correct, Family, Predict};
use macrostep_system::{Fmus, assemble};
use nalgebra::{DMatrix, DVector};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Masses in a row: m, k, c, x(0), v(0) of each, and k, c of the springs between them.
struct Row {
    masses: Vec<[f64; 5]>,
    springs: Vec<[f64; 2]>,
}

impl Row {
    /// The oscillator of the benchmark.
    fn case_1() -> Row {
        let p = Parameters::case_1();
        let masses = [0, 1].map(|i| [p.m[i], p.k[i], p.c[i], p.x0[i], p.v0[i]]).to_vec();
        Row { masses, springs: vec![[p.k_c, p.c_c]] }
    }

    /// Two to six masses whose springs lie within four decades.
    fn random(rng: &mut StdRng) -> Row {
        let n = rng.random_range(2..=6usize);
        let mut decade = |low: f64, high: f64| 10f64.powf(rng.random_range(low..high));
        let springs = (1..n).map(|_| decade(0.0, 4.0)).map(|k| [k, 0.02 * k.sqrt()]).collect();
        let masses = (0..n)
            .map(|_| [decade(-1.0, 1.0), decade(0.0, 4.0), decade(-2.0, 0.0), decade(-1.0, 0.0), decade(-1.0, 0.5)])
            .collect();
        Row { masses, springs }
    }

    /// A of ż = A z with z = (x, v).
    fn matrix(&self) -> DMatrix<f64> {
        let n = self.masses.len();
        let mut a = DMatrix::zeros(2 * n, 2 * n);
        for (i, [m, k, c, ..]) in self.masses.iter().enumerate() {
            a[(i, n + i)] = 1.0;
            (a[(n + i, i)], a[(n + i, n + i)]) = (-k / m, -c / m);
        }
        for (i, [k, c]) in self.springs.iter().enumerate() {
            for (own, other) in [(i, i + 1), (i + 1, i)] {
                let m = self.masses[own][0];
                a[(n + own, own)] -= k / m;
                a[(n + own, other)] += k / m;
                a[(n + own, n + own)] -= c / m;
                a[(n + own, n + other)] += c / m;
            }
        }
        a
    }

    /// The largest frequency \[1/s\].
    fn fastest(&self) -> f64 {
        self.matrix().complex_eigenvalues().iter().fold(0.0, |max, z| z.norm().max(max))
    }

    /// The largest error of each recorded output `massI.x` and `massI.v`, and its exact amplitude.
    fn errors(&self, trace: &Trace) -> Vec<(String, [f64; 2])> {
        let n = self.masses.len();
        let times: Vec<f64> = trace.rows().map(|row| row[0]).collect();
        let step = (self.matrix() * (times[1] - times[0])).exp();
        let mut z = DVector::from_fn(2 * n, |i, _| self.masses[i % n][3 + i / n]);
        let (mut off, mut size) = (vec![0.0f64; 2 * n], vec![0.0f64; 2 * n]);
        // The place of each column in z.
        let name = |i: usize| format!("mass{}.{}", 1 + i % n, ["x", "v"][i / n]);
        let place = |i: usize| trace.columns().iter().position(|c| c.name == name(i)).expect("a column");
        let places: Vec<usize> = (0..2 * n).map(place).collect();
        for row in trace.rows() {
            for i in 0..2 * n {
                let gap = (row[places[i]] - z[i]).abs();
                off[i] = if gap.is_nan() { f64::INFINITY } else { off[i].max(gap) };
                size[i] = size[i].max(z[i].abs());
            }
            z = &step * z;
        }
        (0..2 * n).map(|i| (name(i), [off[i], size[i]])).collect()
    }
}

/// A run of a scenario.
fn trace(s: &Scenario) -> Trace {
    let (assembly, _) = assemble(s, &Fmus::new(embedded::fmu)).expect("a system");
    let mut simulation = assembly.simulation().expect("a simulation");
    simulation.initialise().expect("initialised");
    let windows = simulation.windows_in(s.experiment.stop_s.expect("an end")).expect("windows");
    let mut trace = Trace::new(simulation.columns().to_vec());
    simulation.run(windows, 1, &mut trace).expect("a run");
    trace
}

/// What was seen.
#[derive(Debug, Default)]
struct Counts {
    systems: usize,
    refused: usize,
    met: usize,
    steps: usize,
    methods: usize,
    /// Promises whose true error is above the tolerance.
    false_ones: Vec<String>,
    /// Outputs with a bar below their amplitude, and how many of them have their true error within it.
    seen: [usize; 2],
    /// The same of the other outputs: those that grow, and those of which nothing is known.
    lost: [usize; 2],
}

impl Counts {
    /// Verifies a scenario and looks at what was said.
    fn look(&mut self, row: &Row, s: &Scenario, tolerance: f64) {
        self.systems += 1;
        let Ok(v) = verify(s, &Fmus::new(embedded::fmu), Some(tolerance)) else {
            self.refused += 1;
            return;
        };
        // Error bars beside errors, where they are above what exact steps leave.
        let errors = row.errors(&trace(s));
        for o in v.outputs.iter().filter(|o| o.relative() > 1e-9) {
            let (_, [error, _]) = errors.iter().find(|(name, _)| *name == o.column.name).expect("an output");
            let is_covered = usize::from(*error <= o.bar);
            let seen = if o.grown.is_none() && o.relative() < 1.0 { &mut self.seen } else { &mut self.lost };
            *seen = [seen[0] + 1, seen[1] + is_covered];
            if is_covered == 0 {
                println!(
                    "{} {} H = {:?}: {} bar {:.2e}, error {error:.2e}, amplitude {:.2e}, order {:?}, grown {:?}",
                    s.name,
                    s.coupling.predict,
                    s.experiment.step_s,
                    o.column.name,
                    o.bar,
                    o.amplitude,
                    o.order,
                    o.grown
                );
            }
        }
        // Promises beside errors.
        let verdict = v.verdict.expect("a verdict");
        let largest = |errors: &[(String, [f64; 2])]| errors.iter().map(|(_, [e, size])| e / size).fold(0.0, f64::max);
        let worst = |s: &Scenario| largest(&row.errors(&trace(s)));
        let mut hold = |what: String, error: f64| {
            if error > tolerance {
                self.false_ones.push(format!(
                    "{} {} H = {:?}: {what} has {error:.2e} of {tolerance:.2e}",
                    s.name, s.coupling.predict, s.experiment.step_s
                ));
            }
        };
        if verdict.is_met {
            self.met += 1;
            hold("met".to_owned(), largest(&errors));
        }
        if let Some(step_s) = verdict.step_s {
            self.steps += 1;
            let mut smaller = s.clone();
            smaller.experiment.step_s = Some(step_s);
            hold(format!("{step_s} s"), worst(&smaller));
        }
        if let Some((words, _)) = verdict.method {
            self.methods += 1;
            let mut other = s.clone();
            let c = &mut other.coupling;
            let predictors = [Predict::classical(1), Predict::classical(2), Predict::integrated(1)];
            let (first, second) = words.split_once(" with ").unwrap_or((&words, &words));
            c.predict = predictors.into_iter().find(|p| p.to_string() == second).unwrap_or(c.predict);
            c.correct = match first {
                "newton" => Correct::Newton,
                "iqn-ils" => Correct::IqnIls,
                _ => c.correct,
            };
            hold(words.clone(), worst(&other));
        }
    }

    /// Prints the counts; no promise is false, and bars cover 95 % of the outputs.
    fn hold(&self, what: &str) {
        let [outputs, covered] = self.seen;
        let share = covered as f64 / outputs as f64;
        println!(
            "{what}: {} systems, {} refused, {} met, {} steps and {} methods promised, {} false",
            self.systems,
            self.refused,
            self.met,
            self.steps,
            self.methods,
            self.false_ones.len()
        );
        println!(
            "{what}: {covered} of {outputs} outputs within their bars, {:.1} %; {} of {} that grow or whose bar is above the amplitude",
            100.0 * share,
            self.lost[1],
            self.lost[0]
        );
        assert!(self.false_ones.is_empty(), "{:#?}", self.false_ones);
        assert!(share >= 0.95, "{share}");
    }
}

/// Predictors that are looked at.
fn predictors() -> [Predict; 5] {
    let h3 = Predict { family: Family::Hermite, degree: 3 };
    [Predict::classical(0), Predict::classical(1), Predict::classical(2), Predict::integrated(1), h3]
}

/// Case 1 with these steps.
fn case_1(steps_s: &[f64], cuts: &[&str], stop_s: f64) -> Counts {
    let (row, mut counts) = (Row::case_1(), Counts::default());
    for cut in cuts {
        for predict in predictors() {
            for step_s in steps_s {
                let mut s = macrostep_benchmarks::find(&format!("case-1:{cut}")).expect("case 1");
                s.record.variables.retain(|(name, _)| name.ends_with(".x") || name.ends_with(".v"));
                s.coupling.predict = predict;
                // Whole steps: rows lie at equal distances.
                let whole_s = (stop_s / step_s).floor() * step_s;
                (s.experiment.step_s, s.experiment.stop_s) = (Some(*step_s), Some(whole_s));
                counts.look(&row, &s, 0.02);
            }
        }
    }
    counts
}

/// So many random systems.
fn random(count: usize, windows: f64) -> Counts {
    let mut counts = Counts::default();
    for seed in 0..count as u64 {
        let mut rng = StdRng::seed_from_u64(seed);
        let row_of = Row::random(&mut rng);
        let cut = if rng.random_bool(0.5) { Coupling::ForceForce } else { Coupling::DisplacementForce };
        let mut s = row(cut, &row_of.masses, &row_of.springs);
        s.name = format!("seed {seed}");
        s.coupling.predict = predictors()[rng.random_range(0..5)];
        // From well resolved to far beyond stable.
        let step_s = 10f64.powf(rng.random_range(-1.5..0.5)) / row_of.fastest();
        (s.experiment.step_s, s.experiment.stop_s) = (Some(step_s), Some(windows * step_s));
        let tolerance = 10f64.powf(rng.random_range(-3.0..-1.0));
        counts.look(&row_of, &s, tolerance);
    }
    counts
}

#[test]
fn no_promise_is_false() {
    case_1(&[1.6e-2, 6.4e-2, 0.2], &["f-f", "s-f"], 4.0).hold("case 1");
    // Here `linear` would be promised after two runs, and has 2.07 %: it takes the four.
    case_1(&[4e-3], &["f-s"], 8.0).hold("methods");
    random(12, 60.0).hold("random");
}

/// All cuts and steps, and a hundred systems.
#[test]
#[ignore = "minutes"]
fn no_promise_is_false_in_all() {
    case_1(&[1e-3, 4e-3, 1.6e-2, 6.4e-2, 0.2], &["f-s", "s-f", "s-s", "f-f"], 8.0).hold("case 1");
    random(100, 200.0).hold("random");
}
