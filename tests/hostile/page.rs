//! The page `docs/errors.md`, made from the errors that the tests provoke. `MACROSTEP_WRITE_DOCS=1 cargo test --test all
//! hostile` writes it.

use std::fmt::Write;
use std::path::Path;

use crate::hostile::{files, forked, options, slaves, systems};
use crate::run::Left;

const HEAD: &str = "# Errors

A test provokes every error below and writes this page: `MACROSTEP_WRITE_DOCS=1 cargo test --test all hostile`.
An error is one line on standard error. It names the slave, the call and the time, what was found, what was expected, and what
to do next. Exit codes: 1 failed, 2 usage, 3 comparison out of tolerance. Rows that were recorded before the error are on disk.
";

fn entry(page: &mut String, title: &str, left: &Left) {
    let Left { command, code, .. } = left;
    let code = code.unwrap_or(-1);
    let _ = writeln!(page, "\n**{title}**, exit code {code}\n\n```text\n$ {command}\n{}\n```", left.error());
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    page += "\n## Slaves that misbehave, each in a process of its own\n";
    for met in slaves::isolated().iter().filter(|met| met.left.code != Some(0)) {
        entry(&mut page, met.hazard.title, &met.left);
    }
    page += "\n## Units of a system, each in a process of its own\n";
    systems::isolated().iter().for_each(|met| entry(&mut page, met.fall.title, &met.left));
    page += "\n## Units that cannot go back by fork, in a system that repeats its steps\n";
    // The error about a lock has the path of its file.
    let met = forked::all().iter().filter(|met| met.held.title != "a lock");
    met.for_each(|met| entry(&mut page, met.held.title, &met.left));
    page += "\n## Files that cannot be used\n";
    files::all().iter().for_each(|met| entry(&mut page, met.refused.title, &met.left));
    page += "\n## Options and inputs that make no sense\n";
    for met in options::all() {
        let Left { command, code, .. } = &met.left;
        let _ = writeln!(page, "\n```text\n$ {command}\n{}\n```\nexit code {}", met.left.error(), code.unwrap_or(-1));
    }
    page
}

#[test]
fn the_page_of_errors_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors.md");
    let now = page();
    if std::env::var_os("MACROSTEP_WRITE_DOCS").is_some() {
        std::fs::write(&path, &now).expect("written");
    }
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    if let Some((a, b)) = before.lines().zip(now.lines()).find(|(a, b)| a != b) {
        panic!(
            "docs/errors.md is not current: it has\n{a}\nand should have\n{b}\n: MACROSTEP_WRITE_DOCS=1 cargo test --test all hostile"
        );
    }
    assert_eq!(
        before.lines().count(),
        now.lines().count(),
        "docs/errors.md: MACROSTEP_WRITE_DOCS=1 cargo test --test all hostile"
    );
}
