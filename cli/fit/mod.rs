//! `macrostep fit`: parameters of a system from measured data.

use std::path::{Path, PathBuf};

use clap::Args;
use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::files::write_text;
use macrostep_answers::print;
use macrostep_answers::system::arguments::SystemArguments;
use macrostep_answers::system::{Opened, tell};
use macrostep_import::isolation::interrupt;
use macrostep_plot::Table;
use macrostep_sweep::Samples;
use macrostep_sweep::fit::{Fit, Free, Request, fit};
use serde_json::json;

use crate::factory::CARRIED;
use crate::sweep::{refused, workers};

/// `macrostep fit`.
#[derive(Debug, Args)]
pub struct FitArguments {
    #[command(flatten)]
    pub system: SystemArguments,
    /// Measured data: CSV with `time`, or `time [ms]`, and columns `UNIT.VARIABLE` or `UNIT.VARIABLE [mm]`; an empty field is a gap;
    /// `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// A parameter to be found, and its range; may be repeated
    #[arg(long, value_name = "UNIT.VARIABLE=LOW:HIGH", required = true)]
    pub free: Vec<Free>,
    /// Weight 1/σ of the residuals of a variable; may be repeated [default: the noise is estimated]
    #[arg(long, value_name = "UNIT.VARIABLE=W")]
    pub weights: Vec<String>,
    /// Added to the times of the data in seconds
    #[arg(long, value_name = "S", default_value = "0", allow_negative_numbers = true)]
    pub time_offset: f64,
    /// Number of points from which a minimum is searched
    #[arg(long, value_name = "N", default_value = "4")]
    pub starts: usize,
    /// Seed of the random points that these are chosen from
    #[arg(long, value_name = "SEED", default_value = "0")]
    pub seed: u64,
    /// Runs at the same time [default: as many as there are cores; 1 where FMUs from files run in this process]
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Folder for fit.json and the picture; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
    /// Do not draw the picture [default: it is drawn]
    #[arg(long)]
    pub no_pictures: bool,
}

/// Fits the parameters and prints the result.
///
/// # Errors
/// [`Failure`] for bad input before the first run, and where runs that are needed fail.
pub fn run(arguments: &FitArguments) -> Result<(), Failure> {
    // The folder is where the user has named it, even where a slave changes the working folder.
    let here = std::env::current_dir().map_err(Failure::file(Path::new(".")))?;
    let opened = Opened::new(&CARRIED, &arguments.system)?;
    let scenario = &opened.document.scenario;
    // Options and data are checked before the first run, and what is written is not what is read.
    if !arguments.time_offset.is_finite() {
        return Err(Failure::Usage(format!("`--time-offset {}`: expected a finite number", arguments.time_offset)));
    }
    let is_input = arguments.data == Path::new("-");
    let samples = if is_input { Samples::standard_input() } else { Samples::read(&arguments.data) };
    let samples = samples.map_err(Failure::Run)?;
    let mut files = Files::default();
    files.reads_system(&arguments.system.system, scenario, &here);
    files.reads_option("--data", Some(here.join(&arguments.data)).as_deref().filter(|_| !is_input));
    files.writes_in(arguments.out.as_deref(), &["fit.json"]);
    files.are_apart()?;
    // What is asked of the fit.
    let request = Request {
        free: arguments.free.clone(),
        weights: weights(&arguments.weights)?,
        offset_s: arguments.time_offset,
        starts: arguments.starts,
        seed: arguments.seed,
        workers: workers(arguments.workers, (&[scenario], &arguments.system), false)?,
    };
    // The fit; an interrupt ends it at the next communication point.
    interrupt::note();
    let (found, findings) = fit((scenario, &opened), &samples, &request).map_err(refused)?;
    tell(&findings);
    // The result, for a file and for the terminal.
    let text = serde_json::to_string_pretty(&json!(found))?;
    if let Some(folder) = &arguments.out {
        let folder = here.join(folder);
        write_text(&folder.join("fit.json"), &text)?;
        if !arguments.no_pictures {
            found.draw(&folder).map_err(refused)?;
        }
    }
    // And what is printed.
    print::line(if arguments.json { text } else { report(&found) })
}

/// `UNIT.VARIABLE=W`, W positive.
fn weights(typed: &[String]) -> Result<Vec<(String, f64)>, Failure> {
    let weight = |text: &String| {
        let (name, w) = text.split_once('=')?;
        let w = w.trim().parse::<f64>().ok().filter(|w| w.is_finite() && *w > 0.0)?;
        Some((name.trim().to_owned(), w))
    };
    let wrong =
        |text: &String| Failure::Usage(format!("`--weights {text}`: expected UNIT.VARIABLE=W with a positive W"));
    typed.iter().map(|text| weight(text).ok_or_else(|| wrong(text))).collect()
}

/// The parameters and what the data say about them.
fn report(found: &Fit) -> String {
    // A row for each parameter, with what the data and the coupling leave uncertain.
    // A dash where a value is not known.
    let mut table = Table::new("parameter | > value | > ± 95 % | > σ | > error of the coupling | unit");
    let short = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2e}"));
    for p in &found.parameters {
        let value = format!("{:.8}", p.value);
        let cells =
            [p.name.clone(), value, short(p.confidence), short(p.sigma), short(p.coupling_error), p.unit.clone()];
        table.row(cells);
    }
    // How far the run stays from the data, a line for each signal.
    let mut text = table.terminal() + "\n";
    for s in &found.signals {
        text += &format!(
            "{}: rms of run less data {:.3e} over {}\n",
            s.variable,
            s.rms,
            print::counted(s.values as u64, "value")
        );
    }
    // The table's column is not a part of the values.
    if found.parameters.iter().any(|p| p.coupling_error.is_some_and(|e| e != 0.0)) {
        text += "the error of the coupling has been taken out of the values\n";
    }
    // What the data cannot tell.
    for words in &found.identifiability {
        text += &format!("{words}\n");
    }
    // How sure the minimum is.
    let [starts, reached] = found.starts;
    let order = found.coupling_order.map_or_else(String::new, |p| format!("; observed order of the coupling {p:.2}"));
    text + &format!("{}; {reached} of {starts} starts reached this minimum{order}", print::counted(found.runs, "run"))
}
