//! Bodies from the files users have: CalculiX/Abaqus input decks, stored matrices, MatrixMarket, matrices of Nastran and ANSYS.

pub mod dmig;
pub mod hb;
pub mod inp;
pub mod market;
pub mod op4;
pub mod stored;

use crate::Error;
use std::str::FromStr;

/// Error of a line (from 1) of a file in `format`.
fn refuse<T>(format: &'static str, line: usize, what: impl Into<String>) -> Result<T, Error> {
    Err(Error::Parse { format, line, what: what.into() })
}

/// One field as a number.
fn number<T: FromStr>(format: &'static str, line: usize, field: &str) -> Result<T, Error> {
    field.trim().parse().or_else(|_| refuse(format, line, format!("found `{}`, expected a number", field.trim())))
}

/// One field as a finite number; Fortran exponents (`1.0D-3`) are understood.
fn real(format: &'static str, line: usize, field: &str) -> Result<f64, Error> {
    let value: f64 = number(format, line, &field.replace(['D', 'd'], "e"))?;
    if value.is_finite() {
        Ok(value)
    } else {
        refuse(format, line, format!("found `{}`, expected a finite number", field.trim()))
    }
}
