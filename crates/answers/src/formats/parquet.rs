//! Rows in the Parquet format.

#[cfg(not(feature = "parquet"))]
use std::path::Path;

#[cfg(not(feature = "parquet"))]
use crate::failure::Failure;

/// What is known of a column by its name: its unit of measurement, and whether an empty field is a number that is missing.
pub type Known<'a> = (&'a dyn Fn(&str) -> Option<String>, &'a dyn Fn(&str) -> bool);

/// Without the feature there is nothing that could write.
///
/// # Errors
/// Always [`Failure::Usage`].
#[cfg(not(feature = "parquet"))]
pub fn convert(_rows: &Path, _target: &Path, _known: Known<'_>) -> Result<(), Failure> {
    is_there()
}

/// The error before a run if this program cannot write Parquet.
///
/// # Errors
/// [`Failure::Usage`] without the feature.
#[cfg(not(feature = "parquet"))]
pub fn is_there() -> Result<(), Failure> {
    let next = "`cargo install --locked --path . --features parquet` makes one that has it";
    Err(Failure::Usage(format!("`--parquet`: this program was built without the feature `parquet`; {next}")))
}

#[cfg(feature = "parquet")]
pub use with_library::{convert, is_there};

#[cfg(feature = "parquet")]
mod with_library {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use parquet::basic::{LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    use parquet::errors::ParquetError;
    use parquet::file::metadata::KeyValue;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::Type;

    use super::super::{Columns, reader};
    use super::Known;
    use crate::failure::Failure;

    /// Rows in memory at a time.
    const ROWS: usize = 65_536;

    /// What a column holds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Held {
        Numbers,
        /// Numbers, and nothing where a field is empty.
        Gaps,
        Texts,
    }

    /// This program can write Parquet.
    ///
    /// # Errors
    /// None here.
    pub fn is_there() -> Result<(), Failure> {
        Ok(())
    }

    /// Writes the rows of a CSV file to a Parquet file: columns that hold numbers only as DOUBLE, others as text. Units of
    /// measurement are in the metadata of the file, a JSON object by the key `units`.
    ///
    /// # Errors
    /// [`Failure::File`] and [`Failure::Run`].
    pub fn convert(rows: &Path, target: &Path, (unit, has_gaps): Known<'_>) -> Result<(), Failure> {
        let refused = |e: &dyn std::fmt::Display| Failure::Run(format!("`{}`: {e}", target.display()));
        // The columns, whether they hold numbers, and whether some rows leave them empty.
        let Columns { names, numeric, .. } = Columns::of(rows)?;
        let held: Vec<Held> =
            names.iter().zip(&numeric).map(|(name, is_number)| held(has_gaps(name), *is_number)).collect();
        // The schema that follows from that.
        let fields: Result<Vec<_>, ParquetError> = names.iter().zip(&held).map(|(n, held)| field(n, *held)).collect();
        let schema = fields.and_then(|fields| Type::group_type_builder("rows").with_fields(fields).build());
        let schema = Arc::new(schema.map_err(|e| refused(&e))?);
        // Units of measurement, in the metadata of the file.
        let file = File::create(target).map_err(Failure::file(target))?;
        let units: serde_json::Map<String, serde_json::Value> = names
            .iter()
            .filter_map(|name| Some((name.clone(), unit(name).filter(|u| !u.is_empty())?.into())))
            .collect();
        let units = KeyValue::new("units".to_owned(), serde_json::Value::Object(units).to_string());
        let properties = Arc::new(WriterProperties::builder().set_key_value_metadata(Some(vec![units])).build());
        let mut writer = SerializedFileWriter::new(file, schema, properties).map_err(|e| refused(&e))?;
        // Rows are gathered by column and written in groups, so that a long file needs little memory.
        let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for record in reader(rows)?.records() {
            let record = record.map_err(|e| refused(&e))?;
            columns.iter_mut().zip(&record).for_each(|(column, text)| column.push(text.to_owned()));
            if columns[0].len() == ROWS {
                group(&mut writer, &mut columns, &held).map_err(|e| refused(&e))?;
            }
        }
        // What is left, and the footer.
        group(&mut writer, &mut columns, &held).map_err(|e| refused(&e))?;
        writer.close().map_err(|e| refused(&e))?;
        Ok(())
    }

    fn held(has_gaps: bool, is_number: bool) -> Held {
        match (has_gaps, is_number) {
            (true, _) => Held::Gaps,
            (false, true) => Held::Numbers,
            (false, false) => Held::Texts,
        }
    }

    fn field(name: &str, held: Held) -> Result<Arc<Type>, ParquetError> {
        let physical = if held == Held::Texts { Physical::BYTE_ARRAY } else { Physical::DOUBLE };
        let logical = (held == Held::Texts).then_some(LogicalType::String);
        let repetition = if held == Held::Gaps { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        builder.with_logical_type(logical).build().map(Arc::new)
    }

    fn group(
        writer: &mut SerializedFileWriter<File>,
        columns: &mut [Vec<String>],
        held: &[Held],
    ) -> Result<(), ParquetError> {
        if columns.first().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        let mut group = writer.next_row_group()?;
        for (texts, held) in columns.iter_mut().zip(held) {
            let Some(mut column) = group.next_column()? else { break };
            let number = |text: &String| text.parse::<f64>().unwrap_or(f64::NAN);
            match held {
                Held::Numbers => {
                    let values: Vec<f64> = texts.iter().map(number).collect();
                    column.typed::<DoubleType>().write_batch(&values, None, None)?;
                }
                Held::Gaps => {
                    // A level of 1 says that there is a value.
                    let levels: Vec<i16> = texts.iter().map(|text| i16::from(!text.is_empty())).collect();
                    let values: Vec<f64> = texts.iter().filter(|text| !text.is_empty()).map(number).collect();
                    column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
                }
                Held::Texts => {
                    let values: Vec<ByteArray> = texts.iter().map(|text| ByteArray::from(text.as_str())).collect();
                    column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                }
            }
            column.close()?;
            texts.clear();
        }
        group.close()?;
        Ok(())
    }

    #[cfg(test)]
    mod tests {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        use parquet::record::Field;

        use super::*;

        #[test]
        fn a_file_holds_the_same_bits() {
            let folder = tempfile::tempdir().expect("a folder");
            let [rows, target] = ["rows.csv", "rows.parquet"].map(|name| folder.path().join(name));
            let gap = |n: u32| if n.is_multiple_of(3) { String::new() } else { n.to_string() };
            let tens: String = (0..70_000).map(|n| format!("{n},0.30000000000000004,\"{n},\",{}\n", gap(n))).collect();
            std::fs::write(&rows, format!("time,x,text,top\n{tens}")).expect("written");
            let unit = |name: &str| (name == "x").then(|| "m/s".to_owned());
            convert(&rows, &target, (&unit, &|name| name == "top")).expect("converted");
            let reader = SerializedFileReader::new(File::open(&target).expect("a file")).expect("Parquet");
            assert_eq!(reader.num_row_groups(), 2);
            let kept = reader.metadata().file_metadata().key_value_metadata().expect("metadata");
            assert!(kept.iter().any(|one| one.key == "units" && one.value.as_deref() == Some("{\"x\":\"m/s\"}")));
            let mut count = 0;
            for (n, row) in reader.get_row_iter(None).expect("rows").enumerate() {
                let row = row.expect("a row");
                let fields: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
                let top = if n.is_multiple_of(3) { Field::Null } else { Field::Double(n as f64) };
                let expected = [Field::Double(n as f64), Field::Double(0.1 + 0.2), Field::Str(format!("{n},")), top];
                assert!(fields.len() == 4 && fields.iter().zip(&expected).all(|(a, b)| **a == *b), "{fields:?}");
                count += 1;
            }
            assert_eq!(count, 70_000);
        }
    }
}
