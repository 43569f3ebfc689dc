//! The command line with its help: verbs in groups, examples, completions for shells, and pages for `man`.

#[cfg(feature = "full")]
mod pages;
#[cfg(all(test, feature = "full"))]
mod typed;
mod verbs;

use clap::{Command, CommandFactory};
use macrostep_plot::table::terminal_width;
use macrostep_system::near::nearest;

use crate::arguments::Arguments;
use macrostep_benchmarks::FULL;
#[cfg(feature = "full")]
pub use pages::{CompletionsArguments, ManualArguments, completions, manual};
use verbs::{GROUPS, RARE, Verb};

/// Widest text of help, as for all other options.
const WIDTH_MAX: usize = 110;

/// Where the texts of the list of verbs begin.
const INDENT: usize = 17;

/// Longest line of an example, before it goes on in the next one.
const EXAMPLE_MAX: usize = 70;

/// The command line, with examples and the list of verbs by groups.
pub fn command() -> Command {
    let command = Arguments::command();
    let present: Vec<&Verb> = verbs().filter(|verb| find(&command, verb.name).is_some()).collect();
    let command = present.iter().fold(command, |command, verb| with_examples(command, verb.name, verb));
    let list = list(&command, terminal_width().unwrap_or(100).min(WIDTH_MAX));
    let head = heading(&command, "Options:");
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{head}\n{{options}}{{after-help}}"
    ))
}

/// All verbs.
fn verbs() -> impl Iterator<Item = &'static Verb> {
    GROUPS.iter().flat_map(|(_, verbs)| *verbs)
}

/// The command of a verb; `None` where this build lacks it.
fn find<'a>(command: &'a Command, name: &str) -> Option<&'a Command> {
    name.split(' ').try_fold(command, |command, name| command.find_subcommand(name))
}

/// The error for a verb that exists, and that this build lacks.
pub fn absent(command: &Command, typed: &str) -> Option<String> {
    let is_known = verbs().any(|verb| verb.name.split(' ').next() == Some(typed));
    let is_absent = is_known && command.find_subcommand(typed).is_none();
    is_absent.then(|| format!("the verb `{typed}` is not in this build; {FULL}"))
}

/// The error for a verb that nobody knows, with the nearest ones: two letters that changed places are not near enough for the parser.
pub fn misspelt(error: &clap::Error) -> Option<String> {
    if error.kind() != clap::error::ErrorKind::InvalidSubcommand {
        return None;
    }
    let typed = error.get(clap::error::ContextKind::InvalidSubcommand)?.to_string();
    let near: Vec<String> =
        nearest(&typed, verbs().map(|verb| verb.name)).iter().map(|name| format!("`{name}`")).collect();
    Some(format!("there is no verb `{typed}`; near it: {}; `macrostep --help` lists all", near.join(", ")))
}

/// The error for an option of former versions of this verb, with what is typed now.
pub fn former(error: &clap::Error, verb: &str) -> Option<String> {
    let kind = error.kind();
    let is_unknown = kind == clap::error::ErrorKind::UnknownArgument;
    let typed = error.get(clap::error::ContextKind::InvalidArg)?.to_string();
    let is_missing = kind == clap::error::ErrorKind::MissingRequiredArgument;
    if verb == "energy" && (is_missing || is_unknown && typed.starts_with("--coupling")) {
        return Some(
            "`macrostep energy` takes a SYSTEM, which says the coupling: write `macrostep energy case-1:f-f`; \
             `macrostep oscillator --coupling f-f --energy leak` shows the drift from the exact energy"
                .to_owned(),
        );
    }
    if verb == "simulate" && is_unknown && (typed.starts_with("--output-file") || typed.starts_with("--allow-non")) {
        return Some(
            "`macrostep simulate` writes its rows to `trace.csv` in the folder of `--out DIR`; a result with numbers that are not finite is \
             doubtful, or has failed where it ends with them"
                .to_owned(),
        );
    }
    let is_former = is_unknown && typed.starts_with("--tolerance");
    is_former.then(|| {
        "`--tolerance` is the largest error allowed, which this verb does not take; for the solvers inside the FMUs write \
         `--solver-tolerance`, for the corrector `--corrector-tolerance`; `macrostep run --error` chooses H for an error"
            .to_owned()
    })
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
        let command = command.mut_args(|option| {
            let is_rare = RARE.contains(&option.get_id().as_str()) || option.is_hide_short_help_set();
            option.hide_short_help(is_rare)
        });
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
    let mut absent = Vec::new();
    for (title, verbs) in GROUPS {
        let (present, missing): (Vec<_>, Vec<_>) = verbs.iter().partition(|verb| find(command, verb.name).is_some());
        absent.extend(missing.iter().map(|verb| verb.name));
        if present.is_empty() {
            continue;
        }
        text += &format!("{}\n", heading(command, &format!("{title}:")));
        for verb in present {
            let about =
                find(command, verb.name).and_then(Command::get_about).map(ToString::to_string).unwrap_or_default();
            let time = verb.time.map(|time| format!(" (about {time})")).unwrap_or_default();
            let lines = lines(&(about + &time), width.saturating_sub(INDENT).max(20));
            let pad = " ".repeat(INDENT.saturating_sub(2 + verb.name.len()));
            let joint = format!("\n{}", " ".repeat(INDENT));
            text += &format!("  {literal}{}{literal:#}{pad}{}\n", verb.name, lines.join(&joint));
        }
        text.push('\n');
    }
    if !absent.is_empty() {
        let sentence = format!("Not in this build: {}; {FULL}", absent.join(", "));
        text += &format!("{}\n\n", lines(&sentence, width).join("\n"));
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

    /// The short help of each verb has what most runs need, the long one everything.
    #[test]
    fn the_short_help_is_short() {
        let command = command();
        for verb in verbs() {
            let Some(found) = find(&command, verb.name) else { continue };
            let shown = found.get_opts().filter(|option| !option.is_hide_set() && !option.is_hide_short_help_set());
            assert!(shown.count() <= 15, "{}", verb.name);
            assert!(found.get_opts().all(|option| !option.is_hide_long_help_set()), "{}", verb.name);
        }
        // No name in the list is that of an option that is gone.
        let known = |rare: &str| {
            verbs()
                .filter_map(|verb| find(&command, verb.name))
                .any(|c| c.get_opts().any(|option| option.get_id() == rare))
        };
        assert!(RARE.iter().all(|rare| known(rare)));
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
