//! Errors of a host, and the messages about them.

#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::Command;

use macrostep_import::fmu::FmuOptions;
use macrostep_master::unit::{Steps, Unit, Values};

use super::{Instance, empty, exported};

/// Calls at the wrong time and with wrong values are refused, and the instance goes on.
#[test]
fn wrong_calls_are_refused() {
    let folder = empty("wrong");
    let options = ["--predict", "linear", "--step", "1e-3", "--stop", "0.1"];
    let fmu = exported(&folder, "case-1:f-s", &options);
    let mut instance = Instance { unit: fmu.instantiate("early", &FmuOptions::default()).expect("one"), now_s: 0.0 };
    let x = instance.reference("mass1.x");
    assert!(instance.unit.get_real(&[x], &mut [0.0]).is_err());
    assert!(instance.unit.step(0.0, 1e-3, true).is_err());
    instance.unit.setup(0.0, Some(0.1), None).expect("set up");
    instance.begin();
    for (t_s, step_s) in [(0.0, 0.0), (0.0, -1e-3), (0.0, f64::NAN), (0.5, 1e-3), (0.0, 1.0), (0.0, f64::INFINITY)] {
        assert!(instance.unit.step(t_s, step_s, true).is_err(), "{t_s} {step_s}");
    }
    assert!(instance.unit.get_real(&[99_999], &mut [0.0]).is_err());
    assert!(instance.unit.set_real(&[x], &[1.0]).is_err());
    instance.step(1e-3);
}

/// A host that adds up its time (`while t < T: h = min(H, T - t)`) may end with a step that is rounding: it takes no time inside, whatever
/// is inside.
#[test]
fn a_remainder_of_rounding_is_no_step() {
    let folder = empty("remainder");
    for (system, options, output) in [
        ("case-1:f-s", &["--predict", "linear", "--step", "0.1", "--stop", "1"][..], "mass1.x"),
        ("case-1:f-s", &["--method", "waveform:4", "--step", "0.1", "--stop", "1"], "mass1.x"),
        ("crane", &["--stop", "0.16"], "mechanics.s[1]"),
    ] {
        let fmu = exported(&folder, system, options);
        let experiment = fmu.description().default_experiment.expect("an experiment");
        let (stop_s, step_s) = (experiment.stop_time.expect("a time"), experiment.step_size.expect("a step"));
        let mut instance = Instance::begun(&fmu, Some(stop_s));
        let whole = (stop_s / step_s).round() as usize;
        (0..whole - 1).for_each(|_| instance.step(step_s));
        let before = instance.get(output);
        instance.step(1e-13);
        assert_eq!(instance.get(output), before, "{system}");
        // It goes on behind it.
        instance.step(step_s - 1e-13);
    }
}

/// The only entry of a folder.
#[cfg(target_os = "linux")]
fn only(folder: &Path) -> PathBuf {
    let mut entries = std::fs::read_dir(folder).expect("a folder");
    entries.next().expect("an entry").expect("an entry").path()
}

/// A host in C that does everything wrong, see `attacks.c`: each wrong call is answered, and the bits are as before afterwards.
#[test]
#[cfg(target_os = "linux")]
fn attacks_are_answered() {
    let folder = empty("attacks");
    let program = folder.join("attacks");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/container/attacks.c");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"])
        .arg(&program)
        .arg(source)
        .args(["-ldl", "-lm"]);
    assert!(compiler.status().expect("a C compiler").success());
    for (options, step) in [
        (&["--predict", "linear", "--step", "1e-3"][..], "1e-3"),
        (&["--predict", "h5", "--correct", "newton", "--step", "1e-2"], "1e-2"),
        (&["--method", "waveform:4", "--step", "5e-2"], "5e-2"),
    ] {
        let fmu = exported(&folder, "case-1:f-s", options);
        let library = only(&only(&fmu.folder().join("binaries")));
        let resources = format!("file://{}", fmu.folder().join("resources").display());
        let reference = |name| fmu.description().variable(name).expect("declared").value_reference.to_string();
        let mut host = Command::new(&program);
        host.arg(library).args([fmu.description().guid.as_str(), &resources, step]);
        let left = host.args([reference("mass1.f_ext"), reference("mass1.x")]).output().expect("the host");
        let told = String::from_utf8_lossy(&left.stdout);
        assert!(left.status.success() && left.stderr.is_empty(), "{options:?}: {left:?}");
        assert!(told.contains("2097 wrong calls, "), "{told}");
    }
}
