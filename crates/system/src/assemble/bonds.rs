//! Power bonds in the master.

use super::refused;
use crate::check::gain;
use crate::explain::candidates;
use crate::finding::Finding;
use crate::scenario::{Names, Place, Scenario};
use crate::words::Control;
use macrostep_description::ModelDescription;
use macrostep_master::{Port, System, UnitId};
use std::sync::Arc;

/// Names the power bonds that units of measurement show, where the scenario names none and does not say that there are none; a note of them.
/// Step control by residual energy takes those that are named.
pub(super) fn watch(s: &mut Scenario, descriptions: &[Arc<ModelDescription>]) -> Option<Finding> {
    if s.bonds_are_all || !s.bonds.is_empty() || s.coupling.control.kind == Control::Ecco {
        return None;
    }
    s.bonds = candidates(s, descriptions).bonds.into_iter().map(|candidate| candidate.bond).collect();
    let names: Vec<String> = s.bonds.iter().map(|bond| format!("`{}`", bond.name)).collect();
    let what = format!("energy is watched in power bonds that units of measurement show: {}", names.join(", "));
    let next = "name bonds of your own in [[bonds]], or `bonds = []` for none";
    (!names.is_empty()).then(|| Finding::note(&Place::default(), what, next))
}

pub(super) fn declare(
    names: &Names<'_>,
    descriptions: &[Arc<ModelDescription>],
    system: &mut System,
    units: &[UnitId],
) -> Result<(), Finding> {
    for bond in &names.scenario().bonds {
        let mut ports = Vec::new();
        for port in &bond.ports {
            let Some(u) = names.unit(&port.flow.unit) else { continue };
            let inputs = port.inputs.iter().map(|input| (input.0.as_str(), gain(names, port, input, &descriptions[u])));
            ports.push((units[u], inputs.collect::<Vec<_>>(), port.flow.variable.as_str()));
        }
        let ports: Vec<Port<'_>> =
            ports.iter().map(|(unit, inputs, flow)| Port { unit: *unit, inputs, flow }).collect();
        system.bond(&bond.name, &ports).map_err(refused(&bond.place))?;
    }
    Ok(())
}
