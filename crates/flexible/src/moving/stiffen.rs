//! Geometric stiffness of unit loads; equations in [`super::geometric`].
//!
//! The stress of each load is that of one static solution of the full model, clamped at the reference connector. At an
//! integration point the gradients of all shapes give their products ∂_iSᵏ·∂_jSˡ, and each load adds σ_ij times them.
//!
//! * *Solids*: the integration points of the stiffness, σ by Hooke's law.
//! * *Beams*: four places on the axis, σ = E ε t tᵀ of the normal force alone.

use super::geometric::{GeometricStiffness, Symmetric};
use super::{FlexibleBody, Rayleigh};
use crate::element::Entry;
use crate::mass::MassPoints;
use crate::structure::Assembly;
use crate::{Basis, Error, Factor, Material, Structure, Tied};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// Unit fields of inertia forces: three uniform ones and nine that grow with a coordinate.
const FIELDS: usize = 12;

/// Stress from a gradient of the displacement.
enum Law {
    /// Isotropic.
    Hooke(Material),
    /// Along one direction only, by Young's modulus.
    Along(Vector3<f64>, f64),
}

impl Law {
    /// xx, yy, zz, yz, xz, xy in Pa.
    fn stress(&self, gradient: &Matrix3<f64>) -> [f64; 6] {
        let stress = match self {
            Law::Hooke(material) => {
                let (lambda, mu) = material.lame_pa();
                Matrix3::identity() * (lambda * gradient.trace()) + (gradient + gradient.transpose()) * mu
            }
            Law::Along(axis, young) => axis * axis.transpose() * (young * axis.dot(&(gradient * axis))),
        };
        [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)].map(|at| stress[at])
    }
}

/// ∂_iS·∂_jT with i and j symmetrised, so that its product with the six stresses is the whole sum.
fn product(s: &Matrix3<f64>, t: &Matrix3<f64>) -> [f64; 6] {
    let dot = |i: usize, j: usize| (0..3).map(|m| s[(i, m)] * t[(j, m)]).sum::<f64>();
    let both = |i: usize, j: usize| dot(i, j) + dot(j, i);
    [dot(0, 0), dot(1, 1), dot(2, 2), both(1, 2), both(0, 2), both(0, 1)]
}

impl Structure {
    /// Calls `visit` with volume (m³), law and entries of every integration point.
    fn each_point(&self, mut visit: impl FnMut(f64, &Law, &[Entry])) -> Result<(), Error> {
        match &self.assembly {
            // Matrices from a file have no elements, and so no stresses.
            Assembly::Matrices => {
                let what = "geometric stiffening of a body from stored matrices: stresses need its elements";
                return Err(Error::Unsupported(what.into()));
            }
            Assembly::Solids(elements, labels, material) => {
                // Solids: gradients of the element's shapes, at rows of the structure.
                let law = Law::Hooke(*material);
                for (element, label) in elements.iter().zip(labels) {
                    let nodes: Vec<_> = element.nodes.iter().map(|n| self.nodes[*n]).collect();
                    for (mut entries, volume) in element.solid.gradients(&nodes, material, *label)? {
                        entries.iter_mut().for_each(|e| e.0 = 3 * element.nodes[e.0 / 3] + e.0 % 3);
                        visit(volume, &law, &entries);
                    }
                }
            }
            Assembly::Beams(beams, material) => {
                // Beams: slopes along the axis, the only direction with stress.
                for beam in beams {
                    let Some((axes, length, stations)) = beam.stations(&self.nodes, material) else { continue };
                    let axis = axes.column(0).into_owned();
                    let law = Law::Along(axis, material.young_pa);
                    for station in stations {
                        let of = |i: usize| {
                            let row = 6 * beam.nodes[i / 6] + i % 6;
                            [0, 1, 2].map(|m| (row, m, axis * station.slope[(m, i)]))
                        };
                        let entries: Vec<Entry> = (0..12).flat_map(of).collect();
                        visit(beam.section.area_m2 * length * station.weight, &law, &entries);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Static displacements of the structure under the unit loads, one column each: the twelve fields, then three forces for
/// each connector but the reference.
fn solutions(tied: &Tied, points: &MassPoints, reference: usize) -> Result<DMatrix<f64>, Error> {
    let chain = &tied.chain;
    let others: Vec<usize> = (0..tied.connectors.len()).filter(|c| *c != reference).collect();
    let mut loads = DMatrix::zeros(chain.size(), FIELDS + 3 * others.len());
    // Unit accelerations, and those that grow with one coordinate.
    let origin = tied.connectors[reference].position;
    let count = points.positions.len();
    for j in 0..3 {
        let uniform = points.load(j, &DVector::from_element(count, 1.0));
        loads.set_column(j, &tied.map.dual(&uniform));
        for i in 0..3 {
            let field = DVector::from_iterator(count, points.positions.iter().map(|x| x[i] - origin[i]));
            loads.set_column(3 + 3 * i + j, &tied.map.dual(&points.load(j, &field)));
        }
    }
    for (place, c) in others.iter().enumerate() {
        (0..3).for_each(|i| loads[(chain.width * c + i, FIELDS + 3 * place + i)] = 1.0);
    }
    // The reference connector rests.
    let clamped = chain.width * reference..chain.width * (reference + 1);
    let keep: Vec<usize> = (0..chain.size()).filter(|i| !clamped.contains(i)).collect();
    let factor = Factor::cholesky(&chain.a0.submatrix(&keep)?, "clamped stiffness")?;
    let solved = factor.solve(loads.select_rows(&keep));
    let mut all = DMatrix::zeros(chain.size(), loads.ncols());
    keep.iter().enumerate().for_each(|(row, at)| all.set_row(*at, &solved.row(row)));
    Ok(tied.map.multiply(&all))
}

/// K_b of every load (columns of `loads`) in the shapes (columns of `shapes`), both in the coordinates of the structure.
fn geometric(structure: &Structure, shapes: &DMatrix<f64>, loads: &DMatrix<f64>) -> Result<Vec<Symmetric>, Error> {
    let (n, count) = (shapes.ncols(), loads.ncols());
    let mut sums = vec![0.0; Symmetric::entries(n) * count];
    let mut gradients = vec![Matrix3::zeros(); n];
    let mut stress = vec![0.0; 6 * count];
    let gradient = |fields: &DMatrix<f64>, column: usize, entries: &[Entry]| {
        let mut sum = Matrix3::zeros();
        for (row, m, g) in entries {
            let mut column_m = sum.column_mut(*m);
            column_m += g * fields[(*row, column)];
        }
        sum
    };
    structure.each_point(|volume, law, entries| {
        // Stresses of the loads, component after component.
        for load in 0..count {
            let sigma = law.stress(&gradient(loads, load, entries));
            sigma.iter().enumerate().for_each(|(i, s)| stress[i * count + load] = volume * s);
        }
        gradients.iter_mut().enumerate().for_each(|(k, g)| *g = gradient(shapes, k, entries));
        // Products of two shapes, times the stresses.
        let mut sum = sums.chunks_exact_mut(count);
        for k in 0..n {
            for l in k..n {
                let Some(sum) = sum.next() else { return };
                for (t, stress) in product(&gradients[k], &gradients[l]).iter().zip(stress.chunks_exact(count)) {
                    sum.iter_mut().zip(stress).for_each(|(k, s)| *k += t * s);
                }
            }
        }
    })?;
    Ok((0..count).map(|load| Symmetric(sums.iter().skip(load).step_by(count).copied().collect())).collect())
}

impl FlexibleBody {
    /// As [`FlexibleBody::new`], with geometric stiffening.
    ///
    /// # Errors
    /// Those of [`FlexibleBody::new`]; [`Error::Unsupported`] for a structure of given matrices, which has no stresses.
    pub fn stiffened(
        structure: &Structure,
        tied: &Tied,
        basis: &Basis,
        reference: usize,
        damping: Rayleigh,
    ) -> Result<Self, Error> {
        let points = structure.mass_points()?;
        let (mut body, shapes) = Self::reduced(&points, tied, basis, reference, damping)?;
        let loads = solutions(tied, &points, reference)?;
        let mut all = geometric(structure, &shapes, &loads)?.into_iter();
        let mut take = |count: usize| all.by_ref().take(count).collect::<Vec<_>>();
        let (uniform, linear) = (take(3), take(9));
        let connectors =
            (0..tied.connectors.len()).map(|c| if c == reference { Vec::new() } else { take(3) }).collect();
        body.geometric = Some(GeometricStiffness { uniform, linear, connectors });
        Ok(body)
    }
}
