//! The choice of connections.

use macrostep_description::{Causality, Kind, Member, ModelDescription, Terminal, Variability, Variable};

use super::Part;
use super::names::{Likeness, likeness, shares_word, split, words};
use crate::check::bonds::dimension;
use crate::scenario::Endpoint;

/// So many outputs that may be meant are named.
const SHOWN: usize = 4;

/// A variable: the number of its unit, and its place among the variables of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub unit: usize,
    variable: usize,
}

/// A connection that was chosen.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    pub to: Spot,
    pub from: Spot,
    /// 1, or -1 where the input is the negative output.
    pub sign: f64,
    pub reason: String,
    /// The terminal of the receiver, where terminals were connected.
    pub terminal: Option<String>,
}

/// Inputs and outputs of all units, and the connections between them.
pub(super) struct Wires<'a> {
    parts: &'a [Part],
    inputs: Vec<Spot>,
    outputs: Vec<Spot>,
    pub made: Vec<Wire>,
}

/// The members of two terminals that belong together, by their names or in a sequence by their order, each with the sign of the connection. None
/// where a plug or a sequence lacks one of them. Reference: FMI 3.0.2, section 2.4.9.2.
fn joint<'t>(a: &'t Terminal, b: &'t Terminal) -> Vec<(&'t str, &'t str, f64)> {
    let partner = |at: usize, member: &Member| match a.rule.as_str() {
        "plug" | "bus" => b.members.iter().find(|other| other.name == member.name && !member.name.is_empty()),
        "sequence" => b.members.get(at),
        // Other rules say of variables what is not known here.
        _ => None,
    };
    let pair = |(at, member): (usize, &'t Member)| {
        let other = partner(at, member)?;
        Some((member.variable.as_str(), other.variable.as_str(), sign(&member.kind, &other.kind)?))
    };
    let pairs: Vec<_> = a.members.iter().enumerate().filter_map(pair).collect();
    let is_whole = pairs.len() == a.members.len() && a.members.len() == b.members.len();
    if is_whole || a.rule == "bus" { pairs } else { Vec::new() }
}

/// The sign of a connection of two kinds of variables: flows that both count inwards, or both outwards, are opposite to each other, because
/// they sum up to zero. `None` where the kinds do not go together, or are others.
fn sign(a: &str, b: &str) -> Option<f64> {
    match (a, b) {
        ("signal", "signal") | ("inflow", "outflow") | ("outflow", "inflow") => Some(1.0),
        ("inflow", "inflow") | ("outflow", "outflow") => Some(-1.0),
        _ => None,
    }
}

impl<'a> Wires<'a> {
    pub fn new(parts: &'a [Part]) -> Self {
        let of = |causality| {
            let all = parts.iter().enumerate().flat_map(move |(unit, part)| {
                let found =
                    part.description.variables.iter().enumerate().filter(move |(_, v)| v.causality == causality);
                found.map(move |(variable, _)| Spot { unit, variable })
            });
            all.collect::<Vec<_>>()
        };
        Wires { parts, inputs: of(Causality::Input), outputs: of(Causality::Output), made: Vec::new() }
    }

    /// Makes all connections there is a reason for, the strongest reasons first.
    pub fn connect(&mut self) {
        self.by_terminal();
        self.by_name(Likeness::Same, "the same name");
        self.by_name(Likeness::Words, "the same words, in the same unit of measurement");
        self.by_name(Likeness::Within, "names that share words, in the same unit of measurement");
        self.by_derivative();
        self.by_unit();
        // A motion that was found by its unit of measurement has a derivative too.
        self.by_derivative();
        self.made.sort_by_key(|wire| (wire.to.unit, wire.to.variable));
    }

    fn variable(&self, at: Spot) -> &'a Variable {
        &self.description(at).variables[at.variable]
    }

    fn description(&self, at: Spot) -> &'a ModelDescription {
        &self.parts[at.unit].description
    }

    fn end(&self, at: Spot) -> Endpoint {
        Endpoint { unit: self.parts[at.unit].name.clone(), variable: self.variable(at).name.clone() }
    }

    pub fn input(&self, at: Spot) -> Endpoint {
        self.end(at)
    }

    pub fn output(&self, at: Spot) -> Endpoint {
        self.end(at)
    }

    /// Exponents of the base units; `None` where nothing is declared.
    pub fn dimension(&self, at: Spot) -> Option<[i32; 7]> {
        dimension(self.variable(at), self.description(at))
    }

    fn is_free(&self, input: Spot) -> bool {
        self.made.iter().all(|wire| wire.to != input)
    }

    /// Outputs of other units that may feed an input: of the same type, not contradicted by units of measurement, not used by the same unit.
    fn candidates(&self, input: Spot) -> Vec<Spot> {
        let wanted = self.variable(input);
        let fits = |output: &Spot| {
            let offered = self.variable(*output);
            let is_kind = std::mem::discriminant(&wanted.kind) == std::mem::discriminant(&offered.kind);
            let is_apart = [self.dimension(input), self.dimension(*output)];
            let agree = !matches!(is_apart, [Some(a), Some(b)] if a != b);
            let is_used = self.made.iter().any(|wire| wire.from == *output && wire.to.unit == input.unit);
            output.unit != input.unit && is_kind && agree && !is_used && offered.variability != Variability::Constant
        };
        self.outputs.iter().copied().filter(fits).collect()
    }

    /// Whether both say the same unit of measurement, by name or by its exponents. A torque in N.m is no energy in J, though both are made of
    /// the same base units.
    fn agrees(&self, input: Spot, output: Spot) -> bool {
        let [wanted, offered] = [input, output].map(|at| self.variable(at).unit());
        let is_same = self.dimension(input).is_some() && self.dimension(input) == self.dimension(output);
        is_same && wanted.contains('J') == offered.contains('J') || !wanted.is_empty() && wanted == offered
    }

    /// Terminals of FMI 3.0 that fit together: of the same rule and kind, with the same members, and with one partner only.
    fn by_terminal(&mut self) {
        let of = |unit: usize| self.parts[unit].description.fmi3.iter().flat_map(|fmi3| &fmi3.terminals);
        let all: Vec<(usize, &Terminal)> =
            (0..self.parts.len()).flat_map(|unit| of(unit).map(move |terminal| (unit, terminal))).collect();
        let fits = |a: &(usize, &Terminal), b: &(usize, &Terminal)| {
            a.0 != b.0 && (&a.1.rule, &a.1.kind) == (&b.1.rule, &b.1.kind) && !joint(a.1, b.1).is_empty()
        };
        let partner = |a: &(usize, &Terminal)| {
            let mut found = all.iter().filter(|b| fits(a, b));
            found.next().filter(|_| found.next().is_none()).copied()
        };
        for a in &all {
            let Some(b) = partner(a).filter(|b| partner(b) == Some(*a)) else { continue };
            for (input, output, sign) in joint(a.1, b.1) {
                for (to, from) in self.of_arrays((a.0, input), (b.0, output)) {
                    // A variable may be a member of two terminals.
                    if self.is_free(to) {
                        let opposite =
                            if sign < 0.0 { "; the sign changes, because both count the flow alike" } else { "" };
                        let reason = format!("terminal `{}` with terminal `{}`{opposite}", a.1.name, b.1.name);
                        self.made.push(Wire { to, from, sign, reason, terminal: Some(a.1.name.clone()) });
                    }
                }
            }
        }
    }

    /// An input and an output by their units and names; of arrays, those with the same indices.
    fn of_arrays(&self, input: (usize, &str), output: (usize, &str)) -> Vec<(Spot, Spot)> {
        let of = |all: &[Spot], (unit, name): (usize, &str)| -> Vec<Spot> {
            let is_it = |at: &&Spot| {
                let found = &self.variable(**at).name;
                at.unit == unit && (found == name || split(found).0 == name)
            };
            all.iter().filter(is_it).copied().collect()
        };
        let (inputs, outputs) = (of(&self.inputs, input), of(&self.outputs, output));
        let index = |at: Spot| split(&self.variable(at).name).1;
        let partner = |to: Spot| outputs.iter().copied().find(|from| index(*from) == index(to)).map(|from| (to, from));
        let pairs = inputs.into_iter().filter_map(partner);
        pairs.filter(|(to, from)| self.candidates(*to).contains(from)).collect()
    }

    /// Inputs with an output of this likeness, where neither has another one.
    fn by_name(&mut self, wanted: Likeness, reason: &str) {
        let is_like = |wires: &Self, input: Spot, output: Spot| {
            let is_like = likeness(&wires.variable(input).name, &wires.variable(output).name) == wanted;
            is_like && (wanted == Likeness::Same || wires.agrees(input, output))
        };
        let mut found = Vec::new();
        for input in self.inputs.iter().copied().filter(|input| self.is_free(*input)) {
            let like: Vec<Spot> =
                self.candidates(input).into_iter().filter(|output| is_like(self, input, *output)).collect();
            let [output] = like[..] else { continue };
            // Another output that shares a word may be meant as well: `lam` and `lam_mean` for `lam_i`.
            let meant = self.candidates(input).into_iter().filter(|other| {
                self.agrees(input, *other) && shares_word(&self.variable(input).name, &self.variable(*other).name)
            });
            if wanted == Likeness::Within && meant.count() > 1 {
                continue;
            }
            let rivals = self.inputs.iter().copied().filter(|other| {
                other.unit == input.unit && *other != input && self.is_free(*other) && is_like(self, *other, output)
            });
            if wanted == Likeness::Same || rivals.count() == 0 {
                found.push(Wire { to: input, from: output, sign: 1.0, reason: reason.to_owned(), terminal: None });
            }
        }
        self.made.extend(found);
    }

    /// The derivative of a connected output for the only input in its unit of measurement.
    fn by_derivative(&mut self) {
        let mut at = 0;
        while let Some(wire) = self.made.get(at).cloned() {
            at += 1;
            let is_rate = |output: &Spot| {
                let rate = match &self.variable(*output).kind {
                    Kind::Real(real) => real.derivative,
                    _ => None,
                };
                output.unit == wire.from.unit && rate == Some(wire.from.variable)
            };
            let Some(rate) = self.outputs.iter().copied().find(is_rate) else { continue };
            let left = self.inputs.iter().copied().filter(|input| input.unit == wire.to.unit && self.is_free(*input));
            let left: Vec<Spot> = left.filter(|input| self.agrees(*input, rate) && !self.is_external(*input)).collect();
            let [input] = left[..] else { continue };
            if self.candidates(input).contains(&rate) {
                let reason =
                    format!("the derivative of `{}`, in the unit of measurement of the input", self.end(wire.from));
                self.made.push(Wire { to: input, from: rate, sign: 1.0, reason, terminal: None });
            }
        }
    }

    /// The only output for the only input in a unit of measurement.
    fn by_unit(&mut self) {
        let inputs: Vec<Spot> = self.inputs.iter().copied().filter(|input| self.is_free(*input)).collect();
        let mut found = Vec::new();
        for input in inputs.iter().copied().filter(|input| !self.is_external(*input)) {
            let [output] = self.choices(input)[..] else { continue };
            // By its unit of measurement alone an output is taken only where both give it the same name.
            if self.variable(output).unit() != self.variable(input).unit() {
                continue;
            }
            let rivals = inputs.iter().filter(|other| {
                other.unit == input.unit
                    && **other != input
                    && self.agrees(**other, output)
                    && !self.is_external(**other)
            });
            if rivals.count() == 0 {
                let unit = self.variable(input).unit();
                let reason = format!("the only output in `{unit}` for the only input in it");
                found.push(Wire { to: input, from: output, sign: 1.0, reason, terminal: None });
            }
        }
        self.made.extend(found);
    }

    /// Outputs in the unit of measurement of an input; those with the same name of it, where there are any. Elements of arrays are for
    /// those with the same index.
    fn choices(&self, input: Spot) -> Vec<Spot> {
        let index = |at: Spot| split(&self.variable(at).name).1;
        let mut all = self.candidates(input);
        all.retain(|output| self.agrees(input, *output) && index(*output) == index(input));
        let is_named = |output: &Spot| self.variable(*output).unit() == self.variable(input).unit();
        if all.iter().any(is_named) {
            all.retain(is_named);
        }
        all
    }

    /// Whether an input says that it comes from outside of the system.
    fn is_external(&self, input: Spot) -> bool {
        const OUTSIDE: [&str; 4] = ["ext", "external", "disturbance", "outside"];
        let v = self.variable(input);
        let said = [Some(v.name.as_str()), v.description.as_deref()];
        said.into_iter().flatten().any(|text| words(text).iter().any(|word| OUTSIDE.contains(&word.as_str())))
    }

    /// Inputs without a connection, a sentence each.
    pub fn left(&self) -> Vec<String> {
        let free = self.inputs.iter().copied().filter(|input| self.is_free(*input));
        let sentence = |input: Spot| {
            let name = self.end(input);
            let unit = match self.variable(input).unit() {
                "" => String::new(),
                unit => format!(" in `{unit}`"),
            };
            let mut choices: Vec<String> =
                self.choices(input).iter().map(|at| format!("`{}`", self.end(*at))).collect();
            if choices.len() > SHOWN {
                let more = choices.split_off(SHOWN).len();
                choices.push(format!("one of {more} more"));
            }
            if self.is_external(input) {
                return format!("`{name}`{unit} is an input from outside; it keeps its start value");
            }
            match choices.is_empty() {
                true => format!("`{name}`{unit}: no output fits; it keeps its start value"),
                false => format!(
                    "`{name}`{unit} may be {}: choose; until then it keeps its start value",
                    choices.join(" or ")
                ),
            }
        };
        free.map(sentence).collect()
    }
}
