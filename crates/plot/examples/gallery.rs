//! Draws one picture of every kind from the exact solution and the monolithic integrator of the oscillator.
//!
//!     cargo run --release -p macrostep-plot --example gallery -- DIR

use std::path::Path;

use macrostep_oscillator::{Exact, Monolithic, ParameterError, Parameters, State};
use macrostep_plot::{Axis, Bars, Chart, Figure, Heat, PlotError, Series};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "gallery".to_owned());
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    motion(folder)?;
    convergence(folder)?;
    stability(folder)?;
    work_precision(folder)?;
    bars(folder)?;
    Ok(())
}

/// Time, exact states, states found.
type Motion = (Vec<f64>, Vec<State>, Vec<State>);

/// Both motions on a grid of `h_s`.
fn states(parameters: &Parameters, h_s: f64) -> Result<Motion, ParameterError> {
    let points = (10.0 / h_s).round() as usize + 1;
    let time = (0..points).map(|n| n as f64 * h_s).collect();
    let exact = Exact::new(parameters)?.grid(h_s).take(points).collect();
    Ok((time, exact, Monolithic::new(parameters, h_s)?.take(points).collect()))
}

/// Positions against exact, error on a log axis, energy: three panels of one figure.
fn motion(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    // The run beside the exact solution.
    let parameters = Parameters::case_2();
    let (time, exact, found) = states(&parameters, 1e-3)?;
    let of = |states: &[State], i: usize| states.iter().map(|z| z[i]).collect::<Vec<_>>();
    let error = |i: usize| exact.iter().zip(&found).map(|(e, z)| (e[i] - z[i]).abs()).collect::<Vec<_>>();
    let energy = |states: &[State]| states.iter().map(|z| parameters.energy(z) / 1e3).collect::<Vec<_>>();

    // Positions, their errors, and energy, each with its own axis.
    let seconds = || Axis::linear("time", "s");
    let positions = Chart::new("Positions", seconds(), Axis::linear("position", "m"))
        .with(Series::line("x₁ monolithic", time.clone(), of(&found, 0)))
        .with(Series::line("x₂ monolithic", time.clone(), of(&found, 1)))
        .with(Series::line("x₁ exact", time.clone(), of(&exact, 0)).dashed().colour(6))
        .with(Series::line("x₂ exact", time.clone(), of(&exact, 1)).dotted().colour(6));
    let errors = Chart::new("Error", seconds(), Axis::log("|error|", "m"))
        .with(Series::line("x₁", time.clone(), error(0)))
        .with(Series::line("x₂", time.clone(), error(1)))
        .level(0.1, "tolerance");
    let energies = Chart::new("Energy", seconds(), Axis::linear("energy", "kJ"))
        .with(Series::line("monolithic", time.clone(), energy(&found)))
        .with(Series::line("exact", time, energy(&exact)).dashed().colour(6));
    // All three below each other.
    Figure::new("Two-mass oscillator, case 2, equation (7)")
        .subtitle("h = 1 ms, semi-implicit Euler against the matrix exponential")
        .with(positions)
        .with(errors)
        .with(energies)
        .panel_size(960.0, 330.0)
        .write(folder, "motion")?;
    Ok(())
}

/// Error over step size with the slope it should have.
fn convergence(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let error = |parameters: &Parameters, h_s: f64| -> Result<f64, ParameterError> {
        let (_, exact, found) = states(parameters, h_s)?;
        Ok(exact.iter().zip(&found).map(|(e, z)| (e - z).amax()).fold(0.0, f64::max))
    };
    let steps = [1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4];
    let mut chart =
        Chart::new("Convergence of equation (7)", Axis::log("step h", "s"), Axis::log("largest error", "1"));
    let models =
        [("case 1", Parameters::case_1()), ("case 2", Parameters::case_2()), ("test model", Parameters::test_model())];
    for (mark, (name, parameters)) in models.into_iter().enumerate() {
        let errors = steps.iter().map(|h| error(&parameters, *h)).collect::<Result<Vec<_>, _>>()?;
        chart = chart.with(Series::line(name, steps, errors).marked(mark));
    }
    let chart = chart.slope(1.0, [4e-4, 3e-4], 4.0);
    Figure::new("").with(chart).panel_size(640.0, 480.0).write(folder, "convergence")?;
    Ok(())
}

/// Growth rate of equation (7) over stiffness and step, as small multiples over the damping.
fn stability(folder: &Path) -> Result<(), PlotError> {
    // Stiffness and step, evenly spaced on logarithmic axes.
    let x: Vec<f64> = (0..120).map(|i| 10f64.powf(0.0 + 0.025 * f64::from(i))).collect();
    let y: Vec<f64> = (0..90).map(|j| 10f64.powf(-3.0 + 0.025 * f64::from(j))).collect();
    let growth = |k: f64, h: f64, c: f64| {
        // Of λ² − (2 − h c − h² k) λ + 1 − h c = 0 the larger root.
        let (trace, det): (f64, f64) = (2.0 - h * c - h * h * k, 1.0 - h * c);
        let inside = trace * trace / 4.0 - det;
        let rho = if inside < 0.0 { det.sqrt() } else { trace.abs() / 2.0 + inside.sqrt() };
        (rho.ln() / h).clamp(-30.0, 60.0)
    };
    // One map for each damping, with one bar for all.
    let mut figure = Figure::new("Growth rate of one mass on a spring under equation (7)")
        .subtitle("black: the boundary of stability")
        .shared_bar()
        .columns(2)
        .panel_size(440.0, 300.0);
    for c in [0.1, 1.0, 3.0, 10.0] {
        let values = y.iter().flat_map(|h| x.iter().map(move |k| growth(*k, *h, c))).collect();
        let axes = [Axis::log("stiffness k", "N/m"), Axis::log("step h", "s")];
        let heat = Heat::new(&format!("c = {c} N·s/m"), axes, x.clone(), y.clone(), values)
            .quantity("growth rate ln ρ / h [1/s]")
            .range(-30.0, 60.0)
            .sides_of(0.0);
        figure = figure.with(heat);
    }
    figure.write(folder, "stability")?;
    Ok(())
}

/// Error over work.
fn work_precision(folder: &Path) -> Result<(), PlotError> {
    let work = [1e3, 2e3, 5e3, 1e4, 2e4];
    let of = |factor: f64, order: i32| work.map(|n| factor * (n / 1e3f64).powi(-order));
    let chart = Chart::new("Error over work (made-up numbers)", Axis::log("do_steps", "1"), Axis::log("error", "1"))
        .with(Series::points("hold", work, of(0.3, 1), 0))
        .with(Series::points("linear", work, of(6.7e-3, 2), 1))
        .with(Series::points("quadratic", work, of(1.3e-4, 3), 2).notes([
            "H = 10 ms",
            "5 ms",
            "2 ms",
            "1 ms",
            "0.5 ms",
        ]))
        .with(Series::line("Hermite, implicit", work, of(2e-6, 4)).marked(3))
        .with(Series::line("Hermite, explicit", work, of(9e-6, 4)).marked(4).dashed());
    Figure::new("").with(chart).panel_size(760.0, 480.0).write(folder, "work_precision")?;
    Ok(())
}

/// Bars on a linear and on a logarithmic axis.
fn bars(folder: &Path) -> Result<(), PlotError> {
    let couplings = ["f-s (D/F)", "s-f (F/D)", "s-s (D/D)", "f-f (F/F)"];
    let errors = Bars::new("Error", Axis::log("largest relative error", "1"), couplings)
        .with("Jacobi", [6.6e-3, 6.6e-3, 1.2e-3, 6.7e-3])
        .with("Gauss–Seidel", [1.6e-3, 2.6e-3, f64::NAN, 3.7e-4]);
    let times = Bars::new("Time", Axis::linear("wall time", "s"), couplings).with("", [0.12, 0.13, 0.1, 0.21]);
    let figure = Figure::new("Linear extrapolation (made-up numbers)").with(errors).with(times);
    figure.columns(2).panel_size(560.0, 320.0).write(folder, "bars")?;
    Ok(())
}
