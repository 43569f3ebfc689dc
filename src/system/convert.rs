//! `macrostep convert`: TOML to SSP and back, with the FMUs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use macrostep::embedded;
use macrostep_description::ModelDescription;
use macrostep_import::fmu::regular;
use macrostep_system::check::keep_known;
use macrostep_system::scenario::{InputFile, Source};
use macrostep_system::ssp::{self, Entry};
use macrostep_system::{Catalogue, Document, Finding, Fmus, Scenario, check, toml};
use std::sync::Arc;

use super::arguments::ConvertArguments;
use super::{document, findings_failure, name, tell};
use crate::distinct::Files;
use crate::failure::Failure;
use crate::print;

/// Reads one format and writes another.
///
/// # Errors
/// [`Failure`] where the scenario is wrong or a file cannot be written.
pub fn run(arguments: &ConvertArguments) -> Result<(), Failure> {
    let document = document(&arguments.from)?;
    let mut files = Files::default();
    if name(&arguments.from).is_none() {
        files.reads("scenario", &arguments.from);
    }
    files.reads_units(&document.scenario, Path::new(""));
    files.writes("TO", &arguments.to);
    files.are_apart()?;
    tell(&document.findings);
    convert(&document, &arguments.to, &mut |path| print::line(path.display()))
}

/// Told of each file that was written.
type Told<'a> = &'a mut dyn FnMut(&Path) -> Result<(), Failure>;

/// Writes a document in the format that the ending of `to` says, with its FMUs.
///
/// # Errors
/// As [`run`], and those of `told`.
pub fn convert(document: &Document, to: &Path, told: Told<'_>) -> Result<(), Failure> {
    let told = RefCell::new(told);
    let file = |path: &Path, bytes: &[u8]| write(path, bytes).and_then(|()| (told.borrow_mut())(path));
    let fmus = Fmus::new(embedded::packed);
    let findings = check(&document.scenario, &fmus);
    if macrostep_system::check::fails(&findings) {
        return Err(findings_failure(&findings));
    }
    let mut document = document.clone();
    let descriptions: Result<Vec<_>, String> =
        document.scenario.units.iter().map(|u| fmus.description(&u.source)).collect();
    keep_known(&mut document.scenario, &descriptions.map_err(Failure::Run)?);
    let ending = to.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    if let Some(file) = document.scenario.inputs.first().filter(|_| ending.as_deref() != Some("toml")) {
        let what = format!("`{}`: SSP has no words for inputs from a file: write a .toml", file.shown);
        return Err(Failure::Run(format!("{}{what}", file.place)));
    }
    let folder = to.parent().unwrap_or(Path::new(""));
    match ending.as_deref() {
        Some("toml") => {
            let unpacked = !document.unpacked.is_empty();
            let scenario = placed(&document.scenario, folder, &fmus, unpacked.then_some(&file))?;
            file(to, toml::write(&scenario).as_bytes())
        }
        Some("ssd") => {
            let names = names(&document.scenario);
            for (source, name) in distinct(&document.scenario, &names) {
                resource(folder, &name, source, &fmus, &file)?;
            }
            let text = description(&document.scenario, &fmus, &names)?;
            file(to, text.as_bytes())
        }
        Some("ssp") => {
            let names = names(&document.scenario);
            let text = description(&document.scenario, &fmus, &names)?;
            let mut entries = vec![Entry { path: ssp::MAIN.to_owned(), bytes: text.into_bytes() }];
            for (source, name) in distinct(&document.scenario, &names) {
                entries.push(Entry { path: name, bytes: fmus.bytes(source).map_err(Failure::Run)? });
            }
            // In memory first: a packer that cannot write says so in its own words.
            let mut archive = Cursor::new(Vec::new());
            ssp::pack(&entries, &mut archive).map_err(Failure::file(to))?;
            file(to, archive.get_ref())
        }
        _ => Err(Failure::Usage(format!("`{}`: expected a file ending in .toml, .ssd or .ssp", to.display()))),
    }
}

/// Where each unit's FMU is put: `resources/NAME.fmu`, one file for each FMU.
fn names(s: &Scenario) -> Vec<String> {
    let mut by_source: BTreeMap<&Source, String> = BTreeMap::new();
    s.units
        .iter()
        .map(|unit| {
            let taken: Vec<String> = by_source.values().cloned().collect();
            let name = by_source.entry(&unit.source).or_insert_with(|| {
                let stem = unit.source.stem();
                let free = |name: &String| !taken.contains(name);
                let numbered = (2..).map(|n| format!("resources/{stem}-{n}.fmu"));
                let mut candidates = std::iter::once(format!("resources/{stem}.fmu")).chain(numbered);
                candidates.find(free).unwrap_or_default()
            });
            name.clone()
        })
        .collect()
}

fn distinct<'a>(s: &'a Scenario, names: &[String]) -> BTreeMap<&'a Source, String> {
    s.units.iter().map(|u| &u.source).zip(names.iter().cloned()).collect()
}

fn description(s: &Scenario, fmus: &Fmus, names: &[String]) -> Result<String, Failure> {
    let descriptions: Result<Vec<Arc<ModelDescription>>, String> =
        s.units.iter().map(|u| fmus.description(&u.source)).collect();
    let uris: Vec<String> = names.iter().map(|n| encoded(n)).collect();
    let (text, losses): (String, Vec<Finding>) = ssp::write(s, &descriptions.map_err(Failure::Run)?, &uris);
    tell(&losses);
    Ok(text)
}

/// What a URI may not hold, as bytes in hexadecimal (RFC 3986, section 2).
fn encoded(path: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    path.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Writes a file.
type Write<'a> = &'a dyn Fn(&Path, &[u8]) -> Result<(), Failure>;

/// The scenario with FMUs where TOML in `folder` finds them: copied there by `write`, where they are in an archive.
pub fn placed(s: &Scenario, folder: &Path, fmus: &Fmus, write: Option<Write<'_>>) -> Result<Scenario, Failure> {
    let mut out = s.clone();
    let names = names(s);
    let base = folder.canonicalize().unwrap_or_default();
    let input = |file: &mut InputFile| -> Result<(), Failure> {
        let absolute = file.path.canonicalize().map_err(Failure::file(&file.path))?;
        file.shown = absolute.strip_prefix(&base).unwrap_or(&absolute).display().to_string();
        Ok(())
    };
    out.inputs.iter_mut().try_for_each(input)?;
    if let Some(write) = write {
        for (source, name) in distinct(s, &names).into_iter().filter(|(s, _)| matches!(s, Source::File { .. })) {
            resource(folder, &name, source, fmus, write)?;
        }
    }
    for (unit, name) in out.units.iter_mut().zip(names) {
        let Source::File { path, shown } = &mut unit.source else { continue };
        *shown = if write.is_some() {
            name
        } else {
            let absolute = path.canonicalize().map_err(Failure::file(path))?;
            absolute.strip_prefix(&base).unwrap_or(&absolute).display().to_string()
        };
    }
    Ok(out)
}

fn resource(folder: &Path, name: &str, source: &Source, fmus: &Fmus, write: Write<'_>) -> Result<(), Failure> {
    let bytes = fmus.bytes(source).map_err(Failure::Run)?;
    let path = folder.join(name);
    // Where it is there already with the same content, it is left alone.
    if regular::read(&path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    write(&path, &bytes)
}

/// Writes a file, whole or not at all; folders are made if missing.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(Failure::file(parent))?;
    }
    // What is no file, as a device, is written as it is.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes).map_err(Failure::file(path));
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = Path::new(&beside);
    let written = std::fs::write(beside, bytes).and_then(|()| std::fs::rename(beside, path));
    written.map_err(|e| {
        let _ = std::fs::remove_file(beside);
        Failure::file(path)(e)
    })
}
