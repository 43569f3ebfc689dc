//! Loads every FMU of the folder `MACROSTEP_JUDGED`, which must hold some, and steps one, of FMI 2.0 and of FMI 3.0.

use std::path::{Path, PathBuf};

use fmi::fmi2::import::Fmi2Import;
use fmi::fmi2::instance::{CoSimulation, Common};
use fmi::schema::fmi2::Causality;
use fmi::traits::FmiImport;

const NAMES: [&str; 5] =
    ["oscillator1_displacement", "oscillator2_displacement", "oscillator1_force", "oscillator2_force", "coupling"];

fn import(name: &str) -> (PathBuf, Fmi2Import) {
    let folder = std::env::var_os("MACROSTEP_JUDGED").expect("MACROSTEP_JUDGED: run tests/judges/fmi-crate.sh");
    let path = PathBuf::from(folder).join(name);
    let import = fmi::import::from_path(path.with_extension("fmu")).unwrap_or_else(|e| panic!("{name}: {e}"));
    (path, import)
}

#[test]
fn it_reads_and_instantiates_all_five() {
    for name in NAMES {
        let (_, import) = import(name);
        let d = import.model_description();
        assert_eq!(d.fmi_version, "2.0");
        assert_eq!(d.co_simulation.as_ref().map(|c| c.model_identifier.as_str()), Some(name));
        let instance = import.instantiate_cs("judged", false, true).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(instance.get_version(), "2.0");
        assert_eq!(instance.get_types_platform(), "default");
    }
}

/// Names and rows of the native run in `NAME.csv`.
fn native(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let table = std::fs::read_to_string(path.with_extension("csv")).expect("the native run");
    let mut lines = table.lines();
    let names = lines.next().expect("a header").split(',').map(str::to_owned).collect();
    let row = |line: &str| line.split(',').map(|x| x.parse().expect("a number")).collect();
    (names, lines.map(row).collect())
}

fn pick(row: &[f64], columns: &[usize]) -> Vec<f64> {
    columns.iter().map(|c| row[*c]).collect()
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Follows the native run, to the bit.
#[test]
fn it_steps_one_to_the_same_bits() {
    let (path, import) = import("oscillator1_displacement");
    let (names, rows) = native(&path);
    let columns = |causality: Causality| -> (Vec<u32>, Vec<usize>) {
        let all = import.model_description().model_variables.variables.iter().filter(|v| v.causality == causality);
        all.filter_map(|v| Some((v.value_reference, names.iter().position(|n| *n == v.name)?))).unzip()
    };
    let (inputs, input_columns) = columns(Causality::Input);
    let (outputs, output_columns) = columns(Causality::Output);
    assert!(!inputs.is_empty() && !outputs.is_empty() && rows.len() > 100);

    let mut instance = import.instantiate_cs("judged", false, true).expect("an instance");
    instance.setup_experiment(None, 0.0, None).expect("set up");
    instance.enter_initialization_mode().expect("initialising");
    instance.exit_initialization_mode().expect("initialised");
    for (k, row) in rows.iter().enumerate() {
        let mut values = vec![0.0; outputs.len()];
        instance.get_real(&outputs, &mut values).expect("outputs");
        assert_eq!(bits(&values), bits(&pick(row, &output_columns)), "row {k}");
        if k + 1 < rows.len() {
            instance.set_real(&inputs, &pick(row, &input_columns)).expect("inputs");
            instance.do_step(row[0], 1e-3, true).expect("a step");
        }
    }
    instance.terminate().expect("the end");
}

/// The same model as an FMU of FMI 3.0.
#[test]
fn it_steps_one_of_fmi_3_to_the_same_bits() {
    use fmi::fmi3::import::Fmi3Import;
    use fmi::fmi3::{CoSimulation, Common, Fmi3Model, GetSet};
    use fmi::schema::fmi3::{AbstractVariableTrait, Causality, Variable};

    let folder = PathBuf::from(std::env::var_os("MACROSTEP_JUDGED").expect("MACROSTEP_JUDGED"));
    let (names, rows) = native(&folder.join("oscillator1_displacement"));
    let import: Fmi3Import = fmi::import::from_path(folder.join("adapted.fmu")).expect("the FMU");
    let columns = |causality: Causality| -> (Vec<u32>, Vec<usize>) {
        let all = import.model_description().model_variables.variables.iter();
        let reals = all.filter_map(|v| if let Variable::Float64(v) = v { Some(v) } else { None });
        let wanted = reals.filter(|v| v.causality() == causality);
        wanted.filter_map(|v| Some((v.value_reference(), names.iter().position(|n| n == v.name())?))).unzip()
    };
    let (inputs, input_columns) = columns(Causality::Input);
    let (outputs, output_columns) = columns(Causality::Output);
    assert!(!inputs.is_empty() && !outputs.is_empty() && rows.len() > 100);

    let mut instance = import.instantiate_cs("judged", false, true, false, false, &[]).expect("an instance");
    assert_eq!(instance.get_version(), "3.0");
    instance.enter_initialization_mode(None, 0.0, None).expect("initialising");
    instance.exit_initialization_mode().expect("initialised");
    for (k, row) in rows.iter().enumerate() {
        let mut values = vec![0.0; outputs.len()];
        instance.get_float64(&outputs, &mut values).expect("outputs");
        assert_eq!(bits(&values), bits(&pick(row, &output_columns)), "row {k}");
        if k + 1 < rows.len() {
            instance.set_float64(&inputs, &pick(row, &input_columns)).expect("inputs");
            let ([mut event, mut end, mut early], mut last_s) = ([true; 3], 0.0);
            let step = instance.do_step(row[0], 1e-3, true, &mut event, &mut end, &mut early, &mut last_s);
            step.expect("a step");
            assert!(!event && !end && !early && (last_s - row[0] - 1e-3).abs() < 1e-12, "row {k}");
        }
    }
    instance.terminate().expect("the end");
}
