//! Meshes as line drawings: the edges of the elements, seen along one axis, at rest and deformed.

use std::collections::BTreeMap;

use macrostep_flexible::Mesh;
use macrostep_flexible::mesh::Face;
use macrostep_master::report::{Axis, Chart, Series};
use nalgebra::Vector3;

/// Corners and middle of the edges of a face of C3D20, by their places among the nodes of the element.
const EDGES: [[usize; 3]; 12] = [
    [0, 8, 1],
    [1, 9, 2],
    [2, 10, 3],
    [3, 11, 0],
    [4, 12, 5],
    [5, 13, 6],
    [6, 14, 7],
    [7, 15, 4],
    [0, 16, 4],
    [1, 17, 5],
    [2, 18, 6],
    [3, 19, 7],
];

/// A way to look at a body: which point of the paper a point in space falls on.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// What goes to the right.
    right: Vector3<f64>,
    /// What goes up.
    up: Vector3<f64>,
    names: [&'static str; 2],
}

/// Along −z: x to the right, y up.
pub const TOP: View =
    View { right: Vector3::new(1.0, 0.0, 0.0), up: Vector3::new(0.0, 1.0, 0.0), names: ["x", "y"] };

impl View {
    /// Coordinates on the paper, m.
    pub fn place(&self, x: &Vector3<f64>) -> [f64; 2] {
        [self.right.dot(x), self.up.dot(x)]
    }

    /// An empty chart for bodies that lie within `low` … `high` (m), with equal scales on paper of `width` × `height`.
    pub fn chart(&self, title: &str, points: &[Vector3<f64>], [width, height]: [f64; 2]) -> Chart {
        let mut box_ = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
        for point in points {
            for (d, x) in self.place(point).into_iter().enumerate() {
                box_[0][d] = box_[0][d].min(x);
                box_[1][d] = box_[1][d].max(x);
            }
        }
        let span = [box_[1][0] - box_[0][0], box_[1][1] - box_[0][1]];
        // Metres a pixel, the same along both axes; what the frame takes from the paper is left out.
        let scale = 1.1 * (span[0] / (width - 110.0)).max(span[1] / (height - 110.0));
        let axis = |d: usize, pixels: f64| {
            let middle = f64::midpoint(box_[0][d], box_[1][d]);
            let half = 0.5 * scale * pixels;
            Axis::linear(self.names[d], "m").range(middle - half, middle + half)
        };
        Chart::new(title, axis(0, width - 110.0), axis(1, height - 110.0))
    }
}

/// Edges of the boundary of a mesh that show its shape and cells, each once.
#[derive(Debug, Clone)]
pub struct Wire {
    edges: Vec<[usize; 3]>,
}

impl Wire {
    /// Of the boundary faces.
    pub fn of(mesh: &Mesh) -> Wire {
        Wire::of_faces(mesh, &mesh.boundary())
    }

    /// Of these faces.
    pub fn of_faces(mesh: &Mesh, faces: &[Face]) -> Wire {
        let mut seen = BTreeMap::new();
        for &(element, side) in faces {
            let on_face = mesh.face_nodes(&[(element, side)]);
            let nodes = &mesh.elements[element];
            for edge in EDGES.map(|edge| edge.map(|local| nodes[local])) {
                if edge.iter().all(|n| on_face.binary_search(n).is_ok()) {
                    seen.insert([edge[0].min(edge[2]), edge[0].max(edge[2])], edge);
                }
            }
        }
        Wire { edges: seen.into_values().collect() }
    }

    /// The edges as one series with gaps, the nodes at `positions` (m).
    pub fn series(&self, label: &str, positions: &[Vector3<f64>], view: View) -> Series {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for edge in &self.edges {
            for node in edge {
                let [right, up] = view.place(&positions[*node]);
                x.push(right);
                y.push(up);
            }
            x.push(f64::NAN);
            y.push(f64::NAN);
        }
        Series::line(label, x, y)
    }
}

/// Nodes moved by `scale` times a displacement each, m.
pub fn moved(nodes: &[Vector3<f64>], by: &[Vector3<f64>], scale: f64) -> Vec<Vector3<f64>> {
    nodes.iter().zip(by).map(|(x, u)| x + u * scale).collect()
}
