//! Lines with delay: stable at any macro step up to the delay for all masses; energy only leaves; the order; the same bits
//! after a checkpoint; and refusals.

use macrostep::embedded;
use macrostep_master::record::Trace;
use macrostep_master::{LineAccount, Simulation};
use macrostep_system::{Fmus, assemble, toml};
use std::path::Path;

/// Masses, stiffness, delay and step.
#[derive(Debug, Clone, Copy)]
struct Link {
    m: [f64; 2],
    stiffness: f64,
    delay_s: f64,
    step_s: f64,
    /// Who makes the local part of the force at both ends.
    local: &'static str,
    schedule: &'static str,
    /// x and v of both masses at the start.
    start: [[f64; 2]; 2],
}

/// A scenario, initialised.
fn simulation(text: &str) -> Simulation {
    let scenario = toml::read(text, "link.toml", Path::new(".")).expect("a scenario");
    let (assembly, _) = assemble(&scenario, &Fmus::new(embedded::fmu)).expect("a system");
    let mut simulation = assembly.simulation().expect("a simulation");
    simulation.initialise().expect("initialised");
    simulation
}

/// Ends that move at the start send a jump into the line.
const JUMP: [[f64; 2]; 2] = [[0.01, 1.0], [0.0, -0.5]];

/// At rest, pulled apart from the ground: all signals begin smoothly.
const SMOOTH: [[f64; 2]; 2] = [[0.1, 0.0], [0.1, 0.0]];

const LINK: Link = Link {
    m: [1.0, 1.0],
    stiffness: 1e4,
    delay_s: 1e-2,
    step_s: 1e-2,
    local: "inside",
    schedule: "jacobi",
    start: JUMP,
};

impl Link {
    fn scenario(&self) -> String {
        let Link { m: [m1, m2], stiffness, delay_s, step_s, local, schedule, start: [[x1, v1], [x2, v2]] } = *self;
        let (model, input) = if local == "inside" { ("line", "wave") } else { ("force", "f") };
        let ends =
            if local == "inside" { "\"mass1.Z\", \"mass2.Z\"".to_owned() } else { format!("\"{local}\", \"{local}\"") };
        format!(
            r#"
[experiment]
stop = 1000.0
step = {step_s}
[coupling]
schedule = "{schedule}"
predict = "hold"
[units.mass1]
fmu = "embedded:oscillator1_{model}"
set = {{ integrator = "exact", m = {m1}, k = 3.0, x0 = {x1:?}, v0 = {v1:?} }}
[units.mass2]
fmu = "embedded:oscillator2_{model}"
set = {{ integrator = "exact", m = {m2}, k = 5.0, x0 = {x2:?}, v0 = {v2:?} }}
[laws.link]
kind = "line"
stiffness = {stiffness:?}
delay = {delay_s:?}
ends = [{ends}]
inputs = ["mass1.x", "mass1.v", "mass2.x", "mass2.v"]
outputs = ["one", "two"]
[connections]
"mass1.{input}" = "link.one"
"mass2.{input}" = "link.two"
[record]
variables = ["mass*.x", "mass*.e_kin", "mass*.e_pot"]
"#
        )
    }

    fn simulation(&self) -> Simulation {
        simulation(&self.scenario())
    }

    /// Energies \[J\] of masses and line at the start and after each of so many windows, and the account of the line.
    fn energies(&self, windows: usize) -> (Vec<f64>, LineAccount) {
        let mut simulation = self.simulation();
        let mut trace = Trace::new(simulation.columns().to_vec());
        let columns = ["mass1.e_kin", "mass1.e_pot", "mass2.e_kin", "mass2.e_pot"];
        let mut energies = Vec::new();
        for n in 0..=windows {
            if n > 0 {
                simulation.step().expect("a window");
            }
            simulation.observe(&mut trace).expect("a row");
            let masses: f64 = columns.iter().map(|c| *trace.column(c).expect("recorded").last().expect("a row")).sum();
            energies.push(masses + simulation.lines()[0].stored_j);
        }
        (energies, simulation.lines()[0])
    }
}

/// Rounding of a sum of energies over a thousand windows.
const ROUNDING: f64 = 1e-12;

/// Rounding of what the masses make of a wave: their exact integrator squares a matrix of norm H Z/m.
fn of_masses(link: &Link) -> f64 {
    let z = link.stiffness * link.delay_s;
    ROUNDING.max(4.0 * f64::EPSILON * link.step_s * z / link.m[0].min(link.m[1]))
}

#[test]
fn a_line_is_stable_at_any_step_up_to_its_delay_and_never_creates_energy() {
    for ratio in [1e-3, 1e-2, 1.0, 30.0, 1e3] {
        for stiffness in [1e2, 1e4, 1e8] {
            for part in [1.0, 0.5, 0.4, 0.123] {
                let link = Link { m: [1.0, ratio], stiffness, step_s: part * LINK.delay_s, ..LINK };
                let (energies, account) = link.energies(1000);
                let created =
                    energies.windows(2).map(|e| e[1] - e[0]).fold(0.0, f64::max) / energies[0].max(account.sent_j);
                assert!(created <= of_masses(&link), "{link:?}: {created:e} of the energy created");
                assert!(
                    account.lost_j >= -ROUNDING * account.sent_j && account.stored_j >= 0.0,
                    "{link:?}: {account:?}"
                );
            }
        }
    }
}

#[test]
fn the_local_part_by_directional_derivatives_is_stable_where_a_held_one_is_not() {
    for ratio in [1e-3, 1.0, 1e3] {
        for part in [1.0, 0.25] {
            // Z H is the smaller mass, and a quarter of it.
            let stiffness = f64::min(1.0, ratio) / LINK.delay_s.powi(2);
            let link = Link { m: [1.0, ratio], stiffness, step_s: part * LINK.delay_s, ..LINK };
            let bound = |local| {
                let (energies, _) = Link { local, ..link }.energies(1000);
                energies.iter().fold(0.0_f64, |most, e| if e.is_finite() { most.max(*e) } else { f64::INFINITY })
                    / energies[0]
            };
            let feedback = bound("feedback");
            assert!(feedback < 1.5, "{link:?}: the energy grows to {feedback} of its start");
        }
    }
    let held = Link { local: "hold", stiffness: 1e6, ..LINK };
    let mut simulation = held.simulation();
    let mut trace = Trace::new(simulation.columns().to_vec());
    let grown = simulation.run(1000, 1, &mut trace).is_err()
        || trace.column("mass1.x").expect("recorded").iter().any(|x| x.abs() > 1e3);
    assert!(grown, "a held local part is not stable");
}

/// The displacement of mass 1 at the end of a second, for a line of fixed delay.
fn end(link: Link) -> f64 {
    let mut simulation = link.simulation();
    let mut trace = Trace::new(simulation.columns().to_vec());
    simulation.run((1.0 / link.step_s).round() as u64, 1, &mut trace).expect("a run");
    *trace.column("mass1.x").expect("recorded").last().expect("a row")
}

#[test]
fn a_line_is_of_order_two_in_the_macro_step() {
    for (local, schedule) in [("inside", "jacobi"), ("inside", "gauss-seidel"), ("feedback", "jacobi")] {
        let link = Link { stiffness: 1e3, delay_s: 2e-2, local, schedule, start: SMOOTH, ..LINK };
        let error = |step_s: f64| (end(Link { step_s, ..link }) - end(Link { step_s: step_s / 2.0, ..link })).abs();
        let order = (error(2e-2 / 4.0) / error(2e-2 / 8.0)).log2();
        assert!((order - 2.0).abs() < 0.25, "{local} {schedule}: order {order}");
    }
}

#[test]
fn a_stiff_line_is_a_spring_with_a_mass_of_its_own() {
    // Delay to zero with k fixed: the spring itself, of order two in the delay.
    let spring = |delay_s: f64| end(Link { stiffness: 1e2, delay_s, step_s: delay_s, start: SMOOTH, ..LINK });
    let [a, b, c] = [8e-3, 4e-3, 2e-3].map(spring);
    let order = ((a - b) / (b - c)).abs().log2();
    assert!((order - 2.0).abs() < 0.25, "order {order} in the delay: {a} {b} {c}");
}

/// Two meshes of a circuit at the ends of an electrical line are two masses at the ends of the law: charge for displacement, voltage for
/// force, the line with the impedance 1 and the delay 0.1 s. The FMU of the line has cells and the law has none: they differ by the dispersion
/// of waves in cells, 4.5e-6 of 0.11.
#[test]
fn an_electrical_line_of_cells_is_the_law() {
    let step_s = 1e-3;
    let ends = |simulation: &mut Simulation, columns: [&str; 2]| {
        let mut trace = Trace::new(simulation.columns().to_vec());
        simulation.run(5000, 10, &mut trace).expect("a run");
        columns.map(|c| trace.column(c).expect("recorded").to_vec())
    };
    let law = Link { stiffness: 10.0, delay_s: 0.1, step_s, start: SMOOTH, ..LINK };
    let masses = ends(&mut law.simulation(), ["mass1.x", "mass2.x"]);
    // Springs and masses as capacitors and inductors.
    let text = include_str!("../cases/methods/line-of-cells.toml");
    let meshes = ends(&mut simulation(text), ["mesh1.q", "mesh2.q"]);
    let far = |a: &[Vec<f64>; 2], b: &[Vec<f64>; 2]| {
        let pairs = a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b));
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    println!("{:e} apart", far(&masses, &meshes));
    assert!(masses[0].len() == 501 && far(&masses, &meshes) < 1e-5, "{:e}", far(&masses, &meshes));
}

#[test]
fn a_line_continues_bit_by_bit() {
    for local in ["inside", "feedback", "hold"] {
        let link = Link { local, stiffness: 1e3, step_s: 3e-3, ..LINK };
        let mut first = link.simulation();
        for _ in 0..40 {
            first.step().expect("a step");
        }
        let saved = first.saved_state().expect("a saved state");
        let mut second = link.simulation();
        second.resume(&saved).expect("resumed");
        for _ in 0..40 {
            first.step().expect("a step");
            second.step().expect("a step");
        }
        assert_eq!(format!("{first:?}"), format!("{second:?}"), "{local}");
        let [a, b] = [&mut first, &mut second].map(|s| s.saved_state().expect("a saved state"));
        assert!(a == b, "{local}");
    }
}

/// A unit whose force has the sign of the other end is refused before the first step: feedback would drive it without bound.
#[test]
fn a_unit_at_the_wrong_end_is_refused() {
    for (local, model) in [("feedback", "force"), ("hold", "force"), ("inside", "line")] {
        let text = Link { local, ..LINK }.scenario();
        simulation(&text);
        let wrong = text.replace(&format!("embedded:oscillator2_{model}"), &format!("embedded:oscillator1_{model}"));
        let scenario = toml::read(&wrong, "link.toml", Path::new(".")).expect("a scenario");
        let (assembly, _) = assemble(&scenario, &Fmus::new(embedded::fmu)).expect("a system");
        let mut simulation = assembly.simulation().expect("a simulation");
        let said = simulation.initialise().expect_err("refused").to_string();
        assert!(["`mass2` at end 2", "1/kg", "exchange the ends"].iter().all(|w| said.contains(w)), "{local}: {said}");
    }
}

#[test]
fn what_a_line_cannot_do_is_said() {
    let refusals = |text: &str| -> Vec<String> {
        let read = toml::read(text, "link.toml", Path::new("."));
        match read.map(|scenario| assemble(&scenario, &Fmus::new(embedded::fmu)).map(drop)) {
            Err(finding) => vec![finding.to_string()],
            Ok(Err(findings)) => findings.iter().map(ToString::to_string).collect(),
            Ok(Ok(())) => Vec::new(),
        }
    };
    let text = LINK.scenario();
    assert!(refusals(&text).is_empty());
    for (from, to, said) in [
        ("step = 0.01", "step = 0.02", "is longer than its delay of 0.01 s"),
        ("delay = 0.01", "delay = -1.0", "the delay is -1 s"),
        ("\"mass1.Z\", ", "\"mass2.Z\", ", "is not a real parameter of unit `mass1`"),
        ("\"mass1.Z\", ", "", "a list of 1"),
        ("outputs = [\"one\", \"two\"]", "outputs = [\"one\"]", "expected 4 (x1, v1, x2, v2) and two"),
        ("\"mass2.wave\" = \"link.two\"", "", "`two` is connected 0 times"),
        ("\"mass2.wave\" = \"link.two\"", "\"mass2.wave\" = { from = \"link.two\", factor = 2.0 }", "scaled or not"),
        ("stiffness = 10000.0", "", "needs `impedance` or `stiffness`"),
        ("\"jacobi\"", "\"palindromic\"", "palindromic"),
    ] {
        assert!(text.contains(from), "{from}");
        let wrong = text.replace(from, to);
        let mut found = refusals(&wrong);
        // What the master refuses comes with the simulation.
        if found.is_empty() {
            let scenario = toml::read(&wrong, "link.toml", Path::new(".")).expect("a scenario");
            let (assembly, _) = assemble(&scenario, &Fmus::new(embedded::fmu)).expect("a system");
            found.extend(assembly.simulation().err().map(|e| e.to_string()));
        }
        assert!(found.iter().any(|f| f.contains(said)), "{from} -> {to}: {found:?}");
    }
}
