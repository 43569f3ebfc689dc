//! Power bonds in the master.

use super::refused;
use crate::check::gain;
use crate::finding::Finding;
use crate::scenario::Names;
use macrostep_description::ModelDescription;
use macrostep_master::{Port, System, UnitId};
use std::sync::Arc;

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
