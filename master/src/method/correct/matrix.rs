//! Matrices and vectors in a state: dimensions and numbers.

use nalgebra::{DMatrix, DVector};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(matrix: &DMatrix<f64>, to: S) -> Result<S::Ok, S::Error> {
    (matrix.nrows(), matrix.ncols(), matrix.as_slice()).serialize(to)
}

pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<DMatrix<f64>, D::Error> {
    let (rows, columns, numbers) = <(usize, usize, Vec<f64>)>::deserialize(from)?;
    if rows.checked_mul(columns) != Some(numbers.len()) {
        return Err(D::Error::invalid_length(numbers.len(), &"as many numbers as the matrix has entries"));
    }
    Ok(DMatrix::from_vec(rows, columns, numbers))
}

/// The same for vectors.
pub(super) mod vector {
    use super::*;

    pub fn serialize<S: Serializer>(vector: &DVector<f64>, to: S) -> Result<S::Ok, S::Error> {
        vector.as_slice().serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<DVector<f64>, D::Error> {
        Ok(DVector::from_vec(Vec::deserialize(from)?))
    }
}
