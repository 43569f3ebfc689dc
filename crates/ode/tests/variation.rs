//! Deviations of solutions against differences of runs, by the explicit and the implicit method, and what the integrator says it has done.

use macrostep_ode::adaptive::{Integrator, Rates, Stopped, Variation, Varied, differences, transpose};

/// ż = f(t, z, u) of two states and two inputs, with its derivatives and changes of its inputs; evaluations are counted.
struct Equations<F, C> {
    f: F,
    /// Four columns, of z₀, z₁, u₀ and u₁.
    columns: C,
    /// Inputs, and Δu of each deviation: constant in u₀, sin t in u₁, and none.
    by: [f64; 2],
    calls: u64,
}

/// Deviations.
const M: usize = 3;

fn changes(t: f64) -> [[f64; 2]; M] {
    [[1.0, 0.0], [0.0, t.sin()], [0.0, 0.0]]
}

impl<F, C> Rates for Equations<F, C>
where
    F: Fn(f64, [f64; 2], [f64; 2]) -> [f64; 2],
{
    type Error = String;

    fn rates(&mut self, t: f64, z: &[f64], dz: &mut [f64]) -> Result<(), String> {
        self.calls += 1;
        // So much of the first deviation and so much of the second.
        let u = [0, 1].map(|k| self.by[0] * changes(t)[0][k] + self.by[1] * changes(t)[1][k]);
        dz.copy_from_slice(&(self.f)(t, [z[0], z[1]], u));
        Ok(())
    }
}

impl<F, C> Varied for Equations<F, C>
where
    F: Fn(f64, [f64; 2], [f64; 2]) -> [f64; 2],
    C: Fn(f64, [f64; 2]) -> [[f64; 2]; 4],
{
    fn columns(
        &mut self,
        (t, z, dz): (f64, &mut [f64], Option<&[f64]>),
        sizes: &[f64],
        columns: &mut [f64],
    ) -> Result<(), String> {
        let z = [z[0], z[1]];
        if let Some(dz) = dz {
            // To rounding: the states of a stage are put together anew.
            let pairs = dz.iter().zip((self.f)(t, z, [0.0; 2]));
            pairs.for_each(|(dz, f)| assert!((dz - f).abs() <= 1e-9 * (1.0 + f.abs()), "{dz} is known of {f}"));
        }
        for (i, (column, f)) in columns.chunks_exact_mut(2).zip((self.columns)(t, z)).enumerate() {
            // A column of a state that does not deviate is not looked at.
            column.copy_from_slice(&if sizes.get(i) == Some(&0.0) { [f64::NAN; 2] } else { f });
        }
        Ok(())
    }

    fn differences(&mut self, t: f64, du: &mut [f64]) {
        du.copy_from_slice(changes(t).as_flattened());
    }
}

/// States at the end, with so much of the deviations.
fn run<F, C>(equations: Equations<F, C>, end: f64, by: [f64; 2]) -> Vec<f64>
where
    F: Fn(f64, [f64; 2], [f64; 2]) -> [f64; 2],
{
    let mut equations = Equations { by, ..equations };
    let mut integrator = Integrator::new(&[1.0; 2], 1e-12);
    integrator.begin(0.0, &[1.0, 0.5]);
    while integrator.time() < end {
        integrator.step(&mut equations, end).expect("a step");
    }
    integrator.states().to_vec()
}

/// Deviations by the variational equations, against central differences of two runs each.
fn compare<F, C>(f: F, columns: C, end: f64, is_stiff: bool)
where
    F: Fn(f64, [f64; 2], [f64; 2]) -> [f64; 2] + Copy,
    C: Fn(f64, [f64; 2]) -> [[f64; 2]; 4] + Copy,
{
    let new = || Equations { f, columns, by: [0.0; 2], calls: 0 };
    let (mut equations, mut integrator) = (new(), Integrator::new(&[1.0; 2], 1e-9));
    let mut variation = Variation::new((2, 2, M), 1e-8);
    integrator.begin(0.0, &[1.0, 0.5]);
    while integrator.time() < end {
        integrator.step_with(&mut equations, &mut variation, end).expect("a step");
    }
    assert_eq!((integrator.time(), integrator.is_stiff()), (end, is_stiff));
    let (found, part) = (variation.deviations(), 1e-4);
    for (i, by) in [[part, 0.0], [0.0, part]].into_iter().enumerate() {
        let (more, less) = (run(new(), end, by), run(new(), end, by.map(|x| -x)));
        for k in 0..2 {
            let (found, expected) = (found[2 * i + k], (more[k] - less[k]) / (2.0 * part));
            assert!((found - expected).abs() < 2e-7 * (1.0 + expected.abs()), "{i} {k}: {found} {expected}");
        }
    }
    assert_eq!(found[4..], [0.0; 2], "nothing differs");
}

/// A pendulum that is pushed, z̈ = −sin z + u₀ in a wind.
#[test]
fn deviations_of_a_pendulum() {
    let f = |t: f64, z: [f64; 2], u: [f64; 2]| [z[1] + u[1], -z[0].sin() - 0.1 * z[1] + u[0] + 0.3 * (2.0 * t).cos()];
    let columns = |_: f64, z: [f64; 2]| [[0.0, -z[0].cos()], [1.0, -0.1], [0.0, 1.0], [1.0, 0.0]];
    compare(f, columns, 3.0, false);
}

/// A fast state follows the square of a slow one: stiff, so that the implicit method takes over.
#[test]
fn deviations_of_stiff_equations() {
    let f = |_: f64, z: [f64; 2], u: [f64; 2]| [-1e4 * (z[0] - z[1] * z[1] - u[0]), -z[0] * z[1] + u[1]];
    let columns = |_: f64, z: [f64; 2]| [[-1e4, -z[1]], [2e4 * z[1], -z[0]], [1e4, 0.0], [0.0, 1.0]];
    compare(f, columns, 2.0, true);
}

/// States that rest say nothing about the length of steps: the deviation does. z̈ = −z + Δu, Δu = 1: s = 1 − cos t.
#[test]
fn deviations_shorten_steps() {
    let (f, columns) = (
        |_: f64, z: [f64; 2], u: [f64; 2]| [z[1] + u[1], -z[0] + u[0]],
        |_: f64, _: [f64; 2]| [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]],
    );
    let mut equations = Equations { f, columns, by: [0.0; 2], calls: 0 };
    for relative in [1e-6, 1e-10] {
        let (mut integrator, mut variation) = (Integrator::new(&[1.0; 2], 1e-3), Variation::new((2, 2, M), relative));
        integrator.begin(0.0, &[0.0; 2]);
        while integrator.time() < 20.0 {
            integrator.step_with(&mut equations, &mut variation, 20.0).expect("a step");
            let (t, s) = (integrator.time(), variation.deviations());
            let errors = [s[0] - 1.0 + t.cos(), s[1] - t.sin()];
            assert!(errors.iter().all(|e| e.abs() < 50.0 * relative), "{relative}, t = {t}: {errors:?}");
        }
        assert_eq!(integrator.states(), [0.0; 2]);
        assert!(integrator.work().steps < 200, "{:?}", integrator.work());
    }
}

/// Derivatives that are no numbers end a run where they are.
#[test]
fn deviations_that_are_no_numbers_are_said() {
    let (f, columns) = (|_: f64, z: [f64; 2], _: [f64; 2]| [z[1], -z[0]], |_: f64, _: [f64; 2]| [[f64::NAN; 2]; 4]);
    let mut equations = Equations { f, columns, by: [0.0; 2], calls: 0 };
    let (mut integrator, mut variation) = (Integrator::new(&[1.0; 2], 1e-6), Variation::new((2, 2, M), 1e-6));
    integrator.begin(3.0, &[1.0, 0.0]);
    let stopped = integrator.step_with(&mut equations, &mut variation, 4.0);
    assert_eq!(stopped, Err(Stopped::TooShort(3.0)));
    assert_eq!(variation.deviations(), [0.0; 2 * M]);
}

/// Evaluations are counted as they are made: n more for each Jacobian matrix of differences, three for the first look into a step.
#[test]
fn work_is_counted() {
    let none = |_: f64, _: [f64; 2]| [[0.0; 2]; 4];
    let f = |_: f64, z: [f64; 2], _: [f64; 2]| [-z[1], z[0]];
    let stiff = |t: f64, z: [f64; 2], _: [f64; 2]| [-1e4 * (z[0] - t.cos()), -z[1]];
    let mut equations = Equations { f, columns: none, by: [0.0; 2], calls: 0 };
    let mut integrator = Integrator::new(&[1.0; 2], 1e-6);
    integrator.begin(0.0, &[1.0, 0.0]);
    let mut steps = 0;
    while integrator.time() < 2.0 {
        integrator.step(&mut equations, 2.0).expect("a step");
        steps += 1;
    }
    let mut z = [0.0; 2];
    for part in [0.3, 0.7] {
        let t = integrator.began() + part * (2.0 - integrator.began());
        integrator.inside(&mut equations, t, &mut z).expect("inside");
        assert!((z[0] - t.cos()).abs() < 1e-5 && (z[1] - t.sin()).abs() < 1e-5, "{z:?}");
    }
    let work = integrator.work();
    assert_eq!((work.steps, work.rates, work.jacobians), (steps, equations.calls, 0));
    let mut equations = Equations { f: stiff, columns: none, by: [0.0; 2], calls: 0 };
    let mut integrator = Integrator::new(&[1.0; 2], 1e-6);
    integrator.begin(0.0, &[1.0, 1.0]);
    while integrator.time() < 2.0 {
        integrator.step(&mut equations, 2.0).expect("a step");
    }
    // A look into an implicit step takes none.
    let t = 0.5 * (integrator.began() + 2.0);
    integrator.inside(&mut equations, t, &mut z).expect("inside");
    assert!((z[0] - t.cos()).abs() < 1e-3 && (z[1] - (-t).exp()).abs() < 1e-3, "{z:?}");
    let work = integrator.work();
    assert!(integrator.is_stiff() && work.jacobians > 0, "{work:?}");
    assert_eq!(work.rates + 2 * work.jacobians, equations.calls);
}

/// ∂f/∂z from differences, row by row, against the derivatives; the states are put back, and an error is passed on.
#[test]
fn jacobian_matrices_from_differences() {
    struct Three(bool);
    impl Rates for Three {
        type Error = &'static str;
        fn rates(&mut self, t: f64, z: &[f64], dz: &mut [f64]) -> Result<(), &'static str> {
            dz.copy_from_slice(&[z[0] * z[1], t * z[2], z[0] - z[2] * z[2]]);
            if self.0 { Err("no") } else { Ok(()) }
        }
    }
    let (mut z, mut dz, mut found) = ([2.0, 0.0, -1e3], [0.0; 3], [f64::NAN; 9]);
    Three(false).rates(5.0, &z, &mut dz).expect("rates");
    differences(&mut Three(false), (5.0, &mut z, &dz), &mut found).expect("a matrix");
    let exact = [0.0, 2.0, 0.0, 0.0, 0.0, 5.0, 1.0, 0.0, 2e3];
    for (found, exact) in found.iter().zip(exact) {
        assert!((found - exact).abs() < 1e-4 * (1.0 + exact.abs()), "{found} {exact}");
    }
    assert_eq!(z, [2.0, 0.0, -1e3]);
    assert_eq!(differences(&mut Three(true), (5.0, &mut z, &dz), &mut found), Err("no"));
    assert_eq!(z, [2.0, 0.0, -1e3]);
    let mut rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    transpose(3, &mut rows);
    assert_eq!(rows, [1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0]);
    // And an integrator passes it on, and stays where it is.
    let mut integrator = Integrator::new(&[1.0; 3], 1e-6);
    integrator.begin(1.0, &z);
    assert_eq!(integrator.step(&mut Three(true), 2.0), Err(Stopped::Rates("no")));
    assert_eq!((integrator.time(), integrator.states()), (1.0, &z[..]));
}

/// Units of states change nothing: sizes and states times a power of two give the same steps, to the bit.
#[test]
fn units_change_no_step() {
    let run = |unit: f64| {
        struct Swings(f64);
        impl Rates for Swings {
            type Error = String;
            fn rates(&mut self, _: f64, z: &[f64], dz: &mut [f64]) -> Result<(), String> {
                dz.copy_from_slice(&[z[1], -4.0 * z[0], -z[2] + self.0]);
                Ok(())
            }
        }
        let mut integrator = Integrator::new(&[0.5 * unit, unit, 2.0 * unit], 1e-8);
        integrator.begin(0.0, &[unit, 0.0, 3.0 * unit]);
        let mut times = Vec::new();
        while integrator.time() < 5.0 {
            integrator.step(&mut Swings(unit), 5.0).expect("a step");
            times.push(integrator.time());
        }
        (times, integrator.states().iter().map(|z| z / unit).collect::<Vec<_>>())
    };
    let (times, z) = run(1.0);
    assert_eq!((times.clone(), z.clone()), run(1024.0));
    assert!(times.len() < 50, "{times:?}");
    for (found, exact) in z.iter().zip([10f64.cos(), -2.0 * 10f64.sin(), 1.0 + 2.0 * (-5f64).exp()]) {
        assert!((found - exact).abs() < 1e-6, "{found} {exact}");
    }
}
