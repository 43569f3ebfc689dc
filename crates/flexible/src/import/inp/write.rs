//! Writes a mesh as a deck.

use crate::element::Solid;
use crate::{Material, Mesh};
use std::fmt::Write as _;

/// The mesh as a deck: nodes, elements (set `EALL`), node sets, surfaces and, when given, material and solid section.
pub fn write(mesh: &Mesh, material: Option<&Material>) -> String {
    let mut deck = String::from("*NODE, NSET=NALL\n");
    for (label, x) in mesh.node_labels.iter().zip(&mesh.nodes) {
        let _ = writeln!(deck, "{label}, {:.13e}, {:.13e}, {:.13e}", x.x, x.y, x.z);
    }
    // A card for each type of element.
    for solid in Solid::ALL {
        let mut of_type =
            mesh.element_labels.iter().zip(&mesh.elements).filter(|(_, element)| element.solid == solid).peekable();
        if of_type.peek().is_some() {
            let _ = writeln!(deck, "*ELEMENT, TYPE={}, ELSET=EALL", solid.name());
        }
        for (label, element) in of_type {
            let labels: Vec<String> = element.nodes.iter().map(|&n| mesh.node_labels[n].to_string()).collect();
            // A line of a deck has at most 16 entries.
            let lines: Vec<String> = labels.chunks(10).map(|chunk| chunk.join(", ")).collect();
            let _ = writeln!(deck, "{label}, {}", lines.join(",\n"));
        }
    }
    // Sets and surfaces by name.
    for (name, nodes) in &mesh.node_sets {
        let _ = writeln!(deck, "*NSET, NSET={name}");
        for &n in nodes {
            let _ = writeln!(deck, "{},", mesh.node_labels[n]);
        }
    }
    for (name, faces) in &mesh.surfaces {
        let _ = writeln!(deck, "*SURFACE, NAME={name}, TYPE=ELEMENT");
        for &(element, side) in faces {
            let _ = writeln!(deck, "{}, S{}", mesh.element_labels[element], side + 1);
        }
    }
    // Material and section of the whole body.
    if let Some(m) = material {
        let _ = write!(
            deck,
            "*MATERIAL, NAME=BODY\n*ELASTIC\n{:.13e}, {:.13e}\n*DENSITY\n{:.13e}\n*SOLID SECTION, ELSET=EALL, MATERIAL=BODY\n",
            m.young_pa, m.poisson, m.density_kg_m3
        );
    }
    deck
}
