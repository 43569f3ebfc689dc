//! The first guess of a window that a corrector repeats, and the scales of its residual.

use crate::savable::savable;
use crate::step::sizes::Sizes;

savable! {
/// What is guessed, and what that is measured with.
#[derive(Default)]
pub(crate) struct GuessState {
    pub unknowns: Vec<f64>,
    /// What residuals are measured with, one an unknown.
    pub scale: Vec<f64>,
    /// What changes that are left undone are measured with, where windows are chosen.
    pub lasting: Vec<f64>,
    pub sizes: Sizes,
    /// Channel and component with the largest residual of the guess evaluated last.
    pub worst: (usize, usize),
}
}

impl GuessState {
    /// How many values there are.
    pub fn shape(&self) -> [usize; 2] {
        [self.unknowns.len(), self.scale.len()]
    }
}
