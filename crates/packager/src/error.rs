//! Errors of packing an FMU.

use macrostep_description::rules::Violation;
use macrostep_description::xml::ReadError;

use crate::Platform;

/// An FMU that cannot be packed or merged.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The description breaks rules of the standard.
    #[error("`{model}` breaks {} rules of FMI 2.0: {}", .violations.len(), listed(.violations))]
    Violations {
        /// `modelName`.
        model: String,
        /// All of them.
        violations: Vec<Violation>,
    },
    /// No library, so nobody could run it.
    #[error("`{model}` has no library: build its `cdylib` and pass it as `Library`")]
    NoLibrary {
        /// `modelName`.
        model: String,
    },
    /// A library of another platform than said, or no library.
    #[error("`{name}` begins with {found}, expected a library for {} ({expected})", .platform.folder())]
    NotForPlatform {
        /// File name in the archive.
        name: String,
        /// What it was given as.
        platform: Platform,
        /// Its first bytes.
        found: String,
        /// What a library of that platform begins with.
        expected: &'static str,
    },
    /// Two libraries for one platform.
    #[error("two libraries for {}: pass one", .platform.folder())]
    Twice {
        /// The platform.
        platform: Platform,
    },
    /// FMUs of different models, or of different versions of one.
    #[error(
        "FMU {at} has another `modelDescription.xml` than FMU 1 (GUID `{found}`, expected `{expected}`): build both from the same sources"
    )]
    Different {
        /// Which one, from 1.
        at: usize,
        /// Its GUID.
        found: String,
        /// The GUID of the first.
        expected: String,
    },
    /// An FMU to merge with has no usable description.
    #[error("the FMU to merge into has no usable `modelDescription.xml`: {0}")]
    Description(#[from] ReadError),
    /// An FMU to merge with lacks its description or its co-simulation part.
    #[error("the FMU to merge into lacks {0}")]
    Lacks(&'static str),
    /// The archive cannot be read or written.
    #[error("archive: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// Bytes cannot be read or written.
    #[error("archive entry: {0}")]
    Io(#[from] std::io::Error),
    /// The picture cannot be encoded.
    #[error("model.png: {0}")]
    Picture(#[from] png::EncodingError),
}

fn listed(violations: &[Violation]) -> String {
    const SHOWN: usize = 10;
    let mut lines: Vec<String> = violations.iter().take(SHOWN).map(|v| format!("\n  {v}")).collect();
    if violations.len() > SHOWN {
        lines.push(format!("\n  … and {} more", violations.len() - SHOWN));
    }
    lines.concat()
}
