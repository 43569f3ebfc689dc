//! How much there may be of the source: code lines of each crate, options, long functions, many parameters. `budget.toml` has the numbers.
//!
//! Code lines are lines with code: no tests, comments or empty lines. A function's lines are counted from `fn` to its closing brace.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use super::source::{Text, none, texts};

/// Lines of a function, tests included.
const FUNCTION_MAX: usize = 70;

/// Parameters of a function without `self`; elements of tuples count one by one.
const PARAMETERS_MAX: usize = 5;

/// The numbers of `budget.toml`.
#[derive(Deserialize)]
struct Budget {
    /// Options that are declared for the command line.
    options: usize,
    /// Functions of more than 50 lines, without those of tests.
    functions_above_50_lines: usize,
    /// Functions of more than [`FUNCTION_MAX`] lines: `path:name` and their lines.
    long_functions: BTreeMap<String, usize>,
    /// Functions of more than [`PARAMETERS_MAX`] parameters: `path:name` and how many.
    many_parameters: BTreeMap<String, usize>,
    /// Code lines of each crate.
    code_lines: BTreeMap<String, usize>,
}

fn budget() -> Budget {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/house/budget.toml");
    toml::from_str(&std::fs::read_to_string(path).expect("tests/house/budget.toml")).expect("numbers")
}

/// Whether a whole file is of tests, benchmarks or examples.
fn is_of_tests(path: &str) -> bool {
    let beside = ["tests/", "benches/", "fuzz/", "examples/"];
    beside.iter().any(|folder| path.starts_with(folder)) || path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// The crate that a file belongs to.
fn crate_of(path: &str) -> &str {
    let mut parts = path.split('/');
    match parts.next() {
        Some("crates") => parts.next().unwrap_or(path),
        Some(first) => first,
        None => path,
    }
}

/// Lines with code, each with its number; modules of tests are left out.
fn code(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut is_test) = (Vec::new(), false);
    for (n, line) in text.lines().enumerate() {
        is_test |= line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test");
        let written = line.trim();
        if !is_test && !written.is_empty() && !written.starts_with("//") {
            found.push((n, line));
        }
        // An item ends with a brace or a semicolon at the left margin.
        is_test &= !(line == "}" || (line.ends_with(';') && !line.starts_with([' ', '#'])));
    }
    found
}

/// Name and lines of each function; `rustfmt` puts the closing brace where the line with `fn` begins.
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let margin = &line[..line.len() - line.trim_start().len()];
        let words = line.trim_start();
        let Some((before, rest)) = words.split_once("fn ") else { continue };
        let is_head = before.split_whitespace().all(|word| {
            ["pub", "const", "unsafe", "extern", "\"C\"", "async"].contains(&word) || word.starts_with("pub(")
        });
        if !is_head {
            continue;
        }
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_end = |line: &&str| {
            line.strip_prefix(margin)
                .is_some_and(|rest| rest == "}" || rest.ends_with(';') && !rest.starts_with([' ', ')']))
        };
        // A declaration, or a function in one line, ends where it begins.
        let length = if line.ends_with(['}', ';']) {
            0
        } else {
            lines[first + 1..].iter().position(is_end).map_or(0, |n| n + 1)
        };
        found.push((name, first, length + 1));
    }
    found
}

/// Parts between commas that are inside of nothing.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut before, mut found) = (0, 0, ' ', Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // An arrow closes nothing.
            '>' if before == '-' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    found.push(&list[begin..]);
    found.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// How many values a type has: those of a tuple, or of a reference to one.
fn values_of(kind: &str) -> usize {
    let words = kind.trim().trim_start_matches('&').split_whitespace();
    let plain = words.filter(|word| !word.starts_with('\'') && *word != "mut").collect::<Vec<_>>().join(" ");
    match plain.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(tuple) => parts(tuple).into_iter().map(values_of).sum(),
        None => 1,
    }
}

/// Name, line and parameters of each function.
fn parameters(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut found = Vec::new();
    for (name, first, length) in functions(text) {
        let head = lines[first..first + length].join("\n");
        let Some((_, rest)) = head.split_once(&format!("fn {name}")) else { continue };
        // What is generic stands before the parameters.
        let end_of = |text: &str| {
            let (mut depth, mut before) = (0, ' ');
            for (at, c) in text.char_indices() {
                depth += i32::from(matches!(c, '(' | '<')) - i32::from(c == ')' || c == '>' && before != '-');
                before = c;
                if depth == 0 {
                    return at + 1;
                }
            }
            text.len()
        };
        let rest = if rest.starts_with('<') { &rest[end_of(rest)..] } else { rest };
        let Some(list) = rest[..end_of(rest)].strip_prefix('(').and_then(|list| list.strip_suffix(')')) else {
            continue;
        };
        // A pattern may be a tuple as well; the type stands behind the first colon outside of it.
        let types = parts(list).into_iter().filter_map(|part| {
            let from = if part.starts_with('(') { end_of(part) } else { 0 };
            part[from..].split_once(':').map(|(_, kind)| kind)
        });
        found.push((name, first, types.map(values_of).sum()));
    }
    found
}

/// Options that are declared there: attributes `arg` with a `long` name.
fn options_in(code: &[(usize, &str)]) -> usize {
    let text: String = code.iter().map(|(_, line)| format!("{line}\n")).collect();
    let attributes = text.split("#[arg(").skip(1).map(|rest| rest.split(")]").next().unwrap_or_default());
    let is_long = |part: &str| part.trim() == "long" || part.trim().starts_with("long =");
    attributes.filter(|attribute| attribute.split(',').any(is_long)).count()
}

/// Fails where there is more than the budget has, and says the line that pays for it.
fn within(findings: &mut Vec<String>, what: &str, found: usize, allowed: usize) {
    if found > allowed {
        findings.push(format!("{what}: {found}, at most {allowed}"));
    }
}

#[test]
fn functions_are_short() {
    let Budget { long_functions, .. } = budget();
    let mut findings = Vec::new();
    for Text { path, text } in texts(&[".rs"]) {
        for (name, line, length) in functions(&text) {
            let allowed = long_functions.get(&format!("{path}:{name}")).copied().unwrap_or(FUNCTION_MAX);
            if length > allowed {
                findings
                    .push(format!("{path}:{}: `{name}` has {length} lines, at most {allowed}: divide it", line + 1));
            }
        }
    }
    none(findings);
}

#[test]
fn functions_take_few_values() {
    let Budget { many_parameters, .. } = budget();
    let (mut findings, mut many) = (Vec::new(), Vec::new());
    for Text { path, text } in texts(&[".rs"]) {
        for (name, line, count) in parameters(&text).into_iter().filter(|(.., count)| *count > PARAMETERS_MAX) {
            let allowed = many_parameters.get(&format!("{path}:{name}")).copied().unwrap_or(PARAMETERS_MAX);
            let what = format!("{path}:{}: `{name}` takes {count} values", line + 1);
            many.push(format!("\"{path}:{name}\" = {count}"));
            within(&mut findings, &what, count, allowed);
        }
    }
    many.sort();
    println!("[many_parameters]\n{}", many.join("\n"));
    none(findings);
}

#[test]
fn the_source_is_within_its_budget() {
    let budget = budget();
    let (mut lines, mut long, mut options) = (BTreeMap::<String, usize>::new(), 0, 0);
    let sources = texts(&[".rs"]).into_iter().filter(|Text { path, .. }| !is_of_tests(path));
    for Text { path, text } in sources {
        let code = code(&text);
        *lines.entry(crate_of(&path).to_owned()).or_default() += code.len();
        options += options_in(&code);
        let is_code = |line: usize| code.binary_search_by_key(&line, |(n, _)| *n).is_ok();
        long += functions(&text).iter().filter(|(_, line, length)| *length > 50 && is_code(*line)).count();
    }
    let mut findings = Vec::new();
    within(&mut findings, "options", options, budget.options);
    within(&mut findings, "functions_above_50_lines", long, budget.functions_above_50_lines);
    let mut found = String::new();
    for (name, lines) in &lines {
        writeln!(found, "{name} = {lines}").expect("a text");
        within(&mut findings, &format!("code_lines.{name}"), *lines, budget.code_lines.get(name).copied().unwrap_or(0));
    }
    println!("options = {options}\nfunctions_above_50_lines = {long}\n[code_lines]\n{found}");
    none(findings);
}

#[test]
fn lengths_are_those_of_the_text() {
    let text = "pub fn one(x: u8) -> u8 { x }\n\nimpl A {\n    /// Two.\n    pub(crate) const fn two(\n        x: u8,\n    ) -> u8 {\n        x\n    }\n\n    fn three();\n}\n#[cfg(test)]\nmod tests {\n    fn four() {\n    }\n}\nfn five() {\n}\n";
    let found = functions(text).into_iter().map(|(name, _, length)| (name, length)).collect::<Vec<_>>();
    let expected = [("one", 1), ("two", 5), ("three", 1), ("four", 2), ("five", 2)];
    assert_eq!(found, expected.map(|(name, length)| (name.to_owned(), length)));
    assert_eq!(code(text).len(), 11);
    let text = "pub fn six<F: Fn(u8) -> u8>(\n    &mut self,\n    f: F, // one\n    (a, b): (&A, [u8; 2]),\n    c: &mut (B, (C, Vec<(D, E)>)),\n) -> u8 {\n}\n";
    assert_eq!(parameters(text), [("six".to_owned(), 0, 6)]);
    let text = "#[arg(long, value_name = \"T\")]\nx: u8\n#[arg(\n    short,\n    long = \"to\"\n)]\n#[arg(value_name = \"along\")]";
    assert_eq!(options_in(&code(text)), 2);
}
