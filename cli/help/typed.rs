//! The keywords of the Python module with their types, from the declaration of the options.
//!
//! `MACROSTEP_WRITE=1 cargo test --workspace --lib help::typed` writes `python/macrostep/options.py` anew.

use std::any::TypeId;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};

use super::{command, find};

/// The head of the file.
const HEAD: &str = r#""""Keywords of the verbs with their types, as type checkers and editors read them.

Written by a test from the declaration of the options (cli/help/typed.rs); not to be edited.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, TypedDict, Union
"#;

/// Each class with its verb, and the options that Python has in another way.
const CLASSES: [(&str, &str, &[&str]); 7] = [
    ("RunOptions", "run", &[]),
    ("VerifyOptions", "verify", &["json", "junit"]),
    ("AdviseOptions", "advise", &["json", "tolerance"]),
    ("SweepOptions", "sweep", &["json", "merge", "shard", "vary", "measure", "out"]),
    ("FitOptions", "fit", &["json", "data", "free"]),
    ("ExportOptions", "export", &["out"]),
    (
        "SimulateOptions",
        "simulate",
        &["json", "start", "start_value", "input", "isolate", "out", "no_pictures", "report", "watch"],
    ),
];

/// The type of one value of an option.
fn one(option: &Arg) -> String {
    let listed = option.get_possible_values();
    let literal = |words: &[String]| format!("Literal[{}]", words.join(", "));
    if !listed.is_empty() {
        let words = listed.iter().flat_map(|word| word.get_name_and_aliases());
        return literal(&words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>());
    }
    let id = option.get_value_parser().type_id();
    if id == TypeId::of::<f64>() {
        return "float".to_owned();
    }
    if [TypeId::of::<usize>(), TypeId::of::<u64>(), TypeId::of::<u16>()].into_iter().any(|t| id == t) {
        return "int".to_owned();
    }
    if id == TypeId::of::<PathBuf>() {
        return "Union[str, \"os.PathLike[str]\"]".to_owned();
    }
    if id == TypeId::of::<String>() {
        return "str".to_owned();
    }
    // Words that may carry numbers: those of the help text that the option takes, and texts.
    let words: Vec<String> = words(option).iter().map(|word| format!("\"{word}\"")).collect();
    if words.is_empty() { "Union[str, float]".to_owned() } else { format!("Union[{}, str]", literal(&words)) }
}

/// The words in the help text of an option that the option takes.
fn words(option: &Arg) -> Vec<String> {
    let help = help(option);
    let parts = help.split(|c: char| c.is_whitespace() || "[](),;".contains(c));
    let words = parts.map(|word| word.trim_end_matches(':')).filter(|word| word.starts_with(char::is_lowercase));
    // What has a capital stands for names and numbers of the user.
    let words = words.filter(|word| !word.contains(char::is_uppercase));
    let name = option.get_long().unwrap_or_default();
    let takes = |word: &str| {
        let alone = Command::new("word").arg(option.clone().required(false));
        alone.try_get_matches_from(["word".to_owned(), format!("--{name}={word}")]).is_ok()
    };
    let mut out: Vec<String> = Vec::new();
    for word in words.filter(|word| takes(word)) {
        if !out.iter().any(|known| known == word) {
            out.push(word.to_owned());
        }
    }
    out
}

fn help(option: &Arg) -> String {
    let text = option.get_long_help().or(option.get_help()).map(ToString::to_string).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The type of an option: a list is the option again and again, a mapping stands for NAME=VALUE.
fn kind(option: &Arg) -> String {
    let one = match option.get_action() {
        ArgAction::SetTrue => return "bool".to_owned(),
        _ => one(option),
    };
    let is_named = option.get_value_names().is_some_and(|names| names.iter().any(|name| name.contains('=')));
    match option.get_action() {
        ArgAction::Append if is_named => format!("Union[{one}, Sequence[{one}], Mapping[str, Any]]"),
        ArgAction::Append => format!("Union[{one}, Sequence[{one}]]"),
        _ => one,
    }
}

/// The class of a verb.
fn class(name: &str, verb: &str, command: &Command, left_out: &[&str]) -> String {
    let mut text = format!("\n\nclass {name}(TypedDict, total=False):\n    \"\"\"Keywords of `{verb}`.\"\"\"\n\n");
    let shown = command.get_opts().filter(|option| !option.is_hide_set() && !option.is_global_set());
    for option in shown {
        let keyword = option.get_long().unwrap_or_default().replace('-', "_");
        if !left_out.contains(&keyword.as_str()) {
            let about = macrostep_answers::api::keywords(&help(option)).replace('\\', "\\\\");
            text += &format!("    {keyword}: Optional[{}]\n    \"\"\"{about}.\"\"\"\n", kind(option));
        }
    }
    text
}

#[test]
fn the_keywords_of_python_are_the_options() {
    let all = command();
    let [run, verify] = macrostep_answers::api::commands();
    let mut text = HEAD.to_owned();
    for (name, verb, left_out) in CLASSES {
        let command = match verb {
            "run" => &run,
            "verify" => &verify,
            _ => find(&all, verb).unwrap_or_else(|| panic!("no verb `{verb}`")),
        };
        assert!(
            left_out.iter().all(|id| command.get_opts().any(|o| o.get_long() == Some(&id.replace('_', "-")))),
            "{verb}"
        );
        text += &class(name, verb, command, left_out);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/macrostep/options.py");
    if std::env::var_os("MACROSTEP_WRITE").is_some() {
        std::fs::write(&path, &text).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "python/macrostep/options.py differs from the options: MACROSTEP_WRITE=1 with this test writes it anew"
    );
}
