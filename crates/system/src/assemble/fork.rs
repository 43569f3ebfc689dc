//! Whether a unit goes back by fork of its process: tried, because an FMU does not tell whether it starts threads or holds sockets.
//!
//! An instance that is thrown away is saved after its initialisation, makes a step, is saved again and goes back to the first snapshot.

use super::{Assembly, starts};
use crate::catalogue::Catalogue;
use crate::scenario::Names;
use macrostep_description::ModelDescription;
use macrostep_master::unit::{Outcome, Start, UnitError, proposed_tolerance};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What was tried before in this process, and came to: sweeps assemble a scenario many times.
struct Known {
    description: Weak<ModelDescription>,
    refused: Option<String>,
}

/// Trials that are remembered.
const KNOWN_MAX: usize = 64;

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// Tries the units that are to go back by fork. Those that do not are not by fork any more, and [`Assembly::unforked`] says why. Returns
/// whether there are such.
pub fn try_forks(a: &mut Assembly, catalogue: &dyn Catalogue) -> bool {
    let names = Names::of(&a.effective);
    let mut found = false;
    for u in 0..a.units.len() {
        // Units that were made without a need to go back; those of a run that needs it are by fork already.
        if !a.by_fork[u] || a.effective.repeats_steps() {
            continue;
        }
        let Ok(starts) = starts(&names, u, &a.descriptions[u]) else { continue };
        if let Some(reason) = refused(&names, u, (&a.descriptions[u], &starts), catalogue) {
            a.by_fork[u] = false;
            a.unforked[u] = Some(reason);
            found = true;
        }
    }
    found
}

/// Why unit `u` does not go back by fork; `None` where it does.
fn refused(
    names: &Names<'_>,
    u: usize,
    (description, starts): (&ModelDescription, &[Start]),
    catalogue: &dyn Catalogue,
) -> Option<String> {
    let source = &names.scenario().units[u].source;
    // As long as the FMU is open, its description is the same.
    let opened = catalogue.description(source).ok()?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_known = |k: &&Known| k.description.upgrade().is_some_and(|d| Arc::ptr_eq(&d, &opened));
    if let Some(known) = known.iter().find(is_known) {
        return known.refused.clone();
    }
    let refused = tried(names, u, (description, starts), catalogue).err();
    if known.len() == KNOWN_MAX {
        known.remove(0);
    }
    known.push(Known { description: Arc::downgrade(&opened), refused: refused.clone() });
    refused
}

fn tried(
    names: &Names<'_>,
    u: usize,
    (description, starts): (&ModelDescription, &[Start]),
    catalogue: &dyn Catalogue,
) -> Result<(), String> {
    let s = names.scenario();
    let unit = &s.units[u];
    let mut instance = catalogue.forked(&unit.source, &unit.name)?;
    let instance = instance.as_mut();
    // What a user is told to choose is not this trial's to say.
    let words = |e: UnitError| e.message.split("; choose").next().unwrap_or_default().to_owned();
    // As a run begins.
    let tolerance = unit.solver_tolerance.or_else(|| proposed_tolerance(description));
    instance.setup(s.experiment.start_s, s.experiment.stop_s, tolerance).map_err(words)?;
    starts.iter().try_for_each(|start| start.set(instance)).map_err(words)?;
    instance.enter_initialization().map_err(words)?;
    instance.exit_initialization().map_err(words)?;
    // There and back.
    let step_s = s.experiment.step_s.unwrap_or(1e-3) * f64::from(unit.share.0) / f64::from(unit.share.1);
    instance.save(0).map_err(words)?;
    if instance.step(s.experiment.start_s, step_s, true).map_err(words)? != Outcome::Done {
        return Err("it did not finish a step".to_owned());
    }
    instance.save(1).map_err(words)?;
    instance.restore(0).map_err(words)
}
