//! What watches a run of the command line: a bar, the file of rows, checkpoints, interrupts.

use indicatif::ProgressBar;
use macrostep::pair::{Wish, Witness};
use macrostep_import::isolation::interrupt;
use macrostep_master::Memento;
use macrostep_master::record::Observer;

use crate::checkpoint::Keeper;
use crate::failure::Failure;
use crate::stream::Stream;

/// The watch over one run.
pub struct Watch {
    /// Seen on a terminal only.
    pub bar: ProgressBar,
    /// Rows, as they come.
    pub stream: Option<Stream>,
    /// Checkpoints.
    pub keeper: Option<Keeper>,
    /// Points done when it was asked last.
    pub asked: u64,
    /// What went wrong here, which ends the run.
    pub failure: Option<Failure>,
}

impl Observer for Watch {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        if let Some(stream) = &mut self.stream {
            stream.row(t_s, values);
        }
    }
}

impl Witness for Watch {
    fn progress(&mut self, points: u64) {
        self.bar.inc(points);
    }

    fn wish(&mut self, points: u64) -> Wish {
        if let Some(Err(failure)) = self.stream.as_mut().map(Stream::check) {
            self.failure = Some(failure);
            return Wish::End { keeping: false };
        }
        if interrupt::asked() {
            return Wish::End { keeping: self.keeper.is_some() };
        }
        let Some(keeper) = &self.keeper else { return Wish::GoOn(u64::MAX) };
        let is_new = std::mem::replace(&mut self.asked, points) != points;
        if is_new && keeper.is_due(points) { Wish::Keep } else { Wish::GoOn(keeper.next(points)) }
    }

    fn keep(&mut self, points: u64, memento: Memento) -> bool {
        let Some(keeper) = &mut self.keeper else { return true };
        let kept = keeper.keep(points, memento, self.stream.as_mut());
        self.failure = kept.err();
        self.failure.is_none()
    }
}
