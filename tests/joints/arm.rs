//! The arm of a crane, cut at both of its joints, against the same arm in one piece.

use crate::run::json;
use nalgebra::{Matrix3, Vector3};
use std::path::Path;

const MASSES_KG: [f64; 3] = [200.0, 100.0, 500.0];
const LENGTHS_M: [f64; 3] = [3.0, 2.0, 1.5];
const GRAVITY: f64 = 9.81;

/// φ̈ of a chain of rods under gravity, M φ̈ = −C ω² − G: the centre of rod k is at Σ_j w_kj l_j (sin φ_j, −cos φ_j), with w_kj = 1 for
/// j < k, 1/2 for j = k and 0 beyond.
fn accelerations(phi: Vector3<f64>, omega: Vector3<f64>) -> Vector3<f64> {
    let weight = |k: usize, j: usize| if j < k { 1.0 } else { 0.5 * f64::from(u8::from(j == k)) };
    let shared = |i: usize, j: usize| {
        (0..3).map(|k| MASSES_KG[k] * weight(k, i) * weight(k, j)).sum::<f64>() * LENGTHS_M[i] * LENGTHS_M[j]
    };
    let inertia = |i: usize| MASSES_KG[i] * LENGTHS_M[i] * LENGTHS_M[i] / 12.0;
    let mass = Matrix3::from_fn(|i, j| shared(i, j) * (phi[i] - phi[j]).cos() + if i == j { inertia(i) } else { 0.0 });
    let force = Vector3::from_fn(|i, _| {
        let turning: f64 = (0..3).map(|j| shared(i, j) * (phi[i] - phi[j]).sin() * omega[j] * omega[j]).sum();
        let carried: f64 = (0..3).map(|k| MASSES_KG[k] * weight(k, i)).sum();
        -turning - carried * GRAVITY * LENGTHS_M[i] * phi[i].sin()
    });
    mass.try_inverse().expect("a mass matrix") * force
}

/// Angles of the uncut arm after 1 s, by Runge–Kutta of order 4.
fn uncut() -> Vector3<f64> {
    let (mut phi, mut omega, h) = (Vector3::new(2.0, 1.0, 0.0), Vector3::zeros(), 2e-4);
    for _ in 0..5000 {
        let (v1, a1) = (omega, accelerations(phi, omega));
        let (v2, a2) = (omega + a1 * (h / 2.0), accelerations(phi + v1 * (h / 2.0), omega + a1 * (h / 2.0)));
        let (v3, a3) = (omega + a2 * (h / 2.0), accelerations(phi + v2 * (h / 2.0), omega + a2 * (h / 2.0)));
        let (v4, a4) = (omega + a3 * h, accelerations(phi + v3 * h, omega + a3 * h));
        phi += (v1 + v2 * 2.0 + v3 * 2.0 + v4) * (h / 6.0);
        omega += (a1 + a2 * 2.0 + a3 * 2.0 + a4) * (h / 6.0);
    }
    phi
}

/// Largest error of the angles, runs a macro step, and the largest gap.
fn cut(step_s: f64) -> (f64, f64, f64) {
    let system = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/crane-arm.toml");
    let result = json(&["run", &system.display().to_string(), "--step", &step_s.to_string(), "--json"]);
    assert_eq!(result["unconverged_windows"], 0, "{result}");
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let angles = ["boom.phi", "jib.phi", "load.phi"].map(|name| number(&result["final"][name]));
    let error = (Vector3::from(angles) - uncut()).amax();
    let gaps = result["constraints"].as_array().expect("joints").iter().map(|joint| number(&joint["gap_max"]));
    (error, number(&result["window_runs"]) * step_s, gaps.fold(0.0, f64::max))
}

#[test]
fn an_arm_cut_at_both_joints_is_the_uncut_arm_to_order_four() {
    let [coarse, fine] = [0.005, 0.0025].map(cut);
    let order = (coarse.0 / fine.0).log2();
    assert!((3.8..4.2).contains(&order) && fine.0 < 1e-7, "order {order}, error {:e} rad", fine.0);
    for (_, runs, gap) in [coarse, fine] {
        assert!(runs < 3.1 && gap < 1e-11, "{runs} runs, gap {gap:e} m");
    }
}
