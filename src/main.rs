//! The command line of macrostep.
//!
//! `main` parses, runs one verb, prints an error if there is one, and turns the outcome into an exit code: 0 done, 1 failed,
//! 2 usage, 3 comparison out of tolerance.

mod arguments;
mod check;
mod checkpoint;
mod claim;
mod distinct;
mod energy;
mod failure;
mod flex;
mod fmus;
mod hydraulic;
mod info;
mod interface;
mod laboratory;
mod options;
mod oscillator;
mod parquet;
mod pictures;
mod print;
mod recover;
mod shows;
mod simulate;
mod single;
mod slaves;
mod stream;
mod summary;
mod survey;
mod system;
mod terms;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Verb};
use failure::Failure;
use macrostep_isolation::watch as watch_over;
use macrostep_master::unit::fmu::plain;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == macrostep_isolation::ARGUMENT) {
        return macrostep_isolation::serve();
    }
    let arguments = Arguments::parse();
    // Before there are threads, and before any foreign code is loaded.
    if let watch_over::Role::Watch(code) = watch_over::begin() {
        return code;
    }
    match claimed(arguments) {
        Ok(()) => watch_over::finish(0, None),
        Err(failure) => {
            watch_over::finish(failure.exit_code(), Some(&format!("error: {}", plain(&failure.to_string()))))
        }
    }
}

/// Runs as long as the folder that is written to is this run's alone.
fn claimed(arguments: Arguments) -> Result<(), Failure> {
    let _claim = arguments.out().map(claim::Claim::of).transpose()?;
    run(arguments)
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    match arguments.verb {
        None => survey::run(&arguments.out),
        Some(Verb::Oscillator(arguments)) => oscillator::run(&arguments),
        Some(Verb::Energy(arguments)) => energy::run(&arguments),
        Some(Verb::Stability(arguments)) => laboratory::stability::run(&arguments),
        Some(Verb::Converge(arguments)) => laboratory::converge::run(&arguments),
        Some(Verb::Compare(arguments)) => laboratory::compare::run(&arguments),
        Some(Verb::Advise(arguments)) => laboratory::advise::run(&arguments),
        Some(Verb::Crane(arguments)) => hydraulic::crane(&arguments),
        Some(Verb::Actuator(arguments)) => hydraulic::actuator(&arguments),
        Some(Verb::Shows(arguments)) => shows::run(&arguments),
        Some(Verb::Fmus(arguments)) => fmus::run(&arguments.out),
        Some(Verb::Info(arguments)) => info::run(&arguments),
        Some(Verb::Check(arguments)) => check::run(&arguments),
        Some(Verb::Recover(arguments)) => recover::run(&arguments),
        Some(Verb::Simulate(arguments)) => single::run(&arguments),
        Some(Verb::Systems(arguments)) => system::list::run(&arguments),
        Some(Verb::Convert(arguments)) => system::convert::run(&arguments),
        Some(Verb::Graph(arguments)) => system::graph::run(&arguments),
        Some(Verb::Explain(arguments)) => system::explain::run(&arguments),
        Some(Verb::Verify(arguments)) => system::verify::run(&arguments),
        Some(Verb::Run(arguments)) => system::run::run(&arguments),
        Some(Verb::Flex(verb)) => flex::run(&verb),
        Some(Verb::Interface(arguments)) => interface::run(&arguments),
    }
}
