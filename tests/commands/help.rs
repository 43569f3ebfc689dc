//! The help: its examples do what they say, completions are scripts of their shells, and there is a page for `man` for each verb.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn macrostep(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
    command.args(arguments).current_dir(folder).env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Examples that take longest, each of which another test runs and looks at: `commands::crane`, `commands::laboratory`, and
/// `commands::json`.
const ELSEWHERE: [&str; 3] = [
    "macrostep crane --step 0.064 --solution",
    "macrostep converge test-model",
    "macrostep advise case-1 --tolerance 1e-3",
];

/// An empty folder.
fn empty(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The verbs of the list, `flex import` in two words, in its order.
fn listed(folder: &Path) -> Vec<String> {
    let help = text(&macrostep(folder, &["--help"]).stdout);
    let (_, list) = help.split_once("Your FMUs:").expect("groups");
    let (list, _) = list.split_once("\nOptions:").expect("options");
    let is_verb = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    list.lines().filter(is_verb).map(|line| line[2..17].trim().to_owned()).collect()
}

#[test]
fn examples_of_every_verb_run() {
    let folder = empty("examples");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::os::unix::fs::symlink(repository.join("examples"), folder.join("examples")).expect("a link");
    let verbs = listed(&folder);
    assert!(verbs.len() > 25, "{verbs:?}");
    let (mut ran, mut elsewhere) = (0, 0);
    for verb in &verbs {
        let mut arguments: Vec<&str> = verb.split(' ').collect();
        arguments.push("--help");
        let help = text(&macrostep(&folder, &arguments).stdout);
        let help = help.replace("\\\n", "");
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("`{verb}` has no example"));
        for example in examples.lines().map(str::trim).filter(|line| line.starts_with("macrostep ")) {
            // What takes long is only parsed, which a test of the list of verbs does.
            if example.contains(" # about ") {
                continue;
            }
            if ELSEWHERE.iter().any(|begin| example.starts_with(begin)) {
                elsewhere += 1;
                continue;
            }
            let typed = example.split(" # ").next().unwrap_or_default();
            let typed = format!("{}{}", env!("CARGO_BIN_EXE_macrostep"), typed.trim_start_matches("macrostep"));
            let run = Command::new("sh").args(["-c", &typed]).current_dir(&folder).output().expect("a shell");
            assert!(run.status.success(), "{example}: {}", text(&run.stderr));
            ran += 1;
        }
    }
    assert!(ran >= 25 && elsewhere == ELSEWHERE.len(), "{ran} examples ran, {elsewhere} do elsewhere");
}

#[test]
fn help_has_colours_unless_they_are_unwanted() {
    let folder = empty("colours");
    let help = |unwanted: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
        command.arg("--help").current_dir(&folder).env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR");
        text(&command.envs(unwanted.iter().copied()).output().expect("the program starts").stdout)
    };
    assert!(help(&[]).contains("\u{1b}["));
    assert!(!help(&[("NO_COLOR", "1")]).contains('\u{1b}'));
}

#[test]
fn help_keeps_the_width() {
    let folder = empty("width");
    for width in [70, 100] {
        for verb in ["", "run", "stability"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
            let arguments = [verb, "--help"].into_iter().filter(|word| !word.is_empty());
            let run = command.args(arguments).env("COLUMNS", width.to_string()).current_dir(&folder).output();
            let help = text(&run.expect("the program starts").stdout);
            // Commands to copy are not broken.
            let lines = help.lines().filter(|line| !line.trim_start().starts_with("macrostep "));
            for line in lines {
                assert!(line.chars().count() <= width, "{verb} at {width}: {line}");
            }
        }
    }
}

#[test]
fn completions_know_verbs_and_options() {
    let folder = empty("completions");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = macrostep(&folder, &["completions", shell]);
        assert!(script.status.success(), "{}", text(&script.stderr));
        let script = text(&script.stdout);
        for word in ["verify", "accept-unconverged", "surface"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    // Bash itself completes with it.
    let script = text(&macrostep(&folder, &["completions", "bash"]).stdout);
    let ask =
        "\nCOMP_WORDS=(macrostep ver); COMP_CWORD=1; _macrostep macrostep ver macrostep; echo \"${COMPREPLY[@]}\"\n";
    std::fs::write(folder.join("ask.bash"), script + ask).expect("written");
    let answer = Command::new("bash").arg("ask.bash").current_dir(&folder).output().expect("bash");
    assert_eq!(text(&answer.stdout).trim(), "verify", "{}", text(&answer.stderr));
}

#[test]
fn there_is_a_page_for_man_for_each_verb() {
    let folder = empty("manual");
    let run = macrostep(&folder, &["manual", "man1"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    for verb in listed(&folder) {
        let page = folder.join("man1").join(format!("macrostep-{}.1", verb.replace(' ', "-")));
        let page = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        assert!(
            page.contains(".TH macrostep") && page.contains(".SH SYNOPSIS") && page.contains("Examples:"),
            "{page}"
        );
        assert!(!page.contains('\u{1b}'), "{verb}");
    }
    let page = std::fs::read_to_string(folder.join("man1/macrostep.1")).expect("a page");
    assert!(page.contains("macrostep\\-verify(1)"), "{page}");
}

/// A mistake names the verb, the system or the page that was probably meant.
#[test]
fn mistakes_name_what_was_meant() {
    let folder = empty("mistakes");
    std::fs::write(folder.join("pair.toml"), "[experiment]\nstop = 1.0\n").expect("a file");
    let refused: [(&[&str], i32, &str); 6] = [
        (&["rnu", "pair.toml"], 2, "there is no verb `rnu`; near it: `run`"),
        (&["simulate", "pair.toml"], 1, "`macrostep run pair.toml` runs the system"),
        (&["info", "case-1"], 1, "`macrostep run case-1` runs the system"),
        (&["run", "cas-2"], 2, "the nearest is `case-2`"),
        (&["docs", "sistems"], 2, "the nearest are `systems`"),
        (&["run", "case-1", "--tolerance", "1e-3"], 2, "`macrostep run --error` chooses H"),
    ];
    for (arguments, code, expected) in refused {
        let output = macrostep(&folder, arguments);
        let error = text(&output.stderr);
        assert!(output.status.code() == Some(code) && error.contains(expected), "{arguments:?}: {error}");
    }
}

/// Pages are those of the folder, under all the names that messages and links have for them.
#[test]
fn pages_are_printed() {
    let folder = empty("pages");
    let page = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/methods.md")).expect("the page");
    for name in ["methods", "docs/methods.md", "methods.md#waveforms"] {
        assert!(macrostep(&folder, &["docs", name]).stdout == page, "{name}");
    }
    assert!(text(&macrostep(&folder, &["docs"]).stdout).contains("methods           Methods"));
}

/// `--quiet` leaves out notes; warnings and the result stay.
#[test]
fn quiet_leaves_out_notes() {
    let folder = empty("quiet");
    let asked = ["run", "circuit", "--stop", "0.05"];
    let (loud, quiet) = (macrostep(&folder, &asked), macrostep(&folder, &[&asked[..], &["-q"]].concat()));
    let notes = |output: &Output| text(&output.stderr).lines().filter(|l| l.starts_with("note: ")).count();
    assert!(notes(&loud) > 0 && notes(&quiet) == 0, "{}", text(&quiet.stderr));
    assert!(quiet.status.code() == loud.status.code() && text(&quiet.stdout).contains("verdict: "));
}
