//! `macrostep flex pendulum`: a flexible arm with a payload at its tip, coupled, beside the system in one piece.

use macrostep::factory;
use macrostep::pair::Factory;
use macrostep::pendulum::{OnePiece, Pendulum, Point, distance_m};
use macrostep_master::record::{Column, Trace};
use macrostep_plot::table::{Align, Table};
use macrostep_plot::{Axis, Chart, Figure, Series};
use serde_json::json;

use super::arguments::PendulumArguments;
use crate::failure::Failure;
use crate::oscillator::{progress_bar, write_system, write_text};
use crate::print;
use crate::terms::Units;

/// Time between two compared points (s), and macro steps of the table (s).
const SAMPLE_S: f64 = 2e-3;
const STEPS_S: [f64; 4] = [1e-3, 5e-4, 2.5e-4, 1.25e-4];

/// What the runs gave.
struct Found {
    one_piece: Vec<Point>,
    /// Degree of the extrapolation, macro step (s), points.
    coupled: Vec<(usize, f64, Vec<Point>)>,
    /// The run that is written as a scenario.
    shown: Pendulum,
}

/// Computes, prints and writes.
///
/// # Errors
/// [`Failure`] of the runs or the files.
pub fn run(arguments: &PendulumArguments) -> Result<(), Failure> {
    let found = Found::new(arguments)?;
    if arguments.json {
        print::line(found.json())?;
    } else {
        print::line(found.table().terminal())?;
    }
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
        write_text(&folder.join("pendulum.json"), &found.json().to_string())?;
        found.figure().write(folder, "pendulum")?;
        let head = "arm and payload at the longest step, with linear extrapolation: the rows of trace.csv";
        write_system(&folder.join("scenario.toml"), head, Ok(found.shown.scenario()))?;
        found.trace().write(std::fs::File::create(folder.join("trace.csv")).map_err(Failure::file(folder))?)?;
        eprintln!("wrote result and picture to `{}`", folder.display());
    }
    Ok(())
}

impl Found {
    fn new(arguments: &PendulumArguments) -> Result<Found, Failure> {
        let failed = |e: String| Failure::Run(e);
        let count = (arguments.stop / SAMPLE_S).round();
        if !(1.0..=1e5).contains(&count) {
            let expected = format!("expected {SAMPLE_S} s to 200 s");
            return Err(Failure::Usage(format!("`--stop {}`: {expected}", arguments.stop)));
        }
        let count = count as u64;
        let bar = progress_bar(count + 2 * STEPS_S.len() as u64, "points and runs");
        let mut system = OnePiece::new().map_err(failed)?;
        let mut one_piece = Vec::new();
        for k in 0..=count {
            if k > 0 {
                system.advance(SAMPLE_S).map_err(|e| failed(e.to_string()))?;
                bar.inc(1);
            }
            one_piece.push(system.point(k as f64 * SAMPLE_S).map_err(|e| failed(e.to_string()))?);
        }
        let factory: Factory<'_> = match arguments.units {
            Units::Fmu => &factory::fmu,
            Units::Native => &factory::native,
        };
        let of = |step_s: f64, degree| {
            let every = (SAMPLE_S / step_s).round() as u64;
            Pendulum { step_s, steps: count * every, every, degree }
        };
        let mut coupled = Vec::new();
        for degree in [0, 1] {
            for step_s in STEPS_S {
                let run = of(step_s, degree).run(factory).map_err(|e| failed(e.to_string()))?;
                coupled.push((degree, step_s, run));
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        Ok(Found { one_piece, coupled, shown: of(STEPS_S[0], 1) })
    }

    /// Rows of the run that is written as a scenario.
    fn trace(&self) -> Trace {
        let names = ["tip_x", "tip_y", "tip_z", "payload_x", "payload_y", "payload_z"];
        let mut trace = Trace::new(names.map(|name| Column::new(name, "m")));
        let of = |run: &&(usize, f64, Vec<Point>)| run.0 == self.shown.degree && run.1 == self.shown.step_s;
        for p in self.coupled.iter().filter(of).flat_map(|(.., points)| points) {
            trace.push(p.t_s, &[p.tip.as_slice(), p.payload.as_slice()].concat());
        }
        trace
    }

    /// Rms distance of the tip from that of the system in one piece (m).
    fn error_m(&self, points: &[Point]) -> f64 {
        distance_m(points, &self.one_piece)
    }

    fn deflection_m(&self) -> f64 {
        self.one_piece.iter().map(|p| p.deflection().abs()).fold(0.0, f64::max)
    }

    fn json(&self) -> serde_json::Value {
        let run = |(degree, step_s, points): &(usize, f64, Vec<Point>)| json!({ "degree": degree, "step_s": step_s, "tip_error_m": self.error_m(points) });
        json!({
            "largest_deflection_m": self.deflection_m(),
            "coupled": self.coupled.iter().map(run).collect::<Vec<_>>(),
        })
    }

    fn table(&self) -> Table {
        let mut table = Table::new([
            ("extrapolation", Align::Left),
            ("H [s]", Align::Right),
            ("rms error of the tip [m]", Align::Right),
            ("order", Align::Right),
        ]);
        let mut before: Option<(usize, f64)> = None;
        for (degree, step_s, points) in &self.coupled {
            let error = self.error_m(points);
            let order = before.filter(|(d, _)| d == degree).map(|(_, e)| format!("{:.2}", (e / error).log2()));
            let name = if *degree == 0 { "hold" } else { "linear" };
            table.row([name.to_owned(), format!("{step_s:.2e}"), format!("{error:.3e}"), order.unwrap_or_default()]);
            before = Some((*degree, error));
        }
        table
    }

    fn figure(&self) -> Figure {
        let points = &self.one_piece;
        let x = |p: &[Point], f: fn(&Point) -> f64| p.iter().map(f).collect::<Vec<f64>>();
        let axes = [Axis::linear("x", "m").range(-1.1, 1.1), Axis::linear("y", "m").range(-1.15, 0.1)];
        let [right, up] = axes;
        let mut path = Chart::new("path of the tip", right, up)
            .equal()
            .with(Series::line("in one piece", x(points, |p| p.tip.x), x(points, |p| p.tip.y)).colour(6).width(2.4));
        let (time, across) = (Axis::linear("time", "s"), Axis::linear("deflection", "mm"));
        let mut bending = Chart::new("deflection of the tip across the arm", time, across).with(
            Series::line("in one piece", x(points, |p| p.t_s), x(points, |p| 1e3 * p.deflection()))
                .colour(6)
                .width(2.4),
        );
        for (degree, name) in [(0, "hold, H = 1 ms"), (1, "linear, H = 1 ms")] {
            let coarse = self.coupled.iter().find(|(d, ..)| *d == degree).map_or(points, |(.., run)| run);
            path =
                path.with(Series::line(name, x(coarse, |p| p.tip.x), x(coarse, |p| p.tip.y)).colour(degree).dashed());
            let y = x(coarse, |p| 1e3 * p.deflection());
            bending = bending.with(Series::line(name, x(coarse, |p| p.t_s), y).colour(degree).dashed());
        }
        let mut errors =
            Chart::new("error over H", Axis::log("macro step H", "s"), Axis::log("rms error of the tip", "m"));
        for (degree, name) in [(0, "hold"), (1, "linear extrapolation")] {
            let runs: Vec<_> = self.coupled.iter().filter(|(d, ..)| *d == degree).collect();
            let steps: Vec<f64> = runs.iter().map(|(_, h, _)| *h).collect();
            let e: Vec<f64> = runs.iter().map(|(_, _, points)| self.error_m(points)).collect();
            errors = errors.with(Series::line(name, steps, e).marked(degree));
        }
        Figure::new("Flexible arm with a payload at its tip")
            .subtitle("steel, 1 m × 6 mm × 30 mm, hinged · 1 kg in a bushing · falls from the horizontal")
            .columns(3)
            .panel_size(470.0, 400.0)
            .with(path)
            .with(bending)
            .with(errors)
    }
}
