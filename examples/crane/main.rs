//! The hydraulic crane, and the actuator on a stop: all schemes over the macro step, or one run, beside the interface model at H = 0.2 ms.
//! What docs/crane.md shows is made here.
//!
//! ```text
//! cargo run --release --example crane                                                    the study, in out/crane
//! cargo run --release --example crane -- actuator                                        the same for the actuator, in out/actuator
//! cargo run --release --example crane -- --manoeuvre slewing --step 0.016 --out slewing  one run with its animation
//! ```
//!
//! Mechanics and hydraulics are FMUs. `macrostep crane` and `macrostep actuator` run them with all options of `macrostep run`.

mod animation;
mod charts;
pub mod runs;
mod study;

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use macrostep::factory;
use macrostep_benchmarks::{Manoeuvre, Multirate, Plant, Scheme};
use macrostep_run::write_trace;
use runs::{Limits, Outcome, run};

/// What is asked for.
#[derive(Debug, Parser)]
pub struct Arguments {
    /// What is coupled
    #[arg(value_enum, default_value = "crane")]
    plant: Which,
    /// One run with this macro step H in seconds, a multiple of 0.2 ms, which is printed as JSON [default: the study]
    #[arg(long)]
    step: Option<f64>,
    /// Of one run: the motion of the crane and its conditions
    #[arg(long, value_enum, default_value = "usual")]
    manoeuvre: Manoeuvre,
    /// Of one run: largest number of repetitions of a macro step in which the interface model was wrong
    #[arg(long, default_value = "2")]
    repeat: u32,
    /// Folder for tables, rows, pictures and the animation; made if missing [default: out/crane or out/actuator; one run: nothing is written]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// What is coupled.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Which {
    Crane,
    Actuator,
}

/// The end of a run that fails.
type Failed = Box<dyn Error>;

fn main() -> Result<(), Failed> {
    made(&Arguments::parse())
}

/// Makes what is asked for.
///
/// # Errors
/// Of a unit before its first step, or of a file. An unstable run is a result.
pub fn made(arguments: &Arguments) -> Result<(), Failed> {
    let is_crane = arguments.plant == Which::Crane;
    let plant = if is_crane { Plant::Crane(arguments.manoeuvre) } else { Plant::Actuator };
    // FMUs stay unpacked between runs.
    let _open = factory::open_all()?;
    let Some(step_s) = arguments.step else {
        let folder =
            arguments.out.clone().unwrap_or_else(|| if is_crane { "out/crane" } else { "out/actuator" }.into());
        fs::create_dir_all(&folder)?;
        return study::all(plant, &folder);
    };
    // One run and its reference.
    let asked = Multirate::new(plant, Scheme { repeat: arguments.repeat, ..Scheme::REPEATED }, step_s);
    let (found, reference) =
        (run(&asked, &factory::fmu, Limits::WATCHED)?, run(&asked.reference(), &factory::fmu, Limits::BRIEF)?);
    println!("{}", serde_json::to_string(&study::Entry::new(&asked, &found, &reference))?);
    let Some(folder) = &arguments.out else { return Ok(()) };
    write_run(folder, &asked, &found)?;
    let (title, words) = (format!("H = {step_s} s"), format!("{}; first cylinder", asked.scheme));
    charts::figure("Cylinder speed and force", &words, &[(title, &found)], Some(&reference), None)
        .write(folder, "interface")?;
    Ok(())
}

/// `trace.csv`, and `crane.html` where it is a crane.
fn write_run(folder: &Path, made: &Multirate, outcome: &Outcome) -> Result<(), Failed> {
    fs::create_dir_all(folder)?;
    write_trace(&outcome.trace, File::create(folder.join("trace.csv"))?)?;
    if made.plant.is_crane() {
        fs::write(folder.join("crane.html"), animation::page(made, outcome)?)?;
    }
    Ok(())
}
