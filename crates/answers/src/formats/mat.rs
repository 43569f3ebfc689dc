//! Rows as a trajectory in the MATLAB 4 format that Dymola and OpenModelica write and read.
//!
//! A file is matrices one after the other, each a head of five numbers of 32 bits (kind, rows, columns, 0, length of the name), its
//! name, and its values column by column. With the form `binTrans` a column is what belongs to one variable or to one time, so
//! that the rows of a run follow each other in the file:
//!
//! | matrix | what |
//! |---|---|
//! | `Aclass` | `Atrajectory`, version, comment, `binTrans` |
//! | `name`, `description` | a text a variable; the description has the unit in brackets |
//! | `dataInfo` | a column a variable: its matrix, its row there, 0 (linear between values), −1 (nothing beyond the ends) |
//! | `data_1` | what does not change: the first and last time |
//! | `data_2` | a column a time: all variables |
//!
//! Columns that are no numbers, as texts, have no place in the format and are left out, which is said.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::{Columns, reader};
use crate::failure::Failure;

/// Kinds of a matrix, little endian and full: 64-bit numbers, 32-bit integers, letters of 8 bits.
const DOUBLE: i32 = 0;
const INTEGER: i32 = 20;
const TEXT: i32 = 51;

/// Writes the columns of a CSV file that are numbers.
///
/// # Errors
/// [`Failure::File`], and [`Failure::Run`] for rows that are more than the format can count.
pub fn convert(rows: &Path, target: &Path, unit: &dyn Fn(&str) -> Option<String>) -> Result<(), Failure> {
    let columns = Columns::of(rows)?;
    let kept: Vec<usize> = (0..columns.names.len()).filter(|i| columns.numeric[*i]).collect();
    for (name, _) in columns.names.iter().zip(&columns.numeric).filter(|(_, is)| !**is) {
        crate::print::remark!("note: `{}` is without `{name}`: the format holds numbers only", target.display());
    }
    let too_many = || {
        let found = format!("{} rows of {} variables", columns.rows, kept.len());
        Failure::Run(format!("`{}`: {found}, expected at most {} of each in this format", target.display(), i32::MAX))
    };
    let [width, count] = [kept.len() as u64, columns.rows].map(|n| i32::try_from(n).map_err(|_| too_many()));
    let (width, count) = (width?, count?);

    // Time has the name that all readers know.
    let names: Vec<&str> = kept.iter().map(|i| columns.names[*i].as_str()).collect();
    let described =
        |name: &&str| if *name == "time" { "[s]".to_owned() } else { unit(name).map_or(String::new(), bracketed) };
    let descriptions: Vec<String> = names.iter().map(described).collect();
    let ends = ends(rows)?;
    let failed = |source| Failure::File { path: target.to_path_buf(), source };
    let mut file = BufWriter::new(File::create(target).map_err(failed)?);
    heads(&mut file, (&names, &descriptions), ends, [width, count]).map_err(failed)?;
    let mut reader = reader(rows)?;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| Failure::Run(format!("`{}`: {e}", rows.display())))? {
        for i in &kept {
            let value: f64 = record[*i].parse().unwrap_or(f64::NAN);
            file.write_all(&value.to_le_bytes()).map_err(failed)?;
        }
    }
    file.flush().map_err(failed)
}

/// All matrices up to the values of `data_2`.
fn heads(
    file: &mut impl Write,
    (names, descriptions): (&[&str], &[String]),
    ends_s: [f64; 2],
    [width, count]: [i32; 2],
) -> std::io::Result<()> {
    // The one matrix whose texts are its rows, in this form too.
    let words = ["Atrajectory", "1.1", "", "binTrans"].map(str::as_bytes);
    let letters: Vec<u8> = (0..11).flat_map(|i| words.map(|word| word.get(i).copied().unwrap_or(b' '))).collect();
    matrix(file, "Aclass", TEXT, [4, 11])?;
    file.write_all(&letters)?;
    texts(file, "name", names)?;
    texts(file, "description", descriptions)?;
    // Where each variable is: time is in both matrices.
    let info = (1..=width).flat_map(|row| [if row == 1 { 0 } else { 2 }, row, 0, -1]);
    matrix(file, "dataInfo", INTEGER, [4, width])?;
    file.write_all(&info.flat_map(i32::to_le_bytes).collect::<Vec<u8>>())?;
    matrix(file, "data_1", DOUBLE, [1, 2])?;
    file.write_all(&ends_s.map(f64::to_le_bytes).concat())?;
    matrix(file, "data_2", DOUBLE, [width, count])
}

fn bracketed(unit: String) -> String {
    if unit.is_empty() { unit } else { format!("[{unit}]") }
}

/// First and last time.
fn ends(rows: &Path) -> Result<[f64; 2], Failure> {
    let mut ends = [f64::NAN; 2];
    let mut reader = reader(rows)?;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| Failure::Run(format!("`{}`: {e}", rows.display())))? {
        let t_s = record.get(0).and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
        ends = [if ends[0].is_nan() { t_s } else { ends[0] }, t_s];
    }
    Ok(ends)
}

/// Head of a matrix.
fn matrix(file: &mut impl Write, name: &str, kind: i32, [rows, columns]: [i32; 2]) -> std::io::Result<()> {
    for number in [kind, rows, columns, 0, name.len() as i32 + 1] {
        file.write_all(&number.to_le_bytes())?;
    }
    file.write_all(name.as_bytes())?;
    file.write_all(&[0])
}

/// A matrix whose columns are texts, filled up with zeros.
fn texts(file: &mut impl Write, name: &str, texts: &[impl AsRef<str>]) -> std::io::Result<()> {
    let longest = texts.iter().map(|t| t.as_ref().len()).max().unwrap_or(0).max(1);
    matrix(file, name, TEXT, [longest as i32, texts.len() as i32])?;
    for text in texts {
        file.write_all(text.as_ref().as_bytes())?;
        file.write_all(&vec![0; longest - text.as_ref().len()])?;
    }
    Ok(())
}
