//! The command line with its help: verbs in groups, examples, completions for shells, and pages for `man`.

mod verbs;

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use macrostep_plot::table::terminal_width;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::print;
use verbs::{GROUPS, Verb};

/// Widest text of help, as for all other options.
const WIDTH_MAX: usize = 110;

/// Where the texts of the list of verbs begin.
const INDENT: usize = 17;

/// Longest line of an example, before it goes on in the next one.
const EXAMPLE_MAX: usize = 70;

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

/// The command line, with examples and the list of verbs by groups.
pub fn command() -> Command {
    let verbs = || GROUPS.iter().flat_map(|(_, verbs)| *verbs);
    let command = verbs().fold(Arguments::command(), |command, verb| with_examples(command, verb.name, verb));
    let list = list(&command, terminal_width().unwrap_or(100).min(WIDTH_MAX));
    let head = heading(&command, "Options:");
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{head}\n{{options}}{{after-help}}"
    ))
}

/// A heading as clap shows its own.
fn heading(command: &Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}{style:#}")
}

/// Puts the examples of a verb at the end of its help.
fn with_examples(command: Command, path: &str, verb: &Verb) -> Command {
    if let Some((first, rest)) = path.split_once(' ') {
        return command.mut_subcommand(first, |command| with_examples(command, rest, verb));
    }
    command.mut_subcommand(path, |command| {
        let folded = |example: &&str| format!("  {}", lines(example, EXAMPLE_MAX).join(" \\\n        "));
        let lines: Vec<String> = verb.examples.iter().map(folded).collect();
        let examples = format!("{}\n{}", heading(&command, "Examples:"), lines.join("\n"));
        let before = command.get_after_help().map(|text| format!("{}\n\n", text.ansi()));
        command.after_help(before.unwrap_or_default() + &examples)
    })
}

/// The verbs in their groups, each with what it is for, in lines of at most so many characters.
fn list(command: &Command, width: usize) -> String {
    let literal = command.get_styles().get_literal();
    let mut text = String::new();
    for (title, verbs) in GROUPS {
        text += &format!("{}\n", heading(command, &format!("{title}:")));
        for verb in *verbs {
            let named = verb.name.split(' ').try_fold(command, |c, name| c.find_subcommand(name));
            let about = named.and_then(Command::get_about).map(ToString::to_string).unwrap_or_default();
            let time = verb.time.map(|time| format!(" (about {time})")).unwrap_or_default();
            let lines = lines(&(about + &time), width.saturating_sub(INDENT).max(20));
            let pad = " ".repeat(INDENT.saturating_sub(2 + verb.name.len()));
            let joint = format!("\n{}", " ".repeat(INDENT));
            text += &format!("  {literal}{}{literal:#}{pad}{}\n", verb.name, lines.join(&joint));
        }
        text.push('\n');
    }
    text
}

/// Words in lines of at most so many characters.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of an example, without its remark.
    fn words(example: &str) -> Vec<&str> {
        let typed = example.split(" # ").next().unwrap_or_default();
        typed.split(" > ").next().unwrap_or_default().split_whitespace().map(|word| word.trim_matches('\'')).collect()
    }

    #[test]
    fn every_verb_is_in_one_group_and_has_an_example_that_parses() {
        fn leaves(command: &Command, path: &str, found: &mut Vec<String>) {
            for verb in command.get_subcommands() {
                let path = format!("{path}{}", verb.get_name());
                if verb.has_subcommands() {
                    leaves(verb, &format!("{path} "), found);
                } else {
                    found.push(path);
                }
            }
        }
        let mut known = Vec::new();
        leaves(&Arguments::command(), "", &mut known);
        let mut listed: Vec<String> =
            GROUPS.iter().flat_map(|(_, verbs)| *verbs).map(|verb| verb.name.to_owned()).collect();
        for verb in GROUPS.iter().flat_map(|(_, verbs)| *verbs) {
            assert!(!verb.examples.is_empty(), "{}", verb.name);
            for example in verb.examples {
                assert!(words(example).join(" ").starts_with(&format!("macrostep {}", verb.name)), "{example}");
                assert!(!example.contains('#') || example.len() <= EXAMPLE_MAX, "a remark is not divided: {example}");
                let parsed = command().try_get_matches_from(words(example));
                parsed.unwrap_or_else(|e| panic!("{example}: {e}"));
            }
        }
        known.sort();
        listed.sort();
        assert_eq!(known, listed);
    }

    #[test]
    fn the_list_keeps_the_width() {
        for width in [60, 80, 110] {
            let list = list(&Arguments::command().styles(clap::builder::Styles::plain()), width);
            assert!(list.lines().all(|line| line.chars().count() <= width), "{width}:\n{list}");
            assert!(list.contains("  run            Run a system of FMUs"), "{list}");
        }
    }
}
