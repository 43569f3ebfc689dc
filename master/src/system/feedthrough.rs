//! Analysis of direct feed-through: the outputs that depend on an input at the same time, the order in which they are
//! evaluated, and their algebraic loops.
//!
//! A unit is a node if one of its sampled outputs has feed-through from a connected input. It comes after the units
//! whose feed-through outputs feed those inputs, directly or through a law. Strongly connected sets (Tarjan 1972) are
//! algebraic loops, unless no variable depends on itself: then a unit is evaluated several times, with more that is known.

use crate::ids::{Signal, UnitId};
use crate::system::line::{Line, Local};
use crate::system::refresh::Refresh;
use crate::system::{Source, System};
use macrostep_description::Dependencies;
use std::collections::{BTreeMap, HashMap};

/// What is evaluated anew when something becomes known: groups of units in the order of evaluation, and who reads whom.
#[derive(Debug, Clone, Default)]
pub(crate) struct FeedThrough {
    /// A group of more than one is a loop. A unit may be in several of one.
    pub groups: Vec<Vec<usize>>,
    /// Units with feed-through that read what a unit publishes, of each unit.
    pub of_published: Vec<Vec<Reader>>,
    /// Those that read feed-through outputs of a unit.
    pub of_refreshed: Vec<Vec<Reader>>,
}

/// A unit with feed-through that reads another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reader {
    pub unit: usize,
    /// Whether its feed-through outputs follow what it reads; else it only holds the input.
    pub follows: bool,
}

impl FeedThrough {
    /// That of a system. With `rates`, inputs are evaluated with their first derivatives, and each group twice: the rate of a
    /// force follows accelerations, which themselves are refreshed, so that these come first.
    pub fn of(system: &System, rates: bool) -> Self {
        let n = system.descriptions.len();
        let inputs: Vec<Vec<usize>> = (0..n).map(|u| inputs_of_feedthrough(system, u)).collect();
        let (mut of_published, mut of_refreshed) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for unit in (0..n).filter(|&u| !inputs[u].is_empty()) {
            for c in system.connections_of(unit) {
                let reader = Reader { unit, follows: inputs[unit].binary_search(&c.variable).is_ok() };
                for signal in signals(system, c.source, rates) {
                    let source = system.channels[signal.channel].unit;
                    of_published[source].push(reader);
                    // An output that is left as reported is never evaluated anew.
                    if follows(system, signal) && Refresh::of(&system.descriptions[source]) != Refresh::Reported {
                        of_refreshed[source].push(reader);
                    }
                }
            }
        }
        for readers in of_published.iter_mut().chain(&mut of_refreshed) {
            readers.sort_unstable();
            readers.dedup();
        }
        let mut groups = groups_of(system, &inputs);
        if rates {
            groups.extend_from_within(..);
        }
        FeedThrough { groups, of_published, of_refreshed }
    }

    /// For `n` units without outputs that are evaluated anew.
    pub fn none(n: usize) -> Self {
        FeedThrough { groups: Vec::new(), of_published: vec![Vec::new(); n], of_refreshed: vec![Vec::new(); n] }
    }
}

/// Groups of units in the order of evaluation; a group of more than one is a loop.
fn groups_of(system: &System, inputs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    // Units with feed-through that follow a feed-through output of a unit, in their order.
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); inputs.len()];
    for unit in (0..inputs.len()).filter(|&u| !inputs[u].is_empty()) {
        let followed = system.connections_of(unit).filter(|c| inputs[unit].binary_search(&c.variable).is_ok());
        for signal in followed.flat_map(|c| signals(system, c.source, false)).filter(|s| follows(system, *s)) {
            let of_source = &mut successors[system.channels[signal.channel].unit];
            if of_source.last() != Some(&unit) {
                of_source.push(unit);
            }
        }
    }
    let mut found = Tarjan::new(&successors).run();
    // Tarjan lists a set after everything reachable from it: turn to have sources first.
    found.reverse();
    found.retain(|g| g.iter().any(|&u| !inputs[u].is_empty()));
    found.into_iter().flat_map(|g| unrolled(system, &g).unwrap_or_else(|| vec![g])).collect()
}

/// Units that feed through to each other one after the other, some of them several times, where every output is settled in the end: no variable depends on
/// itself. `None` for an algebraic loop.
fn unrolled(system: &System, group: &[usize]) -> Option<Vec<Vec<usize>>> {
    if group.len() < 2 {
        return None;
    }
    // Outputs that follow an input, and what the inputs are made of, as pairs of unit and variable.
    let mut open: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    let mut made_of: HashMap<(usize, usize), Vec<(usize, usize)>> = HashMap::new();
    for &u in group {
        for &v in system.channels_of(u).flat_map(|(_, c)| &c.variables) {
            open.entry((u, v)).or_insert_with(|| system.feedthrough(u, v).collect());
        }
        for c in system.connections_of(u) {
            let of = |s: Signal| (system.channels[s.channel].unit, system.channels[s.channel].variables[s.component]);
            made_of.entry((u, c.variable)).or_default().extend(signals(system, c.source, false).into_iter().map(of));
        }
    }
    open.retain(|_, inputs| !inputs.is_empty());
    // A unit is evaluated whenever that settles some of its outputs.
    let mut sequence = Vec::new();
    while !open.is_empty() {
        let before = sequence.len();
        for &u in group {
            let is_settled = |outputs: &Vec<(usize, usize)>| outputs.iter().all(|output| !open.contains_key(output));
            let is_known = |input: &usize| made_of.get(&(u, *input)).is_none_or(is_settled);
            let outputs = open.range((u, 0)..(u + 1, 0));
            let settled: Vec<(usize, usize)> =
                outputs.filter(|(_, inputs)| inputs.iter().all(is_known)).map(|(output, _)| *output).collect();
            if !settled.is_empty() {
                settled.iter().for_each(|output| _ = open.remove(output));
                sequence.push(vec![u]);
            }
        }
        if sequence.len() == before {
            return None;
        }
    }
    Some(sequence)
}

/// Whether some connected input is followed at once.
fn follows(system: &System, s: Signal) -> bool {
    let channel = &system.channels[s.channel];
    system.has_feedthrough(channel.unit, channel.variables[s.component])
}

/// Whether an input of `unit` changes as soon as the unit publishes: it is made of the unit's own outputs, or of outputs that follow
/// inputs at once.
pub(crate) fn is_answered_at_once(system: &System, unit: usize) -> bool {
    let mut read = system.connections_of(unit).flat_map(|c| signals(system, c.source, false));
    read.any(|s| system.channels[s.channel].unit == unit || follows(system, s))
}

/// What an input is made of at a communication point; `with_rates` the next components too.
fn signals(system: &System, source: Source, with_rates: bool) -> Vec<Signal> {
    let mut signals = match source {
        Source::Signal(s) | Source::Mean(s) => vec![s],
        Source::Law { law, .. } => system.laws[law].inputs.clone(),
        Source::Series(_) | Source::Outside(_) => Vec::new(),
        // The wave is from before; a local part in the master follows the speed.
        Source::Line { line, end } => {
            let Line { local, speed, .. } = &system.lines[line];
            if local[end] == Local::Inside { Vec::new() } else { vec![speed[end]] }
        }
        Source::Reaction(part) => system.constraints[part.constraint].followed().collect(),
        // At a communication point the motion is what the slow unit says.
        Source::Predicted { model, .. } => {
            let model = &system.interfaces[model];
            model.speed.iter().chain(&model.position).copied().collect()
        }
    };
    if with_rates {
        let next = signals.iter().map(|s| Signal { channel: s.channel, component: s.component + 1 });
        let known = next.filter(|s| s.component < system.channels[s.channel].refs.len());
        signals.extend(known.collect::<Vec<_>>());
    }
    signals
}

/// Connected inputs of `unit` that some sampled output follows at once (positions of variables).
pub(crate) fn inputs_of_feedthrough(system: &System, unit: usize) -> Vec<usize> {
    let mut inputs: Vec<usize> = system
        .channels_of(unit)
        .flat_map(|(_, c)| c.variables.iter())
        .flat_map(|&v| system.feedthrough(unit, v))
        .collect();
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}

/// The source of an input.
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
    /// Where it is the end of a line with delay: the delay \[s\], and who makes the local part.
    pub line: Option<(f64, Local)>,
}

/// Analysis of a system that is not running.
impl System {
    /// Positions of the connected inputs the variable at `variable` of `unit` depends on directly: its direct
    /// feed-through in this system.
    pub(crate) fn feedthrough(&self, unit: usize, variable: usize) -> impl Iterator<Item = usize> {
        let inputs = self.connections_of(unit).map(|c| c.variable);
        let structure = &self.descriptions[unit].structure;
        let known = match structure.outputs.iter().find(|o| o.index == variable).map(|o| &o.dependencies) {
            Some(Dependencies::Known(known)) => Some(known),
            // Nothing declared means on everything (FMI 2.0.5, section 2.2.8).
            Some(Dependencies::All) | None => None,
        };
        inputs.filter(move |i| known.is_none_or(|known| known.iter().any(|(k, _)| k == i)))
    }

    /// Whether there is any.
    pub(crate) fn has_feedthrough(&self, unit: usize, variable: usize) -> bool {
        self.feedthrough(unit, variable).next().is_some()
    }

    /// Units with direct feed-through from a connected input to a sampled output, in the order in which they are evaluated;
    /// several together are an algebraic loop.
    pub fn feedthrough_groups(&self) -> Vec<Vec<UnitId>> {
        FeedThrough::of(self, false).groups.into_iter().map(|g| g.into_iter().map(UnitId).collect()).collect()
    }

    /// Connected inputs that an output of `unit` follows at once.
    pub fn followed(&self, unit: UnitId, output: &str) -> Vec<String> {
        let variables = &self.descriptions[unit.0].variables;
        let Some(i) = variables.iter().position(|v| v.name == output) else { return Vec::new() };
        self.feedthrough(unit.0, i).map(|input| variables[input].name.clone()).collect()
    }

    /// All connected inputs and where their values come from.
    pub fn supplied(&self) -> Vec<Supplied> {
        // Names of variables, as the descriptions of the units have them.
        let name = |unit: usize, variable: usize| self.descriptions[unit].variables[variable].name.clone();
        let output = |s: &Signal| {
            let channel = &self.channels[s.channel];
            (UnitId(channel.unit), name(channel.unit, channel.variables[s.component]))
        };
        // Outputs behind each connected input; of a law, a model or a joint all that it reads.
        let connections = self.connections.iter().map(|c| {
            let (sources, through_law) = match c.source {
                Source::Signal(s) | Source::Mean(s) => (vec![output(&s)], false),
                Source::Predicted { model, .. } => {
                    let model = &self.interfaces[model];
                    (model.speed.iter().chain(&model.position).chain(&model.force).map(output).collect(), true)
                }
                Source::Line { line, end } => {
                    let line = &self.lines[line];
                    ([line.position[1 - end], line.speed[end]].iter().map(output).collect(), true)
                }
                Source::Law { law, .. } => (self.laws[law].inputs.iter().map(output).collect(), true),
                Source::Series(_) | Source::Outside(_) => (Vec::new(), false),
                Source::Reaction(part) => {
                    (self.constraints[part.constraint].followed().map(|s| output(&s)).collect(), true)
                }
            };
            // A line delays what comes from the other end; its own end may act at once.
            let line = match c.source {
                Source::Line { line, end } => Some((self.lines[line].delay_s, self.lines[line].local[end])),
                _ => None,
            };
            Supplied { unit: UnitId(c.unit), input: name(c.unit, c.variable), sources, through_law, line }
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
            // The next edge of v: a unit not met yet is entered, one on the stack belongs to the same loop.
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
            // All edges of v are followed: its predecessor reaches what v reaches.
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[v]);
            }
            // The first unit met of a strongly connected set takes the set off the stack.
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
