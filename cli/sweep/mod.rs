//! `macrostep sweep`: many runs of one system, with a row for each.

use crate::factory::CARRIED;
pub mod arguments;
mod columnar;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::files::write_text;
use macrostep_answers::formats::parquet;
use macrostep_answers::print;
use macrostep_answers::system::arguments::SystemArguments;
use macrostep_answers::system::{Opened, findings_failure, tell};
use macrostep_import::isolation::interrupt;
use macrostep_plot::Table;
use macrostep_sweep::{
    Definition, Design, Done, Indices, Measure, Points, RUNS, Refused, SWEEP, Spread, Summary, Sweep, System, Way,
    draw, merge,
};
use macrostep_system::Scenario;
use macrostep_system::scenario::Source;
use serde_json::{Value, json};

use arguments::{DesignWord, NO_SYSTEM, SweepArguments};
use columnar::Columnar;

/// Makes the runs, or joins parts, and prints the result.
///
/// # Errors
/// [`Failure`] for bad input before the first run, and where files cannot be written. Runs that fail are rows.
pub fn run(arguments: &SweepArguments) -> Result<(), Failure> {
    // What this program cannot do is said before the first run.
    if arguments.parquet.is_some() {
        parquet::is_there()?;
    }
    // A slave may change the working folder; files are where the user has named them.
    let here = std::env::current_dir().map_err(Failure::file(Path::new(".")))?;
    let folder = here.join(&arguments.out);
    // Parts that were run elsewhere are put together without a run.
    if !arguments.merge.is_empty() {
        apart(arguments, &[], &here)?;
        let definition = merge(&arguments.merge, &folder).map_err(refused)?;
        return report((arguments, &folder), &definition, None);
    }
    // The points, the systems, and what of them fits each other.
    let has_points = !arguments.vary.is_empty() || arguments.table.is_some();
    if !has_points && arguments.system.system == Path::new(NO_SYSTEM) {
        return Err(no_system());
    }
    let points = points(arguments)?;
    let opened = opened(arguments, &points)?;
    let scenarios: Vec<&Scenario> = opened.iter().map(|(_, one)| &one.document.scenario).collect();
    apart(arguments, &opened, &here)?;
    let systems: Vec<System<'_, '_>> =
        opened.iter().map(|(name, one)| System { name, scenario: &one.document.scenario, units: one }).collect();
    let made = Sweep::new(&systems, points, &arguments.measure, arguments.shard);
    let (mut sweep, findings) = made.map_err(refused)?;
    tell(&findings);
    // How long a run may take, and how many there are at a time.
    sweep.limit(arguments.run_limit.map(Duration::from_secs_f64));
    let workers = workers(arguments.workers, (&scenarios, &arguments.system), sweep.is_alone())?;
    // The runs, whose rows reach a Parquet file from time to time.
    interrupt::note();
    let definition = sweep.definition().map_err(refused)?;
    let mut columnar = arguments.parquet.as_ref().map(|target| Columnar::new(&folder, target, definition.clone()));
    let began = Instant::now();
    let (bar, mut lines) = (bar(), print::ProgressLines::default());
    let done = sweep.run(&folder, workers, &mut |rows, all| {
        bar.set_length(all);
        bar.set_position(rows);
        lines.tell(rows, all);
        if let Some(columnar) = &mut columnar {
            columnar.look(Instant::now());
        }
    });
    bar.finish_and_clear();
    let done = done.map_err(refused)?;
    let wall_s = began.elapsed().as_secs_f64();
    // An interrupted sweep has its rows on disk, and the command begins where they end.
    if done.is_interrupted {
        columnar.map_or(Ok(()), |columnar| columnar.write())?;
        let (rows, all) = (done.rows, done.all);
        let out = arguments.out.join(RUNS);
        return Err(Failure::Run(format!(
            "interrupted after {rows} of {all} rows, which are in `{}`; the same command continues",
            out.display()
        )));
    }
    report((arguments, &folder), &definition, Some((&done, workers, wall_s)))
}

/// The systems of the sweep, each with the name it has among the values of `system`: SYSTEM without a name, or those that `system`
/// names.
///
/// # Errors
/// [`Failure::Usage`] for none, or for both; [`Failure`] where one cannot be read.
fn opened(a: &SweepArguments, points: &Points) -> Result<Vec<(String, Opened)>, Failure> {
    let names = points.systems().map_err(refused)?;
    match (names.is_empty(), a.system.system == Path::new(NO_SYSTEM)) {
        (true, true) => Err(no_system()),
        (true, false) => Ok(vec![(String::new(), Opened::new(&CARRIED, &a.system)?)]),
        (false, false) => {
            let typed = a.system.system.display();
            Err(Failure::Usage(format!(
                "SYSTEM `{typed}` is there beside `system`, which names those that run: leave it out"
            )))
        }
        (false, true) => names
            .into_iter()
            .map(|name| {
                let own = SystemArguments { system: PathBuf::from(&name), ..a.system.clone() };
                Ok((name, Opened::new(&CARRIED, &own)?))
            })
            .collect(),
    }
}

/// Said where there is nothing to run.
fn no_system() -> Failure {
    Failure::Usage("no SYSTEM: name a scenario, or folders to `--merge`".to_owned())
}

/// What is written is not what is read; nothing is open where parts are put together.
fn apart(a: &SweepArguments, opened: &[(String, Opened)], here: &Path) -> Result<(), Failure> {
    let mut files = Files::default();
    let folder = here.join(&a.out);
    if opened.is_empty() {
        // What is put together may lie in the folder it goes to.
        let parts = a.merge.iter().map(PathBuf::as_path).chain([folder.as_path()]);
        parts.for_each(|part| [RUNS, SWEEP].iter().for_each(|name| files.reads("--merge", &part.join(name))));
        files.writes_in(Some(&folder), &["result.json"]);
    } else {
        for (name, one) in opened {
            let path = if name.is_empty() { a.system.system.as_path() } else { Path::new(name) };
            files.reads_system(path, &one.document.scenario, here);
        }
        files.reads_option("--table", a.table.as_deref());
        let references = a.measure.iter().flat_map(Measure::references);
        references.for_each(|path| files.reads("--measure", path));
        files.writes_in(Some(&folder), &[RUNS, SWEEP, "result.json"]);
    }
    files.writes_option("--parquet", a.parquet.as_deref());
    files.are_apart()
}

/// The points that the options say.
fn points(a: &SweepArguments) -> Result<Points, Failure> {
    if let Some(path) = &a.table {
        return Points::table(path).map_err(refused);
    }
    let samples = || a.samples.ok_or_else(|| Failure::Usage("a sampled `--design` needs `--samples N`".to_owned()));
    let seed = a.seed;
    let design = match a.design {
        DesignWord::Grid if a.samples.is_some() => {
            return Err(Failure::conflict("--samples", "--design grid", "a grid has as many points as its ranges say"));
        }
        DesignWord::Grid => Design::Grid,
        DesignWord::Sobol => Design::Sobol { samples: samples()?, seed },
        DesignWord::Lhs => Design::Lhs { samples: samples()?, seed },
    };
    Points::design(a.vary.clone(), design).map_err(refused)
}

/// How many runs are made at the same time. What FMUs of others share in one process is not known.
///
/// # Errors
/// [`Failure::Usage`] for none, or for more where an FMU allows one instance only.
pub fn workers(
    typed: Option<usize>,
    (scenarios, a): (&[&Scenario], &SystemArguments),
    is_alone: bool,
) -> Result<usize, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let is_own = scenarios.iter().flat_map(|s| &s.units).all(|unit| matches!(unit.source, Source::Embedded(_)));
    match typed {
        Some(0) => Err(Failure::Usage("`--workers 0`: expected at least 1".to_owned())),
        Some(n @ 2..) if is_alone => Err(Failure::Usage(format!(
            "`--workers {n}`: an FMU may be instantiated once in a process; add `--isolate`"
        ))),
        Some(n) => Ok(n),
        None if is_own || a.slaves.isolate => Ok(cores),
        None => {
            if cores > 1 {
                macrostep_answers::print::remark!(
                    "note: FMUs from files run in this process, one run at a time; `--isolate` or `--workers {cores}` uses {cores} cores"
                );
            }
            Ok(1)
        }
    }
}

/// A bar with the time that is left.
pub fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} runs  {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Result, pictures and table of a finished sweep.
fn report(
    (a, folder): (&SweepArguments, &Path),
    definition: &Definition,
    run: Option<(&Done, usize, f64)>,
) -> Result<(), Failure> {
    // Measures of all rows, and the pictures with their sensitivity indices.
    let summary = Summary::read(folder, definition).map_err(refused)?;
    let indices = draw(folder, definition, !a.no_pictures).map_err(refused)?;
    // All rows as Parquet.
    if let Some(target) = &a.parquet {
        Columnar::new(folder, target, definition.clone()).write()?;
    }
    // The result depends on rows alone, so that a sweep that was interrupted or put together has the same.
    let mut result = json!({
        "rows": summary.rows,
        "ok": summary.ok,
        "statuses": summary.statuses,
        "varied": definition.varied,
        "measures": summary.measures,
        "indices": indices,
        "shard": definition.shard,
    });
    if let Value::Object(map) = &mut result {
        map.insert("runs".to_owned(), json!(a.out.join(RUNS)));
    }
    let text = serde_json::to_string_pretty(&result)?;
    write_text(&folder.join("result.json"), &text)?;
    // What differs from time to time is printed, not written.
    if let (Value::Object(map), Some((done, workers, wall_s))) = (&mut result, run) {
        map.insert("workers".to_owned(), json!(workers));
        let way = (!done.ways.is_empty()).then(|| ways(&done.ways));
        map.insert("brought_back_by".to_owned(), json!(way));
        map.insert("wall_s".to_owned(), json!(wall_s));
    }
    if a.json {
        return print::line(serde_json::to_string_pretty(&result)?);
    }
    // Else words: how runs ended, and how long they took.
    let words: Vec<String> = summary.statuses.iter().map(|(word, n)| format!("{n} {word}")).collect();
    let mut text = format!("{}: {}\n", print::counted(summary.rows, "run"), words.join(", "));
    if let Some((done, workers, wall_s)) = run
        && !done.ways.is_empty()
    {
        let (workers, way) = (print::counted(workers as u64, "worker"), ways(&done.ways));
        text += &format!("{wall_s:.2} s with {workers}, brought back by {way}\n");
    }
    // Spreads of the measures, shares of the parameters, and where the rows are.
    text += &spreads(&summary.measures).terminal();
    text += &shares(&indices);
    text += &format!("\n{}", a.out.join(RUNS).display());
    print::line(text)
}

/// How simulations are brought back, each way once.
fn ways(of_systems: &[Way]) -> String {
    let mut known: Vec<String> = Vec::new();
    for way in of_systems.iter().map(Way::to_string) {
        if !known.contains(&way) {
            known.push(way);
        }
    }
    known.join(", ")
}

/// The spread of each measure.
fn spreads(measures: &[Spread]) -> Table {
    let mut table = Table::new("measure | > runs | > min | > mean | > max | at the smallest | at the largest");
    let short = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:.6e}"));
    for m in measures {
        // Six digits of numbers; all are in `runs.csv`.
        let brief = |text: &String| {
            let x = text.parse::<f64>().ok().and_then(|x| format!("{x:.5e}").parse::<f64>().ok());
            x.map_or_else(|| text.clone(), |x| x.to_string())
        };
        let ends = [&m.at_min, &m.at_max].map(|point| point.iter().map(brief).collect::<Vec<_>>().join(" "));
        let numbers = [m.count.to_string(), short(m.min), short(m.mean), short(m.max)];
        let cells: Vec<String> = [m.name.clone()].into_iter().chain(numbers).chain(ends).collect();
        table.row(cells);
    }
    table
}

/// Sobol indices, a line a measure and name.
fn shares(found: &[Indices]) -> String {
    let mut table = Table::new("measure | varied | > first order | > ± 95 % | > total | > ± 95 % | > explained");
    let percent = |x: f64| format!("{:.1} %", 100.0 * x);
    for i in found {
        for index in &i.names {
            let shares = [index.first, index.first_confidence, index.total, index.total_confidence, i.explained];
            table.row([i.measure.clone(), index.name.clone()].into_iter().chain(shares.map(percent)));
        }
    }
    if found.is_empty() { String::new() } else { format!("\n{}", table.terminal()) }
}

/// A refusal as the error of a verb.
pub fn refused(refused: Refused) -> Failure {
    match refused {
        Refused::Usage(text) => Failure::Usage(text),
        Refused::Findings(findings) => findings_failure(&findings),
        Refused::Run(text) => Failure::Run(text),
        Refused::File { path, source } => Failure::File { path, source },
        Refused::Plot(error) => Failure::Plot(error),
    }
}
