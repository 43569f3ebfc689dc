//! A *sweep*: a study, its points, and the measures of each run.

use std::path::Path;

use macrostep_import::isolation::interrupt;
use macrostep_system::check::contents;
use macrostep_system::scenario::Value;
use macrostep_system::{Finding, Scenario, toml};
use sha2::{Digest, Sha256};

use crate::expression::Measure;
use crate::gauge::Measures;
use crate::points::{Points, Shard};
use crate::pool;
use crate::refused::Refused;
use crate::runner::{Ending, Runner, Way, way};
use crate::study::{Study, Units};
use crate::table::{Definition, Table};
use crate::vary::{Target, cell, digits};

/// Fewer runs than this are made with new instances: to look whether others have the same bits takes three runs.
const CHECKED_MIN: u64 = 10;

/// The definition of a sweep.
pub struct Sweep<'a> {
    /// What is run.
    pub study: Study<'a>,
    /// At which points.
    pub points: Points,
    /// Which of them.
    pub shard: Shard,
    measures: Measures,
}

/// The result of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Rows that are in the file.
    pub rows: u64,
    /// Rows there are to be.
    pub all: u64,
    /// How simulations were brought back; `None` where no run was left to make.
    pub way: Option<Way>,
    /// Whether somebody asked for an end.
    pub is_interrupted: bool,
}

impl<'a> Sweep<'a> {
    /// A sweep, and the warnings about it. Everything that can be wrong before the first run is looked at.
    ///
    /// # Errors
    /// [`Refused`] for a target, a value or a measure that is none.
    pub fn new(
        (scenario, units): (&Scenario, Units<'a>),
        mut points: Points,
        measures: Vec<Measure>,
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
        // Their variables are recorded, each once.
        let mut variables: Vec<String> =
            measures.iter().flat_map(|m| &m.terms).filter_map(|t| t.variable.clone()).collect();
        variables.sort();
        variables.dedup();
        let (mut study, findings) = Study::new(scenario, units, points.targets(), &variables)?;
        if matches!(points, Points::Table { .. }) {
            study.option = "--table";
        }
        // What can be looked at of values and measures before any run.
        points.fit_to(&study)?;
        if let Some((measure, text)) = measures
            .iter()
            .flat_map(|m| m.terms.iter().filter_map(move |t| Some((m, t.variable.as_ref()?))))
            .find(|(_, v)| study.is_text(v))
        {
            let Measure { name, text: typed, .. } = measure;
            return Err(Refused::Usage(format!("`--measure {name}={typed}`: `{text}` is a text, expected a number")));
        }
        // References have to lie in the run, where its end is not varied.
        let measures = Measures::new(measures, &study).map_err(Refused::Usage)?;
        if !study.targets.contains(&Target::Key(crate::vary::Key::Stop)) {
            let e = &study.scenario().experiment;
            measures.overlap(e.start_s, e.stop_s.unwrap_or(f64::INFINITY)).map_err(Refused::Usage)?;
        }
        Ok((Sweep { study, points, shard, measures }, findings))
    }

    /// The definition of the rows.
    ///
    /// # Errors
    /// [`Refused`] where a file of inputs cannot be read.
    pub fn definition(&self) -> Result<Definition, Refused> {
        // What is varied, in the words it was typed in.
        let s = self.study.scenario();
        let varied = match &self.points {
            Points::Design { varies, .. } => varies.iter().map(ToString::to_string).collect(),
            Points::Table { targets, .. } => targets.iter().map(ToString::to_string).collect(),
        };
        // Units of measurement of what is varied.
        let units = self.study.targets.iter().map(|target| self.study.unit(target)).collect();
        // What tells this sweep from others: FMUs, files of inputs, points and scenario.
        let guids = s.units.iter().zip(self.study.descriptions());
        let mut lines: Vec<String> =
            guids.map(|(unit, d)| format!("GUID `{}` of unit `{}`", d.guid, unit.name)).collect();
        for (name, bytes) in contents(s).map_err(|finding| Refused::Findings(vec![finding]))? {
            lines.push(format!("inputs `{name}` of {:x}", Sha256::digest(bytes)));
        }
        lines.extend(self.points.lines());
        lines.extend(toml::write(s).lines().filter(|line| !line.trim().is_empty()).map(str::to_owned));
        // The definition, as it stands beside the rows.
        Ok(Definition {
            format: 1,
            rows: self.points.rows(),
            shard: [self.shard.index, self.shard.of],
            varied,
            units,
            sampled: matches!(&self.points, Points::Design { design, .. } if *design != crate::Design::Grid),
            measures: self.measures.list.iter().map(|m| format!("{}={}", m.name, m.text)).collect(),
            lines,
        })
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
        let mut table = Table::open(folder, &self.definition()?)?;
        let left = all.saturating_sub(table.rows);
        progress(table.rows, all);
        if left == 0 {
            return Ok(Done { rows: table.rows, all, way: None, is_interrupted: false });
        }
        // How simulations are brought back.
        let chosen = if left < CHECKED_MIN { Way::New } else { self.way()? };
        let workers = workers.clamp(1, left as usize);
        let mut runners: Vec<Runner<'_, 'a>> = (0..workers).map(|_| Runner::new(&self.study, chosen)).collect();
        // The runs.
        let (mut failure, mut is_interrupted) = (None, false);
        let work = |runner: &mut Runner<'_, 'a>, point: &Result<Vec<Value>, String>| match point {
            Ok(values) if !interrupt::asked() => self.row(runner, values),
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
            None => Ok(Done { rows: table.rows, all, way: Some(chosen), is_interrupted }),
        }
    }

    /// One run, and the fields of its row.
    fn row(&self, runner: &mut Runner<'_, 'a>, values: &[Value]) -> (Ending, Vec<String>) {
        let mut gauge = self.measures.gauge();
        let ending = runner.run(values, &mut gauge);
        let measured =
            if ending.is_whole() { gauge.values(runner.do_steps()) } else { vec![f64::NAN; self.measures.list.len()] };
        let undefined: Vec<&str> = self
            .measures
            .list
            .iter()
            .zip(&measured)
            .filter(|(_, x)| !x.is_finite())
            .map(|(m, _)| m.name.as_str())
            .collect();
        let status = match &ending {
            Ending::Done if !undefined.is_empty() => format!("undefined: {}", undefined.join(", ")),
            ending => ending.status(),
        };
        let finite = |x: &f64| if x.is_finite() { digits(*x) } else { String::new() };
        let fields = values.iter().map(cell).chain(measured.iter().map(finite)).chain([status]).collect();
        (ending, fields)
    }

    /// Looks at the first two points.
    fn way(&self) -> Result<Way, Refused> {
        let mut points = self.points.iter(self.shard)?;
        match (points.next(), points.next()) {
            (Some(Ok(first)), Some(Ok(second))) => Ok(way(&self.study, [&first, &second])),
            _ => Ok(Way::New),
        }
    }
}
