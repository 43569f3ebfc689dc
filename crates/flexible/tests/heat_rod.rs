//! The general chain with A₂ = 0: a heat-conducting rod against its series solution.
//!
//! Rod of length L, insulated but for a constant heat flux into the end x = L from t = 0 (temperature zero before):
//!
//! ```text
//! T(x, t) = (φ L / k) [ τ + (3 (x/L)² − 1)/6 − (2/π²) Σ (−1)ⁿ/n² exp(−n² π² τ) cos(n π x/L) ],  τ = a t / L²
//! ```
//!
//! Reference: Carslaw, Jaeger, *Conduction of Heat in Solids*, 2nd ed., section 3.8 (3).
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_flexible::{Basis, Chain, Report, Sparse};
use nalgebra::DVector;
use std::f64::consts::PI;

const LENGTH: f64 = 0.5;
const CONDUCTIVITY: f64 = 50.0;
const CAPACITY: f64 = 3.6e6;
const FLUX: f64 = 2e4;
const AREA: f64 = 1e-3;

/// Capacity and conductance matrices of `elements` linear elements, connectors at both ends.
fn rod(elements: usize) -> Chain {
    let h = LENGTH / elements as f64;
    let (mut capacity, mut conductance) = (Vec::new(), Vec::new());
    for e in 0..elements {
        for i in 0..2 {
            for j in 0..2 {
                let same = i == j;
                let c = CAPACITY * AREA * h / if same { 3.0 } else { 6.0 };
                let g = CONDUCTIVITY * AREA / h * if same { 1.0 } else { -1.0 };
                capacity.push((e + i, e + j, c));
                conductance.push((e + i, e + j, g));
            }
        }
    }
    let a1 = Sparse::from_triplets(elements + 1, &capacity).unwrap();
    let a0 = Sparse::from_triplets(elements + 1, &conductance).unwrap();
    Chain::scalar(&a0, Some(&a1), None, &[vec![0], vec![elements]]).unwrap().0
}

/// Temperature at x/L = 0 and 1.
fn series(time: f64) -> [f64; 2] {
    let tau = CONDUCTIVITY / CAPACITY * time / LENGTH.powi(2);
    [0.0, 1.0].map(|x: f64| {
        let sum: f64 = (1..2000)
            .map(|n| {
                let n = f64::from(n);
                (PI * n).cos() / (n * n) * (-n * n * PI * PI * tau).exp() * (n * PI * x).cos()
            })
            .sum();
        FLUX * LENGTH / CONDUCTIVITY * (tau + (3.0 * x * x - 1.0) / 6.0 - 2.0 / (PI * PI) * sum)
    })
}

/// Largest error of both end temperatures relative to the largest temperature, over a run of 2000 s.
fn error(chain: &Chain, basis: &Basis) -> f64 {
    let step_s = 20.0;
    let step = chain.reduce(basis).step(step_s).unwrap();
    let mut state = DVector::zeros(step.size());
    let through = DVector::from_vec(vec![0.0, FLUX * AREA]);
    let (mut worst, mut scale) = (0.0_f64, 0.0_f64);
    for i in 1..=100 {
        step.advance(&mut state, &through);
        let (across, exact) = (step.across(&state), series(f64::from(i) * step_s));
        // The first instants excite modes that no reduction holds.
        if i >= 5 {
            worst = worst.max((across[0] - exact[0]).abs()).max((across[1] - exact[1]).abs());
        }
        scale = scale.max(exact[1].abs());
    }
    worst / scale
}

#[test]
fn reduced_rod_follows_the_series() {
    let chain = rod(400);
    for basis in [Basis::craig_bampton(&chain, 12).unwrap(), Basis::krylov(&chain, 1e-2, 6).unwrap()] {
        let found = error(&chain, &basis);
        let report = Report::new(&chain, &basis, 0, 3).unwrap();
        println!("{:?}, {} coordinates: error {found:.1e}, rates {:?}", basis.method, basis.size(), report.errors);
        assert!(found < 1e-4, "{found}");
        println!("static error {:.1e}", report.static_error.unwrap());
        assert!(report.worst(1) < 1e-4 && report.worst(3) < 1e-3);
        // Static shapes are in the first basis; the second expands about another point than zero.
        let bound = if basis.size() == 14 { 1e-9 } else { 1e-4 };
        assert!(report.static_error.unwrap() < bound);
    }
    // Seeded fault: the flow enters with the wrong weight.
    let mut faulty = rod(400);
    faulty.a1 = faulty.a1.map(|a| a.map(|v| v * 1.001));
    assert!(error(&faulty, &Basis::craig_bampton(&faulty, 12).unwrap()) > 1e-4);
}

#[test]
fn discretisation_converges_with_second_order() {
    let errors = [20, 40].map(|elements| {
        let chain = rod(elements);
        error(&chain, &Basis::craig_bampton(&chain, elements - 1).unwrap())
    });
    let order = (errors[0] / errors[1]).log2();
    println!("errors {errors:?}, order {order:.2}");
    assert!((order - 2.0).abs() < 0.2);
}
