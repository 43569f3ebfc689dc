//! The long beam of [Zaiczek 2010] under end force and torques: beam theory, full model, reduced model.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::mesh::long_beam;
use macrostep_flexible::{Basis, Factor, Material};
use nalgebra::{DMatrix, Vector3};

/// f_z, t_x and t_y together.
const LOAD: f64 = 1e-4;

#[test]
fn deviations_from_theory_and_of_the_reduction_stay_below_the_slides() {
    let material = Material::new(2e11, 0.3, 7850.0).unwrap();
    let (_, tied) = common::tie(&long_beam(), &material, &["CLAMP", "TIP"]);
    let keep: Vec<usize> = (6..tied.chain.size()).collect();
    let mut load = DMatrix::zeros(keep.len(), 1);
    for at in [2, 3, 4] {
        load[(at, 0)] = LOAD;
    }
    let stiffness = tied.chain.a0.submatrix(&keep).unwrap();
    let u = Factor::cholesky(&stiffness, "clamped beam").unwrap().solve(load);
    let full = Vector3::new(u[2], u[3], u[4]);

    let basis = Basis::craig_bampton(&tied.chain, 10).unwrap();
    let fixed = basis.fixed(&tied.chain, 0).unwrap();
    let reduced_stiffness = fixed.tr_mul(&(tied.chain.a0.project(&basis.vectors) * &fixed));
    let tip = basis.vectors.rows(6, 6) * &fixed;
    let mut wrench = nalgebra::Vector6::zeros();
    (2..5).for_each(|i| wrench[i] = LOAD);
    let q = reduced_stiffness.cholesky().unwrap().solve(&tip.tr_mul(&wrench));
    let moved = &tip * q;
    let reduced = Vector3::new(moved[2], moved[3], moved[4]);

    // Euler–Bernoulli and Saint-Venant, square of side 10 mm.
    let (length, side) = (1.0_f64, 0.01_f64);
    let bending = material.young_pa * side.powi(4) / 12.0;
    let torsion = material.shear_pa() * 0.140_577_014_955_155 * side.powi(4);
    let theory = Vector3::new(
        LOAD * length.powi(3) / (3.0 * bending) - LOAD * length.powi(2) / (2.0 * bending),
        LOAD * length / torsion,
        LOAD * length / bending - LOAD * length.powi(2) / (2.0 * bending),
    );
    for (i, (name, bound)) in [("u_z", 0.06e-2), ("φ_x", 0.80e-2), ("φ_y", 0.08e-2)].iter().enumerate() {
        let (from_theory, from_full) = (full[i] / theory[i] - 1.0, reduced[i] / full[i] - 1.0);
        println!("{name}: against theory {:+.4} %, reduced {:+.2e} %", 100.0 * from_theory, 100.0 * from_full);
        assert!(from_theory.abs() <= *bound, "{name} {from_theory}");
        assert!(from_full.abs() <= 4e-5, "{name} {from_full}");
    }
}
