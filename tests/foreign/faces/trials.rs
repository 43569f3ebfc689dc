//! Newton iteration with FMUs for model exchange: what a Jacobian matrix takes of their equations. Its trial windows are made together, by the
//! variational equations, and a unit whose inputs are the same in two trials is integrated once.

use super::cost::{chain, simulation_of};
use super::{CUBIC, XML, error, linear, pair, positions, run};
use crate::make;
use macrostep::embedded;
use macrostep_description::ModelDescription;
use macrostep_import::Face;
use macrostep_master::record::Trace;
use macrostep_master::unit::{Derivatives, Described, States, Steps, Trials, Unit, UnitError, Values};
use macrostep_system::scenario::Source;
use macrostep_system::{Catalogue, Fmus};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A unit whose trials are made one by one.
struct Apart(Box<dyn Unit>);

impl Described for Apart {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn description(&self) -> &ModelDescription {
        self.0.description()
    }

    fn inner(&self) -> Option<&dyn Unit> {
        Some(self.0.as_ref())
    }

    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(Some(self.0.as_mut()))
    }
}

impl Values for Apart {}

impl Derivatives for Apart {}

impl States for Apart {}

impl Steps for Apart {
    fn do_steps(&self) -> u64 {
        self.0.do_steps()
    }

    fn trials(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        of.one_by_one(self, values)
    }

    fn gains_by_trials(&self) -> bool {
        false
    }
}

impl Unit for Apart {}

/// FMUs of which the units are such.
struct OneByOne(Fmus);

impl Catalogue for OneByOne {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.0.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        self.0.unit(source, name).map(|unit| Box::new(Apart(unit)) as _)
    }

    fn faces(&self, source: &Source) -> Vec<Face> {
        self.0.faces(source)
    }
}

/// A pair whose FMUs count evaluations of their equations and columns of their derivatives.
fn counting(name: &str, hardening: [f64; 2], directional: bool) -> PathBuf {
    let folder = pair(name, hardening, "mass.fmu");
    let counts = r#"<ScalarVariable name="calls" valueReference="41"><Real/></ScalarVariable>
    <ScalarVariable name="columns" valueReference="42"><Real/></ScalarVariable>
  </ModelVariables>"#;
    let mut xml = XML.replace("</ModelVariables>", counts);
    if !directional {
        xml = xml.replace(" providesDirectionalDerivative=\"true\"", "");
    }
    let library = make::compiled("equations.c", &[("MODEL", "MASS"), ("DIRECTIONAL", "1")]);
    let entries = [("modelDescription.xml", xml.as_bytes()), ("binaries/linux64/mass.so", library.as_slice())];
    std::fs::write(folder.join("mass.fmu"), make::archive(&entries)).expect("written");
    folder
}

/// Macro steps of a scenario in this process, with trials together and one by one: what was recorded at the end, and how often windows were run.
fn both(text: &str, folder: &Path, steps: u32) -> [(Vec<f64>, u64); 2] {
    let (together, apart) = (Fmus::new(embedded::fmu), OneByOne(Fmus::new(embedded::fmu)));
    [&together as &dyn Catalogue, &apart].map(|fmus| {
        let mut simulation = simulation_of(text, folder, fmus);
        (0..steps).for_each(|_| simulation.step().map(drop).expect("a step"));
        let mut rows = Trace::new(simulation.columns().to_vec());
        simulation.observe(&mut rows).expect("a row");
        (rows.rows().last().expect("a row")[1..].to_vec(), simulation.statistics().runs)
    })
}

/// Waveforms with 16 nodes: a Jacobian matrix of 48 columns takes one integration, and three columns of derivatives at each stage or as many differences.
#[test]
fn waveforms_take_fewer_evaluations() {
    let record = ["left", "right"].map(|unit| ["x", "calls", "columns"].map(|v| format!("{unit}.{v}"))).concat();
    let cases = [("linear", [0.0; 2], linear(), 0.6), ("cubic", [0.05, 0.02], CUBIC, 0.8)];
    for (name, hardening, (exact, amplitudes), part) in cases {
        for directional in [true, false] {
            let folder = counting(&format!("trials {name} {directional}"), hardening, directional);
            let text = std::fs::read_to_string(folder.join("pair.toml")).expect("text");
            let text = text.replace("step = 0.25", "step = 0.125");
            let more = format!("[record]\nvariables = {record:?}\n[coupling]\nmethod = \"waveform:16\"\n");
            let found = both(&(text + &more), &folder, 40).map(|(row, runs)| {
                let (calls, columns) = (row[1] + row[4], row[2] + row[5]);
                let error = error([row[0], row[3]], exact, amplitudes);
                println!("{name}, directional {directional}: {calls} evaluations, {columns} columns, {runs} runs, error {error:e}");
                assert!(error < 1e-9, "{name}: {error:e}");
                (calls + columns, columns, runs)
            });
            assert!(found[0].0 < part * found[1].0 && (found[0].1 > 0.0) == directional, "{name}: {found:?}");
            assert!(found[0].2 <= found[1].2 + 3 && found[1].1 == 0.0, "{name}: {found:?}");
        }
    }
}

/// A chain by Newton iteration with lines as inputs. A mass has three different inputs in 30 trials: its own, and those with a neighbour moved. What is
/// made together has the same bits.
#[test]
fn a_chain_takes_fewer_evaluations() {
    let folder = counting("trials chain", [0.0; 2], true);
    let calls: Vec<String> = (0..30).map(|u| format!("\"u{u}.calls\"")).collect();
    let text = chain(30).replace("predict = \"linear\"", "predict = \"linear\"\ncorrect = \"newton\"");
    let text = text.replace("[\"u0.x\"]", &format!("[\"u0.x\", {}]", calls.join(", ")));
    let found = both(&text, &folder, 20).map(|(row, runs)| {
        let calls: f64 = row[1..].iter().sum();
        println!("chain: {calls} evaluations, {runs} runs");
        (row[0], calls, runs)
    });
    assert!(found[0].0 == found[1].0 && found[0].2 == found[1].2 && found[0].1 < 0.7 * found[1].1, "{found:?}");
}

/// In processes of their own trials are made together too: the same bits. By fork they are made one by one: the same but for the tolerance.
#[test]
fn processes_make_no_difference() {
    let folder = counting("trials processes", [0.05, 0.02], true);
    let options = ["--method", "waveform:8", "--step", "0.125", "--solver-tolerance", "1e-13"];
    let here = positions(&run(&folder, &options));
    let isolated = [&options[..], &["--isolate"]].concat();
    assert_eq!(positions(&run(&folder, &isolated)), here);
    // A discrete variable, and no functions that bring it back.
    let discrete = r#"<ScalarVariable name="n" valueReference="0" variability="discrete" initial="calculated"><Integer/></ScalarVariable>
  </ModelVariables>"#;
    let xml = XML.replace("</ModelVariables>", discrete);
    let library = make::compiled("equations.c", &[("MODEL", "MASS"), ("DIRECTIONAL", "1")]);
    let entries = [("modelDescription.xml", xml.as_bytes()), ("binaries/linux64/mass.so", library.as_slice())];
    std::fs::write(folder.join("mass.fmu"), make::archive(&entries)).expect("written");
    let forked = positions(&run(&folder, &isolated));
    assert!(error(forked, here, CUBIC.1) < 1e-10, "{forked:?} {here:?}");
}
