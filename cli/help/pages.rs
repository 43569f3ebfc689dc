//! Completions for shells, and pages for `man`.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;

use super::command;

/// `macrostep completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// Name of the shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// `macrostep manual`.
#[derive(Debug, Args)]
pub struct ManualArguments {
    /// Folder for the pages, one for each command; made if missing
    #[arg(value_name = "DIR")]
    pub out: PathBuf,
}

/// Prints the script that a shell reads to complete commands and options.
///
/// # Errors
/// [`Failure`] where the output cannot be written.
pub fn completions(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "macrostep", &mut script);
    print::line(String::from_utf8_lossy(&script).trim_end())
}

/// Writes a page for `man` for the program and for each verb.
///
/// # Errors
/// [`Failure`] where the folder or a page cannot be written.
pub fn manual(arguments: &ManualArguments) -> Result<(), Failure> {
    std::fs::create_dir_all(&arguments.out).map_err(Failure::file(&arguments.out))?;
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let pages = pages(&arguments.out, &command)?;
    print::line(format!("{} in `{}`", print::counted(pages, "page"), arguments.out.display()))
}

/// The page of a command and those of its verbs; how many there are.
fn pages(folder: &Path, command: &Command) -> Result<u64, Failure> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let path = folder.join(format!("{name}.1"));
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text).and_then(|()| std::fs::write(&path, &text)).map_err(Failure::file(&path))?;
    let below = command.get_subcommands().map(|verb| pages(folder, verb));
    below.sum::<Result<u64, Failure>>().map(|n| n + 1)
}
