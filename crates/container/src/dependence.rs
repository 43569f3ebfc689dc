//! The inputs that each output of a container depends on at the same time.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use macrostep_description::{Causality, Dependencies, ModelDescription};
use macrostep_system::Scenario;
use macrostep_system::scenario::Endpoint;
use macrostep_system::words::Sampling;

/// Ways through units, and between them by connections, laws and maps.
pub(crate) struct Dependence<'a> {
    scenario: &'a Scenario,
    descriptions: &'a [Arc<ModelDescription>],
    /// What each fed input is made of: real outputs, whose values go on at once.
    sources: HashMap<&'a Endpoint, Vec<&'a Endpoint>>,
}

impl<'a> Dependence<'a> {
    pub fn new(scenario: &'a Scenario, descriptions: &'a [Arc<ModelDescription>]) -> Self {
        let mut sources: HashMap<&Endpoint, Vec<&Endpoint>> = HashMap::new();
        for c in &scenario.connections {
            let of = sources.entry(&c.to).or_default();
            let law = scenario.law(&c.from.unit).or_else(|| c.law.as_ref().and_then(|name| scenario.law(name)));
            of.extend(law.iter().flat_map(|law| &law.inputs));
            of.extend(scenario.unit(&c.from.unit).map(|_| &c.from));
        }
        for m in &scenario.maps {
            m.to.iter().for_each(|to| sources.entry(to).or_default().extend(&m.from));
            if let Some(back) = &m.reaction {
                back.to.iter().for_each(|to| sources.entry(to).or_default().extend(&back.from));
            }
        }
        for m in &scenario.interface_models {
            for to in m.to_speed.iter().chain(&m.to_position) {
                sources.entry(to).or_default().extend(m.speed.iter().chain(&m.position));
            }
        }
        // The force of a joint over a step follows what its ends do, not what they are.
        for to in scenario.constraints.iter().flat_map(|c| c.inputs()) {
            sources.entry(to).or_default();
        }
        Dependence { scenario, descriptions, sources }
    }

    /// Inputs without a connection inside that an output depends on at the same time.
    pub fn of(&self, output: &Endpoint) -> BTreeSet<Endpoint> {
        let lagged = self.scenario.coupling.sampling == Sampling::Lagged;
        let (mut open, mut seen, mut next) = (BTreeSet::new(), BTreeSet::new(), vec![output.clone()]);
        while let Some(end) = next.pop() {
            for input in self.through(&end) {
                if !seen.insert(input.clone()) {
                    continue;
                }
                match self.sources.get(&input) {
                    // Sampled with what was fed in the step before.
                    _ if lagged && self.is_real(&input) => {}
                    None => drop(open.insert(input)),
                    Some(sources) => next.extend(sources.iter().filter(|s| self.is_real(s)).map(|s| (*s).clone())),
                }
            }
        }
        open
    }

    /// Inputs of its own unit that an output follows at once.
    fn through(&self, output: &Endpoint) -> Vec<Endpoint> {
        let Some(u) = self.scenario.unit(&output.unit) else { return Vec::new() };
        let d = &self.descriptions[u];
        let Some(at) = d.variables.iter().position(|v| v.name == output.variable) else { return Vec::new() };
        if !matches!(d.variables[at].causality, Causality::Output | Causality::Local) {
            return Vec::new();
        }
        let all = || (0..d.variables.len()).collect::<Vec<_>>();
        let known = match d.structure.outputs.iter().find(|o| o.index == at).map(|o| &o.dependencies) {
            Some(Dependencies::Known(known)) => known.iter().map(|(i, _)| *i).collect(),
            Some(Dependencies::All) | None => all(),
        };
        let inputs = known.into_iter().filter_map(|i| d.variables.get(i)).filter(|v| v.causality == Causality::Input);
        inputs.map(|v| Endpoint { unit: output.unit.clone(), variable: v.name.clone() }).collect()
    }

    fn is_real(&self, end: &Endpoint) -> bool {
        let description = self.scenario.unit(&end.unit).map(|u| &self.descriptions[u]);
        description.and_then(|d| d.variable(&end.variable)).is_some_and(|v| v.real().is_some())
    }
}
