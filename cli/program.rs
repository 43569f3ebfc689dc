//! The command line of macrostep.
//!
//! [`program`] parses, runs one verb, prints an error if there is one, and turns the outcome into an exit code: 0 done, 1 failed,
//! 2 usage, 3 comparison out of tolerance. `cli/main.rs` is one way to it, the console script of the Python package another.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::FromArgMatches;
use macrostep_answers::failure::Failure;
#[cfg(feature = "full")]
use macrostep_answers::laboratory::compare;
use macrostep_answers::laboratory::{advise, converge, energy, stability};
use macrostep_import::fmu::plain;
use macrostep_import::isolation::watch as watch_over;

use crate::arguments::{Arguments, Verb};
use crate::factory::CARRIED;

/// The program: runs one verb with its arguments, and returns an exit code. The first argument is the name of the
/// program. To be called before there are threads; wrong arguments, and `--help`, end the process.
pub fn program(arguments: &[OsString]) -> u8 {
    if arguments.get(1).is_some_and(|first| first == macrostep_import::isolation::ARGUMENT) {
        return macrostep_import::isolation::serve();
    }
    let mut command = crate::help::command();
    let typed = arguments.get(1).and_then(|first| first.to_str()).unwrap_or_default();
    if let Some(text) = crate::help::absent(&command, typed) {
        eprintln!("error: {text}");
        return Failure::Usage(text).exit_code();
    }
    let matches = match command.try_get_matches_from_mut(arguments) {
        Ok(matches) => matches,
        Err(e) => match crate::help::former(&e, typed).or_else(|| crate::help::misspelt(&e)) {
            Some(text) => {
                eprintln!("error: {text}");
                return Failure::Usage(text).exit_code();
            }
            None => e.exit(),
        },
    };
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|e| e.format(&mut command).exit());
    if arguments.quiet {
        macrostep_answers::print::be_quiet();
    }
    #[cfg(target_os = "linux")]
    if let Some(interpreter) = &arguments.python {
        macrostep_import::fmu::use_python(interpreter);
    }
    // FMUs are unpacked there: without the folder each of them would be an error of its own.
    if let Some(failure) = without_temporary_folder() {
        eprintln!("error: {}", plain(&failure.to_string()));
        return failure.exit_code();
    }
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

/// The failure where the folder for temporary files is none, as where TMPDIR names one that was removed.
fn without_temporary_folder() -> Option<Failure> {
    let folder = std::env::temp_dir();
    let found = match std::fs::metadata(&folder) {
        Ok(found) if found.is_dir() => return None,
        Ok(_) => "a file".to_owned(),
        Err(reason) => reason.to_string(),
    };
    let shown = folder.display();
    Some(Failure::Run(format!(
        "the folder for temporary files, `{shown}`: found {found}, expected a folder: make it, or set TMPDIR to one that is there"
    )))
}

/// Runs as long as the folder that is written to is this run's alone.
fn claimed(mut arguments: Arguments) -> Result<(), Failure> {
    let _claim = arguments.out().map(macrostep_run::Claim::of).transpose()?;
    absolute(&mut arguments);
    run(arguments)
}

/// Makes absolute what is written after slaves have run: one in this process may change the working folder. `run`, `simulate`,
/// `fit`, `sweep`, `graph` and `export` show paths as they were typed, and do this themselves.
fn absolute(arguments: &mut Arguments) {
    let paths: Vec<&mut Option<PathBuf>> = match &mut arguments.verb {
        Some(Verb::Energy(a)) => vec![&mut a.out],
        Some(Verb::Stability(a)) => vec![&mut a.output.out],
        Some(Verb::Converge(a)) => vec![&mut a.output.out],
        #[cfg(feature = "full")]
        Some(Verb::Compare(a)) => vec![&mut a.output.out],
        Some(Verb::Advise(a)) => vec![&mut a.output.out],
        Some(Verb::Check(a)) => vec![&mut a.junit],
        Some(Verb::Verify(a)) => vec![&mut a.junit],
        #[cfg(feature = "full")]
        Some(Verb::Sweep(a)) => vec![&mut a.parquet],
        _ => Vec::new(),
    };
    for path in paths.into_iter().flatten() {
        if let Ok(whole) = std::path::absolute(&*path) {
            *path = whole;
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    // Without a verb, the survey; else the module of the verb.
    match arguments.verb {
        None => crate::survey::run(&arguments.out),
        Some(Verb::Oscillator(arguments)) => crate::oscillator::run(&arguments),
        Some(Verb::Energy(arguments)) => energy::run(&CARRIED, &arguments),
        Some(Verb::Stability(arguments)) => stability::run(&CARRIED, &arguments),
        Some(Verb::Converge(arguments)) => converge::run(&CARRIED, &arguments),
        #[cfg(feature = "full")]
        Some(Verb::Compare(arguments)) => compare::run(&CARRIED, &arguments),
        Some(Verb::Advise(arguments)) => advise::run(&CARRIED, &arguments),
        #[cfg(feature = "full")]
        Some(Verb::Crane(arguments)) => crate::crane::crane(&arguments),
        #[cfg(feature = "full")]
        Some(Verb::Actuator(arguments)) => crate::crane::actuator(&arguments),
        Some(Verb::Fmus(arguments)) => crate::fmus::run(&arguments),
        Some(Verb::Info(arguments)) => crate::info::run(&arguments),
        Some(Verb::Check(arguments)) => crate::check::run(&arguments),
        Some(Verb::Recover(arguments)) => crate::recover::run(&arguments),
        Some(Verb::Simulate(arguments)) => crate::simulate::run(&arguments),
        Some(Verb::Systems(arguments)) => crate::system::list::run(&arguments),
        #[cfg(feature = "full")]
        Some(Verb::Lab(arguments)) => crate::lab::run(&arguments),
        Some(Verb::Docs(arguments)) => crate::docs::run(&arguments),
        Some(Verb::New(arguments)) => crate::system::new::run(&arguments),
        Some(Verb::Convert(arguments)) => crate::system::convert::run(&arguments),
        Some(Verb::Graph(arguments)) => crate::system::graph::run(&arguments),
        Some(Verb::Explain(arguments)) => crate::system::explain::run(&arguments),
        Some(Verb::Verify(arguments)) => crate::system::verify::run(&arguments),
        Some(Verb::Run(arguments)) => crate::system::run::run(&arguments),
        #[cfg(feature = "full")]
        Some(Verb::Export(arguments)) => crate::system::export::run(&arguments),
        #[cfg(feature = "full")]
        Some(Verb::Sweep(arguments)) => crate::sweep::run(&arguments),
        #[cfg(feature = "full")]
        Some(Verb::Fit(arguments)) => crate::fit::run(&arguments),
        #[cfg(feature = "full")]
        Some(Verb::Flex(verb)) => crate::flex::run(&verb),
        #[cfg(feature = "full")]
        Some(Verb::Completions(arguments)) => crate::help::completions(&arguments),
        #[cfg(feature = "full")]
        Some(Verb::Manual(arguments)) => crate::help::manual(&arguments),
    }
}
