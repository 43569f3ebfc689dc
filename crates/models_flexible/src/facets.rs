//! A surface under pressure as a slave: a pressure on each of its facets makes forces on its nodes, along the normals of the facets where
//! they are now.
//!
//! # Equations
//! ```text
//! F_i = Σ p_f ∫ N_i n dA    over the facets f of node i,   n into the body,   c_f the middle of facet f
//! ```
//! The integrals are those of [`macrostep_flexible::facet`], with the nodes at u. There is no state: forces and middles follow the inputs
//! at once.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | u | `u[i]` | positions of the nodes, x, y and z of node after node, world axes (m) |
//! | p | `p[f]` | pressure on facet f (Pa) |
//! | F | `F[i]` | forces on the nodes, in the order of u (N) |
//! | c | `c[i]` | middles of the facets, x, y and z of facet after facet (m) |

use std::collections::BTreeSet;
use std::path::Path;

use macrostep_description::{Builder, Declared, DependencyKind, ModelDescription, VariableId};
use macrostep_flexible::facet::FacetKind;
use macrostep_slave::{Fault, Group, Memory, Model, Outcome, Shape, Shared, Span, Tangent};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::Stored;
use crate::declare::{builder, finish, no_derivative};

/// Nodes and facets of a surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FacetMesh {
    /// Positions of the nodes (m): the start values of `u`.
    pub nodes: Vec<Vector3<f64>>,
    /// Nodes of each facet, in the order of [`FacetKind::of`].
    pub facets: Vec<Vec<usize>>,
}

impl Stored for FacetMesh {
    const FILE: &'static str = "facets.bin";
    const MAGIC: &'static [u8; 8] = b"FLEXFCT1";

    fn check(&self) -> Result<(), String> {
        if self.facets.is_empty() {
            return Err("no facets".into());
        }
        if let Some(facet) = self.facets.iter().find(|facet| FacetKind::of(facet.len()).is_none()) {
            return Err(format!("a facet of {} nodes, expected 4, 6 or 8", facet.len()));
        }
        if let Some(node) = self.facets.iter().flatten().find(|node| **node >= self.nodes.len()) {
            return Err(format!("node {node} of a facet, there are {}", self.nodes.len()));
        }
        let is_finite = |x: &Vector3<f64>| x.iter().all(|x| x.is_finite());
        if self.nodes.iter().all(is_finite) { Ok(()) } else { Err("a position is not finite".into()) }
    }
}

/// The surface.
#[derive(Debug)]
pub struct Facets {
    mesh: Shared<FacetMesh>,
    kinds: Vec<FacetKind>,
    /// Inputs and what they change by, then outputs and what these change by.
    values: Vec<f64>,
    changes: Vec<f64>,
}

/// Three numbers from a place on.
fn vector(values: &[f64], first: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[first..first + 3])
}

impl Facets {
    /// `modelIdentifier`.
    pub const IDENTIFIER: &'static str = "surface_pressure";

    /// Model and declaration from its data.
    ///
    /// # Errors
    /// [`Fault::Declaration`]; never for a checked surface.
    pub fn from_data((mesh, hash): (Shared<FacetMesh>, String)) -> Result<(Self, ModelDescription), Fault> {
        let about = "A surface whose facets are under pressure: forces on its nodes, along normals that turn with it";
        let mut b = builder(Self::IDENTIFIER, about, &["m", "N", "Pa"], Some(&hash));
        // Positions of the nodes and pressures of the facets.
        let coordinates = mesh.nodes.iter().flat_map(|node| node.iter().copied());
        let position = |(i, x): (usize, f64)| Declared::input(&format!("u[{}]", i + 1), x).unit("m");
        let u: Vec<VariableId> =
            coordinates.enumerate().map(|at| b.add(position(at).about("position of a node"))).collect();
        let pressure = |f: usize| Declared::input(&format!("p[{}]", f + 1), 0.0).unit("Pa");
        let p: Vec<VariableId> =
            (0..mesh.facets.len()).map(|f| b.add(pressure(f).about("pressure on a facet"))).collect();
        // A force follows the pressures of the node's facets, and their nodes.
        let mut on: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); mesh.nodes.len()];
        let mut facets: Vec<Vec<usize>> = vec![Vec::new(); mesh.nodes.len()];
        for (f, facet) in mesh.facets.iter().enumerate() {
            for node in facet {
                on[*node].extend(facet);
                facets[*node].push(f);
            }
        }
        let add = |b: &mut Builder, declared: Declared, on: Vec<VariableId>, kind: DependencyKind| {
            let kinds: Vec<_> = on.iter().map(|id| (*id, kind)).collect();
            b.add(declared.depends(&kinds).initially(&on));
        };
        for i in 0..u.len() {
            let nodes = on[i / 3].iter().flat_map(|node| &u[3 * node..3 * node + 3]);
            let known = nodes.chain(facets[i / 3].iter().map(|f| &p[*f])).copied().collect();
            let force = Declared::output(&format!("F[{}]", i + 1)).unit("N").about("force on a node");
            add(&mut b, force, known, DependencyKind::Dependent);
        }
        // A middle follows the nodes of its facet.
        for (f, facet) in mesh.facets.iter().enumerate() {
            for d in 0..3 {
                let known = facet.iter().map(|node| u[3 * node + d]).collect();
                let middle = Declared::output(&format!("c[{}]", 3 * f + d + 1)).unit("m").about("middle of a facet");
                add(&mut b, middle, known, DependencyKind::Constant);
            }
        }
        b.experiment(0.0, 1.0, 1e-3);
        let size = 2 * (u.len() + 2 * p.len());
        let kinds = [4, 6, 8].into_iter().filter_map(FacetKind::of).collect();
        Ok((Facets { mesh, kinds, values: vec![0.0; size], changes: vec![0.0; size] }, finish(b)?))
    }

    /// The equations as the body of an HTML page.
    pub fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>F_i = sum of p_f (integral of N_i n dA) over the facets f of node i</pre>\n<p>n is the normal into the \
         body, of the facet where it is now: it turns and bends with the nodes. A constant pressure on a closed surface has no resultant \
         and does the work -p dV. u and F list x, y and z of node after node, c those of the middle of facet after facet. There is no \
         state. <code>macrostep flex surface --facets</code> writes this FMU for a surface of a body.</p>\n"
            .to_string()
    }

    /// Places of the pressures, the forces, the middles, and the end.
    fn places(&self) -> [usize; 4] {
        let (nodes, facets) = (3 * self.mesh.nodes.len(), self.mesh.facets.len());
        [nodes, nodes + facets, 2 * nodes + facets, 2 * nodes + 4 * facets]
    }

    /// Outputs, and what they change by, from the inputs and what these change by.
    fn press(&mut self) {
        let [pressures, forces, middles, end] = self.places();
        let Facets { mesh, kinds, values, changes } = self;
        values[forces..end].fill(0.0);
        changes[forces..end].fill(0.0);
        for (f, facet) in mesh.facets.iter().enumerate() {
            // Which kinds there are was checked with the data.
            let Some(kind) = kinds.iter().find(|kind| kind.nodes() == facet.len()) else { continue };
            let (p, dp) = (values[pressures + f], changes[pressures + f]);
            let nodes: [[Vector3<f64>; 2]; 8] = std::array::from_fn(|i| {
                let node = facet.get(i).map(|node| 3 * node);
                node.map_or_else(Default::default, |first| [vector(values, first), vector(changes, first)])
            });
            kind.areas(
                |i| nodes[i],
                |i, g, dg| {
                    for d in 0..3 {
                        values[forces + 3 * facet[i] + d] += p * g[d];
                        changes[forces + 3 * facet[i] + d] += dp * g[d] + p * dg[d];
                    }
                },
            );
            let first = middles + 3 * f;
            values[first..first + 3].copy_from_slice(kind.middle(|i| nodes[i][0]).as_slice());
            changes[first..first + 3].copy_from_slice(kind.middle(|i| nodes[i][1]).as_slice());
        }
    }
}

impl Model for Facets {
    fn declare(resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        Self::from_data(FacetMesh::load(resources)?)
    }

    fn shape(&self) -> Shape {
        Shape::default()
    }

    fn initialise(&mut self, _: &mut Memory) -> Result<(), Fault> {
        Ok(())
    }

    fn step(&mut self, _: &mut Memory, _: Span) -> Result<Outcome, Fault> {
        Ok(Outcome::Done)
    }

    fn evaluate(&mut self, memory: &mut Memory, _: Group) -> Result<(), Fault> {
        let [_, first, _, end] = self.places();
        self.values[..first].copy_from_slice(&memory.reals[..first]);
        self.press();
        memory.reals[first..end].copy_from_slice(&self.values[first..end]);
        Ok(())
    }

    fn output_derivatives(
        &mut self,
        memory: &Memory,
        refs: &[u32],
        _: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        for i in 0..self.places()[1] {
            (self.values[i], self.changes[i]) = (memory.inputs.value(i, 0.0), memory.inputs.rate(i, 0.0));
        }
        self.press();
        values.iter_mut().zip(refs).for_each(|(value, r)| *value = self.changes[*r as usize]);
        Ok(())
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        // Unknowns are outputs, knowns inputs.
        let first = self.places()[1];
        if let Some(wrong) = unknown.iter().find(|r| (**r as usize) < first) {
            return Err(no_derivative(memory, *wrong, known));
        }
        if let Some(wrong) = known.iter().find(|r| (**r as usize) >= first) {
            return Err(no_derivative(memory, unknown.first().copied().unwrap_or(*wrong), &[*wrong]));
        }
        self.values[..first].copy_from_slice(&memory.reals[..first]);
        self.changes[..first].fill(0.0);
        known.iter().zip(d_known).for_each(|(r, d)| self.changes[*r as usize] += d);
        self.press();
        unknown.iter().zip(d_unknown).for_each(|(r, d)| *d = self.changes[*r as usize]);
        Ok(())
    }
}
