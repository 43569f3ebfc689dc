//! Structured meshes: the cells of a rectangular grid that a rule keeps.

use super::{Element, Face, Mesh};
use crate::element::Solid;
use crate::element::hexahedron::NATURAL;
use nalgebra::Vector3;

/// A rectangular grid given by its planes, in m and ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Planes of constant x.
    pub x: Vec<f64>,
    /// Planes of constant y.
    pub y: Vec<f64>,
    /// Planes of constant z.
    pub z: Vec<f64>,
}

/// `count` equal intervals from `start` to `end`, appended after `start`, which is already there.
pub(super) fn extend(planes: &mut Vec<f64>, end: f64, count: usize) {
    let start = planes.last().copied().unwrap_or(0.0);
    planes.extend((1..=count).map(|i| start + (end - start) * i as f64 / count as f64));
}

impl Block {
    /// Meshes the cells whose centre satisfies `keep`; nodes and elements are labelled from 1, x running fastest.
    pub fn mesh(&self, keep: impl Fn(Vector3<f64>) -> bool) -> Mesh {
        // Nodes stand at corners and middles of edges: places of a lattice twice as fine as the cells.
        let lines = [&self.x, &self.y, &self.z];
        let cells = lines.map(|l| l.len().saturating_sub(1));
        let points = cells.map(|c| 2 * c + 1);
        let position = |lattice: [usize; 3]| {
            Vector3::from_fn(|d, _| {
                let (line, at) = (lines[d], lattice[d]);
                if at % 2 == 0 { line[at / 2] } else { 0.5 * (line[at / 2] + line[at / 2 + 1]) }
            })
        };
        let index = |l: [usize; 3]| (l[2] * points[1] + l[1]) * points[0] + l[0];
        // Cells that are kept, and places of the lattice that they use.
        let mut kept = Vec::new();
        let mut used = vec![false; points.iter().product()];
        for k in 0..cells[2] {
            for j in 0..cells[1] {
                for i in 0..cells[0] {
                    if !keep(position([2 * i + 1, 2 * j + 1, 2 * k + 1])) {
                        continue;
                    }
                    let cell = [i, j, k];
                    let nodes =
                        NATURAL.map(|n| index(std::array::from_fn(|d| (2.0 * cell[d] as f64 + 1.0 + n[d]) as usize)));
                    nodes.iter().for_each(|&n| used[n] = true);
                    kept.push(nodes);
                }
            }
        }
        // Nodes by place in the lattice, without the places that no cell uses.
        let mut mesh = Mesh::default();
        let mut number = vec![usize::MAX; used.len()];
        for (lattice, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            number[lattice] = mesh.nodes.len();
            let rest = lattice / points[0];
            mesh.nodes.push(position([lattice % points[0], rest % points[1], rest / points[1]]));
        }
        let element = |nodes: [usize; 20]| Element { solid: Solid::C3d20, nodes: nodes.map(|n| number[n]).to_vec() };
        mesh.elements = kept.into_iter().map(element).collect();
        mesh.node_labels = (1..=mesh.nodes.len()).collect();
        mesh.element_labels = (1..=mesh.elements.len()).collect();
        mesh
    }
}

impl Mesh {
    /// Names the boundary faces in the plane where coordinate `axis` (0, 1, 2) equals `value` (m) as a surface, if
    /// their element also satisfies `keep` (centre of the element, m).
    pub fn name_plane(&mut self, name: &str, axis: usize, value: f64, keep: impl Fn(Vector3<f64>) -> bool) {
        let faces: Vec<Face> = self
            .boundary()
            .into_iter()
            .filter(|&face| {
                let flat = self.face_nodes(&[face]).iter().all(|&n| (self.nodes[n][axis] - value).abs() < 1e-9);
                let nodes = self.element_nodes(face.0);
                flat && keep(nodes.iter().sum::<Vector3<f64>>() / nodes.len() as f64)
            })
            .collect();
        self.surfaces.insert(name.to_uppercase(), faces);
    }
}
