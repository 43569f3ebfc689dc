//! The study: every coupling scheme over the macro step, beside the interface model at H = 0.2 ms.
//!
//! The largest stable macro step of a scheme is the last of a ladder of multiples of the micro step up to which all are
//! stable; what stable means is said by [`judge`].

use std::path::Path;

use clap::ValueEnum;
use macrostep::factory;
use macrostep_benchmarks::{Delivery, MICRO_S, Manoeuvre, Multirate, Order, Plant, Prediction, Scheme};
use macrostep_master::RunError;
use macrostep_plot::table::{Table, short};
use macrostep_sweep::each;
use serde::Serialize;

use super::runs::{Limits, Outcome, Verdict, errors, judge, run};
use super::{Failed, charts, write_run};

/// Macro steps that are tried for the largest stable one, in micro steps.
const LADDER: [u32; 26] =
    [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 120, 160, 200, 240, 320, 400, 480, 640];
/// Macro steps of the table of errors, in micro steps.
const ERRORS: [u32; 10] = [5, 10, 20, 40, 80, 120, 160, 240, 320, 480];
/// Macro steps in the pictures, in micro steps.
const SHOWN: [u32; 4] = [20, 80, 160, 240];

/// One run beside its reference.
#[derive(Debug, Serialize)]
pub struct Entry {
    scheme: Scheme,
    step_s: f64,
    stable: bool,
    #[serde(flatten)]
    verdict: Verdict,
    max_interface_speed: f64,
    energy_mismatch_j: f64,
    max_violation_m: f64,
    real_time_factor: f64,
    do_steps: [u64; 2],
    log_height: Option<f64>,
}

impl Entry {
    /// Of a run and what it is compared with.
    pub fn new(made: &Multirate, outcome: &Outcome, reference: &Outcome) -> Self {
        let verdict = errors(outcome, reference, made.plant.rows());
        Entry {
            scheme: made.scheme,
            step_s: made.step_s,
            stable: judge(outcome, Some(&verdict), made.plant.is_crane()),
            verdict,
            max_interface_speed: outcome.speed_max_ms,
            energy_mismatch_j: outcome.energy_mismatch_j,
            max_violation_m: outcome.violation_max_m,
            real_time_factor: outcome.real_time_factor,
            do_steps: outcome.do_steps,
            log_height: outcome.log_height_m(),
        }
    }
}

/// Which runs, on what, and what they are compared with.
struct Study {
    plant: Plant,
    reference: Outcome,
}

/// Runs the study, prints its tables, writes results, pictures and the animation.
///
/// # Errors
/// Of a unit before its first step, or of a file.
pub fn all(plant: Plant, folder: &Path) -> Result<(), Failed> {
    // Everything is compared with the interface model at a macro step of one micro step.
    let fine = Multirate::new(plant, Scheme::RECOMMENDED, MICRO_S);
    let study = Study { plant, reference: run(&fine, &factory::fmu, Limits::BRIEF)? };
    // The largest stable steps are printed as soon as they are known, then the errors.
    let largest = study.largest_steps()?;
    println!("Largest stable macro step\n\n{}", largest.terminal());
    let entries = study.errors()?;
    let table = error_table(&entries, plant);
    println!("\nErrors against the interface model at H = 0.2 ms\n\n{}", table.terminal());
    // The same tables in Markdown; only the crane has manoeuvres.
    let mut text =
        format!("## Largest stable macro step\n\n{}\n\n## Errors\n\n{}\n", largest.markdown(), table.markdown());
    if plant.is_crane() {
        let manoeuvres = manoeuvres()?;
        println!("\nManoeuvres, {}, H = 16 ms\n\n{}", Scheme::RECOMMENDED, manoeuvres.terminal());
        text.push_str(&format!("\n## Manoeuvres\n\n{}\n", manoeuvres.markdown()));
    }
    // Files, and the pictures with the runs that they show.
    std::fs::write(folder.join("table.md"), &text)?;
    std::fs::write(folder.join("summary.json"), serde_json::to_string_pretty(&entries)?)?;
    study.pictures(folder)
}

impl Study {
    fn run(&self, scheme: Scheme, micro_steps: u32, limits: Limits) -> Result<(Multirate, Outcome), RunError> {
        let made = Multirate::new(self.plant, scheme, f64::from(micro_steps) * MICRO_S);
        let outcome = run(&made, &factory::fmu, limits)?;
        Ok((made, outcome))
    }

    fn largest_steps(&self) -> Result<Table, RunError> {
        // A run ends soon after it is certain to be unstable: of the crane, just above the speed that it may have.
        let schemes = Scheme::all();
        let limits = Limits { speed_ms: if self.plant.is_crane() { 0.51 } else { 5.0 }, ..Limits::BRIEF };
        // A scheme climbs the ladder up to its first step that is not stable.
        let climbed = |(): &mut (), scheme: &Scheme| {
            let mut largest = None;
            for micro_steps in LADDER {
                let (made, outcome) = self.run(*scheme, micro_steps, limits)?;
                if !Entry::new(&made, &outcome, &self.reference).stable {
                    break;
                }
                largest = Some(micro_steps);
            }
            Ok(largest)
        };
        // Schemes beside each other, results in their order; the first failure ends the study.
        let mut found: Vec<Result<(Scheme, Option<u32>), RunError>> = Vec::new();
        each(&mut vec![(); rayon::current_num_threads()], schemes.into_iter(), climbed, |scheme, largest| {
            let is_known = largest.is_ok();
            found.push(largest.map(|largest| (scheme, largest)));
            is_known
        });
        let found = found.into_iter().collect::<Result<Vec<_>, RunError>>()?;
        // A row for each scheme: its parts, and where its climb ended.
        let mut table =
            Table::new("interface speed | schedule | force | look-ahead | repeated | > largest stable H [ms]");
        for (scheme, largest) in found {
            // The ends of the ladder are bounds, not limits of the scheme.
            let end = LADDER[LADDER.len() - 1];
            let step = match largest {
                None => "below 0.2".to_owned(),
                Some(n) if n == end => format!("{} or more", milliseconds(n)),
                Some(n) => milliseconds(n),
            };
            let look_ahead = if scheme.look_ahead { "yes" } else { "no" };
            let repeated = if scheme.repeat > 0 { format!("up to {} times", scheme.repeat) } else { "no".to_owned() };
            let [prediction, order, delivery] = [typed(scheme.prediction), typed(scheme.order), typed(scheme.delivery)];
            table.row([prediction, order, delivery, look_ahead.to_owned(), repeated, step]);
        }
        Ok(table)
    }

    /// The recommended scheme with and without look-ahead, and the next best, over the macro step.
    fn errors(&self) -> Result<Vec<Entry>, RunError> {
        // The schemes with their steps.
        let schemes = [
            Scheme::RECOMMENDED,
            Scheme { look_ahead: true, ..Scheme::RECOMMENDED },
            Scheme::REPEATED,
            Scheme::of(Prediction::InterfaceModel, Order::FastFirst, Delivery::End),
            Scheme::of(Prediction::Hold, Order::FastFirst, Delivery::End),
            Scheme::of(Prediction::Hold, Order::Jacobi, Delivery::End),
        ];
        // One after the other: the real-time factors are those of one core.
        let all = schemes.into_iter().flat_map(|s| ERRORS.map(|n| (s, n)));
        let entry = |(scheme, micro_steps)| {
            let (made, outcome) = self.run(scheme, micro_steps, Limits::BRIEF)?;
            Ok(Entry::new(&made, &outcome, &self.reference))
        };
        all.map(entry).collect()
    }

    /// Speed and force for several macro steps, whole and around a contact, and the animation.
    fn pictures(&self, folder: &Path) -> Result<(), Failed> {
        let mut runs = Vec::new();
        for micro_steps in SHOWN {
            let (made, outcome) = self.run(Scheme::RECOMMENDED, micro_steps, Limits::WATCHED)?;
            write_run(&folder.join(format!("H{}", milliseconds(micro_steps))), &made, &outcome)?;
            // The page of the 16 ms run is the one to look at first.
            if self.plant.is_crane() && micro_steps == 80 {
                write_run(folder, &made, &outcome)?;
            }
            runs.push((format!("H = {} ms", milliseconds(micro_steps)), outcome));
        }
        let labelled: Vec<(String, &Outcome)> = runs.iter().map(|(name, outcome)| (name.clone(), outcome)).collect();
        let reference = Some(&self.reference);
        let (title, words) =
            ("Cylinder speed and force", format!("{}; hydraulics 0.2 ms; first cylinder", Scheme::RECOMMENDED));
        charts::figure(title, &words, &labelled, reference, None).write(folder, "interface")?;
        let span = if self.plant.is_crane() { [2.6, 4.8] } else { [0.9, 1.8] };
        charts::figure(title, &words, &labelled, reference, Some(span)).write(folder, "interface_contact")?;
        self.comparison(folder)
    }

    /// Schemes beside each other at a step where they part.
    fn comparison(&self, folder: &Path) -> Result<(), Failed> {
        let micro_steps = if self.plant.is_crane() { 160 } else { 80 };
        let schemes = [
            Scheme::RECOMMENDED,
            Scheme::of(Prediction::InterfaceModel, Order::FastFirst, Delivery::End),
            Scheme::of(Prediction::Hold, Order::FastFirst, Delivery::End),
            Scheme::of(Prediction::Hold, Order::Jacobi, Delivery::End),
        ];
        let speed_ms = if self.plant.is_crane() { 0.2 } else { 0.6 };
        let limits = Limits { speed_ms, ..Limits::BRIEF };
        let runs = schemes.map(|s| self.run(s, micro_steps, limits).map(|(_, outcome)| (s.to_string(), outcome)));
        let runs = runs.into_iter().collect::<Result<Vec<_>, RunError>>()?;
        let labelled: Vec<(String, &Outcome)> = runs.iter().map(|(s, o)| (s.clone(), o)).collect();
        let words = format!("H = {} ms, hydraulics 0.2 ms; a run ends above {speed_ms} m/s", milliseconds(micro_steps));
        let figure = charts::figure("Schemes beside each other", &words, &labelled, Some(&self.reference), None);
        figure.write(folder, "schemes")?;
        Ok(())
    }
}

/// Each manoeuvre by the recommended scheme.
fn manoeuvres() -> Result<Table, RunError> {
    // A row for each manoeuvre, with the balance of its energy.
    let mut table = Table::new(
        "manoeuvre | stable | > log at the end [m] | > largest speed [m/s] | > cylinders [J] | \
         > motors, brakes [J] | > contacts [J] | > energy gained [J] | > missing [J]",
    );
    // All by the recommended scheme; without a reference they are judged by speed and energy alone.
    for manoeuvre in Manoeuvre::ALL {
        let made = Multirate::new(Plant::Crane(manoeuvre), Scheme::RECOMMENDED, 80.0 * MICRO_S);
        let outcome = run(&made, &factory::fmu, Limits::BRIEF)?;
        let e = outcome.energy;
        table.row([
            typed(manoeuvre),
            if judge(&outcome, None, true) { "yes" } else { "no" }.to_owned(),
            outcome.log_height_m().map_or_else(String::new, |z| format!("{z:.3}")),
            format!("{:.3}", outcome.speed_max_ms),
            format!("{:.0}", e.interface_work_j),
            format!("{:.0}", e.motor_work_j),
            format!("{:.0}", e.constraint_work_j),
            format!("{:.0}", e.kinetic_j + e.potential_j),
            format!("{:.0}", e.missing_j),
        ]);
    }
    Ok(table)
}

fn error_table(entries: &[Entry], plant: Plant) -> Table {
    // A row for each scheme and macro step.
    let columns = "scheme | > H [ms] | stable | > rms speed [m/s] | > rms force [N] | > mismatch [J] | > violation [m]";
    let log = if plant.is_crane() { "log [m]" } else { "" };
    let mut table = Table::new(&format!("{columns} | > × real time | > {log}"));
    // Errors are lists, a value for each port of the interface; the actuator has no log.
    let list = |values: &[f64]| values.iter().map(|v| short(*v)).collect::<Vec<_>>().join("  ");
    for e in entries {
        table.row([
            e.scheme.to_string(),
            milliseconds((e.step_s / MICRO_S).round() as u32),
            if e.stable { "yes" } else { "no" }.to_owned(),
            list(&e.verdict.rms_velocity),
            list(&e.verdict.rms_force),
            short(e.energy_mismatch_j),
            short(e.max_violation_m),
            format!("{:.0}", e.real_time_factor),
            e.log_height.map_or_else(String::new, |z| format!("{z:.3}")),
        ]);
    }
    table
}

/// Micro steps in milliseconds, without the rounding of a product.
fn milliseconds(micro_steps: u32) -> String {
    format!("{}", f64::from(micro_steps * 2) / 10.0)
}

/// As it is typed.
fn typed(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
