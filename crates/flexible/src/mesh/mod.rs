//! Meshes of 20-node hexahedra with named sets and surfaces.

mod block;
mod examples;

pub use block::Block;
pub use examples::{arm, l_beam, long_beam, t_square};

use crate::element::hexahedron::{FACES, NODES};
use crate::{Error, Material};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// A face of an element: (element index, local face 0 to 5, that is S1 to S6 of C3D20).
pub type Face = (usize, usize);

/// Nodes, elements and named selections; names are upper case, as in the input decks they come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Node positions in m.
    pub nodes: Vec<Vector3<f64>>,
    /// Labels of the nodes in the source, unique.
    pub node_labels: Vec<usize>,
    /// Elements: indices of their 20 nodes in C3D20 order.
    pub elements: Vec<[usize; NODES]>,
    /// Labels of the elements in the source, unique.
    pub element_labels: Vec<usize>,
    /// Named sets of node indices, each ascending.
    pub node_sets: BTreeMap<String, Vec<usize>>,
    /// Named sets of element indices, each ascending.
    pub element_sets: BTreeMap<String, Vec<usize>>,
    /// Named surfaces made of element faces.
    pub surfaces: BTreeMap<String, Vec<Face>>,
    /// The material, when the source names one.
    pub material: Option<Material>,
}

impl Mesh {
    /// Node indices, ascending, of a named surface or, when there is none of that name, of a named node set.
    ///
    /// # Errors
    /// [`Error::UnknownSet`] when neither exists.
    pub fn selection(&self, name: &str) -> Result<Vec<usize>, Error> {
        let name = name.to_uppercase();
        if let Some(faces) = self.surfaces.get(&name) {
            return Ok(self.face_nodes(faces));
        }
        self.node_sets.get(&name).cloned().ok_or_else(|| {
            let known: Vec<_> = self.surfaces.keys().chain(self.node_sets.keys()).cloned().collect();
            Error::UnknownSet { name, known: known.join(", ") }
        })
    }

    /// Node indices of element faces, ascending and unique.
    pub fn face_nodes(&self, faces: &[Face]) -> Vec<usize> {
        let mut nodes: Vec<usize> =
            faces.iter().flat_map(|&(element, side)| FACES[side].map(|local| self.elements[element][local])).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Faces that belong to one element only.
    pub fn boundary(&self) -> Vec<Face> {
        let mut seen: BTreeMap<[usize; 4], (Face, usize)> = BTreeMap::new();
        for (element, nodes) in self.elements.iter().enumerate() {
            for (side, locals) in FACES.iter().enumerate() {
                let mut key = [0, 1, 2, 3].map(|k| nodes[locals[k]]);
                key.sort_unstable();
                seen.entry(key).or_insert(((element, side), 0)).1 += 1;
            }
        }
        seen.into_values().filter(|&(_, count)| count == 1).map(|(face, _)| face).collect()
    }

    /// Positions of the element's nodes in m.
    pub fn element_nodes(&self, element: usize) -> [Vector3<f64>; NODES] {
        self.elements[element].map(|node| self.nodes[node])
    }
}
