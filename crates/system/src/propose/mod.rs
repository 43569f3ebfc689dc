//! A scenario for FMUs of which nothing is known but what they declare: connections by name, unit of measurement and derivatives.
//!
//! An input gets an output of another unit, in this order of trust, and each time only where one output fits and nothing else of the same
//! unit competes for it:
//!
//! 1. terminals of FMI 3.0 that fit together;
//! 2. the same name;
//! 3. a name with the same words (`r_tip` and `tip.r`), or with some more (`f` and `f_c`) where no other name shares a word, in the same
//!    unit of measurement;
//! 4. the derivative of an output that is connected already, for an input in the unit of that derivative;
//! 5. the only output in the unit of measurement of the only input that is left in it.
//!
//! Where more than one fits nothing is chosen: the choice is the user's, and the proposal names the candidates. Two connections in
//! opposite directions whose units of measurement multiply to watts are a power bond: what leaves one unit arrives at the other.

mod names;
mod wires;

use std::collections::BTreeSet;
use std::sync::Arc;

use macrostep_description::ModelDescription;

use crate::scenario::{Bond, Connection, Experiment, Gain, Place, Port, Scenario, Source, Unit};
use wires::Wires;

/// Exponents of kg, m, s, A, K, mol and cd of a watt.
const WATT: [i32; 7] = [1, 2, -3, 0, 0, 0, 0];

/// Macro steps of a run, where no FMU proposes a step.
pub const STEPS: f64 = 1000.0;

/// A scenario, and what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The scenario; it can be run where nothing in `open` keeps it from that.
    pub scenario: Scenario,
    /// What was chosen and why, a sentence each.
    pub guesses: Vec<String>,
    /// What is left to the user, a sentence each.
    pub open: Vec<String>,
}

/// An FMU with a name of its own.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    name: String,
    description: Arc<ModelDescription>,
}

/// Proposes a scenario of these FMUs.
pub fn propose(fmus: &[(Source, Arc<ModelDescription>)]) -> Proposal {
    let names = names::of_units(fmus.iter().map(|(source, _)| source.stem()));
    let parts: Vec<Part> =
        names.into_iter().zip(fmus).map(|(name, (_, d))| Part { name, description: Arc::clone(d) }).collect();
    let mut wires = Wires::new(&parts);
    wires.connect();
    // The parts of the scenario, in the order in which they are read.
    let mut proposal = Proposal { scenario: Scenario::default(), guesses: Vec::new(), open: Vec::new() };
    proposal.scenario.units =
        parts.iter().zip(fmus).map(|(part, (source, _))| Unit::new(&part.name, source.clone())).collect();
    proposal.scenario.name = parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(", ");
    proposal.times(&parts);
    proposal.wire(&wires);
    proposal.bonds(&wires);
    proposal
}

impl Proposal {
    /// The sentences as comments in TOML, to stand above the scenario.
    pub fn comments(&self) -> String {
        let mut text = String::from(
            "# Proposed from what the FMUs declare. Look at each line: a name or a unit of measurement is no proof.\n",
        );
        for line in &self.guesses {
            text += &format!("#   {line}\n");
        }
        for line in &self.open {
            text += &format!("#   OPEN: {line}\n");
        }
        text
    }

    /// End and step: the longest end and the shortest step that an FMU proposes.
    fn times(&mut self, parts: &[Part]) {
        let proposed = |of: fn(&macrostep_description::DefaultExperiment) -> Option<f64>| {
            let said = parts.iter().filter_map(move |part| {
                let value = of(part.description.default_experiment.as_ref()?)?;
                (value > 0.0 && value.is_finite()).then_some((value, part.name.as_str()))
            });
            said.collect::<Vec<_>>()
        };
        let stop = proposed(|d| d.stop_time).into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let step = proposed(|d| d.step_size).into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let stop_s = stop.map_or(1.0, |(value, _)| value);
        self.guesses.push(match stop {
            Some((value, name)) => format!("stop = {value} s: the longest that an FMU proposes (`{name}`)"),
            None => "stop = 1 s: no FMU proposes an end".to_owned(),
        });
        let step_s = step.map_or(stop_s / STEPS, |(value, _)| value);
        self.guesses.push(match step {
            Some((value, name)) => format!("step = {value} s: the shortest that an FMU proposes (`{name}`)"),
            None => format!("step = {step_s} s: a thousandth of the run, because no FMU proposes a step"),
        });
        self.scenario.experiment = Experiment { stop_s: Some(stop_s), step_s: Some(step_s), ..Experiment::default() };
    }

    fn wire(&mut self, wires: &Wires<'_>) {
        for wire in &wires.made {
            let (to, from) = (wires.input(wire.to), wires.output(wire.from));
            self.guesses.push(format!("`{to}` = `{from}`: {}", wire.reason));
            self.scenario
                .connections
                .push(Connection { factor: wire.sign, ..Connection::new(from, to, Place::default()) });
        }
        self.open.extend(wires.left());
        if self.scenario.connections.is_empty() && self.scenario.units.len() > 1 {
            self.open.push("nothing is connected: write connections, `\"UNIT.INPUT\" = \"UNIT.OUTPUT\"`".to_owned());
        }
    }

    /// Bonds: of two units, each wire one way with the only wire back that makes a power of it.
    fn bonds(&mut self, wires: &Wires<'_>) {
        let made = &wires.made;
        let is_power = |a: usize, b: usize| {
            let (one, other) = (&made[a], &made[b]);
            let [Some(x), Some(y)] = [one, other].map(|wire| wires.dimension(wire.from)) else { return false };
            let is_back = one.to.unit == other.from.unit && one.from.unit == other.to.unit;
            is_back && (0..7).all(|i| x[i] + y[i] == WATT[i]) && x != y
        };
        let partners = |a: usize| (0..made.len()).filter(|b| is_power(a, *b)).collect::<Vec<_>>();
        let mut seen = BTreeSet::new();
        for a in 0..made.len() {
            let [b] = partners(a)[..] else { continue };
            if partners(b) != [a] || !seen.insert(b.max(a)) {
                continue;
            }
            // What the receiver of the first wire gets as power, the receiver of the second one gives.
            let port = |at: usize, back: usize, gain: f64| Port {
                flow: wires.output(made[back].from),
                inputs: vec![(wires.input(made[at].to).variable, Gain::Number(gain * made[at].sign))],
                place: Place::default(),
            };
            let flows = || format!("{}-{}", wires.output(made[a].from).variable, wires.output(made[b].from).variable);
            let is_new = |name: &String| self.scenario.bonds.iter().all(|bond| bond.name != *name);
            let name = made[a].terminal.clone().filter(is_new).unwrap_or_else(flows);
            let [first, second] = [port(a, b, 1.0), port(b, a, -1.0)];
            let ends = [&first.flow, &second.flow];
            self.guesses.push(format!("power bond `{name}`: `{}` times `{}` is a power", ends[0], ends[1]));
            self.scenario.bonds.push(Bond { name, ports: vec![first, second], place: Place::default() });
        }
    }
}
