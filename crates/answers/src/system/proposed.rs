//! A scenario from FMUs: `macrostep new`, and the same on the fly where FMUs are given in place of a scenario.

use std::path::{Path, PathBuf};

use macrostep_import::fmu::Fmu;
use macrostep_system::propose::{Proposal, propose};
use macrostep_system::scenario::Source;
use macrostep_system::{Document, Fmus, toml};

use crate::Carried;
use crate::failure::Failure;

/// The proposal for these FMUs as TOML, with what it rests on in comments.
///
/// # Errors
/// [`Failure`] where an FMU cannot be read.
pub fn text(carried: &'static Carried, fmus: &[PathBuf]) -> Result<String, Failure> {
    let proposal = proposal(carried, fmus)?;
    Ok(format!("{}\n{}", proposal.comments(), toml::write(&proposal.scenario)))
}

/// Whether this is an FMU, and no scenario.
pub fn is_fmu(path: &Path) -> bool {
    let ending = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fmu"));
    let source = named(path);
    ending || matches!(source, Source::Embedded(_)) || source.is_remote() || path.join("modelDescription.xml").is_file()
}

/// What a path names, which may have letters that are no text.
pub fn named(path: &Path) -> Source {
    path.to_str().map_or_else(|| Source::file(path, path.display().to_string()), Source::named)
}

/// The proposal for these FMUs as an open scenario; what it rests on goes to standard error.
///
/// # Errors
/// [`Failure`] where an FMU cannot be read.
pub fn document(carried: &'static Carried, fmus: &[PathBuf]) -> Result<Document, Failure> {
    let (document, proposal) = coupled(carried, fmus)?;
    for line in &proposal.guesses {
        crate::print::remark!("note: proposed: {line}");
    }
    for line in &proposal.open {
        eprintln!("warning: left open: {line}");
    }
    let words: Vec<String> = fmus.iter().map(|path| path.display().to_string()).collect();
    crate::print::remark!(
        "note: `macrostep new {} > system.toml` writes this scenario to a file, to be changed",
        words.join(" ")
    );
    Ok(document)
}

/// The proposal for these FMUs, and its scenario opened.
///
/// # Errors
/// [`Failure`] where an FMU cannot be read.
pub fn coupled(carried: &'static Carried, fmus: &[PathBuf]) -> Result<(Document, Proposal), Failure> {
    let proposal = proposal(carried, fmus)?;
    let document = Document { scenario: proposal.scenario.clone(), findings: Vec::new(), unpacked: Vec::new() };
    Ok((document, proposal))
}

fn proposal(carried: &'static Carried, fmus: &[PathBuf]) -> Result<Proposal, Failure> {
    let open = |path: &PathBuf| {
        if !is_fmu(path) {
            let expected = "expected a file ending in .fmu, its folder, or `embedded:NAME` for one of this program's";
            return Err(Failure::Usage(format!("`{}` is no FMU, {expected}", path.display())));
        }
        let source = named(path);
        let fmu: Fmu = Fmus::new(carried.stored).fmu(&source).map_err(Failure::Run)?;
        Ok((source, std::sync::Arc::new(fmu.description().clone())))
    };
    Ok(propose(&fmus.iter().map(open).collect::<Result<Vec<_>, Failure>>()?))
}
