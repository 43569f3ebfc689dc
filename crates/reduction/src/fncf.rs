//! The flexible natural coordinates formulation and its constant transformation matrix.
//!
//! ```text
//! q = [r₀ (3); vec R (9); per mode k: q_k (1), q_k vec R (9)]        12 + 10 n coordinates
//! x_i = r₀ + R (X_i + Σ φ_k,i q_k)   ⇒   U_full = r_q q
//! r_q,i = [ I₃, X_iᵀ ⊗ I₃, per mode: 0, φ_k,iᵀ ⊗ I₃ ]
//! ```
//!
//! Without the n zero columns r_q = B_s ⊗ I₃ with the scalar shapes B_s = [1, X, Y, Z, φ_kx, φ_ky, φ_kz], so all that
//! follows is done on B_s and expanded: rank r_q = 3 rank B_s. For a motion in a plane only two components are
//! exchanged and the factor is two; the paper's 38 = 2 × 19 values belong to that reading ([`Space::Planar`]), in space
//! the same shapes give 57 ([`Space::Spatial`]).
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | N, n | number of nodes, number of mode shapes |
//! | X_i | undeformed position of node i in body axes, m |
//! | φ_k,i | shape k at node i |
//! | B_s | scalar shapes, N × (4 + 3 n) |
//!
//! # References
//! [Peeters 2024] J. Peeters, M. Vermaut, F. Naets, *Co-Simulation Interface Reduction Based on the Flexible Natural
//! Coordinates Formulation*, EasyChair preprint, 2024, equation 1.
//! [Vermaut 2018] M. Vermaut, F. Naets, W. Desmet, *A Flexible Natural Coordinates Formulation (FNCF) for the Efficient
//! Simulation of Small-Deformation Multibody Systems*, IJNME 115 (2018).

use crate::Error;
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Components exchanged per node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Space {
    /// x and y.
    Planar,
    /// x, y and z.
    Spatial,
}

impl Space {
    /// Number of components: 2 or 3.
    pub fn components(self) -> usize {
        match self {
            Self::Planar => 2,
            Self::Spatial => 3,
        }
    }
}

/// Node positions and mode shapes of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Shapes {
    positions: Vec<Vector3<f64>>,
    modes: Vec<Vec<Vector3<f64>>>,
}

impl Shapes {
    /// Positions (m) and modes, each a list of N vectors.
    ///
    /// # Errors
    /// [`Error::Empty`] without nodes, [`Error::Shape`] for a mode of another length, [`Error::NotFinite`].
    pub fn new(positions: Vec<Vector3<f64>>, modes: Vec<Vec<Vector3<f64>>>) -> Result<Self, Error> {
        if positions.is_empty() {
            return Err(Error::Empty);
        }
        let finite = |x: &Vector3<f64>| x.iter().all(|v| v.is_finite());
        if let Some(index) = positions.iter().position(|x| !finite(x)) {
            return Err(Error::NotFinite { what: "position of node", index });
        }
        for mode in &modes {
            if mode.len() != positions.len() {
                let (found, expected) = (mode.len(), positions.len());
                return Err(Error::Shape { what: "nodes of a mode shape", found, expected });
            }
            if let Some(index) = mode.iter().position(|x| !finite(x)) {
                return Err(Error::NotFinite { what: "mode shape at node", index });
            }
        }
        Ok(Self { positions, modes })
    }

    /// Number of nodes N.
    pub fn nodes(&self) -> usize {
        self.positions.len()
    }

    /// Number of modes n.
    pub fn modes(&self) -> usize {
        self.modes.len()
    }

    /// Number of generalised coordinates 12 + 10 n.
    pub fn coordinates(&self) -> usize {
        12 + 10 * self.modes()
    }

    /// Undeformed positions in m.
    pub fn positions(&self) -> &[Vector3<f64>] {
        &self.positions
    }

    /// Every mode at one node.
    pub(crate) fn at(&self, node: usize) -> Vec<Vector3<f64>> {
        self.modes.iter().filter_map(|mode| mode.get(node).copied()).collect()
    }

    /// B_s, N × (4 + 3 n), zero columns included.
    pub fn scalar(&self) -> DMatrix<f64> {
        DMatrix::from_fn(self.nodes(), 4 + 3 * self.modes(), |i, column| match column {
            0 => 1.0,
            1..4 => self.positions[i][column - 1],
            _ => self.modes[(column - 4) / 3][i][(column - 4) % 3],
        })
    }

    /// r_q, 3N × (12 + 10 n), zero columns included; rows node-major.
    pub fn transformation(&self) -> DMatrix<f64> {
        let scalar = self.scalar();
        let mut matrix = DMatrix::zeros(3 * self.nodes(), self.coordinates());
        for (column, shape) in scalar.column_iter().enumerate() {
            // Columns of B_s are r₀, the three of vec R, then three per mode after its zero column.
            let first = if column < 4 { 3 * column } else { 12 + 10 * ((column - 4) / 3) + 1 + 3 * ((column - 4) % 3) };
            for (i, value) in shape.iter().enumerate() {
                (0..3).for_each(|d| matrix[(3 * i + d, first + d)] = *value);
            }
        }
        matrix
    }

    /// The coordinates q, length 12 + 10 n, of a pose and modal amplitudes (length n).
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of amplitudes.
    pub fn coordinates_of(
        &self,
        origin: Vector3<f64>,
        rotation: &Matrix3<f64>,
        amplitudes: &[f64],
    ) -> Result<Vec<f64>, Error> {
        if amplitudes.len() != self.modes() {
            let (found, expected) = (amplitudes.len(), self.modes());
            return Err(Error::Shape { what: "modal amplitudes", found, expected });
        }
        let mut q = origin.as_slice().to_vec();
        q.extend(rotation.iter());
        for amplitude in amplitudes {
            q.push(*amplitude);
            q.extend(rotation.iter().map(|r| r * amplitude));
        }
        Ok(q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DVector, Rotation3};
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vector3<f64>> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vector3::from)
    }

    proptest! {
        #[test]
        fn transformation_gives_the_deformed_positions(
            positions in prop::collection::vec(vector(), 5),
            modes in prop::collection::vec(prop::collection::vec(vector(), 5), 3),
            origin in vector(),
            turn in vector(),
            amplitudes in prop::collection::vec(-0.1f64..0.1, 3),
        ) {
            let shapes = Shapes::new(positions.clone(), modes.clone()).unwrap();
            let rotation = Rotation3::new(turn).into_inner();
            let q = shapes.coordinates_of(origin, &rotation, &amplitudes).unwrap();
            let full = shapes.transformation() * DVector::from_vec(q);
            for i in 0..5 {
                let deformed = (0..3).fold(positions[i], |x, k| x + modes[k][i] * amplitudes[k]);
                let expected = origin + rotation * deformed;
                prop_assert!((full.fixed_rows::<3>(3 * i) - expected).amax() < 1e-14);
            }
        }
    }

    #[test]
    fn damaged_shapes_are_refused() {
        let x = vec![Vector3::zeros(), Vector3::x()];
        assert_eq!(Shapes::new(vec![], vec![]), Err(Error::Empty));
        assert!(matches!(Shapes::new(x.clone(), vec![vec![Vector3::x()]]), Err(Error::Shape { found: 1, .. })));
        let broken = vec![vec![Vector3::x(), Vector3::new(f64::NAN, 0.0, 0.0)]];
        assert!(matches!(Shapes::new(x, broken), Err(Error::NotFinite { index: 1, .. })));
    }
}
