//! A second look at a run that is doubtful or grows, with half its macro step: [`Verdict::second_look`] for a scenario.

use macrostep_master::{Second, Simulation, Verdict};

use crate::assemble::assemble;
use crate::catalogue::Catalogue;
use crate::scenario::Scenario;
use crate::words::Control;

/// The verdict on a run of so many windows of this scenario, as it ran, after a second look. Where the scenario cannot be run with half its
/// macro step, the verdict stays as it is. So it does from the moment on when `goes_on` is not true.
pub fn second_look(
    verdict: Verdict,
    (scenario, catalogue): (&Scenario, &dyn Catalogue),
    windows: u64,
    goes_on: &dyn Fn() -> bool,
) -> Verdict {
    // The page of the laboratory has no room for what follows steps that are chosen.
    let is_left_out = cfg!(target_family = "wasm") && scenario.coupling.control.kind != Control::Fixed;
    if verdict.second == Second::Nothing || is_left_out {
        return verdict;
    }
    let mut made = |parts: f64| -> Option<Simulation> {
        let mut s = scenario.clone();
        s.experiment.step_s = Some(s.experiment.step_s? / parts);
        // The steps that may be chosen, too.
        let control = &mut s.coupling.control;
        for step_s in [&mut control.step_min_s, &mut control.step_max_s] {
            *step_s = step_s.map(|step_s| step_s / parts);
        }
        let mut simulation = assemble(&s, catalogue).ok()?.0.simulation().ok()?;
        simulation.initialise().ok()?;
        Some(simulation)
    };
    verdict.clone().second_look(&mut made, windows, goes_on).unwrap_or(verdict)
}
