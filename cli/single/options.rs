//! Options of `macrostep simulate`, and the times that follow from them.

use std::path::PathBuf;

use clap::Args;
use macrostep_answers::checkpoint::CheckpointArguments;
use macrostep_answers::failure::Failure;
use macrostep_answers::formats::FormatArguments;
use macrostep_answers::numbers::STEPS_MAX;
use macrostep_answers::slaves::SlaveArguments;
use macrostep_description::shown;
use macrostep_import::fmu::{Face, Fmu};

/// `macrostep simulate`. The names fmusim uses are accepted too.
#[derive(Debug, Args)]
pub struct SimulateArguments {
    /// The FMU: a file, a folder it was unpacked into, or `embedded:NAME` for one of this program's
    #[arg(value_name = "FMU")]
    pub fmu: PathBuf,
    /// Another start value; may be repeated [default: none]
    #[arg(long, value_name = "NAME=VALUE")]
    pub start: Vec<String>,
    /// The same as `--start`, as two words [default: none]
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], action = clap::ArgAction::Append, allow_hyphen_values = true)]
    pub start_value: Vec<String>,
    /// Values of inputs: a CSV file, first column `time` in s; reals are interpolated, others held [default: none]
    #[arg(long, alias = "input-file", value_name = "CSV")]
    pub input: Option<PathBuf>,
    /// Communication step H in s [default: that of the FMU, or a 500th of the run]
    #[arg(long, alias = "output-interval", alias = "step-size", value_name = "H", allow_hyphen_values = true)]
    pub step: Option<f64>,
    /// Start time in s [default: that of the FMU, or 0]
    #[arg(long, value_name = "T0", allow_hyphen_values = true)]
    pub start_time: Option<f64>,
    /// Stop time in s [default: that of the FMU, or 1 s after the start]
    #[arg(long, alias = "stop-time", value_name = "T", allow_hyphen_values = true)]
    pub stop: Option<f64>,
    /// Relative tolerance for the FMU's own solver [default: that of the FMU, or none]
    #[arg(long, alias = "relative-tolerance", value_name = "TOLERANCE", allow_hyphen_values = true)]
    pub solver_tolerance: Option<f64>,
    /// How the FMU is driven: `co-simulation`, by its own steps, or `model-exchange`, by its equations, which are integrated here
    /// [default: co-simulation, where the FMU offers it]
    #[arg(long, alias = "interface-type", value_name = "FACE", value_parser = face)]
    pub face: Option<Face>,
    /// Record this variable instead of all outputs; may be repeated [default: all outputs]
    #[arg(long, value_name = "NAME")]
    pub output_variable: Vec<String>,
    /// Folder for result.csv and result.json; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// File for the rows, instead of result.csv in the folder [default: none]
    #[arg(long, value_name = "CSV")]
    pub output_file: Option<PathBuf>,
    #[command(flatten)]
    pub formats: FormatArguments,
    /// Print one JSON object instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
    /// Go on if an output is infinite or NaN [default: off]
    #[arg(long)]
    pub allow_non_finite: bool,
    /// Checkpoints
    #[command(flatten)]
    pub checkpoints: CheckpointArguments,
    /// How slaves are run
    #[command(flatten)]
    pub slaves: SlaveArguments,
}

/// A face by its word, or by the one that fmusim has for it.
fn face(word: &str) -> Result<Face, String> {
    let face = match word {
        "cs" => Some(Face::CoSimulation),
        "me" => Some(Face::ModelExchange),
        _ => Face::of(word),
    };
    face.ok_or_else(|| format!("found `{word}`, expected {}", Face::ALL.map(|face| format!("`{face}`")).join(" or ")))
}

/// The times of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Experiment {
    /// Start \[s\].
    pub start_s: f64,
    /// Stop \[s\].
    pub stop_s: f64,
    /// Communication step H \[s\].
    pub step_s: f64,
    /// Whole steps.
    pub steps: u64,
    /// A last, shorter step \[s\], where the run is not a whole number of steps and the FMU can do it.
    pub rest_s: f64,
    /// Tolerance of the FMU's solver.
    pub tolerance: Option<f64>,
    /// Whether a step may be continued from where the FMU stopped in it.
    pub can_continue: bool,
}

impl Experiment {
    /// Fills in defaults.
    ///
    /// # Errors
    /// [`Failure::Usage`] for times no run can have.
    pub fn new(a: &SimulateArguments, fmu: &Fmu, warnings: &mut Vec<String>) -> Result<Self, Failure> {
        let usage = |option: &str, found: f64, expected: &str| {
            Failure::Usage(format!("`{option}`: found {found} s, expected {expected}"))
        };
        let (d, is_equations) = (fmu.description(), fmu.face() == Face::ModelExchange);
        // Times: as typed, as the FMU says, or a second from its start at 0.
        let (declared, unusable) = d.default_experiment.unwrap_or_default().usable();
        let start_s = a.start_time.or(declared.start_time).unwrap_or(0.0);
        let stop_s = a.stop.or(declared.stop_time.filter(|stop| *stop > start_s)).unwrap_or(start_s + 1.0);
        if !start_s.is_finite() {
            return Err(usage("--start-time", start_s, "a finite time"));
        }
        if !(stop_s.is_finite() && stop_s > start_s) {
            return Err(usage("--stop", stop_s, &format!("a finite time after the start at {start_s} s")));
        }
        // The step: as typed, as the FMU says where such a run would end, or a 500th of the run.
        let span_s = stop_s - start_s;
        let declared_step = declared.step_size.filter(|h| *h <= span_s && span_s / h <= STEPS_MAX);
        let step_s = a.step.or(declared_step).unwrap_or(span_s / 500.0);
        if !(step_s.is_finite() && step_s > 0.0) {
            return Err(usage("--step", step_s, "a finite length above 0"));
        }
        // A number of steps that ends, and steps that time can tell from none.
        let n = span_s / step_s;
        if n > STEPS_MAX {
            return Err(usage(
                "--step",
                step_s,
                &format!("at least {:e} s, for at most {STEPS_MAX:e} steps", span_s / STEPS_MAX),
            ));
        }
        if start_s + step_s == start_s || stop_s - step_s == stop_s {
            return Err(usage("--step", step_s, "a step that changes a time of 64 bits"));
        }
        if let Some(tolerance) = a.solver_tolerance.filter(|t| !(t.is_finite() && *t > 0.0)) {
            return Err(Failure::Usage(format!("`--solver-tolerance`: found {tolerance}, expected a number above 0")));
        }
        // The rest of a run that is not a whole number of steps: a shorter step, or nothing.
        let variable_steps = d.co_simulation.as_ref().is_some_and(|c| c.can_handle_variable_communication_step_size);
        let is_whole = n.round() > 0.0 && (n - n.round()).abs() <= 1e-9 * n.max(1.0);
        let steps = if is_whole { n.round() } else { n.floor() } as u64;
        let mut rest_s = 0.0;
        if !is_whole && variable_steps {
            rest_s = span_s - step_s * steps as f64;
        } else if !is_whole {
            let end_s = start_s + step_s * steps as f64;
            warnings.push(format!(
                "the run of {} s is not a whole number of steps of {step_s} s and the FMU cannot vary its step: it ends at {} s",
                shown::time(span_s),
                shown::time(end_s)
            ));
        }
        // That of an FMU is for its own solver: its equations are integrated with a smaller one.
        let declared_tolerance = declared.tolerance.filter(|_| !is_equations);
        let tolerance = a.solver_tolerance.or(declared_tolerance);
        // What is taken for values of the FMU that no run can use.
        for value in unusable {
            let taken = match value.attribute {
                "startTime" if a.start_time.is_none() => format!("the run starts at {start_s} s"),
                "stopTime" if a.stop.is_none() => format!("the run stops at {} s", shown::time(stop_s)),
                "stepSize" if a.step.is_none() => format!("the step is {} s", shown::time(step_s)),
                "tolerance" if a.solver_tolerance.is_none() => "the FMU uses its own".to_owned(),
                _ => continue,
            };
            warnings.push(format!("{value}; {taken}"));
        }
        Ok(Experiment { start_s, stop_s, step_s, steps, rest_s, tolerance, can_continue: variable_steps })
    }
}
