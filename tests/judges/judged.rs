//! Writes the material of the judges: every FMU, and a native run of the same model.
//!
//! `cargo run --example judged -- DIR` makes, for each model, `NAME.fmu`, `three/NAME.fmu` (of FMI 3.0), `NAME.csv` (one row a communication point:
//! time, the real inputs set for the step that starts there, the real outputs there) and `NAME.state` (the state halfway,
//! as a native unit serialises it). Numbers have the digits that read back to the same bits.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use macrostep::embedded;
use macrostep_description::{Causality, ModelDescription};
use macrostep_models::ModelEntry;
use macrostep_packager::Fmi;
use macrostep_slave::{Outcome, Slave, Snapshot};

/// Macro steps of a run, each as long as the model recommends.
const STEPS: u32 = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("expected a folder to write to")?);
    fs::create_dir_all(&folder)?;
    for entry in macrostep_analysis::catalogue::all() {
        let name = entry.identifier;
        let fmu = embedded::packed(name).ok_or_else(|| format!("`{name}` is not embedded"))?;
        fs::write(folder.join(format!("{name}.fmu")), fmu)?;
        let three = embedded::packed_for(name, Fmi::Three, Vec::new());
        let three = three.ok_or_else(|| format!("`{name}` is not embedded"))??;
        fs::create_dir_all(folder.join("three"))?;
        fs::write(folder.join("three").join(format!("{name}.fmu")), three)?;
        let (csv, state) = native(&entry)?;
        fs::write(folder.join(format!("{name}.csv")), csv)?;
        fs::write(folder.join(format!("{name}.state")), state)?;
        println!("{name}: {} bytes", fmu.len());
    }
    Ok(())
}

/// Value references and names of the reals with a causality.
fn reals(d: &ModelDescription, causality: Causality) -> (Vec<u32>, Vec<&str>) {
    let all = d.variables.iter().filter(|v| v.causality == causality && v.real().is_some());
    all.map(|v| (v.value_reference, v.name.as_str())).unzip()
}

fn native(entry: &ModelEntry) -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let d = entry.describe();
    let step_s = d.default_experiment.as_ref().and_then(|e| e.step_size).ok_or("no recommended step")?;
    let (inputs, input_names) = reals(&d, Causality::Input);
    let (outputs, output_names) = reals(&d, Causality::Output);
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(["time"].iter().chain(&input_names).chain(&output_names))?;
    let mut state = Vec::new();
    let mut slave = entry.instantiate("native");
    slave.setup_experiment(0.0, None, None)?;
    slave.enter_initialization()?;
    slave.exit_initialization()?;
    let (mut u, mut y) = (vec![0.0; inputs.len()], vec![0.0; outputs.len()]);
    for k in 0..=STEPS {
        let t_s = f64::from(k) * step_s;
        slave.get_real(&outputs, &mut y)?;
        if k == STEPS / 2 {
            state = serialized(slave.as_mut())?;
        }
        // Exact in binary, different for each input, and neither smooth nor periodic within the run.
        for (i, value) in u.iter_mut().enumerate() {
            *value = f64::from((k * 7 + i as u32 * 3) % 16) / 1024.0 - 1.0 / 256.0;
        }
        csv.write_record([t_s].iter().chain(&u).chain(&y).map(|x| format!("{x:?}")))?;
        if k < STEPS {
            slave.set_real(&inputs, &u)?;
            if slave.do_step(t_s, step_s, true)? != Outcome::Done {
                return Err(format!("`{}` did not finish a step at {t_s} s", entry.identifier).into());
            }
        }
    }
    Ok((csv.into_inner()?, state))
}

fn serialized(slave: &mut dyn Slave) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut snapshot = Snapshot::default();
    slave.save(&mut snapshot)?;
    let mut bytes = vec![0; slave.serialized_size(&snapshot)?];
    slave.serialize(&snapshot, &mut bytes)?;
    Ok(bytes)
}
