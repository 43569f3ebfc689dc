//! Harwell–Boeing matrices, as `HBMAT` of ANSYS writes them as text, with its list of equations.
//!
//! ```text
//! Stiffness matrix …                                                      KEY
//!           2730             109            1256            1256             109     lines: all, pointers, rows, values, right-hand sides
//! RSA                      108             108            1256               0     type, rows, columns, entries, 0
//! (1I14)          (1I14)          (1D25.15)           (1D25.15)                  Fortran formats of these parts
//! F                          1               0                                   only with right-hand sides
//! ```
//! Then follow the columns' first entries (from 1, one more than columns), the rows of the entries, and their values. `RSA` is real
//! symmetric and lists one triangle, `RUA` lists all. Right-hand sides behind the values are passed over.
//!
//! The list of equations (`.mapping`) has a line for each, in any order: equation, node and degree of freedom (`UX`, `UY`, `UZ`,
//! `ROTX`, `ROTY`, `ROTZ`). Lines of words alone at the beginning are its title.
//!
//! # References
//! Duff, Grimes, Lewis, *Users' Guide for the Harwell-Boeing Sparse Matrix Collection*, TR/PA/92/86 (1992), section 3.
//! ANSYS, Mechanical APDL Command Reference, `HBMAT`.

use super::stored::Rows;
use super::{number, real, refuse};
use crate::{Error, Mesh, Sparse, Structure};
use std::ops::RangeInclusive;

const FORMAT: &str = "Harwell-Boeing";
const MAPPING: &str = ".mapping";
/// Names of the directions 1 to 6.
const DIRECTIONS: [&str; 6] = ["UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ"];
/// Lines of the header, without that of right-hand sides.
const HEADER: usize = 4;

/// Reads stiffness, mass and the list of equations.
///
/// # Errors
/// [`Error::Parse`] with the line; complex, rectangular, skew and unassembled matrices are refused.
pub fn read(stiffness: &str, mass: &str, mapping: &str, mesh: &Mesh) -> Result<Structure, Error> {
    let rows = equations(mapping, mesh)?;
    let (k, m) = (matrix(stiffness, Some(rows.len()))?, matrix(mass, Some(rows.len()))?);
    rows.structure(k, m)
}

/// What each row is.
fn equations(text: &str, mesh: &Mesh) -> Result<Rows, Error> {
    let mut found: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (index, content) in text.lines().enumerate() {
        let (line, fields) = (index + 1, content.split_whitespace().collect::<Vec<_>>());
        // A title has words alone.
        let is_title = found.is_empty() && !fields.iter().any(|field| field.parse::<usize>().is_ok());
        if fields.is_empty() || is_title {
            continue;
        }
        // The degree of freedom is the field that is a word, wherever it stands.
        let direction = |field: &&str| DIRECTIONS.iter().position(|d| d.eq_ignore_ascii_case(field));
        let numbers: Vec<usize> = fields.iter().filter_map(|field| field.parse().ok()).collect();
        match (fields.len(), numbers.as_slice(), fields.iter().find_map(direction)) {
            (3, [equation, node], Some(direction)) => found.push((*equation, line, *node, direction + 1)),
            _ => {
                let what =
                    format!("found `{}`, expected equation, node and one of {}", content.trim(), DIRECTIONS.join(" "));
                return refuse(MAPPING, line, what);
            }
        }
    }
    // Every equation from 1 on, once.
    found.sort_unstable();
    for (index, (equation, line, ..)) in found.iter().enumerate() {
        if *equation != index + 1 {
            return refuse(
                MAPPING,
                *line,
                format!("equation {equation}, expected {}: each once, from 1 on", index + 1),
            );
        }
    }
    Rows::new(MAPPING, found.into_iter().map(|(_, line, node, direction)| (line, node, direction)), mesh)
}

/// Reads one square real matrix, of `rows` rows where they are known.
///
/// # Errors
/// As [`read`]; nothing of the size that the file claims is allocated before that much was read.
pub fn matrix(text: &str, rows: Option<usize>) -> Result<Sparse, Error> {
    let header = Header::read(text, rows)?;
    let (n, entries) = (header.size, header.entries);
    let pointers: Vec<usize> = header.part(text, 0, n + 1, number)?;
    let indices: Vec<usize> = header.part(text, 1, entries, number)?;
    let values: Vec<f64> = header.part(text, 2, entries, real)?;
    // Where columns begin: from 1, ascending, up to one behind the last entry.
    let from = *header.lines[0].start();
    let is_ascending = pointers.windows(2).all(|pair| pair[0] <= pair[1]);
    if pointers.first() != Some(&1) || pointers.last() != Some(&(entries + 1)) || !is_ascending {
        let (first, last) = (pointers.first().copied().unwrap_or(0), pointers.last().copied().unwrap_or(0));
        let what =
            format!("pointers of columns from {first} to {last}, expected ascending ones from 1 to {}", entries + 1);
        return refuse(FORMAT, from, what);
    }
    // Entries of each column, with their mirror images where one triangle is listed; which one the first entry beside the diagonal tells.
    let line = |entry: usize| header.line_of(1, entry);
    let mut seen = vec![usize::MAX; n];
    let mut triangle = None;
    let mut triplets = Vec::with_capacity(2 * entries);
    for (j, range) in pointers.windows(2).enumerate() {
        for entry in range[0] - 1..range[1] - 1 {
            let i = match indices[entry].checked_sub(1).filter(|i| *i < n) {
                Some(i) => i,
                None => {
                    let what = format!("entry ({}, {}) of a matrix of size {n}", indices[entry], j + 1);
                    return refuse(FORMAT, line(entry), what);
                }
            };
            if std::mem::replace(&mut seen[i], j) == j {
                return refuse(FORMAT, line(entry), format!("entry ({}, {}) is listed twice", i + 1, j + 1));
            }
            triplets.push((i, j, values[entry]));
            if header.is_symmetric && i != j {
                if *triangle.get_or_insert(i > j) != (i > j) {
                    let what = format!("entry ({}, {}) in the other triangle of a symmetric matrix", i + 1, j + 1);
                    return refuse(FORMAT, line(entry), what);
                }
                triplets.push((j, i, values[entry]));
            }
        }
    }
    Sparse::from_triplets(n, &triplets)
}

/// What stands before the numbers.
struct Header {
    size: usize,
    entries: usize,
    is_symmetric: bool,
    /// Lines of pointers, rows and values, from 1.
    lines: [RangeInclusive<usize>; 3],
    /// Numbers a line, and characters a number, of each.
    formats: [(usize, usize); 3],
}

impl Header {
    fn read(text: &str, rows: Option<usize>) -> Result<Header, Error> {
        let mut lines = text.lines().skip(1);
        let mut line = |at: usize| match lines.next() {
            Some(content) => Ok(content),
            None => refuse(FORMAT, at, "the file ends in its header"),
        };
        let (counts, kind, formats) = (line(2)?, line(3)?, line(HEADER)?);
        // Numbers of lines; that of right-hand sides may be missing.
        let counts = whole(2, counts.split_whitespace())?;
        let [_, pointers, indices, values, right @ ..] = counts.as_slice() else {
            return refuse(FORMAT, 2, format!("{} numbers of lines, expected five", counts.len()));
        };
        // The type, and the size.
        let mut fields = kind.split_whitespace();
        let name = fields.next().unwrap_or_default().to_uppercase();
        let is_symmetric = match name.as_str() {
            "RSA" => true,
            "RUA" => false,
            _ => {
                return refuse(
                    FORMAT,
                    3,
                    format!("type `{name}`, expected RSA or RUA: real, symmetric or not, assembled"),
                );
            }
        };
        let sizes = whole(3, fields)?;
        let [size, columns, entries, ..] = sizes.as_slice() else {
            return refuse(FORMAT, 3, format!("{} sizes, expected rows, columns and entries", sizes.len()));
        };
        if size != columns {
            return refuse(FORMAT, 3, format!("{size} × {columns}, expected a square matrix"));
        }
        if let Some(rows) = rows.filter(|rows| rows != size) {
            return refuse(FORMAT, 3, format!("a matrix of {size} rows, the list of equations has {rows}"));
        }
        if *entries == 0 || (*entries).max(*size) > text.len() {
            let what = format!("{size} rows and {entries} entries announced in a file of {} bytes", text.len());
            return refuse(FORMAT, 3, what);
        }
        // Formats stand in parentheses.
        let formats: Vec<&str> =
            formats.split_inclusive(')').map(str::trim).filter(|format| !format.is_empty()).collect();
        let [a, b, c, ..] = formats.as_slice() else {
            return refuse(
                FORMAT,
                HEADER,
                format!("{} formats, expected at least three in parentheses", formats.len()),
            );
        };
        let formats = [width(a)?, width(b)?, width(c)?];
        // Lines of the parts follow each other.
        let mut next = HEADER + 1 + usize::from(right.first().is_some_and(|lines| *lines > 0));
        let lines = [*pointers, *indices, *values].map(|count| {
            let from = next;
            next = next.saturating_add(count);
            from..=next.saturating_sub(1)
        });
        Ok(Header { size: *size, entries: *entries, is_symmetric, lines, formats })
    }

    /// The numbers of a part, `count` of them.
    fn part<T>(
        &self,
        text: &str,
        part: usize,
        count: usize,
        read: fn(&'static str, usize, &str) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let (name, (each, width)) = (["pointers", "rows", "values"][part], self.formats[part]);
        let (from, to) = (*self.lines[part].start(), *self.lines[part].end());
        let mut numbers = Vec::new();
        for (index, content) in text.lines().enumerate().take(to).skip(from - 1) {
            // Between blanks where there are as many fields as the line should have (scipy writes them narrower than it says), else by width.
            let fields: Vec<&str> = content.split_whitespace().collect();
            if fields.len() == each.min(count.saturating_sub(numbers.len())) {
                for field in fields {
                    numbers.push(read(FORMAT, index + 1, field)?);
                }
                continue;
            }
            for field in content.trim_end().as_bytes().chunks(width) {
                numbers.push(read(FORMAT, index + 1, &String::from_utf8_lossy(field))?);
            }
        }
        if numbers.len() == count {
            return Ok(numbers);
        }
        let what = format!("{} {name} in lines {from} to {to}, expected {count}", numbers.len());
        refuse(FORMAT, to.min(text.lines().count()), what)
    }

    /// Line of a number of a part.
    fn line_of(&self, part: usize, entry: usize) -> usize {
        self.lines[part].start() + entry / self.formats[part].0
    }
}

/// Whole numbers of a line.
fn whole<'a>(line: usize, fields: impl Iterator<Item = &'a str>) -> Result<Vec<usize>, Error> {
    fields.map(|field| number(FORMAT, line, field)).collect()
}

/// Numbers a line and characters a number of a Fortran format: `(3I14)`, `(1P,5D25.15)`, `(1P5E20.12)`.
fn width(format: &str) -> Result<(usize, usize), Error> {
    let inner = format.trim_start_matches('(').trim_end_matches(')').to_uppercase();
    // A scale factor does not change what is written.
    let inner = inner.split_once('P').map_or(inner.as_str(), |(_, rest)| rest.trim_start_matches([',', ' ']));
    let parts = inner.split_once(['I', 'E', 'D', 'F', 'G']).and_then(|(repeat, rest)| {
        let repeat = if repeat.trim().is_empty() { 1 } else { repeat.trim().parse().ok()? };
        Some((repeat, rest.split('.').next()?.trim().parse::<usize>().ok()?))
    });
    match parts {
        Some((repeat, width)) if repeat > 0 && width > 0 => Ok((repeat, width)),
        _ => refuse(FORMAT, HEADER, format!("format `{format}`, expected one as `(3I14)` or `(1P,5D25.15)`")),
    }
}
