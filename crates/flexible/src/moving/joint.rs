//! The joint that holds the reference frame in the world.

use serde::{Deserialize, Serialize};

/// A joint between the world and the reference connector; it locks motions of the frame along and about its own axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Joint {
    /// Nothing holds it.
    #[default]
    Free,
    /// The origin rests, all rotations are free.
    Ball,
    /// The origin rests, the frame turns about its x axis.
    HingeX,
    /// The origin rests, the frame turns about its y axis.
    HingeY,
    /// The origin rests, the frame turns about its z axis.
    HingeZ,
    /// The frame rests.
    Clamp,
}

impl Joint {
    /// All of them, in the order of the declaration.
    pub const ALL: [Joint; 6] = [Self::Free, Self::Ball, Self::HingeX, Self::HingeY, Self::HingeZ, Self::Clamp];

    /// Which of the six accelerations (along x, y, z, about x, y, z, in body axes) it locks at zero.
    pub fn locks(self) -> [bool; 6] {
        let turning = match self {
            Self::Free => return [false; 6],
            Self::Ball => [false; 3],
            Self::HingeX => [false, true, true],
            Self::HingeY => [true, false, true],
            Self::HingeZ => [true, true, false],
            Self::Clamp => [true; 3],
        };
        [true, true, true, turning[0], turning[1], turning[2]]
    }
}
