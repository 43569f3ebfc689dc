//! Connections, laws and maps in the master.

use super::channels::Channels;
use super::laws;
use super::{refused, start_of};
use crate::catalogue::Catalogue;
use crate::check::{Conversion, amount, conversion, passage};
use crate::finding::Finding;
use crate::scenario::{
    Connection, Endpoint, Gain, InterfaceModel, Law, LawKind, Line, LineEnd, Map, Names, Place, Setting, Value,
};
use macrostep_description::{ModelDescription, Variable};
use macrostep_master::predict::{self, Predicted};
use macrostep_master::{self as master, Affine, LawId, LineId, LinearMap, Local, Scaled, Signal, System, UnitId};
use std::collections::BTreeMap;
use std::sync::Arc;

struct Wiring<'a> {
    names: &'a Names<'a>,
    descriptions: &'a [Arc<ModelDescription>],
    channels: &'a Channels,
    system: &'a mut System,
    units: &'a [UnitId],
    /// Laws that stand in the system as they are.
    laws: BTreeMap<&'a str, LawId>,
    /// All laws, in the order in which they were made.
    made: Vec<LawId>,
    lines: BTreeMap<&'a str, LineId>,
    /// Whether the predictor wants laws applied to motions it has predicted.
    is_before_law: bool,
    /// Who gives laws.
    catalogue: &'a dyn Catalogue,
}

/// What is known of the units when they are connected.
pub(super) struct Known<'a> {
    pub descriptions: &'a [Arc<ModelDescription>],
    pub channels: &'a Channels,
    /// Who gives laws.
    pub catalogue: &'a dyn Catalogue,
}

/// Connects all that the scenario says; the laws of the master, in the order in which they were made.
pub(super) fn connect(
    names: &Names<'_>,
    known: &Known<'_>,
    is_before_law: bool,
    (system, units): (&mut System, &[UnitId]),
) -> Result<Vec<LawId>, Finding> {
    let Known { descriptions, channels, catalogue } = *known;
    let s = names.scenario();
    let (laws, made, lines) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
    let mut wiring =
        Wiring { names, descriptions, channels, system, units, laws, made, lines, is_before_law, catalogue };
    for c in s.connections.iter().filter(|c| names.input(&c.from.unit).is_none()) {
        wiring.connection(c)?;
    }
    for m in &s.maps {
        wiring.map(m)?;
    }
    for m in &s.interface_models {
        wiring.interface_model(m)?;
    }
    Ok(wiring.made)
}

impl<'a> Wiring<'a> {
    fn connection(&mut self, c: &'a Connection) -> Result<(), Finding> {
        // The input that is fed.
        let place = &c.place;
        let unit = self.unit(&c.to, place)?;
        let same = Affine { factor: 1.0, offset: 0.0 };
        // A force that its owner sends follows motions by a law: where motions are predicted, so is the force.
        let obeyed = c.law.as_ref().filter(|_| self.is_before_law).and_then(|name| self.names.law(name));
        // A law's output is scaled by the connection; an obeyed law's output is converted to the input's unit, too.
        let (law, then) = match (self.names.law(&c.from.unit), obeyed) {
            (Some(law), _) => (Some(law), Affine { factor: c.factor, offset: c.offset }),
            (None, obeyed) => (obeyed, self.converted(c).unwrap_or(same)),
        };
        let same = then == same;
        // A line is made once, and its two ends are connected one by one.
        if let Some((law, line)) =
            law.and_then(|law| if let LawKind::Line(line) = &law.kind { Some((law, line)) } else { None })
        {
            let id = self.line(law, line)?;
            let end = law.outputs.iter().position(|output| *output == c.from.variable).unwrap_or(0);
            return self.system.connect_line(id, end, unit, &c.to.variable).map_err(refused(place));
        }
        // A law of the master, from its inputs and its constants.
        if let Some(law) = law {
            let inputs = self.signals(&law.inputs, place)?;
            let of_unit = |name: &str| self.names.unit(name).map(|u| &*self.descriptions[u]);
            let amount = |gain: &Gain| amount(self.names, gain, of_unit).unwrap_or(f64::NAN);
            let Some(made) = laws::of(law, amount, self.catalogue) else {
                let what = format!("law `{}` of kind `given`, which only a program can give", law.name);
                return Err(Finding::error(&law.place, what, "the Python module does: `System.law`"));
            };
            // A law that is not scaled is made once for all its connections; a scaled one is of this connection alone.
            let output = law.outputs.iter().position(|output| *output == c.from.variable).unwrap_or(0);
            let id = match self.laws.get(law.name.as_str()) {
                Some(id) if same => *id,
                _ if same => {
                    let id = self.put(made, &inputs);
                    self.laws.insert(&law.name, id);
                    id
                }
                _ => self.put(Scaled { law: made, output, then }.into(), &inputs),
            };
            return self
                .system
                .connect_law(id, if same { output } else { 0 }, unit, &c.to.variable)
                .map_err(refused(place));
        }
        // Where one end is not real, values are passed on as they are, or changed on the way.
        if let (Some(source), Some(target)) = (self.variable(&c.from), self.variable(&c.to))
            && (source.1.real().is_none() || target.1.real().is_none())
        {
            let from = (self.unit(&c.from, place)?, c.from.variable.as_str());
            let passage = passage(c, source, target).map_err(|(what, next)| Finding::error(place, what, next))?;
            return self.system.link_by(from, (unit, &c.to.variable), passage).map_err(refused(place));
        }
        // A real output: its mean over the step, its value, or its value converted.
        let signal = self.signal(&c.from, place)?;
        if c.is_mean {
            return self.system.connect_mean(signal, unit, &c.to.variable).map_err(refused(place));
        }
        match self.converted(c) {
            None => self.system.connect(signal, unit, &c.to.variable),
            Some(law) => {
                let id = self.put(law.into(), &[signal]);
                self.system.connect_law(id, 0, unit, &c.to.variable)
            }
        }
        .map_err(refused(place))
    }

    /// The line of a law, made where it is first met.
    fn line(&mut self, law: &'a Law, line: &Line) -> Result<LineId, Finding> {
        if let Some(id) = self.lines.get(law.name.as_str()) {
            return Ok(*id);
        }
        let of_unit = |name: &str| self.names.unit(name).map(|u| &*self.descriptions[u]);
        let amount = amount(self.names, line.gain(), of_unit).unwrap_or(f64::NAN);
        let impedance = line.impedance(amount);
        let signals = self.signals(&law.inputs, &law.place)?;
        let local = line.ends.each_ref().map(|end| match end {
            LineEnd::Inside(_) => Local::Inside,
            LineEnd::Feedback => Local::Feedback,
            LineEnd::Hold => Local::Hold,
        });
        // Units that make the local part are told the impedance.
        for end in &line.ends {
            let LineEnd::Inside(parameter) = end else { continue };
            let setting = Setting::new(&parameter.variable, Value::Real(impedance), law.place.clone());
            if let Some((description, v)) = self.variable(parameter) {
                self.system.start(self.unit(parameter, &law.place)?, start_of(&setting, v, description)?);
            }
        }
        let (position, speed) = ([signals[0], signals[2]], [signals[1], signals[3]]);
        let id = self.system.line(master::Line { impedance, delay_s: line.delay_s, position, speed, local });
        self.lines.insert(&law.name, id);
        Ok(id)
    }

    fn variable(&self, end: &Endpoint) -> Option<(&'a ModelDescription, &'a Variable)> {
        let description = &*self.descriptions[self.names.unit(&end.unit)?];
        description.variable(&end.variable).map(|v| (description, v))
    }

    /// What a connection does to its value; `None` where it stays.
    fn converted(&self, c: &Connection) -> Option<Affine> {
        let law = converted(c, self.variable(&c.from), self.variable(&c.to));
        (law != Affine { factor: 1.0, offset: 0.0 }).then_some(law)
    }

    fn map(&mut self, m: &'a Map) -> Result<(), Finding> {
        let place = &m.place;
        let columns = m.matrix.first().map_or(0, Vec::len);
        let Some(there) = LinearMap::new(columns, m.matrix.concat()) else {
            return Err(Finding::error(place, "an empty matrix", "write [[a, b], [c, d]]"));
        };
        let back = there.dual();
        self.law(there.into(), &m.from, &m.to, place)?;
        match &m.reaction {
            Some(r) => self.law(back.into(), &r.from, &r.to, place),
            None => Ok(()),
        }
    }

    fn interface_model(&mut self, m: &InterfaceModel) -> Result<(), Finding> {
        let place = &m.place;
        let model = predict::InterfaceModel {
            force: self.signals(&m.force, place)?,
            speed: self.signals(&m.speed, place)?,
            position: self.signals(&m.position, place)?,
            mobility: self.signals(&m.mobility, place)?,
            bias: self.signals(&m.bias, place)?,
            repeat: m.repeat,
            predicted: self.signals(&m.predicted, place)?,
            arrived: self.signals(&m.arrived, place)?,
        };
        let id = self.system.interface(model).map_err(refused(place))?;
        let speeds = m.to_speed.iter().enumerate().map(|(i, end)| (Predicted::Speed(i), end));
        let positions = m.to_position.iter().enumerate().map(|(i, end)| (Predicted::Position(i), end));
        for (what, end) in speeds.chain(positions) {
            let unit = self.unit(end, place)?;
            self.system.connect_predicted(id, what, unit, &end.variable).map_err(refused(place))?;
        }
        Ok(())
    }

    fn law(&mut self, map: Box<LinearMap>, from: &[Endpoint], to: &[Endpoint], place: &Place) -> Result<(), Finding> {
        let inputs = self.signals(from, place)?;
        let id = self.put(map, &inputs);
        for (i, end) in to.iter().enumerate() {
            let unit = self.unit(end, place)?;
            self.system.connect_law(id, i, unit, &end.variable).map_err(refused(place))?;
        }
        Ok(())
    }

    /// A law of the master.
    fn put(&mut self, law: Box<dyn master::Law>, inputs: &[Signal]) -> LawId {
        let id = self.system.law(law, inputs);
        self.made.push(id);
        id
    }

    fn unit(&self, end: &Endpoint, place: &Place) -> Result<UnitId, Finding> {
        let unit = self.names.unit(&end.unit).map(|u| self.units[u]);
        unit.ok_or_else(|| Finding::error(place, format!("no unit `{}`", end.unit), ""))
    }

    fn signal(&self, end: &Endpoint, place: &Place) -> Result<Signal, Finding> {
        let signal = self.channels.signal(end);
        signal.ok_or_else(|| Finding::error(place, format!("`{end}` is not sampled"), "connect a real output"))
    }

    fn signals(&self, ends: &[Endpoint], place: &Place) -> Result<Vec<Signal>, Finding> {
        ends.iter().map(|e| self.signal(e, place)).collect()
    }
}

/// What a connection from one variable to another does to its value.
pub(super) fn converted(
    c: &Connection,
    from: Option<(&ModelDescription, &Variable)>,
    to: Option<(&ModelDescription, &Variable)>,
) -> Affine {
    let own = Affine { factor: c.factor, offset: c.offset };
    match (from, to) {
        (Some(from), Some(to)) if c.converts => match conversion(from, to) {
            // First the unit of measurement, then the connection's own transformation.
            Conversion::Affine(factor, offset) => {
                Affine { factor: own.factor * factor, offset: own.factor * offset + own.offset }
            }
            _ => own,
        },
        _ => own,
    }
}
