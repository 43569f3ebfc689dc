//! Traces as CSV, in the shortest digits that read back to the same `f64`: a trace and its file hold the same bits. The first line
//! has the names and nothing but the names; units stay in the columns of the trace, so that the file loads anywhere.

use std::io::{Read, Write};

use macrostep_master::record::{Column, Trace};

use crate::number::{NUMBER_MOST, write_number};

/// A trace that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// From the CSV layer: input, output, or rows of unequal length.
    #[error("trace: {0}")]
    Csv(#[from] csv::Error),
    /// A file whose first column is not the time.
    #[error("trace: the first column is `{found}`, expected `time`")]
    NoTime {
        /// Its name.
        found: String,
    },
    /// A field that is a text.
    #[error("trace: line {line}, column `{column}` is `{found}`, expected a number")]
    NotANumber {
        /// Line of the file, from 1.
        line: u64,
        /// Name of the column.
        column: String,
        /// Text found.
        found: String,
    },
}

/// Writes CSV: one line of names, then the rows in shortest round-trip digits.
///
/// # Errors
/// [`TraceError::Csv`] where the sink fails.
///
/// # Examples
/// ```
/// use macrostep_master::record::{Column, Trace};
/// use macrostep_run::{read_trace, write_trace};
///
/// let mut trace = Trace::new([Column::new("x", "1")]);
/// trace.push(0.1, &[1.0 / 3.0]);
/// let mut file = Vec::new();
/// write_trace(&trace, &mut file)?;
/// assert_eq!(file, b"time,x\n0.1,0.3333333333333333\n");
///
/// // The same bits come back.
/// assert_eq!(read_trace(&file[..])?.column("x"), Some(vec![1.0 / 3.0]));
/// # Ok::<(), macrostep_run::TraceError>(())
/// ```
pub fn write_trace(trace: &Trace, sink: impl Write) -> Result<(), TraceError> {
    let mut writer = csv::Writer::from_writer(sink);
    writer.write_record(trace.columns().iter().map(|column| column.name.as_str()))?;
    let mut text = [0; NUMBER_MOST];
    for row in trace.rows() {
        for value in row {
            let n = write_number(&mut text, *value);
            writer.write_field(&text[..n])?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush().map_err(csv::Error::from)?;
    Ok(())
}

/// Reads a trace that [`write_trace`] wrote. Units are not in the file: those of the columns behind the time are `1`.
///
/// # Errors
/// [`TraceError`] where the first column is not the time, or a row is short or long, or has a text in it.
///
/// # Examples
/// ```
/// use macrostep_run::read_trace;
///
/// let error = read_trace(&b"time,x\n0,one\n"[..]).unwrap_err();
/// assert_eq!(error.to_string(), "trace: line 2, column `x` is `one`, expected a number");
/// ```
pub fn read_trace(source: impl Read) -> Result<Trace, TraceError> {
    let mut reader = csv::Reader::from_reader(source);
    let names = reader.headers()?.clone();
    let first = names.get(0).unwrap_or_default();
    if first != "time" {
        return Err(TraceError::NoTime { found: first.to_owned() });
    }
    let mut trace = Trace::new(names.iter().skip(1).map(|name| Column::new(name, "1")));
    let mut values = vec![0.0; names.len()];
    for record in reader.records() {
        let record = record?;
        for ((field, name), value) in record.iter().zip(&names).zip(&mut values) {
            *value = field.trim().parse().map_err(|_| TraceError::NotANumber {
                line: record.position().map_or(0, csv::Position::line),
                column: name.to_owned(),
                found: field.to_owned(),
            })?;
        }
        trace.push(values[0], &values[1..]);
    }
    Ok(trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Trace {
        let mut trace = Trace::new([Column::new("x1", "m"), Column::new("f_c", "N")]);
        trace.push(0.0, &[-0.0, f64::MIN_POSITIVE]);
        trace.push(0.1 + 0.2, &[1.0 / 3.0, -6.02214076e23]);
        trace.push(1e-7, &[f64::NAN, f64::NEG_INFINITY]);
        trace
    }

    #[test]
    fn a_file_holds_the_same_bits() {
        let trace = sample();
        let mut file = Vec::new();
        write_trace(&trace, &mut file).expect("written");
        let back = read_trace(file.as_slice()).expect("read");
        let bits = |trace: &Trace| trace.rows().flatten().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&trace), bits(&back));
        assert_eq!(back.columns().iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["time", "x1", "f_c"]);
    }

    #[test]
    fn digits_are_short() {
        let mut file = Vec::new();
        write_trace(&sample(), &mut file).expect("written");
        let text = String::from_utf8(file).expect("text");
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "time,x1,f_c",
                "0,-0,2.2250738585072014e-308",
                "0.30000000000000004,0.3333333333333333,-6.02214076e23",
                "1e-7,NaN,-inf"
            ]
        );
    }

    #[test]
    fn what_is_no_number_is_named_with_its_place() {
        let error = read_trace("time,x1\n0,1\n0.1,oops\n".as_bytes()).expect_err("refused");
        assert_eq!(error.to_string(), "trace: line 3, column `x1` is `oops`, expected a number");
        assert!(read_trace("time,x1\n0\n".as_bytes()).is_err());
        let error = read_trace("x1,time\n0,1\n".as_bytes()).expect_err("refused").to_string();
        assert_eq!(error, "trace: the first column is `x1`, expected `time`");
    }
}
