//! The pages of docs: the tutorial is run, commands name verbs and options that exist, links have a target, and the book
//! has every page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// All pages: of docs and its folders, README and the others of the root.
fn pages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|p| Path::new(ROOT).join(p)).to_vec();
    let mut folders = vec![Path::new(ROOT).join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of docs") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 20, "{found:?}");
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The page without what stands in code.
fn prose(page: &str) -> String {
    let outside = page.split("```").step_by(2).collect::<String>();
    outside.split('`').step_by(2).collect()
}

/// The name of a heading in links, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

#[test]
fn links_lead_somewhere() {
    let mut findings = Vec::new();
    let mut checked = 0;
    for page in pages() {
        let text = prose(&read(&page));
        for (_, after) in text.match_indices("](").map(|(at, m)| text.split_at(at + m.len())) {
            let Some((target, _)) = after.split_once(')') else { continue };
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            checked += 1;
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() { page.clone() } else { page.parent().expect("a folder").join(path) };
            let is_there = path.exists()
                // A fragment with values says settings of the laboratory.
                && (heading.is_empty()
                    || heading.contains('=')
                    || read(&path).lines().any(|l| l.starts_with('#') && anchor(l.trim_start_matches('#')) == heading));
            if !is_there {
                findings.push(format!("{}: `{target}`", page.display()));
            }
        }
    }
    assert!(checked > 60, "{checked} links");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn the_book_has_every_page() {
    let docs = Path::new(ROOT).join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    for page in pages() {
        if let Ok(page) = page.strip_prefix(&docs) {
            let page = page.to_str().expect("UTF-8").replace('\\', "/");
            assert!(
                page == "SUMMARY.md" || summary.contains(&format!("]({page})")),
                "{page} is not in docs/SUMMARY.md"
            );
        }
    }
}

/// The help of a verb; `None` where there is none of this name.
fn help(verb: &str) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_macrostep")).args(verb.split(' ')).arg("--help").output();
    let output = output.expect("the program starts");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A line of a page, which may be a command, and what stands in it between backquotes.
fn candidates(line: &str) -> impl Iterator<Item = (&str, bool)> {
    let whole = line.trim_start().trim_start_matches("$ ");
    std::iter::once((whole, false)).chain(line.split('`').skip(1).step_by(2).map(|span| (span, true)))
}

#[test]
fn commands_name_verbs_and_options_that_there_are() {
    let mut known: BTreeMap<String, Option<String>> = BTreeMap::new();
    let (mut findings, mut checked) = (Vec::new(), 0);
    for page in pages() {
        let text = read(&page).replace("\\\n", " ");
        for (line, is_span) in text.lines().flat_map(candidates) {
            let ways = ["macrostep ", "cargo run --release -- ", "cargo run --release --features full -- "];
            let Some(typed) = ways.iter().find_map(|way| line.strip_prefix(way)) else { continue };
            let words: Vec<&str> = typed.split(" # ").next().unwrap_or("").split_whitespace().collect();
            // Sentences that begin with the name are no commands, and the main job has no verb.
            let Some(verb) = words.first().filter(|w| w.chars().all(|c| c.is_ascii_lowercase())) else { continue };
            let verb = if *verb == "flex" { words[..words.len().min(2)].join(" ") } else { (*verb).to_owned() };
            let is_code = is_span || words.iter().any(|w| w.starts_with("--")) || words.len() < 3;
            let Some(help) = known.entry(verb.clone()).or_insert_with(|| help(&verb)) else {
                if is_code {
                    findings.push(format!("{}: no command `{verb}`: {line}", page.display()));
                }
                continue;
            };
            checked += 1;
            for option in words.iter().filter(|w| w.starts_with("--") && w.len() > 2) {
                let option = option.split(['=', ',', '`', ')', ']', ';', ':']).next().unwrap_or("");
                if !help.contains(&format!("{option} ")) && !help.contains(&format!("{option}\n")) {
                    findings.push(format!("{}: `{verb}` has no `{option}`", page.display()));
                }
            }
        }
    }
    assert!(checked > 50, "{checked} commands");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// Runs a line of the tutorial in its folder.
fn typed(line: &str, folder: &Path) -> Output {
    let words = line.strip_prefix("macrostep ").expect("a command").split_whitespace().map(|w| w.trim_matches('\''));
    Command::new(env!("CARGO_BIN_EXE_macrostep")).args(words).current_dir(folder).output().expect("the program starts")
}

/// An empty folder of its own.
fn empty(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Writes the scenario of a page, runs its commands, and looks for what it says that they print. Gives the numbers of commands and lines.
fn follow(page: &str, folder: &Path, code: impl Fn(&str) -> i32) -> (usize, usize) {
    let page = read(&Path::new(ROOT).join("docs").join(page));
    let mut said = String::new();
    let (mut commands, mut lines) = (0, 0);
    for block in page.split("```").skip(1).step_by(2) {
        let (language, body) = block.split_once('\n').expect("a language");
        if language == "toml" {
            std::fs::write(folder.join("pair.toml"), body).expect("written");
            continue;
        }
        // What a file looks like.
        if language == "csv" {
            continue;
        }
        if let Some(command) = body.lines().next().filter(|line| line.starts_with("macrostep ")) {
            let output = typed(command, folder);
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(code(command)), "{command}: {told}");
            said = String::from_utf8_lossy(&output.stdout).into_owned();
            commands += 1;
            continue;
        }
        // What a command prints.
        for line in body.lines() {
            assert!(said.lines().any(|l| l.starts_with(line)), "the page has\n{line}\nand the program says\n{said}");
            lines += 1;
        }
    }
    (commands, lines)
}

#[test]
fn the_tutorial_goes_from_wrong_to_right() {
    let folder = empty("tutorial");
    // 1 % is first asked for in vain.
    let is_vain = |c: &str| c.contains("--tolerance 1e-2") && !c.contains("ia2") && !c.contains("advise");
    // The first run grows, and says so.
    let code = |c: &str| if is_vain(c) { 3 } else { i32::from(c.contains("--out out/first")) };
    assert_eq!(follow("tutorial.md", &folder, code), (9, 13));
    assert!(folder.join("out/first/report.html").exists());
}

#[test]
fn the_calibration_goes_from_data_to_error_bars() {
    let folder = empty("calibration");
    std::fs::copy(Path::new(ROOT).join("examples/fit/measured.csv"), folder.join("measured.csv")).expect("copied");
    assert_eq!(follow("calibration.md", &folder, |_| 0), (6, 15));
    let fit: serde_json::Value = serde_json::from_str(&read(&folder.join("out/fit/fit.json"))).expect("JSON");
    let parameters = fit["parameters"].as_array().expect("a list");
    for (p, truth) in parameters.iter().zip([10.0, 0.3, 30.0, 0.5]) {
        let number = |key: &str| p[key].as_f64().expect("a number");
        assert!((number("value") - truth).abs() <= number("confidence"), "{p}");
        assert!(number("sigma") > 0.0 && number("coupling_error").abs() < number("sigma"), "{p}");
    }
    assert!(parameters.len() == 4 && folder.join("out/look/indices.svg").exists());
}
