//! A second look at a run that is doubtful or grows, with half its macro step: [`Verdict::second_look`] for a scenario.

use macrostep_master::{Second, Simulation, Verdict};

use crate::assemble::assemble;
use crate::catalogue::Catalogue;
use crate::scenario::Scenario;
use crate::words::Control;

/// The verdict on a run of so many windows of this scenario, as it ran, after a second look. Where the scenario cannot be run with half its
/// macro step, or its steps are chosen as it goes on, the verdict stays as it is. So it does from the moment on when `goes_on` is not true.
pub fn second_look(
    verdict: Verdict,
    (scenario, catalogue): (&Scenario, &dyn Catalogue),
    windows: u64,
    goes_on: &dyn Fn() -> bool,
) -> Verdict {
    if verdict.second == Second::Nothing || scenario.coupling.control.kind != Control::Fixed {
        return verdict;
    }
    let mut made = |parts: f64| -> Option<Simulation> {
        let mut s = scenario.clone();
        s.experiment.step_s = Some(s.experiment.step_s? / parts);
        let mut simulation = assemble(&s, catalogue).ok()?.0.simulation().ok()?;
        simulation.initialise().ok()?;
        Some(simulation)
    };
    verdict.clone().second_look(&mut made, windows, goes_on).unwrap_or(verdict)
}
