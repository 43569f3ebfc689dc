//! `macrostep oscillator`: the two-mass oscillator in the words of the benchmark, as a scenario that is run as any other one.

use std::path::{Path, PathBuf};

use clap::Args;
use macrostep_analysis::scheme::{Scheme, recipe};
use macrostep_analysis::{models, parameters_of};
use macrostep_answers::choices::{Case, Coupling, Derivative, Fast, Integrator, Rate, Start, Variant, typed};
use macrostep_answers::failure::Failure;
use macrostep_answers::numbers::positive;
use macrostep_answers::system::changes::change;
use macrostep_answers::system::solution;
use macrostep_benchmarks::Oscillator;
use macrostep_oscillator::{Exact, Parameters, State};
use macrostep_system::scenario::{
    Connection, Coupling as Method, Endpoint, Event, InputFile, Place, Setting, Solution, SolutionOf, Value,
};
use macrostep_system::words::{Predict, Schedule};
use macrostep_system::{Document, Scenario};

use crate::system::arguments::RunArguments;
use crate::system::run;

/// `macrostep oscillator`.
#[derive(Debug, Args)]
#[command(
    mut_arg("system", |a| a.required(false).default_value(solution::PAIR).hide(true)),
    mut_arg("fmus", |a| a.hide(true)),
    mut_arg("record", |a| a.hide_short_help(true)),
    mut_arg("error", |a| a.hide_short_help(true)),
    mut_arg("report", |a| a.hide_short_help(true)),
    mut_arg("watch", |a| a.hide_short_help(true)),
    mut_arg("checkpoint", |a| a.hide_short_help(true)),
    mut_arg("resume", |a| a.hide_short_help(true)),
    mut_arg("set", |a| a.help(SET).value_name("NAME=VALUE")),
    mut_arg("step", |a| a.help("Macro step H of the slow side in seconds [default: 1e-3, jerk 1e-2, waveform 0.2]")),
    mut_arg("stop", |a| a.help("End of the run in seconds [default: 10]")),
)]
pub struct OscillatorArguments {
    /// Parameters of the benchmark
    #[arg(long, value_enum, default_value = "1")]
    pub case: Case,
    /// What the subsystems exchange [default: f-s, with a method s-s]
    #[arg(long, value_enum)]
    pub coupling: Option<Coupling>,
    /// For ia with Gauss–Seidel: polynomial of a motion that is known up to the step's end [default: h3]
    #[arg(long, value_enum, value_name = "VARIANT")]
    pub gs_variant: Option<Variant>,
    /// Velocity of a displacement input
    #[arg(long, value_enum, default_value = "passed")]
    pub derivative: Derivative,
    /// The steps of the fast side are H/R; R as 5 or 3/2
    #[arg(long, value_name = "R", default_value = "1")]
    pub rate: Rate,
    /// The fast side; only with a rate above 1 [default: 2]
    #[arg(long, value_enum)]
    pub fast: Option<Fast>,
    /// Micro step h of both subsystems in seconds; not with exact integration [default: the own macro step]
    #[arg(long, value_name = "h", value_parser = positive, allow_negative_numbers = true)]
    pub micro: Option<f64>,
    /// Integrator inside the subsystems
    #[arg(long, value_enum, default_value = "exact")]
    pub integrator: Integrator,
    /// Samples before t = 0
    #[arg(long, value_enum, default_value = "ramp")]
    pub start: Start,
    /// External forces on mass 1 and mass 2 in N: CSV with the columns `time`, `f1` and `f2`; linear between rows, and two rows with the
    /// same time for a jump. The forces are exact where steps end at the times of rows [default: none]
    #[arg(long, value_name = "FILE")]
    pub force: Option<PathBuf>,
    /// Largest error of an output allowed, relative to its amplitude; above it the exit code is 3 [default: any]
    #[arg(long, value_name = "ERROR", value_parser = positive, allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    #[command(flatten)]
    pub run: RunArguments,
}

/// Help of `--set`.
const SET: &str = "Another value: m1 m2 k1 k_c k2 c1 c_c c2 x1_0 x2_0 v1_0 v2_0, as NAME=VALUE, or UNIT.VARIABLE=VALUE; may be \
                   repeated [default: none]";

/// Name of the forces among the inputs, and their columns.
const FORCE: (&str, [&str; 2]) = ("force", ["f1", "f2"]);

/// Runs the scenario that the words stand for, beside the exact solution, as `macrostep run` does it.
///
/// # Errors
/// [`Failure::Usage`] where words do not go together; all others as of [`run::run`].
pub fn run(arguments: &OscillatorArguments) -> Result<(), Failure> {
    let system = &arguments.run.system;
    if system.system != Path::new(solution::PAIR) || !system.fmus.is_empty() {
        let named = system.system.display();
        return Err(Failure::Usage(format!("`macrostep oscillator` takes no SYSTEM: write `macrostep run {named}`")));
    }
    // Values of the benchmark, and those of units.
    let (of_units, own): (Vec<String>, Vec<String>) = system.set.iter().cloned().partition(|set| is_of_unit(set));
    let mut asked = arguments.run.clone();
    asked.system.set = of_units;
    let mut document = Document {
        scenario: scenario(arguments, parameters(arguments.case, &own)?)?,
        findings: Vec::new(),
        unpacked: Vec::new(),
    };
    if arguments.start == Start::Exact {
        document.scenario.history = past(arguments, &document, &asked)?;
    }
    run::of(&asked, document)
}

/// Whether `--set` names a variable of a unit.
fn is_of_unit(set: &str) -> bool {
    set.split('=').next().is_some_and(|name| name.contains('.'))
}

/// The pair as a scenario of two FMUs, `mass1` and `mass2`, with its solution.
fn scenario(a: &OscillatorArguments, parameters: Parameters) -> Result<Scenario, Failure> {
    // A method says more than a scenario has of it: the cut and the step that suit.
    let options = &a.run.system;
    let recipe = options.method.map(recipe);
    let coupling = a.coupling.or(recipe.as_ref().map(|r| r.coupling)).unwrap_or(Coupling::ForceDisplacement);
    let step_s = options.step.or(recipe.as_ref().map(|r| r.step_s)).unwrap_or(1e-3);
    let schedule = options.schedule.as_ref().map(|order| order.schedule);
    let method = Method {
        schedule: schedule.or(recipe.map(|r| r.schedule)).unwrap_or(Schedule::Jacobi),
        predict: Predict::classical(1),
        gs_variant: a.gs_variant.unwrap_or_default(),
        derivative: a.derivative,
        sub_steps: 1,
        ..Method::default()
    };
    // Steps of each side, and inside it.
    check_steps(a, step_s)?;
    let scheme = Scheme {
        rate: a.rate,
        fast: a.fast.unwrap_or_default(),
        ..Scheme::new(coupling, method.schedule, method.predict)
    };
    let shares = scheme.shares(2);
    let pair = Oscillator {
        method,
        shares: [shares[0], shares[1]],
        micro_step_s: a.micro,
        integrator: a.integrator,
        ..Oscillator::new(parameters, coupling, [step_s, options.stop.unwrap_or(10.0)])
    };
    let mut s = pair.scenario();
    if let Some(file) = &a.force {
        feed(&mut s, file);
    }
    let place = Place::option("--solution");
    let of = SolutionOf::Named(solution::PAIR.to_owned());
    s.solution = Some(Solution { of, columns: Vec::new(), tolerance: a.tolerance, place });
    Ok(s)
}

/// Both masses get the forces of a file.
fn feed(s: &mut Scenario, file: &Path) {
    let (name, place) = (FORCE.0.to_owned(), Place::option("--force"));
    for (i, column) in FORCE.1.into_iter().enumerate() {
        let from = Endpoint { unit: name.clone(), variable: column.to_owned() };
        let to = Endpoint { unit: format!("mass{}", i + 1), variable: "f_ext".to_owned() };
        s.connections.push(Connection::new(from, to, place.clone()));
    }
    // A slave may change the working folder before it is read.
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    s.inputs.push(InputFile { name, path, shown: file.display().to_string(), place });
}

/// The parameters of a case.
pub fn case_parameters(case: Case) -> Parameters {
    match case {
        Case::One => Parameters::case_1(),
        Case::Two => Parameters::case_2(),
    }
}

/// The parameters of a case with these values, `NAME=VALUE`.
fn parameters(case: Case, set: &[String]) -> Result<Parameters, Failure> {
    let mut parameters = case_parameters(case);
    let mut names: Vec<&str> = Vec::new();
    for text in set {
        let expected = || Failure::Usage(format!("`--set {text}`: expected NAME=VALUE, a number"));
        let (name, value) = text.split_once('=').ok_or_else(expected)?;
        let (name, value) = (name.trim(), value.trim().parse().map_err(|_| expected())?);
        if let Some(i) = names.iter().position(|known| *known == name) {
            return Err(Failure::conflict(format!("--set {}", set[i]), format!("--set {text}"), "set it once"));
        }
        names.push(name);
        parameters.set(name, value).map_err(|error| Failure::Usage(format!("`--set`: {error}")))?;
    }
    parameters.validate().map_err(|error| Failure::Usage(format!("`--set`: {error}")))?;
    Ok(parameters)
}

/// A fast side needs a rate, and micro steps make up the steps of both sides.
fn check_steps(a: &OscillatorArguments, step_s: f64) -> Result<(), Failure> {
    if let Some(fast) = a.fast.filter(|_| a.rate.over == 1) {
        let reason = "at rate 1 both sides have the same step";
        return Err(Failure::conflict(format!("--fast {}", typed(fast)), "--rate 1", reason));
    }
    let Some(micro_s) = a.micro else { return Ok(()) };
    let micro = format!("--micro {micro_s}");
    if a.integrator == Integrator::Exact {
        return Err(Failure::conflict(micro, "--integrator exact", "exact integration has no micro steps"));
    }
    let is_whole = |whole_s: f64| {
        let ratio = whole_s / micro_s;
        ratio > 0.5 && (ratio - ratio.round()).abs() <= 1e-9 * ratio
    };
    if !is_whole(step_s) {
        let step = format!("--step {step_s}");
        return Err(Failure::conflict(micro, step, "a macro step is not a whole number of micro steps"));
    }
    if !is_whole(step_s * f64::from(a.rate.under) / f64::from(a.rate.over)) {
        let (rate, why) =
            (format!("--rate {}", a.rate), "a step of the fast side is not a whole number of micro steps");
        return Err(Failure::conflict(micro, rate, why));
    }
    Ok(())
}

/// The exact solution before the start, at the times the method looks back to.
fn past(a: &OscillatorArguments, document: &Document, asked: &RunArguments) -> Result<Vec<Event>, Failure> {
    if let Some(file) = &a.force {
        let reason = "the exact solution before the start does not contain forces";
        return Err(Failure::conflict(format!("--force {}", file.display()), "--start exact", reason));
    }
    // The method and the values as options make them.
    let mut changed = document.clone();
    change(&mut changed, &asked.system)?;
    let p = parameters_of(&changed.scenario).map_err(Failure::Run)?;
    let exact = Exact::new(&p).map_err(Failure::run)?;
    let mut simulation = models::simulation(&changed.scenario, &models::native).map_err(Failure::run)?;
    let mut times_s: Vec<f64> = simulation.before().into_iter().map(|(_, t_s)| t_s).collect();
    times_s.sort_by(f64::total_cmp);
    times_s.dedup();
    Ok(times_s.into_iter().map(|at_s| was(&changed.scenario, &p, at_s, &exact.at(at_s))).collect())
}

/// Outputs of both masses at a state.
fn was(s: &Scenario, p: &Parameters, at_s: f64, z: &State) -> Event {
    let mut settings = Vec::new();
    for (i, unit) in s.units.iter().enumerate() {
        let is_driven_by_motion = s.connections.iter().any(|c| c.to.unit == unit.name && c.to.variable == "xi");
        let motion = ["x", "v", "a", "jerk"].into_iter().zip(p.motion(i, z));
        let force = is_driven_by_motion.then(|| ("f_c", p.coupling_force(z)));
        let setting = |(name, value)| (unit.name.clone(), Setting::new(name, Value::Real(value), Place::default()));
        settings.extend(motion.chain(force).map(setting));
    }
    Event { at_s, settings, place: Place::default() }
}
