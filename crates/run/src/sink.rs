//! Where the rows of a run go.

use macrostep_import::isolation::interrupt;
use macrostep_master::record::Observer;
use macrostep_master::{RunError, SavedState, Simulation};

use crate::error::Error;
use crate::stream::Stream;

/// The receiver of the rows of a run, with data of its own beside the state of the run.
pub trait Sink: Observer {
    /// The file that rows go to.
    fn stream(&mut self) -> Option<&mut Stream>;

    /// Where nothing is left of a run that was continued: what is to be known at its end.
    ///
    /// # Errors
    /// What a unit answers.
    fn end(&mut self, simulation: &mut Simulation) -> Result<(), RunError>;

    /// Whether the run was ended from outside.
    fn is_cut(&self) -> bool {
        false
    }

    /// Whether somebody looks on, so that few macro steps are made at a time.
    fn is_watched(&self) -> bool {
        false
    }

    /// Shows what there is so far to who looks on.
    ///
    /// # Errors
    /// Where it cannot be put into words.
    fn show(&mut self, _simulation: &Simulation) -> Result<(), Error> {
        Ok(())
    }

    /// The run as it is written down.
    ///
    /// # Errors
    /// Where a state cannot be saved.
    fn saved_state(&mut self, simulation: &mut Simulation) -> Result<SavedState, RunError> {
        simulation.saved_state()
    }

    /// Whether the run ends where it is, because of its rows.
    fn is_done(&self) -> bool {
        false
    }
}

/// Whether a run whose rows go there is to go on.
#[inline]
pub fn goes_on(stream: Option<&Stream>) -> bool {
    !interrupt::asked() && stream.is_none_or(Stream::is_fine)
}
