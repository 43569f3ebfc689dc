//! A *sweep*: systems, points, and the measures of each run.

use std::path::Path;
use std::time::Duration;

use macrostep_import::isolation::interrupt;
use macrostep_system::check::contents;
use macrostep_system::scenario::Value;
use macrostep_system::{Finding, toml};
use sha2::{Digest, Sha256};

use crate::expression::Measure;
use crate::points::{Points, Shard};
use crate::pool;
use crate::refused::Refused;
use crate::runner::{Ending, Runner, Way};
use crate::subject::{Subject, System};
use crate::table::{Definition, PointsDigest, RUNS, Table, plain, rows};
use crate::vary::cell;

/// Fewer runs than this are made with new instances: to look whether others have the same bits takes three runs.
const CHECKED_MIN: u64 = 10;

/// The definition of a sweep.
pub struct Sweep<'a> {
    /// What is run: one system, or each value of `system`.
    subjects: Vec<Subject<'a>>,
    /// At which points.
    pub points: Points,
    /// Which of them.
    pub shard: Shard,
}

/// The result of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Rows that are in the file.
    pub rows: u64,
    /// Rows there are to be.
    pub all: u64,
    /// How simulations were brought back, a way for each system; none where no run was left to make.
    pub ways: Vec<Way>,
    /// Whether somebody asked for an end.
    pub is_interrupted: bool,
}

impl<'a> Sweep<'a> {
    /// A sweep of one system, or of those that `system` names, and the warnings about it. Everything that can be wrong before the first
    /// run is looked at.
    ///
    /// # Errors
    /// [`Refused`] for a target, a value or a measure that is none.
    pub fn new(
        systems: &[System<'_, 'a>],
        mut points: Points,
        measures: &[Measure],
        shard: Shard,
    ) -> Result<(Self, Vec<Finding>), Refused> {
        // Measures: at least one, each with a name of its own.
        if measures.is_empty() {
            return Err(Refused::Usage("nothing is measured: name `--measure NAME=EXPRESSION`".to_owned()));
        }
        for (i, measure) in measures.iter().enumerate() {
            if measures[..i].iter().any(|other| other.name == measure.name) {
                return Err(Refused::Usage(format!(
                    "`--measure {}` is there twice: choose another name",
                    measure.name
                )));
            }
        }
        // Every system with them.
        let (mut subjects, mut remarks) = (Vec::new(), Vec::new());
        for system in systems {
            let made = Subject::new(*system, &mut points, measures);
            let (subject, findings) = made.map_err(|refused| refused.of_system(system.name))?;
            subjects.push(subject);
            remarks.extend(findings);
        }
        Ok((Sweep { subjects, points, shard }, remarks))
    }

    /// Sets the longest time of a run; a run that takes longer is ended.
    pub fn limit(&mut self, limit: Option<Duration>) {
        self.subjects.iter_mut().for_each(|subject| subject.study.limit = limit);
    }

    /// Whether only one instance of one of the FMUs may live in a process, and it is this one.
    pub fn is_alone(&self) -> bool {
        self.subjects.iter().any(|subject| subject.study.is_alone())
    }

    /// The definition of the rows.
    ///
    /// # Errors
    /// [`Refused`] where a file of inputs cannot be read.
    pub fn definition(&self) -> Result<Definition, Refused> {
        // What is varied, in the words it was typed in, and its units of measurement.
        let varied = match &self.points {
            Points::Design { varies, .. } => varies.iter().map(ToString::to_string).collect(),
            Points::Table { targets, .. } => targets.iter().map(ToString::to_string).collect(),
        };
        let first = self.subjects.first();
        let units = first.map_or_else(Vec::new, |Subject { study, .. }| {
            study.targets.iter().map(|target| study.unit(target)).collect()
        });
        let measures = first.map_or_else(Vec::new, |subject| {
            subject.measures.list.iter().map(|m| format!("{}={}", m.name, m.text)).collect()
        });
        // What tells this sweep from others: FMUs, files of inputs, points and scenarios.
        let mut lines: Vec<String> = Vec::new();
        for Subject { study, .. } in &self.subjects {
            let s = study.scenario();
            lines.extend((!study.name.is_empty()).then(|| format!("system `{}`", study.name)));
            let guids = s.units.iter().zip(study.descriptions());
            lines.extend(guids.map(|(unit, d)| format!("GUID `{}` of unit `{}`", d.guid, unit.name)));
            for (name, bytes) in contents(s).map_err(|finding| Refused::Findings(vec![finding]))? {
                lines.push(format!("inputs `{name}` of {:x}", Sha256::digest(bytes)));
            }
        }
        lines.extend(self.points.lines());
        for Subject { study, .. } in &self.subjects {
            let text = toml::write(study.scenario());
            lines.extend(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned));
        }
        // The definition, as it stands beside the rows.
        Ok(Definition {
            format: 1,
            rows: self.points.rows(),
            shard: [self.shard.index, self.shard.of],
            varied,
            units,
            sampled: matches!(&self.points, Points::Design { design, .. } if *design != crate::Design::Grid),
            measures,
            lines,
            points: self.points_digest()?,
        })
    }

    /// The digest of the points of this part, as the rows have them.
    fn points_digest(&self) -> Result<String, Refused> {
        let mut digest = PointsDigest::default();
        for point in self.points.iter(self.shard)? {
            let fields: Vec<String> = point.map_err(Refused::Run)?.iter().map(|value| plain(&cell(value))).collect();
            digest.row(fields.iter().map(String::as_bytes));
        }
        Ok(digest.text())
    }

    /// Compares the varied columns of the rows that are there with their points: a file may have been changed by hand, or by another
    /// program.
    ///
    /// # Errors
    /// [`Refused::Run`] with the first row that is another one.
    fn is_continued(&self, folder: &Path, names: &[String], found: u64) -> Result<(), Refused> {
        let path = folder.join(RUNS);
        let wrong = |row: u64, what: String| {
            let shown = path.display();
            let next = format!("take the rows from number {row} on out of the file, or choose another `--out`");
            Err(Refused::Run(format!("`{shown}`, row {row}: {what}; {next}")))
        };
        let all = self.shard.rows(self.points.rows());
        if found > all {
            return wrong(all + 1, format!("{found} rows, expected at most {all}"));
        }
        for (row, (record, point)) in (1..).zip(rows(folder)?.into_records().zip(self.points.iter(self.shard)?)) {
            let record = record.map_err(|e| Refused::Run(format!("`{}`: {e}", path.display())))?;
            let point = point.map_err(Refused::Run)?;
            for ((name, field), value) in names.iter().zip(&record).zip(&point) {
                let expected = plain(&cell(value));
                if field != expected {
                    return wrong(row, format!("`{name}` is {field}, expected {expected}"));
                }
            }
        }
        Ok(())
    }

    /// Makes all runs that are not yet in the folder. `progress` hears how many rows there are, and of how many.
    ///
    /// # Errors
    /// [`Refused`] where rows cannot be written, the folder holds another sweep, or an FMU cannot be used any more.
    pub fn run(
        &self,
        folder: &Path,
        workers: usize,
        progress: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<Done, Refused> {
        // What is there already is not run again.
        let all = self.shard.rows(self.points.rows());
        let definition = self.definition()?;
        let mut table = Table::open(folder, &definition)?;
        self.is_continued(folder, &definition.head(), table.rows)?;
        let left = all.saturating_sub(table.rows);
        progress(table.rows, all);
        if left == 0 {
            return Ok(Done { rows: table.rows, all, ways: Vec::new(), is_interrupted: false });
        }
        // How simulations of each system are brought back. An FMU of one instance cannot be kept while another system has it.
        let mut ways = vec![Way::New; self.subjects.len()];
        let is_alone = self.is_alone() && ways.len() > 1;
        if left >= CHECKED_MIN && !is_alone {
            for (way, subject) in ways.iter_mut().zip(&self.subjects) {
                *way = subject.way(self.points.iter(self.shard)?);
            }
        }
        // Every worker has simulations of its own.
        let workers = workers.clamp(1, left as usize);
        let own = || {
            self.subjects.iter().zip(&ways).map(|(s, way)| Runner::new(&s.study, *way).looking_at_doubts()).collect()
        };
        let mut runners: Vec<Vec<Runner<'_, 'a>>> = (0..workers).map(|_| own()).collect();
        // The runs, each of the system that its point names.
        let (mut failure, mut is_interrupted) = (None, false);
        let work = |runners: &mut Vec<Runner<'_, 'a>>, point: &Result<Vec<Value>, String>| match point {
            Ok(values) if !interrupt::asked() => {
                let named = self.subjects.iter().zip(runners).find(|(subject, _)| subject.study.has(values));
                let none = || (Ending::Fatal("no system of this name".to_owned()), Vec::new());
                named.map_or_else(none, |(subject, runner)| subject.row(runner, values))
            }
            Ok(_) => (Ending::Interrupted, Vec::new()),
            Err(why) => (Ending::Fatal(why.clone()), Vec::new()),
        };
        // Rows are written in the order of the points, whichever run ends first.
        let points = self.points.iter(self.shard)?.skip(table.rows as usize);
        pool::each(&mut runners, points, work, |point, (ending, fields)| {
            // What was interrupted leaves no row, so that it is run again.
            if ending == Ending::Interrupted || point.is_err() {
                failure = point.err().map(Refused::Run);
                is_interrupted = failure.is_none();
                return false;
            }
            failure = table.write(&fields).err();
            progress(table.rows, all);
            // A slave that cannot be used any more ends the sweep behind its row.
            if let Ending::Fatal(why) = ending {
                let row = table.rows;
                failure = Some(Refused::Run(format!(
                    "row {row}: {why}; the sweep cannot go on in this process: `--isolate` continues it"
                )));
            }
            failure.is_none()
        });
        match failure {
            Some(failure) => Err(failure),
            None => Ok(Done { rows: table.rows, all, ways, is_interrupted }),
        }
    }
}
