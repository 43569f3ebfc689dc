//! Which outputs are sampled together.

use super::{Sampled, refused};
use crate::finding::Finding;
use crate::scenario::{Connection, Endpoint, Names, Unit};
use macrostep_description::{Causality, ModelDescription, Variable};
use macrostep_master::predict::{Edge, Predictor};
use macrostep_master::{Method, Signal, System, UnitId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The channels, and where each sampled variable is in them.
pub(super) struct Channels {
    pub sampled: Vec<Sampled>,
    signals: HashMap<Endpoint, Signal>,
}

impl Channels {
    /// Channels of all outputs that something is made of.
    pub fn of(
        names: &Names<'_>,
        descriptions: &[Arc<ModelDescription>],
        method: &Method,
        system: &mut System,
        units: &[UnitId],
    ) -> Result<Channels, Finding> {
        // Only predictors of motions look before laws, and they need a motion's components together.
        let mut channels = Channels { sampled: Vec::new(), signals: HashMap::new() };
        for (u, variables) in wanted(names, descriptions, method.predictor.as_ref()) {
            let unit = &names.scenario().units[u];
            let texts: Vec<&str> = variables.iter().map(String::as_str).collect();
            let id = system.channel(units[u], &texts).map_err(refused(&unit.place))?;
            for (i, name) in variables.iter().enumerate() {
                let end = Endpoint { unit: unit.name.clone(), variable: name.clone() };
                channels.signals.insert(end, id.component(i));
            }
            channels.sampled.push(Sampled { unit: u, names: variables, id });
        }
        Ok(channels)
    }

    /// The signal of an output that was found in use.
    pub fn signal(&self, end: &Endpoint) -> Option<Signal> {
        self.signals.get(end).copied()
    }
}

/// The outputs that a predictor wants sampled together, each group with its unit.
pub(crate) fn wanted(
    names: &Names<'_>,
    descriptions: &[Arc<ModelDescription>],
    predictor: &dyn Predictor,
) -> Vec<(usize, Vec<String>)> {
    let motion = predictor.edge() == Edge::BeforeLaw;
    let components = motion.then(|| predictor.components());
    let used = used(names, descriptions, motion);
    let units = names.scenario().units.iter().enumerate();
    let of = |(u, unit): (usize, &Unit)| {
        let groups = group(&used[u], &chains(&descriptions[u], &unit.motions), components);
        groups.into_iter().map(move |group| (u, group)).collect::<Vec<_>>()
    };
    units.flat_map(of).collect()
}

/// Real outputs of each unit that something is made of, in the order of first use; flows of power bonds are the last. `motion` says whether laws
/// that outputs obey stand in their place.
fn used<'a>(names: &Names<'a>, descriptions: &'a [Arc<ModelDescription>], motion: bool) -> Vec<Vec<&'a str>> {
    // Sources of connections; where the law is predicted from, its inputs stand in for them.
    let s = names.scenario();
    // What is rounded is no signal: its receiver is told a number.
    let connections = s.connections.iter().filter(|c| !(c.rounds || motion && c.law.is_some())).map(|c| &c.from);
    let named = |c: &'a Connection| [Some(&c.from.unit), c.law.as_ref().filter(|_| motion)];
    let connected: HashSet<&String> = s.connections.iter().flat_map(named).flatten().collect();
    let laws = s.laws.iter().filter(|l| connected.contains(&l.name)).flat_map(|l| &l.inputs);
    // Maps, interface models, joints, bonds and events sample outputs of their own.
    let maps = s.maps.iter().flat_map(|m| m.from.iter().chain(m.reaction.iter().flat_map(|r| &r.from)));
    let mut out: Vec<Vec<&str>> = vec![Vec::new(); s.units.len()];
    let mut known = HashSet::new();
    let models = s.interface_models.iter();
    let models = models.flat_map(|m| m.sources());
    let joints = s.constraints.iter().flat_map(|c| c.outputs());
    let flows = s.bonds.iter().flat_map(|b| b.ports.iter().map(|p| &p.flow));
    let events = s.state_events.iter().flat_map(|e| e.outputs());
    // Each real output once. Sources that are no units, like laws and files, are not sampled.
    for end in connections.chain(laws).chain(maps).chain(models).chain(joints).chain(flows).chain(events) {
        if !known.insert(end) {
            continue;
        }
        let Some(u) = names.unit(&end.unit) else { continue };
        if descriptions[u].variable(&end.variable).is_some_and(|v| v.real().is_some()) {
            out[u].push(&end.variable);
        }
    }
    // Rates of what events look at, where they are declared.
    for end in s.state_events.iter().flat_map(|e| std::iter::once(&e.of).chain(&e.minus)) {
        let Some(u) = names.unit(&end.unit) else { continue };
        let mut name = end.variable.as_str();
        for _ in 0..2 {
            let Some(rate) = derivative(&descriptions[u], name) else { break };
            if !out[u].contains(&rate) {
                out[u].push(rate);
            }
            name = rate;
        }
    }
    out
}

/// The output that is declared as the time derivative of one.
fn derivative<'a>(description: &'a ModelDescription, name: &str) -> Option<&'a str> {
    let of = description.variables.iter().position(|v| v.name == name)?;
    let is_sampled = |v: &&Variable| matches!(v.causality, Causality::Output | Causality::Local);
    let mut sampled = description.variables.iter().filter(is_sampled);
    sampled.find(|v| v.real().is_some_and(|r| r.derivative == Some(of))).map(|v| v.name.as_str())
}

/// Chains of outputs, each the time derivative of the one before.
fn chains(description: &ModelDescription, declared: &[Vec<String>]) -> Vec<Vec<String>> {
    let variables = &description.variables;
    let is_sampled = |v: &Variable| matches!(v.causality, Causality::Output | Causality::Local) && v.real().is_some();
    // The first derivative of each variable.
    let mut derivatives: HashMap<usize, usize> = HashMap::new();
    for (i, v) in variables.iter().enumerate().filter(|(_, v)| is_sampled(v)) {
        if let Some(base) = v.real().and_then(|r| r.derivative) {
            derivatives.entry(base).or_insert(i);
        }
    }
    let named: HashSet<&str> = declared.iter().flatten().map(String::as_str).collect();
    let mut chains: Vec<Vec<String>> = declared.to_vec();
    for (i, v) in variables.iter().enumerate().filter(|(_, v)| is_sampled(v)) {
        let base = v.real().and_then(|r| r.derivative).and_then(|b| variables.get(b));
        let has_base = base.is_some_and(|b| matches!(b.causality, Causality::Output | Causality::Local));
        if has_base || named.contains(v.name.as_str()) || !derivatives.contains_key(&i) {
            continue;
        }
        let mut chain = vec![v.name.clone()];
        let mut at = i;
        // The bound also stops a description that goes in circles.
        while let Some(&next) = derivatives.get(&at).filter(|_| chain.len() < 8) {
            chain.push(variables[next].name.clone());
            at = next;
        }
        chains.push(chain);
    }
    chains
}

/// Channels for the wanted variables. Classical predictors take what is wanted of a chain; those of motions take it from
/// its beginning to the last of so many `components`.
fn group(wanted: &[&str], chains: &[Vec<String>], components: Option<usize>) -> Vec<Vec<String>> {
    // The chain of derivatives each variable belongs to: the first that has it.
    let is_wanted: HashSet<&str> = wanted.iter().copied().collect();
    let mut chain_of: HashMap<&str, &[String]> = HashMap::new();
    for chain in chains {
        for name in chain {
            chain_of.entry(name).or_insert(chain);
        }
    }
    // A variable of no chain is a channel of its own.
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut grouped: HashSet<&str> = HashSet::new();
    for &name in wanted {
        if grouped.contains(name) {
            continue;
        }
        let Some(&chain) = chain_of.get(name) else {
            groups.push(vec![name.to_owned()]);
            grouped.insert(name);
            continue;
        };
        // Of a chain, one channel takes everything between the first and the last that is wanted.
        let places = || chain.iter().enumerate().filter(|(_, n)| is_wanted.contains(n.as_str())).map(|(i, _)| i);
        let (first, last) = (places().min().unwrap_or(0), places().max().unwrap_or(0));
        let range = match components {
            Some(components) => 0..(last + 1).max(components.min(chain.len())),
            None => first..last + 1,
        };
        // Others of the same chain, which come later in the list, have their channel already.
        grouped.extend(chain[range.clone()].iter().map(String::as_str));
        groups.push(chain[range].to_vec());
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::group;

    #[test]
    fn motions_are_grouped_as_the_predictor_needs_them() {
        let chain = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let chains = [chain(&["x", "v", "a", "jerk"])];
        assert_eq!(group(&["v", "f", "x"], &chains, None), [chain(&["x", "v"]), chain(&["f"])]);
        assert_eq!(group(&["v"], &chains, None), [chain(&["v"])]);
        assert_eq!(group(&["v"], &chains, Some(3)), [chain(&["x", "v", "a"])]);
        assert_eq!(group(&["v"], &chains, Some(4)), [chain(&["x", "v", "a", "jerk"])]);
        assert_eq!(group(&["jerk"], &chains, Some(3)), [chain(&["x", "v", "a", "jerk"])]);
    }
}
