//! From a reduced finite element model to the invariants of the moving frame; equations in [`crate::moving`].

use super::body::{ConnectorShape, FlexibleBody, Rayleigh};
use crate::eigen::Modes;
use crate::mass::MassPoints;
use crate::{Basis, Error, Sparse, Structure, Tied};
use nalgebra::{DMatrix, Vector3};

impl FlexibleBody {
    /// Puts a reduced body into a frame fixed to connector `reference`, without geometric stiffening.
    ///
    /// # Errors
    /// [`Error::RotationalInertia`] or [`Error::MassNotScalar`] where it cannot be told where the mass is,
    /// [`Error::NoConnector`], [`Error::DependentBasis`], [`Error::Factorisation`] when the basis does not hold a body
    /// clamped at the reference connector.
    pub fn new(
        structure: &Structure,
        tied: &Tied,
        basis: &Basis,
        reference: usize,
        damping: Rayleigh,
    ) -> Result<Self, Error> {
        let points = structure.mass_points()?;
        Self::reduced(&points, tied, basis, reference, damping).map(|(body, _)| body)
    }

    /// As [`FlexibleBody::new`], with the displacement of every coordinate of the structure by each elastic coordinate, relative to
    /// the reference connector: rows as [`Structure::dofs`].
    ///
    /// # Errors
    /// As [`FlexibleBody::new`].
    pub fn with_fields(
        structure: &Structure,
        tied: &Tied,
        basis: &Basis,
        reference: usize,
        damping: Rayleigh,
    ) -> Result<(Self, DMatrix<f64>), Error> {
        Self::reduced(&structure.mass_points()?, tied, basis, reference, damping)
    }

    /// The body, and its shapes in the coordinates of the structure.
    pub(super) fn reduced(
        points: &MassPoints,
        tied: &Tied,
        basis: &Basis,
        reference: usize,
        damping: Rayleigh,
    ) -> Result<(Self, DMatrix<f64>), Error> {
        // Modes of the reduced body clamped at the reference: mass 1 and stiffness ω² on the diagonal.
        let fixed = basis.fixed(&tied.chain, reference)?;
        let project = |a: &Sparse| fixed.tr_mul(&(a.project(&basis.vectors) * &fixed));
        let modes = Modes::dense(&project(&tied.chain.a0), &project(tied.chain.inertia()?), 0.0)?;
        let shapes = &basis.vectors * (&fixed * &modes.vectors);

        // Displacement fields at the nodes, and integrals of them over the mass.
        let full = tied.map.multiply(&shapes);
        let fields = points.fields(&full, tied.connectors[reference].position);
        let n = shapes.ncols();
        let weighted = fields.each_ref().map(|y| points.mass.multiply(y));
        let first_moments = (0..=n).map(|a| Vector3::from_fn(|j, _| weighted[j].column(a).sum())).collect();
        let second_moments = second_moments(&fields, &weighted);
        let stiffness: Vec<f64> = modes.values.iter().copied().collect();
        // Damping is that of modes, α + β ω².
        let body = Self {
            mass_kg: points.mass.triplets().map(|(_, _, m)| m).sum(),
            first_moments,
            gyroscopic: gyroscopic(&second_moments, n),
            second_moments,
            damping: stiffness.iter().map(|k| damping.alpha_per_s + damping.beta_s * k).collect(),
            stiffness,
            reference,
            connectors: connector_shapes(tied, &shapes, reference),
            method: basis.method.clone(),
            geometric: None,
        };
        Ok((body, full))
    }
}

fn second_moments(fields: &[DMatrix<f64>; 3], weighted: &[DMatrix<f64>; 3]) -> Vec<f64> {
    let p = fields[0].ncols();
    let mut all = Vec::with_capacity(9 * p * p);
    for y in fields {
        for my in weighted {
            let block = y.tr_mul(my);
            all.extend((0..p).flat_map(|a| (0..p).map(move |b| (a, b))).map(|at| block[at]));
        }
    }
    all
}

fn gyroscopic(second: &[f64], n: usize) -> Vec<f64> {
    let p = n + 1;
    let at = |j: usize, i: usize, l: usize, k: usize| second[((3 * j + i) * p + l + 1) * p + k + 1];
    let mut all = Vec::with_capacity(3 * n * n);
    for m in 0..3 {
        let (j, i) = ((m + 1) % 3, (m + 2) % 3);
        for l in 0..n {
            all.extend((0..n).map(|k| at(j, i, l, k) - at(i, j, l, k)));
        }
    }
    all
}

fn connector_shapes(tied: &Tied, shapes: &DMatrix<f64>, reference: usize) -> Vec<ConnectorShape> {
    let origin = tied.connectors[reference].position;
    let shape = |(c, connector): (usize, &crate::Connector)| {
        let rows = |first: usize| {
            let at = |k| Vector3::from_fn(|d, _| if c == reference { 0.0 } else { shapes[(first + d, k)] });
            (0..shapes.ncols()).map(at).collect()
        };
        ConnectorShape {
            name: connector.name.clone(),
            position: connector.position - origin,
            translation: rows(6 * c),
            rotation: rows(6 * c + 3),
        }
    };
    tied.connectors.iter().enumerate().map(shape).collect()
}
