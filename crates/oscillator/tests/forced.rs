//! The motion under external forces against values found other ways.

use macrostep_oscillator::{Exact, Force, Parameters, State};
use nalgebra::{Matrix2, Vector2};

fn force(rows: &[(f64, [f64; 2])]) -> Force {
    let (times_s, values) = rows.iter().copied().unzip();
    Force::new(times_s, values).expect("a force")
}

/// K and C of M ẍ + C ẋ + K x = f.
fn matrices(p: &Parameters) -> [Matrix2<f64>; 2] {
    let matrix = |own: [f64; 2], both: f64| Matrix2::new(own[0] + both, -both, -both, own[1] + both);
    [matrix(p.k, p.k_c), matrix(p.c, p.c_c)]
}

/// z(t) under the line f + g t from 0 s on: x_p = K⁻¹ (f + g t − C K⁻¹ g) and the free motion of what is left.
fn on_a_line(p: &Parameters, f: [f64; 2], g: [f64; 2], t_s: f64) -> State {
    let [k, c] = matrices(p);
    let inverse = k.try_inverse().expect("springs to the ground");
    let slope = inverse * Vector2::from(g);
    let particular = |t: f64| inverse * (Vector2::from(f) + Vector2::from(g) * t - c * slope);
    let rest = |x: Vector2<f64>| State::new(x[0], x[1], slope[0], slope[1]);
    let free = Exact::new(p).expect("valid").from(&(p.start() - rest(particular(0.0))), t_s);
    free + rest(particular(t_s))
}

fn difference(a: &State, b: &State) -> f64 {
    (0..2).map(|i| (a[i] - b[i]).abs().max((a[2 + i] - b[2 + i]).abs() * 0.03)).fold(0.0, f64::max)
}

#[test]
fn a_line_of_force_adds_the_static_motion() {
    for p in [Parameters::case_1(), Parameters::case_2(), Parameters::test_model()] {
        for (f, g) in [([30.0, -50.0], [0.0, 0.0]), ([0.0, 7.0], [11.0, -3.0])] {
            let ramp = force(&[(0.0, f), (20.0, [f[0] + 20.0 * g[0], f[1] + 20.0 * g[1]])]);
            let exact = Exact::forced(&p, ramp).expect("valid");
            for (n, z) in exact.grid(0.01).enumerate().take(1001).step_by(100) {
                let t_s = n as f64 * 0.01;
                let expected = on_a_line(&p, f, g, t_s);
                assert!(difference(&z, &expected) < 1e-12, "{t_s}: {z} {expected}");
                assert!(difference(&exact.at(t_s), &expected) < 1e-12, "{t_s}");
            }
        }
    }
}

/// Lines and jumps, on and between the points of a grid, against the classical Runge–Kutta scheme in steps that end at them.
#[test]
fn lines_and_jumps_agree_with_small_steps() {
    let p = Parameters::case_2();
    let rows =
        [(0.1, [0.0, 40.0]), (0.25, [100.0, 0.0]), (0.25, [-60.0, 10.0]), (0.333, [0.0, 500.0]), (0.7, [5.0, 5.0])];
    let exact = Exact::forced(&p, force(&rows)).expect("valid");
    let on = |t_s: f64, i: usize| {
        let after = rows.iter().position(|row| row.0 > t_s);
        let line = |a: (f64, [f64; 2]), b: (f64, [f64; 2])| a.1[i] + (b.1[i] - a.1[i]) * (t_s - a.0) / (b.0 - a.0);
        after.map_or(rows[4].1[i], |n| if n == 0 { rows[0].1[i] } else { line(rows[n - 1], rows[n]) })
    };
    // At its ends a step sees the force inside it.
    let rate = |z: State, t_s: f64| {
        let free = p.system_matrix() * z;
        free + State::new(0.0, 0.0, on(t_s, 0) / p.m[0], on(t_s, 1) / p.m[1])
    };
    let (h, inside) = (1e-5, 1e-9);
    let mut z = p.start();
    for n in 0..100_000 {
        let t_s = n as f64 * h;
        if n % 10_000 == 0 {
            assert!(difference(&exact.at(t_s), &z) < 2e-9, "{t_s}: {}", exact.at(t_s) - z);
        }
        let k1 = rate(z, t_s + inside);
        let k2 = rate(z + 0.5 * h * k1, t_s + 0.5 * h);
        let k3 = rate(z + 0.5 * h * k2, t_s + 0.5 * h);
        let k4 = rate(z + h * k3, t_s + h - inside);
        z += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    assert!(difference(&exact.at(1.0), &z) < 2e-9);
    for step_s in [0.05, 0.03] {
        for (n, z) in exact.grid(step_s).enumerate().take(30) {
            assert!(difference(&z, &exact.at(n as f64 * step_s)) < 1e-12, "{step_s} {n}");
        }
    }
    // Back from the start, under the first value.
    let back = Exact::forced(&Parameters { ..p }, force(&[(-1.0, [20.0, 0.0]), (0.0, [20.0, 0.0])])).expect("valid");
    assert!(difference(&back.at(-0.3), &on_a_line(&p, [20.0, 0.0], [0.0; 2], -0.3)) < 1e-12);
}

#[test]
fn what_is_no_force_is_refused() {
    for (times_s, values) in [
        (vec![], vec![]),
        (vec![0.0, 1.0], vec![[0.0; 2]]),
        (vec![1.0, 0.0], vec![[0.0; 2]; 2]),
        (vec![0.0], vec![[f64::NAN, 0.0]]),
    ] {
        assert_eq!(Force::new(times_s, values), None);
    }
}

/// Lines whose times are not a second apart, before and after the start: the state moves as the force at each time wants it.
#[test]
fn the_state_obeys_the_force_at_every_time() {
    let p = Parameters { m: [0.5, 3.0], ..Parameters::case_2() };
    let rows = [(-2.5, [3.0, 0.0]), (-0.5, [-4.0, 2.0]), (0.75, [5.0, -6.0]), (3.0, [40.0, 8.0])];
    let exact = Exact::forced(&p, force(&rows)).expect("valid");
    // Between the times a line, outside the first and last value.
    let at = |t_s: f64, i: usize| {
        let after = rows.partition_point(|(t, _)| *t <= t_s);
        let [before, next] = [after.saturating_sub(1), after.min(rows.len() - 1)].map(|n| rows[n]);
        let part = if before.0 == next.0 { 0.0 } else { (t_s - before.0) / (next.0 - before.0) };
        before.1[i] + part * (next.1[i] - before.1[i])
    };
    for t_s in [-3.0, -1.5, -0.2, 0.3, 1.0, 2.9, 3.5] {
        // Fourth-order differences.
        let h = 1e-3;
        let z = |k: f64| exact.at(t_s + k * h);
        let rate = (8.0 * (z(1.0) - z(-1.0)) - (z(2.0) - z(-2.0))) / (12.0 * h);
        let free = p.acceleration(&z(0.0));
        for i in 0..2 {
            let found = p.m[i] * (rate[2 + i] - free[i]);
            assert!((found - at(t_s, i)).abs() < 1e-4, "{t_s} s, mass {i}: {found} N is not {} N", at(t_s, i));
        }
    }
}
