//! The rows of a sweep as Parquet, while the sweep goes on.
//!
//! A Parquet file has its index at its end, so rows cannot be appended. From time to time the whole file is made anew from `runs.csv`
//! under another name, and then replaces the old one. So the file is complete whenever the program ends.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use macrostep_answers::failure::Failure;
use macrostep_answers::formats::parquet;
use macrostep_sweep::{Definition, RUNS};

/// Time between the end of a file and the beginning of the next one.
const PAUSE: Duration = Duration::from_secs(10);

/// That pause is at least so many times as long as the last file took, so that it costs at most a twentieth of the time.
const SHARE: u32 = 20;

/// The file, and when it is due.
pub struct Columnar {
    rows: PathBuf,
    target: PathBuf,
    definition: Definition,
    due: Instant,
}

impl Columnar {
    /// For the rows in a folder.
    pub fn new(folder: &Path, target: &Path, definition: Definition) -> Self {
        Columnar { rows: folder.join(RUNS), target: target.to_owned(), definition, due: Instant::now() + PAUSE }
    }

    /// Writes the rows so far, if the file is due. An error is ignored here: the write after the last row reports it.
    pub fn look(&mut self, now: Instant) {
        if now >= self.due {
            let _ = self.write();
            let done = Instant::now();
            self.due = done + PAUSE.max(SHARE * (done - now));
        }
    }

    /// Writes the rows so far.
    ///
    /// # Errors
    /// [`Failure`] where the file cannot be written.
    pub fn write(&self) -> Result<(), Failure> {
        // Only measures have gaps: a run that failed has none.
        let (head, varied) = (self.definition.head(), self.definition.varied.len());
        let place = |name: &str| head.iter().position(|known| known == name);
        let unit = |name: &str| self.definition.units.get(place(name)?).cloned();
        let is_measure = |name: &str| place(name).is_some_and(|i| i >= varied && i + 1 < head.len());
        // Under another name first.
        let mut part = self.target.clone().into_os_string();
        part.push(".part");
        parquet::convert(&self.rows, Path::new(&part), (&unit, &is_measure))?;
        std::fs::rename(&part, &self.target).map_err(Failure::file(&self.target))
    }
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;

    use super::*;

    /// A file that is due has all rows until then and is whole; the next one is due after a pause only.
    #[test]
    fn a_file_is_whole_before_the_last_row() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("x.parquet");
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let definition = Definition {
            format: 1,
            rows: 3,
            shard: [1, 1],
            varied: texts(&["left.k=1,2,3"]),
            units: texts(&["N/m"]),
            sampled: false,
            measures: texts(&["x=last(left.x)"]),
            lines: Vec::new(),
            points: String::new(),
        };
        let mut rows = "left.k,x,status\n1,0.5,ok\n2,,diverged: far\n".to_owned();
        std::fs::write(folder.path().join(RUNS), &rows).expect("written");
        let mut file = Columnar::new(folder.path(), &target, definition);
        let count = || {
            let opened = std::fs::File::open(&target).ok()?;
            Some(SerializedFileReader::new(opened).expect("whole").metadata().file_metadata().num_rows())
        };
        file.look(Instant::now());
        assert_eq!(count(), None);
        let due = file.due;
        file.look(due);
        assert_eq!(count(), Some(2));
        // Another row.
        rows.push_str("3,0.75,ok\n");
        std::fs::write(folder.path().join(RUNS), &rows).expect("written");
        file.look(due);
        assert_eq!(count(), Some(2));
        file.look(file.due);
        assert_eq!(count(), Some(3));
        // A measure that has no value is null, and what is varied keeps its unit.
        let opened = SerializedFileReader::new(std::fs::File::open(&target).expect("a file")).expect("whole");
        let second = opened.get_row_iter(None).expect("rows").nth(1).expect("a row").expect("read");
        assert_eq!(second.get_column_iter().nth(1).map(|(_, field)| field.clone()), Some(Field::Null));
        let units = opened.metadata().file_metadata().key_value_metadata().expect("metadata");
        assert!(units.iter().any(|one| one.value.as_deref() == Some("{\"left.k\":\"N/m\"}")), "{units:?}");
        assert!(!folder.path().join("x.parquet.part").exists());
    }
}
