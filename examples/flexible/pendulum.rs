//! A flexible arm with a payload at its tip, coupled, beside the system in one piece.

use macrostep::factory;
use macrostep_analysis::models;
use macrostep_master::record::{Column, Trace};
use macrostep_plot::{Axis, Chart, Figure, Series, Table};
use macrostep_run::write_trace;
use macrostep_system::words::{Correct, Predict};
use serde_json::json;

use super::arm::{OnePiece, Pendulum, Point, distance_m};
use super::{Arguments, Failed};

/// Time between two compared points (s), and macro steps of the table (s).
const SAMPLE_S: f64 = 2e-3;
const STEPS_S: [f64; 4] = [1e-3, 5e-4, 2.5e-4, 1.25e-4];

/// The method whose run is written as a scenario.
const SHOWN: usize = 1;

/// A method of the table: name, prediction, correction.
type Method = (&'static str, Predict, Correct);

/// The methods of the table.
fn methods() -> [Method; 9] {
    let (explicit, newton) = (Correct::Explicit, Correct::Newton);
    [
        ("hold", Predict::classical(0), explicit),
        ("linear", Predict::classical(1), explicit),
        ("quadratic", Predict::classical(2), explicit),
        ("ia0", Predict::integrated(0), explicit),
        ("ia1", Predict::integrated(1), explicit),
        ("linear, newton", Predict::classical(1), newton),
        ("quadratic, newton", Predict::classical(2), newton),
        ("ia1, newton", Predict::integrated(1), newton),
        ("spectral:8, newton", Predict::spectral(8), newton),
    ]
}

/// A coupled run: method, macro step (s), points; none where it failed.
type Coupled = (&'static str, f64, Option<Vec<Point>>);

/// What the runs gave.
struct Found {
    one_piece: Vec<Point>,
    coupled: Vec<Coupled>,
    /// The run that is written as a scenario.
    shown: Pendulum,
}

/// Computes and writes; what is to be printed.
///
/// # Errors
/// Those of the runs and the files, and for a stop time out of range.
pub fn run(arguments: &Arguments) -> Result<String, Failed> {
    let found = Found::new(arguments)?;
    let json = found.json().to_string();
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("pendulum.json"), &json)?;
        found.figure().write(folder, "pendulum")?;
        // Arm and payload at the longest step, with linear extrapolation: the rows of trace.csv.
        std::fs::write(folder.join("scenario.toml"), macrostep_system::toml::write(&found.shown.scenario()))?;
        write_trace(&found.trace(), std::fs::File::create(folder.join("trace.csv"))?)?;
    }
    Ok(if arguments.json { json } else { found.table().terminal() })
}

impl Found {
    fn new(arguments: &Arguments) -> Result<Found, Failed> {
        // Points to compare, a sample apart: at least one, at most 1e5.
        let count = (arguments.stop / SAMPLE_S).round();
        if !(1.0..=1e5).contains(&count) {
            return Err(format!("`--stop {}`: expected {SAMPLE_S} s to 200 s", arguments.stop).into());
        }
        let count = count as u64;
        // The pendulum as one body with its payload, the solution the others are compared with.
        let mut system = OnePiece::new()?;
        let mut one_piece = Vec::new();
        for k in 0..=count {
            if k > 0 {
                system.advance(SAMPLE_S)?;
            }
            one_piece.push(system.point(k as f64 * SAMPLE_S)?);
        }
        // The same as coupled units. While these live, FMUs need not be unpacked again.
        let open = if arguments.native { Vec::new() } else { factory::open_all()? };
        let factory: models::Factory<'_> = if open.is_empty() { &models::native } else { &factory::fmu };
        // A run of one method and macro step; points are compared on the same grid.
        let of = |step_s: f64, (_, predict, correct): Method| {
            let every = (SAMPLE_S / step_s).round() as u64;
            Pendulum { step_s, steps: count * every, every, predict, correct }
        };
        // Every method with every macro step. One that is unstable with a long step is a row that says so.
        let mut coupled = Vec::new();
        for method in methods() {
            for step_s in STEPS_S {
                let run = of(step_s, method).run(factory);
                let points = match run.map_err(|e| format!("{} with H = {step_s:e} s: {e}", method.0)) {
                    Err(what) if step_s > STEPS_S[STEPS_S.len() - 1] => {
                        eprintln!("note: {what}");
                        None
                    }
                    points => Some(points?),
                };
                coupled.push((method.0, step_s, points));
            }
        }
        Ok(Found { one_piece, coupled, shown: of(STEPS_S[0], methods()[SHOWN]) })
    }

    /// Rows of the run that is written as a scenario.
    fn trace(&self) -> Trace {
        let names = ["tip_x", "tip_y", "tip_z", "payload_x", "payload_y", "payload_z"];
        let mut trace = Trace::new(names.map(|name| Column::new(name, "m")));
        let of = |run: &&Coupled| run.0 == methods()[SHOWN].0 && run.1 == self.shown.step_s;
        for p in self.coupled.iter().filter(of).flat_map(|(.., points)| points.iter().flatten()) {
            trace.push(p.t_s, &[p.tip.as_slice(), p.payload.as_slice()].concat());
        }
        trace
    }

    /// Rms distance of the tip from that of the system in one piece (m); NaN where the run failed.
    fn error_m(&self, points: &Option<Vec<Point>>) -> f64 {
        points.as_ref().map_or(f64::NAN, |points| distance_m(points, &self.one_piece))
    }

    fn deflection_m(&self) -> f64 {
        self.one_piece.iter().map(|p| p.deflection().abs()).fold(0.0, f64::max)
    }

    fn json(&self) -> serde_json::Value {
        let run = |(method, step_s, points): &Coupled| json!({ "method": method, "step_s": step_s, "tip_error_m": self.error_m(points) });
        json!({
            "largest_deflection_m": self.deflection_m(),
            "coupled": self.coupled.iter().map(run).collect::<Vec<_>>(),
        })
    }

    fn table(&self) -> Table {
        let mut table = Table::new("method | > H [s] | > rms error of the tip [m] | > order");
        let mut before: Option<(&str, f64)> = None;
        for (method, step_s, points) in &self.coupled {
            // The order belongs to two steps of one method that both went well.
            let error = self.error_m(points);
            let order = before.filter(|(m, _)| m == method).map_or(f64::NAN, |(_, e)| (e / error).log2());
            let cell = if error.is_finite() { format!("{error:.3e}") } else { "failed".to_owned() };
            let order = if order.is_finite() { format!("{order:.2}") } else { String::new() };
            table.row([(*method).to_owned(), format!("{step_s:.2e}"), cell, order]);
            before = Some((method, error));
        }
        table
    }

    fn figure(&self) -> Figure {
        // Path of the tip, and deflection across the arm, of the pendulum in one piece.
        let points = &self.one_piece;
        let x = |p: &[Point], f: fn(&Point) -> f64| p.iter().map(f).collect::<Vec<f64>>();
        let axes = [Axis::linear("x", "m").range(-1.1, 1.1), Axis::linear("y", "m").range(-1.15, 0.1)];
        let [right, up] = axes;
        let path = Chart::new("path of the tip", right, up)
            .equal()
            .with(Series::line("in one piece", x(points, |p| p.tip.x), x(points, |p| p.tip.y)).colour(6).width(2.4));
        let (time, across) = (Axis::linear("time", "s"), Axis::linear("deflection", "mm"));
        let mut bending = Chart::new("deflection of the tip across the arm", time, across).with(
            Series::line("in one piece", x(points, |p| p.t_s), x(points, |p| 1e3 * p.deflection()))
                .colour(6)
                .width(2.4),
        );
        // Over the deflection the coupled runs with the longest macro step; on the scale of the path they are one line.
        for (degree, (method, name)) in
            [("hold", "hold, H = 1 ms"), ("linear", "linear, H = 1 ms")].into_iter().enumerate()
        {
            let coarse = self.coupled.iter().find(|(m, ..)| *m == method).and_then(|(.., run)| run.as_ref());
            // One that has failed is not drawn.
            let Some(coarse) = coarse else { continue };
            let y = x(coarse, |p| 1e3 * p.deflection());
            bending = bending.with(Series::line(name, x(coarse, |p| p.t_s), y).colour(degree).dashed());
        }
        // Errors over the macro step, a curve for each method.
        let mut errors =
            Chart::new("error over H", Axis::log("macro step H", "s"), Axis::log("rms error of the tip", "m"));
        for (degree, (name, ..)) in methods().into_iter().enumerate() {
            let runs: Vec<_> = self.coupled.iter().filter(|(m, _, run)| *m == name && run.is_some()).collect();
            let steps: Vec<f64> = runs.iter().map(|(_, h, _)| *h).collect();
            let e: Vec<f64> = runs.iter().map(|(_, _, points)| self.error_m(points)).collect();
            errors = errors.with(Series::line(name, steps, e).marked(degree));
        }
        // Three charts in a row.
        Figure::new("Flexible arm with a payload at its tip")
            .subtitle("steel, 1 m × 6 mm × 30 mm, hinged · 1 kg in a bushing · falls from the horizontal")
            .columns(3)
            .panel_size(470.0, 400.0)
            .with(path)
            .with(bending)
            .with(errors)
    }
}
