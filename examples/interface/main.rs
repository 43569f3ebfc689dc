//! The beam on springs with the full and the reduced interface, beside the solution in one piece: what docs/interface.md shows.
//!
//! ```text
//! cargo run --release --example interface -- --out interface
//! ```
//!
//! Beam and springs are units of a co-simulation: FMUs, or the same models natively.

pub mod beam;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Parser;
use macrostep::factory;
use macrostep_analysis::models::{self, Factory};
use macrostep_master::Sampling;
use macrostep_master::record::{Column, Trace};
use macrostep_plot::table::{Table, short};
use macrostep_plot::{Axis, Chart, Figure, Series};
use macrostep_reduction::beam::{BeamConstants, ModalBeam};
use macrostep_reduction::cosimulation::relative_rms;
use macrostep_reduction::{InterfaceMap, Space};
use macrostep_run::write_trace;
use macrostep_system::words::{Correct, Predict};
use nalgebra::DMatrix;
use serde_json::json;

use beam::{BeamOnSprings, BeamRun, Interface};

/// What is asked for.
#[derive(Debug, Parser)]
pub struct Arguments {
    /// Communication step H in seconds; must divide 1 s
    #[arg(long, default_value = "1e-4")]
    step: f64,
    /// Run the models in this process, not the FMUs
    #[arg(long)]
    native: bool,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Folder for pictures and the result; made if missing [default: nothing is written]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// The end of a run that fails.
type Failed = Box<dyn Error>;

fn main() -> Result<(), Failed> {
    println!("{}", run(&Arguments::parse())?);
    Ok(())
}

/// Stiffness of each spring in N/m, and duration in s.
const SPRING_N_M: f64 = 10.0;
const STOP_S: f64 = 1.0;
/// Shapes of the interface: two rigid ones and 17 modes; and modes of a beam outside their span.
const SHAPES: usize = 19;
const BEYOND: usize = 60;
/// Steps of the table, s.
const STEPS_S: [f64; 5] = [1e-3, 5e-4, 2e-4, 1e-4, 5e-5];
/// Steps of the methods on the reduced interface, s.
const METHOD_STEPS_S: [f64; 3] = [2e-3, 1e-3, 5e-4];
/// Relative errors below this are rounding.
const ROUNDING: f64 = 1e-12;

/// A method on the reduced interface: name, prediction, correction.
type Method = (&'static str, Predict, Correct);

/// A method with its errors over [`METHOD_STEPS_S`].
type Tried = (&'static str, [f64; 3]);

/// The methods tried on the reduced interface.
fn methods() -> [Method; 5] {
    [
        ("hold", Predict::classical(0), Correct::Explicit),
        ("linear", Predict::classical(1), Correct::Explicit),
        ("quadratic", Predict::classical(2), Correct::Explicit),
        ("linear, iqn-ils", Predict::classical(1), Correct::IqnIls),
        ("quadratic, iqn-ils", Predict::classical(2), Correct::IqnIls),
    ]
}

/// One row: a beam at one communication step.
#[derive(Clone)]
struct Row {
    modes: usize,
    step_s: f64,
    /// Full interface against monolithic, forces of the present and of one step ago.
    cosimulation: [f64; 2],
    /// Reduced against full interface.
    reduction: f64,
    virtual_work: f64,
}

/// The runs at one step.
struct Runs {
    exact: DMatrix<f64>,
    full: BeamRun,
    reduced: BeamRun,
    row: Row,
}

/// Computes and writes; what is to be printed.
///
/// # Errors
/// For a step that does not divide the duration, and of the computation and files.
pub fn run(arguments: &Arguments) -> Result<String, Failed> {
    // Macro steps have to tile the second that is run.
    let steps = STOP_S / arguments.step;
    if !(arguments.step > 0.0 && (1.0..=1e5).contains(&steps) && (steps - steps.round()).abs() < 1e-6) {
        let found = arguments.step;
        return Err(format!("`--step {found}`: expected a step that divides 1 s into at most 100000 parts").into());
    }
    // A beam inside the span of the interface, and one with modes beyond it.
    let beam = ModalBeam::new(BeamConstants::default(), SHAPES)?;
    let map = beam.interface_shapes(SHAPES).and_then(|s| InterfaceMap::new(&s, Space::Planar))?;
    let beyond = ModalBeam::new(BeamConstants::default(), BEYOND)?;
    // Both at the step that was asked for. While these live, FMUs need not be unpacked again.
    let open = if arguments.native { Vec::new() } else { factory::open_all()? };
    let bench = Bench { map: &map, factory: if open.is_empty() { &models::native } else { &factory::fmu } };
    let runs = bench.at(&beam, SHAPES, arguments.step)?;
    let outside = bench.at(&beyond, BEYOND, arguments.step)?.row;
    // The result of that step; where JSON is all that is asked, the other steps are not run.
    let json = object(&runs, &outside, &map).to_string();
    if arguments.json && arguments.out.is_none() {
        return Ok(json);
    }
    // Both over the macro step, for the table and the picture.
    let rows = bench.rows([(&beam, &runs.row), (&beyond, &outside)])?;
    // Result, the coupled system, its deflections and the pictures.
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("interface.json"), &json)?;
        let mut scenario = macrostep_benchmarks::beam(&macrostep_benchmarks::beam::Interface::Full, SHAPES);
        scenario.experiment.step_s = Some(arguments.step);
        std::fs::write(folder.join("scenario.toml"), macrostep_system::toml::write(&scenario))?;
        trace(folder, &runs)?;
        pictures(folder, &runs, &rows)?;
    }
    if arguments.json {
        return Ok(json);
    }
    Ok(format!("{}\n\n{}", text(&runs, &map, &rows), by_method(&bench.methods(&beam)?)))
}

/// What all runs share.
struct Bench<'a> {
    map: &'a InterfaceMap,
    factory: Factory<'static>,
}

impl Bench<'_> {
    /// All runs of a beam of `modes` modes at one step.
    fn at(&self, beam: &ModalBeam, modes: usize, step_s: f64) -> Result<Runs, Failed> {
        let steps = (STOP_S / step_s).round() as usize;
        let exact = beam.monolithic(SPRING_N_M, step_s, steps);
        let run = |interface, sampling| {
            let (predict, correct) = (Predict::default(), Correct::Explicit);
            let coupled = BeamOnSprings { interface, modes, step_s, steps, sampling, predict, correct };
            coupled.run(self.factory)
        };
        let full = run(Interface::Full, Sampling::Updated)?;
        let lagged = run(Interface::Full, Sampling::Lagged)?;
        let reduced = run(Interface::Reduced(self.map), Sampling::Updated)?;
        let row = Row {
            modes,
            step_s,
            cosimulation: [&full, &lagged].map(|run| relative_rms(&run.deflections, &exact, &exact)),
            reduction: relative_rms(&reduced.deflections, &full.deflections, &exact),
            virtual_work: reduced.work_defect,
        };
        Ok(Runs { exact, full, reduced, row })
    }

    /// The reduced interface by other methods, each over H: errors against the monolithic solution.
    fn methods(&self, beam: &ModalBeam) -> Result<Vec<Tried>, Failed> {
        let mut all = Vec::new();
        for (name, predict, correct) in methods() {
            let errors = METHOD_STEPS_S.map(|step_s| {
                let steps = (STOP_S / step_s).round() as usize;
                let (interface, sampling) = (Interface::Reduced(self.map), Sampling::Updated);
                let coupled = BeamOnSprings { interface, modes: SHAPES, step_s, steps, sampling, predict, correct };
                let ran = coupled.run(self.factory).map_err(|e| format!("{name}: {e}"))?;
                let exact = beam.monolithic(SPRING_N_M, step_s, steps);
                Ok::<_, Failed>(relative_rms(&ran.deflections, &exact, &exact))
            });
            let [a, b, c] = errors;
            all.push((name, [a?, b?, c?]));
        }
        Ok(all)
    }

    /// The rows of the table, H falling: a beam inside the span of the interface and one outside, each with the row of the
    /// step that was asked for.
    fn rows(&self, beams: [(&ModalBeam, &Row); 2]) -> Result<Vec<Row>, Failed> {
        let mut rows = Vec::new();
        for (beam, asked) in beams {
            let mut steps: Vec<f64> =
                STEPS_S.into_iter().filter(|h| *h != asked.step_s).chain([asked.step_s]).collect();
            steps.sort_by(|a, b| b.total_cmp(a));
            for step_s in steps {
                let is_asked = step_s == asked.step_s;
                rows.push(if is_asked { asked.clone() } else { self.at(beam, asked.modes, step_s)?.row });
            }
        }
        Ok(rows)
    }
}

fn object(runs: &Runs, outside: &Row, map: &InterfaceMap) -> serde_json::Value {
    json!({
        "full": runs.full.exchanged,
        "reduced": runs.reduced.exchanged,
        "condition": map.condition(),
        "cosimulation_error": runs.row.cosimulation[0],
        "lagged_error": runs.row.cosimulation[1],
        "reduction_error": runs.row.reduction,
        "reduction_error_60_modes": outside.reduction,
        "virtual_work_error": runs.row.virtual_work,
        "step_s": runs.row.step_s,
    })
}

fn text(runs: &Runs, map: &InterfaceMap, rows: &[Row]) -> String {
    // A row for each beam and macro step.
    let mut table = Table::new(
        "> modes of the beam | > H [s] | > co-simulation error | > one step late | > reduction error | \
         > virtual work",
    );
    for row in rows {
        table.row([
            row.modes.to_string(),
            format!("{:e}", row.step_s),
            format!("{:.4}", row.cosimulation[0]),
            format!("{:.4}", row.cosimulation[1]),
            short(row.reduction),
            short(row.virtual_work),
        ]);
    }
    // Sizes of the interface above, and the meaning of errors below.
    format!(
        "Beam of 167 nodes on 167 springs of 10 N/m, 1 N at 15 Hz, 1 s\n\ninterface: {} values full, {} reduced \
         (2 components at {} nodes) · condition of Q_int {:.3} · largest |T| {:.4}\n\n{}\n\nerrors are rms over nodes and \
         time, relative to the monolithic rms",
        runs.full.exchanged,
        runs.reduced.exchanged,
        map.nodes().len(),
        map.condition(),
        map.scalar().amax(),
        table.terminal()
    )
}

/// Errors of the reduced interface over H, by method.
fn by_method(tried: &[Tried]) -> String {
    let heads = METHOD_STEPS_S.map(|h| format!("H = {h:e} s"));
    let mut table = Table::new(&format!("reduced interface | > {} | > order", heads.join(" | > ")));
    for (name, errors) in tried {
        let cells = errors.map(|e| format!("{e:.3e}"));
        let order = format!("{:.2}", (errors[1] / errors[2]).log2());
        table.row([&[(*name).to_owned()][..], &cells[..], &[order][..]].concat());
    }
    table.terminal()
}

/// `deflections.csv`: deflections of three nodes over time (m).
fn trace(folder: &Path, runs: &Runs) -> Result<(), Failed> {
    let last = runs.exact.nrows() - 1;
    let of = [("monolithic", &runs.exact), ("full", &runs.full.deflections), ("reduced", &runs.reduced.deflections)];
    let places = [("driven", 0), ("middle", last / 2), ("free", last)];
    let column = |(name, _): &(&str, _)| places.map(|(place, _)| Column::new(format!("{name}_{place}"), "m"));
    let mut trace = Trace::new(of.iter().flat_map(column));
    for k in 0..runs.exact.ncols() {
        let row: Vec<f64> = of.iter().flat_map(|(_, all)| places.map(|(_, node)| all[(node, k)])).collect();
        trace.push(k as f64 * runs.row.step_s, &row);
    }
    Ok(write_trace(&trace, std::fs::File::create(folder.join("deflections.csv"))?)?)
}

/// Deflections of three nodes with their errors, and errors over H.
fn pictures(folder: &Path, runs: &Runs, rows: &[Row]) -> Result<(), Failed> {
    // Deflections of a node over time, in mm.
    let time: Vec<f64> = (0..runs.exact.ncols()).map(|i| i as f64 * runs.row.step_s).collect();
    let of = |all: &DMatrix<f64>, node: usize| all.row(node).iter().map(|y| 1e3 * y).collect::<Vec<_>>();
    let mut figure = Figure::new("Beam on springs: deflections and errors").panel_size(860.0, 270.0).columns(2);
    let last = runs.exact.nrows() - 1;
    // Differences of two runs; the smallest number keeps zeros on a logarithmic axis.
    let off = |a: &DMatrix<f64>, b: &DMatrix<f64>, node: usize| {
        a.row(node).iter().zip(b.row(node).iter()).map(|(a, b)| 1e3 * (a - b).abs().max(1e-18)).collect::<Vec<_>>()
    };
    // Ends and middle of the beam: deflections, and beside them the differences.
    let (full, reduced) = (&runs.full.deflections, &runs.reduced.deflections);
    for (node, place) in [(0, "driven end"), (last / 2, "middle"), (last, "free end")] {
        let chart = Chart::new(place, Axis::linear("time", "s"), Axis::linear("deflection", "mm"))
            .with(Series::line("monolithic", time.clone(), of(&runs.exact, node)).colour(6).width(2.6))
            .with(Series::line("full interface", time.clone(), of(full, node)).colour(0))
            .with(Series::line("reduced interface", time.clone(), of(reduced, node)).colour(1).dashed());
        let errors = Chart::new(place, Axis::linear("time", "s"), Axis::log("|difference|", "mm"))
            .with(Series::line("full − monolithic", time.clone(), off(full, &runs.exact, node)).colour(0))
            .with(Series::line("reduced − full", time.clone(), off(reduced, full, node)).colour(1));
        figure = figure.with(chart).with(errors);
    }
    // The interfaces by the number of values they exchange.
    let subtitle = format!("H = {} s · {} and {} values", runs.row.step_s, runs.full.exchanged, runs.reduced.exchanged);
    figure.subtitle(&subtitle).write(folder, "deflections")?;

    // Errors over the macro step of both beams.
    let inside: Vec<&Row> = rows.iter().filter(|r| r.modes == SHAPES).collect();
    let beyond: Vec<&Row> = rows.iter().filter(|r| r.modes == BEYOND).collect();
    let steps: Vec<f64> = inside.iter().map(|r| r.step_s).collect();
    let pick = |rows: &[&Row], f: fn(&Row) -> f64| rows.iter().map(|r| f(r)).collect::<Vec<f64>>();
    // Curves, and a slope of order 1 to compare them with. What is rounding alone is a sentence: its curve would take half of the picture.
    let reduction = pick(&inside, |r| r.reduction);
    let largest = reduction.iter().copied().fold(0.0, f64::max);
    let chart = Chart::new("", Axis::log("communication step H", "s"), Axis::log("rms error / monolithic rms", "1"))
        .with(
            Series::line(
                "co-simulation, forces of the same point",
                steps.clone(),
                pick(&inside, |r| r.cosimulation[0]),
            )
            .marked(0),
        )
        .with(
            Series::line("co-simulation, forces one step late", steps.clone(), pick(&inside, |r| r.cosimulation[1]))
                .marked(1),
        )
        .with(Series::line("reduction, 60 modes", steps.clone(), pick(&beyond, |r| r.reduction)).marked(2))
        .slope(1.0, [1e-4, 8e-3], 3.0);
    let figure = Figure::new("Beam on springs: errors over H").panel_size(960.0, 520.0);
    let figure = if largest < ROUNDING {
        figure.subtitle(&format!("reduction, 19 modes: at most {largest:.0e}, which is rounding")).with(chart)
    } else {
        figure.with(chart.with(Series::line("reduction, 19 modes", steps, reduction).marked(3)))
    };
    figure.write(folder, "errors")?;
    Ok(())
}
