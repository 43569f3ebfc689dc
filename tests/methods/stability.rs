//! Stability regions of the dimensionless test model, from one-step maps of the very code that runs a co-simulation.

use crate::errors::state;
use macrostep_analysis::dimensionless::{Probe, Ratios};
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Pair, build};
use macrostep_analysis::region::{Rays, Window, regions};
use macrostep_analysis::scheme::{
    Control, Correct, Derivative, Energy, Named, Predict, Rate, Schedule, Scheme, Variant, named,
};

fn fractions(schemes: &[Scheme], ratios: Ratios) -> Vec<f64> {
    let rays = Rays { angles_deg: Vec::new(), ..Rays::default() };
    let found = regions(schemes, ratios, &Window::default(), &rays, &|| ()).expect("the maps");
    found.iter().map(|r| r.stable_fraction).collect()
}

fn fraction(scheme: Scheme) -> f64 {
    fractions(&[scheme], Ratios::default())[0]
}

fn probe(scheme: Scheme, ratios: Ratios) -> Probe {
    Probe::new(&scheme, ratios).expect("a pair")
}

/// Window Λr ∈ [−3, 0], Λi ∈ [0, 3], 31 × 31 points, ρ ≤ 1 + 1e-9, all ratios 1.
#[test]
fn stable_fractions() {
    let predictors = [Predict::classical(1), Predict::classical(2), Predict::integrated(0), Predict::integrated(1)];
    let figures = [
        (Coupling::ForceForce, [0.022, 0.016, 0.076, 0.070]),
        (Coupling::DisplacementDisplacement, [0.060, 0.026, 0.103, 0.096]),
    ];
    for (coupling, expected) in figures {
        let schemes = predictors.map(|predict| Scheme::new(coupling, Schedule::Jacobi, predict));
        for ((scheme, found), expected) in schemes.iter().zip(fractions(&schemes, Ratios::default())).zip(expected) {
            assert!((found - expected).abs() <= 0.003, "{scheme}: {found:.4}, expected {expected}");
        }
    }
}

/// Degree k against classical degree k + 1, which is of the same order: larger everywhere but in D/D Gauss–Seidel.
#[test]
fn integrated_acceleration_is_stable_on_more_of_the_window_than_the_classical_scheme_of_equal_order() {
    for coupling in Coupling::ALL {
        for order in [Schedule::Jacobi, Schedule::GaussSeidel] {
            for degree in 0..=1 {
                let of = |predict| fraction(Scheme::new(coupling, order, predict));
                let (ours, classical) = (of(Predict::integrated(degree)), of(Predict::classical(degree + 1)));
                let exception = coupling == Coupling::DisplacementDisplacement && order == Schedule::GaussSeidel;
                assert_eq!(
                    ours > classical,
                    !exception,
                    "{coupling} {order:?} ia{degree}: {ours:.3} against {classical:.3}"
                );
            }
        }
    }
}

/// What lags loses the gain.
#[test]
fn stale_accelerations_lose_the_gain() {
    let fresh = Scheme::new(Coupling::ForceForce, Schedule::Jacobi, Predict::integrated(0));
    let stale = Scheme { sampling: macrostep_analysis::scheme::Sampling::Lagged, ..fresh };
    let found = fractions(&[fresh, stale], Ratios::default());
    assert!(found[1] < 0.5 * found[0], "{found:?}");
}

/// F/F Gauss–Seidel in either order has one spectrum where the model is symmetric, and so have D/F in order 1-2 and F/D in
/// order 2-1.
#[test]
fn gauss_seidel_in_the_mirror() {
    let symmetric = Ratios { rec1: 0.7, imc1: 1.6, ..Ratios::default() };
    let mirrored = [
        (Coupling::ForceForce, Coupling::ForceForce),
        (Coupling::DisplacementForce, Coupling::ForceDisplacement),
        (Coupling::DisplacementDisplacement, Coupling::DisplacementDisplacement),
    ];
    for (a, b) in mirrored {
        for predict in Predict::five() {
            let mut one = probe(Scheme::new(a, Schedule::GaussSeidel, predict), symmetric);
            let mut other = probe(Scheme::new(b, Schedule::GaussSeidelReversed, predict), symmetric);
            for (re, im) in [(-0.3, 0.5), (-1.2, 2.0), (0.0, 0.4), (-2.5, 0.0)] {
                let [x, y] = [&mut one, &mut other].map(|p| p.radius(re, im).expect("a map"));
                assert!((x - y).abs() <= 1e-9 * x.max(1.0), "{a} {predict} at {re} + {im} i: {x} and {y}");
            }
        }
    }
    // The same parameters, the same order: another spectrum.
    let at = |coupling| {
        let mut one = probe(Scheme::new(coupling, Schedule::GaussSeidel, Predict::integrated(0)), symmetric);
        one.radius(-1.2, 2.0).expect("a map")
    };
    assert!((at(Coupling::ForceDisplacement) - at(Coupling::DisplacementForce)).abs() > 1e-6);
}

/// Hold in D/D Gauss–Seidel is Lie splitting of two flows that each conserve the energy: ρ = 1 wherever nothing is damped.
#[test]
fn lie_splitting_keeps_to_the_unit_circle() {
    let mut probe = probe(
        Scheme::new(Coupling::DisplacementDisplacement, Schedule::GaussSeidel, Predict::classical(0)),
        Ratios { m21: 2.0, im21: 0.6, imc1: 1.7, ..Ratios::default() },
    );
    for i in 1..20 {
        let rho = probe.radius(0.0, 0.15 * f64::from(i)).expect("a map");
        assert!((rho - 1.0).abs() < 1e-7, "{i}: {rho}");
    }
}

/// Half, whole, half a step of the same flows: on the unit circle as well, from the plan of whole symmetric steps.
#[test]
fn the_symmetric_schedule_keeps_to_the_unit_circle() {
    let scheme = named(Named::Palindromic, Coupling::DisplacementDisplacement);
    let mut probe = probe(scheme, Ratios { m21: 2.0, im21: 0.6, imc1: 1.7, ..Ratios::default() });
    for i in 1..20 {
        let rho = probe.radius(0.0, 0.15 * f64::from(i)).expect("a map");
        assert!((rho - 1.0).abs() < 1e-7, "{i}: {rho}");
    }
}

/// For small steps every scheme that has a map has the spectrum of the exact solution: named methods, several rates,
/// differentiated inputs, all correctors but one.
#[test]
fn every_scheme_has_its_map() {
    let mut schemes = vec![Named::Jerk, Named::Waveform(Some(6)), Named::Palindromic]
        .into_iter()
        .flat_map(|method| Coupling::ALL.map(|coupling| named(method, coupling)))
        .collect::<Vec<_>>();
    for coupling in Coupling::ALL {
        let linear = Scheme::new(coupling, Schedule::Jacobi, Predict::classical(1));
        schemes.push(Scheme { rate: Rate { over: 3, under: 1 }, ..linear });
        schemes.push(Scheme { derivative: Derivative::Numdiff, ..linear });
        for correct in [Correct::FixedPoint, Correct::IqnIls, Correct::Anderson, Correct::NewtonKrylov] {
            schemes.push(Scheme { correct, ..linear });
        }
    }
    for scheme in schemes {
        let (re, im) = (-0.004, 0.01);
        let rho = probe(scheme, Ratios::default()).radius(re, im).unwrap_or_else(|e| panic!("{scheme}: {e}"));
        assert!((rho.ln() - re).abs() < 2e-4, "{scheme}: ln ρ = {}, expected {re}", rho.ln());
    }
}

/// What has no map says why.
#[test]
fn schemes_without_a_map_say_so() {
    let linear = Scheme::new(Coupling::ForceForce, Schedule::Jacobi, Predict::classical(1));
    for (scheme, word) in [
        (Scheme { energy: Energy::Nepce, ..linear }, "energy"),
        (Scheme { control: Control::Error, ..linear }, "step control"),
        (Scheme { correct: Correct::SemiImplicit, ..linear }, "Jacobian"),
    ] {
        let Err(refused) = Probe::new(&scheme, Ratios::default()) else { panic!("{scheme} has a map") };
        assert!(refused.to_string().contains(word), "{refused}");
    }
}

/// A converged window of inputs that are polynomials of degree k through T_{N+1}: for tiny H the spectrum is that of the
/// exact solution, whatever the cut, exp(Λ) with H = 1 and small Λ.
#[test]
fn small_steps_give_the_spectrum_of_the_exact_solution() {
    for coupling in Coupling::ALL {
        for order in [Schedule::Jacobi, Schedule::GaussSeidel] {
            for correct in [Correct::Explicit, Correct::Newton] {
                let scheme = Scheme { correct, ..Scheme::new(coupling, order, Predict::classical(2)) };
                // Symmetric: modes of k = m|Λ|² alone, and with twice the coupling, 3 m|Λ|².
                let (re, im) = (-0.004, 0.01);
                let rho = probe(scheme, Ratios::default()).radius(re, im).expect("a map");
                assert!((rho.ln() - re).abs() < 1e-6, "{scheme}: ln ρ = {}, expected {re}", rho.ln());
            }
        }
    }
}

/// The state of a long run grows by ρ a step: the map is that of the run.
#[test]
fn a_run_grows_as_its_map_says() {
    for (coupling, order, predict, variant) in [
        (Coupling::ForceForce, Schedule::Jacobi, Predict::integrated(1), Variant::H3),
        (Coupling::DisplacementForce, Schedule::GaussSeidel, Predict::classical(2), Variant::H3),
        (Coupling::DisplacementDisplacement, Schedule::GaussSeidel, Predict::integrated(0), Variant::N1),
        (Coupling::ForceDisplacement, Schedule::GaussSeidelReversed, Predict::integrated(1), Variant::H5),
    ] {
        let scheme = Scheme { variant, ..Scheme::new(coupling, order, predict) };
        let ratios = Ratios { m21: 1.3, im21: 1.5, ..Ratios::default() };
        let rho = probe(scheme, ratios).radius(-0.2, 1.1).expect("a map");
        let mut pair = Pair::new(coupling, scheme.method(2), 1.0, 1e9);
        pair.parameters = ratios.parameters(-0.2, 1.1);
        pair.parameters.x0 = [1.0, 0.3];
        let mut coupled = build(&pair, &models::native).expect("a pair");
        let mut size = Vec::new();
        // The mean growth over many steps: the dominant pair of eigenvalues turns.
        for n in 0..900 {
            coupled.simulation.step().expect("a step");
            if n >= 100 {
                size.push(state(&coupled).norm().ln());
            }
            if size.last().is_some_and(|s| s.abs() > 600.0) {
                break;
            }
        }
        let half = size.len() / 2;
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let growth = (mean(&size[half..2 * half]) - mean(&size[..half])) / half as f64;
        assert!((growth - rho.ln()).abs() < 2e-3, "{scheme}: {growth} in the run, ln ρ = {}", rho.ln());
    }
}

/// Second appendix of the paper: F/D is stable on more of the window than D/F, and more so where subsystem 2 is stiffer.
#[test]
fn which_subsystem_owns_the_coupling_matters_in_gauss_seidel() {
    let of = |ratios| {
        let scheme = |coupling| Scheme::new(coupling, Schedule::GaussSeidel, Predict::integrated(0));
        fractions(&[scheme(Coupling::DisplacementForce), scheme(Coupling::ForceDisplacement)], ratios)
    };
    let stiff = of(Ratios { im21: 5.0, ..Ratios::default() });
    assert!(stiff[0] > stiff[1], "F/D {:.4}, D/F {:.4}", stiff[0], stiff[1]);
}
