//! The face of model exchange of our own FMUs: their equations, integrated by this program's unit for such FMUs, give what their own solver gives.

use crate::make;
use crate::run::macrostep;
use macrostep::embedded;
use macrostep_analysis::catalogue::all;
use macrostep_description::{Causality, ModelDescription};
use macrostep_import::Face;
use macrostep_import::fmu::{ContinuousUnit, Fmu, FmuOptions};
use macrostep_master::unit::{Derivatives, Outcome, States, Steps, Unit, Values};
use macrostep_models::ModelEntry;
use macrostep_oscillator::{Exact, Parameters};
use macrostep_slave::Slave;
use macrostep_system::assemble::sees_derivatives;

/// Models of equations, which have both faces; all others have that of co-simulation alone.
const BOTH: [&str; 18] = [
    "oscillator1_displacement",
    "oscillator2_displacement",
    "oscillator1_force",
    "oscillator2_force",
    "oscillator1_hardening",
    "oscillator2_hardening",
    "oscillator1_line",
    "oscillator2_line",
    "coupling",
    "circuit_mesh",
    "circuit_mesh_shunt",
    "transmission_line",
    "plunger_cylinder",
    "free_ball",
    "impact_ground",
    "rod_hinged",
    "rod_free",
    "payload",
];

/// Macro steps of a run, which is a tenth of the one that the model recommends.
const STEPS: usize = 20;

/// Highest degree of the inputs.
const DEGREE: usize = 3;

fn both() -> impl Iterator<Item = ModelEntry> {
    all().into_iter().filter(|model| BOTH.contains(&model.identifier))
}

/// By its equations.
fn by_equations(name: &str) -> ContinuousUnit {
    let fmu = Fmu::from_bytes(name, embedded::fmu(name).expect("carried")).expect("an FMU");
    let fmu = fmu.by_face(Some(Face::ModelExchange)).expect("it has the face");
    fmu.instantiate_equations(name, &FmuOptions::default()).expect("an instance")
}

#[test]
fn faces_are_declared_where_they_are() {
    let mut count = 0;
    for model in all() {
        let d = model.describe();
        let Some(m) = &d.model_exchange else {
            assert!(!BOTH.contains(&model.identifier), "{}", model.identifier);
            continue;
        };
        assert!(BOTH.contains(&model.identifier), "{}", model.identifier);
        count += 1;
        let c = d.co_simulation.as_ref().expect("both faces");
        // One library, one kind of instance: what is true of one face is true of the other.
        assert_eq!(m.model_identifier, c.model_identifier);
        assert!(m.can_get_and_set_fmu_state && m.can_serialize_fmu_state && m.provides_directional_derivative);
        assert!(m.completed_integrator_step_not_needed && !m.needs_execution_tool);
        // By co-simulation, where nobody asks for the other face.
        let fmu = Fmu::from_bytes(model.identifier, embedded::fmu(model.identifier).expect("carried")).expect("an FMU");
        assert_eq!(fmu.face(), Face::CoSimulation);
        assert_eq!(fmu.faces().collect::<Vec<_>>(), Face::ALL);
    }
    assert_eq!(count, BOTH.len());
}

/// Inputs over a run: a polynomial each.
fn coefficient(input: usize, degree: usize) -> f64 {
    1e-2 * (1.0 + 0.7 * input as f64 + 1.3 * degree as f64).sin()
}

/// The derivative of order `order` of an input at a part of the run, by the time \[s\] that the run takes.
fn input(i: usize, order: usize, part: f64, run_s: f64) -> f64 {
    let term = |n: usize| {
        let falling: f64 = (0..order).map(|j| (n - j) as f64).product();
        coefficient(i, n) * falling * part.powi((n - order) as i32)
    };
    (order..=DEGREE).map(term).sum::<f64>() / run_s.powi(order as i32)
}

/// References of variables.
fn references(d: &ModelDescription, is: impl Fn(usize) -> bool) -> Vec<u32> {
    (0..d.variables.len()).filter(|i| is(*i)).map(|i| d.variables[i].value_reference).collect()
}

/// Inputs of a step that begins at a part of the run: references, orders and values of derivatives, in order from 0.
fn inputs(refs: &[u32], part: f64, run_s: f64) -> [(Vec<u32>, Vec<i32>, Vec<f64>); 2] {
    let of = |orders: std::ops::RangeInclusive<usize>| {
        let each = orders.flat_map(|order| refs.iter().enumerate().map(move |(i, r)| (*r, order, i)));
        let mut lists = (Vec::new(), Vec::new(), Vec::new());
        for (r, order, i) in each {
            lists.0.push(r);
            lists.1.push(order as i32);
            lists.2.push(input(i, order, part, run_s));
        }
        lists
    };
    [of(0..=0), of(1..=DEGREE)]
}

/// The solver of the model itself, as good as it can be: exact, or of order 4 with steps so short that they do not matter.
fn own(model: &ModelEntry, step_s: f64) -> Box<dyn Slave> {
    let mut slave = model.instantiate("own");
    let d = slave.description().clone();
    if let Some(v) = d.variable("integrator") {
        if slave.set_integer(&[v.value_reference], &[3]).is_err() {
            slave.set_integer(&[v.value_reference], &[2]).expect("of order 4");
        }
        let micro_step = d.variable("micro_step").expect("declared").value_reference;
        slave.set_real(&[micro_step], &[step_s / 500.0]).expect("a micro step");
    }
    slave
}

/// Inputs that follow polynomials, states that are taken back on the way: all outputs, but those that see derivatives of inputs, which this face does
/// not have. Bounds are those of the steps of order 4, and of rounding where the own solver is exact.
#[test]
fn equations_give_what_their_own_solver_gives() {
    for model in both() {
        let (name, d) = (model.identifier, model.describe());
        let run_s = d.default_experiment.as_ref().and_then(|e| e.stop_time).expect("an experiment") / 10.0;
        let step_s = run_s / STEPS as f64;
        let refs = references(&d, |i| d.variables[i].causality == Causality::Input);
        let is_node = |i: usize| d.variables[i].name.contains("_node[");
        let is_output = |i: usize| d.variables[i].causality == Causality::Output && !is_node(i);
        let outputs = references(&d, |i| is_output(i) && !sees_derivatives(&d, i));
        let (mut unit, mut slave) = (by_equations(name), own(&model, step_s));
        unit.setup(0.0, None, Some(1e-13)).expect("set up");
        slave.setup_experiment(0.0, None, None).expect("set up");
        let [(r, _, u), _] = inputs(&refs, 0.0, run_s);
        unit.enter_initialization().expect("entered");
        slave.enter_initialization().expect("entered");
        unit.set_real(&r, &u).expect("inputs");
        slave.set_real(&r, &u).expect("inputs");
        unit.exit_initialization().expect("left");
        slave.exit_initialization().expect("left");
        let mut rows = Vec::new();
        for k in 0..STEPS {
            let (t_s, part) = (k as f64 * step_s, k as f64 / STEPS as f64);
            let [(r, _, u), (higher, orders, values)] = inputs(&refs, part, run_s);
            slave.set_real(&r, &u).expect("inputs");
            slave.set_real_input_derivatives(&higher, &orders, &values).expect("polynomials");
            slave.do_step(t_s, step_s, true).expect("a step");
            let mut found = [vec![0.0; outputs.len()], vec![0.0; outputs.len()]];
            // Twice, from the same state: the second time gives the same bits.
            unit.save(0).expect("saved");
            for found in &mut found {
                unit.restore(0).expect("taken back");
                unit.set_real(&r, &u).expect("inputs");
                unit.set_input_derivatives(&higher, &orders, &values).expect("polynomials");
                assert_eq!(unit.step(t_s, step_s, true).expect("a step"), Outcome::Done);
                unit.get_real(&outputs, found).expect("outputs");
            }
            assert_eq!(found[0], found[1], "{name}");
            let mut expected = vec![0.0; outputs.len()];
            slave.get_real(&outputs, &mut expected).expect("outputs");
            rows.push((found[0].clone(), expected));
        }
        // In parts of the largest value of each output.
        let largest = |i: usize| rows.iter().fold(0.0_f64, |most, (_, y)| most.max(y[i].abs()));
        let error = |i: usize| rows.iter().fold(0.0_f64, |most, (found, y)| most.max((found[i] - y[i]).abs()));
        let worst = (0..outputs.len()).map(|i| error(i) / largest(i).max(1e-300)).fold(0.0, f64::max);
        println!("{name}: {worst:e} of the largest value");
        assert!(worst < 2e-10, "{name}: {worst:e}");
    }
}

/// Two of our masses with a spring between them, by both faces and mixed: waveforms of their equations reach the last digits.
#[test]
fn a_scenario_chooses_the_face() {
    let folder = make::folder("own_exchange");
    for side in [1, 2] {
        let name = format!("oscillator{side}_force");
        std::fs::write(folder.join(format!("{name}.fmu")), embedded::fmu(&name).expect("carried")).expect("written");
    }
    let exact = Exact::new(&Parameters::case_1()).expect("parameters");
    let (end, amplitudes) = (exact.at(5.0), exact.amplitudes(5.0));
    for faces in [["model-exchange"; 2], ["model-exchange", "co-simulation"]] {
        let own = |face: &str| if face == "co-simulation" { "integrator = \"exact\"" } else { "" };
        let text = format!(
            r#"
[experiment]
stop = 5.0
step = 0.125

[units.left]
fmu = "oscillator1_force.fmu"
face = "{}"
set = {{ {} }}

[units.right]
fmu = "oscillator2_force.fmu"
face = "{}"
set = {{ {} }}

[laws.spring]
kind = "spring-damper"
stiffness = 100.0
damping = 0.0
inputs = ["left.x", "left.v", "right.x", "right.v"]
outputs = ["f"]

[connections]
"left.f" = "spring.f"
"right.f" = "spring.f"
"#,
            faces[0],
            own(faces[0]),
            faces[1],
            own(faces[1])
        );
        std::fs::write(folder.join("pair.toml"), text).expect("written");
        let options = ["run", "pair.toml", "--out", "out", "--method", "waveform:16", "--solver-tolerance", "1e-13"];
        let left = macrostep(&folder, &[&options[..], &["--record", "left.x", "--record", "right.x"]].concat());
        assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
        let last = left.rows.as_ref().and_then(|rows| rows.last()).expect("rows");
        let last: Vec<f64> = last.split(',').map(|x| x.parse().expect("a number")).collect();
        for i in 0..2 {
            let error = ((last[1 + i] - end[i]) / amplitudes[i]).abs();
            println!("{faces:?}: {error:e} amplitudes");
            assert!(error <= 2e-12, "{faces:?}: {error:e}");
        }
    }
}

/// One FMU alone: `simulate --face model-exchange` ends where the exact solution does.
#[test]
fn one_alone_is_simulated_by_its_equations() {
    let folder = make::folder("own_exchange_alone");
    std::fs::write(folder.join("mass.fmu"), embedded::fmu("oscillator1_force").expect("carried")).expect("written");
    let options = ["simulate", "mass.fmu", "--face", "model-exchange", "--step", "0.5", "--stop", "5", "--out", "out"];
    let left = macrostep(&folder, &[&options[..], &["--output-variable", "x"]].concat());
    assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
    let last = left.rows.as_ref().and_then(|rows| rows.last()).expect("rows");
    let x: f64 = last.split(',').nth(1).and_then(|x| x.parse().ok()).expect("a number");
    // m = 1 kg, k = 10 N/m, v₀ = 100 m/s: x = v₀/ω sin ωt.
    let omega = 10.0_f64.sqrt();
    let exact = 100.0 / omega * (omega * 5.0).sin();
    assert!((x - exact).abs() < 1e-9 * 100.0 / omega, "{x} {exact}");
}
