//! Why an FMU is not opened or not instantiated.

use macrostep_description::xml::ReadError;

use super::Face;

/// An FMU that cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[error("FMU `{fmu}`: {}", said_of(.fmu, .fault))]
pub struct FmuError {
    /// The file or name it was opened by.
    pub fmu: String,
    /// What is wrong.
    pub fault: Fault,
}

/// Faults of an FMU.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Fault {
    /// A file cannot be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// The file is not an archive that can be read.
    #[error("not a ZIP archive that can be read: {0}")]
    Archive(String),
    /// An entry of the archive that is refused.
    #[error("archive entry `{entry}`: found {found}, expected {expected}")]
    Entry {
        /// Its path in the archive.
        entry: String,
        /// What was found.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// Another program should serve it.
    #[error("{0}")]
    Remote(String),
    /// The description cannot be used.
    #[error(transparent)]
    Description(#[from] ReadError),
    /// It can be driven in no way.
    #[error("it offers neither a `CoSimulation` nor a `ModelExchange` element, expected one of them")]
    NothingOffered,
    /// The same of FMI 3.0.
    #[error(
        "an FMU of FMI 3.0 for {found} alone, expected one for co-simulation: export it again with a `CoSimulation` element, or as FMI 2.0 for model exchange"
    )]
    NothingOfferedOf3 {
        /// What it offers.
        found: &'static str,
    },
    /// It is of FMI 3.0, and is to be driven by its equations.
    #[error(
        "`face`: equations of FMI 3.0 are not integrated here: leave `face` out, or export it again as FMI 2.0 for model exchange"
    )]
    EquationsOf3,
    /// It cannot be driven in the way that is asked for.
    #[error(
        "`face`: found an FMU for {found} alone, expected one for {expected}: leave `face` out, or export it again for {expected} too"
    )]
    NoFace {
        /// What it offers.
        found: Face,
        /// What was asked for.
        expected: Face,
    },
    /// No library for this machine.
    #[error("no library for this machine: found {found}, expected `{expected}`")]
    NoLibrary {
        /// The files in `binaries/`.
        found: String,
        /// Where one was looked for.
        expected: String,
    },
    /// A library that is damaged or made for something else.
    #[error("library `{library}`: found {found}, expected {expected}")]
    Library {
        /// Its path.
        library: String,
        /// What was found.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// The library cannot be loaded.
    #[error("library `{library}` was not loaded: {reason}")]
    NotLoaded {
        /// Its path.
        library: String,
        /// What the system says.
        reason: String,
    },
    /// Functions every FMU must have are missing.
    #[error("library `{library}` lacks {}", .missing.join(", "))]
    Missing {
        /// Its path.
        library: String,
        /// Their names.
        missing: Vec<&'static str>,
    },
    /// An instance was asked for that must not be made.
    #[error("instance `{instance}`: {reason}")]
    Refused {
        /// Its name.
        instance: String,
        /// Why.
        reason: String,
    },
    /// `fmi2Instantiate`, or what it is in FMI 3.0, returned NULL.
    #[error("instance `{instance}`: {call} returned NULL{}", message_of(.message))]
    NotInstantiated {
        /// The function.
        call: &'static str,
        /// Its name.
        instance: String,
        /// What the FMU logged last.
        message: String,
    },
}

/// The fault, without the file's name where the FMU is that file.
fn said_of(fmu: &str, fault: &Fault) -> String {
    match fault {
        Fault::File { path, reason } if path == fmu => reason.clone(),
        other => other.to_string(),
    }
}

fn message_of(message: &str) -> String {
    if message.is_empty() { " and logged nothing".to_owned() } else { format!(": {message}") }
}

impl Fault {
    pub(super) fn of(self, fmu: &str) -> FmuError {
        FmuError { fmu: fmu.to_owned(), fault: self }
    }

    pub(crate) fn file(path: &std::path::Path, reason: &std::io::Error) -> Fault {
        Fault::File { path: path.display().to_string(), reason: reason.to_string() }
    }
}
