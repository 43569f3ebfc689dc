//! Checks that no file that a run reads is written, and that no file is written for two purposes.

use std::path::{Component, Path, PathBuf};

use macrostep_run::identity;
use macrostep_system::Scenario;
use macrostep_system::scenario::Source;

use crate::checkpoint::CheckpointArguments;
use crate::failure::Failure;
use crate::system::name;

/// The files of a run, each with its purpose.
#[derive(Debug, Default)]
pub struct Files {
    read: Vec<(&'static str, PathBuf)>,
    written: Vec<(&'static str, PathBuf)>,
}

impl Files {
    /// A file that is read.
    pub fn reads(&mut self, what: &'static str, path: &Path) {
        self.read.push((what, path.to_owned()));
    }

    /// As [`Files::reads`], where an option names one.
    pub fn reads_option(&mut self, option: &'static str, path: Option<&Path>) {
        path.into_iter().for_each(|path| self.reads(option, path));
    }

    /// A system as it was typed, with its FMUs and its files of inputs; relative paths begin in `folder`.
    pub fn reads_system(&mut self, system: &Path, scenario: &Scenario, folder: &Path) {
        for unit in &scenario.units {
            if let Source::File { path, .. } = &unit.source {
                self.reads("FMU", &folder.join(path));
            }
        }
        // Where FMUs stand in its place there is no scenario.
        let system_file = folder.join(system);
        if name(system).is_none() && self.read.iter().all(|(_, path)| *path != system_file) {
            self.reads("scenario", &system_file);
        }
        scenario.inputs.iter().for_each(|file| self.reads("inputs", &folder.join(&file.path)));
    }

    /// A file that is written.
    pub fn writes(&mut self, option: &'static str, path: &Path) {
        self.written.push((option, path.to_owned()));
    }

    /// As [`Files::writes`], where an option names one.
    pub fn writes_option(&mut self, option: &'static str, path: Option<&Path>) {
        path.into_iter().for_each(|path| self.writes(option, path));
    }

    /// Files of these names in the folder of `--out`, where there is one.
    pub fn writes_in(&mut self, folder: Option<&Path>, names: &[&str]) {
        for name in names {
            self.writes_option("--out", folder.map(|folder| folder.join(name)).as_deref());
        }
    }

    /// The checkpoint that is written; it may be the one that is continued.
    pub fn checkpoints(&mut self, arguments: &CheckpointArguments) {
        self.writes_option("--checkpoint", arguments.checkpoint.as_deref());
        let same = |a: &PathBuf, b: &PathBuf| is_same(a, b);
        if let Some(resume) = &arguments.resume
            && !arguments.checkpoint.as_ref().is_some_and(|checkpoint| same(checkpoint, resume))
        {
            self.reads("--resume", resume);
        }
    }

    /// Checks that no file is used for two purposes.
    ///
    /// # Errors
    /// [`Failure::Usage`] with both.
    pub fn are_apart(&self) -> Result<(), Failure> {
        for (n, (option, path)) in self.written.iter().enumerate() {
            let others = self.read.iter().chain(&self.written[..n]);
            if let Some((what, other)) = others.into_iter().find(|(_, other)| is_same(path, other)) {
                // As the user sees them: in the working folder, where it is still that of the command line.
                let here = std::env::current_dir().unwrap_or_default();
                let [path, other] = [path, other].map(|path| path.strip_prefix(&here).unwrap_or(path).display());
                let whose = if what.starts_with("--") { format!("file of `{what}`") } else { (*what).to_owned() };
                return Err(Failure::Usage(format!(
                    "`{option} {path}` would overwrite `{other}`, the {whose}: choose another name"
                )));
            }
        }
        // What cannot be written is said before the work, not after it. Folders of `--out` are made and claimed before.
        let files = self.written.iter().filter(|(option, _)| *option != "--out");
        files.into_iter().try_for_each(|(_, path)| can_write(path))
    }
}

/// Looks whether a file can be made, or the one that is there replaced.
fn can_write(path: &Path) -> Result<(), Failure> {
    // A pipe or a device takes what it is given; who cannot be written to says so then.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Ok(());
    }
    if path.is_dir() {
        let shown = path.display();
        return Err(Failure::Run(format!("`{shown}`: found a folder, expected the name of a file")));
    }
    // The folder, or the one it will be made in, takes a new file.
    let whole = std::path::absolute(path).map_err(Failure::file(path))?;
    let folder = whole.ancestors().skip(1).find(|folder| folder.exists()).unwrap_or(Path::new("."));
    if std::fs::metadata(path).is_ok() && std::fs::OpenOptions::new().append(true).open(path).is_ok() {
        return Ok(());
    }
    tempfile::Builder::new().prefix(".macrostep-").tempfile_in(folder).map(drop).map_err(Failure::file(path))
}

/// Whether two names mean one file, which need not exist yet.
fn is_same(a: &Path, b: &Path) -> bool {
    if let (Ok(a), Ok(b)) = (std::fs::metadata(a), std::fs::metadata(b))
        && (a.is_file() || b.is_file())
        && let (Some(a), Some(b)) = (identity(&a), identity(&b))
    {
        return a == b;
    }
    place(a) == place(b) && place(a).is_some()
}

/// A file's path from the root, links resolved as far as there is something.
fn place(path: &Path) -> Option<PathBuf> {
    let mut place = PathBuf::new();
    for part in std::path::absolute(path).ok()?.components() {
        match part {
            Component::ParentDir => {
                place.pop();
            }
            part => place.push(part),
        }
        place = std::fs::canonicalize(&place).unwrap_or(place);
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_by_two_names_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("deep")).expect("a folder");
        std::fs::write(at("a"), "").expect("a file");
        std::fs::write(at("b"), "").expect("a file");
        std::fs::hard_link(at("a"), at("linked")).expect("a link");
        for (a, b, same) in [
            ("a", "a", true),
            ("a", "deep/../a", true),
            ("a", "b", false),
            ("none", "deep/../none", true),
            ("none", "a", false),
            ("new/x", "new/../new/x", true),
        ] {
            assert_eq!(is_same(&at(a), &at(b)), same, "{a} {b}");
        }
        #[cfg(unix)]
        assert!(is_same(&at("a"), &at("linked")));
    }

    /// Folders that are made later are no fault; a file in place of a folder, a folder in place of a file, and a folder that does not
    /// take files are.
    #[test]
    fn what_cannot_be_written_is_found_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "kept").expect("a file");
        for name in ["file", "new", "none/deep/new"] {
            assert!(can_write(&at(name)).is_ok(), "{name}");
        }
        for name in ["", "file/new"] {
            assert!(can_write(&at(name)).is_err(), "{name}");
        }
        #[cfg(target_os = "linux")]
        assert!(can_write(Path::new("/proc/1/new")).is_err() && can_write(Path::new("/dev/null")).is_ok());
        // Nothing was made or changed.
        assert_eq!(std::fs::read_to_string(at("file")).expect("read"), "kept");
        assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 1);
    }
}
