//! Meshes of solid elements with named sets and surfaces.

mod block;
mod examples;

pub use block::Block;
pub use examples::{arm, finer_t_square, l_beam, long_beam, t_square};

use crate::element::Solid;
use crate::{Error, Material};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// A face of an element: (element index, local face from 0, that is S1).
pub type Face = (usize, usize);

/// An element: its type and the indices of its nodes, as many as the type has and in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// The type.
    pub solid: Solid,
    /// Indices of the nodes.
    pub nodes: Vec<usize>,
}

/// Nodes, elements and named selections; names are upper case, as in the input decks they come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Node positions in m.
    pub nodes: Vec<Vector3<f64>>,
    /// Labels of the nodes in the source, unique.
    pub node_labels: Vec<usize>,
    /// Elements.
    pub elements: Vec<Element>,
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
    /// What of the source was passed over and may matter, one sentence each.
    pub notes: Vec<String>,
}

impl Mesh {
    /// Node indices, ascending, of a named surface, else of the node set, else of the element set of that name.
    ///
    /// # Errors
    /// [`Error::UnknownSet`] when there is none.
    pub fn selection(&self, name: &str) -> Result<Vec<usize>, Error> {
        let name = name.to_uppercase();
        if let Some(faces) = self.surfaces.get(&name) {
            return Ok(self.face_nodes(faces));
        }
        if let Some(nodes) = self.node_sets.get(&name) {
            return Ok(nodes.clone());
        }
        if let Some(elements) = self.element_sets.get(&name) {
            return Ok(unique(elements.iter().flat_map(|&e| self.elements[e].nodes.iter().copied())));
        }
        let mut known: Vec<_> =
            self.surfaces.keys().chain(self.node_sets.keys()).chain(self.element_sets.keys()).cloned().collect();
        known.sort();
        known.dedup();
        Err(Error::UnknownSet { name, known: known.join(", ") })
    }

    /// Nodes of a face, corners first; none where the element has no such face.
    pub fn face(&self, (element, side): Face) -> impl Iterator<Item = usize> + '_ {
        let element = &self.elements[element];
        element.solid.face(side).unwrap_or_default().iter().map(|&local| element.nodes[local])
    }

    /// Node indices of element faces, ascending and unique.
    pub fn face_nodes(&self, faces: &[Face]) -> Vec<usize> {
        unique(faces.iter().flat_map(|&face| self.face(face)))
    }

    /// The nodes of some faces, ascending, and for each face the places of its own among them: a surface by itself.
    pub fn surface(&self, faces: &[Face]) -> (Vec<usize>, Vec<Vec<usize>>) {
        let nodes = self.face_nodes(faces);
        let place = |node: usize| nodes.binary_search(&node).unwrap_or_default();
        let facets = faces.iter().map(|face| self.face(*face).map(place).collect()).collect();
        (nodes, facets)
    }

    /// Faces that belong to one element only.
    pub fn boundary(&self) -> Vec<Face> {
        // Two elements share a face where they share its corners.
        let mut seen: BTreeMap<Vec<usize>, (Face, usize)> = BTreeMap::new();
        for (index, element) in self.elements.iter().enumerate() {
            for side in 0..element.solid.faces() {
                let mut key: Vec<usize> = self.face((index, side)).collect();
                key.truncate(element.solid.corners());
                key.sort_unstable();
                seen.entry(key).or_insert(((index, side), 0)).1 += 1;
            }
        }
        seen.into_values().filter(|&(_, count)| count == 1).map(|(face, _)| face).collect()
    }

    /// Positions of the element's nodes in m.
    pub fn element_nodes(&self, element: usize) -> Vec<Vector3<f64>> {
        self.elements[element].nodes.iter().map(|&node| self.nodes[node]).collect()
    }

    /// Leaves out nodes that belong to no element, also from the node sets, and returns how many there were.
    pub fn leave_out_free_nodes(&mut self) -> usize {
        let used = unique(self.elements.iter().flat_map(|e| e.nodes.iter().copied()));
        let free = self.nodes.len() - used.len();
        if free == 0 {
            return 0;
        }
        let mut place = vec![None; self.nodes.len()];
        used.iter().enumerate().for_each(|(new, &old)| place[old] = Some(new));
        self.nodes = used.iter().map(|&old| self.nodes[old]).collect();
        self.node_labels = used.iter().map(|&old| self.node_labels[old]).collect();
        let renumber = |list: &mut Vec<usize>| *list = list.iter().filter_map(|&old| place[old]).collect();
        self.elements.iter_mut().for_each(|e| renumber(&mut e.nodes));
        self.node_sets.values_mut().for_each(renumber);
        free
    }

    /// How many elements of each type there are, in words: "12 C3D10 elements".
    pub fn census(&self) -> String {
        let count = |solid| self.elements.iter().filter(|e| e.solid == solid).count();
        let parts = Solid::ALL.map(|solid| (count(solid), solid.name()));
        let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}"));
        format!("{} elements", parts.collect::<Vec<_>>().join(" and "))
    }
}

/// Ascending, each once.
fn unique(nodes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut nodes: Vec<usize> = nodes.collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
