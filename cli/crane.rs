//! `macrostep crane` and `macrostep actuator`: a mechanism with its hydraulics in the words of the benchmark, as a scenario that is run as
//! any other one.

use std::path::Path;

use clap::Args;
use macrostep_answers::failure::Failure;
use macrostep_benchmarks::{Delivery, Manoeuvre, Multirate, Order, Place, Plant, Prediction, STEP_S, Scheme};
use macrostep_system::Document;
use macrostep_system::words::{Predict, Schedule};

use crate::system::arguments::RunArguments;
use crate::system::run;

/// `macrostep crane`.
#[derive(Debug, Args)]
pub struct CraneArguments {
    /// The motion of the crane and its conditions
    #[arg(long, value_enum, value_name = "MANOEUVRE", default_value = "usual")]
    pub manoeuvre: Manoeuvre,
    #[command(flatten)]
    pub actuator: ActuatorArguments,
}

/// `macrostep actuator`.
#[derive(Debug, Args)]
#[command(
    mut_arg("system", |a| a.required(false).default_value(NAME).hide(true)),
    mut_arg("fmus", |a| a.hide(true)),
    mut_arg("step", |a| a.help("Macro step H of the mechanics in seconds [default: 0.016]")),
    mut_arg("stop", |a| a.help("End of the run in seconds [default: crane 8, actuator 3]")),
    mut_arg("predict", |a| a.help(PREDICT)),
    mut_arg("schedule", |a| a.help(SCHEDULE)),
    // Few runs of a crane need them.
    mut_arg("correct", |a| a.hide_short_help(true)),
    mut_arg("error", |a| a.hide_short_help(true)),
    mut_arg("method", |a| a.hide_short_help(true)),
    mut_arg("record", |a| a.hide_short_help(true)),
)]
pub struct ActuatorArguments {
    /// The force the mechanics get
    #[arg(long, value_enum, value_name = "FORCE", default_value = "mean")]
    pub force: Delivery,
    /// Interface model of the active set of the next step instead of that of the last one [default: off]
    #[arg(long, hide_short_help = true)]
    pub lookahead: bool,
    /// Where the interface model is integrated: in the hydraulics or in the master
    #[arg(long, value_enum, value_name = "PLACE", default_value = "fast", hide_short_help = true)]
    pub place: Place,
    /// Largest number of repetitions of a macro step in which the speed of the mechanics differs from the predicted one
    /// [default: with the interface model 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=20))]
    pub repeat: Option<u32>,
    #[command(flatten)]
    pub run: RunArguments,
}

/// What stands for a SYSTEM that is not typed.
const NAME: &str = "crane";

/// Help of `--predict` and of `--schedule`.
const PREDICT: &str =
    "Interface speed within a macro step, as the hydraulics predict it: hold, linear [default: the interface model]";
const SCHEDULE: &str =
    "Order of the steps: gauss-seidel:hydraulics,mechanics, or jacobi [default: the hydraulics first]";

/// Runs the crane.
///
/// # Errors
/// As [`actuator`].
pub fn crane(arguments: &CraneArguments) -> Result<(), Failure> {
    go(Plant::Crane(arguments.manoeuvre), &arguments.actuator)
}

/// Runs the actuator, as `macrostep run` runs any scenario.
///
/// # Errors
/// [`Failure::Usage`] where words do not go together; all others as of [`run::run`].
pub fn actuator(arguments: &ActuatorArguments) -> Result<(), Failure> {
    go(Plant::Actuator, arguments)
}

fn go(plant: Plant, arguments: &ActuatorArguments) -> Result<(), Failure> {
    let system = &arguments.run.system;
    if system.system != Path::new(NAME) {
        let named = system.system.display();
        return Err(Failure::Usage(format!("this takes no SYSTEM: write `macrostep run {named}`")));
    }
    let scheme = scheme(arguments)?;
    let mut multirate = Multirate::new(plant, scheme, system.step.unwrap_or(STEP_S));
    multirate.stop_s = system.stop.unwrap_or(multirate.stop_s);
    // What the hydraulics predict is a parameter of theirs; the master gives them the values at the beginning of a step.
    let mut asked = arguments.run.clone();
    asked.system.predict = None;
    let scenario = multirate.scenario().map_err(Failure::Usage)?;
    run::of(&asked, Document { scenario, findings: Vec::new(), unpacked: Vec::new() })
}

/// The scheme that the words stand for.
fn scheme(a: &ActuatorArguments) -> Result<Scheme, Failure> {
    let prediction = match a.run.system.predict {
        None => Prediction::InterfaceModel,
        Some(word) if word == Predict::classical(0) => Prediction::Hold,
        Some(word) if word == Predict::classical(1) => Prediction::Linear,
        Some(word) => return Err(Failure::Usage(format!("`--predict {word}`: expected hold or linear"))),
    };
    let is_model = prediction == Prediction::InterfaceModel;
    let model_only = [("--place master", a.place == Place::Master), ("--repeat", a.repeat.is_some_and(|n| n > 0))];
    if let Some((option, _)) = model_only.into_iter().find(|(_, is_asked)| *is_asked && !is_model) {
        return Err(Failure::conflict("--predict", option, "it needs the interface model"));
    }
    let is_jacobi = a.run.system.schedule.as_ref().is_some_and(|order| order.schedule == Schedule::Jacobi);
    Ok(Scheme {
        prediction,
        order: if is_jacobi { Order::Jacobi } else { Order::FastFirst },
        delivery: a.force,
        look_ahead: a.lookahead,
        place: a.place,
        repeat: a.repeat.unwrap_or(if is_model { Scheme::REPEATED.repeat } else { 0 }),
    })
}
