//! A joint between units: its definition, and memory to work in.

use crate::signal::history::History;
use crate::step::unit_port::UnitPort;
use crate::system::constraint::{ConstraintNode, Coordinate};
use crate::system::relation::Relation;
use crate::time::Tick;
use std::borrow::Borrow;
use std::ops::Range;

/// A joint: its definition, and room to work in.
pub(super) struct Joint {
    pub name: String,
    pub relation: Relation,
    pub position: [Vec<Coordinate>; 2],
    pub velocity: [Vec<Coordinate>; 2],
    pub is_held: bool,
    pub gap_max: Option<f64>,
    /// c.
    pub weight: f64,
    /// Its rows among those of all joints.
    pub rows: Range<usize>,
    pub p: [Vec<f64>; 2],
    pub v: Vec<f64>,
    pub slopes: Vec<f64>,
    /// Sizes of coordinates and velocities at the instant looked at.
    pub sizes: [f64; 2],
    /// New (a, b).
    pub row: Vec<f64>,
}

/// A velocity of a unit that a joint reads, with the force that belongs to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub joint: usize,
    /// Its column in the joint's slopes.
    pub column: usize,
}

/// What joints have to do with one unit.
pub(super) struct Touch {
    pub unit: usize,
    pub terms: Vec<Term>,
    pub forces: Vec<u32>,
    /// Rates of the velocities, where the unit offers directional derivatives of them.
    pub accelerations: Vec<u32>,
    pub seed: Vec<f64>,
    pub answer: Vec<f64>,
}

impl Joint {
    pub fn new(node: &ConstraintNode, start: usize, unit_ports: &[UnitPort]) -> Self {
        let (m, n) = (node.relation.rows(), node.relation.velocities());
        // Sub-steps of a unit that holds its inputs give the change of a force another share in the position.
        let share = |unit: usize| match &unit_ports[unit].inputs {
            inputs if inputs.interpolates() => 1.0 / 6.0,
            inputs => 1.0 / 6.0 + 1.0 / (12.0 * (inputs.sub_steps * inputs.sub_steps) as f64),
        };
        // The weight c is the mean over the units at its ends.
        let weight = mean_share(&node.force, share);
        // Room for coordinates and velocities of both ends, G and one row of the history.
        let coordinates = |of: &[Vec<Coordinate>; 2]| of.each_ref().map(|list| vec![0.0; list.len()]);
        Joint {
            name: node.name.clone(),
            relation: node.relation.clone(),
            p: coordinates(&node.position),
            position: node.position.clone(),
            velocity: node.velocity.clone(),
            is_held: node.is_held,
            gap_max: node.gap_max,
            weight,
            rows: start..start + m,
            v: vec![0.0; 2 * n],
            slopes: vec![0.0; m * 2 * n],
            sizes: [0.0; 2],
            row: vec![0.0; 2 * m],
        }
    }

    /// Coordinates and velocities at a tick.
    pub fn read(&mut self, histories: &[History], at: Tick) {
        let value = |coordinate: &Coordinate| match coordinate {
            Coordinate::Fixed(x) => *x,
            Coordinate::Sampled(signal) => {
                let history = &histories[signal.channel];
                history.value(history.not_after(at), signal.component)
            }
        };
        for (p, position) in self.p.iter_mut().zip(&self.position) {
            p.iter_mut().zip(position).for_each(|(p, coordinate)| *p = value(coordinate));
        }
        self.v.iter_mut().zip(self.velocity.iter().flatten()).for_each(|(v, coordinate)| *v = value(coordinate));
        self.sizes = [largest(&self.p[0]).max(largest(&self.p[1])), largest(&self.v)];
    }
}

impl Touch {
    pub fn new(unit: usize) -> Self {
        let (terms, seed, answer) = (Vec::new(), Vec::new(), Vec::new());
        Touch { unit, terms, forces: Vec::new(), accelerations: Vec::new(), seed, answer }
    }

    pub fn add(&mut self, term: Term, force: u32, acceleration: Option<u32>) {
        self.terms.push(term);
        self.forces.push(force);
        self.accelerations.extend(acceleration);
        self.seed.push(0.0);
        self.answer.push(0.0);
    }
}

/// The rate of a velocity, where the unit has directional derivatives of it.
pub(super) fn acceleration(unit_port: &UnitPort, velocity: usize) -> Option<u32> {
    let description = unit_port.unit.description();
    let offers = description.co_simulation.as_ref().is_some_and(|co| co.provides_directional_derivative);
    let is_it = |v: &&macrostep_description::Variable| v.real().is_some_and(|r| r.derivative == Some(velocity));
    description.variables.iter().find(is_it).filter(|_| offers).map(|v| v.value_reference)
}

/// The mean of `share` over the units at both ends, each of an end's units once.
fn mean_share(force: &[Vec<(usize, u32)>; 2], share: impl Fn(usize) -> f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    for end in force {
        let is_first = |i: usize| end[..i].iter().all(|(unit, _)| *unit != end[i].0);
        for i in (0..end.len()).filter(|i| is_first(*i)) {
            sum += share(end[i].0);
            count += 1;
        }
    }
    sum / count.max(1) as f64
}

/// Largest absolute value; NaN where one is.
pub(crate) fn largest(values: impl IntoIterator<Item = impl Borrow<f64>>) -> f64 {
    values.into_iter().fold(0.0, |m: f64, v| {
        let v = *v.borrow();
        if m.is_nan() || v.is_nan() { f64::NAN } else { m.max(v.abs()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_of_an_end_counts() {
        let share = |unit: usize| [1.0, 3.0, 8.0][unit];
        assert_eq!(mean_share(&[vec![(0, 0), (0, 1)], vec![]], share), 1.0);
        assert_eq!(mean_share(&[vec![(0, 0), (0, 1), (0, 2)], vec![(1, 0)]], share), 2.0);
        assert_eq!(mean_share(&[vec![(0, 0), (2, 1), (0, 2)], vec![(1, 0)]], share), 4.0);
    }

    #[test]
    fn one_nan_among_values_is_seen() {
        assert!(largest([f64::NAN, 1.0]).is_nan() && largest([1.0, f64::NAN, 2.0]).is_nan());
        assert_eq!(largest([1.0, -2.0]), 2.0);
    }
}
