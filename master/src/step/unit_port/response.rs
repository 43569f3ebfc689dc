//! The response of sampled outputs to a change of the inputs, for estimating an interface Jacobian.

use crate::ids::Signal;
use crate::system::System;
use macrostep_description::ModelDescription;

/// How a sampled output answers a change of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Response {
    /// Place among the unit's sampled outputs.
    pub place: usize,
    /// Value reference of the output with feed-through.
    pub reference: u32,
    /// How often that is integrated.
    pub order: usize,
}

/// The responses of the sampled outputs of unit `u`; outputs that no input reaches through derivatives are left out.
pub(crate) fn responses(system: &System, u: usize) -> Vec<Response> {
    let description = &system.descriptions[u];
    let variables = system.channels_of(u).flat_map(|(_, c)| c.variables.iter().copied());
    variables.enumerate().filter_map(|(place, variable)| chain(system, u, description, place, variable)).collect()
}

/// The first time derivative of a variable, by value reference, where an input reaches it at once and not the variable itself.
fn derivative(system: &System, u: usize, variable: usize) -> Option<u32> {
    chain(system, u, &system.descriptions[u], 0, variable).filter(|r| r.order == 1).map(|r| r.reference)
}

/// The rate of a speed, by value reference, where an input reaches it at once.
pub(crate) fn rate(system: &System, speed: Signal) -> Option<u32> {
    let channel = &system.channels[speed.channel];
    derivative(system, channel.unit, channel.variables[speed.component])
}

/// Whether an end's unit can answer how its speed follows a force.
pub(crate) fn answers(system: &System, speed: Signal) -> bool {
    let co = system.descriptions[system.channels[speed.channel].unit].co_simulation.as_ref();
    co.is_some_and(|c| c.provides_directional_derivative) && rate(system, speed).is_some()
}

fn chain(
    system: &System,
    u: usize,
    description: &ModelDescription,
    place: usize,
    mut variable: usize,
) -> Option<Response> {
    // A motion is at most a few derivatives long; the bound also stops a description that goes in circles.
    for order in 0..8 {
        if system.has_feedthrough(u, variable) {
            let reference = description.variables[variable].value_reference;
            return Some(Response { place, reference, order });
        }
        variable =
            description.variables.iter().position(|v| v.real().is_some_and(|r| r.derivative == Some(variable)))?;
    }
    None
}
