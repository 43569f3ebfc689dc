//! `macrostep check --rollback FMU`: ten steps, back, the same ten steps again, by the FMU's own state functions and by fork. Every
//! output and local variable is compared to the bit after every step.

use std::time::Instant;

use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_answers::slaves::{self, SlaveArguments};
use macrostep_description::{Causality, Value, Variable, shown};
use macrostep_import::fmu::Fmu;
use macrostep_master::unit::{self, Outcome, Unit, UnitError};
use serde_json::{Value as Json, json};

/// Steps before the first snapshot: going back to the start is another thing.
const BEFORE: usize = 2;

/// Steps that are made twice.
const STEPS: usize = 10;

/// Where in them a second snapshot is taken, to which the slave goes back after the first one.
const MIDDLE: usize = 5;

/// How often a snapshot and a rollback are timed.
const TIMED: usize = 20;

/// What a way to go back has come to.
struct Trial {
    /// Its name.
    way: &'static str,
    /// What was compared, or in words why it does not go back.
    found: Result<Found, String>,
}

/// A trial that has passed.
struct Found {
    /// Variables compared, and those that moved in the ten steps.
    variables: usize,
    moved: usize,
    /// Least time of a snapshot and of a rollback, each with a variable read \[s\].
    save_s: f64,
    restore_s: f64,
}

/// The trials of an FMU.
pub struct Trials {
    /// By its own functions, where it declares them.
    own: Option<Trial>,
    fork: Trial,
}

impl Trials {
    /// Tries both ways, each on an instance of its own.
    ///
    /// # Errors
    /// Where this program is not found again.
    pub fn of(fmu: &Fmu) -> Result<Trials, Failure> {
        let linux = cfg!(target_os = "linux");
        let arguments = SlaveArguments { isolate: linux, ..SlaveArguments::default() };
        let is_declared = fmu.capabilities().can_get_and_set_fmu_state;
        let own = is_declared.then(|| {
            let unit = slaves::make(fmu, "slave", &arguments, None).map_err(|e| e.to_string());
            Trial { way: "own state functions", found: unit.and_then(|mut unit| tried(fmu, unit.as_mut())) }
        });
        let unit = slaves::make_by_fork(fmu, "slave", &arguments).map_err(|e| e.to_string());
        let fork = Trial { way: "by fork", found: unit.and_then(|mut unit| tried(fmu, unit.as_mut())) };
        Ok(Trials { own, fork })
    }

    /// A line for each way.
    ///
    /// # Errors
    /// Where standard output is closed.
    pub fn print(&self) -> Result<(), Failure> {
        if self.own.is_none() {
            print::line("own state functions: none (`canGetAndSetFMUstate` is false)")?;
        }
        self.own.iter().chain([&self.fork]).try_for_each(print::line)
    }

    /// As JSON.
    pub fn json(&self) -> Json {
        json!({ "own": self.own.as_ref().map(Trial::json), "fork": self.fork.json() })
    }

    /// The error of an FMU that does not go back as it declares, or not at all.
    pub fn failure(&self, file: &str) -> Option<String> {
        match (&self.own, &self.fork.found) {
            (Some(Trial { found: Ok(_), .. }), _) | (None, Ok(_)) => None,
            (Some(_), Ok(_)) => Some(format!(
                "`{file}` declares `canGetAndSetFMUstate` and does not go back by its state functions, see above; `run \
                 --rollback fork` goes back by fork instead"
            )),
            (_, Err(_)) => Some(format!("`{file}` cannot go back, see above; choose explicit coupling")),
        }
    }
}

impl Trial {
    fn json(&self) -> Json {
        match &self.found {
            Ok(f) => json!({
                "goes_back": true,
                "variables": f.variables,
                "moved": f.moved,
                "snapshot_s": f.save_s,
                "rollback_s": f.restore_s,
            }),
            Err(reason) => json!({ "goes_back": false, "reason": reason }),
        }
    }
}

impl std::fmt::Display for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let way = self.way;
        match &self.found {
            Err(reason) => write!(f, "{way}: no: {reason}"),
            Ok(Found { variables, moved, save_s, restore_s }) => {
                let seen = match moved {
                    0 => "none of them moved, so this proves nothing".to_owned(),
                    n => format!("{n} of them moved"),
                };
                let (save, restore) = (save_s * 1e6, restore_s * 1e6);
                write!(
                    f,
                    "{way}: {STEPS} steps, back, and {STEPS} steps again give the same bits in {}, {seen}; a snapshot takes \
                     {save:.0} µs, a rollback {restore:.0} µs",
                    print::counted(*variables as u64, "variable"),
                )
            }
        }
    }
}

/// The slave under trial.
struct Stepper<'a> {
    unit: &'a mut dyn Unit,
    variables: &'a [&'a Variable],
    start_s: f64,
    step_s: f64,
}

impl Stepper<'_> {
    /// The values after each of these steps.
    fn steps(&mut self, numbers: std::ops::Range<usize>) -> Result<Vec<Vec<Value>>, String> {
        let mut rows = Vec::new();
        for n in numbers {
            let t_s = self.start_s + n as f64 * self.step_s;
            match self.unit.step(t_s, self.step_s, false).map_err(words)? {
                Outcome::Done => rows.push(self.read()?),
                Outcome::Discarded { reached_s, .. } => {
                    return Err(format!(
                        "a step from t = {} s ended at {} s",
                        shown::time(t_s),
                        shown::time(reached_s)
                    ));
                }
            }
        }
        Ok(rows)
    }

    fn read(&mut self) -> Result<Vec<Value>, String> {
        self.variables.iter().map(|variable| unit::get(self.unit, variable).map_err(words)).collect()
    }

    /// The least time of a call with a variable read behind it \[s\].
    fn least_s(&mut self, call: impl Fn(&mut dyn Unit) -> Result<(), UnitError>) -> Result<f64, String> {
        let mut least_s = f64::INFINITY;
        for _ in 0..TIMED {
            let began = Instant::now();
            call(self.unit).map_err(words)?;
            if let Some(variable) = self.variables.first() {
                unit::get(self.unit, variable).map_err(words)?;
            }
            least_s = least_s.min(began.elapsed().as_secs_f64());
        }
        Ok(least_s)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn words(e: UnitError) -> String {
    e.to_string()
}

/// Ten steps, back, the same again; from a second snapshot in the middle again; then the times.
fn tried(fmu: &Fmu, unit: &mut dyn Unit) -> Result<Found, String> {
    // What is compared, and the times.
    let d = fmu.description();
    let is_compared = |v: &&Variable| matches!(v.causality, Causality::Output | Causality::Local);
    let variables: Vec<&Variable> = d.variables.iter().filter(is_compared).collect();
    let (declared, _) = d.default_experiment.unwrap_or_default().usable();
    let start_s = declared.start_time.unwrap_or(0.0);
    let span_s = declared.stop_time.map_or(1.0, |stop_s| stop_s - start_s);
    let step_s = declared.step_size.unwrap_or(span_s / 500.0);
    unit.setup(start_s, None, declared.tolerance).map_err(words)?;
    unit.enter_initialization().map_err(words)?;
    unit.exit_initialization().map_err(words)?;
    let mut course = Stepper { unit, variables: &variables, start_s, step_s };
    course.steps(0..BEFORE)?;

    // The first time.
    let (middle, end) = (BEFORE + MIDDLE, BEFORE + STEPS);
    course.unit.save(0).map_err(words)?;
    let mut first = course.steps(BEFORE..middle)?;
    course.unit.save(1).map_err(words)?;
    first.extend(course.steps(middle..end)?);

    // Again, from both snapshots.
    let same = |again: &[Vec<Value>], from: usize| match difference(&first[from - BEFORE..], again) {
        None => Ok(()),
        Some((n, place)) => {
            let (t_s, name) = (start_s + (from + n + 1) as f64 * step_s, &variables[place].name);
            let (a, b) = (&first[from - BEFORE + n][place], &again[n][place]);
            Err(format!("`{name}` at t = {} s is {a:?}, and {b:?} after going back", shown::time(t_s)))
        }
    };
    course.unit.restore(0).map_err(words)?;
    same(&course.steps(BEFORE..end)?, BEFORE)?;
    course.unit.restore(1).map_err(words)?;
    same(&course.steps(middle..end)?, middle)?;

    // The times, and what there was to see.
    let save_s = course.least_s(|unit| unit.save(0))?;
    let restore_s = course.least_s(|unit| unit.restore(0))?;
    let has_moved = |place: &usize| first.iter().any(|row| !is_same(&row[*place], &first[0][*place]));
    let moved = (0..variables.len()).filter(has_moved).count();
    Ok(Found { variables: variables.len(), moved, save_s, restore_s })
}

/// The first step and variable whose bits differ.
fn difference(first: &[Vec<Value>], again: &[Vec<Value>]) -> Option<(usize, usize)> {
    let mut rows = first.iter().zip(again).enumerate();
    rows.find_map(|(n, (a, b))| a.iter().zip(b).position(|(a, b)| !is_same(a, b)).map(|place| (n, place)))
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Real(a), Value::Real(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}
