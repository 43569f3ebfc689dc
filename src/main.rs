//! The command line of macrostep.
//!
//! `main` parses, runs one verb, prints an error if there is one, and turns the outcome into an exit code: 0 done, 1 failed,
//! 2 usage, 3 comparison out of tolerance.

mod arguments;
mod failure;
mod fmus;
mod options;
mod oscillator;
mod pictures;
mod predict;
mod print;
mod simulate;
mod summary;
mod survey;
mod system;
mod terms;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Verb};
use failure::Failure;

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    match arguments.verb {
        None => survey::run(&arguments.out),
        Some(Verb::Oscillator(arguments)) => oscillator::run(&arguments),
        Some(Verb::Fmus(arguments)) => fmus::run(&arguments.out),
        Some(Verb::Convert(arguments)) => system::convert::run(&arguments),
        Some(Verb::Graph(arguments)) => system::graph::run(&arguments),
        Some(Verb::Explain(arguments)) => system::explain::run(&arguments),
        Some(Verb::Verify(arguments)) => system::verify::run(&arguments),
        Some(Verb::Run(arguments)) => system::run::run(&arguments),
    }
}
