//! What is found in a scenario, for a terminal.

use macrostep_system::{Finding, Severity, summary};

use crate::failure::Failure;

/// All errors but the last are printed, which ends the program.
pub fn findings_failure(findings: &[Finding]) -> Failure {
    let (errors, rest): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(|f| f.severity == Severity::Error);
    tell(&rest.into_iter().cloned().collect::<Vec<_>>());
    let Some((last, others)) = errors.split_last() else { return Failure::Run("the scenario cannot run".to_owned()) };
    for f in others {
        eprintln!("error: {f}");
    }
    Failure::Run(last.to_string())
}

/// Prints findings to standard error, many of one kind as one line.
pub fn tell(findings: &[Finding]) {
    show(&summary(findings));
}

/// Prints lines to standard error.
pub(super) fn show(lines: &[String]) {
    for line in lines {
        // A remark among them is one that `--quiet` leaves out.
        if !(line.starts_with("note: ") && crate::print::is_quiet()) {
            eprintln!("{line}");
        }
    }
}
