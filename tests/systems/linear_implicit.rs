//! Linear-implicit coupling of FMUs from a scenario: one run a macro step, without a way back.

use std::path::{Path, PathBuf};

use crate::limited::cut_fmu;
use crate::run::{json, program};

fn example() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/oscillator-f-f.toml");
    path.display().to_string()
}

fn folder(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn write(folder: &Path, text: &str) -> String {
    let path = folder.join("system.toml");
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

/// What a run that must fail says.
fn refused(arguments: &[&str]) -> String {
    let output = program(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    said
}

/// FMUs that cannot go back, and a spring that is stiff over a macro step: each step is made once, and the run does not grow.
#[test]
fn fmus_that_cannot_go_back_are_coupled_implicitly() {
    let folder = folder("coupled");
    let mut text = std::fs::read_to_string(example()).expect("the example");
    text = text.replace("stiffness = 100.0", "stiffness = 1e4").replace("stop = 10.0", "stop = 1.0");
    for name in ["oscillator1_force", "oscillator2_force"] {
        let cut = cut_fmu(name, &["canGetAndSetFMUstate", "canSerializeFMUstate"]);
        std::fs::write(folder.join(format!("{name}.fmu")), cut).expect("the FMU");
        text = text.replace(&format!("embedded:{name}"), &format!("{name}.fmu"));
    }
    let path = write(&folder, &text);
    let run = |correct: &str| {
        let options = ["--rollback", "own", "--predict", "linear", "--step", "1e-2", "--correct", correct, "--json"];
        json(&[&["run", &path][..], &options].concat())
    };
    let (explicit, result) = (run("explicit"), run("linear-implicit"));
    assert_eq!(result["window_runs"], 100, "{result}");
    let sizes = [explicit, result].map(|r| r["final"]["mass1.x"].as_f64().expect("a position").abs());
    assert!(sizes[0] > 1e3 && sizes[1] < 1.0, "{sizes:?}");
}

/// What a linear model needs is refused in words where it is missing.
#[test]
fn linear_models_that_cannot_be_are_refused_in_words() {
    let folder = folder("refused");
    let silent = cut_fmu("oscillator1_force", &["providesDirectionalDerivative"]);
    std::fs::write(folder.join("silent.fmu"), silent).expect("the FMU");
    let text = std::fs::read_to_string(example()).expect("the example");
    let text = text.replace("embedded:oscillator1_force", "silent.fmu");
    let system = write(&folder, &text);
    let said = refused(&["run", &system, "--correct", "linear-implicit"]);
    assert!(["`mass1`", "`providesDirectionalDerivative`"].iter().all(|word| said.contains(word)), "{said}");
    let options = ["--correct", "linear-implicit", "--control", "error"];
    let said = refused(&[&["run", &example()][..], &options].concat());
    assert!(said.contains("linear-implicit") && said.contains("steps of one length"), "{said}");
}
