//! The state of a whole system: saved, restored, written down, taken up elsewhere; implicit methods around containers.

use macrostep_import::fmu::FmuOptions;
use macrostep_master::unit::{States, Unit};

use super::{Instance, empty, exported, run, succeeds};

const METHODS: [&[&str]; 4] = [
    &["--predict", "linear", "--step", "1e-3", "--stop", "0.1"],
    &["--predict", "h5", "--correct", "newton", "--step", "1e-3", "--stop", "0.1"],
    &["--predict", "linear", "--correct", "iqn-ils", "--step", "1e-3", "--stop", "0.1"],
    &["--control", "error", "--step", "1e-3", "--stop", "0.1"],
];

#[test]
fn a_state_goes_back_and_into_another_instance() {
    for (n, options) in METHODS.into_iter().enumerate() {
        let folder = empty(&format!("state-{n}"));
        let (names, _) = run(&folder, "case-1:f-s", options);
        let fmu = exported(&folder, "case-1:f-s", options);
        let mut one = Instance::begun(&fmu, Some(0.1));
        one.step(0.02);
        one.unit.save(0).expect("saved");
        let (bytes, middle) = (one.unit.serialize().expect("bytes"), one.row(&names));
        one.step(0.03);
        let end = one.row(&names);
        // Back, in the same instance.
        one.unit.restore(0).expect("restored");
        one.now_s = 0.02;
        assert_eq!(one.row(&names), middle, "{options:?}");
        one.step(0.03);
        assert_eq!(one.row(&names), end, "{options:?}");
        // On, in an instance that has not been initialised.
        let mut other =
            Instance { unit: fmu.instantiate("other", &FmuOptions::default()).expect("another"), now_s: 0.02 };
        other.unit.deserialize(&bytes).expect("taken up");
        assert_eq!(other.row(&names), middle, "{options:?}");
        other.step(0.03);
        assert_eq!(other.row(&names), end, "{options:?}");
        // Anew.
        one.unit.reset().expect("reset");
        one.unit.setup(0.0, Some(0.1), None).expect("set up");
        one.begin();
        one.now_s = 0.0;
        one.step(0.02);
        assert_eq!(one.row(&names), middle, "{options:?}");
        // Bytes that are none of this state.
        for bytes in [&bytes[..bytes.len() - 1], &[0; 64][..], &[]] {
            assert!(other.unit.deserialize(bytes).is_err());
        }
        let mut spoilt = bytes.clone();
        let middle = spoilt.len() / 2;
        spoilt[middle] ^= 1;
        assert!(other.unit.deserialize(&spoilt).is_err());
    }
}

const AROUND: &str = include_str!("../cases/container/around.toml");

const FLAT: &str = include_str!("../cases/container/flat.toml");

/// Each mass in a container of its own, coupled by methods that go back.
#[test]
fn implicit_methods_converge_around_containers() {
    let folder = empty("around");
    let half = |unit: &str, model: &str, outputs: &str| {
        let text = format!(
            "name = \"{unit}\"\n[experiment]\nstop = 10\nstep = 1e-2\n[units.{unit}]\nfmu = \"embedded:{model}\"\nset = {{ integrator = \"exact\" }}\n\
             [record]\nvariables = [{outputs}]\n"
        );
        std::fs::write(folder.join(format!("{unit}.toml")), text).expect("a scenario");
    };
    half("mass1", "oscillator1_displacement", "\"mass1.x\", \"mass1.v\", \"mass1.f_c\"");
    half("mass2", "oscillator2_force", "\"mass2.x\", \"mass2.v\"");
    succeeds(&folder, &["export", "mass1.toml", "--out", "left.fmu"]);
    succeeds(&folder, &["export", "mass2.toml", "--out", "right.fmu"]);
    std::fs::write(folder.join("around.toml"), AROUND).expect("a scenario");
    std::fs::write(folder.join("flat.toml"), FLAT).expect("a scenario");
    for method in [&["--correct", "newton"][..], &["--correct", "iqn-ils"], &["--correct", "fixed-point"]] {
        let (_, around) = run(&folder, "around.toml", method);
        let (_, flat) = run(&folder, "flat.toml", method);
        assert_eq!(around.len(), 51);
        for (a, b) in around.iter().flatten().zip(flat.iter().flatten()) {
            let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
            assert!((a - b).abs() < 1e-9, "{method:?}: {a} and {b}");
        }
    }
}
