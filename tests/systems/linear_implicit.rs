//! Linear-implicit coupling of FMUs from a scenario: one run a macro step, without a way back.

use std::path::{Path, PathBuf};

use macrostep::{embedded, factory};
use macrostep_analysis::advise::{Question, advise};
use macrostep_analysis::measure::{Reference, run as measured};
use macrostep_analysis::scheme::Correct;
use macrostep_analysis::{FromFile, Setup};
use macrostep_system::{Fmus, toml};

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
        let options = [
            "--rollback",
            "own",
            "--predict",
            "linear",
            "--step",
            "1e-2",
            "--correct",
            correct,
            "--json",
            "--accept-growth",
        ];
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

/// Two masses at rest with a spring and damper between them that are stiff over the steps their motion needs. Units that cannot go
/// back, but offer directional derivatives, are advised to be coupled linear-implicitly, and the error is the one that is predicted.
#[test]
fn advice_for_a_stiff_link_of_units_that_cannot_go_back() {
    let folder = folder("advice");
    let mut whole = std::fs::read_to_string(example()).expect("the example");
    for (from, to) in [
        ("stiffness = 100.0\ndamping = 0.0", "stiffness = 1e4\ndamping = 400.0"),
        ("stop = 10.0", "stop = 4.0"),
        ("every = 5\n", ""),
        ("variables = [\"mass*.x\", \"mass*.v\"]", "variables = [\"mass*.x\"]"),
    ] {
        assert!(whole.contains(from), "`{from}` is in the example");
        whole = whole.replace(from, to);
    }
    // At rest where the spring has no force, and bound to the ground by springs of two kinds.
    for k in ["10.0", "40.0"] {
        let set = format!("set = {{ m = 1.0, c = 0.0, k = {k}, x0 = 0.1, v0 = 0.0, integrator = \"exact\" }}");
        whole = whole.replacen("set = { integrator = \"exact\" }", &set, 1);
    }
    let mut text = whole.clone();
    for name in ["oscillator1_force", "oscillator2_force"] {
        let cut = cut_fmu(name, &["canGetAndSetFMUstate", "canSerializeFMUstate"]);
        std::fs::write(folder.join(format!("{name}.fmu")), cut).expect("the FMU");
        text = text.replace(&format!("embedded:{name}"), &format!("{name}.fmu"));
    }
    let of = |text: &str| {
        let scenario = toml::read(text, "system.toml", &folder).expect("a scenario");
        let made = FromFile::new("stiff", &scenario, Box::new(Fmus::new(embedded::fmu)));
        made.unwrap_or_else(|findings| panic!("{findings:?}")).0
    };
    let (stuck, whole) = (of(&text), of(&whole));
    for tolerance in [1e-2, 1e-3] {
        let question = Question::new(tolerance, 4.0, factory::fmu);
        let advice = advise(&stuck, &question, &|| ()).expect("advice");
        let best = advice.candidates[0];
        let rival = advice.candidates.iter().find(|c| c.scheme.correct == Correct::Explicit).map(|c| c.do_steps);
        // The solution is that of FMUs that can go back.
        let reference = Reference::new(&whole, best.step_s, 4.0).expect("a reference");
        let setup = Setup::new(&best.scheme, best.step_s, &factory::fmu);
        let found = measured(&stuck, &setup, &reference).expect("a run").error.position;
        println!(
            "{tolerance:e}: {} H = {:.2e}, {} steps, explicit {rival:?}, {found:.2e} / {:.2e}",
            best.scheme, best.step_s, best.do_steps, best.error
        );
        assert_eq!(best.scheme.correct, Correct::LinearImplicit, "{}", best.scheme);
        assert!(rival.is_none_or(|rival| rival > 2 * best.do_steps), "{rival:?} {best:?}");
        assert!((0.5..=2.0).contains(&(found / best.error)), "{found:e} {:e}", best.error);
    }
}
