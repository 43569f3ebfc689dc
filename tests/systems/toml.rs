//! Scenarios: the same numbers as the oscillator pair built by hand, and every mistake with its place.

use std::path::{Path, PathBuf};

use crate::run::json;
use macrostep::embedded;
use macrostep_system::{Finding, Fmus, Scenario, Severity, check, toml};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems").join(name)
}

fn read(text: &str) -> Result<Scenario, Finding> {
    toml::read(text, "s.toml", Path::new("."))
}

/// Every option of the method reaches the master: the same bits as the pair that is built without a file.
#[test]
fn scenarios_run_as_the_oscillator_does() {
    let schedules = [("jacobi", "jacobi"), ("gs12", "gauss-seidel"), ("gs21", "gauss-seidel:mass2,mass1")];
    let methods = [
        ("hold", "explicit", "updated"),
        ("quadratic", "newton", "updated"),
        ("linear", "explicit", "lagged"),
        ("ia1", "explicit", "updated"),
        ("h3", "fixed-point", "updated"),
    ];
    for (name, coupling) in
        [("oscillator-f-s.toml", "f-s"), ("oscillator-s-s.toml", "s-s"), ("oscillator-f-f.toml", "f-f")]
    {
        for (pair, system) in schedules {
            for (predict, correct, sampling) in methods {
                if coupling != "f-s" && sampling == "lagged" {
                    continue;
                }
                let common =
                    ["--json", "--stop", "0.5", "--predict", predict, "--correct", correct, "--sampling", sampling];
                let path = example(name);
                let system = [&["run", path.to_str().expect("UTF-8"), "--schedule", system][..], &common].concat();
                let pair = [&["oscillator", "--coupling", coupling, "--schedule", pair][..], &common].concat();
                let (a, b) = (json(&system), json(&pair));
                for column in ["mass1.x", "mass1.v", "mass2.x", "mass2.v"] {
                    assert_eq!(a["final"][column], b["final"][column], "{name} {system:?} {column}");
                }
                assert_eq!(a["units"][0]["do_steps"], b["units"][0]["do_steps"]);
            }
        }
    }
}

/// A file that is written reads back as the same scenario.
#[test]
fn scenarios_round_trip() {
    let full = include_str!("../cases/systems/all-keys.toml");
    let scenario = read(full).expect("a scenario");
    assert_eq!(scenario.units[0].share, (2, 3));
    assert_eq!(read(&toml::write(&scenario)).expect("a scenario"), scenario);
}

/// What the reader refuses, with line and column.
#[test]
fn mistakes_of_form_have_a_line_and_a_column() {
    for (text, expected) in [
        ("name = 3\n", "s.toml:1:8: invalid type: integer `3`, expected a string"),
        ("[experiment]\nstopp = 3\n", "s.toml:2:1: unknown field `stopp`"),
        ("[units.a]\n", "s.toml:1:1: missing field `fmu`"),
        ("[units.\"a.b\"]\nfmu = \"x\"\n", "s.toml:1:8: unit `a.b`, expected a name without a dot"),
        ("[units.a]\nfmu = \"x\"\nstep = \"0/3\"\n", "s.toml:3:8: `step` of unit `a` is `0/3`"),
        ("[coupling]\npredict = \"cubic\"\n", "s.toml:2:11: `predict` is `cubic`, expected `hold`"),
        ("[connections]\n\"a.u\" = \"b\"\n", "s.toml:2:1: `b`, expected \"UNIT.VARIABLE\""),
        ("[connections]\n\"a.u\" = \"b.y\"\n\"a.u\" = \"c.y\"\n", "s.toml:3:1: duplicate key"),
        ("[experiment]\nparameters = [\"soft\"]\n", "s.toml:2:15: no parameter set `soft`"),
        ("[laws.l]\nkind = \"spring\"\ninputs = []\noutputs = []\n", "s.toml:2:8: law of kind `spring`"),
        (
            "[laws.l]\nkind = \"spring-damper\"\nstiffness = 1.0\nlaminar = 1.0\ninputs = []\noutputs = []\n",
            "s.toml:1:7: law `l` of kind `spring-damper` with `laminar`; remove `laminar`",
        ),
        (
            "[units.a]\nfmu = \"x\"\nset = { k = { value = 1.0 } }\n",
            "s.toml:3:13: `k` is table `{ value = 1.0 }`; write { value = 2.5, unit = \"mm\" }",
        ),
        ("[[bonds]]\nports = [{ flow = \"v\", inputs = {} }]\n", "s.toml:2:19: `v`, expected \"UNIT.VARIABLE\""),
        (
            "[[bonds]]\nports = [{ flow = \"a.v\", inputs = { f = true } }]\n",
            "s.toml:2:41: gain of `f` is boolean `true`; write a number, or a parameter of the unit",
        ),
        ("[units\n", "s.toml:1:7: "),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
}

const PAIR: &str = include_str!("../cases/systems/pair.toml");

/// What follows the pair, and what is found in it.
const MISTAKES_OF_SENSE: &[(&str, Severity, &str)] = &[
    (
        "[connections]\n\"b.f\" = \"a.fc\"\n",
        Severity::Error,
        "s.toml:10:1: unit `a` has no variable `fc`; the nearest are `c`, `f_c`",
    ),
    ("[connections]\n\"b.g\" = \"a.f_c\"\n", Severity::Error, "s.toml:10:1: unit `b` has no variable `g`"),
    ("[connections]\n\"c.f\" = \"a.f_c\"\n", Severity::Error, "s.toml:10:1: no unit `c`; there are `a`, `b`"),
    (
        "[connections]\n\"a.f_c\" = \"b.f\"\n",
        Severity::Error,
        "s.toml:10:1: `a.f_c` is an output, expected an input; the input must be at the left",
    ),
    (
        "[connections]\n\"b.f\" = \"a.x\"\n",
        Severity::Error,
        "s.toml:10:1: `a.x` is in `m`, `b.f` in `N`: different quantities; connect another",
    ),
    (
        "[connections]\n\"b.f\" = \"a.k\"\n",
        Severity::Warning,
        "s.toml:10:1: `a.k` is a parameter, not an output; the FMU need not keep it up to date",
    ),
    ("[units.b.set]\nk = inf\n", Severity::Error, "s.toml:10:5: `b.k` = inf, expected a finite number"),
    ("[units.b.set]\nm = -1\n", Severity::Error, "s.toml:10:5: `b.m` = -1, expected 0.000000001 to inf"),
    (
        "[units.b.set]\nintegrator = \"rk\"\n",
        Severity::Error,
        "s.toml:10:14: `b.integrator` = \"rk\", expected one of `semi_implicit_euler`",
    ),
    ("[units.b.set]\nm = true\n", Severity::Error, "s.toml:10:5: `b.m` = true, expected a number"),
    ("[units.b.set]\na = 1.0\n", Severity::Error, "s.toml:10:5: `b.a` is an output and cannot be set"),
    (
        "",
        Severity::Note,
        "s.toml:7:8: inputs of unit `b` without a source keep their start: `f` = 0 N, `f_ext` = 0 N; connect them",
    ),
    ("[units.c]\nfmu = \"missing.fmu\"\n", Severity::Error, "s.toml:9:8: unit `c`: FMU `./missing.fmu`"),
    (
        "[units.c]\nfmu = \"embedded:missing\"\n",
        Severity::Error,
        "s.toml:9:8: unit `c`: this program has no FMU `missing`",
    ),
    (
        "[laws.l]\nkind = \"spring-damper\"\nstiffness = 1.0\ninputs = [\"a.x\"]\noutputs = [\"f\"]\n",
        Severity::Error,
        "s.toml:9:7: law `l` has 1 inputs and 1 outputs, expected 4",
    ),
    (
        "[[maps]]\nfrom = [\"a.x\"]\nto = [\"b.f\"]\nmatrix = [[1.0, 2.0]]\n",
        Severity::Error,
        "s.toml:9:1: `from` has 1 variables, but the matrix 2 columns",
    ),
    (
        "[[events]]\nat = 0.5\nset = { \"b.f_ext\" = 1.0 }\n[[events]]\nat = 0.5\nset = { \"b.f_ext\" = 2.0 }\n",
        Severity::Error,
        "s.toml:14:21: `b.f_ext` is set to two values at 0.5 s; leave one of them out",
    ),
    (
        "[[bonds]]\nname = \"p\"\nports = [{ flow = \"a.v\", inputs = { xi = 1.0 } }]\n",
        Severity::Error,
        "s.toml:9:1: power bond `p` has 1 ports, expected two or more; name a port of each unit",
    ),
    (
        "[[bonds]]\nname = \"p\"\nports = [{ flow = \"a.v\", inputs = { xi = 1.0 } }]\n",
        Severity::Error,
        "s.toml:11:10: power bond `p`: input `a.xi` has no source; connect it, or leave it out",
    ),
    (
        "[[bonds]]\nname = \"p\"\nports = [{ flow = \"a.w\", inputs = { xi = 1.0 } }]\n",
        Severity::Error,
        "s.toml:11:10: power bond `p`: unit `a` has no variable `w`; the nearest are",
    ),
    (
        "[[bonds]]\nname = \"p\"\nports = [{ flow = \"a.m\", inputs = { xi = 1.0 } }]\n",
        Severity::Error,
        "s.toml:11:10: power bond `p`: flow `a.m` is a Real and a parameter, expected a real output",
    ),
    (
        "[connections]\n\"a.xi\" = \"b.x\"\n[[bonds]]\nname = \"p\"\nports = [{ flow = \"a.v\", inputs = { xi = \"c_c\" } }]\n",
        Severity::Error,
        "s.toml:13:10: power bond `p`: `c_c` · `xi` · `v` is in `N.s/m` · `m` · `m/s`, expected a power",
    ),
    (
        "[connections]\n\"a.xi\" = \"b.x\"\n[[bonds]]\nname = \"p\"\nports = [{ flow = \"a.v\", inputs = { xi = 7 } }]\n",
        Severity::Note,
        "s.toml:13:10: power bond `p`: `a.xi` · `a.v` is not a power: the gain 7 is in kg·s^-2",
    ),
];

/// What the check finds, with the line and what to do next.
#[test]
fn mistakes_of_sense_have_a_line_and_a_next_step() {
    let fmus = Fmus::new(embedded::fmu);
    for (text, severity, expected) in MISTAKES_OF_SENSE {
        let scenario = read(&format!("{PAIR}{text}")).expect(text);
        let findings = check(&scenario, &fmus);
        let found = findings.iter().find(|f| f.severity == *severity && f.to_string().starts_with(expected));
        assert!(found.is_some(), "{text:?}: {:#?}", findings.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    let order = PAIR.replace("[coupling]", "[coupling]\nschedule = \"gauss-seidel\"\norder = [\"a\", \"a\"]");
    let found = check(&read(&order).expect("a scenario"), &fmus);
    assert!(found[0].to_string().contains("order `a`, `a`; name each unit once: `a`, `b`"), "{}", found[0]);
    let odd = PAIR.replace("step = 0.1", "step = 0.3");
    let (_, found) = macrostep_system::assemble(&read(&odd).expect("a scenario"), &fmus).expect("a system");
    let told = |f: &Finding| f.to_string().contains("is not a whole number of macro steps of 0.3 s; the last one is");
    assert!(found.iter().any(told), "{found:#?}");
}

/// Power bonds are watched without changing a bit, and the pair built by hand has the same account.
#[test]
fn watching_power_changes_nothing() {
    for name in ["oscillator-f-s.toml", "oscillator-s-s.toml", "oscillator-f-f.toml"] {
        let text = std::fs::read_to_string(example(name)).expect("a scenario");
        let (before, after) = text.split_once("[[bonds]]").expect("bonds");
        let rest = after.find("\n[").map_or("", |at| &after[at..]);
        let path = crate::common::folder(module_path!()).join(format!("unwatched-{name}"));
        std::fs::write(&path, format!("bonds = []\n{before}{rest}")).expect("written");
        for correct in ["explicit", "newton"] {
            let run = |path: &Path| {
                json(&["run", path.to_str().expect("UTF-8"), "--json", "--stop", "0.5", "--correct", correct])
            };
            let (watched, plain) = (run(&example(name)), run(&path));
            assert_eq!(watched["final"], plain["final"], "{name} {correct}");
            assert_eq!(watched["window_runs"], plain["window_runs"]);
            assert_eq!(plain["power_bonds"].as_array().map(Vec::len), Some(0));
        }
    }
    let path = example("oscillator-f-s.toml");
    let system = json(&["run", path.to_str().expect("UTF-8"), "--json", "--stop", "0.5"]);
    let pair = json(&["oscillator", "--coupling", "f-s", "--predict", "linear", "--stop", "0.5", "--json"]);
    for key in ["residual_energy_j", "residual_energy_max_j", "residual_power_max_w"] {
        assert_eq!(system["power_bonds"][0][key], pair["power_bonds"][0][key], "{key}");
    }
}

/// A power-conserving map: two gears in series are the direct connection.
#[test]
fn a_map_and_its_dual_conserve_power() {
    let run = |matrix: &str, back: &str| {
        let text = format!(
            "[experiment]\nstop = 0.2\nstep = 1e-3\n[units.a]\nfmu = \"embedded:oscillator1_displacement\"\nset = {{ k_c = {back} }}\n\
             [units.b]\nfmu = \"embedded:oscillator2_force\"\n[[maps]]\nfrom = [\"b.x\"]\nto = [\"a.xi\"]\nmatrix = {matrix}\n\
             reaction = {{ from = [\"a.f_c\"], to = [\"b.f\"] }}\n[[maps]]\nfrom = [\"b.v\"]\nto = [\"a.xi_dot\"]\nmatrix = {matrix}\n"
        );
        let path = crate::common::folder(module_path!()).join(format!("map{}.toml", matrix.len()));
        std::fs::write(&path, text).expect("written");
        json(&["run", path.to_str().expect("UTF-8"), "--json"])
    };
    // With ξ = 2 x₂ and f = 2 f_c, a symmetric stiffness k_c [[1, −2], [−2, 4]]: energy with it is constant in the limit.
    let geared = run("[[2.0]]", "100.0");
    let energy = |r: &serde_json::Value, n: f64| {
        let v = |name: &str| r["final"][name].as_f64().expect("a number");
        let d = v("a.x") - n * v("b.x");
        v("a.e_kin") + v("a.e_pot") + v("b.e_kin") + v("b.e_pot") + 50.0 * d * d
    };
    let start = 10_000.0;
    assert!((energy(&geared, 2.0) / start - 1.0).abs() < 0.05, "{}", energy(&geared, 2.0));
    let direct = run("[[1.00]]", "100.0");
    assert!((energy(&direct, 1.0) / start - 1.0).abs() < 0.05, "{}", energy(&direct, 1.0));
    assert!((energy(&geared, 1.0) / start - 1.0).abs() > 0.001);
}

/// What a run leaves behind: the trace, the result, the picture and a scenario that runs to the same end.
#[test]
fn the_effective_scenario_runs_to_the_same_end() {
    let out = crate::common::folder(module_path!()).join("effective");
    let _ = std::fs::remove_dir_all(&out);
    let path = example("oscillator-f-f.toml");
    let (path, folder) = (path.to_str().expect("UTF-8"), out.to_str().expect("UTF-8"));
    let first =
        json(&["run", path, "--json", "--out", folder, "--parameters", "gentle", "--set", "mass1.m=2", "--stop", "1"]);
    let again = json(&["run", out.join("scenario.toml").to_str().expect("UTF-8"), "--json"]);
    assert_eq!(first["final"], again["final"]);
    assert!(first["final"]["mass1.v"].as_f64().expect("a number").abs() < 2.0);
    assert_eq!(first["rows"], 201);
    let trace = std::fs::read_to_string(out.join("trace.csv")).expect("a trace");
    assert_eq!(trace.lines().count(), 202);
    assert!(std::fs::read(out.join("outputs.png")).expect("a picture").starts_with(b"\x89PNG"));
}

/// Every scenario of the documentation runs as it stands there, and every key of the format is in it.
#[test]
fn the_documentation_is_true() {
    let page = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
        std::fs::read_to_string(path).expect("the documentation")
    };
    let text = page("systems.md") + &page("keys.md");
    let blocks: Vec<&str> = text.split("```toml\n").skip(1).filter_map(|b| b.split("```").next()).collect();
    assert!(blocks.len() >= 3);
    let rows = text.split("```csv\n").nth(1).and_then(|b| b.split("```").next()).expect("a file of inputs");
    std::fs::write(crate::common::folder(module_path!()).join("load.csv"), rows).expect("written");
    for (n, block) in blocks.iter().enumerate() {
        let scenario = read(block).unwrap_or_else(|e| panic!("block {n}: {e}"));
        assert_eq!(read(&toml::write(&scenario)).expect("a scenario"), scenario);
        let path = crate::common::folder(module_path!()).join(format!("documented{n}.toml"));
        std::fs::write(&path, block).expect("written");
        let result = json(&["run", path.to_str().expect("UTF-8"), "--json"]);
        let stop_s = scenario.experiment.stop_s.expect("an end");
        assert_eq!(result["end_s"], stop_s, "block {n}");
        assert!(result["final"].as_object().expect("finals").values().all(|v| v.as_f64().is_some_and(f64::is_finite)));
    }
    for key in KEYS {
        assert!(blocks.iter().any(|b| b.contains(&format!("{key} = "))), "{key}");
    }
}

/// Keys that a scenario of the documentation has.
const KEYS: &[&str] = &[
    "of",
    "columns",
    "name",
    "description",
    "start",
    "stop",
    "step",
    "parameters",
    "schedule",
    "order",
    "predict",
    "gs_variant",
    "derivative",
    "correct",
    "solver_tolerance",
    "corrector_tolerance",
    "corrections_max",
    "sampling",
    "sub_steps",
    "fmu",
    "set",
    "python",
    "motions",
    "from",
    "factor",
    "offset",
    "convert_units",
    "round",
    "kind",
    "inputs",
    "outputs",
    "stiffness",
    "damping",
    "to",
    "matrix",
    "reaction",
    "ports",
    "flow",
    "variables",
    "every",
    "method",
    "energy",
    "control",
    "step_min",
    "step_max",
    "mean",
    "mobility",
    "load",
    "at",
    "face",
];

/// The table of words in docs/keys.md is that of the program; `MACROSTEP_WRITE=1` writes it anew.
#[test]
fn the_docs_have_every_word() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/keys.md");
    let docs = std::fs::read_to_string(&path).expect("the docs");
    let mut table = "| key | word | meaning |\n|---|---|---|\n".to_owned();
    let (head, _) = docs.split_once(&table).expect("a table of words");
    for key in macrostep_system::words::KEYS {
        for (word, meaning) in key.words {
            let meaning = meaning.trim().trim_end_matches('.');
            let default = if *word == key.default { " (default)" } else { "" };
            table += &format!("| `{}` | `{word}`{default} | {meaning} |\n", key.key);
        }
    }
    let expected = format!("{head}{table}");
    if std::env::var_os("MACROSTEP_WRITE").is_some() {
        std::fs::write(&path, &expected).expect("written");
    }
    assert!(docs == expected, "docs/keys.md differs from the words: MACROSTEP_WRITE=1 with this test writes it anew");
}
