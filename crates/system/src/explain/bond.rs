//! Candidates for *power bonds* of a scenario without any, found by units of measurement and known laws.
//!
//! | found | ports (P is the power received) |
//! |---|---|
//! | a law with f made of v₁, v₂ (or q of p₁, p₂), passed as u = F f + … | P₁ = −u v₁ / F₁, P₂ = u v₂ / F₂ |
//! | effort u_e = G y_e to B, and back flow u_f = F y_f to A, one of each, [y_e y_f] = W | P_B = u_e y_f, P_A = −(G / F) u_f y_e |
//! | a linear map with its dual, [from · reaction.from] = W | the same, a port for each signal; a map of one signal is a connection |
//!
//! A law's ports are exact. So is a pair where A is driven by the flow; where A is given the displacement beside it, its own
//! balance has other terms, and the residual is an indicator of the same order: gains with the stiffness (`[[bonds]]`) make
//! it exact. An effort is what has kg to the power 1: force, torque, pressure, voltage.
//!
//! Reference: \[Sadjina 2017\], section 2.

use crate::check::{WATT, dimension, gain};
use crate::scenario::{Bond, Connection, Endpoint, Gain, Law, LawKind, Map, Names, Place, Port, Scenario};
use macrostep_description::{ModelDescription, Variable};
use std::collections::HashMap;
use std::sync::Arc;

/// A bond that nobody has named.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// As it would be named.
    pub bond: Bond,
    /// The displacement its unit is given beside the flow: the bond is an indicator then.
    pub displacement: Option<Endpoint>,
}

/// Bonds that are unambiguous, and connections whose products are powers in more ways than one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidates {
    /// Unambiguous ones.
    pub bonds: Vec<Candidate>,
    /// Efforts that could belong to several flows, or share one.
    pub ambiguous: Vec<Endpoint>,
}

/// Looks for power bonds.
pub fn candidates(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Candidates {
    let names = Names::of(s);
    let mut look = Look {
        s,
        names: &names,
        descriptions,
        variables: HashMap::new(),
        wires: Vec::new(),
        beside: HashMap::new(),
        of_laws: HashMap::new(),
    };
    look.wire();
    let mut out = Candidates::default();
    out.bonds.extend(s.laws.iter().filter_map(|law| look.law(law)));
    look.pairs(&mut out);
    out.bonds.extend(s.maps.iter().enumerate().filter_map(|(m, map)| look.map(m, map)));
    out
}

/// A port of a power bond in numbers: the power received is Σ gain · input · flow \[W\].
#[derive(Debug, Clone, PartialEq)]
pub struct PowerPort {
    /// A variable of the unit.
    pub flow: Endpoint,
    /// Inputs of the unit, each with its gain.
    pub efforts: Vec<(String, f64)>,
}

/// Ports of the bonds a scenario names, or of those that units of measurement show where it names none.
pub fn ports(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Vec<PowerPort> {
    let found = if s.bonds.is_empty() { candidates(s, descriptions).bonds } else { Vec::new() };
    let bonds = s.bonds.iter().chain(found.iter().map(|c| &c.bond));
    let names = Names::of(s);
    let port = |p: &Port| {
        let d = &descriptions[s.unit(&p.flow.unit)?];
        let efforts = p.inputs.iter().map(|input| (input.0.clone(), gain(&names, p, input, d))).collect();
        Some(PowerPort { flow: p.flow.clone(), efforts })
    };
    bonds.flat_map(|bond| &bond.ports).filter_map(port).collect()
}

/// Exponents of a unit of measurement, see [`dimension`].
type Dimension = [i32; 7];

/// A connection between two units, or a map of one signal.
#[derive(Debug, Clone, Copy)]
struct Wire<'a> {
    from: &'a Endpoint,
    to: &'a Endpoint,
    factor: f64,
    dimension: Dimension,
}

/// What is looked at, with the positions of what is looked up: as many as connections, each once.
struct Look<'a> {
    s: &'a Scenario,
    names: &'a Names<'a>,
    descriptions: &'a [Arc<ModelDescription>],
    /// Of each description: variables by name.
    variables: HashMap<*const ModelDescription, HashMap<&'a str, &'a Variable>>,
    wires: Vec<Wire<'a>>,
    /// Positions among the wires, by sender, receiver and what is sent.
    beside: HashMap<(&'a str, &'a str, Dimension), Vec<usize>>,
    /// What laws send, by law and receiver.
    of_laws: HashMap<(&'a str, &'a str), Vec<&'a Connection>>,
}

/// What makes a power with this.
fn conjugate(d: Dimension) -> Dimension {
    std::array::from_fn(|i| WATT[i] - d[i])
}

/// An effort has kg to the power 1.
fn is_effort(d: Dimension) -> bool {
    d[0] == 1
}

impl<'a> Look<'a> {
    /// Lists connections, and maps of one signal as such.
    fn wire(&mut self) {
        for description in self.descriptions {
            let by_name = || description.variables.iter().rev().map(|v| (v.name.as_str(), v)).collect();
            self.variables.entry(Arc::as_ptr(description)).or_insert_with(by_name);
        }
        let s = self.s;
        let connected = s.connections.iter().map(|c| (&c.from, &c.to, c.factor));
        let single = s.maps.iter().filter_map(|m| match (m.matrix.as_slice(), m.from.as_slice(), m.to.as_slice()) {
            ([row], [from], [to]) if row.len() == 1 => Some((m, row[0], from, to)),
            _ => None,
        });
        let mapped = single.flat_map(|(m, factor, from, to)| {
            let back = m.reaction.iter().flat_map(|r| r.from.iter().zip(&r.to));
            std::iter::once((from, to)).chain(back).map(move |(from, to)| (from, to, factor))
        });
        for (from, to, factor) in connected.chain(mapped) {
            let Some(dimension) = self.dimension(from) else { continue };
            let key = (from.unit.as_str(), to.unit.as_str(), dimension);
            self.beside.entry(key).or_default().push(self.wires.len());
            self.wires.push(Wire { from, to, factor, dimension });
        }
        for c in s.connections.iter().filter(|c| c.factor != 0.0 && self.names.law(&c.from.unit).is_some()) {
            self.of_laws.entry((&c.from.unit, &c.to.unit)).or_default().push(c);
        }
    }

    /// Positions of the wires between two units that send this.
    fn sent(&self, from: &'a str, to: &'a str, dimension: Dimension) -> &[usize] {
        self.beside.get(&(from, to, dimension)).map_or(&[], Vec::as_slice)
    }

    fn dimension(&self, end: &Endpoint) -> Option<Dimension> {
        let d = &self.descriptions[self.names.unit(&end.unit)?];
        dimension(self.variables.get(&Arc::as_ptr(d))?.get(end.variable.as_str())?, d)
    }

    fn is_power(&self, a: &Endpoint, b: &Endpoint) -> bool {
        let pair = self.dimension(a).zip(self.dimension(b));
        pair.is_some_and(|(a, b)| b == conjugate(a))
    }

    /// What a law makes of two sides goes back to both of them with opposite signs.
    fn law(&self, law: &Law) -> Option<Candidate> {
        let sides = match law.kind {
            LawKind::SpringDamper { .. } | LawKind::NonlinearSpring { .. } => [law.inputs.get(1)?, law.inputs.get(3)?],
            LawKind::Orifice { .. } => [law.inputs.first()?, law.inputs.get(1)?],
            // A line keeps an account of its own; of what is given nobody knows the sides.
            LawKind::Line(_) | LawKind::Given => return None,
        };
        let mut ports = Vec::new();
        for (flow, sign) in sides.into_iter().zip([-1.0, 1.0]) {
            let Some([c]) = self.of_laws.get(&(law.name.as_str(), flow.unit.as_str())).map(Vec::as_slice) else {
                return None;
            };
            if !self.is_power(&c.to, flow) {
                return None;
            }
            ports.push(port(flow, &c.to, sign / c.factor));
        }
        Some(Candidate { bond: bond(format!("law {}", law.name), ports), displacement: None })
    }

    /// An effort there and a flow back.
    fn pairs(&self, out: &mut Candidates) {
        for effort in self.wires.iter().filter(|wire| is_effort(wire.dimension)) {
            let flows = self.sent(&effort.to.unit, &effort.from.unit, conjugate(effort.dimension));
            let Some(flow) = flows.first().map(|i| self.wires[*i]) else { continue };
            let efforts = self.sent(&effort.from.unit, &effort.to.unit, effort.dimension);
            if flows.len() > 1 || efforts.len() > 1 {
                out.ambiguous.push(effort.from.clone());
                continue;
            }
            if flow.factor == 0.0 || effort.factor == 0.0 {
                continue;
            }
            let ports = vec![port(flow.from, effort.to, 1.0), port(effort.from, flow.to, -effort.factor / flow.factor)];
            let bond = bond(format!("{} / {}", effort.from, flow.from), ports);
            out.bonds.push(Candidate { bond, displacement: self.displacement(flow) });
        }
    }

    /// What else the receiver of a flow gets from its sender that is the flow times s.
    fn displacement(&self, flow: Wire<'a>) -> Option<Endpoint> {
        let mut integral = flow.dimension;
        integral[2] += 1;
        let first = self.sent(&flow.from.unit, &flow.to.unit, integral).first();
        first.map(|i| self.wires[*i].to.clone())
    }

    fn map(&self, m: usize, map: &Map) -> Option<Candidate> {
        let back = map.reaction.as_ref().filter(|_| map.from.len() * map.to.len() > 1)?;
        let pairs = || map.from.iter().zip(&back.to).chain(back.from.iter().zip(&map.to));
        // Across the map, each signal with the one that comes back beside it.
        let (there, here) = (map.from.iter().zip(back.to.iter()), back.from.iter().zip(map.to.iter()));
        let fits = |(output, input): (&Endpoint, &Endpoint)| self.is_power(output, input);
        if !there.clone().all(fits) || !here.clone().all(fits) {
            return None;
        }
        let sign = |input: &Endpoint| if self.dimension(input).is_some_and(is_effort) { 1.0 } else { -1.0 };
        let ports = pairs().map(|(output, input)| port(output, input, sign(input))).collect();
        Some(Candidate { bond: bond(format!("map {} and its dual", m + 1), ports), displacement: None })
    }
}

fn port(flow: &Endpoint, input: &Endpoint, gain: f64) -> Port {
    let inputs = vec![(input.variable.clone(), Gain::Number(gain))];
    Port { flow: flow.clone(), inputs, place: Place::default() }
}

fn bond(name: String, ports: Vec<Port>) -> Bond {
    Bond { name, ports, place: Place::default() }
}
