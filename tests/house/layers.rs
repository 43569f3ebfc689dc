//! The folders of the engine: each imports only from those before it.

use super::source::{none, texts};

/// Folders of `master/src` in the order in which they may be used, those at its top level first.
const FOLDERS: [&str; 8] = ["unit", "", "signal", "record", "system", "method", "step", "run"];

/// Files at the top level.
const FILES: [&str; 4] = ["error", "ids", "savable", "time"];

/// The place of a folder or of a file at the top level in the order.
fn place(name: &str) -> Option<usize> {
    FOLDERS.iter().position(|folder| *folder == name)
}

/// Names after `crate::` in a line, without its comment.
fn imported(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn folders_of_the_engine_import_in_one_direction() {
    let (mut imports, mut findings) = (0, Vec::new());
    for source in texts(&[".rs"]) {
        let Some(path) = source.path.strip_prefix("master/src/").filter(|path| *path != "lib.rs") else { continue };
        let folder = path.split_once('/').map_or("", |(folder, _)| folder);
        let Some(own) = place(folder) else {
            findings.push(format!("{}: a folder that is not in the list of tests/house/layers.rs", source.path));
            continue;
        };
        // Tests at the end of a file may use everything.
        let code = source.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        if path.ends_with("tests.rs") || path.ends_with("refreshed.rs") {
            continue;
        }
        for (i, line) in code.lines().enumerate() {
            for name in imported(line) {
                imports += 1;
                let other = if FILES.contains(&name) { place("") } else { place(name) };
                if other.is_some_and(|other| other > own) {
                    findings.push(format!(
                        "{}:{}: `{folder}` imports from `{name}`, which comes later",
                        source.path,
                        i + 1
                    ));
                }
            }
        }
    }
    // Fewer would mean that the search has lost its way.
    assert!(imports > 300, "{imports} imports found");
    none(findings);
}
