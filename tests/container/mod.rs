//! Systems as FMUs: the same bits as a run, state, nesting, inputs with derivatives, faults inside.

mod bits;
#[cfg(target_os = "linux")]
mod faults;
mod hosts;
mod inputs;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod isolation;
mod nesting;
mod state;
mod steps;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use macrostep_import::fmu::{Fmu, FmuOptions, FmuUnit};
use macrostep_master::unit::{Described, Steps, Unit, Values};

/// The program with these arguments in a folder.
fn macrostep(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
    command.args(arguments).current_dir(folder).output().expect("the program starts")
}

/// As [`macrostep`], where it must succeed.
fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = macrostep(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// An empty folder for the files of one test.
fn empty(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("container").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A system as an FMU.
fn exported(folder: &Path, system: &str, options: &[&str]) -> Fmu {
    let arguments = [&["export", system, "--out", "container.fmu"][..], options].concat();
    succeeds(folder, &arguments);
    Fmu::open(folder.join("container.fmu")).expect("the container")
}

/// Rows of a run, the first its names; values as bits.
fn run(folder: &Path, system: &str, options: &[&str]) -> (Vec<String>, Vec<Vec<u64>>) {
    // Bits are compared, also of runs that grow.
    let arguments = [&["run", system, "--out", "out", "--no-pictures", "--accept-growth"][..], options].concat();
    succeeds(folder, &arguments);
    let text = std::fs::read_to_string(folder.join("out/trace.csv")).expect("rows");
    let mut lines = text.lines();
    let names = lines.next().expect("names").split(',').skip(1).map(str::to_owned).collect();
    let bits = |cell: &str| cell.parse::<f64>().expect("a number").to_bits();
    (names, lines.map(|line| line.split(',').skip(1).map(bits).collect()).collect())
}

/// An instance of a container under way.
struct Instance {
    unit: FmuUnit,
    now_s: f64,
}

impl Instance {
    /// Instantiated and set up.
    fn new(fmu: &Fmu, stop_s: Option<f64>) -> Instance {
        let mut unit = fmu.instantiate("outer", &FmuOptions::default()).expect("an instance");
        unit.setup(0.0, stop_s, None).expect("set up");
        Instance { unit, now_s: 0.0 }
    }

    /// Initialised, with each FMU inside in a process of its own.
    fn isolated(fmu: &Fmu, stop_s: Option<f64>) -> Instance {
        let mut instance = Instance::new(fmu, stop_s);
        let isolate = instance.reference("isolate");
        instance.unit.set_boolean(&[isolate], &[true]).expect("set");
        instance.begin();
        instance
    }

    /// Initialised.
    fn begun(fmu: &Fmu, stop_s: Option<f64>) -> Instance {
        let mut instance = Instance::new(fmu, stop_s);
        instance.begin();
        instance
    }

    fn begin(&mut self) {
        self.unit.enter_initialization().expect("initialisation");
        self.unit.exit_initialization().expect("initialised");
    }

    fn reference(&self, name: &str) -> u32 {
        self.unit.description().variable(name).unwrap_or_else(|| panic!("no `{name}`")).value_reference
    }

    fn set(&mut self, name: &str, value: f64) {
        let reference = self.reference(name);
        self.unit.set_real(&[reference], &[value]).expect("set");
    }

    fn get(&mut self, name: &str) -> f64 {
        let (reference, mut value) = (self.reference(name), [0.0]);
        self.unit.get_real(&[reference], &mut value).expect("got");
        value[0]
    }

    /// Real outputs of these names, as bits.
    fn row(&mut self, names: &[String]) -> Vec<u64> {
        names.iter().map(|name| self.get(name).to_bits()).collect()
    }

    fn step(&mut self, step_s: f64) {
        let outcome = self.unit.step(self.now_s, step_s, false).expect("a step");
        assert_eq!(outcome, macrostep_master::unit::Outcome::Done);
        self.now_s += step_s;
    }
}
