//! Units of measurement where values meet in the master as the FMUs have them, without a conversion: laws, maps with a reaction, joints,
//! interface models and motions.
//!
//! | what | demands |
//! |---|---|
//! | values that are subtracted, or get the same | one unit of measurement |
//! | a value and its rate | the unit of the rate is that of the value by the second |
//! | numbers of SI, as parameters of units are told to a law | coherent units of SI |
//! | a map and its reaction | units that make the same power on both sides |
//!
//! A unit without base units is taken as it fits. Different quantities are an error in what a law subtracts, and between its
//! displacements and speeds; elsewhere only a factor or an offset between units of one quantity is.

use super::Declared;
use super::units::{Conversion, base, conversion, exponents};
use crate::finding::Finding;
use crate::scenario::{Constraint, Endpoint, Gain, InterfaceModel, JointEnd, Law, LawKind, Line, LineEnd, Map, Place};
use macrostep_description::{BaseUnit, Kind, ModelDescription};
use std::sync::Arc;

/// Of all that is neither converted nor an error elsewhere.
pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    let s = d.scenario;
    for law in &s.laws {
        self::law(d, law, findings);
    }
    for map in &s.maps {
        self::map(d, map, findings);
    }
    for constraint in &s.constraints {
        joint(d, constraint, findings);
    }
    for model in &s.interface_models {
        interface(d, model, findings);
    }
    // Motions of the scenario, and those that the FMU declares, which are not used then.
    for (unit, description) in s.units.iter().zip(d.descriptions) {
        let Some(description) = description else { continue };
        for pair in unit.motions.iter().flat_map(|motion| motion.windows(2)) {
            let [value, rate] =
                [&pair[0], &pair[1]].map(|name| Endpoint { unit: unit.name.clone(), variable: name.clone() });
            Meeting { d, what: "motions", place: &unit.place, findings }.rate(&value, &rate);
        }
        for (value, rate) in contradictions(description) {
            let [value, rate] = [value, rate].map(|v| &description.variables[v]);
            let what = format!(
                "unit `{}`: `{}` in `{}` is declared as the derivative of `{}` in `{}`, which has another factor",
                unit.name,
                rate.name,
                rate.unit(),
                value.name,
                value.unit()
            );
            findings.push(Finding::warning(&unit.place, what, "it is not used as a derivative"));
        }
    }
}

/// The description without the derivatives whose units of measurement contradict it; the same where there are none.
pub(crate) fn without_contradictions(description: Arc<ModelDescription>) -> Arc<ModelDescription> {
    let wrong = contradictions(&description);
    if wrong.is_empty() {
        return description;
    }
    let mut out = ModelDescription::clone(&description);
    for (_, rate) in wrong {
        if let Kind::Real(real) = &mut out.variables[rate].kind {
            real.derivative = None;
        }
    }
    Arc::new(out)
}

/// Variables and declared derivatives of them in a unit of measurement with another factor.
fn contradictions(description: &ModelDescription) -> Vec<(usize, usize)> {
    let measure = |v: usize| base(description, description.variables.get(v)?.unit());
    let pairs = description.variables.iter().enumerate().filter_map(|(i, v)| Some((v.real()?.derivative?, i)));
    pairs.filter(|&(value, rate)| measure(value).zip(measure(rate)).is_some_and(|(v, r)| contradicts(&v, &r))).collect()
}

/// Whether it is the unit of a rate of values in the other, with another factor.
fn contradicts(value: &BaseUnit, rate: &BaseUnit) -> bool {
    let per_second = BaseUnit { s: value.s - 1, ..*value };
    quantity(&per_second) == quantity(rate) && differ(value.factor, rate.factor)
}

/// Exponents without that of the radian, which not every tool writes.
fn quantity(b: &BaseUnit) -> [i32; 7] {
    let [kg, m, s, a, k, mol, cd, _] = exponents(b);
    [kg, m, s, a, k, mol, cd]
}

/// More than by rounding.
fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > 1e-12 * a.abs().max(b.abs())
}

/// Where values meet, for messages.
struct Meeting<'a, 'd> {
    d: &'a Declared<'d>,
    what: &'a str,
    place: &'a Place,
    findings: &'a mut Vec<Finding>,
}

impl Meeting<'_, '_> {
    fn measure(&self, end: &Endpoint) -> Option<BaseUnit> {
        let (description, v) = self.d.declared(end)?;
        base(description, v.unit())
    }

    fn unit(&self, end: &Endpoint) -> String {
        format!("`{end}` is in `{}`", self.d.declared(end).map_or("", |(_, v)| v.unit()))
    }

    fn refuse(&mut self, found: &str) {
        let what = format!("{}: {found}; units of measurement are not converted here", self.what);
        let next = "take FMUs that declare one unit, or put a unit between them that converts";
        self.findings.push(Finding::error(self.place, what, next));
    }

    /// Values that are subtracted or added, or are given the same number.
    fn alike(&mut self, first: &Endpoint, second: &Endpoint) {
        let (Some(a), Some(b)) = (self.d.declared(first), self.d.declared(second)) else { return };
        if let Conversion::Affine(factor, offset) = conversion(a, b)
            && (differ(factor, 1.0) || offset != 0.0)
        {
            self.refuse(&format!("{}, {}", self.unit(first), self.unit(second)));
        }
    }

    /// Each with the one in its place.
    fn all_alike(&mut self, first: &[Endpoint], second: &[Endpoint]) {
        first.iter().zip(second).for_each(|(a, b)| self.alike(a, b));
    }

    /// A value and its rate.
    fn rate(&mut self, value: &Endpoint, rate: &Endpoint) {
        let (Some(a), Some(b)) = (self.measure(value), self.measure(rate)) else { return };
        if contradicts(&a, &b) {
            self.refuse(&format!("{}, its rate {}", self.unit(value), self.unit(rate)));
        }
    }

    /// Values that a law subtracts are of one quantity.
    fn subtracted(&mut self, first: &Endpoint, second: &Endpoint) {
        self.alike(first, second);
        if self.differ(first, second) {
            self.mistaken(&format!("{}, {}", self.unit(first), self.unit(second)));
        }
    }

    /// What has the value of one output of a law is of one quantity.
    fn same(&mut self, first: &Endpoint, second: &Endpoint) {
        self.alike(first, second);
        if self.differ(first, second) {
            let what = format!(
                "{}: one output, and {}, {}: different quantities",
                self.what,
                self.unit(first),
                self.unit(second)
            );
            self.findings.push(Finding::error(self.place, what, "connect the output to inputs of one quantity"));
        }
    }

    /// A gain of a law times its input is what the output is connected to.
    fn product(&mut self, gain: &Endpoint, input: &Endpoint, output: &Endpoint) {
        let [Some(g), Some(x), Some(f)] = [gain, input, output].map(|end| self.measure(end).map(|b| quantity(&b)))
        else {
            return;
        };
        if g.iter().zip(x).map(|(g, x)| g + x).ne(f) {
            let [g, x, f] = [gain, input, output].map(|end| self.unit(end));
            let what = format!("{}: {g}, {x}, {f}: the product of the first two is not the third", self.what);
            self.findings.push(Finding::error(self.place, what, "name a stiffness or a damping, or write a number"));
        }
    }

    /// Whether both quantities are known, and are not the same.
    fn differ(&self, first: &Endpoint, second: &Endpoint) -> bool {
        let quantities = self.measure(first).zip(self.measure(second)).map(|(a, b)| (quantity(&a), quantity(&b)));
        quantities.is_some_and(|(a, b)| a != b)
    }

    /// The speed of a displacement of a law.
    fn speed(&mut self, value: &Endpoint, rate: &Endpoint) {
        let (Some(a), Some(b)) = (self.measure(value), self.measure(rate)) else { return };
        if quantity(&BaseUnit { s: a.s - 1, ..a }) != quantity(&b) {
            self.mistaken(&format!("{}, its rate {}", self.unit(value), self.unit(rate)));
        }
    }

    fn mistaken(&mut self, found: &str) {
        let what = format!("{}: {found}: different quantities", self.what);
        let next = "the inputs of a law are x1, v1, x2, v2, or p1, p2, in this order";
        self.findings.push(Finding::error(self.place, what, next));
    }

    /// A value in a coherent unit of SI.
    fn si(&mut self, end: &Endpoint) {
        if self.measure(end).is_some_and(|b| differ(b.factor, 1.0) || b.offset != 0.0) {
            self.refuse(&format!("{}, and it computes in SI", self.unit(end)));
        }
    }
}

/// A law: what it subtracts, what gets its outputs, and SI where a parameter of a unit is a constant of it.
fn law(d: &Declared<'_>, law: &Law, findings: &mut Vec<Finding>) {
    let what = format!("law `{}`", law.name);
    let mut meeting = Meeting { d, what: &what, place: &law.place, findings };
    let motions = matches!(law.kind, LawKind::SpringDamper { .. } | LawKind::NonlinearSpring { .. } | LawKind::Line(_));
    match law.inputs.as_slice() {
        // Two motions, or two pressures. What a law of a program does with its inputs is not known.
        [x1, v1, x2, v2] if motions => {
            meeting.subtracted(x1, x2);
            meeting.subtracted(v1, v2);
            meeting.speed(x1, v1);
            meeting.speed(x2, v2);
        }
        [p1, p2] if matches!(law.kind, LawKind::Orifice { .. }) => meeting.subtracted(p1, p2),
        _ => {}
    }
    // What has the value of one output: inputs it is connected to, but for a factor that may be one of units, and outputs that obey the law.
    let own = d.scenario.connections.iter().filter_map(|c| {
        let is_source = c.from.unit == law.name && c.factor.abs() == 1.0;
        let obeys = c.law.as_deref() == Some(&law.name);
        (is_source || obeys).then_some((is_source.then_some(&c.from), if is_source { &c.to } else { &c.from }))
    });
    let own: Vec<(Option<&Endpoint>, &Endpoint)> = own.collect();
    for (i, (output, end)) in own.iter().enumerate() {
        if let Some((_, first)) = own[..i].iter().find(|(of, _)| of == output || law.outputs.len() == 1) {
            if matches!(law.kind, LawKind::Given) { meeting.alike(first, end) } else { meeting.same(first, end) }
        }
    }
    // A parameter that is a stiffness or a damping makes a force of what it is multiplied with.
    if let (LawKind::SpringDamper { stiffness, damping }, [x, v, ..]) = (&law.kind, law.inputs.as_slice()) {
        for (gain, input) in [(stiffness, x), (damping, v)] {
            let Gain::Parameter { name, .. } = gain else { continue };
            let Some(parameter) = Endpoint::parse(name) else { continue };
            own.iter().take(1).for_each(|(_, force)| meeting.product(&parameter, input, force));
        }
    }
    // Parameters of units are told in SI, and units are told impedances in SI.
    let of_unit = |gain: &Gain| matches!(gain, Gain::Parameter { .. });
    let inside = |line: &Line| line.ends.iter().any(|end| matches!(end, LineEnd::Inside(_)));
    let is_si = match &law.kind {
        LawKind::SpringDamper { stiffness, damping } => of_unit(stiffness) || of_unit(damping),
        LawKind::Line(line) => of_unit(line.gain()) || inside(line),
        LawKind::NonlinearSpring { .. } | LawKind::Orifice { .. } | LawKind::Given => false,
    };
    if is_si {
        law.inputs.iter().chain(own.iter().map(|(_, end)| *end)).for_each(|end| meeting.si(end));
    }
    if let LawKind::Line(line) = &law.kind {
        for end in &line.ends {
            let LineEnd::Inside(parameter) = end else { continue };
            meeting.si(parameter);
        }
    }
}

/// A map with a reaction: with M the power through it is the same on both sides only if the units of it are.
fn map(d: &Declared<'_>, m: &Map, findings: &mut Vec<Finding>) {
    let Some(reaction) = &m.reaction else { return };
    let mut meeting = Meeting { d, what: "map with a reaction", place: &m.place, findings };
    let factor = |end: Option<&Endpoint>| Some(meeting.measure(end?)?.factor);
    // One of the pairs that belong together by an element of M tells it.
    let mut wrong = None;
    for (i, row) in m.matrix.iter().enumerate() {
        for j in (0..row.len()).filter(|j| row[*j] != 0.0) {
            let there = factor(m.to.get(i)).zip(factor(reaction.from.get(i)));
            let here = factor(m.from.get(j)).zip(factor(reaction.to.get(j)));
            if let Some(((to, from), (flow, effort))) = there.zip(here)
                && differ(to * from, flow * effort)
            {
                wrong = wrong.or(Some((i, j)));
            }
        }
    }
    if let Some((i, j)) = wrong {
        let ends = [&m.from[j], &reaction.to[j], &m.to[i], &reaction.from[i]].map(|end| meeting.unit(end));
        meeting.refuse(&format!("{}, which is not the same power on both sides", ends.join(", ")));
    }
}

/// A joint: coordinates, velocities and forces of its two ends are compared, and velocities are the rates of coordinates.
fn joint(d: &Declared<'_>, c: &Constraint, findings: &mut Vec<Finding>) {
    let what = format!("constraint `{}`", c.name);
    let mut meeting = Meeting { d, what: &what, place: &c.place, findings };
    for end in &c.ends {
        let JointEnd::Free { position, velocity, .. } = end else { continue };
        position.iter().zip(velocity).for_each(|(x, v)| meeting.rate(x, v));
    }
    if let [
        JointEnd::Free { position: x1, velocity: v1, force: f1 },
        JointEnd::Free { position: x2, velocity: v2, force: f2 },
    ] = &c.ends
    {
        meeting.all_alike(x1, x2);
        meeting.all_alike(v1, v2);
        meeting.all_alike(f1, f2);
    }
}

/// An interface model: ẇ = W λ + b holds in coherent units.
fn interface(d: &Declared<'_>, m: &InterfaceModel, findings: &mut Vec<Finding>) {
    let mut meeting = Meeting { d, what: "interface model", place: &m.place, findings };
    m.sources().chain(&m.to_speed).chain(&m.to_position).for_each(|end| meeting.si(end));
}
