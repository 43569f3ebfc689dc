//! From the labels of a deck to the indices of a mesh.

use super::{FORMAT, Reader, Sets};
use crate::import::refuse;
use crate::mesh::{Element, Face};
use crate::{Error, Material, Mesh};
use std::collections::BTreeMap;

/// Index of each label.
type Places = BTreeMap<usize, usize>;

/// The index of a label that is used on `line`.
fn find(places: &Places, label: usize, what: &str, line: usize) -> Result<usize, Error> {
    match places.get(&label) {
        Some(index) => Ok(*index),
        None => refuse(FORMAT, line, format!("{what} {label} is used but not defined")),
    }
}

fn places(labels: impl Iterator<Item = usize>) -> Places {
    labels.enumerate().map(|(index, label)| (label, index)).collect()
}

impl Reader {
    /// Replaces labels by indices.
    pub(super) fn mesh(self) -> Result<Mesh, Error> {
        // Indices follow the order of labels; elements without a volume have none.
        let notes = self.notes();
        let solids = || self.elements.iter().filter_map(|(label, e)| Some((*label, e, e.solid?)));
        let (nodes, elements) = (places(self.nodes.keys().copied()), places(solids().map(|(label, ..)| label)));
        let mut mesh = Mesh {
            nodes: self.nodes.values().copied().collect(),
            node_labels: self.nodes.keys().copied().collect(),
            element_labels: elements.keys().copied().collect(),
            notes,
            ..Mesh::default()
        };
        // Nodes of elements and sets by index; a label that is not there is refused with its line.
        for (_, listed, solid) in solids() {
            let list = listed.nodes.iter().map(|label| find(&nodes, *label, "node", listed.line));
            mesh.elements.push(Element { solid, nodes: list.collect::<Result<_, _>>()? });
        }
        for (name, labels) in &self.node_sets {
            let set: Result<_, _> = labels.iter().map(|(label, line)| find(&nodes, *label, "node", *line)).collect();
            mesh.node_sets.insert(name.clone(), set?);
        }
        // Surfaces need elements, and a material its density.
        self.sort_sets(&mut mesh, &nodes, &elements)?;
        for (name, entries) in &self.surfaces {
            let faces = surface(&mesh, &elements, entries)?;
            mesh.surfaces.insert(name.clone(), faces);
        }
        if let (Some((young, poisson)), Some(density)) = (self.elastic, self.density) {
            mesh.material = Some(Material::new(young, poisson, density)?);
        }
        Ok(mesh)
    }

    /// Element sets; one with elements without a volume is, beside that, the set of its nodes.
    fn sort_sets(&self, mesh: &mut Mesh, nodes: &Places, elements: &Places) -> Result<(), Error> {
        let sets: &Sets = &self.element_sets;
        for (name, labels) in sets {
            // The solids of the set, the nodes of all its elements, and whether one has no volume.
            let (mut solids, mut touched, mut flat) = (Vec::new(), Vec::new(), false);
            for (label, line) in labels {
                let Some(listed) = self.elements.get(label) else {
                    return refuse(FORMAT, *line, format!("element {label} is used but not defined"));
                };
                solids.extend(elements.get(label));
                flat |= listed.solid.is_none();
                for node in &listed.nodes {
                    touched.push(find(nodes, *node, "node", listed.line)?);
                }
            }
            // A node set of that name is what the user meant.
            if flat && !mesh.node_sets.contains_key(name) {
                touched.sort_unstable();
                touched.dedup();
                mesh.node_sets.insert(name.clone(), touched);
            }
            if !solids.is_empty() {
                mesh.element_sets.insert(name.clone(), solids);
            }
        }
        Ok(())
    }

    /// What was passed over.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.flat.is_empty() {
            let list: Vec<String> = self.flat.iter().map(|(name, count)| format!("{count} {name}")).collect();
            let what = "are not part of the body (they have no volume); their sets can be connectors";
            notes.push(format!("elements {} {what}", list.join(", ")));
        }
        if !self.ties.is_empty() {
            let list: Vec<String> = self.ties.iter().map(|(name, line)| format!("`*{name}` (line {line})")).collect();
            notes.push(format!("{} not read: the parts that it holds or joins are free in the body", list.join(", ")));
        }
        notes
    }
}

/// The faces of a surface; `entries` are element or element set, face and line.
fn surface(mesh: &Mesh, elements: &Places, entries: &[(String, usize, usize)]) -> Result<Vec<Face>, Error> {
    let mut faces = Vec::new();
    for (target, side, line) in entries {
        let first = faces.len();
        match (mesh.element_sets.get(target), target.parse::<usize>()) {
            (Some(set), _) => faces.extend(set.iter().map(|&e| (e, *side))),
            (None, Ok(label)) => faces.push((find(elements, label, "solid element", *line)?, *side)),
            (None, Err(_)) => return refuse(FORMAT, *line, format!("no element set `{target}` of solids")),
        }
        for &(element, side) in &faces[first..] {
            let solid = mesh.elements[element].solid;
            if solid.face(side).is_none() {
                let (label, name) = (mesh.element_labels[element], solid.name());
                let what = format!("element {label} ({name}) has no face S{}, it has {}", side + 1, solid.faces());
                return refuse(FORMAT, *line, what);
            }
        }
    }
    Ok(faces)
}
