//! The command line of macrostep.
//!
//! `main` parses, runs one verb, prints an error if there is one, and turns the outcome into an exit code: 0 done, 1 failed,
//! 2 usage, 3 comparison out of tolerance.

mod arguments;
mod failure;
mod fmus;
mod laboratory;
mod options;
mod oscillator;
mod pictures;
mod print;
mod simulate;
mod summary;
mod survey;
mod terms;

use std::process::ExitCode;

use clap::Parser;
use macrostep::predict;

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
        Some(Verb::Stability(arguments)) => laboratory::stability::run(&arguments),
        Some(Verb::Converge(arguments)) => laboratory::converge::run(&arguments),
        Some(Verb::Compare(arguments)) => laboratory::compare::run(&arguments),
        Some(Verb::Advise(arguments)) => laboratory::advise::run(&arguments),
        Some(Verb::Fmus(arguments)) => fmus::run(&arguments.out),
    }
}
