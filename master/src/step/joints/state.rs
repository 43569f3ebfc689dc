//! The state of the joints in a run.

use crate::savable::savable;

savable! {
/// What is known of the joints of a run.
#[derive(Default)]
pub(crate) struct JointsState {
    /// W from differences, by rows; empty until it is made, and where it is to be made anew.
    pub mobility: Vec<f64>,
    /// Gap and rate of each joint at the end of the window run last, and the size of its coordinates; and the largest of all windows.
    pub present: Vec<[f64; 3]>,
    pub largest: Vec<[f64; 3]>,
    /// What forces of each joint are measured with at least.
    pub floor: Vec<f64>,
    /// D, by rows; see [`super::turning::Turning`].
    pub turn: Vec<f64>,
    /// M, by rows, and the length of the windows it is of \[s\]; see [`super::secant::Secant`].
    pub correction: Vec<f64>,
    pub correction_s: f64,
}
}

impl JointsState {
    /// How many joints there are.
    pub fn shape(&self) -> [usize; 5] {
        [self.present.len(), self.largest.len(), self.floor.len(), self.turn.len(), self.correction.len()]
    }
}
