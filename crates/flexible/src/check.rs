//! Conditioning checks of an imported structure.
//!
//! Text files round K. The rounding acts like springs to the ground: a rigid motion r then has the spurious eigenvalue
//! λ_r = ‖rᵀ K r‖ / rᵀ M r instead of zero, and the low modes shift by about as much.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | r | rigid motions, M-orthonormal about the centre of mass |
//! | λ₇ | first elastic eigenvalue of the free body, rad²/s² |

use crate::eigen::{Modes, Search, free_shift};
use crate::structure::Assembly;
use crate::{Error, Structure};
use std::fmt;

/// Findings about a free structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditioning {
    /// Total mass in kg.
    pub mass_kg: f64,
    /// ‖K r‖ / (‖K‖ ‖r‖) of the worst rigid motion.
    pub rigid_residual: f64,
    /// Largest asymmetry of K relative to its largest entry.
    pub asymmetry: f64,
    /// Largest |rᵀ K r| over the first elastic eigenvalue: the relative shift to expect in it.
    pub spurious: f64,
    /// Lowest frequencies of the free body in Hz, the six rigid ones first; 0 below [`Conditioning::zero_hz`] and where
    /// the eigenvalue is negative.
    pub frequencies_hz: Vec<f64>,
    /// What counts as 0, in Hz: 0.32 % of the first elastic frequency (1e-5 of its eigenvalue).
    pub zero_hz: f64,
    /// The eigenvalues as they were computed, rad²/s²; those of rigid motions are rounding, of either sign.
    pub eigenvalues: Vec<f64>,
    /// What the user should know; empty for sound matrices.
    pub warnings: Vec<String>,
}

/// Residual of rigid motions above which a given K counts as rounded. Assembled ones reach 3e-15 away from the origin.
const RESIDUAL_WARNING: f64 = 1e-16;
/// Expected relative shift of the first elastic eigenvalue above which it is warned about.
const SPURIOUS_WARNING: f64 = 1e-5;

/// Asymmetry relative to the largest entry above which a matrix is refused.
const ASYMMETRY_MAX: f64 = 1e-3;

/// Largest asymmetry relative to the largest entry.
fn asymmetry(a: &crate::Sparse) -> f64 {
    let scale = a.max_abs();
    a.triplets().map(|(i, j, v)| (v - a.get(j, i)).abs() / scale).fold(0.0, f64::max)
}

impl Conditioning {
    /// Checks a structure that is meant to be free; `count` elastic frequencies are computed.
    ///
    /// # Errors
    /// [`Error::Eigen`] or [`Error::Factorisation`] when even the shifted matrix cannot be treated, which itself says that
    /// K is not positive semidefinite. [`Error::Unsupported`] when K or M is not symmetric.
    pub fn new(structure: &Structure, count: usize) -> Result<Self, Error> {
        // Rigid motions should meet no force, and K should be symmetric.
        let (k, m) = (&structure.stiffness, &structure.mass);
        let rigid = structure.rigid_modes(centre(structure));
        let forces = k.multiply(&rigid);
        let norm = k.norm();
        let rigid_residual =
            (0..6).map(|i| forces.column(i).norm() / (norm * rigid.column(i).norm())).fold(0.0, f64::max);
        let found = asymmetry(k);
        // A triangle alone has no eigenvalues that mean anything.
        for (name, of) in [("stiffness", found), ("mass", asymmetry(m))] {
            if of > ASYMMETRY_MAX {
                return Err(Error::Unsupported(format!(
                    "the {name} is not symmetric, by {of:.1e} of its largest entry: is one triangle missing, or a column listed twice?"
                )));
            }
        }

        // Six motions without energy, then elastic ones; λ_r relative to the first of these.
        let modes = Modes::sparse(k, m, Search::lowest(6 + count, free_shift(k, m)))?;
        let elastic = modes.values.iter().skip(6).copied().next().unwrap_or(f64::NAN);
        let weight = m.multiply(&rigid);
        let apparent =
            |i: usize| (rigid.column(i).dot(&forces.column(i)) / rigid.column(i).dot(&weight.column(i))).abs();
        let spurious = (0..6).map(apparent).fold(0.0, f64::max) / elastic;

        // What is less wrong is said.
        let mut warnings = Vec::new();
        if found > 1e-12 {
            warnings.push(format!("stiffness is not symmetric: {found:.1e} of its largest entry"));
        }
        // What was assembled here was not rounded in a file.
        if rigid_residual > RESIDUAL_WARNING && matches!(structure.assembly, Assembly::Matrices) {
            warnings.push(format!(
                "rigid motions meet a resistance of {rigid_residual:.1e} of the stiffness: was the stiffness rounded in a text file?"
            ));
        }
        if spurious.is_nan() || spurious > SPURIOUS_WARNING {
            warnings.push(format!("low eigenvalues may have errors of {spurious:.1e} of the first elastic one"));
        }
        let zero = SPURIOUS_WARNING * elastic.abs();
        if modes.values.len() > 6 && elastic < free_shift(k, m) {
            warnings.push("more than six motions need no energy: are all parts of the mesh joined?".into());
        }
        // Frequencies; what lies below the noise is 0.
        let hertz = |v: f64| v.max(0.0).sqrt() / std::f64::consts::TAU;
        let frequencies_hz = modes.values.iter().map(|v| if *v < zero { 0.0 } else { hertz(*v) }).collect();
        let (mass_kg, zero_hz) = (structure.mass_kg(), hertz(zero));
        let eigenvalues = modes.values.iter().copied().collect();
        Ok(Self { mass_kg, rigid_residual, asymmetry: found, spurious, frequencies_hz, zero_hz, eigenvalues, warnings })
    }
}

impl Conditioning {
    /// The lowest free frequencies in Hz in words.
    pub fn frequencies(&self) -> String {
        let show = |f: &f64| if *f == 0.0 { "0".to_owned() } else { format!("{f:.4}") };
        let list: Vec<String> = self.frequencies_hz.iter().map(show).collect();
        format!("{} (0 is below {:.1e})", list.join(" "), self.zero_hz)
    }
}

/// Centre of mass in m.
fn centre(structure: &Structure) -> nalgebra::Vector3<f64> {
    let rigid = structure.rigid_modes(nalgebra::Vector3::zeros());
    let momentum = structure.mass.multiply(&rigid);
    let entry = |i: usize, j: usize| rigid.column(i).dot(&momentum.column(j));
    let mass = entry(0, 0);
    // Rotations about x, y, z move the centre across: ẏ = −z, ż = y under a turn about x.
    nalgebra::Vector3::new(-entry(2, 4), entry(2, 3), -entry(1, 3)) / mass
}

impl fmt::Display for Conditioning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "mass {:.6} kg, rigid residual {:.1e}, spurious {:.1e}",
            self.mass_kg, self.rigid_residual, self.spurious
        )?;
        writeln!(f, "lowest free frequencies in Hz: {}", self.frequencies())?;
        self.warnings.iter().try_for_each(|w| writeln!(f, "warning: {w}"))
    }
}
