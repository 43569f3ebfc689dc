//! What `macrostep new` proposes for FMUs, held against the connections of the systems that this program carries.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::run::macrostep as typed_in;
use macrostep::embedded;
use macrostep_benchmarks::find;
use macrostep_description::{Fmi3, Member, ModelDescription, Terminal};
use macrostep_system::Fmus;
use macrostep_system::propose::{Proposal, propose};
use macrostep_system::scenario::{Connection, Endpoint, Gain, Port, Scenario, Source};

/// The proposal for the FMUs of a scenario.
fn proposal(scenario: &Scenario, fmus: &Fmus) -> Proposal {
    let description = |source: &Source| Arc::new(fmus.fmu(source).expect("an FMU").description().clone());
    let all: Vec<(Source, Arc<ModelDescription>)> =
        scenario.units.iter().map(|unit| (unit.source.clone(), description(&unit.source))).collect();
    propose(&all)
}

/// Connections, with the units' numbers for their names; a law has none.
fn wires(scenario: &Scenario) -> Vec<(Option<usize>, String, Option<usize>, String)> {
    let at = |end: &Endpoint| scenario.units.iter().position(|unit| unit.name == end.unit);
    let wire = |c: &Connection| (at(&c.to), c.to.variable.clone(), at(&c.from), c.from.variable.clone());
    scenario.connections.iter().map(wire).collect()
}

#[test]
fn what_is_proposed_is_right_and_what_is_not_is_told() {
    // Systems without their variants of the method, and how many of their connections are found.
    let systems = [
        ("case-1:f-s", 3),
        ("case-1:s-f", 3),
        ("case-1:s-s", 4),
        ("case-1:f-f", 0),
        ("nonlinear-spring:s-f", 3),
        ("nonlinear-spring:s-s", 4),
        ("chain:s-f", 0),
        ("circuit:f-s", 3),
        ("circuit:s-s", 4),
        ("crane:usual", 5),
        ("actuator", 3),
        ("beam:reduced", 1078),
        ("pendulum", 6),
    ];
    let fmus = Fmus::new(embedded::fmu);
    for (name, right) in systems {
        let scenario = find(name).expect("a system");
        let proposal = proposal(&scenario, &fmus);
        let (wanted, found) = (wires(&scenario), wires(&proposal.scenario));
        // Nothing is connected otherwise than by who made the system.
        let wrong: Vec<_> = found.iter().filter(|wire| !wanted.contains(wire)).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        assert_eq!(found.len(), right, "{name}: {:?}", proposal.guesses);
        // Each input that was left is named.
        for (unit, variable, ..) in wanted.iter().filter(|wire| !found.contains(wire)) {
            let input = format!("`{}.{variable}`", proposal.scenario.units[unit.expect("a unit")].name);
            assert!(proposal.open.iter().any(|line| line.contains(&input)), "{name}: {input}: {:?}", proposal.open);
        }
    }
}

#[test]
fn a_torque_is_no_energy() {
    // Both are kg·m²/s², and nothing but the unit's name tells them apart.
    let scenario = find("double-pendulum").expect("a system");
    let proposal = proposal(&scenario, &Fmus::new(embedded::fmu));
    assert!(proposal.scenario.connections.is_empty(), "{:?}", proposal.guesses);
    assert!(!proposal.open.iter().any(|line| line.contains("energy")), "{:?}", proposal.open);
}

/// Flows that both count inwards: the force changes its sign on the way, and the power of the bond with it.
#[test]
fn a_terminal_gives_connection_and_bond_their_signs() {
    let scenario = find("case-1:s-f").expect("a system");
    let fmus = Fmus::new(embedded::fmu);
    let proposed = |kinds: [&str; 2]| {
        // Each FMU with a flange of its velocity and its force.
        let with_flange = |source: &Source, kind: &str| {
            let mut d = fmus.fmu(source).expect("an FMU").description().clone();
            let owns = d.variables.iter().any(|v| v.name == "f_c");
            let member = |name: &str, variable: &str, kind: &str| {
                let [name, variable, kind] = [name, variable, kind].map(str::to_owned);
                Member { name, variable, kind }
            };
            let (velocity, force) = if owns { ("xi_dot", "f_c") } else { ("v", "f") };
            let members = vec![member("v", velocity, "signal"), member("f", force, kind)];
            let flange = Terminal { name: "flange".into(), rule: "plug".into(), kind: None, members };
            d.fmi3 = Some(Fmi3 { terminals: vec![flange], ..Fmi3::default() });
            (source.clone(), Arc::new(d))
        };
        let all: Vec<_> =
            scenario.units.iter().zip(kinds).map(|(unit, kind)| with_flange(&unit.source, kind)).collect();
        let Scenario { connections, bonds, .. } = propose(&all).scenario;
        let force = connections.into_iter().find(|c| c.to.variable == "f").expect("a force");
        assert!(bonds.len() == 1 && bonds[0].name == "flange", "{bonds:?}");
        let gain = |port: &Port| match &port.inputs[0] {
            (name, Gain::Number(gain)) => (name.clone(), *gain),
            other => panic!("{other:?}"),
        };
        let gains: BTreeMap<String, f64> = bonds[0].ports.iter().map(gain).collect();
        // What leaves one unit arrives at the other: v f g_f + f_c v g_v = 0 with f = factor · f_c.
        assert_eq!(force.factor * gains["f"] + gains["xi_dot"], 0.0, "{gains:?}");
        force.factor
    };
    assert_eq!(proposed(["inflow", "outflow"]), 1.0);
    assert_eq!(proposed(["outflow", "outflow"]), -1.0);
}

#[test]
fn a_proposal_runs_as_a_file_and_on_the_fly() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["oscillator1_displacement", "oscillator2_force"];
    for (name, to) in names.iter().zip(["one.fmu", "two.fmu"]) {
        std::fs::write(folder.path().join(to), embedded::packed(name).expect("an FMU")).expect("written");
    }
    let typed = |words: &[&str]| typed_in(folder.path(), words);
    let new = typed(&["new", "one.fmu", "two.fmu"]);
    assert!(new.code == Some(0) && new.stdout.contains("power bond"), "{}{}", new.stdout, new.stderr);
    std::fs::write(folder.path().join("both.toml"), &new.stdout).expect("written");
    let file = typed(&["run", "both.toml", "--stop", "1", "--out", "a", "--no-pictures"]);
    let flying = typed(&["run", "one.fmu", "two.fmu", "--stop", "1", "--out", "b", "--no-pictures"]);
    assert!(file.code == Some(0) && flying.code == Some(0), "{}{}", file.stderr, flying.stderr);
    assert!(flying.stderr.contains("proposed: `two.f` = `one.f_c`"), "{}", flying.stderr);
    let rows = |out: &str| std::fs::read(folder.path().join(out).join("trace.csv")).expect("rows");
    assert_eq!(rows("a"), rows("b"));
    // Those of the program by the names that scenarios have for them.
    let carried = names.map(|name| format!("embedded:{name}"));
    let carried = typed(&["run", &carried[0], &carried[1], "--stop", "1", "--out", "c", "--no-pictures"]);
    let body = |rows: &[u8]| rows.iter().skip_while(|byte| **byte != b'\n').copied().collect::<Vec<u8>>();
    assert!(carried.code == Some(0) && body(&rows("c")) == body(&rows("a")), "{}", carried.stderr);
    // What is no FMU is told.
    let wrong = typed(&["new", "one.fmu", "both.toml"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("`both.toml` is no FMU"), "{}", wrong.stderr);
}
