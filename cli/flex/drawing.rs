//! Meshes as line drawings: the edges of the elements, seen along one axis, at rest and deformed.

use std::collections::BTreeMap;

use macrostep_flexible::eigen::Modes;
use macrostep_flexible::mesh::Face;
use macrostep_flexible::{Basis, Connector, Error, Mesh, Structure, Tied};
use macrostep_plot::{Axis, Chart, Figure, Series};
use nalgebra::{DMatrix, Vector3};

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
pub const TOP: View = View { right: Vector3::new(1.0, 0.0, 0.0), up: Vector3::new(0.0, 1.0, 0.0), names: ["x", "y"] };

/// From above and aside, so that no axis is hidden.
pub const ASLANT: View = View {
    right: Vector3::new(0.825_336, -0.564_642, 0.0),
    up: Vector3::new(0.245_597, 0.358_988, 0.900_447),
    names: ["across", "up"],
};

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
            let element = &mesh.elements[element];
            for edge in element.solid.edges().iter().map(|edge| edge.map(|local| element.nodes[local])) {
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

/// A mode with the reference connector fixed: frequency (Hz) and displacement of every node, the largest one 1.
pub type ModeShape = (f64, Vec<Vector3<f64>>);

/// The lowest modes of a reduced body with connector `reference` fixed.
///
/// # Errors
/// Those of the reduced eigenvalue problem.
pub fn mode_shapes(tied: &Tied, basis: &Basis, reference: usize, count: usize) -> Result<Vec<ModeShape>, Error> {
    let fixed = basis.fixed(&tied.chain, reference)?;
    let project = |a: DMatrix<f64>| fixed.tr_mul(&(a * &fixed));
    let stiffness = project(tied.chain.a0.project(&basis.vectors));
    let modes = Modes::dense(&stiffness, &project(tied.chain.inertia()?.project(&basis.vectors)), 0.0)?;
    let count = count.min(modes.values.len());
    let fields = tied.map.multiply(&(&basis.vectors * (&fixed * modes.vectors.columns(0, count))));
    let shape = |k: usize| {
        let all: Vec<Vector3<f64>> =
            fields.column(k).as_slice().chunks_exact(3).map(Vector3::from_column_slice).collect();
        let largest = all.iter().map(Vector3::norm).fold(f64::MIN_POSITIVE, f64::max);
        all.into_iter().map(|u| u / largest).collect()
    };
    let frequencies = modes.frequencies_hz();
    Ok((0..count).map(|k| (frequencies[k], shape(k))).collect())
}

/// Mesh with connectors, and modes; without elements the nodes are drawn as points.
pub fn body(
    name: &str,
    (structure, mesh): (&Structure, Option<&Mesh>),
    connectors: &[Connector],
    shapes: &[ModeShape],
) -> Figure {
    let size = [560.0, 440.0];
    let nodes = &structure.nodes;
    // Matrices may leave out held nodes of the mesh: then its elements do not fit.
    let wire = mesh.filter(|mesh| mesh.nodes.len() == nodes.len() && !mesh.elements.is_empty()).map(Wire::of);
    let draw = |label: &str, positions: &[Vector3<f64>]| match &wire {
        Some(wire) => wire.series(label, positions, ASLANT).width(0.6),
        None => points(label, positions),
    };
    // The largest displacement of a mode is drawn as a part of the body's size.
    let (low, high) = (bound(nodes, f64::min), bound(nodes, f64::max));
    let reach = 0.12 * (high - low).norm();
    let mut chart = ASLANT.chart("mesh and connectors", nodes, size).bare().with(draw("mesh", nodes).colour(6));
    // Connectors in colours, over the mesh.
    for (i, connector) in connectors.iter().enumerate() {
        let chosen: Vec<Vector3<f64>> = connector.nodes.iter().map(|n| nodes[*n]).collect();
        chart = chart.with(points(&connector.name, &chosen).colour(i));
    }
    // The first chart; one for each mode follows.
    let mut figure = Figure::new(&format!("Flexible body {name}")).columns(2).panel_size(size[0], size[1]).with(chart);
    // The scale of a chart leaves room for the body at rest and for the mode.
    for (k, (frequency, shape)) in shapes.iter().enumerate() {
        let deformed = moved(nodes, shape, reach);
        let room: Vec<_> = nodes.iter().chain(&deformed).copied().collect();
        let title = format!("mode {}: {frequency:.3} Hz", k + 1);
        let chart = ASLANT
            .chart(&title, &room, size)
            .bare()
            .with(draw("at rest", nodes).colour(6))
            .with(draw("mode", &deformed).colour(0));
        figure = figure.with(chart);
    }
    let count = nodes.len();
    figure.subtitle(&format!(
        "{count} nodes, seen from above and aside · modes with the reference connector fixed, the largest displacement drawn {reach:.3} m long"
    ))
}

fn bound(nodes: &[Vector3<f64>], pick: fn(f64, f64) -> f64) -> Vector3<f64> {
    nodes.iter().copied().reduce(|a, b| a.zip_map(&b, pick)).unwrap_or_default()
}

/// Points, each a mark of no length.
fn points(label: &str, positions: &[Vector3<f64>]) -> Series {
    let (x, y): (Vec<f64>, Vec<f64>) = positions.iter().map(|p| ASLANT.place(p)).map(|[x, y]| (x, y)).unzip();
    Series::points(label, x, y, 0)
}
