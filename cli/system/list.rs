//! `macrostep systems`: the systems this program carries.

use std::collections::HashSet;

use macrostep::embedded;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_benchmarks as benchmarks;
use macrostep_system::Scenario;
use serde_json::json;

use super::arguments::SystemsArguments;

/// Lists them.
///
/// # Errors
/// [`Failure`] where a system cannot be made.
pub fn run(arguments: &SystemsArguments) -> Result<(), Failure> {
    // Words and objects side by side.
    let mut text = String::from("Systems for commands that take a SYSTEM: NAME, or NAME:VARIANT\n");
    let mut list = Vec::new();
    let mut absent = Vec::new();
    for system in benchmarks::all() {
        // The first variant stands for the others.
        let variant = system.variants.first().copied().unwrap_or_default();
        let scenario = match system.scenario(variant) {
            Ok(scenario) if embeds(&scenario) => scenario,
            Err(reason) if cfg!(feature = "full") => return Err(Failure::Run(reason)),
            _ => {
                absent.push(system.name);
                continue;
            }
        };
        let mut fmus: Vec<String> = scenario.units.iter().map(|unit| unit.source.stem()).collect();
        let mut seen = HashSet::new();
        fmus.retain(|fmu| seen.insert(fmu.clone()));
        // Name, what it is about, its units, solution and variants.
        text.push_str(&format!("\n{:<17} {}\n{:17} units: {}\n", system.name, system.about, "", fmus.join(", ")));
        text.push_str(&format!("{:17} solution: {}\n", "", system.solution));
        if !system.variants.is_empty() {
            text.push_str(&format!("{:17} variants: {}\n", "", system.variants.join(", ")));
        }
        // The same as an object.
        let units: Vec<_> =
            scenario.units.iter().map(|u| json!({"name": u.name, "fmu": u.source.to_string()})).collect();
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
    if !absent.is_empty() {
        text.push_str(&format!("\nnot in this build: {}; {}\n", absent.join(", "), benchmarks::FULL));
    }
    print::prose(text.trim_end())
}

/// Whether this program carries the FMUs of a system.
fn embeds(scenario: &Scenario) -> bool {
    scenario.units.iter().all(|unit| !embedded::ABSENT.contains(&unit.source.stem().as_str()))
}
