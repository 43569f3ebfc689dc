//! What users meet who set nothing: FMUs with their start values, and systems that do not move.

use macrostep_analysis::advise::{Question, advise};
use macrostep_analysis::missed::Unadvised;
use macrostep_analysis::{Benchmark, FromFile};
use macrostep_system::{Fmus, toml};

use crate::make;
use crate::run::macrostep;

/// The two masses by a displacement and a force; `set` are start values of both.
fn pair(set: &str) -> String {
    let unit = |name: &str, fmu: &str| format!("[units.{name}]\nfmu = \"embedded:{fmu}\"\nset = {{ {set} }}\n");
    let units = unit("left", "oscillator1_displacement") + &unit("right", "oscillator2_force");
    let wires = "\"left.xi\" = \"right.x\"\n\"left.xi_dot\" = \"right.v\"\n\"right.f\" = \"left.f_c\"\n";
    format!(
        "[experiment]\nstop = 1.0\nstep = 1e-3\n{units}[connections]\n{wires}[record]\nvariables = [\"*.x\", \"*.v\"]\n"
    )
}

/// The end of a run with these options, and what was said on standard error.
fn end(folder: &std::path::Path, options: &[&str]) -> ([f64; 4], String) {
    let left = macrostep(folder, &[&["run", "pair.toml", "--json", "--no-pictures"], options].concat());
    assert_eq!(left.code, Some(0), "{left:#?}");
    let json: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
    let value = |name: &str| json["final"][name].as_f64().unwrap_or(f64::NAN);
    (["left.x", "left.v", "right.x", "right.v"].map(value), left.stderr)
}

fn off(a: [f64; 4], b: [f64; 4]) -> f64 {
    a.iter().zip(b).fold(0.0, |max, (a, b)| max.max((a - b).abs()))
}

/// With the FMUs' start values and H = micro step = 1 ms methods differ as theory says: hold is of order 1, linear of order 2, and each step
/// of the degree is nearer.
#[test]
fn methods_differ_with_the_defaults_of_the_fmus() {
    let folder = make::folder("defaults_methods");
    std::fs::write(folder.join("pair.toml"), pair("")).expect("the system");
    let (solution, _) = end(&folder, &["--method", "waveform:16", "--step", "0.01"]);
    let error = |predict: &str, step: &str| {
        let (found, said) = end(&folder, &["--predict", predict, "--step", step]);
        assert!(!said.contains("does not see"), "{said}");
        off(found, solution)
    };
    let [hold, linear, quadratic, ia1] = ["hold", "linear", "quadratic", "ia1"].map(|predict| error(predict, "1e-3"));
    println!("hold {hold:.2e}, linear {linear:.2e}, quadratic {quadratic:.2e}, ia1 {ia1:.2e}");
    assert!(linear < hold / 5.0 && quadratic < linear / 5.0 && ia1 < linear / 5.0);
    let orders = [("hold", hold, 1.0), ("linear", linear, 2.0)];
    for (predict, coarse, order) in orders {
        let observed = (coarse / error(predict, "5e-4")).log2();
        assert!((observed - order).abs() < 0.1, "{predict}: {observed}");
    }
}

/// An integrator that reads inputs at the start of its only micro step sees no slope: nothing differs, and that is said.
#[test]
fn what_an_integrator_does_not_see_is_said() {
    let folder = make::folder("defaults_unseen");
    std::fs::write(folder.join("pair.toml"), pair("integrator = \"semi_implicit_euler\"")).expect("the system");
    let (hold, said) = end(&folder, &[]);
    assert!(!said.contains("does not see"), "{said}");
    let (linear, said) = end(&folder, &["--predict", "linear"]);
    assert_eq!(hold, linear);
    let told = "unit `left` reads its inputs at the start of a micro step";
    assert!(said.lines().any(|line| line.contains(told) && line.contains("1 more of this kind")), "{said}");
    // With two of them it sees half of it.
    let (half, said) = end(&folder, &["--predict", "linear", "--step", "2e-3"]);
    assert!(!said.contains("does not see") && half != end(&folder, &["--step", "2e-3"]).0, "{said}");
}

/// A system at rest has no error relative to the size of its motion: that is the answer of `advise`, after one scheme.
#[test]
fn advice_for_a_system_at_rest_ends_soon() {
    let of = |set: &str| {
        let scenario = toml::read(&pair(set), "pair.toml", std::path::Path::new("")).expect("a scenario");
        let made = FromFile::new("pair", &scenario, Box::new(Fmus::new(macrostep::embedded::fmu)));
        made.unwrap_or_else(|findings| panic!("{findings:?}")).0
    };
    let question = |of: &FromFile| {
        let stop_s = of.card().stop_s;
        Question { guess_s: 0.02, ..Question::new(1e-2, stop_s, macrostep::factory::fmu) }
    };
    let rest = of("x0 = 0.0, v0 = 0.0");
    let refused = advise(&rest, &question(&rest), &|| ()).expect_err("it rests");
    let Unadvised::AtRest(values) = &refused else { panic!("{refused}") };
    assert_eq!(values.values.len(), 4);
    assert!(values.values.iter().all(|(_, value)| *value == 0.0), "{values:?}");
    let told = refused.to_string();
    assert!(told.contains("nothing moves within 1 s: `left.x` at 0") && told.contains("--record"), "{told}");
    // One that moves by a little is no such system.
    let moves = of("x0 = 1e-9, v0 = 0.0");
    let advice = advise(&moves, &question(&moves), &|| ()).expect("an answer");
    assert!(advice.candidates[0].error <= 1e-2, "{advice:?}");
}
