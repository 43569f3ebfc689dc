//! Joints between units.

use super::connection::Endpoint;
use super::place::Place;

/// A joint between two ends, of which one may be at rest: a force that the master finds keeps them together.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// Unique among constraints.
    pub name: String,
    /// Which joint.
    pub kind: Joint,
    /// Which force.
    pub force: JointForce,
    /// What it may be open by at most at the end of a macro step, in the unit of its coordinates; `None`: what `tolerance` leaves.
    pub gap_max: Option<f64>,
    /// What it joins.
    pub ends: [JointEnd; 2],
    /// Where.
    pub place: Place,
}

/// Joints. How many coordinates an end has says whether it is in the plane or in space.
#[derive(Debug, Clone, PartialEq)]
pub enum Joint {
    /// Points coincide: 2 or 3 coordinates.
    Ball,
    /// In the plane points coincide; in space points and a unit vector along the axis: 2 or 6 coordinates.
    Hinge,
    /// In the plane points and angles are equal; in space points, and the three columns of a rotation matrix: 3 or 12
    /// coordinates. The offset is that of the coordinates in the plane.
    Rigid {
        /// First less second end; empty: none.
        offset: Vec<f64>,
    },
    /// Points keep a distance \[m\]: 2 or 3 coordinates.
    Distance {
        /// Larger than 0.
        length: f64,
    },
    /// Coordinates are equal, any number of them.
    Equal {
        /// First less second end; empty: none.
        offset: Vec<f64>,
    },
}

/// The force of a joint over a macro step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JointForce {
    /// Linear: closes position and velocity.
    #[default]
    Linear,
    /// Held: closes the velocity alone.
    Hold,
}

/// One end of a joint.
#[derive(Debug, Clone, PartialEq)]
pub enum JointEnd {
    /// Outputs and inputs of units.
    Free {
        /// Outputs.
        position: Vec<Endpoint>,
        /// Outputs.
        velocity: Vec<Endpoint>,
        /// Inputs, each on the unit of the velocity in its place.
        force: Vec<Endpoint>,
    },
    /// At rest.
    Fixed(Vec<f64>),
}

impl Joint {
    /// As it is typed.
    pub fn word(&self) -> &'static str {
        match self {
            Joint::Ball => "ball",
            Joint::Hinge => "hinge",
            Joint::Rigid { .. } => "rigid",
            Joint::Distance { .. } => "distance",
            Joint::Equal { .. } => "equal",
        }
    }

    /// How many coordinates an end may have, in words, and whether it may have `n`.
    pub fn takes(&self, n: usize) -> (&'static str, bool) {
        match self {
            Joint::Ball | Joint::Distance { .. } => ("2 in the plane or 3 in space", n == 2 || n == 3),
            Joint::Hinge => ("2 in the plane or 6 in space (a point and an axis)", n == 2 || n == 6),
            Joint::Rigid { .. } => ("3 in the plane or 12 in space (a point and three axes)", n == 3 || n == 12),
            Joint::Equal { .. } => ("at least 1", n > 0),
        }
    }

    /// How many velocities, and forces, belong to `n` coordinates.
    pub fn velocities(&self, n: usize) -> usize {
        if matches!(self, Joint::Rigid { .. }) && n == 12 { 6 } else { n }
    }
}

impl JointForce {
    /// As it is typed.
    pub fn word(self) -> &'static str {
        match self {
            JointForce::Linear => "linear",
            JointForce::Hold => "hold",
        }
    }
}

impl JointEnd {
    /// How many coordinates.
    pub fn coordinates(&self) -> usize {
        match self {
            JointEnd::Free { position, .. } => position.len(),
            JointEnd::Fixed(values) => values.len(),
        }
    }

    /// Outputs that it reads.
    pub fn outputs(&self) -> impl Iterator<Item = &Endpoint> {
        let lists = match self {
            JointEnd::Free { position, velocity, .. } => [position.as_slice(), velocity],
            JointEnd::Fixed(_) => [[].as_slice(), &[]],
        };
        lists.into_iter().flatten()
    }

    /// Velocities that it reads.
    pub fn velocities(&self) -> &[Endpoint] {
        match self {
            JointEnd::Free { velocity, .. } => velocity,
            JointEnd::Fixed(_) => &[],
        }
    }

    /// Inputs that it feeds.
    pub fn inputs(&self) -> &[Endpoint] {
        match self {
            JointEnd::Free { force, .. } => force,
            JointEnd::Fixed(_) => &[],
        }
    }
}

impl Constraint {
    /// Outputs that it reads.
    pub fn outputs(&self) -> impl Iterator<Item = &Endpoint> {
        self.ends.iter().flat_map(JointEnd::outputs)
    }

    /// Velocities that it reads.
    pub fn velocities(&self) -> impl Iterator<Item = &Endpoint> {
        self.ends.iter().flat_map(JointEnd::velocities)
    }

    /// Inputs that it feeds.
    pub fn inputs(&self) -> impl Iterator<Item = &Endpoint> {
        self.ends.iter().flat_map(JointEnd::inputs)
    }
}
