//! FMUs that cannot save their state, or declare it wrongly, go back by fork: the same bits as with state functions.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::limited::cut_fmu;
use crate::make;
use crate::run::{Left, macrostep};

/// The pair of an example, of files in a folder; `cut` says whether their state functions are taken away.
fn pair(name: &str, cut: bool) -> PathBuf {
    let folder = make::folder(&format!("{name}-{cut}"));
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/oscillator-f-s.toml");
    let mut text = std::fs::read_to_string(example).expect("the example");
    for model in ["oscillator1_displacement", "oscillator2_force"] {
        let attributes: &[&str] = if cut { &["canGetAndSetFMUstate", "canSerializeFMUstate"] } else { &[] };
        std::fs::write(folder.join(format!("{model}.fmu")), cut_fmu(model, attributes)).expect("written");
        text = text.replace(&format!("embedded:{model}"), &format!("{model}.fmu"));
    }
    std::fs::write(folder.join("s.toml"), text).expect("written");
    folder
}

fn json(left: &Left) -> Value {
    assert_eq!(left.code, Some(0), "{left:#?}");
    serde_json::from_str(&left.stdout).expect("one JSON object")
}

#[test]
fn an_fmu_without_state_functions_gives_the_bits_of_the_one_with_them() {
    let (with, without) = (pair("bits", false), pair("bits", true));
    for options in [
        &["--correct", "newton", "--predict", "linear"][..],
        &["--correct", "iqn-ils", "--predict", "linear", "--schedule", "gauss-seidel"],
        &["--method", "waveform:8", "--step", "0.1"],
        &["--control", "error", "--control-tolerance", "1e-3", "--step", "1e-2", "--predict", "linear"],
    ] {
        let options = [&["run", "s.toml", "--json", "--stop", "0.2"][..], options].concat();
        let own = json(&macrostep(&with, &options));
        let left = macrostep(&without, &options);
        let forked = json(&left);
        for key in ["final", "windows", "control"] {
            assert_eq!(own[key], forked[key], "{options:?} {key}");
        }
        for unit in 0..2 {
            assert_eq!(own["units"][unit]["do_steps"], forked["units"][unit]["do_steps"], "{options:?}");
        }
        assert!(left.stderr.contains("unit `mass1` goes back by fork of a process of its own"), "{left:#?}");
        // The same again, by fork although there are state functions.
        let chosen = json(&macrostep(&with, &[&options[..], &["--rollback", "fork"]].concat()));
        assert_eq!(own["final"], chosen["final"], "{options:?}");
    }
    // Explicit coupling needs no process.
    let explicit = macrostep(&without, &["run", "s.toml", "--json", "--stop", "0.2"]);
    assert!(explicit.code == Some(0) && !explicit.stderr.contains("fork"), "{explicit:#?}");
}

#[test]
fn who_goes_back_by_fork_is_said() {
    let folder = pair("said", true);
    let explained = macrostep(&folder, &["explain", "s.toml", "--no-run"]);
    let line = explained.stdout.lines().find(|line| line.contains("iqn-ils")).unwrap_or_default();
    assert!(line.contains("yes; `mass1`, `mass2` by fork of a process of its own"), "{explained:#?}");
    let own = macrostep(&folder, &["explain", "s.toml", "--no-run", "--rollback", "own"]);
    let line = own.stdout.lines().find(|line| line.contains("iqn-ils")).unwrap_or_default();
    assert!(line.contains("no: `mass1`, `mass2` without `canGetAndSetFMUstate`"), "{own:#?}");
    let info = macrostep(&folder, &["info", "oscillator2_force.fmu"]);
    assert!(info.stdout.contains("by fork of a process of its own, where a method repeats steps"), "{info:#?}");
}

/// What `check --rollback` finds of an FMU with this description and these macros.
fn checked(name: &str, xml: &str, defines: &[(&str, &str)]) -> (Left, Value) {
    let folder = make::folder(name);
    std::fs::write(folder.join("a.fmu"), make::fmu(xml, defines)).expect("written");
    let left = macrostep(&folder, &["check", "a.fmu", "--rollback", "--json"]);
    let found = serde_json::from_str(&left.stdout).unwrap_or_else(|e| panic!("{e}: {left:#?}"));
    (left, found)
}

const STATES: &str = "canGetAndSetFMUstate=\"true\" canHandle";

/// A slave whose `fmi2SetFMUstate` does nothing and says that all is well.
const LIES: &[(&str, &str)] = &[("AT_RESTORE", "return OK")];

#[test]
fn an_fmu_that_lies_about_its_state_is_found() {
    let with = make::replaced("canHandle", STATES);
    let (left, found) = checked("honest", &with, &[]);
    assert_eq!((left.code, &found["rollback"]["own"]["goes_back"]), (Some(0), &true.into()), "{left:#?}");
    let fork = &found["rollback"]["fork"];
    assert!(fork["goes_back"] == true && fork["moved"] == 2 && fork["variables"] == 2, "{found}");

    let (left, found) = checked("lies", &with, LIES);
    assert_eq!((left.code, &found["rollback"]["own"]["goes_back"]), (Some(1), &false.into()), "{left:#?}");
    let reason = found["rollback"]["own"]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("`x` at t = 0.3 s is") && reason.contains("after going back"), "{reason}");
    assert_eq!(found["rollback"]["fork"]["goes_back"], true, "{found}");
    assert!(
        left.error().contains("does not go back by its state functions") && left.error().contains("--rollback fork")
    );

    let (left, found) = checked("without", make::XML, &[]);
    assert!(left.code == Some(0) && found["rollback"]["own"].is_null(), "{left:#?}");
    let thread = [("AT_INSTANTIATE", "{ pthread_t p; pthread_create(&p, NULL, sleeper, NULL); }")];
    let (left, found) = checked("thread", make::XML, &thread);
    assert!(left.code == Some(1) && left.error().contains("cannot go back"), "{left:#?}");
    assert!(found["rollback"]["fork"]["reason"].as_str().is_some_and(|r| r.contains("a thread")), "{found}");
}

/// Two slaves that follow each other, coupled by Newton: one that lies gives other numbers, and by fork the right ones.
#[test]
fn by_fork_a_lie_does_no_harm() {
    let end = |name: &str, defines: &[(&str, &str)], options: &[&str]| {
        let folder = make::folder(name);
        let xml = make::replaced("canHandle", STATES);
        std::fs::write(folder.join("a.fmu"), make::fmu(&xml, defines)).expect("written");
        let text = include_str!("../cases/systems/by-fork.toml");
        std::fs::write(folder.join("s.toml"), text).expect("written");
        json(&macrostep(&folder, &[&["run", "s.toml", "--json", "--accept-unconverged"], options].concat()))["final"]
            .clone()
    };
    let right = end("right", &[], &[]);
    assert_ne!(end("lying", LIES, &[]), right);
    assert_eq!(end("forked", LIES, &["--rollback", "fork"]), right);
}
