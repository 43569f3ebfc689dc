//! `macrostep check FMU`: the strict rules, each violation with its rule and the section of FMI 2.0.5.

use std::path::PathBuf;

use clap::Args;
use macrostep_description::rules;
use macrostep_isolation::{Call, during};

use crate::failure::Failure;
use crate::{info, print};

/// `macrostep check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The FMU: a file, or a folder it was unpacked into
    #[arg(value_name = "FMU")]
    pub fmu: PathBuf,
    /// Leave the library alone: loading one runs its initialisers in this process
    #[arg(long)]
    pub no_library: bool,
}

/// Prints every violation on a line of its own.
///
/// # Errors
/// [`Failure::Run`] where there is one, or where the FMU cannot be read at all.
pub fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let fmu = info::open(&arguments.fmu)?;
    let mut lines: Vec<String> =
        fmu.warnings().iter().map(|w| format!("{w} (rule `form`, FMI 2.0.5, section 2.2)")).collect();
    lines.extend(rules::check(fmu.description()).iter().map(ToString::to_string));
    if !arguments.no_library {
        print::keep()?;
        let advice = "its library does this when it is loaded; `--no-library` leaves it alone";
        let found = during(fmu.name(), Call::Library, advice, || fmu.load());
        let found = found.map_err(|e| Failure::Run(e.to_string()))?;
        lines.extend(found.iter().map(|w| format!("{w} (rule `library`, FMI 2.0.5, section 2.3)")));
    }
    for line in &lines {
        print::line(line)?;
    }
    let file = arguments.fmu.display();
    if lines.is_empty() {
        return print::line(format!("`{file}` keeps all {} rules", rules::ALL.len() + 2));
    }
    let count = if lines.len() == 1 { "one place".to_owned() } else { format!("{} places", lines.len()) };
    Err(Failure::Run(format!(
        "`{file}` breaks the rules in {count}, listed above; `macrostep simulate` may still run it"
    )))
}
