//! Facets of a surface under pressure.
//!
//! ```text
//! x(ξ, η) = Σ N_i x_i,   n dA = (∂x/∂ξ × ∂x/∂η) dξ dη        into the body
//! f_i = p ∫ N_i n dA = p g_i                                 forces on the nodes by a pressure p on the facet
//! ```
//!
//! The nodes stand where they are now, so that the normal turns and bends with the body. The integrals are exact for these shapes:
//! forces and moments of a constant pressure on a closed surface add up to zero, and do the work −p δV.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | ξ, η | natural coordinates of a facet |
//! | g_i | area vector of node i, into the body, m² |
//!
//! # References
//! Zienkiewicz, Taylor, Zhu, *The Finite Element Method: Its Basis and Fundamentals*, 6th ed., sections 4.6 and 5.12 (shape functions,
//! numerical integration).

use nalgebra::Vector3;

/// Natural coordinates of the corners of a quadrilateral, then of the middles that follow them.
const QUADRILATERAL: [[f64; 2]; 8] =
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]];

/// √(3/5) and the weights of the three-point Gauss rule, for polynomials of degree 5.
const GAUSS: [(f64, f64); 3] =
    [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];

/// Two of the three equal area coordinates of a point and its weight, three points each: degree 4 on triangles.
const TRIANGLE: [(f64, f64); 2] =
    [(0.445_948_490_915_964_9, 0.223_381_589_678_011_47), (0.091_576_213_509_770_74, 0.109_951_743_655_321_87)];

/// Value of a shape function, and its slopes along ξ and η.
type Shape = (f64, [f64; 2]);

/// What all facets of one kind have in common: their integration points and their middle.
#[derive(Debug, Clone)]
pub struct FacetKind {
    nodes: usize,
    points: Vec<(Vec<Shape>, f64)>,
    middle: Vec<Shape>,
}

impl FacetKind {
    /// Facets of 4 nodes, 6 (a triangle with middles) or 8 (a quadrilateral with middles): corners, then the middle that follows each. The
    /// corners run clockwise seen from outside, as those of the faces of a mesh do.
    pub fn of(nodes: usize) -> Option<FacetKind> {
        let shapes: fn(f64, f64) -> Vec<Shape> = match nodes {
            4 => |xi, eta| QUADRILATERAL[..4].iter().map(|at| bilinear(*at, xi, eta)).collect(),
            6 => triangle,
            8 => |xi, eta| QUADRILATERAL.iter().map(|at| quadratic(*at, xi, eta)).collect(),
            _ => return None,
        };
        let points = if nodes == 6 {
            // Each point with its coordinate in the place of each corner.
            let turned = |(a, w): (f64, f64)| [(a, a, w), (1.0 - 2.0 * a, a, w), (a, 1.0 - 2.0 * a, w)];
            TRIANGLE.into_iter().flat_map(turned).map(|(xi, eta, w)| (shapes(xi, eta), 0.5 * w)).collect()
        } else {
            let line = |(xi, a): (f64, f64)| GAUSS.map(|(eta, b)| (shapes(xi, eta), a * b));
            GAUSS.into_iter().flat_map(line).collect()
        };
        let third = if nodes == 6 { 1.0 / 3.0 } else { 0.0 };
        Some(FacetKind { nodes, points, middle: shapes(third, third) })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Calls `put` with each node, its area vector g (m²) and the change of g, at each integration point: they add up. `at` gives position
    /// (m) and change of position of a node.
    pub fn areas(
        &self,
        at: impl Fn(usize) -> [Vector3<f64>; 2],
        mut put: impl FnMut(usize, Vector3<f64>, Vector3<f64>),
    ) {
        for (shapes, weight) in &self.points {
            // Tangents along ξ and η, with their changes.
            let mut tangents = [[Vector3::zeros(); 2]; 2];
            for (i, (_, slopes)) in shapes.iter().enumerate() {
                let moved = at(i);
                for (tangent, slope) in tangents.iter_mut().zip(slopes) {
                    tangent.iter_mut().zip(moved).for_each(|(t, x)| *t += x * *slope);
                }
            }
            let [[a, da], [b, db]] = tangents;
            let (normal, turned) = (a.cross(&b) * *weight, (da.cross(&b) + a.cross(&db)) * *weight);
            shapes.iter().enumerate().for_each(|(i, (value, _))| put(i, normal * *value, turned * *value));
        }
    }

    /// The middle of the facet with its nodes at `at` (m).
    pub fn middle(&self, at: impl Fn(usize) -> Vector3<f64>) -> Vector3<f64> {
        self.middle.iter().enumerate().map(|(i, (value, _))| at(i) * *value).sum()
    }
}

/// A corner of a quadrilateral without middles.
fn bilinear([x, y]: [f64; 2], xi: f64, eta: f64) -> Shape {
    let (a, b) = (1.0 + x * xi, 1.0 + y * eta);
    (a * b / 4.0, [x * b / 4.0, a * y / 4.0])
}

/// A node of a quadrilateral with middles.
fn quadratic([x, y]: [f64; 2], xi: f64, eta: f64) -> Shape {
    let (a, b) = (1.0 + x * xi, 1.0 + y * eta);
    if x == 0.0 {
        let bubble = 1.0 - xi * xi;
        (bubble * b / 2.0, [-xi * b, bubble * y / 2.0])
    } else if y == 0.0 {
        let bubble = 1.0 - eta * eta;
        (a * bubble / 2.0, [x * bubble / 2.0, -a * eta])
    } else {
        let sum = x * xi + y * eta - 1.0;
        (a * b * sum / 4.0, [x * b * (sum + a) / 4.0, y * a * (sum + b) / 4.0])
    }
}

/// The nodes of a triangle with middles.
fn triangle(xi: f64, eta: f64) -> Vec<Shape> {
    let (l, d) = ([1.0 - xi - eta, xi, eta], [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]);
    let corner = |i: usize| (l[i] * (2.0 * l[i] - 1.0), d[i].map(|d| (4.0 * l[i] - 1.0) * d));
    let middle = |i: usize| {
        let j = (i + 1) % 3;
        (4.0 * l[i] * l[j], [0, 1].map(|k| 4.0 * (l[i] * d[j][k] + d[i][k] * l[j])))
    };
    (0..3).map(corner).chain((0..3).map(middle)).collect()
}
