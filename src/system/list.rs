//! `macrostep systems`: the systems this program carries.

use macrostep_benchmarks as benchmarks;
use macrostep_plot::Table;
use macrostep_plot::table::Align;
use serde_json::json;

use super::arguments::SystemsArguments;
use crate::failure::Failure;
use crate::print;

/// Lists them.
///
/// # Errors
/// [`Failure`] where a system cannot be made.
pub fn run(arguments: &SystemsArguments) -> Result<(), Failure> {
    let mut table = Table::new([
        ("system", Align::Left),
        ("what it is", Align::Left),
        ("FMUs", Align::Left),
        ("solution", Align::Left),
    ]);
    let mut list = Vec::new();
    for system in benchmarks::all() {
        let variant = system.variants.first().copied().unwrap_or_default();
        let scenario = system.scenario(variant).map_err(Failure::Run)?;
        let mut fmus: Vec<String> = scenario.units.iter().map(|unit| unit.source.stem()).collect();
        fmus.dedup();
        let variants = if system.variants.is_empty() { String::new() } else { format!(":{}", system.variants.join("|")) };
        table.row([
            format!("{}{variants}", system.name),
            system.about.to_owned(),
            fmus.join(", "),
            system.solution.to_owned(),
        ]);
        let units: Vec<_> = scenario.units.iter().map(|u| json!({"name": u.name, "fmu": u.source.to_string()})).collect();
        list.push(json!({
            "name": system.name,
            "about": system.about,
            "variants": system.variants,
            "solution": system.solution,
            "units": units,
            "step_s": scenario.experiment.step_s,
            "stop_s": scenario.experiment.stop_s,
        }));
    }
    if arguments.json {
        return print::line(serde_json::Value::Array(list));
    }
    print::line(format!("{}\n\n`macrostep run NAME` runs the first variant, `NAME:VARIANT` another", table.terminal()))
}
