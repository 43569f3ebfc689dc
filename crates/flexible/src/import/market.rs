//! MatrixMarket `.mtx` matrices with a node table.
//!
//! The matrices are `matrix coordinate real symmetric` (lower or upper triangle) or `general`. The node table has one line a
//! node, "label x y z" (m; blanks or commas; `#` begins a comment), in the order of the matrices: three displacements a
//! node, node-major.
//!
//! # References
//! Boisvert, Pozo, Remington, *The Matrix Market Exchange Formats: Initial Design*, NISTIR 5935 (1996).

use super::{number, real, refuse};
use crate::structure::Dof;
use crate::{Error, Sparse, Structure};
use nalgebra::Vector3;
use std::collections::HashSet;

const FORMAT: &str = "MatrixMarket";
/// Least bytes of an entry: row, column, value, two blanks and the end of the line, which the last may lack.
const ENTRY_BYTES: usize = 5;

/// Reads stiffness, mass and node table.
///
/// # Errors
/// [`Error::Parse`] with the line, [`Error::Shape`] when the matrices do not have three rows a node.
pub fn read(stiffness: &str, mass: &str, table: &str) -> Result<Structure, Error> {
    let (mut labels, mut nodes) = (Vec::new(), Vec::new());
    for (index, content) in table.lines().enumerate() {
        let content = content.split('#').next().unwrap_or_default().replace(',', " ");
        let fields: Vec<&str> = content.split_whitespace().collect();
        match fields.as_slice() {
            [] => {}
            [label, x, y, z] => {
                labels.push(number("node table", index + 1, label)?);
                let at = |f: &str| real("node table", index + 1, f);
                nodes.push(Vector3::new(at(x)?, at(y)?, at(z)?));
            }
            _ => return refuse("node table", index + 1, "expected label, x, y and z"),
        }
    }
    let dofs = (0..3 * nodes.len()).map(|i| Dof { node: i / 3, direction: i % 3 }).collect();
    let rows = 3 * nodes.len();
    Structure::new(nodes, labels, dofs, matrix(stiffness, Some(rows))?, matrix(mass, Some(rows))?)
}

/// Reads one square matrix, of `rows` rows where they are known.
///
/// # Errors
/// [`Error::Parse`] with the line, before anything of the size the file claims is allocated; complex, pattern, array and
/// skew-symmetric matrices are refused.
pub fn matrix(text: &str, rows: Option<usize>) -> Result<Sparse, Error> {
    // The header says whether a triangle or all is listed.
    let header = text.lines().next().unwrap_or_default().to_lowercase();
    let symmetric = match header.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "symmetric"] => true,
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "general"] => false,
        _ => {
            let what = "expected `%%MatrixMarket matrix coordinate real symmetric` or `general`";
            return refuse(FORMAT, 1, what);
        }
    };
    let mut size = None;
    let (mut triplets, mut count, mut seen) = (Vec::new(), 0_usize, HashSet::new());
    // Comments and empty lines are passed over.
    for (index, content) in text.lines().enumerate().skip(1) {
        let line = index + 1;
        let fields: Vec<&str> = content.split_whitespace().collect();
        if fields.first().is_none_or(|first| first.starts_with('%')) {
            continue;
        }
        let [a, b, c] = fields.as_slice() else {
            return refuse(FORMAT, line, "expected three fields");
        };
        let (i, j): (usize, usize) = (number(FORMAT, line, a)?, number(FORMAT, line, b)?);
        // The first line is the size.
        let Some((n, _)) = size else {
            if i != j {
                return refuse(FORMAT, line, format!("{i} × {j}, expected a square matrix"));
            }
            if let Some(rows) = rows.filter(|rows| *rows != i) {
                let what = format!("a matrix of {i} rows, expected {rows}: three for each node of the node table");
                return refuse(FORMAT, line, what);
            }
            let entries = number::<usize>(FORMAT, line, c)?;
            // A row without an entry makes a matrix singular, and an entry takes a line.
            if i > text.len() || entries > text.len() / ENTRY_BYTES {
                let what = format!("{i} rows and {entries} entries announced in a file of {} bytes", text.len());
                return refuse(FORMAT, line, what);
            }
            size = Some((i, entries));
            continue;
        };
        // An entry, and its mirror image.
        if i == 0 || j == 0 || i.max(j) > n {
            return refuse(FORMAT, line, format!("entry ({i}, {j}) of a matrix of size {n}"));
        }
        // Of a symmetric matrix (i, j) and (j, i) are one entry.
        if !seen.insert(if symmetric { (i.max(j), i.min(j)) } else { (i, j) }) {
            return refuse(FORMAT, line, format!("entry ({i}, {j}) is listed twice"));
        }
        count += 1;
        let value = real(FORMAT, line, c)?;
        triplets.push((i - 1, j - 1, value));
        if symmetric && i != j {
            triplets.push((j - 1, i - 1, value));
        }
    }
    // As many as were promised.
    match size {
        Some((n, entries)) if entries == count => Sparse::from_triplets(n, &triplets),
        Some((_, entries)) => {
            refuse(FORMAT, text.lines().count(), format!("{count} entries, but {entries} by the size line"))
        }
        None => refuse(FORMAT, text.lines().count(), "no size line"),
    }
}

/// A symmetric matrix as MatrixMarket text, values with all digits.
pub fn write(matrix: &Sparse) -> String {
    let lower: Vec<_> = matrix.triplets().filter(|(i, j, _)| i >= j).collect();
    let size = matrix.size();
    let mut text = format!("%%MatrixMarket matrix coordinate real symmetric\n{size} {size} {}\n", lower.len());
    text.extend(lower.iter().map(|(i, j, v)| format!("{} {} {v:e}\n", i + 1, j + 1)));
    text
}
