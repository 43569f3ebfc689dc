//! The exact solution against values found other ways.

use macrostep_oscillator::{Exact, Monolithic, Parameters, State, closed_form};

/// Stiff and far over-damped: decay times from 2 ms to 1 min.
const OVER_DAMPED: Parameters = Parameters {
    m: [1.0, 2.0],
    k: [3.0, 5.0],
    c: [40.0, 1000.0],
    k_c: 7.0,
    c_c: 30.0,
    x0: [1.0, -1.0],
    v0: [0.0, 2.0],
};

/// Largest difference, positions and velocities each relative to their own size.
fn difference(found: &State, expected: &State) -> f64 {
    let scale = [expected[0].abs().max(expected[1].abs()), expected[2].abs().max(expected[3].abs())];
    (0..4).map(|i| (found[i] - expected[i]).abs() / scale[i / 2]).fold(0.0, f64::max)
}

fn exact(parameters: &Parameters) -> Exact {
    Exact::new(parameters).expect("valid parameters")
}

/// Reference values: z = Σ c_j v_j e^{λ_j t} from eigenvalues and eigenvectors of A with 60 decimal digits (Python, mpmath
/// `eig` and `lu_solve`), the f64 parameters taken exactly, rounded to f64 at the end. No matrix exponential is involved.
#[test]
fn states_agree_with_an_eigenvector_solution_of_60_digits() {
    let references = [
        (Parameters::case_1(), 10.0, [-4.460797486077431, -0.9649328391039771, 87.59606083859302, -99.87362332701471]),
        (
            Parameters::case_1(),
            1000.0,
            [-2.746945296272394, -0.03584203721875162, -95.7080800058495, 100.1409686253816],
        ),
        (Parameters::case_2(), 1.0, [-4.497739712966331, -3.5396499163836355, -77.590150230019, 27.555460117638304]),
        (Parameters::case_2(), 10.0, [-4.077531930421518, -0.8725905521674611, 79.88069048993876, -89.32620152542664]),
        (Parameters::case_2(), 100.0, [3.1006629209530736, -0.7898191693700569, 20.30293352724399, 2.3020748210472726]),
        (
            Parameters::test_model(),
            2.0,
            [0.09807518739879324, 0.015275174937983053, 0.9061932925297971, 0.34629821099013397],
        ),
        (
            Parameters::test_model(),
            -0.25,
            [-0.2719960885481065, -0.1593682048114725, 1.5939936621378032, -0.6579355512089025],
        ),
        (OVER_DAMPED, 0.125, [0.9755646053478736, -0.9945600407996451, -0.23436420469131788, 0.011392727407066589]),
        (OVER_DAMPED, 2.0, [0.5913618983113255, -0.9743757155409949, -0.17792581943482583, 0.010189703229429962]),
    ];
    for (parameters, t_s, expected) in references {
        let found = exact(&parameters).at(t_s);
        let difference = difference(&found, &State::from(expected));
        assert!(difference < 4e-16, "t = {t_s} s: {found:?}, expected {expected:?}, off by {difference:e}");
    }
}

#[test]
fn case_1_agrees_with_its_closed_form() {
    let exact = exact(&Parameters::case_1());
    let [x1_max, x2_max] = exact.amplitudes(10.0);
    for n in 0..=1000 {
        let t_s = f64::from(n) * 0.01;
        let off = exact.at(t_s) - closed_form(t_s);
        assert!(off[0].abs() < 1e-13 * x1_max && off[1].abs() < 1e-13 * x2_max, "t = {t_s} s: {off:?}");
        assert!(off[2].abs() < 1e-13 * 141.0 && off[3].abs() < 1e-13 * 141.0, "t = {t_s} s: {off:?}");
    }
}

#[test]
fn energy_of_case_1_is_constant() {
    let parameters = Parameters::case_1();
    let start = parameters.energy(&parameters.start());
    assert_eq!(start, 10_000.0);
    for z in exact(&parameters).grid(1e-4).take(100_001) {
        let drift = parameters.energy(&z) / start - 1.0;
        assert!(drift.abs() < 1e-15 * 4.0, "{drift:e}");
    }
}

#[test]
fn energy_of_case_2_falls_by_what_the_dampers_take() {
    // Simpson's rule on the power of the dampers against the energy at both ends.
    let parameters = Parameters::case_2();
    let states: Vec<State> = exact(&parameters).grid(1e-3).take(10_001).collect();
    let mut taken = 0.0;
    for i in (0..10_000).step_by(2) {
        let power = [i, i + 1, i + 2].map(|n| parameters.energy_rate(&states[n]));
        taken += (power[0] + 4.0 * power[1] + power[2]) * 1e-3 / 3.0;
    }
    let change = parameters.energy(&states[10_000]) - parameters.energy(&states[0]);
    assert!((taken / change - 1.0).abs() < 1e-8, "{taken} {change}");
    assert!(change < -1000.0);
}

#[test]
fn two_equal_eigenvalues_are_no_special_case() {
    // Equal masses: the sum s obeys s̈ + 2ṡ + s = 0, critically damped, and the difference d obeys d̈ + 5ḋ + 4d = 0,
    // over-damped with −1 and −4, so that −1 is a triple eigenvalue and A cannot be diagonalised.
    let parameters =
        Parameters { m: [1.0, 1.0], k: [1.0, 1.0], c: [2.0, 2.0], k_c: 1.5, c_c: 1.5, x0: [0.7, -0.2], v0: [0.3, 1.1] };
    let (s0, d0) = (0.5, 0.7 - -0.2);
    let (ds0, dd0) = (0.3 + 1.1, 0.3 - 1.1);
    let (slow, fast) = ((4.0 * d0 + dd0) / 3.0, -(d0 + dd0) / 3.0);
    for t in [0.0f64, 0.5, 1.0, 4.0, 20.0] {
        let (e1, e4) = ((-t).exp(), (-4.0 * t).exp());
        let s = (s0 + (ds0 + s0) * t) * e1;
        let ds = (ds0 - (ds0 + s0) * t) * e1;
        let (d, dd) = (slow * e1 + fast * e4, -slow * e1 - 4.0 * fast * e4);
        let expected = State::new((s + d) / 2.0, (s - d) / 2.0, (ds + dd) / 2.0, (ds - dd) / 2.0);
        let found = exact(&parameters).at(t);
        assert!(difference(&found, &expected) < 1e-14, "t = {t}: {found:?}, expected {expected:?}");
    }
}

#[test]
fn a_free_pair_drifts_with_its_centre_of_mass() {
    let parameters = Parameters { m: [1.0, 3.0], k: [0.0; 2], c: [0.0; 2], c_c: 2.0, ..Parameters::case_1() };
    let z = exact(&parameters).at(50.0);
    assert!(((z[0] + 3.0 * z[1]) / (100.0 - 300.0) / 50.0 - 1.0).abs() < 1e-15);
}

#[test]
fn a_grid_does_not_accumulate_errors() {
    // A quarter is exact in binary, so n steps and one exponential of n·h must give the same f64.
    let exact = exact(&Parameters::case_2());
    let h_s = 2f64.powi(-10);
    for (n, z) in exact.grid(h_s).enumerate().take(200_001).step_by(10_000) {
        assert!(difference(&z, &exact.at(n as f64 * h_s)) < 3e-16, "step {n}");
    }
}

/// Reference values: maxima found with 60 digits by Newton on v_i(t) = 0 from the highest of 20 000 points (Python, mpmath).
#[test]
fn amplitudes_are_the_maxima_between_the_points() {
    let references = [
        (Parameters::case_1(), 10.0, [9.221125573197456, 4.154868679690801]),
        (Parameters::case_2(), 10.0, [9.139358261174551, 4.143328928588217]),
        (Parameters::test_model(), 2.0, [0.2724612213871569, 0.3021602099600381]),
    ];
    for (parameters, stop_s, expected) in references {
        let found = exact(&parameters).amplitudes(stop_s);
        for i in 0..2 {
            assert!((found[i] / expected[i] - 1.0).abs() < 1e-12, "{found:?}, expected {expected:?}");
        }
    }
    assert_eq!(exact(&Parameters { v0: [0.0; 2], ..Parameters::case_1() }).amplitudes(10.0), [0.0, 0.0]);
}

/// Largest position error of equation (7), relative to the amplitude of each mass.
fn monolithic_error(parameters: &Parameters, h_s: f64, stop_s: f64) -> f64 {
    let exact = exact(parameters);
    let scale = exact.amplitudes(stop_s);
    let steps = (stop_s / h_s).round() as usize;
    let pairs = Monolithic::new(parameters, h_s).expect("valid parameters").zip(exact.grid(h_s)).take(steps + 1);
    pairs.map(|(z, e)| ((z[0] - e[0]).abs() / scale[0]).max((z[1] - e[1]).abs() / scale[1])).fold(0.0, f64::max)
}

#[test]
fn the_monolithic_integrator_is_of_order_1() {
    let error = |h_s| monolithic_error(&Parameters::test_model(), h_s, 2.0);
    let order = (error(1e-3) / error(5e-4)).log2();
    assert!((order - 1.0).abs() < 0.02, "order {order}");
}

/// Without damping (7) is the leapfrog method seen half a step off, and with x0 = 0 that shift is not visible in positions:
/// case 1 alone would call the method one of order 2.
#[test]
fn the_monolithic_integrator_looks_like_order_2_in_case_1() {
    let error = |h_s| monolithic_error(&Parameters::case_1(), h_s, 10.0);
    let order = (error(1e-3) / error(5e-4)).log2();
    assert!((order - 2.0).abs() < 0.02, "order {order}");
    assert!((error(1e-3) / 1.2e-2 - 1.0).abs() < 0.05, "error at h = 1e-3 s: {:e}", error(1e-3));
}
