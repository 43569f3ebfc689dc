//! Loads and steps every FMU of the folder `MACROSTEP_JUDGED`, which must hold some.

use std::path::PathBuf;

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

/// Follows the native run in `NAME.csv`, to the bit.
#[test]
fn it_steps_one_to_the_same_bits() {
    let (path, import) = import("oscillator1_displacement");
    let table = std::fs::read_to_string(path.with_extension("csv")).expect("the native run");
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
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
    let pick = |row: &[f64], columns: &[usize]| -> Vec<f64> { columns.iter().map(|c| row[*c]).collect() };
    for (k, row) in rows.iter().enumerate() {
        let mut values = vec![0.0; outputs.len()];
        instance.get_real(&outputs, &mut values).expect("outputs");
        let bits = |x: &[f64]| -> Vec<u64> { x.iter().map(|x| x.to_bits()).collect() };
        assert_eq!(bits(&values), bits(&pick(row, &output_columns)), "row {k}");
        if k + 1 < rows.len() {
            instance.set_real(&inputs, &pick(row, &input_columns)).expect("inputs");
            instance.do_step(row[0], 1e-3, true).expect("a step");
        }
    }
    instance.terminate().expect("the end");
}
