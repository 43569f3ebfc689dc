//! The *system*: units, the channels read from them, laws, and connections.
//!
//! A definition: it is built once and does not change in a run.

pub(crate) mod bond;
pub(crate) mod change;
pub(crate) mod constraint;
pub(crate) mod declared;
pub(crate) mod event;
pub(crate) mod feedthrough;
pub(crate) mod interface;
pub(crate) mod law;
pub(crate) mod laws;
pub(crate) mod line;
pub(crate) mod link;
pub(crate) mod outside;
mod parts;
pub(crate) mod refresh;
pub(crate) mod relation;
pub(crate) mod settings;

pub(crate) use parts::{Channel, Connection, LawNode, Source};

use crate::error::SystemError;
use crate::ids::{ChannelId, LawId, LineId, Signal, UnitId};
use crate::signal::series::Series;
use crate::system::bond::Bond;
use crate::system::change::Change;
use crate::system::constraint::ConstraintNode;
use crate::system::declared::{kind_name, near, positions};
use crate::system::event::Event;
use crate::system::interface::InterfaceModel;
use crate::system::law::Law;
use crate::system::line::Line;
use crate::system::link::{Link, Passage, Type, Values, type_of};
use crate::system::settings::Settings;
use crate::unit::{Start, Unit, proposed_tolerance};
use macrostep_description::{Causality, ModelDescription};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Units and how they are coupled.
#[derive(Default)]
pub struct System {
    pub(crate) units: Vec<Box<dyn Unit>>,
    /// What each unit declares; analysis reads these, a run takes the units.
    pub(crate) descriptions: Vec<Arc<ModelDescription>>,
    /// Position of each variable by its name, of each unit.
    names: Vec<Arc<HashMap<String, usize>>>,
    /// The same by the address of the description, which units of one FMU share.
    known: HashMap<usize, Arc<HashMap<String, usize>>>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) laws: Vec<LawNode>,
    pub(crate) interfaces: Vec<InterfaceModel>,
    pub(crate) lines: Vec<Line>,
    pub(crate) constraints: Vec<ConstraintNode>,
    pub(crate) series: Vec<Arc<Series>>,
    /// How many inputs come from outside.
    pub(crate) outside: usize,
    pub(crate) changes: Vec<Change>,
    pub(crate) events: Vec<Event>,
    pub(crate) connections: Vec<Connection>,
    pub(crate) links: Vec<Link>,
    pub(crate) bonds: Vec<Bond>,
    /// Of each unit.
    pub(crate) settings: Vec<Settings>,
    /// Highest order of input derivatives that each unit takes; 0: it holds its inputs over a step.
    pub(crate) input_orders: Vec<usize>,
    /// Of each unit.
    ends: Vec<Ends>,
    /// Components of the widest channel.
    widest: usize,
    /// Inputs that something feeds: unit and value reference, of reals and of the other types.
    fed: HashSet<(usize, u32)>,
    linked: HashSet<(usize, u32, Type)>,
}

/// Where signals of a unit begin and end.
#[derive(Debug, Clone, Default)]
struct Ends {
    /// Positions of its channels.
    channels: Vec<usize>,
    /// Positions of the connections of its inputs.
    connections: Vec<usize>,
}

/// One side of a power bond.
#[derive(Debug, Clone, Copy)]
pub struct Port<'a> {
    /// The unit that receives power.
    pub unit: UnitId,
    /// Connected inputs, each with the effort that one unit of it makes at the port: ±1 for a force.
    pub inputs: &'a [(&'a str, f64)],
    /// The flow, a component of a channel: power = effort × flow.
    pub flow: &'a str,
}

impl System {
    /// A system without units.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a unit. Its own solver gets the tolerance it proposes, unless [`System::tolerance`] says another.
    pub fn add(&mut self, unit: Box<dyn Unit>) -> UnitId {
        let tolerance = proposed_tolerance(unit.description());
        self.settings.push(Settings { tolerance, starts: Vec::new() });
        let description = unit.shared_description();
        let names = self.known.entry(Arc::as_ptr(&description) as usize);
        self.names.push(Arc::clone(names.or_insert_with(|| Arc::new(positions(&description)))));
        // What it declares says nothing of the order: any, unless [`System::input_order`] knows better.
        let interpolates = description.co_simulation.as_ref().is_some_and(|c| c.can_interpolate_inputs);
        self.input_orders.push(if interpolates { usize::MAX } else { 0 });
        self.descriptions.push(description);
        self.ends.push(Ends::default());
        self.units.push(unit);
        UnitId(self.units.len() - 1)
    }

    /// A channel of outputs of `unit`: one name, or a motion `["x", "v", "a"]` in which each is the time derivative of
    /// the one before.
    pub fn channel(&mut self, unit: UnitId, names: &[&str]) -> Result<ChannelId, SystemError> {
        let (mut refs, mut variables) = (Vec::new(), Vec::new());
        for name in names {
            let (i, reference) = self.real(unit, name, "a real output", |c| c != Causality::Input)?;
            refs.push(reference);
            variables.push(i);
        }
        self.ends[unit.0].channels.push(self.channels.len());
        self.widest = self.widest.max(refs.len());
        self.channels.push(Channel { unit: unit.0, refs, variables });
        Ok(ChannelId(self.channels.len() - 1))
    }

    /// Puts a law behind signals.
    pub fn law(&mut self, law: Box<dyn Law>, inputs: &[Signal]) -> LawId {
        self.laws.push(LawNode { law, inputs: inputs.to_vec() });
        LawId(self.laws.len() - 1)
    }

    /// Feeds an input with a signal.
    pub fn connect(&mut self, from: Signal, unit: UnitId, input: &str) -> Result<(), SystemError> {
        self.feed(Source::Signal(from), unit, input)
    }

    /// Feeds an input with an output of a law.
    pub fn connect_law(&mut self, law: LawId, output: usize, unit: UnitId, input: &str) -> Result<(), SystemError> {
        let outputs = self.laws[law.0].law.outputs();
        if output >= outputs {
            return Err(SystemError::LawShape { what: "outputs", found: outputs, expected: output + 1 });
        }
        self.feed(Source::Law { law: law.0, output }, unit, input)
    }

    /// Feeds an input with an output of the same type, neither of them real: sampled and held.
    pub fn link(&mut self, from: UnitId, output: &str, to: UnitId, input: &str) -> Result<(), SystemError> {
        self.link_by((from, output), (to, input), Passage::default())
    }

    /// As [`System::link`] between variables of which one at least is not real, each value changed on its way. A number or a Boolean
    /// feeds a real input or an integer, where it comes from a real output rounded; an integer feeds a Boolean by a table. A value
    /// that is not in the table ends the run, and so does one that the input does not take.
    ///
    /// # Errors
    /// [`SystemError`] where a variable is not there, types do not fit, or something feeds the input already.
    pub fn link_by(
        &mut self,
        (from, output): (UnitId, &str),
        (to, input): (UnitId, &str),
        passage: Passage,
    ) -> Result<(), SystemError> {
        let output_name = output;
        let (kind, output) = self.typed(from, output, "an output", |c| c != Causality::Input)?;
        let (wanted, reference) =
            self.typed(to, input, "an input of a type that the output feeds", |c| c == Causality::Input)?;
        // Which types feed which: what is real on both sides is a signal, and no link.
        let fits = match (kind, wanted) {
            (Type::Real, Type::Integer) => passage.rounds && passage.table.is_empty(),
            (Type::Real, _) => false,
            (Type::Integer, Type::Boolean) => !passage.table.is_empty(),
            (Type::Integer | Type::Boolean, Type::Real | Type::Integer | Type::Boolean) => true,
            (Type::Text, Type::Text) => passage == Passage::default(),
            (Type::Text, _) | (_, Type::Text) => false,
        };
        let unit = || self.units[to.0].name().to_string();
        if !fits {
            return Err(SystemError::WrongVariable {
                unit: unit(),
                variable: input.to_string(),
                found: format!("{wanted:?}"),
                expected: "an input of a type that the output feeds",
            });
        }
        // An input has one source, and a real one may be that of a signal.
        let is_new = match wanted {
            Type::Real => self.fed.insert((to.0, reference)),
            wanted => self.linked.insert((to.0, reference, wanted)),
        };
        if !is_new {
            return Err(SystemError::ConnectedTwice { unit: unit(), variable: input.to_string() });
        }
        // What the input takes, by the descriptions of both ends.
        let ends = [(from, output_name), (to, input)].map(|(unit, name)| {
            let d = &*self.descriptions[unit.0];
            (d, self.position(unit, name).map(|i| &d.variables[i]))
        });
        let takes = Values::of(format!("{}.{input}", unit()), ends, &passage);
        self.links.push(Link { from: from.0, output, kind, to: to.0, input: reference, wanted, passage, takes });
        Ok(())
    }

    fn typed(
        &self,
        unit: UnitId,
        name: &str,
        expected: &'static str,
        fits: impl Fn(Causality) -> bool,
    ) -> Result<(Type, u32), SystemError> {
        let (description, found) = (&self.descriptions[unit.0], self.position(unit, name));
        let unit = self.units[unit.0].name().to_string();
        let variable = name.to_string();
        let Some(v) = found.map(|i| &description.variables[i]) else {
            return Err(SystemError::UnknownVariable { unit, variable, hint: near(name, description) });
        };
        if !fits(v.causality) {
            let found = format!("of type {} and causality {:?}", kind_name(v), v.causality);
            return Err(SystemError::WrongVariable { unit, variable, found, expected });
        }
        Ok((type_of(v), v.value_reference))
    }

    /// Declares a power bond between ports, two with opposite efforts or more; its residual power and energy are then
    /// watched. Corrections of energy are for bonds of two.
    ///
    /// # Errors
    /// [`SystemError`] where a variable is not there or the flow is in no channel.
    pub fn bond(&mut self, name: &str, ports: &[Port<'_>]) -> Result<(), SystemError> {
        let place = |port: &Port<'_>| {
            let mut inputs = Vec::new();
            for &(input, gain) in port.inputs {
                inputs.push((self.real(port.unit, input, "a real input", |c| c == Causality::Input)?.1, gain));
            }
            let (_, flow) = self.real(port.unit, port.flow, "a real output", |c| c != Causality::Input)?;
            if !self.channels_of(port.unit.0).any(|(_, c)| c.refs.contains(&flow)) {
                let (unit, variable) = (self.units[port.unit.0].name().to_string(), port.flow.to_string());
                let (found, expected) = ("in no channel".to_string(), "a component of a channel");
                return Err(SystemError::WrongVariable { unit, variable, found, expected });
            }
            Ok(bond::Port { unit: port.unit.0, inputs, flow })
        };
        let ports = ports.iter().map(place).collect::<Result<Vec<_>, SystemError>>()?;
        self.bonds.push(Bond { name: name.to_string(), ports });
        Ok(())
    }

    /// Adds a line with delay between two units.
    pub fn line(&mut self, line: Line) -> LineId {
        self.lines.push(line);
        LineId(self.lines.len() - 1)
    }

    /// Connects an input of the unit at end 0 or 1 of a line to the wave that arrives there, or the force, by [`Line::local`].
    pub fn connect_line(&mut self, line: LineId, end: usize, unit: UnitId, input: &str) -> Result<(), SystemError> {
        if end > 1 {
            return Err(SystemError::LawShape { what: "outputs", found: 2, expected: end + 1 });
        }
        self.feed(Source::Line { line: line.0, end }, unit, input)
    }

    /// Feeds an input with the mean over each of its unit's steps of a signal that is sampled more often.
    pub fn connect_mean(&mut self, from: Signal, unit: UnitId, input: &str) -> Result<(), SystemError> {
        self.feed(Source::Mean(from), unit, input)
    }

    /// Feeds an input with a series: known over every step, whatever the method is.
    pub fn connect_series(&mut self, series: Series, unit: UnitId, input: &str) -> Result<(), SystemError> {
        self.series.push(Arc::new(series));
        self.feed(Source::Series(self.series.len() - 1), unit, input)
    }

    /// Sets a variable of a unit at the communication point at `at_s` \[s\], before the step from there; at the start of the run,
    /// with the start values.
    pub fn change(&mut self, unit: UnitId, at_s: f64, value: Start) {
        self.changes.push(Change { unit: unit.0, at_s, value });
    }

    /// Sets values when a function of sampled outputs crosses zero.
    pub fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    pub(crate) fn feed(&mut self, source: Source, unit: UnitId, input: &str) -> Result<(), SystemError> {
        let (variable, reference) = self.real(unit, input, "a real input", |c| c == Causality::Input)?;
        if !self.fed.insert((unit.0, reference)) {
            let unit = self.units[unit.0].name().to_string();
            return Err(SystemError::ConnectedTwice { unit, variable: input.to_string() });
        }
        self.ends[unit.0].connections.push(self.connections.len());
        self.connections.push(Connection { unit: unit.0, reference, variable, source });
        Ok(())
    }

    /// Takes back the connections from number `first` on.
    pub(crate) fn unfeed(&mut self, first: usize) {
        for connection in self.connections.drain(first..) {
            self.fed.remove(&(connection.unit, connection.reference));
            self.ends[connection.unit].connections.pop();
        }
    }

    fn real(
        &self,
        unit: UnitId,
        name: &str,
        expected: &'static str,
        fits: impl Fn(Causality) -> bool,
    ) -> Result<(usize, u32), SystemError> {
        let (description, found) = (&self.descriptions[unit.0], self.position(unit, name));
        let unit = &self.units[unit.0];
        let variables = &description.variables;
        let Some(i) = found else {
            return Err(SystemError::UnknownVariable {
                unit: unit.name().to_string(),
                variable: name.to_string(),
                hint: near(name, description),
            });
        };
        let v = &variables[i];
        if v.real().is_none() || !fits(v.causality) {
            let found = format!("of type {} and causality {:?}", kind_name(v), v.causality);
            let unit = unit.name().to_string();
            return Err(SystemError::WrongVariable { unit, variable: name.to_string(), found, expected });
        }
        Ok((i, v.value_reference))
    }

    /// Position of the variable of this name in the unit's description.
    fn position(&self, unit: UnitId, name: &str) -> Option<usize> {
        self.names[unit.0].get(name).copied()
    }

    /// Channels of a unit, each with its number, in the order of their declaration.
    pub(crate) fn channels_of(&self, unit: usize) -> impl Iterator<Item = (usize, &Channel)> {
        self.ends[unit].channels.iter().map(|&c| (c, &self.channels[c]))
    }

    /// Connections of the inputs of a unit, in the order of their declaration.
    pub(crate) fn connections_of(&self, unit: usize) -> impl Iterator<Item = &Connection> {
        self.ends[unit].connections.iter().map(|&c| &self.connections[c])
    }

    /// Components of the widest channel.
    pub(crate) fn width(&self) -> usize {
        self.widest.max(1)
    }
}
