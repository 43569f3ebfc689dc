//! Residual energies of a run: the energy that each bond has added to the system.

use super::bond::{Candidates, candidates};
use crate::assemble::assemble;
use crate::catalogue::Catalogue;
use crate::finding::Finding;
use crate::scenario::{Bond, Place, Scenario};
use macrostep_master::unit::Distance;
use macrostep_master::{Account, RunError, Simulation};

/// Power bonds and their residual energies in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Residuals {
    /// In the order of `bonds`.
    pub accounts: Vec<Account>,
    /// The scenario's, or where it names none the candidates.
    pub bonds: Vec<Bond>,
    /// What was looked for where the scenario names none.
    pub candidates: Option<Candidates>,
    /// Units that are far away.
    pub far: Vec<Far>,
}

/// A unit that is far away, in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Far {
    /// Its name.
    pub unit: String,
    /// Round trips of the macro steps, those before them not counted.
    pub round_trips: u64,
    /// How many macro steps there were.
    pub windows: u64,
    /// The shortest time that a round trip has taken \[s\].
    pub shortest_s: f64,
}

/// The units that are far away, with their round trips since they had made as many as given.
fn far(simulation: &Simulation, names: &[String], before: &[Option<Distance>]) -> Vec<Far> {
    let windows = simulation.statistics().windows;
    let units = simulation.distances().into_iter().zip(before).zip(names);
    let moved = units.filter_map(|((now, before), unit)| {
        let (now, before) = (now?, (*before)?);
        let round_trips = now.round_trips - before.round_trips;
        Some(Far { unit: unit.clone(), round_trips, windows, shortest_s: now.shortest_s })
    });
    moved.collect()
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
    if bonds.is_empty() && !scenario.units.iter().any(|unit| unit.source.is_remote()) {
        return Ok(Ok(Residuals { accounts: Vec::new(), bonds, candidates: found, far: Vec::new() }));
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
        let before = simulation.distances();
        // Steps that are chosen are over when they are there, others after so many.
        let windows = if simulation.course().is_some() { u64::MAX } else { simulation.windows_in(span_s)? };
        simulation.advance(windows, (0, u64::MAX), &mut ())?;
        let names: Vec<String> = watched.units.iter().map(|unit| unit.name.clone()).collect();
        let far = far(&simulation, &names, &before);
        simulation.terminate()?;
        Ok(Residuals { accounts: simulation.accounts().to_vec(), bonds, candidates: found, far })
    };
    Ok(run())
}
