//! Stored matrices of CalculiX: `.sti` (stiffness), `.mas` (mass), `.dof` (degrees of freedom).
//!
//! The matrices list their upper triangle, "row column value", from 1; line k of `.dof` is "node.direction" of row k,
//! direction 1 to 3 (4 to 6 for rotations). Node positions come from the deck's mesh.

use super::{number, real, refuse};
use crate::structure::Dof;
use crate::{Error, Mesh, Sparse, Structure};
use nalgebra::Vector3;
use std::collections::{BTreeMap, HashSet};

/// Reads the three files; nodes of the mesh without a degree of freedom (held ones) are left out.
///
/// # Errors
/// [`Error::Parse`] with the line of the damaged file.
pub fn read(stiffness: &str, mass: &str, dofs: &str, mesh: &Mesh) -> Result<Structure, Error> {
    let rows = Rows::read(dofs, mesh)?;
    // The triangles, with as many rows.
    let (k, m) = (matrix(".sti", stiffness, rows.len())?, matrix(".mas", mass, rows.len())?);
    rows.structure(k, m)
}

/// What the rows of given matrices are.
pub(super) struct Rows {
    nodes: Vec<Vector3<f64>>,
    labels: Vec<usize>,
    dofs: Vec<Dof>,
}

impl Rows {
    /// From a list, "node.direction" in line k for row k.
    pub fn read(dofs: &str, mesh: &Mesh) -> Result<Rows, Error> {
        let mut rows = Vec::new();
        for (line, content) in lines(dofs) {
            let Some((label, direction)) = content.split_once('.') else {
                return refuse(".dof", line, format!("found `{content}`, expected node.direction"));
            };
            rows.push((line, number(".dof", line, label)?, number(".dof", line, direction)?));
        }
        Rows::new(".dof", rows.into_iter(), mesh)
    }

    /// Line, node and direction (1 to 6) of each row; nodes are numbered as they are met.
    pub fn new(
        format: &'static str,
        rows: impl Iterator<Item = (usize, usize, usize)>,
        mesh: &Mesh,
    ) -> Result<Rows, Error> {
        let known: BTreeMap<usize, usize> = mesh.node_labels.iter().enumerate().map(|(i, l)| (*l, i)).collect();
        let mut used: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut nodes, mut labels, mut dofs) = (Vec::new(), Vec::new(), Vec::new());
        for (line, label, direction) in rows {
            if !(1..=6).contains(&direction) {
                return refuse(format, line, format!("direction {direction}, expected 1 to 6"));
            }
            // Nodes are kept in the order in which they are named first.
            let Some(&index) = known.get(&label) else {
                return refuse(format, line, format!("node {label} is not in the node table"));
            };
            let node = *used.entry(index).or_insert_with(|| {
                nodes.push(mesh.nodes[index]);
                labels.push(label);
                nodes.len() - 1
            });
            dofs.push(Dof { node, direction: direction - 1 });
        }
        Ok(Rows { nodes, labels, dofs })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.dofs.len()
    }

    /// The structure of these matrices.
    pub fn structure(self, stiffness: Sparse, mass: Sparse) -> Result<Structure, Error> {
        Structure::new(self.nodes, self.labels, self.dofs, stiffness, mass)
    }
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())).filter(|(_, l)| !l.is_empty())
}

fn matrix(format: &'static str, text: &str, size: usize) -> Result<Sparse, Error> {
    let (mut triplets, mut seen) = (Vec::new(), HashSet::new());
    for (line, content) in lines(text) {
        let mut fields = content.split_whitespace();
        let (Some(i), Some(j), Some(value), None) = (fields.next(), fields.next(), fields.next(), fields.next()) else {
            return refuse(format, line, format!("found `{content}`, expected row, column and value"));
        };
        let (i, j): (usize, usize) = (number(format, line, i)?, number(format, line, j)?);
        if i == 0 || j == 0 || i.max(j) > size {
            return refuse(format, line, format!("entry ({i}, {j}) of a matrix of size {size}"));
        }
        if i > j {
            return refuse(format, line, format!("entry ({i}, {j}) below the diagonal"));
        }
        if !seen.insert((i, j)) {
            return refuse(format, line, format!("entry ({i}, {j}) is listed twice"));
        }
        let value = real(format, line, value)?;
        triplets.push((i - 1, j - 1, value));
        if i != j {
            triplets.push((j - 1, i - 1, value));
        }
    }
    Sparse::from_triplets(size, &triplets)
}

/// The three files of a structure, values with `digits` significant digits (17 keep every bit): `.sti`, `.mas`, `.dof`.
pub fn write(structure: &Structure, digits: usize) -> (String, String, String) {
    let precision = digits.saturating_sub(1);
    let text = |a: &Sparse| -> String {
        a.triplets()
            .filter(|(i, j, _)| i <= j)
            .map(|(i, j, v)| format!("{} {} {v:.precision$e}\n", i + 1, j + 1))
            .collect()
    };
    let dofs = structure.dofs.iter().map(|d| format!("{}.{}\n", structure.labels[d.node], d.direction + 1)).collect();
    (text(&structure.stiffness), text(&structure.mass), dofs)
}
