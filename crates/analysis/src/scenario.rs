//! A *benchmark*: a coupled system a scheme can be run on, with a solution to compare with.

use crate::interfaces::Capabilities;
use crate::models::{self, Factory};
use crate::pair::{Coupling, Start};
use crate::scheme::Scheme;
use macrostep_master::record::Observer;
use macrostep_master::{ChannelId, OneStepMap, RunError, Simulation, UnitId, spectral_radius};
use std::sync::Arc;
use std::time::Instant;

/// Properties of a scenario.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// Name on the command line.
    pub name: &'static str,
    /// The cuts it has.
    pub couplings: &'static [Coupling],
    /// Number of units.
    pub units: usize,
    /// Names of the motions, each a quantity with its rate.
    pub motions: &'static [&'static str],
    /// A macro step \[s\] at which the usual schemes are stable and their errors are neither rounding nor all.
    pub step_s: f64,
    /// End of a run \[s\].
    pub stop_s: f64,
    /// Integrations between an input and the first quantity it moves: 2 where forces move masses, 1 where a flow moves a
    /// pressure.
    pub integrations: u32,
    /// Whether states follow states linearly, so that a spectral radius says all.
    pub linear: bool,
}

/// How a scenario is to be coupled.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The scheme; its cut is one of [`Card::couplings`].
    pub scheme: &'a Scheme,
    /// The macro step H \[s\].
    pub step_s: f64,
    /// The run begins at the solution's state at this time \[s\].
    pub from_s: f64,
    /// How histories begin.
    pub start: Start,
    /// End of the run \[s\], for a choice of the macro step to meet.
    pub stop_s: Option<f64>,
    /// Where units come from.
    pub factory: Factory<'a>,
}

impl<'a> Setup<'a> {
    /// From the scenario's start, without a past, and without an end.
    pub fn new(scheme: &'a Scheme, step_s: f64, factory: Factory<'a>) -> Self {
        Setup { scheme, step_s, from_s: 0.0, start: Start::Ramp, stop_s: None, factory }
    }
}

/// A scenario ready to run.
pub struct Coupled {
    /// Initialised and primed, its time beginning at 0.
    pub simulation: Simulation,
    /// Channels of the motions, in the order of [`Card::motions`]; component 0 the quantity, 1 its rate. Where there are none
    /// the recorded variables are the quantities, and rates are not known.
    pub motions: Vec<ChannelId>,
    /// Where power goes in and out of units.
    pub bonds: Vec<Bond>,
}

/// Power at an interface of a unit: efforts times flow (force and velocity, voltage and current), of either sign.
#[derive(Debug, Clone, PartialEq)]
pub struct Bond {
    /// The unit.
    pub unit: UnitId,
    /// Variables of the effort, inputs or outputs, each with its gain.
    pub efforts: Vec<(String, f64)>,
    /// Variable of the flow.
    pub flow: String,
}

impl Bond {
    /// One effort.
    pub fn new(unit: UnitId, effort: &str, flow: &str) -> Self {
        Bond { unit, efforts: vec![(effort.to_owned(), 1.0)], flow: flow.to_owned() }
    }
}

impl Coupled {
    /// Quantities of all motions, then their rates, as they are now; or the recorded variables.
    ///
    /// # Errors
    /// What a unit answers that is asked for recorded variables.
    pub fn state(&mut self, out: &mut Vec<f64>) -> Result<(), RunError> {
        read(&mut self.simulation, &self.motions, out)
    }

    /// Up to so many macro steps, the end of each of which is shown to `look`; the run goes on while it says so.
    ///
    /// # Errors
    /// What units and master answer.
    pub fn follow(&mut self, windows: u64, mut look: impl FnMut(Point<'_>) -> bool) -> Result<(), RunError> {
        let (start_s, motions) = (self.simulation.time_s(), &self.motions);
        let (mut state, mut wall_s, mut began) = (Vec::new(), 0.0, Instant::now());
        let look = |simulation: &mut Simulation| {
            wall_s += began.elapsed().as_secs_f64();
            read(simulation, motions, &mut state)?;
            let (t_s, do_steps) = (simulation.time_s() - start_s, simulation.do_steps().iter().sum());
            let goes_on = look(Point { t_s, state: &state, do_steps, wall_s });
            began = Instant::now();
            Ok(goes_on)
        };
        self.simulation.follow(windows, look).map(drop)
    }
}

/// A run at the end of a macro step.
pub struct Point<'a> {
    /// Time since the start \[s\].
    pub t_s: f64,
    /// As [`Coupled::state`].
    pub state: &'a [f64],
    /// Calls of `fmi2DoStep` of all units so far.
    pub do_steps: u64,
    /// Time that the macro steps have taken \[s\].
    pub wall_s: f64,
}

/// The state now: of these motions, or, where there are none, the recorded variables.
fn read(simulation: &mut Simulation, motions: &[ChannelId], out: &mut Vec<f64>) -> Result<(), RunError> {
    out.clear();
    if motions.is_empty() {
        return simulation.observe(&mut Newest(out));
    }
    for component in 0..2 {
        out.extend(motions.iter().map(|m| simulation.latest(*m)[component]));
    }
    Ok(())
}

/// The newest row.
struct Newest<'a>(&'a mut Vec<f64>);

impl Observer for Newest<'_> {
    fn row(&mut self, _: f64, values: &[f64]) {
        self.0.clear();
        self.0.extend_from_slice(values);
    }
}

/// A quantity whose errors are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// Its name.
    pub name: String,
    /// Its unit of measurement; empty where none is known.
    pub unit: String,
}

/// The solution of a scenario of this program, with the names that outputs have there.
pub struct Solution {
    /// Outputs `UNIT.VARIABLE`.
    pub outputs: Vec<String>,
    /// The largest absolute value of each over the whole run, where that is known.
    pub amplitudes: Vec<Option<f64>>,
    /// Writes their values at a time since the start \[s\], times ascending; the energy behind them, where it is known.
    pub at: Box<dyn FnMut(f64, &mut Vec<f64>)>,
    /// The energy \[J\] of the system from values of the outputs, and that at the start.
    pub energy: Option<(Energy, f64)>,
}

/// Makes an energy \[J\] of outputs.
pub type Energy = Arc<dyn Fn(&[f64]) -> f64>;

/// Growth of small deviations from step to step, for one method and macro step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// Spectral radius of what a macro step makes of them; NaN where a step fails.
    pub radius: f64,
    /// How it was found.
    pub source: Source,
}

/// Where a growth is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The one-step map of native units.
    OneStepMap,
    /// The response of a run to a small pulse at its inputs.
    PerturbedRuns,
}

/// A coupled system, cut in one or more ways, with a known solution: those of this program, and systems read from files with a
/// reference run.
pub trait Benchmark: Send + Sync {
    /// Name, cuts, time scales.
    fn card(&self) -> Card;

    /// Units, channels, laws and connections of a cut, initialised.
    ///
    /// # Errors
    /// Where a unit lacks what the scheme needs, or refuses a value.
    fn couple(&self, setup: &Setup<'_>) -> Result<Coupled, RunError>;

    /// The solution at `times_s` \[s\], ascending: for each, quantities of all motions, then their rates where they are known.
    ///
    /// # Errors
    /// Where there is none.
    fn solution(&self, times_s: &[f64]) -> Result<Vec<Vec<f64>>, RunError>;

    /// The same for a run of macro steps of `step_s` to `stop_s` \[s\], for each time as it comes; `None` where there is no solution but a
    /// run.
    fn beside(self: Box<Self>, _step_s: f64, _stop_s: f64) -> Option<Solution> {
        None
    }

    /// Its name.
    fn name(&self) -> &str {
        self.card().name
    }

    /// A quantity whose errors are measured.
    fn quantities(&self) -> Vec<Quantity> {
        let quantity = |name: &&str| Quantity { name: (*name).to_owned(), unit: String::new() };
        self.card().motions.iter().map(quantity).collect()
    }

    /// Error of [`Benchmark::solution`] up to `stop_s` \[s\], relative to the amplitudes; 0 for one in closed form.
    ///
    /// # Errors
    /// Where there is no solution.
    fn solution_error(&self, _stop_s: f64) -> Result<f64, RunError> {
        Ok(0.0)
    }

    /// Whether a run can begin at the solution's state at any time, with the solution as its past.
    fn starts_anywhere(&self) -> bool {
        true
    }

    /// What its units offer; empty where only a run knows them.
    fn capabilities(&self) -> Vec<Capabilities> {
        Vec::new()
    }

    /// The scheme it is written with, where it is written with one.
    fn written(&self) -> Option<Scheme> {
        None
    }

    /// Scalars that units send each other, where they are many.
    fn signals(&self) -> usize {
        0
    }

    /// Whether a unit of it is far away.
    fn is_far(&self) -> bool {
        false
    }

    /// Longest macro step \[s\] that the system allows, whatever the method.
    fn step_max_s(&self) -> f64 {
        f64::INFINITY
    }

    /// What macro steps are to be whole multiples of \[s\], where units say so.
    fn step_multiple_s(&self) -> Option<f64> {
        None
    }

    /// The macro step \[s\] nearest to `step_s` \[s\] that units allow.
    fn allowed_step_s(&self, step_s: f64) -> f64 {
        let Some(multiple_s) = self.step_multiple_s() else { return step_s };
        let parts = step_s / multiple_s;
        let most = (self.step_max_s() / multiple_s + 1e-9).floor();
        let whole = parts.round().min(most).max(1.0);
        // One that is a multiple but for rounding keeps its digits.
        if (parts - whole).abs() <= 1e-9 * whole { step_s } else { whole * multiple_s }
    }

    /// Shortest macro step \[s\] that growth can be found at; 0 for any.
    fn growth_step_min_s(&self) -> f64 {
        0.0
    }

    /// Growth of small deviations with this scheme and macro step \[s\]: from the one-step map of native units. What takes runs is
    /// given up at an instant, where there is one.
    ///
    /// # Errors
    /// What units and master answer; [`RunError::Grid`] for a scheme without a map, and for one that is not done in time.
    fn growth(&self, scheme: &Scheme, step_s: f64, _until: Option<Instant>) -> Result<Growth, RunError> {
        let card = self.card();
        check_cut(&card, scheme.coupling)?;
        check_map(scheme)?;
        let setup = Setup { start: Start::Exact, ..Setup::new(scheme, step_s, &models::native) };
        let mut coupled = self.couple(&setup)?;
        let delta = if card.linear { 1.0 } else { 1e-7 };
        let radius = spectral_radius(OneStepMap::default().take(&mut coupled.simulation, delta)?);
        Ok(Growth { radius, source: Source::OneStepMap })
    }
}

/// A scheme that has no one-step map.
///
/// # Errors
/// [`RunError::Grid`] with the reason.
pub fn check_map(scheme: &Scheme) -> Result<(), RunError> {
    scheme.lacks_map().map_or(Ok(()), |why| {
        Err(RunError::grid(
            "one-step map",
            format!("`{scheme}`, which has none: {why}"),
            "a scheme whose steps are all the same linear map",
        ))
    })
}

/// A power bond that a cut does not have.
pub fn no_bond(card: &Card, coupling: Coupling) -> RunError {
    let why = "an effort in it is no constant times an input";
    RunError::grid(
        "energy correction or ecco",
        format!("`{}` of scenario `{}` without power bonds: {why}", coupling.name(), card.name),
        "`--energy monitor` and `--control fixed` or `error`, or another scenario",
    )
}

/// A cut that a scenario does not have.
pub fn check_cut(card: &Card, coupling: Coupling) -> Result<(), RunError> {
    if card.couplings.contains(&coupling) {
        return Ok(());
    }
    let has: Vec<&str> = card.couplings.iter().map(|c| c.name()).collect();
    Err(RunError::grid(
        "coupling",
        format!("`{}` of scenario `{}`", coupling.name(), card.name),
        format!("one of `{}`", has.join("`, `")),
    ))
}
