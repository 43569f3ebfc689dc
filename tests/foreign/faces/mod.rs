//! FMUs for model exchange in coupled systems: their equations are integrated by this program, so that waveforms reach the last digits.
//!
//! The FMUs are C without any code of ours (tests/kit/equations.c). References: the exact solution of two masses, and a Taylor series with 40
//! digits for masses on springs that harden.

mod cost;
mod pendulum;
mod trials;

use crate::make;
use crate::run::{Left, macrostep};
use macrostep_oscillator::{Exact, Parameters};
use std::path::{Path, PathBuf};

/// The description of a mass on a spring that hardens, tests/kit/equations.c with MODEL=MASS.
const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="mass" guid="{mass}" numberOfEventIndicators="0">
  <ModelExchange modelIdentifier="mass" providesDirectionalDerivative="true"/>
  <ModelVariables>
    <ScalarVariable name="f" valueReference="20" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="x" valueReference="0" causality="output" initial="exact"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="v" valueReference="1" causality="output" initial="exact"><Real start="0" derivative="2"/></ScalarVariable>
    <ScalarVariable name="a" valueReference="11"><Real derivative="3"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="10"><Real derivative="2"/></ScalarVariable>
    <ScalarVariable name="m" valueReference="21" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="k" valueReference="22" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="hardening" valueReference="23" causality="parameter" variability="fixed"><Real start="0"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="2" dependencies=""/><Unknown index="3" dependencies=""/></Outputs>
    <Derivatives><Unknown index="5"/><Unknown index="4"/></Derivatives>
  </ModelStructure>
</fmiModelDescription>
"#;

/// Springs \[N/m\] of both masses and between them.
const STIFFNESS: [f64; 2] = [10.0, 100.0];
const COUPLING: f64 = 20.0;

/// Two masses in a folder, a spring between them in the master: `pair.toml`. The right one is `right`, whose force has the other sign if it is
/// carried in the program.
fn pair(name: &str, hardening: [f64; 2], right: &str) -> PathBuf {
    let folder = make::folder(name);
    let library = make::compiled("equations.c", &[("MODEL", "MASS"), ("DIRECTIONAL", "1")]);
    let entries = [("modelDescription.xml", XML.as_bytes()), ("binaries/linux64/mass.so", library.as_slice())];
    std::fs::write(folder.join("mass.fmu"), make::archive(&entries)).expect("written");
    let hardens = |i: usize| {
        if i == 1 && right != "mass.fmu" { String::new() } else { format!("hardening = {:?}, ", hardening[i]) }
    };
    let speed = if right == "mass.fmu" { "v" } else { "v0" };
    let text = format!(
        r#"
[experiment]
stop = 5.0
step = 0.25

[units.left]
fmu = "mass.fmu"
set = {{ {}k = {:?}, v = 100.0 }}

[units.right]
fmu = "{right}"
set = {{ {}k = {:?}, {speed} = -100.0 }}

[laws.spring]
kind = "spring-damper"
stiffness = {COUPLING:?}
damping = 0.0
inputs = ["left.x", "left.v", "right.x", "right.v"]
outputs = ["f"]

[connections]
"left.f" = {{ from = "spring.f", factor = -1.0 }}
"right.f" = "spring.f"
"#,
        hardens(0),
        STIFFNESS[0],
        hardens(1),
        STIFFNESS[1],
    );
    // A spring with x2 − x1 pulls mass 1 along: the law has the force on mass 2.
    std::fs::write(folder.join("pair.toml"), text).expect("written");
    folder
}

fn run(folder: &Path, more: &[&str]) -> Left {
    let record = ["--record", "left.x", "--record", "right.x"];
    let mut arguments = vec!["run", "pair.toml", "--out", "out"];
    arguments.extend(record.iter().chain(more));
    macrostep(folder, &arguments)
}

/// Positions at the end.
fn positions(left: &Left) -> [f64; 2] {
    assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
    let last = left.rows.as_ref().and_then(|rows| rows.last()).expect("rows");
    let last: Vec<f64> = last.split(',').map(|x| x.parse().expect("a number")).collect();
    [last[1], last[2]]
}

/// Largest error of a position, in amplitudes.
fn error(found: [f64; 2], exact: [f64; 2], amplitudes: [f64; 2]) -> f64 {
    (0..2).map(|i| ((found[i] - exact[i]) / amplitudes[i]).abs()).fold(0.0, f64::max)
}

/// Positions and amplitudes of two masses on linear springs after 5 s.
fn linear() -> ([f64; 2], [f64; 2]) {
    let exact = Exact::new(&Parameters { k: STIFFNESS, k_c: COUPLING, ..Parameters::case_1() }).expect("parameters");
    let end = exact.at(5.0);
    ([end[0], end[1]], exact.amplitudes(5.0))
}

/// After 5 s, hardening 0.05 and 0.02 N/m³: Taylor series of degree 30 with 40 digits, 2000 and 4000 steps alike.
const CUBIC: ([f64; 2], [f64; 2]) = ([-4.451_832_363_568_62, 2.036_737_285_993_909_4], [15.14, 13.07]);

const WAVEFORM: [&str; 2] = ["--method", "waveform:16"];

#[test]
fn waveforms_reach_the_last_digits() {
    let cases = [("linear", [0.0; 2], linear()), ("cubic", [0.05, 0.02], CUBIC)];
    for (name, hardening, (exact, amplitudes)) in cases {
        let folder = pair(name, hardening, "mass.fmu");
        let fast = run(&folder, &[&WAVEFORM[..], &["--step", "0.125", "--solver-tolerance", "1e-13"]].concat());
        let found = error(positions(&fast), exact, amplitudes);
        assert!(found <= 1e-12, "{name}: {found:e}");
        // In processes of their own: the same bits.
        let isolated =
            run(&folder, &[&WAVEFORM[..], &["--step", "0.125", "--solver-tolerance", "1e-13", "--isolate"]].concat());
        assert_eq!(positions(&isolated), positions(&fast), "{name}");
    }
}

/// Explicit methods have the orders that they have with any unit: an error of H² for `linear`.
#[test]
fn predictors_have_their_orders() {
    let folder = pair("orders", [0.0; 2], "mass.fmu");
    let (exact, amplitudes) = linear();
    let errors = |predict: &str| {
        ["0.002", "0.001"].map(|step| {
            let left = run(&folder, &["--predict", predict, "--step", step]);
            error(positions(&left), exact, amplitudes)
        })
    };
    for (predict, order) in [("hold", 1.0), ("linear", 2.0)] {
        let [coarse, fine] = errors(predict);
        let found = (coarse / fine).log2();
        assert!((found - order).abs() < 0.25, "{predict}: {found}");
    }
}

/// Correctors that take derivatives of the equations end where the others do.
#[test]
fn correctors_take_derivatives_of_equations() {
    let folder = pair("derivatives", [0.05, 0.02], "mass.fmu");
    let ends = ["newton", "newton-directional", "fixed-point"].map(|correct| {
        let options = ["--predict", "linear", "--step", "0.01", "--correct", correct, "--corrector-tolerance", "1e-12"];
        positions(&run(&folder, &options))
    });
    for end in &ends[1..] {
        assert!(error(*end, ends[0], CUBIC.1) < 1e-10, "{ends:?}");
    }
    // An order of 2, implicit: far from the exact solution by the coupling alone.
    let found = error(ends[0], CUBIC.0, CUBIC.1);
    assert!((1e-6..1e-1).contains(&found), "{found:e}");
}

/// A native unit beside one for model exchange: the waveform's error, and a run that goes on from a checkpoint to the same bits.
#[test]
fn faces_mix() {
    let folder = pair("mixed", [0.0; 2], "embedded:oscillator2_force");
    let (exact, amplitudes) = linear();
    let options =
        [&WAVEFORM[..], &["--step", "0.125", "--solver-tolerance", "1e-13", "--set", "right.integrator=exact"]]
            .concat();
    let whole = run(&folder, &options);
    let found = error(positions(&whole), exact, amplitudes);
    assert!(found <= 1e-12, "{found:e}");
    let half = [&options[..], &["--checkpoint", "half.state", "--checkpoint-every", "25"]].concat();
    run(&folder, &half);
    let resumed = run(&folder, &[&options[..], &["--resume", "half.state"]].concat());
    assert_eq!(positions(&resumed), positions(&whole));
}

/// A system of such units as one FMU for co-simulation, which any tool can step, has the bits of the run.
#[test]
fn a_container_has_them_inside() {
    let folder = pair("container", [0.05, 0.02], "mass.fmu");
    let method = [&WAVEFORM[..], &["--step", "0.125", "--solver-tolerance", "1e-13"]].concat();
    let whole = positions(&run(&folder, &method));
    let made = macrostep(&folder, &[&["export", "pair.toml", "--out", "pair.fmu"], &method[..]].concat());
    assert_eq!(made.code, Some(0), "{made:#?}");
    let outputs = ["--output-variable", "left.x", "--output-variable", "right.x"];
    let steps = ["simulate", "pair.fmu", "--step", "0.125", "--stop", "5", "--out", "out"];
    assert_eq!(positions(&macrostep(&folder, &[&steps[..], &outputs].concat())), whole);
}

/// The pair with an FMU that has both faces.
fn both(name: &str, right: &str) -> PathBuf {
    let folder = pair(name, [0.0; 2], right);
    let defines = [("MODEL", "MASS"), ("DIRECTIONAL", "1"), ("STATES", "1"), ("STEPS", "1")];
    let library = make::compiled("equations.c", &defines);
    let both = r#"<CoSimulation modelIdentifier="mass" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true"/>
  <DefaultExperiment tolerance="1e-3"/>"#;
    let xml = XML.replace("\"true\"/>\n  <ModelV", &format!("\"true\"/>\n  {both}\n  <ModelV"));
    assert_ne!(xml, XML);
    let entries = [("modelDescription.xml", xml.as_bytes()), ("binaries/linux64/mass.so", library.as_slice())];
    std::fs::write(folder.join("mass.fmu"), make::archive(&entries)).expect("written");
    folder
}

/// Which face is used is said; one that is not named is co-simulation, and what an FMU proposes for its own solver is not for ours.
#[test]
fn faces_are_told() {
    let folder = both("told", "mass.fmu");
    let text = std::fs::read_to_string(folder.join("pair.toml")).expect("text");
    let left = "[units.left]\nfmu = \"mass.fmu\"\n";
    let mixed = text.replace(left, &format!("{left}face = \"model-exchange\"\n"));
    std::fs::write(folder.join("mixed.toml"), &mixed).expect("written");
    // In words.
    let told = macrostep(&folder, &["explain", "mixed.toml", "--step", "0.01", "--no-run"]);
    assert_eq!(told.code, Some(0), "{told:#?}");
    assert!(told.stdout.contains("Face: `left` by model-exchange, integrated here"), "{}", told.stdout);
    assert!(told.stdout.contains("relative tolerance 1e-10"), "{}", told.stdout);
    assert!(told.stdout.contains("Face: `right` by co-simulation, by its own solver"), "{}", told.stdout);
    // In JSON, of an FMU and of a run.
    let info = macrostep(&folder, &["info", "mass.fmu", "--json"]);
    assert!(info.stdout.contains(r#""faces":["co-simulation","model-exchange"]"#), "{}", info.stdout);
    let ran = macrostep(&folder, &["run", "mixed.toml", "--step", "0.01", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(
        (&summary["units"][0]["face"], &summary["units"][1]["face"]),
        (&"model-exchange".into(), &"co-simulation".into())
    );
}

/// The error of a mixed pair is that of its co-simulation face: what its own solver makes of the same inputs beside an exact unit.
#[test]
fn a_mixed_pair_has_the_error_of_its_coarse_face() {
    let (exact, amplitudes) = linear();
    let options = ["--predict", "linear", "--correct", "newton", "--corrector-tolerance", "1e-12"];
    let options = [&options[..], &["--step", "0.005", "--solver-tolerance", "1e-13"]].concat();
    // By its equations.
    let folder = both("coarse", "mass.fmu");
    let text = std::fs::read_to_string(folder.join("pair.toml")).expect("text");
    let right = "[units.right]\nfmu = \"mass.fmu\"\n";
    let faced = text.replace(right, &format!("{right}face = \"model-exchange\"\n"));
    assert_ne!(faced, text);
    std::fs::write(folder.join("pair.toml"), faced).expect("written");
    let mixed = positions(&run(&folder, &options));
    // Beside a unit of this program, which is exact for inputs that are straight.
    let folder = both("beside", "embedded:oscillator2_force");
    let beside = positions(&run(&folder, &[&options[..], &["--set", "right.integrator=exact"]].concat()));
    assert!(error(mixed, beside, amplitudes) < 1e-9, "{mixed:?} {beside:?}");
    let found = error(mixed, exact, amplitudes);
    assert!((1e-4..1e-1).contains(&found), "{found:e}");
}

/// Advice tries both faces, and the one that it takes stands in the keys for the scenario.
#[test]
fn advice_tries_both_faces() {
    let folder = both("advised", "mass.fmu");
    let record = ["--record", "left.x", "--record", "right.x"];
    let asked =
        [&["advise", "pair.toml", "--tolerance", "1e-4", "--stop", "1", "--step", "0.01", "--json"][..], &record]
            .concat();
    let left = macrostep(&folder, &asked);
    assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
    let advice: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
    let tried = advice["faces"]["tried"].as_array().expect("both");
    let calls: Vec<Option<u64>> = tried.iter().map(|face| face["do_steps"].as_u64()).collect();
    let expected = match calls[..] {
        [Some(one), Some(two)] if one <= two => "co-simulation",
        [Some(_), None] => "co-simulation",
        _ => "model-exchange",
    };
    assert_eq!(advice["faces"]["taken"], expected, "{calls:?}");
    assert_eq!(advice["advised"]["faces"]["left"], expected);
    // The coarse solver of the FMU needs more steps than its equations do.
    assert_eq!(expected, "model-exchange", "{calls:?}");
}
