//! A picture of a system: units and laws with their connections, feed-through, algebraic loops, and the schedule of a window.

use crate::assemble::Assembly;
use crate::explain::{Loop, Order, order};
use crate::scenario::{Endpoint, LawKind, Scenario};
use macrostep_description::shown;
use macrostep_master::{Op, RunError};
use macrostep_plot::diagram::{Arrow, Bar, Block, Diagram, Lane, Mark, Way};
use std::collections::BTreeSet;

/// Connectors of one block before the rest is left out of the picture.
const PORTS_MAX: usize = 40;

/// The picture.
///
/// # Errors
/// Where the master refuses the method or the times.
pub fn graph(assembly: &Assembly) -> Result<Diagram, RunError> {
    // The order of execution, and a block for each unit.
    let order = order(assembly)?;
    let s = &assembly.effective;
    let looped: BTreeSet<usize> = order.loops.iter().flat_map(|l| l.units.iter().copied()).collect();
    let blocks = s.units.iter().enumerate().map(|(u, _)| unit(assembly, u, looped.contains(&u))).collect();
    // Blocks of laws and maps, and all arrows.
    let mut drawing = Drawing { assembly, order: &order, blocks, arrows: Vec::new() };
    drawing.laws();
    drawing.connections();
    drawing.maps();
    // The picture, with the schedule of one window below.
    Ok(Diagram {
        title: if s.name.is_empty() { "System".to_owned() } else { s.name.clone() },
        subtitle: subtitle(s),
        blocks: drawing.blocks,
        arrows: drawing.arrows,
        lanes_title: format!("One window of {} s, numbered in order of execution", shown::time(order.window_s)),
        lanes: lanes(s, &order),
        span: (order.plan.window as f64, "t".to_owned(), format!("t + {} s", shown::time(order.window_s))),
        notes: notes(s, &order),
    })
}

/// Blocks, and arrows between their connectors.
struct Drawing<'a> {
    assembly: &'a Assembly,
    order: &'a Order,
    blocks: Vec<Block>,
    arrows: Vec<Arrow>,
}

impl Drawing<'_> {
    fn scenario(&self) -> &Scenario {
        &self.assembly.effective
    }

    /// Laws are blocks of their own, between the outputs they take and the inputs they feed.
    fn laws(&mut self) {
        let assembly = self.assembly;
        let s = &assembly.effective;
        for law in &s.laws {
            let b = self.blocks.len();
            self.blocks.push(Block {
                title: law.name.clone(),
                subtitle: law_name(&law.kind).to_owned(),
                inputs: law.inputs.iter().map(ToString::to_string).collect(),
                outputs: law.outputs.clone(),
                is_law: true,
                ..Block::default()
            });
            for (i, from) in law.inputs.iter().enumerate() {
                self.arrow(from, (b, i), String::new(), Way::Known);
            }
            // From the law to the inputs it feeds.
            for c in s.connections.iter().filter(|c| c.from.unit == law.name) {
                let Some(to) = self.input(&c.to) else { continue };
                let output = law.outputs.iter().position(|o| *o == c.from.variable).unwrap_or(0);
                let (label, way) = (scaling(c.factor, c.offset), self.way(&c.to, &law.inputs));
                self.arrows.push(Arrow { from: (b, output), to, label, way });
            }
        }
    }

    /// Connections from output to input.
    fn connections(&mut self) {
        let assembly = self.assembly;
        let s = &assembly.effective;
        for c in s.connections.iter().filter(|c| s.law(&c.from.unit).is_none()) {
            let Some(to) = self.input(&c.to) else { continue };
            let way = self.way(&c.to, std::slice::from_ref(&c.from));
            self.arrow(&c.from, to, scaling(c.factor, c.offset), way);
        }
    }

    /// A map is a block, and its reaction, which goes the other way, is another one.
    fn maps(&mut self) {
        let assembly = self.assembly;
        for (m, map) in assembly.effective.maps.iter().enumerate() {
            // Out, and back where there is a reaction.
            let there = (format!("M{}", m + 1), &map.from, &map.to);
            let back = map.reaction.as_ref().map(|r| (format!("M{}ᵀ", m + 1), &r.from, &r.to));
            for (title, from, to) in std::iter::once(there).chain(back) {
                let b = self.blocks.len();
                let texts = |ends: &[Endpoint]| ends.iter().map(ToString::to_string).collect();
                let subtitle = format!("linear map {} × {}", to.len(), from.len());
                let (inputs, outputs) = (texts(from), texts(to));
                self.blocks.push(Block { title, subtitle, inputs, outputs, is_law: true, ..Block::default() });
                // Arrows to the block and from it.
                for (i, end) in from.iter().enumerate() {
                    self.arrow(end, (b, i), String::new(), Way::Known);
                }
                for (i, end) in to.iter().enumerate() {
                    let Some(target) = self.input(end) else { continue };
                    let way = self.way(end, from);
                    self.arrows.push(Arrow { from: (b, i), to: target, label: String::new(), way });
                }
            }
        }
    }

    /// How an arrow is drawn: in a loop, predicted, or known when it is used.
    fn way(&self, to: &Endpoint, from: &[Endpoint]) -> Way {
        let inside = self.order.loops.iter().any(|l| {
            let has = |e: &Endpoint| self.scenario().unit(&e.unit).is_some_and(|u| l.units.contains(&u));
            has(to) && from.iter().any(has)
        });
        if inside && self.order.is_followed(self.assembly, to) {
            Way::Looped
        } else if self.order.lagging.contains(to) {
            Way::Predicted
        } else {
            Way::Known
        }
    }

    /// Where an input of a unit is drawn.
    fn input(&self, end: &Endpoint) -> Option<(usize, usize)> {
        let b = self.scenario().unit(&end.unit)?;
        self.blocks[b].inputs.iter().position(|n| *n == end.variable).map(|i| (b, i))
    }

    /// An arrow from a unit's output, where that is drawn.
    fn arrow(&mut self, from: &Endpoint, to: (usize, usize), label: String, way: Way) {
        let Some(b) = self.scenario().unit(&from.unit) else { return };
        if let Some(o) = self.blocks[b].outputs.iter().position(|n| *n == from.variable) {
            self.arrows.push(Arrow { from: (b, o), to, label, way });
        }
    }
}

fn subtitle(s: &Scenario) -> String {
    let c = &s.coupling;
    format!(
        "{} · {} · {} · {} · H = {} s",
        c.schedule,
        c.predict,
        c.correct,
        c.sampling,
        s.experiment.step_s.unwrap_or(f64::NAN)
    )
}

fn notes(s: &Scenario, order: &Order) -> Vec<String> {
    let note = |l: &Loop| {
        let names: Vec<&str> = l.units.iter().map(|&u| s.units[u].name.as_str()).collect();
        format!("algebraic loop through {}: {}", names.join(" – "), l.treatment())
    };
    order.loops.iter().map(note).collect()
}

fn unit(a: &Assembly, u: usize, looped: bool) -> Block {
    // The unit's block.
    let s = &a.effective;
    let name = &s.units[u].name;
    let mut block =
        Block { title: name.clone(), subtitle: a.descriptions[u].model_name.clone(), looped, ..Block::default() };
    // Ports, each once, up to as many as can be read.
    let add = |list: &mut Vec<String>, name: &String| {
        if !list.contains(name) && list.len() < PORTS_MAX {
            list.push(name.clone());
        }
    };
    for supplied in a.system.supplied().iter().filter(|p| p.unit == a.units[u]) {
        add(&mut block.inputs, &supplied.input);
    }
    let maps = s.maps.iter().flat_map(|m| m.from.iter().chain(m.reaction.iter().flat_map(|r| &r.from)));
    let sources = s.connections.iter().map(|c| &c.from).chain(s.laws.iter().flat_map(|l| &l.inputs)).chain(maps);
    for end in sources.filter(|e| e.unit == *name) {
        add(&mut block.outputs, &end.variable);
    }
    // Feed-through inside the block.
    for (o, output) in block.outputs.iter().enumerate() {
        for input in a.system.followed(a.units[u], output) {
            if let Some(i) = block.inputs.iter().position(|n| *n == input) {
                block.through.push((i, o));
            }
        }
    }
    block
}

fn law_name(kind: &LawKind) -> &'static str {
    match kind {
        LawKind::SpringDamper { .. } => "spring and damper",
        LawKind::NonlinearSpring { .. } => "nonlinear spring",
        LawKind::Orifice { .. } => "orifice",
        LawKind::Given => "given",
        LawKind::Line(_) => "line with delay",
    }
}

fn scaling(factor: f64, offset: f64) -> String {
    match (factor == 1.0, offset == 0.0) {
        (true, true) => String::new(),
        (false, true) => format!("× {factor}"),
        (true, false) => format!("+ {offset}"),
        (false, false) => format!("× {factor} + {offset}"),
    }
}

fn lanes(s: &Scenario, order: &Order) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = s.units.iter().map(|u| Lane { name: u.name.clone(), ..Lane::default() }).collect();
    for (n, op) in order.plan.ops.iter().enumerate() {
        let label = (n + 1).to_string();
        match *op {
            Op::Advance { unit, from, to } => lanes[unit].bars.push(Bar { from: from as f64, to: to as f64, label }),
            Op::Begin { .. } => {}
            Op::Publish { unit, at } => lanes[unit].marks.push(Mark { at: at as f64, label, is_refresh: false }),
            Op::RefreshUnit { unit, at } => lanes[unit].marks.push(Mark { at: at as f64, label, is_refresh: true }),
            Op::Refresh { group, at } => {
                for &unit in &order.groups[group] {
                    lanes[unit].marks.push(Mark { at: at as f64, label: label.clone(), is_refresh: true });
                }
            }
        }
    }
    lanes
}
