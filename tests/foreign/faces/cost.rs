//! What FMUs for model exchange cost: no memory in steps after the first ones, and a thousand of them in one system.

use super::{XML, pair};
use crate::counting::allocations;
use crate::make;
use macrostep::embedded;
use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::Simulation;
use macrostep_master::record::Trace;
use macrostep_master::unit::{Outcome, Unit};
use macrostep_system::{Catalogue, Fmus, assemble, toml};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// An instance of a model with two states, ready to step; `values` are its start values by reference.
fn ready(model: &str, more: &[(&str, &str)], xml: &str, values: &[(u32, f64)]) -> Box<dyn Unit> {
    let library = make::compiled("equations.c", &[&[("MODEL", model)], more].concat());
    let entries = [("modelDescription.xml", xml.as_bytes()), ("binaries/linux64/mass.so", library.as_slice())];
    let fmu = Fmu::from_bytes(model, &make::archive(&entries)).expect("an FMU");
    let mut unit = fmu.unit("one", &FmuOptions::default()).expect("an instance");
    unit.setup(0.0, None, None).expect("set up");
    values.iter().for_each(|(r, value)| unit.set_real(&[*r], &[*value]).expect("set"));
    unit.enter_initialization().expect("initialising");
    unit.exit_initialization().expect("initialised");
    unit
}

/// A step with an input of degree 5 that is taken back and done again, as correctors do it; then its end is read.
fn repeated(unit: &mut dyn Unit, k: u32, h: f64) {
    unit.save(0).expect("saved");
    for run in 0..2 {
        if run > 0 {
            unit.restore(0).expect("restored");
        }
        unit.set_real(&[20], &[0.5]).expect("set");
        unit.set_input_derivatives(&[20; 5], &[1, 2, 3, 4, 5], &[0.4, -0.3, 0.2, -0.1, 0.1]).expect("set");
        assert_eq!(unit.step(f64::from(k) * h, h, false), Ok(Outcome::Done));
    }
    unit.get_real(&[0, 1], &mut [0.0; 2]).expect("read");
}

/// The explicit method, events in every step, and the implicit method with both kinds of Jacobian matrices.
#[test]
fn steps_of_a_unit_allocate_nothing() {
    let exact = XML.replace("providesDirectionalDerivative=\"true\"", "");
    let bouncing = exact
        .replace("numberOfEventIndicators=\"0\"", "numberOfEventIndicators=\"1\"")
        .replace("modelIdentifier=\"mass\"", "modelIdentifier=\"mass\" canGetAndSetFMUstate=\"true\"");
    let cases: [(&str, &str, &[(&str, &str)], &[(u32, f64)], f64); 4] = [
        ("MASS", XML, &[("DIRECTIONAL", "1")], &[(0, 1.0), (22, 4.0)], 0.1),
        // It loses nothing at an impact.
        ("BALL", &bouncing, &[("STATES", "1")], &[(0, 0.1), (22, 1.0)], 0.3),
        ("VANDERPOL", XML, &[("DIRECTIONAL", "1")], &[(0, 2.0)], 0.02),
        ("VANDERPOL", &exact, &[], &[(0, 2.0)], 0.02),
    ];
    for (model, xml, more, values, h) in cases {
        let mut unit = ready(model, more, xml, values);
        (0..2).for_each(|k| repeated(&mut *unit, k, h));
        let mut calls = [[0; 2]; 2];
        let before = allocations();
        (2..50).for_each(|k| repeated(&mut *unit, k, h));
        assert_eq!(allocations() - before, 0, "{model} {more:?}");
        // It has worked in all of them.
        unit.get_integer(&[0, 1], &mut calls[1]).expect("read");
        assert!(calls[1][1] > 48 * 12 && (model == "BALL") == (calls[1][0] > 48), "{model}: {calls:?}");
    }
}

/// A scenario in this process, initialised.
fn simulation(text: &str, folder: &Path) -> Simulation {
    simulation_of(text, folder, &Fmus::new(embedded::fmu))
}

/// The same with FMUs as a catalogue has them.
pub(super) fn simulation_of(text: &str, folder: &Path, fmus: &dyn Catalogue) -> Simulation {
    let scenario = toml::read(text, "pair.toml", folder).expect("a scenario");
    let (assembly, _) = assemble(&scenario, fmus).expect("a system");
    let mut simulation = assembly.simulation().expect("a simulation");
    simulation.initialise().expect("initialised");
    simulation
}

/// Macro steps of coupled units, explicit and repeated.
#[test]
fn macro_steps_allocate_nothing() {
    let folder = pair("allocations", [0.05, 0.02], "mass.fmu");
    let text = std::fs::read_to_string(folder.join("pair.toml")).expect("text").replace("step = 0.25", "step = 0.01");
    for correct in ["explicit", "fixed-point", "newton", "newton-directional"] {
        let coupling = format!("[coupling]\npredict = \"linear\"\ncorrect = \"{correct}\"\n");
        let mut simulation = simulation(&(text.clone() + &coupling), &folder);
        (0..20).for_each(|_| simulation.step().map(drop).expect("a step"));
        let before = allocations();
        (0..50).for_each(|_| simulation.step().map(drop).expect("a step"));
        assert_eq!(allocations() - before, 0, "{correct}");
    }
}

/// Stiffness \[N/m\] of each spring of the chain.
const SPRING: f64 = 100.0;

/// A chain of `n` masses between two walls, the first of which is pulled aside; each gets the forces that its neighbours' positions make.
pub(super) fn chain(n: u32) -> String {
    let mut text =
        "[experiment]\nstop = 10.0\nstep = 0.01\n[coupling]\nschedule = \"jacobi\"\npredict = \"linear\"\n[record]\nvariables = [\"u0.x\"]\n".to_owned();
    for u in 0..n {
        let x = if u == 0 { "x = 1.0, " } else { "" };
        _ = write!(text, "[units.u{u}]\nfmu = \"mass.fmu\"\nset = {{ {x}k = {:?} }}\n", 2.0 * SPRING);
    }
    for u in 0..n {
        let beside = [u.checked_sub(1), Some(u + 1).filter(|u| *u < n)];
        let from: Vec<String> = beside.iter().flatten().map(|u| format!("\"u{u}.x\"")).collect();
        let row = vec![format!("{SPRING:?}"); from.len()].join(", ");
        _ = write!(text, "[[maps]]\nfrom = [{}]\nto = [\"u{u}.f\"]\nmatrix = [[{row}]]\n", from.join(", "));
    }
    text
}

/// A thousand units: what the first mass does is what it does in a chain of a hundred, as long as nothing has come back from there, and nothing is allocated.
#[test]
fn a_thousand_units_run() {
    let folder = pair("chain", [0.0; 2], "mass.fmu");
    let ends = [10, 100, 1000].map(|n| {
        let mut simulation = simulation(&chain(n), &folder);
        (0..5).for_each(|_| simulation.step().map(drop).expect("a step"));
        // The fastest step of many: what an undisturbed machine takes.
        let (before, mut fastest) = (allocations(), f64::INFINITY);
        for _ in 0..200 {
            let began = Instant::now();
            simulation.step().map(drop).expect("a step");
            fastest = fastest.min(began.elapsed().as_secs_f64() * 1e6);
        }
        let count = allocations() - before;
        println!("{n} units: {fastest:.0} µs a macro step, {:.2} µs a unit", fastest / f64::from(n));
        assert_eq!(count, 0, "{n}");
        let mut rows = Trace::new(simulation.columns().to_vec());
        simulation.observe(&mut rows).expect("a row");
        rows.rows().last().expect("a row")[1]
    });
    assert_eq!(ends[1], ends[2]);
    // What came back from the end of the short chain is seen.
    assert!(ends[0] != ends[1] && ends[1].abs() < 1.0, "{ends:?}");
}
