//! Analysis of direct feed-through: which outputs follow an input at once, in which order they are to be evaluated, and
//! where they form algebraic loops.
//!
//! A unit is a node if one of its sampled outputs has feed-through from a connected input. It comes after the units
//! whose feed-through outputs feed those inputs, directly or through a law. Strongly connected sets (Tarjan 1972) are
//! algebraic loops.

use crate::ids::{Signal, UnitId};
use crate::system::{Source, System};

/// Groups of units in the order of evaluation; a group of more than one is a loop.
pub fn groups(system: &System) -> Vec<Vec<usize>> {
    let n = system.descriptions.len();
    let refreshed: Vec<Vec<usize>> = (0..n).map(|u| inputs_of_feedthrough(system, u)).collect();
    let successors: Vec<Vec<usize>> = (0..n)
        .map(|u| (0..n).filter(|&w| !refreshed[w].is_empty() && depends(system, &refreshed[w], w, u)).collect())
        .collect();
    let mut found = Tarjan::new(&successors).run();
    // Tarjan lists a set after everything reachable from it: turn to have sources first.
    found.reverse();
    found.retain(|g| g.iter().any(|&u| !refreshed[u].is_empty()));
    found
}

/// Connected inputs of `unit` that some sampled output follows at once (positions of variables).
pub(crate) fn inputs_of_feedthrough(system: &System, unit: usize) -> Vec<usize> {
    let mut inputs: Vec<usize> = system
        .channels
        .iter()
        .filter(|c| c.unit == unit)
        .flat_map(|c| c.variables.iter())
        .flat_map(|&v| system.feedthrough(unit, v))
        .collect();
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}

/// Whether one of the `inputs` of `unit` is fed by a feed-through output of unit `source`.
fn depends(system: &System, inputs: &[usize], unit: usize, source: usize) -> bool {
    let follows = |s: &Signal| {
        let channel = &system.channels[s.channel];
        channel.unit == source && !system.feedthrough(source, channel.variables[s.component]).is_empty()
    };
    system.connections.iter().filter(|c| c.unit == unit && inputs.contains(&c.variable)).any(|c| match c.source {
        Source::Signal(s) | Source::Mean(s) => follows(&s),
        Source::Law { law, .. } => system.laws[law].inputs.iter().any(follows),
        Source::Series(_) | Source::Outside(_) => false,
        // At a communication point the motion is what the slow unit says.
        Source::Predicted { model, .. } => {
            let model = &system.interfaces[model];
            model.speed.iter().chain(&model.position).any(follows)
        }
    })
}

/// What feeds an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Supplied {
    /// The unit fed.
    pub unit: UnitId,
    /// Its input.
    pub input: String,
    /// Outputs the value is made of: unit and variable; none for a series, or where it comes from outside.
    pub sources: Vec<(UnitId, String)>,
    /// Whether a law stands between.
    pub through_law: bool,
}

/// Analysis of a system that is not running.
impl System {
    /// Units with direct feed-through from a connected input to a sampled output, in the order in which they are evaluated;
    /// several together are an algebraic loop.
    pub fn feedthrough_groups(&self) -> Vec<Vec<UnitId>> {
        groups(self).into_iter().map(|g| g.into_iter().map(UnitId).collect()).collect()
    }

    /// Connected inputs that an output of `unit` follows at once.
    pub fn followed(&self, unit: UnitId, output: &str) -> Vec<String> {
        let variables = &self.descriptions[unit.0].variables;
        let Some(i) = variables.iter().position(|v| v.name == output) else { return Vec::new() };
        self.feedthrough(unit.0, i).into_iter().map(|input| variables[input].name.clone()).collect()
    }

    /// All connected inputs and where their values come from.
    pub fn supplied(&self) -> Vec<Supplied> {
        let name = |unit: usize, variable: usize| self.descriptions[unit].variables[variable].name.clone();
        let output = |s: &Signal| {
            let channel = &self.channels[s.channel];
            (UnitId(channel.unit), name(channel.unit, channel.variables[s.component]))
        };
        let connections = self.connections.iter().map(|c| {
            let (sources, through_law) = match c.source {
                Source::Signal(s) | Source::Mean(s) => (vec![output(&s)], false),
                Source::Predicted { model, .. } => {
                    let model = &self.interfaces[model];
                    (model.speed.iter().chain(&model.position).chain(&model.force).map(output).collect(), true)
                }
                Source::Law { law, .. } => (self.laws[law].inputs.iter().map(output).collect(), true),
                Source::Series(_) | Source::Outside(_) => (Vec::new(), false),
            };
            Supplied { unit: UnitId(c.unit), input: name(c.unit, c.variable), sources, through_law }
        });
        connections.collect()
    }
}

/// Tarjan's strongly connected components.
struct Tarjan<'a> {
    successors: &'a [Vec<usize>],
    number: Vec<Option<usize>>,
    low: Vec<usize>,
    stack: Vec<usize>,
    on_stack: Vec<bool>,
    next: usize,
    found: Vec<Vec<usize>>,
}

impl<'a> Tarjan<'a> {
    fn new(successors: &'a [Vec<usize>]) -> Self {
        let n = successors.len();
        Tarjan {
            successors,
            number: vec![None; n],
            low: vec![0; n],
            stack: Vec::new(),
            on_stack: vec![false; n],
            next: 0,
            found: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<Vec<usize>> {
        for v in 0..self.successors.len() {
            if self.number[v].is_none() {
                self.explore(v);
            }
        }
        self.found
    }

    /// Depth-first search with a stack of its own, so that a long chain of units cannot exhaust the thread's.
    fn explore(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((v, i)) = path.pop() {
            if let Some(&w) = self.successors[v].get(i) {
                path.push((v, i + 1));
                match self.number[w] {
                    None => {
                        self.enter(w);
                        path.push((w, 0));
                    }
                    Some(n) if self.on_stack[w] => self.low[v] = self.low[v].min(n),
                    Some(_) => {}
                }
                continue;
            }
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[v]);
            }
            if Some(self.low[v]) == self.number[v] {
                self.leave(v);
            }
        }
    }

    fn enter(&mut self, v: usize) {
        self.number[v] = Some(self.next);
        self.low[v] = self.next;
        self.next += 1;
        self.stack.push(v);
        self.on_stack[v] = true;
    }

    fn leave(&mut self, v: usize) {
        let mut group = Vec::new();
        while let Some(w) = self.stack.pop() {
            self.on_stack[w] = false;
            group.push(w);
            if w == v {
                break;
            }
        }
        group.sort_unstable();
        self.found.push(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_found_and_sources_come_first() {
        // 0 → 1 → 2 → 1, 2 → 3
        let successors = vec![vec![1], vec![2], vec![1, 3], vec![]];
        let mut found = Tarjan::new(&successors).run();
        found.reverse();
        assert_eq!(found, vec![vec![0], vec![1, 2], vec![3]]);
    }
}
