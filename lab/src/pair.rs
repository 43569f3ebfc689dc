//! The two masses: compared with the exact solution as `macrostep oscillator` does it, through the same recorder.

use macrostep_analysis::pair::{Outcome, Recorder};
use macrostep_benchmarks::Oscillator;
use macrostep_master::Simulation;
use macrostep_master::record::{Observer, Trace};
use macrostep_oscillator::{Exact, Parameters, State};

use crate::answer::{Answer, Column, Panel};
use crate::question::Settings;
use crate::run::{Begun, begun};
use crate::{command, systems};

/// The parameters with the values of the sliders.
///
/// # Errors
/// A name that is none, or values that make no oscillator.
pub fn parameters(settings: &Settings) -> Result<Parameters, String> {
    let mut p = Parameters::case_1();
    for (name, value) in &settings.values {
        p.set(name, *value).map_err(|e| e.to_string())?;
    }
    p.validate().map_err(|e| e.to_string())?;
    Ok(p)
}

/// Runs it.
///
/// # Errors
/// What cannot be run, and why.
pub fn run(settings: &Settings, every: u64) -> Result<Answer, String> {
    let (parameters, scheme) = (parameters(settings)?, settings.scheme()?);
    let shares = scheme.shares(2);
    let oscillator = Oscillator {
        method: settings.coupling()?,
        shares: [shares[0], shares[1]],
        every,
        ..Oscillator::new(parameters, scheme.coupling, [settings.step, settings.stop])
    };
    let mut begun = begun(&oscillator.scenario(), systems::PAIR)?;
    begun
        .ran
        .commands
        .insert(0, ("In a shell, with the comparison".to_owned(), command::oscillator(settings, &parameters, every)));
    // Every row is compared, some are kept.
    let simulation = &begun.simulation;
    // Points that are known before, or the end alone.
    let is_controlled = simulation.course().is_some();
    let (window_s, windows) = if is_controlled {
        (settings.stop, 1)
    } else {
        (simulation.window_s(), simulation.windows_in(settings.stop).map_err(|e| e.to_string())?)
    };
    let exact = Exact::new(&parameters).map_err(|e| e.to_string())?;
    let mut rows = Compared {
        states: states(simulation)?,
        recorder: Recorder::new(exact, window_s, windows, every),
        is_controlled,
        trace: Trace::new(Recorder::columns()),
    };
    begun.follow(settings.stop, 1, &mut rows)?;
    begun.judged();
    let Compared { recorder, trace, .. } = rows;
    say(&mut begun, &recorder.finish());
    let mut columns: Vec<Vec<f64>> =
        trace.columns().iter().map(|c| trace.column(&c.name).unwrap_or_default()).collect();
    for name in ["x1_error", "x2_error"] {
        let error = trace.column(name).unwrap_or_default();
        columns.push(largest_so_far(&error));
    }
    begun.answer(columns)
}

/// The columns of x1, x2, v1 and v2.
fn states(simulation: &Simulation) -> Result<[usize; 4], String> {
    let place = |name: &str| {
        let place = simulation.columns().iter().position(|column| column.name == name);
        place.ok_or_else(|| format!("`{name}` is not recorded"))
    };
    Ok([place("mass1.x")?, place("mass2.x")?, place("mass1.v")?, place("mass2.v")?])
}

/// Rows on their way through the recorder.
struct Compared {
    states: [usize; 4],
    recorder: Recorder,
    /// Whether steps are chosen as the run goes on.
    is_controlled: bool,
    trace: Trace,
}

impl Observer for Compared {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        let [x1, x2, v1, v2] = self.states.map(|place| values[place]);
        let z = State::new(x1, x2, v1, v2);
        if self.is_controlled {
            self.recorder.point_at(t_s, &z, &mut self.trace);
        } else {
            self.recorder.point(&z, &mut self.trace);
        }
    }
}

/// The largest absolute value up to each row.
pub fn largest_so_far(column: &[f64]) -> Vec<f64> {
    let largest = |most: &mut f64, x: &f64| {
        *most = most.max(x.abs());
        Some(*most)
    };
    column.iter().scan(0.0, largest).collect()
}

/// What there is to see.
fn say(begun: &mut Begun, outcome: &Outcome) {
    let ran = &mut begun.ran;
    let short = |x: f64| if x.is_finite() { format!("{x:.3e}") } else { "–".to_owned() };
    ran.off = Some(outcome.max_relative_position()).filter(|error| error.is_finite());
    let facts = [
        ("error of mass 1 / amplitude", short(outcome.error[0])),
        ("error of mass 2 / amplitude", short(outcome.error[1])),
        ("energy drift / start", short(outcome.drift)),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value));
    ran.facts.splice(0..0, facts);
    ran.columns.push(Column { name: "time".to_owned(), unit: "s".to_owned() });
    let columns = Recorder::columns().map(|c| Column { name: c.name, unit: c.unit });
    ran.columns.extend(columns);
    for name in ["x1_error_largest", "x2_error_largest"] {
        ran.columns.push(Column { name: name.to_owned(), unit: "m".to_owned() });
    }
    // Places by name, behind time.
    let at = |name: &str| ran.columns.iter().position(|column| column.name == name).unwrap_or_default();
    ran.panels = vec![
        Panel::new(
            "displacement",
            "m",
            &[
                ("mass 1, exact", at("x1_exact"), 0, true),
                ("mass 2, exact", at("x2_exact"), 1, true),
                ("mass 1", at("x1"), 0, false),
                ("mass 2", at("x2"), 1, false),
            ],
        ),
        Panel::new(
            "largest error so far",
            "m",
            &[("mass 1", at("x1_error_largest"), 0, false), ("mass 2", at("x2_error_largest"), 1, false)],
        )
        .log(),
        Panel::new("energy", "J", &[("exact", at("energy_exact"), 2, true), ("coupled", at("energy"), 2, false)]),
    ];
    ran.kind = "masses";
    ran.drawing = vec![at("x1"), at("x2"), at("x1_exact"), at("x2_exact")];
}
