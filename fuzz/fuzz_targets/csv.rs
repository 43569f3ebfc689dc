//! CSV: files of inputs and of results.
#![no_main]

use std::sync::LazyLock;

// The program's own reader of values, without the program: that would bring all FMUs with it.
#[allow(dead_code)]
#[path = "../../crates/answers/src/values.rs"]
mod values;

use libfuzzer_sys::fuzz_target;
use macrostep_description::ModelDescription;
use macrostep_master::Series;
use macrostep_master::record::Trace;
use macrostep_run::{read_trace, write_trace};
use macrostep_system::input::InputTable;

static DESCRIPTION: LazyLock<ModelDescription> =
    LazyLock::new(|| macrostep_models::find("oscillator1_force").expect("a model").describe());

fuzz_target!(|bytes: &[u8]| {
    // Inputs: a table, values in the type of their variable, and lines between them.
    if let Ok(table) = InputTable::read(bytes, values::cut) {
        for name in &table.names {
            let Ok(variable) = values::find(&DESCRIPTION, name) else { continue };
            let texts = table.column(name).into_iter().flatten();
            let read =
                texts.map(|(_, text)| values::parse(&DESCRIPTION, variable, text)).collect::<Result<Vec<_>, _>>();
            let reals = read.iter().flatten().filter_map(|value| value.as_real()).collect();
            if let Some(series) = Series::new(table.times_s.clone(), reals) {
                table.times_s.iter().for_each(|t_s| {
                    std::hint::black_box((series.at(*t_s), series.before(*t_s)));
                });
            }
        }
    }
    // Results.
    if let Ok(trace) = read_trace(bytes) {
        let mut file = Vec::new();
        if write_trace(&trace, &mut file).is_ok() {
            let again = read_trace(file.as_slice()).expect("what we write we read");
            let bits = |t: &Trace| t.rows().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
            let is_nan = |t: &Trace| t.rows().flatten().any(|x| x.is_nan());
            assert!(is_nan(&trace) || bits(&trace) == bits(&again));
        }
    }
});
