//! The exit code of a verdict: what a run is worth, and what the user accepts.

use macrostep_master::{Grade, Verdict};
use macrostep_system::Scenario;

use crate::failure::Failure;

/// Which verdicts are no failure.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accepted {
    /// Macro steps that did not converge, and joints that are torn.
    pub unconverged: bool,
    /// Runs that grow.
    pub growth: bool,
}

impl Accepted {
    /// As the options say.
    pub fn new(unconverged: bool, growth: bool) -> Self {
        Accepted { unconverged, growth }
    }

    /// Or as the scenario says.
    #[must_use]
    pub fn of(self, scenario: &Scenario) -> Self {
        Accepted { growth: self.growth || scenario.experiment.expect_growth, ..self }
    }
}

/// Whether the result is one to rely on, or that is asked for; if not, why. What is doubtful is a warning.
///
/// # Errors
/// [`Failure::Run`] with the reason, after everything is printed and written.
pub fn met(verdict: &Verdict, accepted: Accepted) -> Result<(), Failure> {
    match refused(verdict, accepted) {
        Some(failure) => return Err(failure),
        None if verdict.grade > Grade::Ok => eprintln!("warning: {verdict}"),
        None => {}
    }
    Ok(())
}

/// The failure that a verdict is, where it is not accepted.
pub fn refused(verdict: &Verdict, accepted: Accepted) -> Option<Failure> {
    let option = match verdict.grade {
        Grade::Failed if !accepted.unconverged => "`--accept-unconverged`",
        Grade::Growing if !accepted.growth => "`--accept-growth`, or `expect_growth = true` in `[experiment]`,",
        Grade::Ok | Grade::Doubtful | Grade::Growing | Grade::Failed => return None,
    };
    // What did not converge says so itself.
    let said = if verdict.grade == Grade::Failed { verdict.reason.clone() } else { verdict.to_string() };
    Some(Failure::Run(format!("{said}; {option} accepts the result")))
}
