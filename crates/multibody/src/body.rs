//! Rigid bodies.

use nalgebra::Matrix3;

use crate::algebra::{Pose, Vec3};

/// Names a body of a [`System`](crate::System), or the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub(crate) usize);

impl BodyId {
    /// The ground: fixed in world axes, of infinite mass.
    pub const GROUND: BodyId = BodyId(usize::MAX);

    /// Place in the arrays of the [`State`](crate::State); `None` for the ground.
    #[must_use]
    pub fn index(self) -> Option<usize> {
        (self != Self::GROUND).then_some(self.0)
    }
}

/// A rigid body as it is placed at assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name for reports.
    pub name: String,
    /// Mass, kg, > 0.
    pub mass_kg: f64,
    /// Inertia about the centre of mass in body axes, kg m², symmetric positive definite.
    pub inertia_kgm2: Matrix3<f64>,
    /// Pose at assembly.
    pub pose: Pose,
}

impl Body {
    /// A body whose body axes are its principal axes; moments of inertia in kg m².
    #[must_use]
    pub fn new(name: &str, mass_kg: f64, principal_kgm2: [f64; 3], pose: Pose) -> Self {
        let inertia_kgm2 = Matrix3::from_diagonal(&Vec3::from(principal_kgm2));
        Self { name: name.to_owned(), mass_kg, inertia_kgm2, pose }
    }
}
