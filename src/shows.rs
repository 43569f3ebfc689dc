//! `macrostep shows`: numbers beside what they should be.

use crate::arguments::ShowsArguments;
use crate::failure::Failure;

/// Prints the table.
///
/// # Errors
/// [`Failure`].
pub fn run(_: &ShowsArguments) -> Result<(), Failure> {
    Ok(())
}
