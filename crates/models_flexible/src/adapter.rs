//! The linear map of a reduced interface and its dual as a slave, for masters that have no such map on their connections.
//!
//! # Equations
//! ```text
//! u = T u_int,   g_int = Tᵀ F,   T = T_s ⊗ I     so that   F·δu = g_int·δu_int
//! ```
//! There is no state: u follows u_int and g_int follows F at once. u and F list x, y and z of node after node; in the plane z is
//! zero and F_z does no work.
//!
//! Reference: [Peeters 2024] equations 2 and 3.

use std::path::Path;

use macrostep_description::{Declared, DependencyKind, ModelDescription, VariableId};
use macrostep_slave::{Fault, Group, Memory, Model, Outcome, Shared, Span, Tangent};
use serde::{Deserialize, Serialize};

use crate::Stored;
use crate::declare::{builder, finish, no_derivative};

/// T_s and how many components of a node go through it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdapterMatrix {
    /// Nodes of the full interface.
    pub nodes: usize,
    /// Chosen nodes.
    pub chosen: usize,
    /// Components a node in the reduced interface: 2 or 3; the full one has 3.
    pub components: usize,
    /// T_s, `nodes` rows of `chosen` values.
    pub scalar: Vec<f64>,
}

impl Stored for AdapterMatrix {
    const FILE: &'static str = "map.bin";
    const MAGIC: &'static [u8; 8] = b"FLEXMAP1";

    fn check(&self) -> Result<(), String> {
        let found = self.scalar.len();
        if found != self.nodes * self.chosen || found == 0 {
            return Err(format!("{found} values, expected {} × {}", self.nodes, self.chosen));
        }
        if !(2..=3).contains(&self.components) {
            return Err(format!("{} components a node, expected 2 or 3", self.components));
        }
        if self.scalar.iter().all(|x| x.is_finite()) { Ok(()) } else { Err("a value is not finite".into()) }
    }
}

impl AdapterMatrix {
    fn full(&self) -> usize {
        3 * self.nodes
    }

    fn reduced(&self) -> usize {
        self.components * self.chosen
    }

    /// u = T u_int into `u`.
    fn expand(&self, u_int: &[f64], u: &mut [f64]) {
        let c = self.components;
        for (row, u) in self.scalar.chunks_exact(self.chosen).zip(u.chunks_exact_mut(3)) {
            u.fill(0.0);
            for (t, u_int) in row.iter().zip(u_int.chunks_exact(c)) {
                u.iter_mut().zip(u_int).for_each(|(u, x)| *u += t * x);
            }
        }
    }

    /// g_int = Tᵀ F into `g`.
    fn dual(&self, force: &[f64], g: &mut [f64]) {
        g.fill(0.0);
        for (row, force) in self.scalar.chunks_exact(self.chosen).zip(force.chunks_exact(3)) {
            for (t, g) in row.iter().zip(g.chunks_exact_mut(self.components)) {
                g.iter_mut().zip(force).for_each(|(g, f)| *g += t * f);
            }
        }
    }
}

/// The adapter.
#[derive(Debug)]
pub struct Adapter {
    matrix: Shared<AdapterMatrix>,
    /// Room for the inputs and outputs of a derivative.
    scratch: Vec<f64>,
}

/// Where the lists of variables begin among the reals.
#[derive(Debug, Clone, Copy)]
struct Places {
    force: usize,
    u: usize,
    g: usize,
    end: usize,
}

impl Adapter {
    /// `modelIdentifier`.
    pub const IDENTIFIER: &'static str = "interface_adapter";

    /// Model and declaration from its data.
    ///
    /// # Errors
    /// [`Fault::Declaration`]; never for a checked matrix.
    pub fn from_data((matrix, hash): (Shared<AdapterMatrix>, String)) -> Result<(Self, ModelDescription), Fault> {
        // Vectors of inputs.
        let about = "The linear map between a reduced and a full interface, and its dual";
        let mut b = builder(Self::IDENTIFIER, about, &["m", "N"], Some(&hash));
        let list = |b: &mut macrostep_description::Builder, name: &str, count: usize, unit: &str, about: &str| {
            let one = |i| Declared::input(&format!("{name}[{}]", i + 1), 0.0).unit(unit).about(about);
            (0..count).map(|i| b.add(one(i))).collect::<Vec<VariableId>>()
        };
        let (full, reduced, c) = (matrix.full(), matrix.reduced(), matrix.components);
        let u_int = list(&mut b, "u_int", reduced, "m", "position of a chosen node");
        let force = list(&mut b, "F", full, "N", "force on a node");
        // Outputs follow only the inputs that the map has an entry for.
        let add = |b: &mut macrostep_description::Builder, declared: Declared, on: &[VariableId]| {
            let kinds: Vec<_> = on.iter().map(|id| (*id, DependencyKind::Constant)).collect();
            b.add(declared.depends(&kinds).initially(on));
        };
        // Positions by components; in the plane z follows nothing.
        for i in 0..full {
            let (node, d) = (i / 3, i % 3);
            let on: Vec<VariableId> = (0..matrix.chosen)
                .filter(|j| d < c && matrix.scalar[node * matrix.chosen + j] != 0.0)
                .map(|j| u_int[c * j + d])
                .collect();
            add(&mut b, Declared::output(&format!("u[{}]", i + 1)).unit("m").about("position of a node"), &on);
        }
        // Forces that do the same work, by the transpose.
        for i in 0..reduced {
            let (j, d) = (i / c, i % c);
            let on: Vec<VariableId> = (0..matrix.nodes)
                .filter(|node| matrix.scalar[node * matrix.chosen + j] != 0.0)
                .map(|node| force[3 * node + d])
                .collect();
            let about = "force on the chosen nodes that does the same work";
            add(&mut b, Declared::output(&format!("g_int[{}]", i + 1)).unit("N").about(about), &on);
        }
        b.experiment(0.0, 1.0, 1e-4);
        let scratch = vec![0.0; 2 * (full + reduced)];
        Ok((Adapter { matrix, scratch }, finish(b)?))
    }

    /// The equations as the body of an HTML page.
    pub fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>u = T u_int,   g_int = T' F</pre>\n<p>so that F du = g_int du_int for every motion: forces go \
         back by the dual of the map the positions came by. u and F list x, y and z of node after node. There is no \
         state.</p>\n<p>Source: Peeters, Vermaut, Naets, Co-Simulation Interface Reduction Based on the Flexible Natural \
         Coordinates Formulation, 2024, equations 2 and 3.</p>\n"
            .to_string()
    }

    fn places(&self) -> Places {
        let (full, reduced) = (self.matrix.full(), self.matrix.reduced());
        Places { force: reduced, u: reduced + full, g: reduced + 2 * full, end: 2 * (reduced + full) }
    }

    /// Outputs from inputs in one list, in the order of the declaration.
    fn map(&self, reals: &mut [f64]) {
        let p = self.places();
        let (inputs, outputs) = reals[..p.end].split_at_mut(p.u);
        let (u_int, force) = inputs.split_at(p.force);
        let (u, g) = outputs.split_at_mut(p.g - p.u);
        self.matrix.expand(u_int, u);
        self.matrix.dual(force, g);
    }
}

impl Model for Adapter {
    fn declare(resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        Self::from_data(AdapterMatrix::load(resources)?)
    }

    fn step(&mut self, _: &mut Memory, _: Span) -> Result<Outcome, Fault> {
        Ok(Outcome::Done)
    }

    fn evaluate(&mut self, memory: &mut Memory, _: Group) -> Result<(), Fault> {
        self.map(&mut memory.reals);
        Ok(())
    }

    fn output_derivatives(
        &mut self,
        memory: &Memory,
        refs: &[u32],
        _: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        let mut scratch = std::mem::take(&mut self.scratch);
        for i in 0..self.places().u {
            scratch[i] = memory.inputs.rate(i, 0.0);
        }
        self.map(&mut scratch);
        values.iter_mut().zip(refs).for_each(|(value, r)| *value = scratch[*r as usize]);
        self.scratch = scratch;
        Ok(())
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        // Unknowns are outputs, knowns inputs.
        let first = self.places().u;
        if let Some(wrong) = unknown.iter().find(|r| (**r as usize) < first) {
            return Err(no_derivative(memory, *wrong, known));
        }
        if let Some(wrong) = known.iter().find(|r| (**r as usize) >= first) {
            return Err(no_derivative(memory, unknown.first().copied().unwrap_or(*wrong), &[*wrong]));
        }
        // The map is linear: what it makes of the direction is the derivative.
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch[..first].fill(0.0);
        known.iter().zip(d_known).for_each(|(r, d)| scratch[*r as usize] += d);
        self.map(&mut scratch);
        unknown.iter().zip(d_unknown).for_each(|(r, d)| *d = scratch[*r as usize]);
        self.scratch = scratch;
        Ok(())
    }
}
