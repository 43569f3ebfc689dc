//! The source text itself: where `unsafe` may stand, how long a file is, which words are used, and no path of a machine.
//!
//! Lists of exceptions hold numbers that may only become smaller: whoever mends a part lowers its number.

use super::source::{Text, none, texts};

/// Lines of a file of Rust.
const LINES_MAX: usize = 400;

/// Longer files, and the lines they have.
const LONG: &[(&str, usize)] = &[("tests/foreign/ssp.rs", 489)];

/// Folders and files whose code may be `unsafe`: the C ABI, the export shell, and the loading of foreign libraries, the exports of the laboratory.
const UNSAFE: &[&str] = &[
    "crates/fmi2/src/",
    "crates/fmi3/src/",
    "crates/export/",
    "crates/import/src/fmu/",
    "crates/import/src/isolation/region.rs",
    "crates/import/src/isolation/system",
    "lab/src/exports.rs",
];

/// Tests and benchmarks that call C functions, count allocations or fork; none is part of the program.
const UNSAFE_IN_TESTS: &[&str] = &[
    "benches/isolation.rs",
    "benches/bare/mod.rs",
    "benches/bare/ring.rs",
    "benches/macro_step.rs",
    "benches/scale.rs",
    "fuzz/fuzz_targets/calls.rs",
    "fuzz/fuzz_targets/calls_3.rs",
    "tests/kit/counting.rs",
];

/// Words that are not used, the word of the field instead (docs/notation.md), and in how many lines the word still stands.
const WORDS: &[(&str, &str, usize)] = &[
    ("no number", "NaN, not finite, or a text", 0),
    ("not a number", "NaN, or not finite", 0),
    ("beyond all numbers", "not finite", 0),
    ("memento", "snapshot (in memory), checkpoint (in a file), saved state", 0),
    ("misfit", "mismatch", 0),
    ("unkept", "not saved", 0),
    ("books", "energy balance", 0),
    ("ledger", "energy balance", 0),
    ("palindrome", "symmetric schedule", 0),
    ("palindromes", "symmetric steps", 1),
    ("unmerge", "half steps apart", 0),
    ("foundry", "factory of units", 0),
    ("retune", "reset", 0),
    ("mapless", "without one-step map", 0),
    ("witness", "callback of a run", 0),
    ("goon", "what a callback answers: continue, checkpoint, stop", 0),
    ("keeper", "writer of checkpoints", 0),
];

/// Words that say nothing to those who do not know the code: no names of types, modules or functions, and in how many names they still stand.
const NAMES: &[(&str, usize)] = &[
    ("room", 0),
    ("door", 0),
    ("told", 2),
    ("said", 0),
    ("kept", 3),
    ("meaning", 1),
    ("reach", 0),
    ("shows", 0),
    ("course", 1),
    ("stretch", 0),
    ("pace", 0),
    ("terms", 0),
];

/// Beginnings of paths that exist on one machine only.
const PATHS: &[&str] = &["/home/", "/root/", "/Users/", "/work/", "C:\\Users"];

/// Whether the line has this word, in any case, with no letter, digit or `_` beside it.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let line = line.to_lowercase();
    line.match_indices(word)
        .any(|(at, _)| !is_part(line[..at].chars().next_back()) && !is_part(line[at + word.len()..].chars().next()))
}

/// The name that a line declares for a type, a module or a function.
fn declared(line: &str) -> Option<String> {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let words: Vec<&str> =
        words.skip_while(|word| ["pub", "crate", "super", "in", "const", "unsafe"].contains(word)).take(2).collect();
    let [kind, name] = words[..] else { return None };
    ["fn", "struct", "enum", "mod", "trait", "type"].contains(&kind).then(|| name.to_lowercase())
}

#[test]
fn names_are_words_of_the_field() {
    let mut found = vec![Vec::new(); NAMES.len()];
    let sources =
        texts(&[".rs"]).into_iter().filter(|t| !t.path.starts_with("tests/") && !t.path.starts_with("master/"));
    for Text { path, text } in sources {
        for (i, line) in text.lines().enumerate() {
            let Some(name) = declared(line) else { continue };
            if let Some(at) = NAMES.iter().position(|(word, _)| *word == name) {
                found[at].push(format!("{path}:{}: {}", i + 1, line.trim()));
            }
        }
    }
    let numbers: Vec<String> =
        NAMES.iter().zip(&found).map(|((word, _), found)| format!("{word} {}", found.len())).collect();
    println!("{}", numbers.join(", "));
    none(
        NAMES.iter().zip(found).filter(|((_, most), found)| found.len() > *most).flat_map(|(_, found)| found).collect(),
    );
}

#[test]
fn unsafe_code_stands_where_it_is_allowed() {
    let forms = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "unsafe trait", "#[unsafe(", "unsafe_code)"];
    let mut findings = Vec::new();
    for Text { path, text } in texts(&[".rs"]) {
        if UNSAFE.iter().any(|allowed| path.starts_with(allowed)) || UNSAFE_IN_TESTS.contains(&path.as_str()) {
            continue;
        }
        for (i, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if forms.iter().any(|form| code.contains(form)) && !code.contains("deny(") && !code.contains("forbid(") {
                findings.push(format!("{path}:{}: unsafe code, allowed only in {}", i + 1, UNSAFE.join(", ")));
            }
        }
    }
    none(findings);
}

/// Above the statement with the block, or inside it, there is a comment that says why it is sound.
#[test]
fn each_block_of_unsafe_code_says_why_it_is_sound() {
    let (mut blocks, mut findings) = (0, Vec::new());
    for Text { path, text } in texts(&[".rs"]) {
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if !code.contains("unsafe {") && !code.contains("unsafe impl") {
                continue;
            }
            blocks += 1;
            // Comments, attributes and the beginning of the same statement; another statement ends the search.
            let is_of_another = |line: &&&str| {
                let line = line.trim();
                !line.starts_with("//") && (line.is_empty() || line.ends_with([';', '{', '}']))
            };
            let above = lines[..i].iter().rev().take_while(|line| !is_of_another(line));
            if !line.contains("SAFETY:") && !above.into_iter().any(|line| line.contains("// SAFETY:")) {
                findings.push(format!("{path}:{}: unsafe code without `// SAFETY: …`", i + 1));
            }
        }
    }
    assert!(blocks > 100, "{blocks} blocks of unsafe code found");
    none(findings);
}

#[test]
fn files_are_short() {
    let mut findings = Vec::new();
    for Text { path, text } in texts(&[".rs"]) {
        let lines = text.lines().count();
        let allowed = LONG.iter().find(|(known, _)| *known == path).map_or(LINES_MAX, |(_, lines)| *lines);
        if lines > allowed {
            findings.push(format!("{path}: {lines} lines, at most {allowed}: divide it"));
        }
    }
    none(findings);
}

#[test]
fn words_are_those_of_the_field() {
    // The list of changes is history, and the notation says which words are meant.
    let texts: Vec<Text> = texts(&[".rs", ".md"])
        .into_iter()
        .filter(|t| !["CHANGELOG.md", "docs/notation.md"].contains(&t.path.as_str()))
        .collect();
    let mut findings = Vec::new();
    for (word, instead, allowed) in WORDS {
        let mut places = Vec::new();
        for Text { path, text } in &texts {
            let lines = text.lines().enumerate().filter(|(_, line)| has_word(line, word));
            places.extend(lines.map(|(i, _)| format!("{path}:{}", i + 1)));
        }
        if places.len() > *allowed {
            let found = places.len();
            findings.push(format!(
                "`{word}` in {found} lines, at most {allowed}; say {instead}:\n  {}",
                places.join("\n  ")
            ));
        }
    }
    none(findings);
}

#[test]
fn no_path_of_a_machine_is_in_the_text() {
    let mut findings = Vec::new();
    for Text { path, text } in texts(&[".rs", ".md", ".toml", ".sh", ".py", ".txt", ".json", ".xml", ".ssd", ".c"]) {
        for (i, line) in text.lines().enumerate() {
            if let Some(found) = PATHS.iter().find(|start| line.contains(**start)) {
                findings.push(format!("{path}:{}: a path that begins with `{found}`", i + 1));
            }
        }
    }
    none(findings);
}
