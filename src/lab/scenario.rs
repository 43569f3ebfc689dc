//! A *scenario*: a coupled system a scheme can be run on, with a solution to compare with.

use crate::pair::{Coupling, Foundry, Start};
use crate::scheme::Scheme;
use macrostep_master::{ChannelId, RunError, Simulation, UnitId};

/// What a scenario says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// Name on the command line.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
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
    pub foundry: Foundry<'a>,
}

impl<'a> Setup<'a> {
    /// From the scenario's start, with nothing known of the past, to no end.
    pub fn new(scheme: &'a Scheme, step_s: f64, foundry: Foundry<'a>) -> Self {
        Setup { scheme, step_s, from_s: 0.0, start: Start::Ramp, stop_s: None, foundry }
    }
}

/// A scenario ready to run.
pub struct Coupled {
    /// Initialised and primed, its time beginning at 0.
    pub simulation: Simulation,
    /// Channels of the motions, in the order of [`Card::motions`]; component 0 the quantity, 1 its rate.
    pub motions: Vec<ChannelId>,
    /// Where power goes in and out of units.
    pub bonds: Vec<Bond>,
}

/// Power at an interface of a unit: effort times flow (force and velocity, voltage and current), of either sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bond {
    /// The unit.
    pub unit: UnitId,
    /// Variable of the effort, an input or output.
    pub effort: &'static str,
    /// Variable of the flow.
    pub flow: &'static str,
}

impl Coupled {
    /// Quantities of all motions, then their rates, as they are now.
    pub fn state(&self, out: &mut Vec<f64>) {
        out.clear();
        for component in 0..2 {
            out.extend(self.motions.iter().map(|m| self.simulation.latest(*m)[component]));
        }
    }
}

/// A coupled system, cut in one or more ways, with a known solution: those of this program. Systems read from files are another
/// type, `macrostep_system::Scenario`.
pub trait Benchmark: Send + Sync {
    /// Name, cuts, time scales.
    fn card(&self) -> Card;

    /// Units, channels, laws and connections of a cut, initialised.
    ///
    /// # Errors
    /// Where a unit lacks what the scheme needs, or refuses a value.
    fn couple(&self, setup: &Setup<'_>) -> Result<Coupled, RunError>;

    /// The solution at `times_s` \[s\], ascending: for each, quantities of all motions, then their rates.
    ///
    /// # Errors
    /// Where there is none.
    fn solution(&self, times_s: &[f64]) -> Result<Vec<Vec<f64>>, RunError>;
}

/// A power bond that a cut does not have, for `why`.
pub fn no_bond(card: &Card, coupling: Coupling, why: &str) -> RunError {
    RunError::Grid {
        what: "energy correction or ecco",
        found: format!("`{}` of scenario `{}` without power bonds: {why}", coupling.name(), card.name),
        expected: "`--energy monitor` and `--control fixed` or `error`, or another scenario".to_string(),
    }
}

/// A cut that a scenario does not have.
pub fn check_cut(card: &Card, coupling: Coupling) -> Result<(), RunError> {
    if card.couplings.contains(&coupling) {
        return Ok(());
    }
    let has: Vec<&str> = card.couplings.iter().map(|c| c.name()).collect();
    Err(RunError::Grid {
        what: "coupling",
        found: format!("`{}` of scenario `{}`", coupling.name(), card.name),
        expected: format!("one of `{}`", has.join("`, `")),
    })
}
