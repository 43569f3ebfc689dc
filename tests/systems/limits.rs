//! Large systems: a description of 200 000 variables, a thousand instances of one FMU.
//!
//! Counts gate; times are printed (`cargo test --release --test all limits -- --nocapture`) and only held against ten times
//! the goal, because other work may share the machine.

use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::make;
use macrostep_description::xml;
use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::{Steps, Unit};

const VARIABLES: usize = 200_000;
const INSTANCES: usize = 1000;

/// Runs this test once more in a process of its own, because memory is that of the whole process; false in that process.
fn runs_elsewhere(test: &str) -> bool {
    const ALONE: &str = "MACROSTEP_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return false;
    }
    let mut again = Command::new(std::env::current_exe().expect("this test binary"));
    again.args(["--exact", &format!("systems::limits::{test}"), "--nocapture"]).env(ALONE, "1");
    let output = again.output().expect("it starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success() && text.contains("1 passed"), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

/// A description as large tools write it.
fn large() -> String {
    let mut text = String::from(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="large" guid="{large}">
<CoSimulation modelIdentifier="large"/>
<UnitDefinitions><Unit name="K"><BaseUnit K="1"/></Unit></UnitDefinitions>
<ModelVariables>
"#,
    );
    for i in 0..VARIABLES {
        let (causality, start) = if i % 2 == 0 { ("input", " start=\"293.15\"") } else { ("output", "") };
        let _ = writeln!(
            text,
            "<ScalarVariable name=\"pipe[{i}].wall.T\" valueReference=\"{i}\" causality=\"{causality}\" variability=\"continuous\" description=\"Temperature of the wall\"><Real{start} unit=\"K\"/></ScalarVariable>"
        );
    }
    text.push_str("</ModelVariables>\n<ModelStructure><Outputs>\n");
    for i in (1..VARIABLES).step_by(2) {
        let _ = writeln!(text, "<Unknown index=\"{}\" dependencies=\"{i}\"/>", i + 1);
    }
    text.push_str("</Outputs></ModelStructure>\n</fmiModelDescription>\n");
    text
}

/// Resident memory of this process in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    text.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).expect("pages") * 4096
}

#[test]
fn two_hundred_thousand_variables_are_read() {
    if runs_elsewhere("two_hundred_thousand_variables_are_read") {
        return;
    }
    let text = large();
    let began = Instant::now();
    let reading = xml::read(text.as_bytes()).expect("a description");
    let took = began.elapsed();
    println!("{} variables, {} MB: read in {:.3} s", VARIABLES, text.len() / 1_000_000, took.as_secs_f64());
    assert_eq!(reading.description.variables.len(), VARIABLES);
    assert_eq!(reading.description.structure.outputs.len(), VARIABLES / 2);
    assert!(reading.warnings.is_empty());
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn a_thousand_instances_share_one_folder_and_one_library() {
    if runs_elsewhere("a_thousand_instances_share_one_folder_and_one_library") {
        return;
    }
    let bytes = macrostep::embedded::fmu("oscillator1_force").expect("carried");
    let before = resident();
    let began = Instant::now();
    let mut units = Vec::new();
    for i in 0..INSTANCES {
        // Opened again each time, as a system that names the file a thousand times does.
        let fmu = Fmu::from_bytes("oscillator1_force.fmu", bytes).expect("opened");
        units.push((fmu.instantiate(&format!("unit{i}"), &FmuOptions::default()).expect("an instance"), fmu));
    }
    let took = began.elapsed();
    let memory = resident().saturating_sub(before);
    for (unit, _) in &mut units {
        unit.setup(0.0, None, None).and_then(|()| unit.enter_initialization()).expect("initialised");
        unit.exit_initialization().expect("initialised");
        unit.step(0.0, 1e-3, true).expect("a step");
    }
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux");
    let mut libraries: Vec<&str> = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).collect();
    libraries.retain(|path| path.ends_with("oscillator1_force.so"));
    libraries.dedup();
    println!(
        "{INSTANCES} instances in {:.3} s and {:.1} MB ({:.1} MB with a step each), {} library mapped",
        took.as_secs_f64(),
        memory as f64 / 1e6,
        resident().saturating_sub(before) as f64 / 1e6,
        libraries.len()
    );
    assert!(units.iter().all(|(_, fmu)| fmu.folder() == units[0].1.folder()), "unpacked once");
    assert_eq!(libraries.len(), 1, "loaded once: {libraries:?}");
    assert!(memory < 100_000_000, "{memory} bytes");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// A system of one unit with as many local variables, each the derivative of the one before it in chains of two.
#[test]
fn a_system_of_two_hundred_thousand_variables_is_assembled() {
    if runs_elsewhere("a_system_of_two_hundred_thousand_variables_is_assembled") {
        return;
    }
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"large\" guid=\"{hostile}\">\n<CoSimulation modelIdentifier=\"hostile\"/>\n<ModelVariables>\n<ScalarVariable name=\"y\" valueReference=\"0\" causality=\"output\" variability=\"continuous\"><Real/></ScalarVariable>\n",
    );
    for i in 1..VARIABLES {
        let derivative = if i % 2 == 0 { format!(" derivative=\"{i}\"") } else { String::new() };
        let _ = writeln!(
            xml,
            "<ScalarVariable name=\"v{i}\" valueReference=\"{i}\" causality=\"local\" variability=\"continuous\"><Real{derivative}/></ScalarVariable>"
        );
    }
    xml.push_str("</ModelVariables>\n<ModelStructure><Outputs><Unknown index=\"1\"/></Outputs></ModelStructure>\n</fmiModelDescription>\n");
    let folder = crate::common::folder(module_path!()).join("limits_system");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("large.fmu"), make::fmu(&xml, &[])).expect("the FMU");
    drop(xml);
    let system = |connections: &str| {
        let toml = format!(
            "[experiment]\nstop = 1.0\nstep = 0.1\n[units.a]\nfmu = \"large.fmu\"\n[connections]\n{connections}"
        );
        std::fs::write(folder.join("s.toml"), toml).expect("the system");
        macrostep_system::open(&folder.join("s.toml")).expect("read").scenario
    };
    let fmus = macrostep_system::Fmus::new(macrostep::embedded::fmu);

    let scenario = system("");
    let (before, began) = (resident(), Instant::now());
    let (assembly, _) = macrostep_system::assemble(&scenario, &fmus).expect("assembled");
    let mut simulation = assembly.simulation().expect("a simulation");
    simulation.initialise().and_then(|()| simulation.step()).expect("a step");
    let (took, memory) = (began.elapsed(), resident().saturating_sub(before));
    println!("{VARIABLES} variables in a system: {:.3} s, {} MB", took.as_secs_f64(), memory / 1_000_000);
    assert!(took < Duration::from_secs(30), "{took:?}");
    assert!(memory < 300_000_000, "{memory} bytes");
    drop(simulation);

    // Connections to names that nothing has: the first errors are listed, the others counted.
    let connections: String = (0..VARIABLES).map(|i| format!("\"a.in{i}\" = \"a.out{i}\"\n")).collect();
    let scenario = system(&connections);
    let began = Instant::now();
    let findings = macrostep_system::check(&scenario, &fmus);
    let took = began.elapsed();
    println!("{VARIABLES} connections to nothing: {:.3} s, {} findings", took.as_secs_f64(), findings.len());
    let errors: Vec<_> = findings.iter().filter(|f| f.severity == macrostep_system::Severity::Error).collect();
    assert!(errors.len() <= 1001, "{}", errors.len());
    assert!(errors.last().is_some_and(|f| f.what.contains("more errors like these")), "{:?}", errors.last());
    assert!(took < Duration::from_secs(30), "{took:?}");
}
