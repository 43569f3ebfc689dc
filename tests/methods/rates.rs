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

/// A run is continued with the same bits.
#[test]
fn a_run_by_rates_continues_bit_by_bit() {
    let folder = common::folder(module_path!()).join("resume");
    std::fs::create_dir_all(&folder).expect("a folder");
    scenario(&folder, "rates", 0.01, "embedded:oscillator1_displacement");
    let run = |more: &[&str]| {
        let left = macrostep(&folder, &[&["run", "s.toml", "--json", "--out", "out", "--no-pictures"], more].concat());
        assert_eq!(left.code, Some(0), "{left:?}");
        left.rows.expect("rows")
    };
    let whole = run(&[]);
    let kept = run(&["--checkpoint", "c", "--checkpoint-every", "70"]);
    assert!(whole == kept && whole == run(&["--resume", "c"]));
}
