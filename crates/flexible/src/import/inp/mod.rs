//! CalculiX/Abaqus input decks: nodes, solid elements, sets, surfaces, one elastic material.
//!
//! Read are `*NODE`, `*ELEMENT` (TYPE=C3D20, C3D10, C3D8I), `*NSET`, `*ELSET` (also GENERATE), `*SURFACE` (TYPE=ELEMENT), `*MATERIAL`,
//! `*ELASTIC`, `*DENSITY`; steps and other cards are passed over, since the moving frame brings loads of its own. Elements
//! of surfaces and lines (`CPS6`, `S8R`, `T3D3`, …), which mesh generators write for the groups a user names, are no part of
//! the body: their sets become node sets. What is passed over and may matter stands in [`Mesh::notes`].
//! Units are SI, as everywhere in this crate.
//!
//! # References
//! Dhondt, *CalculiX CrunchiX User's Manual*, chapter "Input deck format".

use super::{number, real, refuse};
use crate::element::Solid;
use crate::{Error, Mesh};
use nalgebra::Vector3;
use std::collections::BTreeMap;

mod card;
mod resolve;
mod write;

pub use write::write;

use card::{Card, members, required};

const FORMAT: &str = "input deck";

/// Element types without a volume: what comes before the first digit of their names.
const FLAT: [&str; 9] = ["CPS", "CPE", "CAX", "M", "SFM", "STRI", "S", "T", "B"];
/// Cards that give elements without a volume a stiffness.
const SECTIONS: [&str; 4] = ["SHELL SECTION", "BEAM SECTION", "BEAM GENERAL SECTION", "MEMBRANE SECTION"];
/// Cards that change where nodes are or what belongs to the deck.
const ELSEWHERE: [&str; 2] = ["SYSTEM", "INCLUDE"];
/// Cards that make nodes, elements or mass which no line lists.
const MADE: [&str; 7] = ["NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "NONSTRUCTURAL MASS"];
/// Cards that hold or join nodes.
const TIES: [&str; 7] = ["MPC", "EQUATION", "TIE", "RIGID BODY", "COUPLING", "KINEMATIC", "DISTRIBUTING"];

/// Named sets: labels, each with the line that names it.
type Sets = BTreeMap<String, BTreeMap<usize, usize>>;

/// An element as the deck lists it.
struct Listed {
    /// The type; `None` for one without a volume.
    solid: Option<Solid>,
    /// Labels of its nodes.
    nodes: Vec<usize>,
    /// Line on which it begins.
    line: usize,
}

/// What has been read so far, in labels of the deck.
#[derive(Default)]
struct Reader {
    nodes: BTreeMap<usize, Vector3<f64>>,
    elements: BTreeMap<usize, Listed>,
    node_sets: Sets,
    element_sets: Sets,
    surfaces: BTreeMap<String, Vec<(String, usize, usize)>>,
    elastic: Option<(f64, f64)>,
    density: Option<f64>,
    /// Element whose node list continues on the next line.
    open: Option<usize>,
    materials: usize,
    instances: usize,
    /// Elements without a volume, by type.
    flat: BTreeMap<String, usize>,
    /// Cards of [`TIES`], each with its first line.
    ties: BTreeMap<String, usize>,
}

/// Reads a deck.
///
/// # Errors
/// [`Error::Parse`] with the line, also for element types that are not supported and for several materials.
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
            reader.begin(&card, line)?;
        } else {
            reader.data(&card, line, content)?;
        }
    }
    reader.close(text.lines().count())?;
    reader.mesh()
}

/// The solid of this name; `None` for an element without a volume.
fn element_type(name: &str, line: usize) -> Result<Option<Solid>, Error> {
    if let Some(solid) = Solid::ALL.into_iter().find(|solid| solid.name() == name) {
        return Ok(Some(solid));
    }
    let family = name.find(|c: char| c.is_ascii_digit()).map(|end| &name[..end]);
    if family.is_some_and(|family| FLAT.contains(&family)) {
        return Ok(None);
    }
    let solids = Solid::ALL.map(Solid::name).join(" or ");
    refuse(FORMAT, line, format!("element type `{name}` is not supported, expected {solids}"))
}

impl Reader {
    fn begin(&mut self, card: &Card, line: usize) -> Result<(), Error> {
        // What the crate does not model is refused by name where it would change the body.
        match card.name.as_str() {
            "NODE" | "ELEMENT" if card.get("INPUT").is_some() => {
                refuse(FORMAT, line, format!("`*{}` from another file, expected all lines in this one", card.name))
            }
            "ELEMENT" => element_type(&required(card, "TYPE", line)?, line).map(|_| ()),
            "NODE" if !matches!(card.get("SYSTEM"), None | Some("R")) => {
                refuse(FORMAT, line, "nodes in other than rectangular coordinates are not supported")
            }
            // A part that is placed twice would be there once.
            "INSTANCE" => {
                self.instances += 1;
                if self.instances > 1 {
                    return refuse(FORMAT, line, "a second `*INSTANCE`, expected one mesh with all nodes and elements");
                }
                Ok(())
            }
            // One isotropic material for the whole body.
            "MATERIAL" => {
                self.materials += 1;
                if self.materials > 1 {
                    return refuse(FORMAT, line, "a second material, expected one for the whole body");
                }
                Ok(())
            }
            "ELASTIC" if !matches!(card.get("TYPE"), None | Some("ISO" | "ISOTROPIC")) => {
                refuse(FORMAT, line, "elasticity other than isotropic is not supported")
            }
            // Shells and beams would be missing, nodes of other frames and files misplaced.
            name if SECTIONS.contains(&name) => {
                refuse(FORMAT, line, format!("`*{name}` is not supported, expected a body of solid elements only"))
            }
            name if ELSEWHERE.contains(&name) => refuse(
                FORMAT,
                line,
                format!("`*{name}` is not supported, expected all nodes in one file and one frame"),
            ),
            name if MADE.contains(&name) => refuse(
                FORMAT,
                line,
                format!("`*{name}` is not supported, expected a line for each node and element, and no other mass"),
            ),
            name => {
                // Ties are noted with the line of the first.
                if TIES.contains(&name) {
                    self.ties.entry(name.into()).or_insert(line);
                }
                Ok(())
            }
        }
    }

    /// Refuses an element whose node list stopped early.
    fn close(&mut self, line: usize) -> Result<(), Error> {
        let Some(label) = self.open.take() else { return Ok(()) };
        match self.elements.get(&label).and_then(|element| element.solid) {
            Some(solid) => refuse(FORMAT, line, format!("element {label} has fewer than {} nodes", solid.nodes())),
            None => Ok(()),
        }
    }

    fn data(&mut self, card: &Card, line: usize, content: &str) -> Result<(), Error> {
        let fields: Vec<&str> = content.split(',').map(str::trim).filter(|f| !f.is_empty()).collect();
        // Nodes, elements and sets of both, in the order of the deck.
        match card.name.as_str() {
            // A blank coordinate is 0; the others keep their places.
            "NODE" => self.node(card, line, &content.split(',').map(str::trim).collect::<Vec<_>>()),
            "ELEMENT" => self.element(card, line, &fields, content.ends_with(',')),
            "NSET" => {
                let name = required(card, "NSET", line)?;
                let members = members(card, line, &fields, &self.node_sets)?;
                self.node_sets.entry(name).or_default().extend(members.into_iter().map(|label| (label, line)));
                Ok(())
            }
            "ELSET" => {
                let name = required(card, "ELSET", line)?;
                let members = members(card, line, &fields, &self.element_sets)?;
                self.element_sets.entry(name).or_default().extend(members.into_iter().map(|label| (label, line)));
                Ok(())
            }
            // Surfaces of nodes are passed over; of a property the first line counts.
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
        for (x, field) in position.iter_mut().zip(coordinates).filter(|(_, field)| !field.is_empty()) {
            *x = real(FORMAT, line, field)?;
        }
        if self.nodes.insert(label, position).is_some() {
            return refuse(FORMAT, line, format!("node {label} is defined twice"));
        }
        if let Some(set) = card.get("NSET") {
            self.node_sets.entry(set.into()).or_default().insert(label, line);
        }
        Ok(())
    }

    /// A line of an element; where its type has no volume, the list goes on after a comma at the end of the line.
    fn element(&mut self, card: &Card, line: usize, fields: &[&str], goes_on: bool) -> Result<(), Error> {
        // A line begins an element with its label, unless the one before goes on.
        let labels = fields.iter().map(|f| number(FORMAT, line, f)).collect::<Result<Vec<usize>, _>>()?;
        let (label, nodes) = match (self.open, labels.as_slice()) {
            (Some(label), nodes) => (label, nodes),
            (None, [label, nodes @ ..]) => (*label, nodes),
            (None, []) => return Ok(()),
        };
        // A new element is in the set of its card; one without a volume is counted for the notes.
        if self.open.is_none() {
            let name = required(card, "TYPE", line)?;
            let solid = element_type(&name, line)?;
            if self.elements.insert(label, Listed { solid, nodes: Vec::new(), line }).is_some() {
                return refuse(FORMAT, line, format!("element {label} is defined twice"));
            }
            if solid.is_none() {
                *self.flat.entry(name).or_default() += 1;
            }
            if let Some(set) = card.get("ELSET") {
                self.element_sets.entry(set.into()).or_default().insert(label, line);
            }
        }
        // Its nodes, and whether more are to come on the next line.
        let Some(listed) = self.elements.get_mut(&label) else { return Ok(()) };
        listed.nodes.extend_from_slice(nodes);
        let (found, expected) = (listed.nodes.len(), listed.solid.map(Solid::nodes));
        let goes_on = match expected {
            Some(expected) if found > expected => {
                return refuse(FORMAT, line, format!("element {label} has {found} nodes, expected {expected}"));
            }
            Some(expected) => found < expected,
            None => goes_on,
        };
        self.open = goes_on.then_some(label);
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
}
