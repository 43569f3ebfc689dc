//! The other systems: scenarios of the program with the values of the sliders, compared with the equations of the whole where there are any.

use std::path::Path;

use macrostep_analysis::assembled::Whole;
use macrostep_analysis::{Benchmark, Chain, Circuit, NonlinearSpring};
use macrostep_benchmarks::double_pendulum;
use macrostep_master::record::{Observer, Trace};
use macrostep_system::scenario::{Coupling, JointForce, Value};
use macrostep_system::{Scenario, toml};

use crate::answer::{Answer, Column, Panel};
use crate::pair::largest_so_far;
use crate::question::Settings;
use crate::run::{Begun, begun};

/// Runs a system that is not the pair.
///
/// # Errors
/// What cannot be run, and why.
pub fn run(settings: &Settings, every: u64) -> Result<Answer, String> {
    match settings.system.as_str() {
        "nonlinear-spring" => compared(settings, every, &nonlinear_spring(settings), ["displacement", "m"]),
        "chain" => compared(settings, every, &chain(settings), ["displacement", "m"]),
        "circuit" => compared(settings, every, &circuit(settings), ["charge", "C"]),
        "double-pendulum" => pendulum(settings, every),
        "bouncing-ball" => ball(settings, every),
        other => Err(format!("no system `{other}`")),
    }
}

/// A value of a slider, where it was moved.
fn take(settings: &Settings, name: &str, place: &mut f64) {
    if let Some(value) = settings.values.get(name) {
        *place = *value;
    }
}

fn nonlinear_spring(settings: &Settings) -> NonlinearSpring {
    let mut whole = NonlinearSpring::default();
    for (i, mass) in whole.masses.iter_mut().enumerate() {
        let n = i + 1;
        let names = [format!("m{n}"), format!("k{n}"), format!("c{n}"), format!("x{n}_0"), format!("v{n}_0")];
        names.iter().zip(mass).for_each(|(name, place)| take(settings, name, place));
    }
    ["k_c", "beta", "c_c"].iter().zip(&mut whole.spring).for_each(|(name, place)| take(settings, name, place));
    whole
}

fn chain(settings: &Settings) -> Chain {
    let mut whole = Chain::default();
    whole.masses.iter_mut().enumerate().for_each(|(i, mass)| take(settings, &format!("m{}", i + 1), &mut mass[0]));
    ["k_c", "c_c"].iter().zip(&mut whole.spring).for_each(|(name, place)| take(settings, name, place));
    whole
}

fn circuit(settings: &Settings) -> Circuit {
    let mut whole = Circuit::default();
    for (i, mesh) in whole.meshes.iter_mut().enumerate() {
        ["L", "R", "C"].iter().zip(mesh).for_each(|(name, place)| take(settings, &format!("{name}{}", i + 1), place));
    }
    ["C_s", "R_s"].iter().zip(&mut whole.shunt).for_each(|(name, place)| take(settings, name, place));
    whole
}

/// A scenario with the times and the method of the controls.
fn controlled(mut s: Scenario, settings: &Settings, every: u64) -> Result<Scenario, String> {
    // Tolerances stay as they are.
    let coupling = settings.coupling()?;
    s.coupling = Coupling { corrector_tolerance: s.coupling.corrector_tolerance, ..coupling };
    (s.experiment.step_s, s.experiment.stop_s, s.record.every) = (Some(settings.step), Some(settings.stop), every);
    Ok(s)
}

/// All rows, those right before and after events among them.
struct WithEvents(Trace);

impl Observer for WithEvents {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        self.0.push(t_s, values);
    }

    fn event(&mut self, t_s: f64, values: &[f64], _: &[(usize, String)]) {
        self.0.push(t_s, values);
    }
}

/// A run to its end: the columns, time first.
fn followed(scenario: &Scenario, settings: &Settings, every: u64) -> Result<(Begun, Vec<Vec<f64>>), String> {
    let mut begun = begun(scenario, &settings.system)?;
    let mut rows = WithEvents(Trace::new(begun.simulation.columns().to_vec()));
    begun.follow(settings.stop, every, &mut rows)?;
    let WithEvents(trace) = rows;
    begun.judged();
    let named = trace.columns().iter().map(|c| Column { name: c.name.clone(), unit: c.unit.clone() });
    begun.ran.columns = named.collect();
    let columns = (0..trace.columns().len()).map(|i| trace.rows().map(|row| row[i]).collect()).collect();
    Ok((begun, columns))
}

impl Begun {
    /// The place of a column.
    fn at(&self, name: &str) -> Result<usize, String> {
        let place = self.ran.columns.iter().position(|column| column.name == name);
        place.ok_or_else(|| format!("`{name}` is not recorded"))
    }

    /// One more column.
    fn push(&mut self, columns: &mut Vec<Vec<f64>>, (name, unit): (String, &str), values: Vec<f64>) -> usize {
        self.ran.columns.push(Column { name, unit: unit.to_owned() });
        columns.push(values);
        columns.len() - 1
    }
}

/// A system whose equations as a whole are known.
fn compared<W: Whole>(settings: &Settings, every: u64, whole: &W, [title, unit]: [&str; 2]) -> Result<Answer, String> {
    let cut = settings.cut()?;
    if !Whole::card(whole).couplings.contains(&cut) {
        return Err(format!("`{}` is no cut of this system", cut.name()));
    }
    let scenario = controlled(whole.scenario(cut), settings, every)?;
    let (mut begun, mut columns) = followed(&scenario, settings, every)?;
    let solution = whole.solution(&columns[0]).map_err(|e| e.to_string())?;
    // Of each quantity its solution, and how far the run is off it.
    let (mut curves, mut errors, mut drawing) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    let (mut off, mut rates) = (0.0f64, Vec::new());
    for (i, part) in whole.parts(cut).iter().enumerate() {
        let quantity = format!("{}.{}", scenario.units[i].name, part.motion[0]);
        let place = begun.at(&quantity)?;
        let exact: Vec<f64> = solution.iter().map(|row| row[i]).collect();
        let error: Vec<f64> = columns[place].iter().zip(&exact).map(|(x, exact)| x - exact).collect();
        let (largest, amplitude) = (largest_so_far(&error), exact.iter().fold(0.0f64, |most, x| most.max(x.abs())));
        let relative = largest.last().copied().unwrap_or_default() / amplitude;
        off = if relative.is_nan() { f64::NAN } else { off.max(relative) };
        begun.ran.facts.insert(i, (format!("error of {} / amplitude", quantity), format!("{relative:.3e}")));
        let behind = begun.push(&mut columns, (format!("{quantity}_exact"), unit), exact);
        let worst = begun.push(&mut columns, (format!("{quantity}_error_largest"), unit), largest);
        curves.push((quantity.clone(), place, i, false));
        curves.insert(i, (format!("{quantity}, exact"), behind, i, true));
        errors.push((quantity, worst, i, false));
        drawing[0].push(place);
        drawing[1].push(behind);
        rates.push(begun.at(&format!("{}.{}", scenario.units[i].name, part.motion[1]))?);
    }
    // Energy of the run and of the solution, from quantities and their rates.
    let at = |row: usize| drawing[0].iter().chain(&rates).map(|place| columns[*place][row]).collect::<Vec<f64>>();
    let energy = (0..columns[0].len()).map(|row| whole.energy(&at(row))).collect();
    let exact = solution.iter().map(|row| whole.energy(row)).collect();
    let exact = begun.push(&mut columns, ("energy_exact".to_owned(), "J"), exact);
    let energy = begun.push(&mut columns, ("energy".to_owned(), "J"), energy);
    begun.ran.off = Some(off).filter(|off| off.is_finite());
    begun.ran.panels = vec![
        panel(title, unit, &curves),
        panel("largest error so far", unit, &errors).log(),
        Panel::new("energy", "J", &[("exact", exact, 2, true), ("coupled", energy, 2, false)]),
    ];
    begun.ran.drawing = drawing.concat();
    begun.ran.kind = if unit == "m" { "masses" } else { "bars" };
    begun.answer(columns)
}

/// A panel of curves whose names were made here.
fn panel(title: &str, unit: &str, curves: &[(String, usize, usize, bool)]) -> Panel {
    let curves: Vec<_> = curves.iter().map(|(name, a, b, c)| (name.as_str(), *a, *b, *c)).collect();
    Panel::new(title, unit, &curves)
}

/// Another start value of a unit.
fn set(s: &mut Scenario, unit: &str, variable: &str, value: f64) {
    let units = s.units.iter_mut().filter(|u| u.name == unit);
    let told = units.flat_map(|u| &mut u.settings).filter(|setting| setting.variable == variable);
    told.for_each(|setting| setting.value = Value::Real(value));
}

/// The rods, whose energy is constant.
fn pendulum(settings: &Settings, every: u64) -> Result<Answer, String> {
    let force = if settings.cut == "hold" { JointForce::Hold } else { JointForce::Linear };
    let mut s = double_pendulum(force);
    let [mut upper, mut lower] = macrostep_benchmarks::ANGLES;
    take(settings, "phi_upper", &mut upper);
    take(settings, "phi_lower", &mut lower);
    set(&mut s, "upper", "phi0", upper);
    // The lower rod begins where the upper one ends.
    for (variable, value) in [("phi0", lower), ("x0", upper.sin()), ("y0", -upper.cos())] {
        set(&mut s, "lower", variable, value);
    }
    let (mut begun, mut columns) = followed(&controlled(s, settings, every)?, settings, every)?;
    let places = ["upper.phi", "lower.phi", "upper.energy", "lower.energy"].map(|name| begun.at(name));
    let [phi_upper, phi_lower, upper, lower] = places;
    let (phi_upper, phi_lower) = (phi_upper?, phi_lower?);
    let energy: Vec<f64> = columns[upper?].iter().zip(&columns[lower?]).map(|(a, b)| a + b).collect();
    let first = vec![energy[0]; energy.len()];
    let exact = begun.push(&mut columns, ("energy_exact".to_owned(), "J"), first);
    let energy = begun.push(&mut columns, ("energy".to_owned(), "J"), energy);
    begun.ran.panels = vec![
        Panel::new("angle", "rad", &[("upper", phi_upper, 0, false), ("lower", phi_lower, 1, false)]),
        Panel::new("energy", "J", &[("exact", exact, 2, true), ("coupled", energy, 2, false)]),
    ];
    begun.ran.drawing = vec![phi_upper, phi_lower];
    begun.ran.kind = "rods";
    begun.answer(columns)
}

/// The ball, from the example of the program.
fn ball(settings: &Settings, every: u64) -> Result<Answer, String> {
    const TEXT: &str = include_str!("../../examples/systems/bouncing-ball.toml");
    let mut s = toml::read(TEXT, "bouncing-ball.toml", Path::new("")).map_err(|finding| finding.to_string())?;
    for (unit, variable, name) in [("ball", "height0", "height"), ("ground", "restitution", "restitution")] {
        if let Some(value) = settings.values.get(name) {
            set(&mut s, unit, variable, *value);
        }
    }
    let (mut begun, columns) = followed(&controlled(s, settings, every)?, settings, every)?;
    let (height, v, energy) = (begun.at("ball.height")?, begun.at("ball.v")?, begun.at("ball.e")?);
    begun.ran.panels = vec![
        Panel::new("height", "m", &[("ball", height, 0, false)]),
        Panel::new("velocity", "m/s", &[("ball", v, 1, false)]),
        Panel::new("energy", "J", &[("ball", energy, 2, false)]),
    ];
    begun.ran.drawing = vec![height];
    begun.ran.kind = "ball";
    begun.answer(columns)
}
