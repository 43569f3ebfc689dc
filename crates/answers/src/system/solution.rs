//! What the rows of a run are compared with: the solution of a linear system, of a built-in system, a file of rows, or a finer run.

use clap::Args;
use macrostep_analysis::solution_of;
use macrostep_description::Kind;
use macrostep_import::isolation::Cut;
use macrostep_master::Grade;
use macrostep_master::record::Column;
use macrostep_run::{Comparison, Known, Made, Rows, Steps};
use macrostep_system::assemble::linear;
use macrostep_system::check::input_table;
use macrostep_system::scenario::{InputFile, Place, Solution, SolutionOf};
use macrostep_system::words::Control;
use macrostep_system::{Assembly, Document, Finding, Scenario, assemble};

use super::{Opened, start};
use crate::progress;

/// Values of the finer run that are kept in memory.
const VALUES_MAX: f64 = 5e7;

/// The solution of two masses with the values of the scenario.
pub const PAIR: &str = "oscillator";

/// How far times of two rows may be apart that are one, as a part of the run.
const SAME: f64 = 1e-9;

/// What a run is compared with.
#[derive(Debug, Clone, Args)]
pub struct SolutionArguments {
    /// Compare the recorded outputs with known values, and add a column of errors for each: `exact` (a linear system of models of this
    /// program), `oscillator` (two masses with the values of the scenario), the name of a built-in system, a file .csv of rows, or the macro step of a finer run in seconds; the key `of` of
    /// `[solution]` [default: the scenario's, or none]
    #[arg(long, value_name = "SOLUTION")]
    pub solution: Option<String>,
}

impl SolutionArguments {
    /// The scenario with the option; a file is found from the working folder.
    pub fn apply(&self, document: &mut Document) {
        let Some(text) = &self.solution else { return };
        let s = &mut document.scenario;
        // A file that the scenario names for nothing else goes with it.
        let is_needed = |file: &&InputFile| !s.is_solution(file) || file.name == text.trim();
        s.inputs = s.inputs.iter().filter(is_needed).cloned().collect();
        let here = std::env::current_dir().unwrap_or_default();
        // Another solution is to be met as well.
        let tolerance = s.solution.as_ref().and_then(|solution| solution.tolerance);
        let solution = Solution::of(text, &Place::option("--solution"), &here, &mut s.inputs);
        s.solution = Some(Solution { tolerance, ..solution });
    }
}

/// What is known of the outputs of a scenario, where it says so. A finer run is made here.
///
/// # Errors
/// What keeps it from being known.
pub fn known(opened: &Opened) -> Result<Option<Known>, Vec<Finding>> {
    let Some(solution) = &opened.document.scenario.solution else { return Ok(None) };
    let (assembly, _) = assemble(&opened.document.scenario, opened)?;
    let s = &assembly.effective;
    let error = |what: String, next: &str| vec![Finding::error(&solution.place, what, next)];
    // Rows of a file and of another run are at times that are known before.
    let is_anywhere = matches!(solution.of, SolutionOf::Exact | SolutionOf::Named(_));
    if s.coupling.control.kind != Control::Fixed && !is_anywhere {
        let what = format!("step control by `{}`, and a solution at given times", s.coupling.control.kind);
        return Err(error(what, "choose `kind = \"fixed\"`, or the solution `exact`"));
    }
    match &solution.of {
        SolutionOf::Exact => {
            let linear = linear(&assembly, opened).map_err(|finding| vec![finding])?;
            let names = linear.names.clone();
            let mut at = linear.course(row_s(&assembly));
            let at = move |t_s: f64, out: &mut Vec<f64>| {
                out.extend(at(t_s));
                true
            };
            Ok(Some(Known { amplitudes: vec![None; names.len()], names, at: Box::new(at), made: Vec::new() }))
        }
        SolutionOf::Named(name) => named(name, &assembly).map(Some).map_err(|(what, next)| error(what, &next)),
        SolutionOf::Rows(name) => from_file(name, &assembly).map(Some).map_err(|(what, next)| error(what, next)),
        SolutionOf::Finer(step_s) => finer(*step_s, &assembly, opened).map(Some),
    }
}

/// The solution of a built-in system, or of a pair of masses with any values.
fn named(name: &str, assembly: &Assembly) -> Result<Known, (String, String)> {
    let s = &assembly.effective;
    let e = &s.experiment;
    let (start_s, span_s) = (e.start_s, e.stop_s.unwrap_or(0.0) - e.start_s);
    let solution = if name == PAIR {
        let is_fixed = s.coupling.control.kind == Control::Fixed;
        let window_s = is_fixed.then(|| row_s(assembly) / s.record.every.max(1) as f64);
        solution_of(s, window_s).map_err(|what| {
            (
                format!("the solution `{name}`: {what}"),
                "write `exact`, which takes linear systems of models of this program".to_owned(),
            )
        })?
    } else {
        let all = macrostep_analysis::scenarios();
        let names = all.iter().map(|b| format!("`{}`", b.name())).collect::<Vec<_>>().join(", ");
        let found = all.into_iter().find(|b| b.name() == name);
        found.and_then(|b| b.beside(e.step_s.unwrap_or(f64::NAN), span_s)).ok_or_else(|| {
            let what = format!("`{name}` is no solution");
            (what, format!("write `exact`, `{PAIR}`, one of {names}, a file .csv, or a smaller macro step in seconds"))
        })?
    };
    Ok(beside(solution, start_s))
}

/// The solution of a system that starts at `start_s` \[s\].
pub fn beside(solution: macrostep_analysis::Solution, start_s: f64) -> Known {
    let mut at = solution.at;
    let at = move |t_s: f64, out: &mut Vec<f64>| {
        at(t_s - start_s, out);
        true
    };
    // The energy is one more known value, and one that rows are computed from.
    let (mut names, mut amplitudes, of) = (solution.outputs.clone(), solution.amplitudes, solution.outputs);
    let mut made = Vec::new();
    if let Some((value, start_j)) = solution.energy {
        let column = Column::new("energy", "J");
        names.push(column.name.clone());
        amplitudes.push(Some(start_j));
        made.push(Made { column, of, value });
    }
    Known { names, amplitudes, at: Box::new(at), made }
}

/// The rows of a file, at its own times: columns of recorded outputs are numbers.
fn from_file(name: &str, assembly: &Assembly) -> Result<Known, (String, &'static str)> {
    let s = &assembly.effective;
    let file = s.inputs.iter().find(|file| file.name == name);
    let file = file.ok_or_else(|| (format!("no inputs `{name}`"), "name a file of [inputs]"))?;
    let table = input_table(file).map_err(|finding| (finding.to_string(), ""))?;
    let is_recorded = |column: &str| {
        // Texts are not compared.
        let is_number =
            |&&(u, v): &&(usize, usize)| !matches!(assembly.descriptions[u].variables[v].kind, Kind::String);
        let recorded = assembly.recorded.iter().filter(is_number).map(|&(u, v)| assembly.column(u, v));
        let of = |output: String| s.solution.as_ref().is_some_and(|solution| solution.column(&output) == column);
        recorded.into_iter().any(of)
    };
    let mut columns = Vec::new();
    for column in &table.names {
        let number = |(line, text): (u64, &str)| match text.trim().parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            Err(_) if matches!(text.trim(), "true" | "false") => Ok(f64::from(text.trim() == "true")),
            _ => {
                let what = format!("`{}`: line {line}: `{text}` in column `{column}`", file.shown);
                Err((what, "expected a finite number"))
            }
        };
        let texts = table.column(column).into_iter().flatten().filter(|_| is_recorded(column));
        columns.push(texts.map(number).collect::<Result<Vec<f64>, _>>()?);
    }
    // After the start, at least one row of the file is at the time of a row of the run.
    let (start_s, stop_s) = (s.experiment.start_s, s.experiment.stop_s.unwrap_or(0.0));
    let row_s = row_s(assembly);
    let is_row = |t_s: &f64| {
        let at_s = (start_s + ((t_s - start_s) / row_s).round() * row_s).min(stop_s);
        *t_s > start_s && (at_s - t_s).abs() <= SAME * (stop_s - start_s)
    };
    if !table.times_s.iter().any(is_row) {
        let (first_s, last_s) = (table.times_s.first().copied(), table.times_s.last().copied());
        let (first_s, last_s) = (first_s.unwrap_or(f64::NAN), last_s.unwrap_or(f64::NAN));
        let what = format!(
            "`{}` has rows from {first_s} s to {last_s} s, the run every {row_s} s: none is at one time",
            file.shown
        );
        return Err((what, "choose a macro step that meets the times of the file"));
    }
    Ok(rows(table.names, table.times_s, columns, s))
}

/// Time from one row to the next \[s\], where steps are of one length.
fn row_s(assembly: &Assembly) -> f64 {
    let s = &assembly.effective;
    let window = assembly.grid.window(s.units.len()).map_or(1.0, |(window, _)| window);
    window * s.experiment.step_s.unwrap_or(f64::NAN) * s.record.every.max(1) as f64
}

/// Values at given times, ascending.
fn rows(names: Vec<String>, times_s: Vec<f64>, columns: Vec<Vec<f64>>, s: &Scenario) -> Known {
    let e = &s.experiment;
    let same_s = SAME * (e.stop_s.unwrap_or(0.0) - e.start_s);
    let mut next = 0;
    let at = move |t_s: f64, out: &mut Vec<f64>| {
        // Of rows at one time the last one holds from then on.
        while times_s.get(next + 1).is_some_and(|then_s| *then_s <= t_s + same_s) {
            next += 1;
        }
        let is_known = times_s.get(next).is_some_and(|then_s| (then_s - t_s).abs() <= same_s);
        let value = |column: &Vec<f64>| column.get(next).copied().unwrap_or(f64::NAN);
        out.extend(columns.iter().filter(|_| is_known).map(value));
        is_known
    };
    Known { amplitudes: vec![None; names.len()], names, at: Box::new(at), made: Vec::new() }
}

/// A run of the same with smaller macro steps, and rows at the same times.
fn finer(step_s: f64, assembly: &Assembly, opened: &Opened) -> Result<Known, Vec<Finding>> {
    let mut s = assembly.effective.clone();
    let place = s.solution.as_ref().map(|solution| solution.place.clone()).unwrap_or_default();
    let error = |what: String, next: &str| vec![Finding::error(&place, what, next)];
    // Each macro step in whole parts.
    let long_s = s.experiment.step_s.unwrap_or(f64::NAN);
    let parts = (long_s / step_s).round();
    if !(step_s > 0.0 && parts >= 2.0 && (long_s / step_s - parts).abs() <= 1e-9 * parts) {
        let what = format!("a finer run with H = {step_s:?} s, and the macro step is {long_s:?} s");
        return Err(error(what, "choose a whole part of the macro step, as a half or a tenth"));
    }
    (s.solution, s.experiment.step_s) = (None, Some(step_s));
    s.record.every = s.record.every.max(1).saturating_mul(parts as u64);
    let span_s = (s.experiment.start_s, s.experiment.stop_s.unwrap_or(0.0));
    let values = (span_s.1 - span_s.0) / (step_s * s.record.every as f64) * (assembly.recorded.len() + 1) as f64;
    if values > VALUES_MAX {
        let what =
            format!("{values:.3e} values of the finer run, which are kept in memory, expected at most {VALUES_MAX:e}");
        return Err(error(what, "record fewer variables, or every N-th row by `every` of [record]"));
    }
    // The run, to its end, without the comparison.
    let failed = |e: String| error(format!("the finer run with H = {step_s:?} s: {e}"), "");
    let (finer, _) = assemble(&s, opened)?;
    let mut simulation = start(finer).map_err(|e| failed(e.to_string()))?;
    let mut steps = Steps::new(&simulation, span_s, s.record.every).map_err(|e| failed(e.to_string()))?;
    steps.progress = Some(progress::of_run());
    let cut = opened.caller().map_or_else(Cut::default, |caller| caller.cut.clone());
    let mut found = Rows::collected(cut);
    steps.run(&mut simulation, &mut found, None).map_err(|e| failed(e.to_string()))?;
    let verdict = simulation.verdict();
    if verdict.grade >= Grade::Growing {
        return Err(failed(verdict.reason));
    }
    let names: Vec<String> = simulation.columns().iter().map(|column| column.name.clone()).collect();
    let found = found.collected.unwrap_or_default();
    let column = |i: usize| found.values.iter().skip(i).step_by(names.len()).copied().collect();
    let columns = (0..names.len()).map(column).collect();
    Ok(rows(names, found.time_s, columns, &s))
}

/// The rows of a run beside what is known.
///
/// # Errors
/// Where nothing of it can be compared, or something that is named.
pub fn compared(s: &Scenario, known: Option<Known>, recorded: &[Column]) -> Result<Option<Comparison>, Finding> {
    let (Some(known), Some(solution)) = (known, &s.solution) else { return Ok(None) };
    let list = |names: &mut dyn Iterator<Item = &str>| {
        names.take(8).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let columns = list(&mut recorded.iter().map(|c| c.name.as_str()));
    let names = list(&mut known.names.iter().map(String::as_str));
    // What is named by `columns` is there.
    for (output, column) in &solution.columns {
        if !recorded.iter().any(|c| c.name == *output) {
            let what = format!("`{output}` in `columns` is not recorded; recorded are {columns}");
            return Err(Finding::error(&solution.place, what, "write UNIT.VARIABLE of a recorded variable"));
        }
        if !known.names.contains(column) {
            let what = format!("`{}` has no `{column}`; it has {names}", solution.of);
            return Err(Finding::error(&solution.place, what, "correct the name in `columns`"));
        }
    }
    let comparison = Comparison::new(known, recorded, |output| solution.column(output).to_owned());
    if comparison.compared() == 0 {
        let what = format!("`{}` has {names}, and recorded are {columns}: none has the name of another", solution.of);
        let next = "write `columns = { \"UNIT.VARIABLE\" = \"COLUMN\" }` in [solution]";
        return Err(Finding::error(&solution.place, what, next));
    }
    Ok(Some(comparison))
}
