//! The heat-conducting rod: its matrices and its series solution.
#![allow(dead_code)] // each user takes its part

use macrostep_flexible::{Chain, Error, Sparse};
use std::f64::consts::PI;

pub const LENGTH_M: f64 = 0.5;
pub const CONDUCTIVITY_W_M_K: f64 = 50.0;
pub const CAPACITY_J_M3_K: f64 = 3.6e6;
pub const AREA_M2: f64 = 1e-3;

/// Capacity and conductance matrices of linear elements, connectors at both ends.
pub fn chain(elements: usize) -> Result<Chain, Error> {
    let h = LENGTH_M / elements as f64;
    let (mut capacity, mut conductance) = (Vec::new(), Vec::new());
    for e in 0..elements {
        for i in 0..2 {
            for j in 0..2 {
                let c = CAPACITY_J_M3_K * AREA_M2 * h / if i == j { 3.0 } else { 6.0 };
                let g = CONDUCTIVITY_W_M_K * AREA_M2 / h * if i == j { 1.0 } else { -1.0 };
                capacity.push((e + i, e + j, c));
                conductance.push((e + i, e + j, g));
            }
        }
    }
    let a1 = Sparse::from_triplets(elements + 1, &capacity)?;
    let a0 = Sparse::from_triplets(elements + 1, &conductance)?;
    Ok(Chain::scalar(&a0, Some(&a1), None, &[vec![0], vec![elements]])?.0)
}

/// Temperature (K) of the insulated and the heated end under a constant heat flow (W) into the right end from t = 0.
///
/// Carslaw, Jaeger, *Conduction of Heat in Solids*, 2nd ed., section 3.8 (3).
pub fn series(flow_w: f64, time_s: f64) -> [f64; 2] {
    let tau = CONDUCTIVITY_W_M_K / CAPACITY_J_M3_K * time_s / LENGTH_M.powi(2);
    [0.0, 1.0].map(|x: f64| {
        let sum: f64 = (1..2000)
            .map(|n| {
                let n = f64::from(n);
                (PI * n).cos() / (n * n) * (-n * n * PI * PI * tau).exp() * (n * PI * x).cos()
            })
            .sum();
        let scale = flow_w / AREA_M2 * LENGTH_M / CONDUCTIVITY_W_M_K;
        scale * (tau + (3.0 * x * x - 1.0) / 6.0 - 2.0 / (PI * PI) * sum)
    })
}
