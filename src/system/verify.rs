//! `macrostep verify`: how far a result is from converged.

use macrostep_plot::Table;
use macrostep_plot::table::{Align, short};
use macrostep_system::verify::{Unverified, Verification, verify};
use serde::Serialize;

use super::arguments::VerifyArguments;
use super::{Opened, findings_failure, tell, title};
use crate::failure::Failure;
use crate::print;

/// Verifies the scenario.
///
/// # Errors
/// [`Failure`] where one of the runs cannot be made.
pub fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let mut opened = Opened::new(&arguments.system)?;
    opened.record(&arguments.record);
    let verification = verify(&opened.document.scenario, &opened).map_err(|e| match e {
        Unverified::Findings(findings) => findings_failure(&findings),
        Unverified::Run(which, e) => Failure::Run(format!("the run with {which}: {e}")),
    })?;
    tell(&verification.findings);
    if arguments.json { print::line(json(&verification)?) } else { print::line(table(&verification)) }
}

#[derive(Serialize)]
struct Output<'a> {
    name: &'a str,
    unit: &'a str,
    amplitude: f64,
    error_bar: f64,
    order: Option<f64>,
    drift_1_s: f64,
    halved: f64,
    switched: f64,
}

#[derive(Serialize)]
struct Summary<'a> {
    scenario: &'a str,
    step_s: f64,
    schedule: &'static str,
    other_schedule: &'static str,
    outputs: Vec<Output<'a>>,
}

fn json(v: &Verification) -> Result<String, Failure> {
    let outputs = v.outputs.iter().map(|o| Output {
        name: &o.column.name,
        unit: &o.column.unit,
        amplitude: o.amplitude,
        error_bar: o.bar,
        order: o.order,
        drift_1_s: o.drift_1_s,
        halved: o.halved,
        switched: o.switched,
    });
    let summary = Summary {
        scenario: &v.effective.name,
        step_s: v.step_s,
        schedule: v.effective.coupling.schedule.word(),
        other_schedule: v.other.word(),
        outputs: outputs.collect(),
    };
    serde_json::to_string_pretty(&summary).map_err(|e| Failure::Format { what: "the result", reason: e.to_string() })
}

fn table(v: &Verification) -> String {
    let other = format!("against {}", v.other);
    let mut table = Table::new([
        ("output", Align::Left),
        ("amplitude", Align::Right),
        ("error bar", Align::Right),
        ("unit", Align::Left),
        ("relative", Align::Right),
        ("order", Align::Right),
        ("drift [1/s]", Align::Right),
        ("H against H/2", Align::Right),
        (&other, Align::Right),
    ]);
    for o in &v.outputs {
        let relative = if o.amplitude > 0.0 { Some(o.bar / o.amplitude) } else { None };
        table.row([
            o.column.name.clone(),
            short(o.amplitude),
            format!("± {}", short(o.bar)),
            o.column.unit.clone(),
            short(relative),
            o.order.map_or("-".to_owned(), |p| format!("{p:.2}")),
            short(o.drift_1_s),
            short(o.halved),
            short(o.switched),
        ]);
    }
    let c = &v.effective.coupling;
    format!(
        "{} · {} · {} · {} · {} · H = {} s, against H/2, H/4 and {}\n\n{}",
        title(&v.effective),
        c.schedule,
        c.predict,
        c.correct,
        c.sampling,
        v.step_s,
        v.other,
        table.terminal()
    )
}
