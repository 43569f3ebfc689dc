//! Matrices of Nastran's bulk data: `DMIG` entries, as `EXTSEOUT` or `PARAM,EXTOUT,DMIGPCH` punch them.
//!
//! ```text
//! DMIG    KAAX           0       6       2       0                     name, 0, form, type
//! DMIG*   KAAX                           7               1             column: grid 7, component 1
//! *                      7               1 1.234567890D+05             row: grid, component, value
//! ```
//! Fields have 8 characters, in lines whose keyword ends with `*` 16, or they stand between commas. Form 6 (symmetric) lists one
//! triangle, form 1 (square) all. Stiffness and mass are the matrices whose names begin with K and M. Rows are the grids and
//! components (1 to 3, 4 to 6 for rotations) that the entries name, in ascending order; positions come from the mesh.
//!
//! # References
//! MSC Nastran, Quick Reference Guide, bulk data entry `DMIG` and section "Format of Bulk Data Entries".

use super::stored::Rows;
use super::{number, real, refuse};
use crate::{Error, Mesh, Sparse, Structure};
use std::collections::BTreeMap;

const FORMAT: &str = "DMIG";
/// Form of a symmetric matrix, of which one triangle is listed, and of a square one.
const SYMMETRIC: usize = 6;
const SQUARE: usize = 1;

/// Grid and component.
type Place = (usize, usize);

/// A matrix as it is listed: the line of its header, its form, its entries with their lines.
struct Matrix {
    line: usize,
    form: usize,
    entries: Vec<(Place, Place, f64, usize)>,
}

/// Reads stiffness and mass, from one text or two.
///
/// # Errors
/// [`Error::Parse`] with the line; complex and rectangular matrices, scalar points and entries given twice are refused.
pub fn read(stiffness: &str, mass: &str, mesh: &Mesh) -> Result<Structure, Error> {
    let (k, m) = (named(stiffness, 'K')?, named(mass, 'M')?);
    let mut places: Vec<Place> = [&k, &m].iter().flat_map(|a| a.entries.iter().flat_map(|e| [e.0, e.1])).collect();
    places.sort_unstable();
    places.dedup();
    let rows = Rows::new(FORMAT, places.iter().map(|(grid, component)| (k.line, *grid, *component)), mesh)?;
    let index: BTreeMap<Place, usize> = places.into_iter().enumerate().map(|(i, place)| (place, i)).collect();
    let matrices = [&k, &m].map(|a| a.sparse(&index));
    let [k, m] = matrices;
    rows.structure(k?, m?)
}

/// The matrix whose name begins with this letter.
fn named(text: &str, letter: char) -> Result<Matrix, Error> {
    let mut all = matrices(text)?.into_iter().filter(|(name, _)| name.starts_with(letter));
    match (all.next(), all.next()) {
        (Some((_, matrix)), None) => Ok(matrix),
        (None, _) => refuse(FORMAT, text.lines().count(), format!("no matrix whose name begins with `{letter}`")),
        (Some((first, _)), Some((second, matrix))) => {
            refuse(FORMAT, matrix.line, format!("matrix `{second}` beside `{first}`, expected one with `{letter}`"))
        }
    }
}

/// All matrices of a text, by name; other entries are passed over.
fn matrices(text: &str) -> Result<BTreeMap<String, Matrix>, Error> {
    let mut all: BTreeMap<String, Matrix> = BTreeMap::new();
    // The column that continuation lines belong to.
    let mut column: Option<(String, Place)> = None;
    for (index, content) in text.lines().enumerate() {
        let (line, content) = (index + 1, content.split('$').next().unwrap_or_default());
        if content.trim().is_empty() {
            continue;
        }
        let fields = fields(content);
        let field = |i: usize| fields.get(i).map_or("", String::as_str);
        let keyword = field(0).trim_end_matches('*').to_uppercase();
        let is_continuation = keyword.is_empty() || keyword.starts_with('+');
        match (&column, keyword.as_str()) {
            // A header: its second field is 0.
            (_, "DMIG") if field(2) == "0" => {
                column = None;
                let (form, kind) = (number(FORMAT, line, field(3))?, number::<usize>(FORMAT, line, field(4))?);
                if ![SYMMETRIC, SQUARE].contains(&form) || ![1, 2].contains(&kind) {
                    let what = format!("form {form} and type {kind}, expected form 6 or 1 and real type 1 or 2");
                    return refuse(FORMAT, line, what);
                }
                let matrix = Matrix { line, form, entries: Vec::new() };
                if all.insert(field(1).to_uppercase(), matrix).is_some() {
                    return refuse(FORMAT, line, format!("a second header of matrix `{}`", field(1)));
                }
            }
            // A column; in short fields its first two rows follow in the same line.
            (_, "DMIG") => {
                let of = (field(1).to_uppercase(), place(line, field(2), field(3))?);
                rows(&mut all, &of, fields.get(5..).unwrap_or_default(), line)?;
                column = Some(of);
            }
            (Some(of), _) if is_continuation => rows(&mut all, of, fields.get(1..).unwrap_or_default(), line)?,
            _ => column = None,
        }
    }
    Ok(all)
}

/// Rows of a column: grid, component, value and an imaginary part that is not there.
fn rows(
    all: &mut BTreeMap<String, Matrix>,
    (name, column): &(String, Place),
    fields: &[String],
    line: usize,
) -> Result<(), Error> {
    let Some(matrix) = all.get_mut(name) else {
        return refuse(FORMAT, line, format!("a column of matrix `{name}` before its header"));
    };
    for row in fields.chunks(4) {
        let field = |i: usize| row.get(i).map_or("", String::as_str);
        if row.iter().all(String::is_empty) {
            continue;
        }
        let entry = (place(line, field(0), field(1))?, *column, real(FORMAT, line, &exponent(field(2)))?, line);
        matrix.entries.push(entry);
    }
    Ok(())
}

/// A grid with one of its components.
fn place(line: usize, grid: &str, component: &str) -> Result<Place, Error> {
    let (grid, component) = (number(FORMAT, line, grid)?, number(FORMAT, line, component)?);
    if (1..=6).contains(&component) {
        return Ok((grid, component));
    }
    refuse(FORMAT, line, format!("component {component} of point {grid}, expected 1 to 6"))
}

/// Nastran may leave out the letter of an exponent: `1.5+3`.
fn exponent(field: &str) -> String {
    let sign = field.char_indices().skip(1).find(|(i, c)| {
        matches!(c, '+' | '-') && field[..*i].ends_with(|before: char| before.is_ascii_digit() || before == '.')
    });
    match sign {
        Some((i, _)) => format!("{}e{}", &field[..i], &field[i..]),
        None => field.to_owned(),
    }
}

/// Fields of a line without blanks around them, the keyword first.
fn fields(content: &str) -> Vec<String> {
    let own = |part: &str| part.trim().to_owned();
    if content.contains(',') {
        return content.split(',').map(own).collect();
    }
    // A keyword of 8 characters, then 4 fields of 16 or 8 of 8; what stands behind them is a label.
    let letters: Vec<char> = content.chars().collect();
    let (keyword, rest) = letters.split_at(letters.len().min(8));
    let keyword: String = keyword.iter().collect();
    let (width, most) = if keyword.contains('*') { (16, 4) } else { (8, 8) };
    let fields = rest.chunks(width).take(most).map(|field| own(&field.iter().collect::<String>()));
    std::iter::once(own(&keyword)).chain(fields).collect()
}

impl Matrix {
    fn sparse(&self, index: &BTreeMap<Place, usize>) -> Result<Sparse, Error> {
        let mut known: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (row, column, value, line) in &self.entries {
            let (i, j) = (index[row], index[column]);
            let mirrored = self.form == SYMMETRIC && i != j;
            let twice = known.insert((i, j), *value).is_some();
            if twice || mirrored && known.insert((j, i), *value).is_some() {
                let what = format!("{}.{} of column {}.{} is listed twice", row.0, row.1, column.0, column.1);
                return refuse(FORMAT, *line, what);
            }
        }
        let triplets: Vec<_> = known.into_iter().map(|((i, j), value)| (i, j, value)).collect();
        Sparse::from_triplets(index.len(), &triplets)
    }
}
