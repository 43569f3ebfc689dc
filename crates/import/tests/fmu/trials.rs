//! Trials of one step that are made together, by the variational equations: what they come to beside closed forms, and beside differences of steps
//! that are made one by one.

use macrostep_master::unit::{Trials, Unit};

use crate::continuous::{INPUT, Q, R, fmu, fmu_with, get, ready, step};

/// How many trials there are, and the powers of time that differ in them.
const COUNT: usize = 8;
const POWERS: usize = 3;

/// Inputs of trials: `base` + `part` Σ cⱼ tʲ, with coefficients that differ from trial to trial; trial 0 is the base.
struct Inputs {
    values: Vec<f64>,
    derivatives: Vec<f64>,
}

/// Coefficients of what trial `i` differs by.
fn differs(i: usize) -> [f64; POWERS] {
    let i = i as f64;
    if i == 0.0 { [0.0; POWERS] } else { [(1.3 * i).sin(), (2.1 * i).cos(), (0.7 * i).sin() - 0.5] }
}

impl Inputs {
    /// With these parts of the difference in each trial.
    fn new(base: [f64; POWERS], trials: &[(usize, f64)]) -> Inputs {
        let (mut values, mut derivatives) = (Vec::new(), Vec::new());
        for (i, part) in trials {
            let c: Vec<f64> = base.iter().zip(differs(*i)).map(|(base, d)| base + part * d).collect();
            values.push(c[0]);
            derivatives.extend([c[1], 2.0 * c[2]]);
        }
        Inputs { values, derivatives }
    }

    fn trials(&self, (t_s, step_s): (f64, f64)) -> Trials<'_> {
        Trials {
            count: self.values.len(),
            slot: 0,
            t_s,
            step_s,
            inputs: (&[INPUT], &self.values),
            derivatives: (&[INPUT; POWERS - 1], &[1, 2], &self.derivatives),
            outputs: &[0, 1],
            nodes: &[],
        }
    }
}

/// Calls of `fmi2GetDerivatives` and of `fmi2GetDirectionalDerivative` so far.
fn calls(unit: &mut dyn Unit) -> [i32; 2] {
    let mut calls = [0; 2];
    unit.get_integer(&[1, 2], &mut calls).expect("numbers");
    calls
}

/// What both outputs of each trial differ by from those of trial 0, made together.
fn together(unit: &mut dyn Unit, base: [f64; POWERS], part: f64, time: (f64, f64)) -> Vec<[f64; 2]> {
    let inputs = Inputs::new(base, &(0..COUNT).map(|i| (i, part)).collect::<Vec<_>>());
    let mut values = vec![0.0; 2 * COUNT];
    assert_eq!(unit.trials(&inputs.trials(time), &mut values), Ok(true));
    (1..COUNT).map(|i| [0, 1].map(|k| values[2 * i + k] - values[k])).collect()
}

/// The same per part, as a limit of central differences of steps that are made one by one.
fn limit(unit: &mut dyn Unit, base: [f64; POWERS], part: f64, time: (f64, f64)) -> Vec<[f64; 2]> {
    let derivative = |i: usize| {
        let parts = [part, -part, 0.5 * part, -0.5 * part].map(|part| (i, part));
        let mut y = [0.0; 8];
        let inputs = Inputs::new(base, &parts);
        assert_eq!(inputs.trials(time).one_by_one(unit, &mut y), Ok(true));
        [0, 1].map(|k| {
            let [coarse, fine] = [(y[k] - y[2 + k]) / (2.0 * part), (y[4 + k] - y[6 + k]) / part];
            (4.0 * fine - coarse) / 3.0
        })
    };
    (1..COUNT).map(derivative).collect()
}

/// The largest error of a derivative, relative to the largest derivative of that output.
fn error(found: &[[f64; 2]], part: f64, expected: &[[f64; 2]]) -> f64 {
    let of = |k: usize| {
        let size = expected.iter().map(|row| row[k].abs()).fold(0.0, f64::max);
        found.iter().zip(expected).map(|(f, e)| (f[k] / part - e[k]).abs() / size).fold(0.0, f64::max)
    };
    of(0).max(of(1))
}

/// m ẍ + 4 x = u: the deviations are known in closed form, at the end and at nodes. One integration, and three columns at each stage.
#[test]
fn deviations_of_linear_equations_are_exact() {
    for (more, tolerance, allowed) in [(&["-DDIRECTIONAL"][..], 1e-12, 1e-10), (&[], 1e-12, 1e-7)] {
        let mut unit = ready(&fmu_with("MASS", (2, 0), more), &[(0, 1.0), (Q, 4.0)], Some(tolerance));
        unit.save(0).expect("saved");
        let nodes = [0.25, 0.6, 1.0];
        let inputs = Inputs::new([0.3, -0.2, 0.1], &(0..COUNT).map(|i| (i, 1.0)).collect::<Vec<_>>());
        let of = Trials { nodes: &nodes, ..inputs.trials((0.0, 2.0)) };
        let mut values = vec![0.0; 6 * COUNT];
        let before = calls(&mut *unit);
        assert_eq!(unit.trials(&of, &mut values), Ok(true));
        let after = calls(&mut *unit);
        println!("together: {} evaluations, {} columns", after[0] - before[0], after[1] - before[1]);
        let mut worst = 0.0_f64;
        for (i, row) in (1..COUNT).flat_map(|i| (0..3).map(move |row| (i, row))) {
            let (t, [a, b, c]) = (2.0 * nodes[row], differs(i));
            let (sine, cosine) = (2.0 * t).sin_cos();
            let x = a * (1.0 - cosine) / 4.0 + b * (t / 4.0 - sine / 8.0) + c * (t * t / 4.0 - (1.0 - cosine) / 8.0);
            let found = values[i * 6 + 2 * row] - values[2 * row];
            worst = worst.max((found - x).abs());
        }
        assert!(worst < allowed, "{more:?}: {worst:e}");
        // One trial alone is read at its nodes, too.
        let alone = Inputs::new([0.3, -0.2, 0.1], &[(0, 1.0)]);
        let mut row = [0.0; 6];
        assert_eq!(unit.trials(&Trials { nodes: &nodes, ..alone.trials((0.0, 2.0)) }, &mut row), Ok(true));
        assert!(row.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-10), "{row:?}");
    }
}

/// A mass at rest on a stiff spring, which others set in motion: the deviations have the steps that they need, not those of the rest.
#[test]
fn deviations_keep_a_tolerance_of_their_own() {
    for more in [&["-DDIRECTIONAL"][..], &[]] {
        let mut unit = ready(&fmu_with("MASS", (2, 0), more), &[(0, 0.0), (Q, 400.0)], None);
        unit.save(0).expect("saved");
        let found = together(&mut *unit, [0.0; POWERS], 1.0, (0.0, 2.0));
        let ((sine, cosine), t) = (40f64.sin_cos(), 2.0);
        let exact = |[a, b, c]: [f64; POWERS]| {
            (a * (1.0 - cosine) + b * (t - sine / 20.0) + c * (t * t - (1.0 - cosine) / 200.0)) / 400.0
        };
        let worst = (1..COUNT).map(|i| (found[i - 1][0] - exact(differs(i))).abs() * 400.0).fold(0.0, f64::max);
        assert!(worst < 1e-5, "{more:?}: {worst:e}");
    }
}

/// A spring that hardens: what is found for differences of any size is the derivative, by derivatives of the FMU and by differences.
#[test]
fn deviations_are_derivatives() {
    for (more, allowed) in [(&["-DDIRECTIONAL"][..], 1e-8_f64), (&[], 1e-6)] {
        for part in [1e-4, 1.0] {
            let mut unit = ready(&fmu_with("MASS", (2, 0), more), &[(0, 1.0), (Q, 4.0), (R, 3.0)], Some(1e-13));
            unit.save(0).expect("saved");
            let (base, time) = ([0.3, -0.2, 0.1], (0.0, 1.5));
            let expected = limit(&mut *unit, base, 1e-3, time);
            let found = error(&together(&mut *unit, base, part, time), part, &expected);
            println!("{more:?} {part}: {found:e}");
            assert!(
                found < if more.is_empty() { allowed.max(1e-4 * part) } else { allowed },
                "{more:?} {part}: {found:e}"
            );
        }
    }
}

/// Van der Pol's equation with μ = 1000 and Robertson's reaction, by the implicit method.
#[test]
fn deviations_of_stiff_equations_are_derivatives() {
    let cases: [(_, _, &[&str], _, _); 3] = [
        ("VANDERPOL", 2, &["-DDIRECTIONAL"], 0.1, 1e-2),
        ("VANDERPOL", 2, &[], 0.1, 1e-2),
        ("ROBERTSON", 3, &[], 10.0, 1e-4),
    ];
    for (model, n, more, h, size) in cases {
        let mut unit = ready(&fmu_with(model, (n, 0), more), &[(0, if n == 2 { 2.0 } else { 1.0 })], Some(1e-10));
        step(&mut *unit, 0, h);
        step(&mut *unit, 1, h);
        unit.save(0).expect("saved");
        let time = (2.0 * h, h);
        let base = [0.0; POWERS];
        let before = calls(&mut *unit);
        let found = together(&mut *unit, base, size / h, time);
        let after = calls(&mut *unit);
        let inputs = Inputs::new(base, &(0..COUNT).map(|i| (i, size / h)).collect::<Vec<_>>());
        assert_eq!(inputs.trials(time).one_by_one(&mut *unit, &mut [0.0; 2 * COUNT]), Ok(true));
        let last = calls(&mut *unit);
        let expected = limit(&mut *unit, base, size / h, time);
        let error = error(&found, size / h, &expected);
        let [together, apart] = [(before, after), (after, last)].map(|(from, to)| [0, 1].map(|k| to[k] - from[k]));
        println!(
            "{model} {more:?}: evaluations and columns together {together:?}, one by one {apart:?}, error {error:e}"
        );
        assert!(error < 1e-6, "{model} {more:?}: {error:e} {found:?} {expected:?}");
        assert!(3 * (together[0] + together[1]) < 2 * (apart[0] + apart[1]), "{model}: {together:?} {apart:?}");
    }
}

/// Where an event occurs, in the step or as the inputs are set, trials are made one by one, to the bit; what comes after trials is as if they had not been made.
#[test]
fn events_are_not_passed_over() {
    for (model, starts, base, h) in [
        ("BALL", &[(0, 0.4), (Q, 0.8)][..], [0.0; POWERS], 0.5),
        ("RAMP", &[(0, 0.0)], [0.4, 0.3, 0.0], 1.0),
        ("RAMP", &[(0, 0.0)], [0.7, 0.3, 0.0], 1.0),
    ] {
        let mut unit = ready(&fmu(model, (if model == "BALL" { 2 } else { 1 }, 1), true), starts, None);
        unit.save(0).expect("saved");
        let inputs = Inputs::new(base, &(0..COUNT).map(|i| (i, 1e-3)).collect::<Vec<_>>());
        let of = Trials { outputs: &[0], ..inputs.trials((0.0, h)) };
        let mut values = [[0.0; COUNT]; 2];
        assert_eq!(of.one_by_one(&mut *unit, &mut values[0]), Ok(true));
        assert_eq!(unit.trials(&of, &mut values[1]), Ok(true));
        assert_eq!(values[0], values[1], "{model}");
        // Nodes inside such a step are for the caller.
        assert_eq!(unit.trials(&Trials { nodes: &[0.5, 1.0], ..of }, &mut [0.0; 2 * COUNT]), Ok(false));
        unit.restore(0).expect("back");
        step(&mut *unit, 0, h);
        let once = get(&mut *unit, 0);
        unit.restore(0).expect("back");
        assert_eq!(unit.trials(&of, &mut values[1]), Ok(true));
        unit.restore(0).expect("back");
        step(&mut *unit, 0, h);
        assert_eq!(get(&mut *unit, 0), once);
    }
}

/// An FMU that gives derivatives of its states and refuses those of its inputs: trials are made one by one, then by differences.
#[test]
fn derivatives_that_are_refused_are_not_needed() {
    let mut unit =
        ready(&fmu_with("MASS", (2, 0), &["-DDIRECTIONAL", "-DREFUSES"]), &[(0, 1.0), (Q, 4.0)], Some(1e-12));
    unit.save(0).expect("saved");
    let [first, second] = [0, 1].map(|_| together(&mut *unit, [0.3, -0.2, 0.1], 1.0, (0.0, 1.5)));
    assert!(error(&second, 1.0, &first) < 1e-6 && second != first, "{first:?} {second:?}");
    unit.restore(0).expect("back");
    step(&mut *unit, 0, 1.5);
}
