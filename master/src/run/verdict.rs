//! The *verdict* on a run: what its numbers are worth, from what the run has seen of itself.
//!
//! Two runs with the same signals may be one that is right and one that is not, so the verdict is made of what the coupling has missed.
//! Over each step of a unit a power bond knows the inputs the unit was given and those it should have had (`power.rs`):
//!
//! ```text
//! missed = Σ_steps |δE|            residual energy of all steps, each by its absolute value
//! passed = max_ports range of ∫ P dt   energy that went through
//! ```
//!
//! `missed/passed` grows with time as the error does: a wrong frequency misses as much as a wrong amplitude. Energy that is driven
//! through and dissipated makes the denominator grow, energy that goes to and fro does not. Where what the coupling has added is a large
//! part of all that went through, and signals are larger late in the run than early, the coupling makes them grow. A system that is driven, or
//! falls, grows without that.
//!
//! Energy that goes to and fro between a weak coupling and one side is a small part of the energy of the system, so that an error in it may matter
//! little. `second_look.rs` finds out.
//!
//! Where motions are predicted and a corrector makes the ends of all steps true, nothing is missed by the rule above, and the frequency may be wrong
//! all the same: what is wrong is between the ends. A cubic through communication points takes the place of the truth there; it is a poor one where
//! steps are long, so that a run is not doubtful by what misses it, but is given a second look; a waveform knows its nodes there. So is one whose signals
//! grow as an exponential that the macro steps resolve.
//!
//! Without power bonds signals are watched for growth (`growth.rs`), and a second look at a part of the run has to confirm it. Motions that the macro steps leap over (`resolution.rs`) and doubts of windows
//! (`doubt.rs`) count in any case.

use crate::run::Simulation;
use crate::step::account::Account;
use serde::{Deserialize, Serialize};

/// How good a run is; the worst is last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Nothing speaks against it.
    #[default]
    Ok,
    /// Something does; a number says how much.
    Doubtful,
    /// The coupling adds energy, or signals grow as only an unstable coupling makes them.
    Growing,
    /// It did not reach its end, or windows did not converge.
    Failed,
}

/// What a run is worth, and why.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// How good it is.
    pub grade: Grade,
    /// Why it is not better, in words; empty where it is ok.
    pub reason: String,
    /// The number in it: a share of the energy that went through, a residual, a factor of growth, a number of warnings.
    pub found: Option<f64>,
    /// What a second run with half the macro step can say more.
    #[serde(skip)]
    pub second: Second,
}

/// What a second run with half the macro step is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Second {
    /// It says nothing more.
    #[default]
    Nothing,
    /// Whether something is wrong that was not watched, or not well: a part of the run tells where nothing is.
    Unwatched,
    /// Whether what speaks against the run as a whole matters.
    Whether,
    /// Whether the system or the coupling makes signals grow.
    Growth,
    /// How large the errors are that nodes leave: their sum over the run is not known from one window.
    HowMuch,
}

impl Grade {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Ok => "ok",
            Grade::Doubtful => "doubtful",
            Grade::Growing => "growing",
            Grade::Failed => "failed",
        }
    }
}

impl std::fmt::Display for Grade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.reason.is_empty() { self.grade.fmt(f) } else { write!(f, "{}: {}", self.grade, self.reason) }
    }
}

impl Verdict {
    /// Of these parts.
    pub fn new(grade: Grade, reason: String, found: Option<f64>) -> Self {
        Verdict { grade, reason, found, second: Second::Nothing }
    }

    /// The same, which a second run is to decide.
    fn open(self, second: Second) -> Self {
        Verdict { second, ..self }
    }

    /// The worse of both; the first where they are alike.
    #[must_use]
    pub fn or(self, other: Verdict) -> Verdict {
        // Of two that are ok, one that is to be confirmed.
        let rank = |v: &Verdict| (v.grade, if v.grade == Grade::Ok { v.second } else { Second::Nothing });
        if rank(&other) > rank(&self) { other } else { self }
    }
}

/// Shares of the energy that went through: from the first on a run is doubtful by what it has missed, from the second on growing by what was
/// added. Runs with errors above one amplitude miss 0.9, 0.29 at least where motions are predicted; good ones mostly less than 0.1.
const MISSED: f64 = 0.25;
const ADDED: f64 = 0.5;

/// From this share on a run is to be confirmed, in which bonds were found and not named: with errors above one amplitude two of these missed 0.14
/// and 0.21.
const MISSED_SOME: f64 = 0.1;

/// From this share of the energy that went through on, of what steps that are true at their ends miss between them, a run is to be confirmed. Runs
/// with errors above one amplitude miss 200, one of sixteen good ones more than this.
const MISSED_INSIDE: f64 = 1.0;

/// By how much a signal is larger late in a run that grows than early.
const RISEN: f64 = 1.2;

/// Fewer windows are too few for a bond to tell: the first ones miss much, where inputs begin anew.
pub(crate) const WINDOWS_MIN: u64 = 16;

/// Bonds with less than this part of the energy of another one are left out.
const SMALL: f64 = 1e-6;

impl Simulation {
    /// The verdict on the run so far.
    pub fn verdict(&self) -> Verdict {
        self.by_windows().or(self.by_energy()).or(self.by_growth()).or(self.by_resolution()).or(self.by_watch())
    }

    /// What makes steps shorter.
    pub(crate) fn shorter(&self) -> &'static str {
        if self.is_chosen() { "choose a smaller tolerance of step control" } else { "choose a smaller macro step" }
    }

    /// From windows that are not to be relied on.
    fn by_windows(&self) -> Verdict {
        if let Some(diverged) = self.diverged() {
            return Verdict::new(Grade::Failed, diverged.to_string(), Some(diverged.found));
        }
        if let Some(unconverged) = self.unconverged() {
            return Verdict::new(Grade::Failed, unconverged.to_string(), Some(unconverged.found));
        }
        if let Some(torn) = self.openings().iter().find(|opening| opening.is_torn()) {
            return Verdict::new(Grade::Failed, torn.torn(), Some(torn.gap));
        }
        let Some(coarse) = self.coarse() else { return Verdict::default() };
        Verdict::new(Grade::Doubtful, coarse.to_string(), Some(coarse.found)).open(Second::HowMuch)
    }

    /// From what power bonds have missed.
    fn by_energy(&self) -> Verdict {
        if self.statistics().windows < WINDOWS_MIN {
            return Verdict::default();
        }
        let has_risen = self.state.growth.risen() >= RISEN;
        let accounts = self.state.signals.balance.as_ref().map_or(&[][..], |balance| balance.accounts.as_slice());
        let most_j = accounts.iter().map(|a| a.passed_j).fold(0.0, f64::max);
        let weighed = accounts.iter().filter(|a| a.passed_j >= SMALL * most_j);
        let is_right = self.has_nodes() || weighed.clone().all(|a| a.missed_inside_share() < MISSED_INSIDE);
        let by_inside = Verdict::default().open(if is_right { Second::Nothing } else { Second::Whether });
        let worst = weighed.max_by(|a, b| a.missed_share().total_cmp(&b.missed_share()));
        let judged = |account| judged(account, has_risen, self.shorter());
        worst.map_or_else(Verdict::default, judged).or(by_inside)
    }

    /// From what was watched: a few macro steps say little of themselves, and signals without power bonds neither, or those that the first macro step
    /// has thrown away. Waveforms are judged by their nodes.
    fn by_watch(&self) -> Verdict {
        let is_few = self.statistics().windows < WINDOWS_MIN;
        let is_unwatched = self.state.signals.balance.is_none() || self.state.growth.is_thrown();
        Verdict::default().open(match (is_few, is_unwatched) {
            _ if self.has_nodes() || self.channels == 0 => Second::Nothing,
            (true, _) => Second::Whether,
            (false, true) => Second::Unwatched,
            (false, false) => Second::Nothing,
        })
    }

    /// Whether inputs are waveforms, whose nodes tell what happens inside a step.
    fn has_nodes(&self) -> bool {
        self.window.sources.family.iter().any(|predictor| predictor.nodes() > 0)
    }

    /// From motions between communication points that the macro steps do not see. A second run says nothing against it: one with half
    /// the macro step may see as little.
    pub(crate) fn by_resolution(&self) -> Verdict {
        let shares = self.rated.iter().zip(&self.state.resolution).filter_map(|(r, seen)| Some((r, seen.unseen()?)));
        let Some((rated, share)) = shares.max_by(|a, b| a.1.total_cmp(&b.1)) else { return Verdict::default() };
        let (value, rate) = (self.window.name(rated.value), self.window.name(rated.rate));
        let reason = format!(
            "macro steps are too long to see the motion: `{value}` does not follow its derivative `{rate}` from one communication point to the \
             next, by {:.0} % of the way; {}, or look whether `{rate}` is the derivative",
            100.0 * share,
            self.shorter()
        );
        Verdict::new(Grade::Doubtful, reason, Some(share))
    }

    /// From signals that grow.
    fn by_growth(&self) -> Verdict {
        let channels = &self.state.signals.histories[..self.channels];
        let Some(grown) = self.state.growth.grown(channels) else { return Verdict::default() };
        if !grown.is_unresolved {
            return Verdict::default().open(Second::Growth);
        }
        let (signal, factor) = (self.window.name(grown.place), grown.factor);
        let reason = format!(
            "`{signal}` grows by a factor of {factor:.1e} over the second half of the run, by steps that do not resolve it; {}, or a corrector",
            self.shorter()
        );
        Verdict::new(Grade::Growing, reason, Some(factor)).open(Second::Whether)
    }
}

/// The verdict from the account of one bond, in a run whose signals have risen or not; what makes its steps shorter.
fn judged(account: &Account, has_risen: bool, shorter: &str) -> Verdict {
    let Account { name, residual_energy_j, missed_j, passed_j, .. } = account;
    let (added, missed) = (account.residual_share(), account.missed_share());
    if added >= ADDED && has_risen {
        let reason = format!(
            "the coupling adds energy: {residual_energy_j:.1e} J in power bond `{name}`, through which {passed_j:.1e} J went; \
             {shorter}, or a corrector"
        );
        return Verdict::new(Grade::Growing, reason, Some(added)).open(Second::Whether);
    }
    if missed >= MISSED {
        let reason = format!(
            "errors may be as large as the signals: the coupling missed {missed_j:.1e} J in power bond `{name}`, through which {passed_j:.1e} J \
             went; {shorter}, or compare with one by `macrostep verify`"
        );
        return Verdict::new(Grade::Doubtful, reason, Some(missed)).open(Second::Whether);
    }
    Verdict::default().open(if missed >= MISSED_SOME { Second::Unwatched } else { Second::Nothing })
}
