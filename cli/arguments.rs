//! The verbs, their options, and the texts of `--help`.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use macrostep_answers::choices::Fmi;
use macrostep_answers::laboratory::arguments::{AdviseArguments, ConvergeArguments, StabilityArguments};
use macrostep_answers::laboratory::energy::EnergyArguments;
use macrostep_answers::system::arguments::VerifyArguments;

use crate::check::CheckArguments;
use crate::info::InfoArguments;
use crate::oscillator::OscillatorArguments;
use crate::recover::RecoverArguments;
use crate::simulate::SimulateArguments;
use crate::system::arguments::{ConvertArguments, ExplainArguments, GraphArguments, RunArguments, SystemsArguments};

#[cfg(feature = "full")]
use full::*;

/// Options of the verbs that only the feature `full` has.
#[cfg(feature = "full")]
mod full {
    pub use crate::crane::{ActuatorArguments, CraneArguments};
    pub use crate::fit::FitArguments;
    pub use crate::flex::arguments::FlexVerb;
    pub use crate::help::{CompletionsArguments, ManualArguments};
    pub use crate::lab::LabArguments;
    pub use crate::sweep::arguments::SweepArguments;
    pub use crate::system::arguments::ExportArguments;
    pub use macrostep_answers::laboratory::arguments::CompareArguments;
}

/// FMI 2.0 co-simulation of mechanical subsystems, with the error of every result
///
/// Without a command: the main job. Every coupling × Jacobi and Gauss–Seidel × hold, linear, quadratic × explicit and Newton,
/// for both cases of the benchmark, through the FMUs; prints a table, writes results and pictures.
#[derive(Debug, Parser)]
#[command(name = "macrostep", version, args_conflicts_with_subcommands = true, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 done, 1 failed, 2 usage, 3 comparison out of tolerance")]
pub struct Arguments {
    /// Which command
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Folder the main job writes to
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Interpreter for FMUs that are written in Python [default: that of the active virtual environment, else `python3`]
    #[arg(long, value_name = "PATH", global = true, hide_short_help = true)]
    pub python: Option<PathBuf>,
    /// Leave out notes and progress; warnings, errors and results are shown [default: off]
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

impl Arguments {
    /// The folder results go to, where they go anywhere.
    pub fn out(&self) -> Option<&Path> {
        let Some(verb) = &self.verb else { return Some(&self.out) };
        match verb {
            // Verbs that write a folder of results, some of them one that has a name by default.
            Verb::Oscillator(a) => a.run.out.as_deref(),
            Verb::Energy(a) => a.out.as_deref(),
            Verb::Stability(a) => a.output.out.as_deref(),
            Verb::Converge(a) => a.output.out.as_deref(),
            #[cfg(feature = "full")]
            Verb::Compare(a) => a.output.out.as_deref(),
            Verb::Advise(a) => a.output.out.as_deref(),
            #[cfg(feature = "full")]
            Verb::Crane(a) => a.actuator.run.out.as_deref(),
            #[cfg(feature = "full")]
            Verb::Actuator(a) => a.run.out.as_deref(),
            Verb::Fmus(a) => Some(&a.out),
            #[cfg(feature = "full")]
            Verb::Lab(a) => Some(&a.out),
            Verb::Simulate(a) => a.run.out.as_deref(),
            Verb::Run(a) => a.out.as_deref(),
            #[cfg(feature = "full")]
            Verb::Sweep(a) => Some(&a.out),
            #[cfg(feature = "full")]
            Verb::Fit(a) => a.out.as_deref(),
            #[cfg(feature = "full")]
            Verb::Flex(FlexVerb::Import(a)) => a.out.as_deref(),
            #[cfg(feature = "full")]
            Verb::Flex(FlexVerb::Surface(a)) => a.out.as_deref(),
            // They write files the user names, or nothing.
            Verb::Info(_)
            | Verb::Check(_)
            | Verb::Recover(_)
            | Verb::Systems(_)
            | Verb::Docs(_)
            | Verb::New(_)
            | Verb::Convert(_)
            | Verb::Graph(_)
            | Verb::Explain(_)
            | Verb::Verify(_) => None,
            #[cfg(feature = "full")]
            Verb::Export(_) | Verb::Completions(_) | Verb::Manual(_) => None,
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Co-simulate the two-mass oscillator once and compare with the exact solution
    ///
    /// A run of a scenario in the words of the benchmark. Without options that is `macrostep run case-1:f-s --solution oscillator`: Jacobi,
    /// linear inputs, H = 1 ms, 10 s. All options of `macrostep run` are options of this verb too.
    Oscillator(Box<OscillatorArguments>),
    /// Residual energy of the power bonds of a system, and its error, without and with energy correction
    Energy(Box<EnergyArguments>),
    /// Stability regions and growth rates of coupling schemes, from their one-step maps
    Stability(Box<StabilityArguments>),
    /// Observed orders of coupling schemes, global and local, positions and velocities
    Converge(Box<ConvergeArguments>),
    /// Accuracy of coupling schemes against calls of fmi2DoStep and time
    #[cfg(feature = "full")]
    Compare(Box<CompareArguments>),
    /// Find the cheapest scheme and macro step for a tolerance, and predict its error and growth
    Advise(Box<AdviseArguments>),
    /// Co-simulate the hydraulic crane by its interface model
    ///
    /// A run of a scenario in the words of the benchmark; all options of `macrostep run` are options of this verb too.
    #[cfg(feature = "full")]
    Crane(Box<CraneArguments>),
    /// Co-simulate the hydraulic actuator on a stop by its interface model
    ///
    /// A run of a scenario in the words of the benchmark; all options of `macrostep run` are options of this verb too.
    #[cfg(feature = "full")]
    Actuator(Box<ActuatorArguments>),
    /// Write the FMUs this program carries
    Fmus(FmusArguments),
    /// Show what an FMU declares: capabilities, variables, units, dependencies
    Info(InfoArguments),
    /// Check an FMU against the rules of FMI 2.0.5
    Check(CheckArguments),
    /// Repair the rows of a run that did not end, and convert them
    Recover(RecoverArguments),
    /// Simulate one FMU alone
    Simulate(Box<SimulateArguments>),
    /// List the systems this program carries: names for commands that take a SYSTEM
    Systems(SystemsArguments),
    /// Propose a scenario for FMUs of any tool, from what they declare: `macrostep new A.fmu B.fmu > pair.toml`
    New(crate::system::new::NewArguments),
    /// Run a system of FMUs: a scenario in TOML or SSP, or a built-in system by its name
    Run(Box<RunArguments>),
    /// Write a system as one FMU, for other tools
    #[cfg(feature = "full")]
    Export(Box<ExportArguments>),
    /// Write a scenario in another format: .toml, .ssd or .ssp
    Convert(ConvertArguments),
    /// Draw a system: units, connections, feed-through, algebraic loops and schedule
    Graph(GraphArguments),
    /// Explain a run of a system: order of execution, delays, loops, residual energies
    Explain(ExplainArguments),
    /// Estimate the error of a result, from runs with H/2 and H/4 and with the other schedule
    Verify(VerifyArguments),
    /// Many runs of a system over a grid, samples or a table of values, with a row of measures for each
    #[cfg(feature = "full")]
    Sweep(Box<SweepArguments>),
    /// Parameters of a system from measured data, with error bars and the part that is an error of the coupling
    #[cfg(feature = "full")]
    Fit(Box<FitArguments>),
    /// Flexible bodies from finite element models
    #[cfg(feature = "full")]
    #[command(subcommand)]
    Flex(FlexVerb),
    /// Write the laboratory: a page for any browser, in which the two masses run with any method while you move the sliders
    #[cfg(feature = "full")]
    Lab(LabArguments),
    /// Print a page of the documentation, or the list of them
    Docs(crate::docs::DocsArguments),
    /// Print a script for a shell that completes commands and options
    #[cfg(feature = "full")]
    Completions(CompletionsArguments),
    /// Write pages for `man`, one for each command
    #[cfg(feature = "full")]
    Manual(ManualArguments),
}

/// `macrostep fmus`.
#[derive(Debug, Args)]
pub struct FmusArguments {
    /// Folder to write to; made if missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Folder with the libraries of other platforms, which go into the same archives: a folder for each platform, named as in an FMU
    /// (`win64`, `darwin64`, `aarch64-linux`, `linux64`), with the libraries there are; `.ci/platforms` builds them
    #[arg(long, value_name = "DIR")]
    pub platforms: Option<PathBuf>,
    /// Version of FMI they are written for
    #[arg(long, value_enum, default_value = "2")]
    pub fmi: Fmi,
}
