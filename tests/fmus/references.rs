//! The reference results in each FMU are the results of a run of the FMU alone with its start values.
//!
//! `MACROSTEP_WRITE=1 cargo test --test all fmus::references` writes them anew.

use macrostep::factory;
use macrostep_analysis::catalogue::all;
use macrostep_description::{Causality, ModelDescription, Variable};
use macrostep_models::ModelEntry;
use std::path::PathBuf;

/// Rows after the first one, at most.
const ROWS: usize = 100;

/// Columns after time, at most.
const COLUMNS: usize = 40;

/// The first real outputs.
fn columns(d: &ModelDescription) -> Vec<&Variable> {
    d.variables.iter().filter(|v| v.causality == Causality::Output && v.real().is_some()).take(COLUMNS).collect()
}

/// Names and rows: time and outputs over the default experiment, in its macro steps.
fn table(model: &ModelEntry) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut unit = factory::fmu(model.identifier, "reference").expect("the FMU opens");
    let d = unit.description().clone();
    let columns = columns(&d);
    let refs: Vec<u32> = columns.iter().map(|v| v.value_reference).collect();
    let names = std::iter::once("time".to_string()).chain(columns.iter().map(|v| v.name.clone())).collect();
    let experiment = d.default_experiment.as_ref();
    let stop_s = experiment.and_then(|e| e.stop_time).unwrap_or(1.0);
    let step_s = experiment.and_then(|e| e.step_size).unwrap_or(stop_s / ROWS as f64);
    // As many macro steps to a row as make about a hundred rows.
    let each = ((stop_s / step_s / ROWS as f64).round() as usize).max(1);
    let last = ((stop_s / step_s).round() as usize).min(each * ROWS);
    unit.setup(0.0, None, None).expect("set up");
    unit.enter_initialization().expect("entered");
    unit.exit_initialization().expect("left");
    let mut rows = Vec::new();
    for n in 0..=last {
        if n > 0 {
            unit.step((n - 1) as f64 * step_s, step_s, true).expect("a step");
        }
        if n % each != 0 {
            continue;
        }
        let mut y = vec![0.0; refs.len()];
        unit.get_real(&refs, &mut y).expect("got");
        rows.push(std::iter::once(n as f64 * step_s).chain(y).collect());
    }
    (names, rows)
}

fn path(model: &ModelEntry) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fmus").join(model.identifier).join("reference.csv")
}

#[test]
fn fmus_compute_their_reference_results() {
    for model in all() {
        let (names, rows) = table(&model);
        let path = path(&model);
        if std::env::var_os("MACROSTEP_WRITE").is_some() {
            let mut file = csv::Writer::from_path(&path).expect("opened");
            file.write_record(&names).expect("written");
            for row in &rows {
                file.serialize(row).expect("written");
            }
            file.flush().expect("written");
            continue;
        }
        let mut file = csv::Reader::from_path(&path).expect("opened");
        assert_eq!(file.headers().expect("names"), &csv::StringRecord::from(names.clone()), "{}", path.display());
        let stored: Vec<Vec<f64>> = file.deserialize().collect::<Result<_, _>>().expect("numbers");
        assert_eq!(stored.len(), rows.len(), "{}", path.display());
        for (c, name) in names.iter().enumerate() {
            let size = rows.iter().map(|r| r[c].abs()).fold(0.0, f64::max);
            for (found, expected) in rows.iter().zip(&stored) {
                // Last bits may differ between machines; columns of nothing but rounding consist of them.
                let off = (found[c] - expected[c]).abs();
                assert!(
                    off <= 1e-9 * size + 1e-12,
                    "{}: {name} at {} s: {} {}",
                    path.display(),
                    found[0],
                    found[c],
                    expected[c]
                );
            }
        }
    }
}
