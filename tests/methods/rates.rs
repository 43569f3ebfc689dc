//! Prediction by rates: of `fmi2GetRealOutputDerivatives`, of declared derivatives, and of differences where an FMU gives none.

use crate::common;
use crate::limited::cut_fmu;
use crate::run::{Left, macrostep};
use macrostep_oscillator::{Exact, Parameters};
use std::path::Path;

const PAIR: Parameters =
    Parameters { m: [1.0, 2.0], k: [4.0, 6.0], c: [0.1, 0.2], k_c: 3.0, c_c: 0.1, x0: [0.3, -0.2], v0: [-1.0, 0.5] };

/// Mass 1 owns the spring and sends its force as a value; mass 2 sends its motion.
fn scenario(folder: &Path, predict: &str, step: f64, sender: &str) {
    let p = PAIR;
    let mass = |i: usize| {
        format!("m = {:?}, k = {:?}, c = {:?}, x0 = {:?}, v0 = {:?}", p.m[i], p.k[i], p.c[i], p.x0[i], p.v0[i])
    };
    let text = format!(
        "[experiment]\nstop = 2.0\nstep = {step:?}\n\n[coupling]\npredict = \"{predict}\"\n\n\
         [units.m1]\nfmu = \"{sender}\"\nset = {{ {}, k_c = {:?}, c_c = {:?}, integrator = \"exact\" }}\n\n\
         [units.m2]\nfmu = \"embedded:oscillator2_force\"\nset = {{ {}, integrator = \"exact\" }}\n\n\
         [connections]\n\"m1.xi\" = \"m2.x\"\n\"m1.xi_dot\" = \"m2.v\"\n\"m2.f\" = \"m1.f_c\"\n\n[record]\nvariables = [\"m1.x\", \"m2.x\"]\n",
        mass(0),
        p.k_c,
        p.c_c,
        mass(1)
    );
    std::fs::write(folder.join("s.toml"), text).expect("written");
}

#[track_caller]
fn run(folder: &Path, predict: &str, step: f64, sender: &str) -> (f64, Left) {
    scenario(folder, predict, step, sender);
    let left = macrostep(folder, &["run", "s.toml", "--json"]);
    assert_eq!(left.code, Some(0), "{left:?}");
    let found: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
    let z = Exact::new(&PAIR).expect("an oscillator").at(2.0);
    let error = |name: &str, x: f64| (found["final"][name].as_f64().expect("a position") - x).abs();
    (error("m1.x", z[0]).max(error("m2.x", z[1])), left)
}

/// Order 2, and a smaller error than `linear`, from whatever the rates come.
#[test]
fn rates_have_less_error_than_a_line_through_values() {
    let folder = common::folder(module_path!());
    let without = cut_fmu("oscillator1_displacement", &["maxOutputDerivativeOrder"]);
    std::fs::write(folder.join("plain.fmu"), without).expect("the FMU");
    let whole = "embedded:oscillator1_displacement";
    let error = |predict: &str, step: f64, sender: &str| run(&folder, predict, step, sender).0;
    let (linear, given, differences) =
        (error("linear", 5e-3, whole), error("rates", 5e-3, whole), error("rates", 5e-3, "plain.fmu"));
    println!("linear {linear:.2e}, rates {given:.2e}, of differences {differences:.2e}");
    assert!(given < linear && differences < 0.6 * linear, "{linear:e} {given:e} {differences:e}");
    // Half the step, a quarter of the error.
    for (predict, sender, whole_step) in
        [("linear", whole, linear), ("rates", whole, given), ("rates", "plain.fmu", differences)]
    {
        let order = (whole_step / error(predict, 2.5e-3, sender)).log2();
        assert!((order - 2.0).abs() < 0.05, "{predict} of {sender}: order {order}");
    }
    // What the FMU gives is used.
    assert_ne!(given.to_bits(), differences.to_bits());
}

/// A run is continued with the same bits, also by a filter that looks far back.
#[test]
fn a_run_by_rates_continues_bit_by_bit() {
    ["rates", "kalman:1:1e4"].into_iter().for_each(continues);
}

#[track_caller]
fn continues(predict: &str) {
    let folder = common::folder(module_path!()).join(predict.replace(':', "-"));
    std::fs::create_dir_all(&folder).expect("a folder");
    scenario(&folder, predict, 0.01, "embedded:oscillator1_displacement");
    let run = |more: &[&str]| {
        let left = macrostep(&folder, &[&["run", "s.toml", "--json", "--out", "out", "--no-pictures"], more].concat());
        assert_eq!(left.code, Some(0), "{left:?}");
        left.rows.expect("rows")
    };
    let whole = run(&[]);
    let kept = run(&["--checkpoint", "c", "--checkpoint-every", "70"]);
    assert!(whole == kept && whole == run(&["--resume", "c"]));
}

/// Two masses on a spring that the master evaluates, at the end of 2 s: the error of their positions. `motions` says that x, v, a and
/// jerk are derivatives of each other.
fn forced(folder: &Path, predict: &str, step: f64, names: [&str; 2], motions: bool) -> f64 {
    let p = PAIR;
    let motions = if motions { "motions = [[\"x\", \"v\", \"a\", \"jerk\"]]\n" } else { "" };
    let mass = |i: usize| {
        format!(
            "[units.m{}]\nfmu = \"{}\"\nset = {{ m = {:?}, k = {:?}, c = {:?}, x0 = {:?}, v0 = {:?}, integrator = \"exact\" }}\n{motions}\n",
            i + 1,
            names[i],
            p.m[i],
            p.k[i],
            p.c[i],
            p.x0[i],
            p.v0[i]
        )
    };
    let text = format!(
        "[experiment]\nstop = 2.0\nstep = {step:?}\n\n[coupling]\npredict = \"{predict}\"\n\n{}{}\
         [connections]\n\"m1.f\" = \"spring.f\"\n\"m2.f\" = \"spring.f\"\n\n\
         [laws.spring]\nkind = \"spring-damper\"\nstiffness = {:?}\ndamping = {:?}\n\
         inputs = [\"m1.x\", \"m1.v\", \"m2.x\", \"m2.v\"]\noutputs = [\"f\"]\n",
        mass(0),
        mass(1),
        p.k_c,
        p.c_c
    );
    std::fs::write(folder.join("s.toml"), text).expect("written");
    let left = macrostep(folder, &["run", "s.toml", "--json"]);
    assert_eq!(left.code, Some(0), "{left:?}");
    let found: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
    let z = Exact::new(&PAIR).expect("an oscillator").at(2.0);
    let error = |name: &str, x: f64| (found["final"][name].as_f64().expect("a position") - x).abs();
    error("m1.x", z[0]).max(error("m2.x", z[1]))
}

/// Units that declare nothing: integrated acceleration and jerk are the polynomials through their values; told
/// what is whose derivative, they are those of units that declare it, to the bit.
#[test]
fn motions_that_are_not_declared_are_values_until_they_are_told() {
    let folder = common::folder(module_path!()).join("motions");
    std::fs::create_dir_all(&folder).expect("a folder");
    for side in [1, 2] {
        let plain = cut_fmu(&format!("oscillator{side}_force"), &["derivative", "derivative", "derivative"]);
        std::fs::write(folder.join(format!("plain{side}.fmu")), plain).expect("the FMU");
    }
    let (whole, plain) = (["embedded:oscillator1_force", "embedded:oscillator2_force"], ["plain1.fmu", "plain2.fmu"]);
    println!("| predictor | declared | order | not declared | order |");
    for (predict, values, order) in
        [("ia0", "linear", 2.0), ("ia1", "quadratic", 3.0), ("ia2", "poly:3", 3.0), ("jerk", "quadratic", 4.0)]
    {
        let error = |step: f64, names: [&str; 2], motions: bool| forced(&folder, predict, step, names, motions);
        let declared = [1e-2, 5e-3].map(|step| error(step, whole, false));
        let bare = [1e-2, 5e-3].map(|step| error(step, plain, false));
        let [high, low] = [declared, bare].map(|e| (e[0] / e[1]).log2());
        println!("| `{predict}` | {:.2e} | {high:.2} | {:.2e} | {low:.2} |", declared[1], bare[1]);
        // The first steps, which begin with what is held, leave order 2 where only values are known.
        assert!((high - order).abs() < 0.1 && (low - 2.0).abs() < 0.1, "{predict}: {high} {low}");
        // The law acts on extrapolated values here, on values that are extrapolated there.
        let same = forced(&folder, values, 5e-3, plain, false);
        assert!((bare[1] / same - 1.0).abs() < 1e-8, "{predict}: {} {same}", bare[1]);
        assert_eq!(declared[1].to_bits(), error(5e-3, plain, true).to_bits(), "{predict}");
    }
}
