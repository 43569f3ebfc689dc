//! TOML to SSP and back, with the FMUs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use macrostep_description::ModelDescription;
use macrostep_import::address::is_address;
use macrostep_import::fmu::regular;
use macrostep_system::check::keep_known;
use macrostep_system::scenario::Source;
use macrostep_system::ssp::{self, Entry};
use macrostep_system::{Catalogue, Document, Finding, Fmus, Scenario, check, toml};
use std::sync::Arc;

use super::{findings_failure, tell};
use crate::Carried;
use crate::failure::Failure;

/// Called with each file that was written.
type Written<'a> = &'a mut dyn FnMut(&Path) -> Result<(), Failure>;

/// Writes a document in the format of the file extension of `to`, with its FMUs.
///
/// # Errors
/// [`Failure`] where the scenario is wrong or a file cannot be written, and those of `told`.
pub fn convert(carried: &'static Carried, document: &Document, to: &Path, told: Written<'_>) -> Result<(), Failure> {
    // Each file is told of when it is written.
    let told = RefCell::new(told);
    let file = |path: &Path, bytes: &[u8]| write(path, bytes).and_then(|()| (told.borrow_mut())(path));
    // Only a sound system is written, with FMUs that can be read.
    let fmus = Fmus::new(carried.packed);
    let mut document = document.clone();
    document.scenario.connect_elements(|source| fmus.description(source).ok());
    let findings = check(&document.scenario, &fmus);
    if macrostep_system::check::fails(&findings) {
        return Err(findings_failure(&findings));
    }
    // Without what a parameter set offers to units that lack the variable.
    let descriptions: Result<Vec<_>, String> =
        document.scenario.units.iter().map(|u| fmus.description(&u.source)).collect();
    keep_known(&mut document.scenario, &descriptions.map_err(Failure::Run)?);
    // The ending says the format; FMUs go beside a description, or into the archive.
    let ending = to.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let folder = to.parent().unwrap_or(Path::new(""));
    match ending.as_deref() {
        Some("toml") => {
            let unpacked = !document.unpacked.is_empty();
            // FMUs of an unpacked archive go beside the scenario, which else names them where they are.
            let scenario = placed(&document.scenario, folder, &fmus, unpacked.then_some(&file))?;
            file(to, toml::write(&scenario).as_bytes())
        }
        Some("ssd") => {
            let package = Package::new(&document.scenario, &fmus, true)?;
            package.put(folder, &file)?;
            file(to, package.description(&document.scenario, &fmus)?.as_bytes())
        }
        Some("ssp") => {
            let archive = Package::new(&document.scenario, &fmus, true)?.archive(&document.scenario, &fmus, to)?;
            file(to, &archive)
        }
        _ => Err(Failure::Usage(format!("`{}`: expected a file ending in .toml, .ssd or .ssp", to.display()))),
    }
}

/// A scenario with its FMUs and files of inputs at `resources/NAME`, one file for each.
pub struct Package {
    /// It names them there.
    scenario: Scenario,
    entries: Vec<Entry>,
}

impl Package {
    /// Everything a scenario is made of; the FMUs this program carries are left out where `with_carried` is false.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn new(s: &Scenario, fmus: &Fmus, with_carried: bool) -> Result<Package, Failure> {
        let mut package = Package { scenario: s.clone(), entries: Vec::new() };
        // Each FMU once.
        let mut known: BTreeMap<&Source, String> = BTreeMap::new();
        for (u, unit) in s.units.iter().enumerate() {
            if !with_carried && matches!(unit.source, Source::Embedded(_)) {
                continue;
            }
            if !known.contains_key(&unit.source) {
                let bytes = fmus.bytes(&unit.source).map_err(Failure::Run)?;
                known.insert(&unit.source, package.add(&unit.source.stem(), "fmu", bytes));
            }
            let shown = known.get(&unit.source).cloned().unwrap_or_default();
            package.scenario.units[u].source = Source::file(&shown, shown.as_str()).driven_as(&unit.source);
        }
        for (i, input) in s.inputs.iter().enumerate() {
            let bytes = regular::read(&input.path).map_err(Failure::file(&input.path))?;
            let stem = input.path.file_stem().unwrap_or_default().to_string_lossy();
            package.scenario.inputs[i].shown = package.add(&stem, "csv", bytes);
        }
        Ok(package)
    }

    /// Adds a file under a name that is free, and says which.
    fn add(&mut self, stem: &str, ending: &str, bytes: Vec<u8>) -> String {
        let numbered = (2..).map(|n| format!("resources/{stem}-{n}.{ending}"));
        let mut names = std::iter::once(format!("resources/{stem}.{ending}")).chain(numbered);
        let path = names.find(|name| self.entries.iter().all(|e| e.path != *name)).unwrap_or_default();
        self.entries.push(Entry { path: path.clone(), bytes });
        path
    }

    /// The first file that a folder has under the name of one of these or of its scenario, with other content.
    pub fn other(&self, folder: &Path, scenario: &Path) -> Option<PathBuf> {
        let is_other = |path: &Path, bytes: &[u8]| {
            path.symlink_metadata().is_ok() && !regular::read(path).is_ok_and(|old| old == bytes)
        };
        let entries = self.entries.iter().map(|entry| (folder.join(&entry.path), entry.bytes.as_slice()));
        let toml = self.toml();
        let mut all = entries.chain([(scenario.to_owned(), toml.as_bytes())]);
        all.find(|(path, bytes)| is_other(path, bytes)).map(|(path, _)| path)
    }

    /// Puts the files into a folder by `write`; those that are there with the same content are left alone.
    ///
    /// # Errors
    /// Where one cannot be written.
    pub fn put(&self, folder: &Path, write: Write<'_>) -> Result<(), Failure> {
        for Entry { path, bytes } in &self.entries {
            let path = folder.join(path);
            if !regular::read(&path).is_ok_and(|old| old == *bytes) {
                write(&path, bytes)?;
            }
        }
        Ok(())
    }

    /// The scenario in TOML.
    pub fn toml(&self) -> String {
        toml::write(&self.scenario)
    }

    /// The scenario `s` in SSP; what that has no words for goes to standard error.
    fn description(&self, s: &Scenario, fmus: &Fmus) -> Result<String, Failure> {
        let uris: Vec<String> = self.scenario.units.iter().map(|u| encoded(&u.source.to_string())).collect();
        let (text, losses): (String, Vec<Finding>) = ssp::write(&self.scenario, &descriptions(s, fmus)?, &uris);
        tell(&losses);
        Ok(text)
    }

    /// The scenario `s` with all files as an archive to be written to `path`.
    ///
    /// # Errors
    /// Where an FMU cannot be read.
    pub fn archive(self, s: &Scenario, fmus: &Fmus, path: &Path) -> Result<Vec<u8>, Failure> {
        let text = self.description(s, fmus)?;
        let main = Entry { path: ssp::MAIN.to_owned(), bytes: text.into_bytes() };
        let values = ssp::parameters(s, &descriptions(s, fmus)?);
        let values = values.map(|text| Entry { path: ssp::VALUES.to_owned(), bytes: text.into_bytes() });
        let entries: Vec<Entry> = std::iter::once(main).chain(values).chain(self.entries).collect();
        // In memory first: a packer that cannot write says so in its own words.
        let mut archive = Cursor::new(Vec::new());
        ssp::pack(&entries, &mut archive).map_err(Failure::file(path))?;
        Ok(archive.into_inner())
    }
}

/// What the FMUs of a scenario declare.
fn descriptions(s: &Scenario, fmus: &Fmus) -> Result<Vec<Arc<ModelDescription>>, Failure> {
    let all: Result<_, String> = s.units.iter().map(|u| fmus.description(&u.source)).collect();
    all.map_err(Failure::Run)
}

/// What a URI may not hold, as bytes in hexadecimal (RFC 3986, section 2).
fn encoded(path: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    path.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Writes a file.
pub type Write<'a> = &'a dyn Fn(&Path, &[u8]) -> Result<(), Failure>;

/// The scenario with FMUs and files of inputs where TOML in `folder` finds them: copied there by `write`, where they are in an
/// archive.
pub fn placed(s: &Scenario, folder: &Path, fmus: &Fmus, write: Option<Write<'_>>) -> Result<Scenario, Failure> {
    if let Some(write) = write {
        let package = Package::new(s, fmus, false)?;
        package.put(folder, write)?;
        return Ok(package.scenario);
    }
    let mut out = s.clone();
    let base = folder.canonicalize().unwrap_or_default();
    let found = |path: &Path| -> Result<String, Failure> {
        let absolute = path.canonicalize().map_err(Failure::file(path))?;
        Ok(absolute.strip_prefix(&base).unwrap_or(&absolute).display().to_string())
    };
    for file in &mut out.inputs {
        file.shown = found(&file.path)?;
    }
    for unit in &mut out.units {
        if let Source::File { path, shown, .. } = &mut unit.source
            && !is_address(path)
        {
            *shown = found(path)?;
        }
    }
    Ok(out)
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
