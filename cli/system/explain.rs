//! `macrostep explain`: a description of a run.

use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_answers::system::Opened;
use macrostep_answers::system::explain::explain;

use super::arguments::ExplainArguments;
use crate::factory::CARRIED;

/// Explains the scenario.
///
/// # Errors
/// [`Failure`] where the scenario cannot run.
pub fn run(arguments: &ExplainArguments) -> Result<(), Failure> {
    let opened = Opened::in_full(&CARRIED, &arguments.system)?;
    let system = arguments.system.system.display().to_string();
    explain(&opened, &system, !arguments.no_run, &mut |text| print::prose(text))
}
