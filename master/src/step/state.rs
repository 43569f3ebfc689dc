//! The *state* of a run: everything that changes from one communication step to the next, as one value. The definition is
//! the rest: systems, methods, plans, and the lists made of them.
//!
//! A rollback copies the part that a step writes over itself, a restart begins with the initial state, and a saved state is
//! this value in bytes. What the units keep of themselves is theirs, see [`crate::unit::States::save`].

use crate::error::Diverged;
use crate::method::correct::Learnt;
use crate::savable::savable;
use crate::signal::history::History;
use crate::step::algebraic::LoopState;
use crate::step::control::ControllerState;
use crate::step::doubt::Doubts;
use crate::step::events::EventsState;
use crate::step::growth::Growth;
use crate::step::guess::GuessState;
use crate::step::joints::JointsState;
use crate::step::power::EnergyBalanceState;
use crate::step::resolution::{Rated, Resolution};
use crate::step::statistics::Statistics;
use crate::step::supply::Pace;
use crate::step::unit_port::UnitPortState;
use crate::step::work::WatchState;
use crate::system::link::LinksState;
use crate::time::{Clock, Tick};

savable! {
/// What a communication step writes and a rollback takes back.
pub(crate) struct Signals {
    /// Of channels, then those that feeds keep of their own.
    pub histories: Vec<History>,
    pub links: LinksState,
    /// Accounts of the power bonds, where there are any.
    pub balance: Option<EnergyBalanceState>,
}
}

impl Signals {
    /// Copies those of another state of the run, as far as anybody still asks for them.
    pub fn take(&mut self, other: &Signals) {
        for (history, other) in self.histories.iter_mut().zip(&other.histories) {
            history.take(other);
        }
        self.links.clone_from(&other.links);
        self.balance.clone_from(&other.balance);
    }
}

impl State {
    /// Looks at the newest values of the channels at the end of a window that stands, where they are to be looked at.
    #[inline]
    pub fn look_at_signals(&mut self, channels: usize, rated: &[Rated], clock: &Clock) {
        if Growth::is_due(self.statistics.windows) {
            let histories = &self.signals.histories[..channels];
            let follows = self.growth.take(histories, self.now, self.statistics.windows);
            for (resolution, rated) in self.resolution.iter_mut().zip(rated) {
                resolution.take(rated, histories, (self.now, clock), follows);
            }
        }
    }
}

savable! {
/// Everything that changes in a run.
pub(crate) struct State {
    /// Start of the window under way.
    pub now: Tick,
    pub pace: Pace,
    pub signals: Signals,
    pub unit_ports: Vec<UnitPortState>,
    /// Of each group of units whose outputs follow inputs at once.
    pub loops: Vec<LoopState>,
    /// What is known of joints between units.
    pub joints: JointsState,
    /// What the window is started with where a corrector repeats it.
    pub guess: GuessState,
    pub learnt: Learnt,
    pub control: Option<ControllerState>,
    pub watches: Vec<WatchState>,
    pub statistics: Statistics,
    pub doubts: Doubts,
    /// How coupled signals have grown so far.
    pub growth: Growth,
    /// Whether macro steps have seen what derivatives tell of, for each output with one.
    pub resolution: Vec<Resolution>,
    /// How many of the values set at a time are past.
    pub changes_past: usize,
    pub events: EventsState,
    /// What ended the run where its signals grew beyond all bounds.
    pub diverged: Option<Diverged>,
}
}
