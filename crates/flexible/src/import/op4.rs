//! Matrices of Nastran's `OUTPUT4`, as text.
//!
//! ```text
//!        3       3       6       2KAAX    1P,3E23.16        columns, rows, form, type, name, Fortran format of values
//!        1       1       6                                  column, first row, words; then the values
//!  1.0000000000000000E+00 …
//! ```
//! Type 1 or 2 is real. The first row is 0 in a sparse column: before each run of values stands a line with 65536 (length + 1) +
//! row, or with length + 1 and row where rows are negative in the header ("bigmat"). A column behind the last ends a matrix.
//! Stiffness and mass are the matrices whose names begin with K and M. The format has no list of rows: line k of a `.dof`
//! file, "node.direction", says what row k is.
//!
//! # References
//! MSC Nastran, DMAP Programmer's Guide, module `OUTPUT4`.

use super::stored::Rows;
use super::{number, real, refuse};
use crate::{Error, Mesh, Sparse, Structure};

const FORMAT: &str = "OP4";
/// What separates row and length in a sparse column.
const STRING: usize = 65536;

/// A matrix of one file.
struct Matrix {
    name: String,
    size: usize,
    triplets: Vec<(usize, usize, f64)>,
}

/// Reads stiffness and mass, from one text or two, with the list of rows.
///
/// # Errors
/// [`Error::Parse`] with the line; complex and rectangular matrices are refused.
pub fn read(stiffness: &str, mass: &str, dofs: &str, mesh: &Mesh) -> Result<Structure, Error> {
    let rows = Rows::read(dofs, mesh)?;
    let (k, m) = (named(stiffness, 'K', rows.len())?, named(mass, 'M', rows.len())?);
    rows.structure(k, m)
}

/// The matrix whose name begins with this letter.
fn named(text: &str, letter: char, rows: usize) -> Result<Sparse, Error> {
    let end = text.lines().count();
    let mut all = matrices(text)?.into_iter().filter(|matrix| matrix.name.starts_with(letter));
    match (all.next(), all.next()) {
        (Some(matrix), None) if matrix.size == rows => Sparse::from_triplets(matrix.size, &matrix.triplets),
        (Some(matrix), None) => {
            refuse(FORMAT, end, format!("matrix `{}` of {} rows, the list has {rows}", matrix.name, matrix.size))
        }
        (None, _) => refuse(FORMAT, end, format!("no matrix whose name begins with `{letter}`")),
        (Some(a), Some(b)) => {
            refuse(FORMAT, end, format!("matrix `{}` beside `{}`, expected one with `{letter}`", b.name, a.name))
        }
    }
}

/// All matrices of a text.
fn matrices(text: &str) -> Result<Vec<Matrix>, Error> {
    let mut lines = text.lines().enumerate().map(|(i, content)| (i + 1, content)).filter(|(_, c)| !c.trim().is_empty());
    let mut all = Vec::new();
    while let Some((line, header)) = lines.next() {
        all.push(matrix((line, header), &mut lines)?);
    }
    Ok(all)
}

/// One matrix behind its header.
fn matrix<'a>(
    (line, header): (usize, &str),
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
) -> Result<Matrix, Error> {
    // Four numbers of 8 characters, a name of 8, and the format of values, whose width is behind `E`.
    let part = |from: usize, to: usize| header.get(from..to.min(header.len())).unwrap_or_default().trim();
    let whole = |i: usize| number::<i64>(FORMAT, line, part(8 * i, 8 * i + 8));
    let (columns, rows, kind) = (whole(0)?, whole(1)?, whole(3)?);
    if columns < 1 || rows.abs() != columns || ![1, 2].contains(&kind) {
        let what = format!("{rows} rows, {columns} columns, type {kind}; expected a square matrix of real type 1 or 2");
        return refuse(FORMAT, line, what);
    }
    let name = part(32, 40).to_uppercase();
    let format = part(40, header.len()).to_uppercase();
    let width = format.split_once(['E', 'D']).and_then(|(_, rest)| rest.split('.').next()?.parse::<usize>().ok());
    let Some(width) = width.filter(|width| *width > 0) else {
        return refuse(FORMAT, line, format!("format `{format}`, expected one as `1P,3E23.16`"));
    };
    // Lines of whole numbers say where values go, all others are values.
    let (size, mut triplets, mut at) = (columns as usize, Vec::new(), Cursor::default());
    let mut last = line;
    for (line, content) in lines {
        last = line;
        if content.contains('.') {
            for field in content.as_bytes().chunks(width) {
                let field = String::from_utf8_lossy(field);
                if !field.trim().is_empty() {
                    at.put(line, real(FORMAT, line, &field)?, size, &mut triplets)?;
                }
            }
            // The value behind the last column ends the matrix.
            if at.column > size {
                return Ok(Matrix { name, size, triplets });
            }
            continue;
        }
        at.close(line)?;
        at.go(line, content)?;
    }
    refuse(FORMAT, last, format!("matrix `{name}` ends before its last column is closed"))
}

/// Where the next value goes.
#[derive(Default)]
struct Cursor {
    /// From 1; 0 before the first.
    column: usize,
    /// From 0.
    row: usize,
    /// Values that a string or a dense column still has, in single or double words.
    found: usize,
    promised: usize,
}

impl Cursor {
    /// A line of whole numbers: a column, or a string of a sparse one.
    fn go(&mut self, line: usize, content: &str) -> Result<(), Error> {
        let numbers = content.split_whitespace().map(|field| number::<usize>(FORMAT, line, field));
        let (row, promised) = match numbers.collect::<Result<Vec<_>, _>>()?.as_slice() {
            [column, row, words] => {
                self.column = *column;
                // A sparse column promises its strings, which promise their values.
                (*row, if *row == 0 { 0 } else { *words })
            }
            [length, row] => (*row, length.saturating_sub(1)),
            [string] => (string % STRING, (string / STRING).saturating_sub(1)),
            found => return refuse(FORMAT, line, format!("{} whole numbers, expected one to three", found.len())),
        };
        (self.row, self.promised, self.found) = (row.saturating_sub(1), promised, 0);
        Ok(())
    }

    fn put(&mut self, line: usize, value: f64, size: usize, to: &mut Vec<(usize, usize, f64)>) -> Result<(), Error> {
        if self.column == 0 {
            return refuse(FORMAT, line, "a value before the first column");
        }
        self.found += 1;
        if self.column > size {
            return Ok(());
        }
        if self.promised == 0 || self.row >= size {
            return refuse(FORMAT, line, format!("a value in row {} of column {}", self.row + 1, self.column));
        }
        if value != 0.0 {
            to.push((self.row, self.column - 1, value));
        }
        self.row += 1;
        Ok(())
    }

    /// As many values as were promised: a word each, or two.
    fn close(&self, line: usize) -> Result<(), Error> {
        if self.found == self.promised || 2 * self.found == self.promised {
            return Ok(());
        }
        let what = format!("column {} has {} values, {} words are promised", self.column, self.found, self.promised);
        refuse(FORMAT, line, what)
    }
}
