//! Writes a mesh as a deck.

use crate::{Material, Mesh};
use std::fmt::Write as _;

/// The mesh as a deck: nodes, elements (set `EALL`), node sets, surfaces and, when given, material and solid section.
pub fn write(mesh: &Mesh, material: Option<&Material>) -> String {
    let mut deck = String::from("*NODE, NSET=NALL\n");
    for (label, x) in mesh.node_labels.iter().zip(&mesh.nodes) {
        let _ = writeln!(deck, "{label}, {:.13e}, {:.13e}, {:.13e}", x.x, x.y, x.z);
    }
    deck.push_str("*ELEMENT, TYPE=C3D20, ELSET=EALL\n");
    for (label, nodes) in mesh.element_labels.iter().zip(&mesh.elements) {
        let labels: Vec<String> = nodes.iter().map(|&n| mesh.node_labels[n].to_string()).collect();
        let _ = writeln!(deck, "{label}, {},\n{}", labels[..10].join(", "), labels[10..].join(", "));
    }
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
    if let Some(m) = material {
        let _ = write!(
            deck,
            "*MATERIAL, NAME=BODY\n*ELASTIC\n{:.13e}, {:.13e}\n*DENSITY\n{:.13e}\n*SOLID SECTION, ELSET=EALL, MATERIAL=BODY\n",
            m.young_pa, m.poisson, m.density_kg_m3
        );
    }
    deck
}
