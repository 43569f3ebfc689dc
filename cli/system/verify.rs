//! `macrostep verify`: error bars of a result.

use crate::factory::CARRIED;
use std::path::Path;

use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::junit::Suite;
use macrostep_answers::print;
use macrostep_answers::system::arguments::VerifyArguments;
use macrostep_answers::system::verify::{failed, json, share, suite, table};
use macrostep_answers::system::{Opened, tell};
use macrostep_system::verify::verdict::Verdict;
use macrostep_system::verify::verify;

/// Verifies the scenario.
///
/// # Errors
/// [`Failure`] where one of the runs cannot be made, or the tolerance asked for is not met.
pub fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    // The report never overwrites what is read.
    let mut opened = Opened::new(&CARRIED, &arguments.system)?;
    opened.record(&arguments.record);
    let mut files = Files::default();
    files.reads_system(&arguments.system.system, &opened.document.scenario, Path::new(""));
    files.writes_option("--junit", arguments.junit.as_deref());
    files.are_apart()?;
    // The runs with this H, with smaller ones and with another schedule.
    let verified = verify(&opened.document.scenario, &opened, arguments.tolerance).map_err(failed);
    // The JUnit file is there also where no verdict could be found.
    if let Some(path) = &arguments.junit {
        let system = arguments.system.system.display().to_string();
        let heading = format!("macrostep verify {system}");
        let suite = match &verified {
            Ok(verification) => suite(heading, &system, verification),
            Err(failure) => Suite::error(heading, &system, failure),
        };
        suite.write(path)?;
    }
    let verification = verified?;
    // The verdict, in words or as one object.
    tell(&verification.findings);
    if arguments.json {
        print::line(json(&verification)?)?
    } else {
        print::prose(table(&verification))?
    }
    // An error above the tolerance asked for fails the command.
    match (&verification.verdict, verification.outputs.first()) {
        (Some(Verdict { tolerance, is_met: false, .. }), Some(worst)) => {
            let (found, name) = (share(worst.relative()), &worst.column.name);
            let allowed = share(*tolerance);
            Err(Failure::Inaccurate(format!("{found} at `{name}`, expected at most {allowed} (`--tolerance`)")))
        }
        // A tolerance that nothing was held against is not met.
        (Some(Verdict { is_met: false, .. }), None) => {
            let what = "no recorded real variable that is judged changes: `--tolerance` is held against nothing";
            Err(Failure::Run(format!("{what}; choose others with `--record`")))
        }
        _ => Ok(()),
    }
}
