//! The study: every coupling scheme over the macro step, beside the interface model at H = 0.2 ms.
//!
//! The largest stable macro step of a scheme is the last of a ladder of multiples of the micro step up to which all are
//! stable; what stable means is said by [`judge`].

use std::path::Path;

use macrostep::factory;
use macrostep_analysis::multirate::{
    Limits, MICRO_S, Manoeuvre, Multirate, Outcome, Plant, Scheme, Verdict, errors, judge,
};
use macrostep_plot::table::{Table, short};
use macrostep_sweep::each;
use serde::Serialize;

use super::arguments::MultirateArguments;
use super::{charts, simulate, stepped, write_run};
use crate::failure::Failure;
use crate::files::write_text;
use crate::print;
use crate::progress::progress_bar;
use crate::terms::typed;

/// Macro steps that are tried for the largest stable one, in micro steps.
const LADDER: [u32; 26] =
    [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 120, 160, 200, 240, 320, 400, 480, 640];
/// Macro steps of the table of errors, in micro steps.
const ERRORS: [u32; 10] = [5, 10, 20, 40, 80, 120, 160, 240, 320, 480];
/// Macro steps in the pictures, in micro steps.
const SHOWN: [u32; 4] = [20, 80, 160, 240];

/// One run of the study.
#[derive(Debug, Serialize)]
struct Entry {
    scheme: Scheme,
    step_s: f64,
    stable: bool,
    #[serde(flatten)]
    verdict: Verdict,
    max_interface_speed: f64,
    energy_mismatch_j: f64,
    max_violation_m: f64,
    real_time_factor: f64,
    log_height: Option<f64>,
}

/// Which runs, on what, and what they are compared with.
struct Study<'a> {
    plant: Plant,
    arguments: &'a MultirateArguments,
    reference: Outcome,
}

/// Runs the study, prints its tables, writes results, pictures and the animation.
///
/// # Errors
/// [`Failure`] of a unit before its first step, or of a file.
pub fn run(plant: Plant, a: &MultirateArguments) -> Result<(), Failure> {
    // A folder that cannot be made is known before the first run; FMUs stay unpacked between runs.
    let default = if plant.is_crane() { "out/crane" } else { "out/actuator" };
    let folder = a.folder(default).unwrap_or(Path::new(default)).to_owned();
    let _open = factory::open_all().map_err(Failure::run)?;
    // Everything is compared with the interface model at a macro step of one micro step.
    let fine = Multirate::new(plant, Scheme::RECOMMENDED, MICRO_S);
    let study = Study { plant, arguments: a, reference: stepped::reference(&fine, a)? };

    // The largest stable steps are printed as soon as they are known, then the errors.
    let largest = study.largest_steps()?;
    print::line(format!("Largest stable macro step\n\n{}", largest.terminal()))?;
    let entries = study.errors()?;
    let table = error_table(&entries, plant);
    print::line(format!("\nErrors against the interface model at H = 0.2 ms\n\n{}", table.terminal()))?;
    // The same tables in Markdown; only the crane has manoeuvres.
    let mut text =
        format!("## Largest stable macro step\n\n{}\n\n## Errors\n\n{}\n", largest.markdown(), table.markdown());
    if plant.is_crane() {
        let manoeuvres = study.manoeuvres()?;
        print::line(format!("\nManoeuvres, {}, H = 16 ms\n\n{}", Scheme::RECOMMENDED, manoeuvres.terminal()))?;
        text.push_str(&format!("\n## Manoeuvres\n\n{}\n", manoeuvres.markdown()));
    }
    // Files, and the pictures with the runs that they show.
    write_text(&folder.join("table.md"), &text)?;
    let json = serde_json::to_string_pretty(&entries)?;
    write_text(&folder.join("summary.json"), &json)?;
    study.pictures(&folder)?;
    crate::print::remark!("wrote tables, pictures and the runs shown to `{}`", folder.display());
    Ok(())
}

impl Study<'_> {
    fn run(&self, scheme: Scheme, micro_steps: u32, limits: Limits) -> Result<(Multirate, Outcome), Failure> {
        let scenario = Multirate::new(self.plant, scheme, f64::from(micro_steps) * MICRO_S);
        let outcome = simulate(&scenario, self.arguments, limits)?;
        Ok((scenario, outcome))
    }

    fn judged(&self, outcome: &Outcome) -> (Verdict, bool) {
        let verdict = errors(outcome, &self.reference, self.plant.rows());
        let stable = judge(outcome, Some(&verdict), self.plant.is_crane());
        (verdict, stable)
    }

    fn largest_steps(&self) -> Result<Table, Failure> {
        // A run ends soon after it is certain to be unstable: of the crane, just above the speed that it may have.
        let schemes = Scheme::all();
        let bar = progress_bar(schemes.len() as u64, "schemes");
        let limits = Limits { speed_ms: if self.plant.is_crane() { 0.51 } else { 5.0 }, ..Limits::BRIEF };
        // A scheme climbs the ladder up to its first step that is not stable.
        let climbed = |(): &mut (), scheme: &Scheme| {
            let mut largest = None;
            for micro_steps in LADDER {
                let (_, outcome) = self.run(*scheme, micro_steps, limits)?;
                if !self.judged(&outcome).1 {
                    break;
                }
                largest = Some(micro_steps);
            }
            Ok(largest)
        };
        // Schemes beside each other, results in their order; the first failure ends the study.
        let mut found: Vec<Result<(Scheme, Option<u32>), Failure>> = Vec::new();
        each(&mut vec![(); rayon::current_num_threads()], schemes.into_iter(), climbed, |scheme, largest| {
            bar.inc(1);
            let is_known = largest.is_ok();
            found.push(largest.map(|largest| (scheme, largest)));
            is_known
        });
        bar.finish_and_clear();
        let found = found.into_iter().collect::<Result<Vec<_>, Failure>>()?;
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
    fn errors(&self) -> Result<Vec<Entry>, Failure> {
        use macrostep_analysis::multirate::{Delivery, Order, Prediction};
        // The schemes with their steps.
        let schemes = [
            Scheme::RECOMMENDED,
            Scheme { look_ahead: true, ..Scheme::RECOMMENDED },
            Scheme::REPEATED,
            Scheme::of(Prediction::InterfaceModel, Order::FastFirst, Delivery::End),
            Scheme::of(Prediction::Hold, Order::FastFirst, Delivery::End),
            Scheme::of(Prediction::Hold, Order::Jacobi, Delivery::End),
        ];
        let all: Vec<(Scheme, u32)> = schemes.into_iter().flat_map(|s| ERRORS.map(|n| (s, n))).collect();
        let bar = progress_bar(all.len() as u64, "runs");
        // One after the other: the real-time factors are those of one core.
        let entries = all.into_iter().map(|(scheme, micro_steps)| {
            let (scenario, outcome) = self.run(scheme, micro_steps, Limits::BRIEF)?;
            let (verdict, stable) = self.judged(&outcome);
            bar.inc(1);
            // A row of the table, and of the summary.
            Ok(Entry {
                scheme,
                step_s: scenario.step_s,
                stable,
                verdict,
                max_interface_speed: outcome.speed_max_ms,
                energy_mismatch_j: outcome.energy_mismatch_j,
                max_violation_m: outcome.violation_max_m,
                real_time_factor: outcome.real_time_factor,
                log_height: outcome.trace.column("log_height").and_then(|c| c.last().copied()),
            })
        });
        let entries = entries.collect::<Result<Vec<_>, Failure>>()?;
        bar.finish_and_clear();
        Ok(entries)
    }

    fn manoeuvres(&self) -> Result<Table, Failure> {
        // A row for each manoeuvre, with the balance of its energy.
        let mut table = Table::new(
            "manoeuvre | stable | > log at the end [m] | > largest speed [m/s] | > cylinders [J] | \
             > motors, brakes [J] | > contacts [J] | > energy gained [J] | > missing [J]",
        );
        // All by the recommended scheme; without a reference they are judged by speed and energy alone.
        for manoeuvre in Manoeuvre::ALL {
            let scenario = Multirate::new(Plant::Crane(manoeuvre), Scheme::RECOMMENDED, 80.0 * MICRO_S);
            let outcome = simulate(&scenario, self.arguments, Limits::BRIEF)?;
            let height = outcome.trace.column("log_height").and_then(|c| c.last().copied());
            let e = outcome.energy;
            table.row([
                super::manoeuvre_name(manoeuvre),
                if judge(&outcome, None, true) { "yes" } else { "no" }.to_owned(),
                height.map_or_else(String::new, |z| format!("{z:.3}")),
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

    /// Speed and force for several macro steps, whole and around a contact, and the animation.
    fn pictures(&self, folder: &Path) -> Result<(), Failure> {
        let mut runs = Vec::new();
        for micro_steps in SHOWN {
            let (scenario, outcome) = self.run(Scheme::RECOMMENDED, micro_steps, Limits::WATCHED)?;
            let name = format!("H{}", milliseconds(micro_steps));
            let inner = folder.join(&name);
            std::fs::create_dir_all(&inner).map_err(Failure::file(&inner))?;
            write_run(&inner, &scenario, &outcome)?;
            // The page of the 16 ms run is the one to look at first.
            if scenario.plant.is_crane() && micro_steps == 80 {
                write_run(folder, &scenario, &outcome)?;
            }
            runs.push((scenario, outcome));
        }
        let labelled: Vec<(String, &Outcome)> = runs
            .iter()
            .map(|(s, o)| (format!("H = {} ms", milliseconds((s.step_s / MICRO_S).round() as u32)), o))
            .collect();
        let reference = Some(&self.reference);
        let (title, words) =
            ("Cylinder speed and force", format!("{}; hydraulics 0.2 ms; first cylinder", Scheme::RECOMMENDED));
        charts::figure(title, &words, &labelled, reference, None).write(folder, "interface")?;
        let span = if self.plant.is_crane() { [2.6, 4.8] } else { [0.9, 1.8] };
        charts::figure(title, &words, &labelled, reference, Some(span)).write(folder, "interface_contact")?;
        self.comparison(folder)
    }

    /// Schemes beside each other at a step where they part.
    fn comparison(&self, folder: &Path) -> Result<(), Failure> {
        use macrostep_analysis::multirate::{Delivery, Order, Prediction};
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
        let runs = runs.into_iter().collect::<Result<Vec<_>, Failure>>()?;
        let labelled: Vec<(String, &Outcome)> = runs.iter().map(|(s, o)| (s.clone(), o)).collect();
        let words = format!("H = {} ms, hydraulics 0.2 ms; a run ends above {speed_ms} m/s", milliseconds(micro_steps));
        let figure = charts::figure("Schemes beside each other", &words, &labelled, Some(&self.reference), None);
        figure.write(folder, "schemes")?;
        Ok(())
    }
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
