//! Why a verb failed: the message that the program prints, and its parts.

use macrostep_master::unit::UnitError;
use macrostep_master::{RunError, SystemError};
use macrostep_system::verify::Unverified;
use macrostep_system::{Finding, OpenError, Severity};

use crate::failure::Failure;

/// The kind of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// A run or a file failed.
    #[default]
    Failed,
    /// Words that make no sense.
    Usage,
    /// It was ended from outside.
    Interrupted,
}

/// A sentence, and its parts as far as they are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fault {
    /// What kind it is.
    pub kind: Kind,
    /// As the program says it, without `error:`.
    pub sentence: String,
    /// Name of the unit.
    pub unit: Option<Box<str>>,
    /// Name of the variable, or `UNIT.VARIABLE`.
    pub variable: Option<Box<str>>,
    /// When \[s\].
    pub time_s: Option<f64>,
    /// What was found.
    pub found: Option<Box<str>>,
    /// What was expected.
    pub expected: Option<Box<str>>,
}

impl Fault {
    /// A fault from a message; the found and expected values are taken from the message.
    pub fn new(kind: Kind, sentence: impl Into<String>) -> Fault {
        let sentence = sentence.into();
        let [unit, variable] = ["unit `", "variable `"].map(|before| between(&sentence, before, "`"));
        let found = between(&sentence, "found ", ", expected ");
        let expected = between(&sentence, "expected ", ";");
        Fault { kind, unit, variable, time_s: None, found, expected, sentence }
    }

    /// Words that make no sense.
    pub fn usage(sentence: impl Into<String>) -> Fault {
        Fault::new(Kind::Usage, sentence)
    }

    /// A run or a file that failed.
    pub fn failed(sentence: impl Into<String>) -> Fault {
        Fault::new(Kind::Failed, sentence)
    }
}

/// What stands between two texts, or from the first to the end.
fn between(text: &str, before: &str, behind: &str) -> Option<Box<str>> {
    let rest = &text[text.find(before)? + before.len()..];
    let end = rest.find(behind).unwrap_or(rest.len());
    Some(rest[..end].into())
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Fault {
        match failure {
            Failure::Simulation(error) => Fault::from(error),
            Failure::Usage(sentence) => Fault::usage(sentence),
            other => Fault::failed(other.to_string()),
        }
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Fault {
        Fault::failed(error.to_string())
    }
}

impl From<UnitError> for Fault {
    fn from(error: UnitError) -> Fault {
        // What is no unit knows no time.
        let (unit, time_s, found) = (
            Some(error.unit.as_str().into()),
            Some(error.t_s).filter(|t| t.is_finite()),
            Some(error.status.to_string().into()),
        );
        let expected = Some(if error.call.starts_with("fmi3") { "fmi3OK" } else { "fmi2OK" }.into());
        Fault { kind: Kind::Failed, sentence: error.to_string(), unit, variable: None, time_s, found, expected }
    }
}

impl From<SystemError> for Fault {
    fn from(error: SystemError) -> Fault {
        Fault::failed(error.to_string())
    }
}

impl From<RunError> for Fault {
    fn from(error: RunError) -> Fault {
        // The message is there in every case; what else a script can ask for follows from the kind of error.
        let plain = Fault::failed(error.to_string());
        match error {
            // Errors of a unit and of the wiring have fields of their own.
            RunError::Unit(error) => Fault::from(error),
            RunError::System(error) => Fault::from(error),
            // A unit that did not do what was asked of it, or cannot.
            RunError::Discarded { unit, t_s, step_s, reached_s, .. } => {
                let [found, expected] = [reached_s, t_s + step_s].map(|t_s| Some(format!("{t_s} s").into()));
                Fault { unit: Some(unit.into()), time_s: Some(t_s), found, expected, ..plain }
            }
            RunError::Capability { unit, capability, .. } => {
                Fault { unit: Some(unit.into()), expected: Some(capability.into()), ..plain }
            }
            RunError::DenseOutput { unit, needed } => Fault {
                unit: Some(unit.into()),
                variable: Some(needed.as_str().into()),
                expected: Some(needed.into()),
                ..plain
            },
            // A setting, with what it should have been.
            RunError::Grid { found, expected, .. } => {
                Fault { found: Some(found.into()), expected: Some(expected.into()), ..plain }
            }
            // Numbers in the run that say it has gone wrong, with their limits.
            RunError::Diverged(d) => {
                let unit = d.signal.split_once('.').map(|(unit, _)| unit.into());
                let found = Some(format!("{:e}", d.found).into());
                let expected = Some("a finite number up to 1e100".into());
                Fault { unit, time_s: Some(d.t_s), variable: Some(d.signal.into()), found, expected, ..plain }
            }
            RunError::VirtualWork { t_s, found, limit } => {
                let (found, expected) = (Some(format!("{found:e}").into()), Some(format!("at most {limit:e}").into()));
                Fault { time_s: Some(t_s), found, expected, ..plain }
            }
            RunError::Zeno { t_s, found, most, .. } => {
                let (found, expected) = (found.to_string(), format!("at most {most}"));
                Fault { time_s: Some(t_s), found: Some(found.into()), expected: Some(expected.into()), ..plain }
            }
            // Constraints that are open or cannot be closed, and an order that the message says all of.
            RunError::Open { found, limit, .. } => {
                let (found, expected) = (Some(format!("{found:e}").into()), Some(format!("at most {limit:e}").into()));
                Fault { found, expected, ..plain }
            }
            RunError::Unmoved { found, .. } => Fault { found: Some(format!("{found:e}").into()), ..plain },
            RunError::Schedule { .. } => plain,
        }
    }
}

impl From<&[Finding]> for Fault {
    /// All errors, a line each; the parts are those of the first.
    fn from(findings: &[Finding]) -> Fault {
        let errors = findings.iter().filter(|f| f.severity == Severity::Error).map(ToString::to_string);
        let errors: Vec<String> = errors.collect();
        let first = Fault::failed(errors.first().map_or("the scenario cannot run", String::as_str));
        if errors.len() > 1 { Fault { sentence: errors.join("\n"), ..first } } else { first }
    }
}

impl From<Unverified> for Fault {
    fn from(error: Unverified) -> Fault {
        match error {
            Unverified::Findings(findings) => Fault::from(findings.as_slice()),
            Unverified::Run(which, e) => {
                let sentence = format!("the run with {which}: {e}");
                Fault { sentence, ..Fault::from(e) }
            }
        }
    }
}
