//! The quality of a reduction: frequencies and static compliance of the full and the reduced model.
//!
//! Both are taken with the reference connector fixed (clamped–free), the state in which a moving frame uses them.
//! Compliance C = Bᵀ K⁻¹ B of the other connectors' variables; its error is max |ΔC_ij| / √(C_ii C_jj), a number without
//! units although displacements and rotations mix.

use super::{Basis, Method, others};
use crate::eigen::{Modes, Search};
use crate::{Chain, Error, Factor};
use nalgebra::DMatrix;
use std::fmt;

/// Errors of a reduced model.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The method reported on.
    pub method: Method,
    /// Reduced coordinates r.
    pub size: usize,
    /// Eigenvalues of the full model with the reference connector fixed, rad²/s² (rad/s when A₂ = 0).
    pub full: Vec<f64>,
    /// The same of the reduced model.
    pub reduced: Vec<f64>,
    /// Relative errors: of frequencies √λ, or of rates λ when A₂ = 0.
    pub errors: Vec<f64>,
    /// Error of the static compliance; `None` with a single connector.
    pub static_error: Option<f64>,
    /// Warnings of the basis and of this comparison.
    pub warnings: Vec<String>,
}

/// Static error and error of a mode above which a report warns.
const STATIC_WARNING: f64 = 1e-2;
const MODE_WARNING: f64 = 1e-2;

impl Report {
    /// Compares `count` eigenvalues and the compliance with connector `reference` fixed.
    ///
    /// # Errors
    /// Those of the eigenvalue search and of the factorisation of the fixed body.
    pub fn new(chain: &Chain, basis: &Basis, reference: usize, count: usize) -> Result<Self, Error> {
        // The full body with the reference fixed.
        let fixed = basis.fixed(chain, reference)?;
        let clamped = reference * chain.width..(reference + 1) * chain.width;
        let keep = others(chain.size(), clamped.clone());
        let stiffness = chain.a0.submatrix(&keep)?;
        let mass = chain.inertia()?.submatrix(&keep)?;
        let full = Modes::sparse(&stiffness, &mass, Search::lowest(count, 0.0))?;

        // The reduced one, fixed the same way.
        let project = |a: &DMatrix<f64>| fixed.tr_mul(&(a * &fixed));
        let reduced_stiffness = project(&chain.a0.project(&basis.vectors));
        let reduced_mass = project(&chain.inertia()?.project(&basis.vectors));
        let reduced = Modes::dense(&reduced_stiffness, &reduced_mass, 0.0)?;

        // Frequencies are square roots of eigenvalues, rates of a first-order system are eigenvalues.
        let second = chain.a2.is_some();
        let error = |(r, f): (&f64, &f64)| if second { (r / f).sqrt() - 1.0 } else { r / f - 1.0 };
        let errors: Vec<f64> = reduced.values.iter().zip(&full.values).map(error).collect();

        // Modes that are off, by number.
        let masters: Vec<usize> = (0..chain.masters).filter(|m| !clamped.contains(m)).collect();
        let mut warnings = basis.warnings.clone();
        let off = |(i, e): (usize, &f64)| (e.abs() > MODE_WARNING).then(|| format!("{} ({:.1} %)", i + 1, 100.0 * e));
        let off: Vec<String> = errors.iter().enumerate().filter_map(off).collect();
        if !off.is_empty() {
            let what = "off by more than 1 % of the full model: take more modes, or use the body below them only";
            warnings.push(format!("modes {} are {what}", off.join(", ")));
        }
        // Compliance of the other masters; without any there is none.
        let static_error = if masters.is_empty() {
            None
        } else {
            let load = DMatrix::from_fn(keep.len(), masters.len(), |i, j| f64::from(u8::from(keep[i] == masters[j])));
            let response = Factor::cholesky(&stiffness, "clamped stiffness")?.solve(load.clone());
            let exact = load.tr_mul(&response);
            let input = fixed.tr_mul(&basis.vectors.select_rows(&masters).transpose());
            Some(static_error(&exact, &reduced_stiffness, &input)?)
        };
        if let Some(error) = static_error.filter(|e| *e > STATIC_WARNING) {
            warnings.push(format!("static compliance is wrong by {:.2} %", 100.0 * error));
        }
        // The reduced body may have more eigenvalues than were asked for.
        Ok(Self {
            method: basis.method.clone(),
            size: basis.size(),
            full: full.values.iter().copied().collect(),
            reduced: reduced.values.iter().take(count).copied().collect(),
            errors,
            static_error,
            warnings,
        })
    }

    /// Largest absolute error of the first `count` eigenvalues compared.
    pub fn worst(&self, count: usize) -> f64 {
        self.errors.iter().take(count).fold(0.0, |m, e| m.max(e.abs()))
    }
}

fn static_error(exact: &DMatrix<f64>, stiffness: &DMatrix<f64>, input: &DMatrix<f64>) -> Result<f64, Error> {
    let factor = stiffness.clone().cholesky().ok_or_else(|| Error::Factorisation {
        what: "reduced clamped stiffness",
        reason: "not positive definite".into(),
    })?;
    let found = input.tr_mul(&factor.solve(input));
    let mut worst = 0.0_f64;
    for j in 0..exact.ncols() {
        for i in 0..exact.nrows() {
            let scale = (exact[(i, i)] * exact[(j, j)]).sqrt();
            worst = worst.max((found[(i, j)] - exact[(i, j)]).abs() / scale);
        }
    }
    Ok(worst)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "reduction {:?}, {} coordinates", self.method, self.size)?;
        for (i, (full, error)) in self.full.iter().zip(&self.errors).enumerate() {
            let hz = full.max(0.0).sqrt() / std::f64::consts::TAU;
            writeln!(f, "  mode {:>2}  {:>12.4} Hz  error {:+.3e}", i + 1, hz, error)?;
        }
        if let Some(error) = self.static_error {
            writeln!(f, "  static compliance error {error:.3e}")?;
        }
        self.warnings.iter().try_for_each(|w| writeln!(f, "  warning: {w}"))
    }
}
