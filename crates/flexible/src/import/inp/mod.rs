//! CalculiX/Abaqus input decks: nodes, C3D20 elements, sets, surfaces, one elastic material.
//!
//! Read are `*NODE`, `*ELEMENT` (TYPE=C3D20), `*NSET`, `*ELSET` (also GENERATE), `*SURFACE` (TYPE=ELEMENT), `*MATERIAL`,
//! `*ELASTIC`, `*DENSITY`; steps and other cards are passed over, since the moving frame brings loads of its own.
//! Units are SI, as everywhere in this crate.
//!
//! # References
//! Dhondt, *CalculiX CrunchiX User's Manual*, chapter "Input deck format".

use super::{number, real, refuse};
use crate::element::hexahedron::NODES;
use crate::{Error, Material, Mesh};
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};

mod card;
mod write;

pub use write::write;

use card::{Card, members, required};

const FORMAT: &str = "input deck";

/// What has been read so far, in labels of the deck.
#[derive(Default)]
struct Reader {
    nodes: BTreeMap<usize, Vector3<f64>>,
    elements: BTreeMap<usize, Vec<usize>>,
    node_sets: BTreeMap<String, BTreeSet<usize>>,
    element_sets: BTreeMap<String, BTreeSet<usize>>,
    surfaces: BTreeMap<String, Vec<(String, usize, usize)>>,
    elastic: Option<(f64, f64)>,
    density: Option<f64>,
    /// Element whose node list continues on the next line.
    open: Option<usize>,
    materials: usize,
}

/// Reads a deck.
///
/// # Errors
/// [`Error::Parse`] with the line, [`Error::Unsupported`] for other element types or several materials.
pub fn read(text: &str) -> Result<Mesh, Error> {
    let mut reader = Reader::default();
    let mut card = Card::default();
    for (index, raw) in text.lines().enumerate() {
        let (line, content) = (index + 1, raw.trim());
        if content.is_empty() || content.starts_with("**") {
            continue;
        }
        if content.starts_with('*') {
            reader.close(line)?;
            card = Card::parse(content);
            reader.begin(&card)?;
        } else {
            reader.data(&card, line, content)?;
        }
    }
    reader.close(text.lines().count())?;
    reader.mesh()
}

impl Reader {
    fn begin(&mut self, card: &Card) -> Result<(), Error> {
        match card.name.as_str() {
            "ELEMENT" => match card.get("TYPE") {
                Some("C3D20") => Ok(()),
                other => Err(Error::Unsupported(format!("element type `{}`, expected C3D20", other.unwrap_or("none")))),
            },
            "MATERIAL" => {
                self.materials += 1;
                if self.materials > 1 {
                    return Err(Error::Unsupported("more than one material".into()));
                }
                Ok(())
            }
            "ELASTIC" if !matches!(card.get("TYPE"), None | Some("ISO" | "ISOTROPIC")) => {
                Err(Error::Unsupported("elasticity other than isotropic".into()))
            }
            _ => Ok(()),
        }
    }

    /// Refuses an element whose node list stopped early.
    fn close(&mut self, line: usize) -> Result<(), Error> {
        match self.open.take() {
            Some(label) => refuse(FORMAT, line, format!("element {label} has fewer than {NODES} nodes")),
            None => Ok(()),
        }
    }

    fn data(&mut self, card: &Card, line: usize, content: &str) -> Result<(), Error> {
        let fields: Vec<&str> = content.split(',').map(str::trim).filter(|f| !f.is_empty()).collect();
        match card.name.as_str() {
            "NODE" => self.node(card, line, &fields),
            "ELEMENT" => self.element(card, line, &fields),
            "NSET" => {
                let name = required(card, "NSET", line)?;
                let members = members(card, line, &fields, &self.node_sets)?;
                self.node_sets.entry(name).or_default().extend(members);
                Ok(())
            }
            "ELSET" => {
                let name = required(card, "ELSET", line)?;
                let members = members(card, line, &fields, &self.element_sets)?;
                self.element_sets.entry(name).or_default().extend(members);
                Ok(())
            }
            "SURFACE" if !matches!(card.get("TYPE"), Some("NODE")) => self.surface(card, line, &fields),
            "ELASTIC" if self.elastic.is_none() => match fields.as_slice() {
                [young, poisson, ..] => {
                    self.elastic = Some((real(FORMAT, line, young)?, real(FORMAT, line, poisson)?));
                    Ok(())
                }
                _ => refuse(FORMAT, line, "expected Young's modulus and Poisson's ratio"),
            },
            "DENSITY" if self.density.is_none() => {
                self.density = Some(real(FORMAT, line, fields.first().unwrap_or(&""))?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn node(&mut self, card: &Card, line: usize, fields: &[&str]) -> Result<(), Error> {
        let [label, coordinates @ ..] = fields else {
            return refuse(FORMAT, line, "expected a node label");
        };
        let label = number(FORMAT, line, label)?;
        let mut position = Vector3::zeros();
        for (x, field) in position.iter_mut().zip(coordinates) {
            *x = real(FORMAT, line, field)?;
        }
        if self.nodes.insert(label, position).is_some() {
            return refuse(FORMAT, line, format!("node {label} is defined twice"));
        }
        if let Some(set) = card.get("NSET") {
            self.node_sets.entry(set.into()).or_default().insert(label);
        }
        Ok(())
    }

    fn element(&mut self, card: &Card, line: usize, fields: &[&str]) -> Result<(), Error> {
        let labels = fields.iter().map(|f| number(FORMAT, line, f)).collect::<Result<Vec<usize>, _>>()?;
        let (label, nodes) = match (self.open, labels.as_slice()) {
            (Some(label), nodes) => (label, nodes),
            (None, [label, nodes @ ..]) => {
                if self.elements.insert(*label, Vec::with_capacity(NODES)).is_some() {
                    return refuse(FORMAT, line, format!("element {label} is defined twice"));
                }
                (*label, nodes)
            }
            (None, []) => return Ok(()),
        };
        let list = self.elements.entry(label).or_default();
        list.extend_from_slice(nodes);
        match list.len() {
            NODES => self.open = None,
            n if n < NODES => self.open = Some(label),
            n => return refuse(FORMAT, line, format!("element {label} has {n} nodes, expected {NODES}")),
        }
        if let Some(set) = card.get("ELSET") {
            self.element_sets.entry(set.into()).or_default().insert(label);
        }
        Ok(())
    }

    fn surface(&mut self, card: &Card, line: usize, fields: &[&str]) -> Result<(), Error> {
        let name = required(card, "NAME", line)?;
        let [target, side] = fields else {
            return refuse(FORMAT, line, "expected an element or element set and a face S1 to S6");
        };
        let side = match side.to_uppercase().strip_prefix('S').and_then(|s| s.parse::<usize>().ok()) {
            Some(side @ 1..=6) => side - 1,
            _ => return refuse(FORMAT, line, format!("found face `{side}`, expected S1 to S6")),
        };
        self.surfaces.entry(name).or_default().push((target.to_uppercase(), side, line));
        Ok(())
    }

    /// Replaces labels by indices.
    fn mesh(self) -> Result<Mesh, Error> {
        let index = |labels: Vec<usize>| -> BTreeMap<usize, usize> {
            labels.into_iter().enumerate().map(|(i, l)| (l, i)).collect()
        };
        let nodes = index(self.nodes.keys().copied().collect());
        let elements = index(self.elements.keys().copied().collect());
        let find = |map: &BTreeMap<usize, usize>, label: usize, what: &str| {
            map.get(&label).copied().ok_or_else(|| Error::Parse {
                format: FORMAT,
                line: 0,
                what: format!("{what} {label} is used but not defined"),
            })
        };
        let mut mesh = Mesh {
            nodes: self.nodes.values().copied().collect(),
            node_labels: self.nodes.keys().copied().collect(),
            element_labels: self.elements.keys().copied().collect(),
            ..Mesh::default()
        };
        for labels in self.elements.values() {
            let mut element = [0; NODES];
            for (place, label) in element.iter_mut().zip(labels) {
                *place = find(&nodes, *label, "node")?;
            }
            mesh.elements.push(element);
        }
        for (name, labels) in self.node_sets {
            let set: Result<_, _> = labels.into_iter().map(|l| find(&nodes, l, "node")).collect();
            mesh.node_sets.insert(name, set?);
        }
        for (name, labels) in self.element_sets {
            let set: Result<_, _> = labels.into_iter().map(|l| find(&elements, l, "element")).collect();
            mesh.element_sets.insert(name, set?);
        }
        for (name, entries) in self.surfaces {
            let mut faces = Vec::new();
            for (target, side, line) in entries {
                match (mesh.element_sets.get(&target), target.parse::<usize>()) {
                    (Some(set), _) => faces.extend(set.iter().map(|&e| (e, side))),
                    (None, Ok(label)) => faces.push((find(&elements, label, "element")?, side)),
                    (None, Err(_)) => return refuse(FORMAT, line, format!("no element set `{target}`")),
                }
            }
            mesh.surfaces.insert(name, faces);
        }
        if let (Some((young, poisson)), Some(density)) = (self.elastic, self.density) {
            mesh.material = Some(Material::new(young, poisson, density)?);
        }
        Ok(mesh)
    }
}
