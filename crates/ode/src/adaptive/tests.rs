//! Orders, tolerances, events and stiff systems.

use super::*;

/// Equations as a function, counted.
struct Of<F>(F);

impl<F: FnMut(f64, &[f64], &mut [f64])> Rates for Of<F> {
    type Error = std::convert::Infallible;

    fn rates(&mut self, t: f64, z: &[f64], dz: &mut [f64]) -> Result<(), Self::Error> {
        (self.0)(t, z, dz);
        Ok(())
    }
}

/// From the start to the end in steps of the integrator's own.
fn run<R: Rates<Error = std::convert::Infallible>>(f: &mut R, z: &[f64], end: f64, relative: f64) -> Integrator {
    let mut integrator = Integrator::new(&vec![1.0; z.len()], relative);
    integrator.begin(0.0, z);
    while integrator.time() < end {
        integrator.step(f, end).expect("a step");
    }
    integrator
}

fn oscillator(_: f64, z: &[f64], dz: &mut [f64]) {
    (dz[0], dz[1]) = (z[1], -4.0 * z[0]);
}

/// The error of one step falls with its length to the power of 9, that of its continuous solution with 8.
#[test]
fn the_explicit_method_has_order_8_and_7_inside() {
    let error = |h: f64| {
        let mut integrator = Integrator::new(&[1.0, 1.0], 0.1);
        integrator.begin(0.0, &[1.0, 0.0]);
        integrator.next = h;
        let mut f = Of(oscillator);
        integrator.step(&mut f, h).expect("a step");
        let mut middle = [0.0; 2];
        integrator.inside(&mut f, 0.4 * h, &mut middle).expect("inside");
        [(integrator.states()[0] - (2.0 * h).cos()).abs(), (middle[0] - (0.8 * h).cos()).abs()]
    };
    let (coarse, fine) = (error(0.4), error(0.2));
    let orders = [0, 1].map(|i| (coarse[i] / fine[i]).log2());
    assert!((orders[0] - 9.0).abs() < 1.1 && (orders[1] - 8.0).abs() < 0.6, "{orders:?} {coarse:?} {fine:?}");
}

/// An oscillator over a hundred periods, forced by its time: errors follow the tolerance.
#[test]
fn tolerances_are_kept() {
    for relative in [1e-6, 1e-9, 1e-12] {
        let mut f = Of(|t: f64, z: &[f64], dz: &mut [f64]| (dz[0], dz[1]) = (z[1], -z[0] + (3.0 * t).cos()));
        let end = run(&mut f, &[0.0, 0.0], 20.0, relative);
        // z = (cos t − cos 3t)/8.
        let exact = (20f64.cos() - 60f64.cos()) / 8.0;
        let error = (end.states()[0] - exact).abs();
        assert!(error < 20.0 * relative && !end.is_stiff(), "{relative}: {error:e}");
    }
}

/// y′ = −1000 (y − cos t): stiff, noticed, and right.
#[test]
fn stiff_equations_are_noticed() {
    let mut f = Of(|t: f64, z: &[f64], dz: &mut [f64]| dz[0] = -1e4 * (z[0] - t.cos()));
    let end = run(&mut f, &[0.0], 10.0, 1e-7);
    let l = 1e4;
    let exact = l * (l * 10f64.cos() + 10f64.sin()) / (l * l + 1.0);
    let error = (end.states()[0] - exact).abs();
    assert!(end.is_stiff() && error < 1e-6 && end.work().steps < 700, "{error:e} {:?}", end.work());
}

/// Van der Pol, μ = 1000 (in its own time): the reference is that of Hairer and Wanner's test set for μ² = 1e6.
#[test]
fn van_der_pol_is_solved() {
    let mut f = Of(|_: f64, z: &[f64], dz: &mut [f64]| {
        (dz[0], dz[1]) = (z[1], 1e6 * ((1.0 - z[0] * z[0]) * z[1] - z[0]));
    });
    let end = run(&mut f, &[2.0, 0.0], 2.0, 1e-8);
    let error = (end.states()[0] - 1.706_167_732_170_469).abs();
    assert!(end.is_stiff() && error < 1e-6, "{:?} {error:e} {:?}", end.states(), end.work());
    // The best implicit method of `diffsol` 0.18 takes 2507 with this tolerance (`tests/judges/diffsol.sh` compares them at equal errors).
    assert!(end.work().steps < 2507 * 3 / 2, "{:?}", end.work());
}

/// With a tight tolerance stiffness is noticed where it begins: Robertson's reaction to t = 40, with the sizes of its concentrations.
#[test]
fn stiffness_is_noticed_with_a_tight_tolerance() {
    let mut f = Of(|_: f64, z: &[f64], dz: &mut [f64]| {
        let (slow, fast, back) = (0.04 * z[0], 3e7 * z[1] * z[1], 1e4 * z[1] * z[2]);
        (dz[0], dz[1], dz[2]) = (-slow + back, slow - back - fast, fast);
    });
    let mut end = Integrator::new(&[1.0, 1e-4, 1.0], 1e-10);
    end.begin(0.0, &[1.0, 0.0, 0.0]);
    while end.time() < 40.0 {
        end.step(&mut f, 40.0).expect("a step");
    }
    // BDF of `diffsol` 0.18 takes 521.
    assert!(end.is_stiff() && end.work().steps < 521, "{:?}", end.work());
    let error = (end.states()[0] / 0.715_827_068_721_9 - 1.0).abs();
    assert!(error < 1e-9, "{error:e} {:?}", end.states());
    // What swings is not stiff.
    for relative in [1e-10, 1e-12] {
        assert!(!run(&mut Of(oscillator), &[1.0, 0.0], 50.0, relative).is_stiff(), "{relative}");
    }
}

/// Robertson's reaction to t = 1e4: the sum of concentrations stays, and the values are those of Radau at 1e-12.
#[test]
fn robertson_is_solved() {
    let mut f = Of(|_: f64, z: &[f64], dz: &mut [f64]| {
        let (slow, fast, back) = (0.04 * z[0], 3e7 * z[1] * z[1], 1e4 * z[1] * z[2]);
        (dz[0], dz[1], dz[2]) = (-slow + back, slow - back - fast, fast);
    });
    let mut integrator = Integrator::new(&[1.0, 1e-4, 1.0], 1e-8);
    integrator.begin(0.0, &[1.0, 0.0, 0.0]);
    while integrator.time() < 40.0 {
        integrator.step(&mut f, 40.0).expect("a step");
    }
    // Test set for initial value problems (Mazzia, Magherini), t = 40.
    let exact = [0.715_827_068_719_31, 9.185_534_765_577e-6, 0.284_163_745_746_2];
    let errors = [0, 1, 2].map(|i| (integrator.states()[i] - exact[i]).abs() / exact[i]);
    assert!(
        integrator.is_stiff() && errors.iter().all(|e| *e < 1e-5),
        "{:?} {errors:?} {:?}",
        integrator.states(),
        integrator.work()
    );
    // The best implicit method of `diffsol` 0.18 takes 257.
    assert!(integrator.work().steps < 257 * 3 / 2, "{:?}", integrator.work());
}

/// Rates that are never finite end the run, and so does a pole.
#[test]
fn what_cannot_be_integrated_is_said() {
    let mut integrator = Integrator::new(&[1.0], 1e-6);
    integrator.begin(0.0, &[1.0]);
    let nowhere = integrator.step(&mut Of(|_: f64, _: &[f64], dz: &mut [f64]| dz[0] = f64::NAN), 1.0);
    assert!(matches!(nowhere, Err(Stopped::NotFinite(0.0))), "{nowhere:?}");
    // ẏ = y² has a pole at 1.
    integrator.begin(0.0, &[1.0]);
    integrator.forget();
    let mut pole = Of(|_: f64, z: &[f64], dz: &mut [f64]| dz[0] = z[0] * z[0]);
    let stopped = loop {
        match integrator.step(&mut pole, 2.0) {
            Ok(()) if integrator.time() >= 2.0 => panic!("beyond the pole"),
            Ok(()) => {}
            Err(stopped) => break stopped,
        }
    };
    let (Stopped::TooShort(t) | Stopped::NotFinite(t)) = stopped;
    assert!((t - 1.0).abs() < 1e-6, "{t}");
}

/// A run that is taken back is done again to the same bits, also over the step at which the equations are noticed to be stiff, and from within the
/// implicit method.
#[test]
fn a_run_that_is_taken_back_is_the_same() {
    let mut f = Of(|_: f64, z: &[f64], dz: &mut [f64]| {
        (dz[0], dz[1]) = (z[1], 1e6 * ((1.0 - z[0] * z[0]) * z[1] - z[0]));
    });
    let mut integrator = Integrator::new(&[1.0, 1.0], 1e-8);
    integrator.begin(0.0, &[2.0, 0.0]);
    let to = |integrator: &mut Integrator, f: &mut Of<_>, end: f64| {
        while integrator.time() < end {
            integrator.step(f, end).expect("a step");
        }
        integrator.states().to_vec()
    };
    let mut has_gone_over = [false; 2];
    for (begun, is_stiff) in has_gone_over.iter_mut().enumerate() {
        let (t, z) = (integrator.time(), integrator.states().to_vec());
        integrator.rest();
        let memory = integrator.memory();
        *is_stiff = memory.is_stiff;
        let once = to(&mut integrator, &mut f, 0.1 * (begun + 1) as f64);
        assert!(integrator.is_stiff());
        integrator.begin(t, &z);
        integrator.remember(memory);
        assert_eq!(to(&mut integrator, &mut f, 0.1 * (begun + 1) as f64), once, "from {t} s");
    }
    // Once from before, once from after.
    assert_eq!(has_gone_over, [false, true]);
}

/// The error of one implicit step falls with its length to the power of 6, that of its continuous solution with 4.
#[test]
fn the_implicit_method_has_order_5_and_3_inside() {
    let error = |h: f64| {
        let mut integrator = Integrator::new(&[1.0, 1.0], 0.1);
        integrator.begin(0.0, &[1.0, 0.0]);
        integrator.remember(Memory { next: h, is_stiff: true, looks: (0, 0) });
        let mut f = Of(oscillator);
        integrator.step(&mut f, h).expect("a step");
        assert_eq!((integrator.work().steps, integrator.work().rejected), (1, 0));
        let mut middle = [0.0; 2];
        integrator.inside(&mut f, 0.7 * h, &mut middle).expect("inside");
        let [end, inside] = [h, 0.7 * h].map(|t| [(2.0 * t).cos(), -2.0 * (2.0 * t).sin()]);
        let apart = |found: &[f64], exact: [f64; 2]| (found[0] - exact[0]).hypot(found[1] - exact[1]);
        [apart(integrator.states(), end), apart(&middle, inside)]
    };
    let (coarse, fine) = (error(0.2), error(0.1));
    let orders = [0, 1].map(|i| (coarse[i] / fine[i]).log2());
    assert!((orders[0] - 6.0).abs() < 0.4 && (orders[1] - 4.0).abs() < 0.4, "{orders:?} {coarse:?} {fine:?}");
}

/// After states have jumped, rates are those of the new ones, and a look inside is one into the new step; by both methods.
#[test]
fn a_jump_is_a_new_start() {
    for (rate, is_stiff) in [(-1.0, false), (-1e4, true)] {
        let mut f = Of(move |t: f64, z: &[f64], dz: &mut [f64]| dz[0] = rate * (z[0] - t) + 1.0);
        let mut end = run(&mut f, &[0.0], 1.0, 1e-8);
        end.remember(Memory { is_stiff, ..end.memory() });
        end.begin(1.0, &[2.0]);
        end.forget();
        while end.time() < 1.5 {
            end.step(&mut f, 1.5).expect("a step");
            // z = t + e^{λ(t − 1)}.
            let (began, now, mut middle) = (end.began(), end.time(), [0.0]);
            end.inside(&mut f, 0.5 * (began + now), &mut middle).expect("inside");
            for (t, z) in [(now, end.states()[0]), (0.5 * (began + now), middle[0])] {
                let error = (z - t - (rate * (t - 1.0)).exp()).abs();
                assert!(error < 1e-4, "{rate}, t = {t}: {error:e}");
            }
        }
        assert_eq!((end.time(), end.is_stiff()), (1.5, is_stiff));
    }
}

/// Without states there is nothing but time; sizes that are none are 1, and tolerances are kept within what can be met.
#[test]
fn odd_sizes_and_tolerances_are_replaced() {
    let mut none = Integrator::new(&[], 1e-6);
    none.begin(1.0, &[]);
    none.step(&mut Of(|_: f64, _: &[f64], _: &mut [f64]| {}), 3.0).expect("a step");
    assert_eq!((none.began(), none.time()), (1.0, 3.0));
    let times = |nominal: f64, relative: f64| {
        let mut integrator = Integrator::new(&[nominal, nominal], relative);
        integrator.begin(0.0, &[1.0, 0.0]);
        let mut times = Vec::new();
        while integrator.time() < 3.0 {
            integrator.step(&mut Of(oscillator), 3.0).expect("a step");
            times.push(integrator.time());
        }
        times
    };
    for nominal in [0.0, f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(times(nominal, 1e-6), times(1.0, 1e-6), "{nominal}");
    }
    assert_eq!((times(1.0, 0.0), times(1.0, 5.0)), (times(1.0, 1e-14), times(1.0, 0.1)));
    assert!(times(1.0, 1e-6).len() < times(1e-3, 1e-6).len());
}
