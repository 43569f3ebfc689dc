//! Rows in the Parquet format.

#[cfg(not(feature = "parquet"))]
use std::path::Path;

#[cfg(not(feature = "parquet"))]
use crate::failure::Failure;

/// Without the feature there is nothing that could write.
///
/// # Errors
/// Always [`Failure::Usage`].
#[cfg(not(feature = "parquet"))]
pub fn convert(_rows: &Path, _target: &Path) -> Result<(), Failure> {
    let text = "`--parquet`: this program was built without the feature `parquet`: `cargo build --features parquet`";
    Err(Failure::Usage(text.to_owned()))
}

#[cfg(feature = "parquet")]
pub use with_library::convert;

#[cfg(feature = "parquet")]
mod with_library {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use parquet::basic::{LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    use parquet::errors::ParquetError;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::Type;

    use super::super::{Columns, reader};
    use crate::failure::Failure;

    /// Rows in memory at a time.
    const ROWS: usize = 65_536;

    /// Writes the rows of a CSV file to a Parquet file: columns that hold numbers only as DOUBLE, others as text.
    ///
    /// # Errors
    /// [`Failure::File`] and [`Failure::Run`].
    pub fn convert(rows: &Path, target: &Path) -> Result<(), Failure> {
        let refused = |e: &dyn std::fmt::Display| Failure::Run(format!("`{}`: {e}", target.display()));
        let Columns { names, numeric, .. } = Columns::of(rows)?;
        let fields: Result<Vec<_>, ParquetError> = names.iter().zip(&numeric).map(|(n, is)| field(n, *is)).collect();
        let schema = fields.and_then(|fields| Type::group_type_builder("rows").with_fields(fields).build());
        let schema = Arc::new(schema.map_err(|e| refused(&e))?);
        let file = File::create(target).map_err(Failure::file(target))?;
        let properties = Arc::new(WriterProperties::builder().build());
        let mut writer = SerializedFileWriter::new(file, schema, properties).map_err(|e| refused(&e))?;
        let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for record in reader(rows)?.records() {
            let record = record.map_err(|e| refused(&e))?;
            columns.iter_mut().zip(&record).for_each(|(column, text)| column.push(text.to_owned()));
            if columns[0].len() == ROWS {
                group(&mut writer, &mut columns, &numeric).map_err(|e| refused(&e))?;
            }
        }
        group(&mut writer, &mut columns, &numeric).map_err(|e| refused(&e))?;
        writer.close().map_err(|e| refused(&e))?;
        Ok(())
    }

    fn field(name: &str, is_number: bool) -> Result<Arc<Type>, ParquetError> {
        let physical = if is_number { Physical::DOUBLE } else { Physical::BYTE_ARRAY };
        let logical = (!is_number).then_some(LogicalType::String);
        let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
        builder.with_logical_type(logical).build().map(Arc::new)
    }

    fn group(
        writer: &mut SerializedFileWriter<File>,
        columns: &mut [Vec<String>],
        numeric: &[bool],
    ) -> Result<(), ParquetError> {
        if columns.first().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        let mut group = writer.next_row_group()?;
        for (texts, is_number) in columns.iter_mut().zip(numeric) {
            let Some(mut column) = group.next_column()? else { break };
            if *is_number {
                let values: Vec<f64> = texts.iter().map(|text| text.parse().unwrap_or(f64::NAN)).collect();
                column.typed::<DoubleType>().write_batch(&values, None, None)?;
            } else {
                let values: Vec<ByteArray> = texts.iter().map(|text| ByteArray::from(text.as_str())).collect();
                column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
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
            let tens: String = (0..70_000).map(|n| format!("{n},0.30000000000000004,\"{n},\"\n")).collect();
            std::fs::write(&rows, format!("time,x,text\n{tens}")).expect("written");
            convert(&rows, &target).expect("converted");
            let reader = SerializedFileReader::new(File::open(&target).expect("a file")).expect("Parquet");
            assert_eq!(reader.num_row_groups(), 2);
            let mut count = 0;
            for (n, row) in reader.get_row_iter(None).expect("rows").enumerate() {
                let row = row.expect("a row");
                let fields: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
                let expected = [Field::Double(n as f64), Field::Double(0.1 + 0.2), Field::Str(format!("{n},"))];
                assert!(fields.iter().zip(&expected).all(|(a, b)| **a == *b), "{fields:?}");
                count += 1;
            }
            assert_eq!(count, 70_000);
        }
    }
}
