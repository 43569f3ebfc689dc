//! `macrostep new`: a scenario from FMUs, and the same on the fly for verbs that are given FMUs.

use std::path::{Path, PathBuf};

use clap::Args;
use macrostep_import::fmu::Fmu;
use macrostep_system::propose::{Proposal, propose};
use macrostep_system::scenario::Source;
use macrostep_system::{Document, Fmus, toml};

use crate::failure::Failure;
use crate::print;

/// `macrostep new`.
#[derive(Debug, Args)]
pub struct NewArguments {
    /// FMUs to couple, in the order in which they are to be stepped: files ending in .fmu, or folders
    #[arg(value_name = "FMU", required = true)]
    pub fmus: Vec<PathBuf>,
}

/// Prints the proposal as a scenario in TOML.
///
/// # Errors
/// [`Failure`] where an FMU cannot be read.
pub fn run(arguments: &NewArguments) -> Result<(), Failure> {
    print::line(text(&arguments.fmus)?.trim_end())
}

/// The proposal for these FMUs as TOML, with what it rests on in comments.
///
/// # Errors
/// [`Failure`] where an FMU cannot be read.
pub fn text(fmus: &[PathBuf]) -> Result<String, Failure> {
    let proposal = proposal(fmus)?;
    Ok(format!("{}\n{}", proposal.comments(), toml::write(&proposal.scenario)))
}

/// Whether this is an FMU, and no scenario.
pub fn is_fmu(path: &Path) -> bool {
    let ending = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fmu"));
    ending || path.join("modelDescription.xml").is_file()
}

/// The proposal for these FMUs as an open scenario; what it rests on goes to standard error.
///
/// # Errors
/// [`Failure`] where an FMU cannot be read.
pub fn document(fmus: &[PathBuf]) -> Result<Document, Failure> {
    let (document, proposal) = coupled(fmus)?;
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
pub fn coupled(fmus: &[PathBuf]) -> Result<(Document, Proposal), Failure> {
    let proposal = proposal(fmus)?;
    let document = Document { scenario: proposal.scenario.clone(), findings: Vec::new(), unpacked: Vec::new() };
    Ok((document, proposal))
}

fn proposal(fmus: &[PathBuf]) -> Result<Proposal, Failure> {
    let open = |path: &PathBuf| {
        if !is_fmu(path) {
            let text = format!("`{}` is no FMU, expected a file ending in .fmu or its folder", path.display());
            return Err(Failure::Usage(text));
        }
        let source = Source::file(path, path.display().to_string());
        let fmu: Fmu = Fmus::new(macrostep::embedded::fmu).fmu(&source).map_err(Failure::Run)?;
        Ok((source, std::sync::Arc::new(fmu.description().clone())))
    };
    Ok(propose(&fmus.iter().map(open).collect::<Result<Vec<_>, Failure>>()?))
}
