//! Residual energies of a run: the energy that each bond has added to the system.

use super::bond::{Candidates, candidates};
use crate::assemble::assemble;
use crate::catalogue::Catalogue;
use crate::finding::Finding;
use crate::scenario::{Bond, Place, Scenario};
use macrostep_master::{Account, RunError};

/// Power bonds and their residual energies in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Residuals {
    /// In the order of `bonds`.
    pub accounts: Vec<Account>,
    /// The scenario's, or where it names none the candidates.
    pub bonds: Vec<Bond>,
    /// What was looked for where the scenario names none.
    pub candidates: Option<Candidates>,
}

/// Runs the scenario and closes the accounts of its bonds.
///
/// # Errors
/// As [`assemble()`] and the run.
pub fn residuals(scenario: &Scenario, catalogue: &dyn Catalogue) -> Result<Result<Residuals, RunError>, Vec<Finding>> {
    let failed = |e: String| vec![Finding::error(&scenario.experiment.place, e, "")];
    let descriptions = scenario.units.iter().map(|u| catalogue.description(&u.source));
    let descriptions = descriptions.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let found = scenario.bonds.is_empty().then(|| candidates(scenario, &descriptions));
    let mut watched = scenario.clone();
    if let Some(found) = &found {
        watched.bonds = found.bonds.iter().map(|c| c.bond.clone()).collect();
    }
    let bonds = watched.bonds.clone();
    if bonds.is_empty() {
        return Ok(Ok(Residuals { accounts: Vec::new(), bonds, candidates: found }));
    }
    // As little as can be is recorded: an empty list would mean everything.
    let first = watched.units.first().zip(descriptions.first().and_then(|d| d.variables.first()));
    watched.record.variables =
        first.iter().map(|(unit, v)| (format!("{}.{}", unit.name, v.name), Place::default())).collect();
    let (assembly, _) = assemble(&watched, catalogue)?;
    let e = &assembly.effective.experiment;
    let span_s = e.stop_s.unwrap_or(0.0) - e.start_s;
    let run = || {
        let mut simulation = assembly.simulation()?;
        simulation.initialise()?;
        // Steps that are chosen are over when they are there, others after so many.
        let windows = if simulation.course().is_some() { u64::MAX } else { simulation.windows_in(span_s)? };
        simulation.advance(windows, (0, u64::MAX), &mut ())?;
        simulation.terminate()?;
        Ok(Residuals { accounts: simulation.accounts().to_vec(), bonds, candidates: found })
    };
    Ok(run())
}
