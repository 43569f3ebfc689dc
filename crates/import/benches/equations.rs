//! The cost of one evaluation of an FMU's equations: what the unit for model exchange takes beside the FMU's own functions.
//!
//! A mass on a spring that hardens, in C (tests/kit/equations.c), under a force that is a polynomial of degree 5 in each macro step of 0.5 s. Three things
//! are measured in turn, round by round, and the fastest round of each counts:
//!
//! * bare: a program in C that calls `fmi2SetTime`, `fmi2SetContinuousStates`, `fmi2SetReal` and `fmi2GetDerivatives`, by pointers, over and over;
//! * integrator: [`Integrator`] alone, over the same equations and polynomials in Rust;
//! * unit: steps of the unit, all that belongs to them, divided by the calls of `fmi2GetDerivatives` that the FMU has counted.
//!
//! ```sh
//! cargo bench -p macrostep-import --bench equations
//! ```

use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::{Outcome, Unit};
use macrostep_ode::Polynomials;
use macrostep_ode::adaptive::{Integrator, Rates};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

#[allow(dead_code)] // not all of the kit is used
#[path = "../tests/fmu/make.rs"]
mod make;

const ROUNDS: usize = 15;

/// Macro steps of a round, and the length of each \[s\].
const STEPS: u32 = 4000;
const STEP_S: f64 = 0.5;

/// Derivatives of the force at the begin of each macro step, from the value on.
const FORCE: [f64; 6] = [0.5, 0.4, -0.3, 0.2, -0.1, 0.1];

const XML: &str = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="mass" guid="{mass}" numberOfEventIndicators="0">
  <ModelExchange modelIdentifier="slave"/>
  <ModelVariables>
    <ScalarVariable name="f" valueReference="20" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="x" valueReference="0" causality="output" initial="exact"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="v" valueReference="1" causality="output" initial="exact"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="10"><Real derivative="2"/></ScalarVariable>
    <ScalarVariable name="der(v)" valueReference="11"><Real derivative="3"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Derivatives><Unknown index="4"/><Unknown index="5"/></Derivatives></ModelStructure>
</fmiModelDescription>"#;

/// Nanoseconds that the FMU's own functions take for one evaluation.
fn bare(program: &Path) -> f64 {
    let out = Command::new(program).output().expect("the program in C runs");
    String::from_utf8_lossy(&out.stdout).trim().parse().expect("nanoseconds")
}

/// The program in C.
fn compiled() -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bare-equations");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kit/equations.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-w", "-DMODEL=MASS", "-DBARE", "-o"]).arg(&out).arg(source).arg("-lm");
    assert!(compiler.status().expect("a C compiler").success());
    out
}

/// The unit.
fn unit() -> Box<dyn Unit> {
    let library = make::compiled("equations.c", &["-DMODEL=MASS"]);
    let files = [("modelDescription.xml", XML.as_bytes()), (&make::library_path(), library.as_slice())];
    let fmu = Fmu::from_bytes("mass", &make::archive(&files)).expect("an FMU");
    let mut unit = fmu.unit("one", &FmuOptions::default()).expect("an instance");
    unit.setup(0.0, None, None).expect("set up");
    unit.enter_initialization().expect("initialising");
    unit.exit_initialization().expect("initialised");
    unit
}

/// Evaluations so far.
fn calls(unit: &mut dyn Unit) -> i32 {
    let mut calls = [0];
    unit.get_integer(&[1], &mut calls).expect("a number");
    calls[0]
}

/// Nanoseconds that the unit takes for one evaluation, and evaluations in a macro step. Round by round it goes on.
fn through(unit: &mut dyn Unit, round: u32) -> (f64, f64) {
    let (before, began) = (calls(unit), Instant::now());
    for k in round * STEPS..(round + 1) * STEPS {
        unit.set_real(&[20], &FORCE[..1]).expect("set");
        unit.set_input_derivatives(&[20; 5], &[1, 2, 3, 4, 5], &FORCE[1..]).expect("set");
        assert_eq!(unit.step(f64::from(k) * STEP_S, STEP_S, true), Ok(Outcome::Done));
    }
    let took_ns = began.elapsed().as_secs_f64() * 1e9;
    let calls = f64::from(calls(unit) - before);
    (took_ns / calls, calls / f64::from(STEPS))
}

/// The same equations in Rust.
struct Mass {
    force: Polynomials,
    begun_s: f64,
}

impl Rates for Mass {
    type Error = Infallible;

    fn rates(&mut self, t: f64, z: &[f64], dz: &mut [f64]) -> Result<(), Infallible> {
        let force = self.force.value(0, t - self.begun_s);
        (dz[0], dz[1]) = (z[1], force - z[0]);
        Ok(())
    }
}

/// Nanoseconds that the integrator alone takes for one evaluation.
fn alone() -> f64 {
    let mut mass = Mass { force: Polynomials::new(1), begun_s: 0.0 };
    let factorials = [1.0, 1.0, 2.0, 6.0, 24.0, 120.0];
    FORCE.iter().zip(factorials).enumerate().for_each(|(j, (d, factorial))| mass.force.set(0, j, d / factorial));
    let mut integrator = Integrator::new(&[1.0; 2], macrostep_import::INTEGRATOR_TOLERANCE);
    let mut z = [1.0, 0.0];
    let began = Instant::now();
    for k in 0..STEPS {
        let (t_s, end_s) = (f64::from(k) * STEP_S, f64::from(k + 1) * STEP_S);
        mass.begun_s = t_s;
        integrator.begin(t_s, &z);
        while integrator.time() < end_s {
            integrator.step(&mut mass, end_s).expect("a step");
        }
        z.copy_from_slice(integrator.states());
    }
    began.elapsed().as_secs_f64() * 1e9 / integrator.work().rates as f64
}

fn main() {
    let (program, mut unit) = (compiled(), unit());
    let (mut bare_ns, mut alone_ns, mut unit_ns, mut evaluations) = (f64::MAX, f64::MAX, f64::MAX, 0.0);
    for round in 0..ROUNDS as u32 {
        bare_ns = bare_ns.min(bare(&program));
        alone_ns = alone_ns.min(alone());
        let (ns, number) = through(&mut *unit, round);
        (unit_ns, evaluations) = (unit_ns.min(ns), number);
    }
    println!("an evaluation of the equations, of {evaluations:.1} in a macro step, fastest of {ROUNDS} rounds [ns]");
    println!("  the FMU's own functions        {bare_ns:6.1}");
    println!("  the integrator without the FMU {alone_ns:6.1}");
    println!("  the unit                       {unit_ns:6.1}");
    println!(
        "  the unit beside the FMU's own  {:6.1}, of these calls {:.1}",
        unit_ns - bare_ns,
        unit_ns - bare_ns - alone_ns
    );
}
