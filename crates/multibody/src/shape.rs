//! Shapes carried by bodies, and which pairs of them may touch.

use nalgebra::UnitQuaternion;

use crate::{BodyId, algebra::Vec3};

/// Names a shape of a [`System`](crate::System).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShapeId(pub(crate) usize);

/// A shape in body axes from the centre of mass; lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Centre.
        centre: Vec3,
        /// Radius, > 0.
        radius: f64,
    },
    /// All points within `radius` of a segment.
    Capsule {
        /// Ends of the segment.
        ends: [Vec3; 2],
        /// Radius, > 0.
        radius: f64,
    },
    /// A solid cylinder with flat ends.
    Cylinder {
        /// Centre.
        centre: Vec3,
        /// Unit vector along the axis.
        axis: Vec3,
        /// Half the length, > 0.
        half_length: f64,
        /// Radius, > 0.
        radius: f64,
    },
    /// A solid box.
    Box {
        /// Centre.
        centre: Vec3,
        /// Orientation of its edges in body axes.
        rotation: UnitQuaternion<f64>,
        /// Half the lengths of its edges, > 0.
        half: Vec3,
    },
    /// A half space.
    Plane {
        /// A point of its boundary.
        point: Vec3,
        /// Unit normal out of the solid.
        normal: Vec3,
        /// Unit vector in the boundary: first direction of friction.
        tangent: Vec3,
    },
}

impl Shape {
    /// Name of the kind, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Sphere { .. } => "sphere",
            Shape::Capsule { .. } => "capsule",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Box { .. } => "box",
            Shape::Plane { .. } => "plane",
        }
    }
}

/// A shape and the body that carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// The body, or the ground.
    pub body: BodyId,
    /// The shape.
    pub shape: Shape,
}

/// Most facets of a friction cone.
pub const FACETS_MAX: u8 = 16;

/// Friction between two shapes in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coefficient of friction μ ≥ 0.
    pub friction: f64,
    /// Facets of the friction cone: 4, 8, 12 or [`FACETS_MAX`]. Default 4, a pyramid: friction is up to √2 μ λ_n between its axes.
    /// With n facets it is at most μ λ_n / cos(π/n); each pair of facets is one more row.
    pub facets: u8,
    /// Compliance C of the rows of a contact point. Default 1e-7.
    pub compliance: f64,
    /// Points closer than this get rows, m. Default 0.01. A point that approaches fast gets them earlier, so that it
    /// cannot pass through within a step.
    pub margin_m: f64,
    /// Highest speed at which penetration is removed, m/s. Default 0.2: more throws bodies out of deep penetration.
    pub recovery_ms: f64,
}

impl Default for Surface {
    fn default() -> Self {
        Self { friction: 0.0, facets: 4, compliance: 1e-7, margin_m: 0.01, recovery_ms: 0.2 }
    }
}

/// Two shapes that may touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Name for reports.
    pub name: String,
    /// The two shapes.
    pub shapes: [ShapeId; 2],
    /// What happens there.
    pub surface: Surface,
}
