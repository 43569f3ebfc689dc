//! An FMU that is open: unpacked, its description read, its library loaded when the first instance is made.

use std::fmt;
use std::fs;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use macrostep_description::xml::{self, Warning};
use macrostep_description::{CoSimulation, ModelDescription, Terminal};

use super::Face;
use super::driven::Driven;
use super::library::Loaded;
#[cfg(target_os = "linux")]
use super::python;
use super::{Fault, FmuError, Limits, Unpacked, archive, cache, regular};
use crate::address::is_address;
use crate::isolation::far::offered;

/// An FMU, driven by one of its faces: by co-simulation, where it offers that. Clones share everything.
#[derive(Clone)]
pub struct Fmu {
    pub(super) face: Face,
    // Before the folder, which is in what is shared: Windows does not delete the file of a loaded library.
    pub(super) driven: Arc<Driven>,
    pub(super) shared: Arc<Shared>,
    /// What it was opened by, for messages.
    pub(super) name: Arc<str>,
    /// The interpreter it runs in, where it is written in Python and one is named.
    python: Option<Arc<Path>>,
}

/// What all instances of an FMU share.
pub(super) struct Shared {
    /// The faces it has, those of co-simulation first.
    faces: Vec<(Face, Arc<Driven>)>,
    warnings: Vec<Warning>,
    pub(super) resources_uri: String,
    /// The same as a path, for FMI 3.0.
    pub(super) resources: PathBuf,
    folder: Folder,
}

/// Where it is unpacked.
enum Folder {
    /// Removed when the last instance is gone.
    Ours(Unpacked),
    /// Somebody else's.
    Theirs(PathBuf),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Folder::Ours(folder) => folder.path(),
            Folder::Theirs(path) => path,
        }
    }
}

impl Fmu {
    /// Opens a file, or a folder an FMU was unpacked into; `zenoh://NAME` is an FMU that another program serves under this name.
    ///
    /// # Errors
    /// Where it cannot be read, its archive or description is refused, or it offers no co-simulation.
    pub fn open(path: impl AsRef<Path>) -> Result<Fmu, FmuError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        if is_address(path) {
            let shared = offered(&name).and_then(|folder| Shared::read(Folder::Ours(folder), Vec::new()));
            return Ok(Fmu::new(Arc::new(shared.map_err(|e| e.of(&name))?), &name));
        }
        if path.is_dir() {
            let shared = fs::canonicalize(path)
                .map_err(|e| Fault::file(path, &e))
                .and_then(|folder| Shared::read(Folder::Theirs(folder), Vec::new()));
            return Ok(Fmu::new(Arc::new(shared.map_err(|e| e.of(&name))?), &name));
        }
        let bytes = regular::read(path).map_err(|e| Fault::file(path, &e).of(&name))?;
        Fmu::from_bytes(&name, &bytes)
    }

    /// Opens an archive that is in memory; `name` is for messages.
    ///
    /// # Errors
    /// As [`Fmu::open`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Fmu, FmuError> {
        Fmu::with_limits(name, bytes, &Limits::default())
    }

    /// As [`Fmu::from_bytes`], for an archive that is a part of the program: opened again, it is told by where it stands.
    ///
    /// # Errors
    /// As [`Fmu::open`].
    pub fn carried(name: &str, bytes: &'static [u8]) -> Result<Fmu, FmuError> {
        let shared = cache::carried(bytes, || Shared::unpack(bytes, &Limits::default()).map(Arc::new));
        Ok(Fmu::new(shared.map_err(|e| e.of(name))?, name))
    }

    /// As [`Fmu::from_bytes`], with other limits to what the archive may unpack to.
    ///
    /// # Errors
    /// As [`Fmu::open`].
    pub fn with_limits(name: &str, bytes: &[u8], limits: &Limits) -> Result<Fmu, FmuError> {
        let shared = cache::shared(bytes, || Shared::unpack(bytes, limits).map(Arc::new));
        Ok(Fmu::new(shared.map_err(|e| e.of(name))?, name))
    }

    /// By the first of its faces.
    fn new(shared: Arc<Shared>, name: &str) -> Fmu {
        let (face, driven) = shared.faces[0].clone();
        Fmu { face, driven, shared, name: name.into(), python: None }
    }

    /// The same FMU, driven by this face; `None` leaves it as it is.
    ///
    /// # Errors
    /// Where it does not have it.
    pub fn by_face(self, face: Option<Face>) -> Result<Fmu, FmuError> {
        let Some(face) = face else { return Ok(self) };
        match self.shared.faces.iter().find(|(has, _)| *has == face) {
            Some((face, driven)) => Ok(Fmu { face: *face, driven: Arc::clone(driven), ..self }),
            None if self.is_of_3() => Err(Fault::EquationsOf3.of(&self.name)),
            None => Err(Fault::NoFace { found: self.face, expected: face }.of(&self.name)),
        }
    }

    /// How it is driven.
    pub fn face(&self) -> Face {
        self.face
    }

    /// The faces that it has.
    pub fn faces(&self) -> impl Iterator<Item = Face> {
        self.shared.faces.iter().map(|(face, _)| *face)
    }

    /// The same FMU, which runs in this interpreter where it is written in Python; an empty path names none.
    pub fn in_python(self, interpreter: Option<&Path>) -> Fmu {
        let python = interpreter.filter(|path| !path.as_os_str().is_empty()).map(Arc::from);
        Fmu { python, ..self }
    }

    /// The interpreter that is named for it.
    pub fn python(&self) -> Option<&Path> {
        self.python.as_deref()
    }

    /// The file name that the FMU was opened with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether another program serves it, maybe on another machine: only its description is here.
    pub fn is_remote(&self) -> bool {
        is_address(Path::new(self.name()))
    }

    /// The description of the FMU.
    pub fn description(&self) -> &ModelDescription {
        &self.driven.description
    }

    /// The description of the FMU, shared.
    pub fn shared_description(&self) -> Arc<ModelDescription> {
        Arc::clone(&self.driven.description)
    }

    /// Its capabilities: those of the `CoSimulation` element, or those that an FMU for model exchange has here.
    pub fn capabilities(&self) -> &CoSimulation {
        &self.driven.co_simulation
    }

    /// Where its archive and its description stray from the standard in their form, each with its rule. For the strict rules
    /// see [`macrostep_description::rules::check`].
    pub fn warnings(&self) -> &[Warning] {
        &self.shared.warnings
    }

    /// The folder it is unpacked in, which lives as long as this and its instances.
    pub fn folder(&self) -> &Path {
        self.shared.folder.path()
    }

    /// Loads the library now, not with the first instance, and returns warnings about it.
    ///
    /// # Errors
    /// Where there is none for this machine, it is damaged, or lacks functions.
    pub fn load(&self) -> Result<Vec<String>, FmuError> {
        if self.is_of_3() {
            return Ok(self.library_3()?.warnings.clone());
        }
        Ok(self.library()?.warnings.clone())
    }

    pub(super) fn library(&self) -> Result<Arc<Loaded>, FmuError> {
        self.loaded(&self.driven.library, Loaded::load)
    }

    /// The library of an FMU of FMI 3.0.
    pub(super) fn library_3(&self) -> Result<Arc<Loaded<macrostep_fmi3::Functions>>, FmuError> {
        self.loaded(&self.driven.library_3, Loaded::load_3)
    }

    /// Whether it is of FMI 3.0.
    pub fn is_of_3(&self) -> bool {
        self.driven.description.fmi3.is_some()
    }

    /// The library that is loaded, or is loaded now.
    fn loaded<F>(
        &self,
        library: &Mutex<Option<Arc<Loaded<F>>>>,
        load: fn(&Path, &str, &Fmu) -> Result<Loaded<F>, Fault>,
    ) -> Result<Arc<Loaded<F>>, FmuError> {
        let mut library = library.lock().unwrap_or_else(PoisonError::into_inner);
        // The path of what it starts, and the interpreter, which may be another one than that of the FMU's other units.
        #[cfg(target_os = "linux")]
        python::prefer(self.python());
        if let Some(loaded) = &*library {
            #[cfg(target_os = "linux")]
            if loaded.stays {
                let library = self.driven.co_simulation.model_identifier.clone();
                let refused = |reason| Fault::NotLoaded { library, reason }.of(&self.name);
                python::share(self.python()).map_err(refused)?;
            }
            return Ok(Arc::clone(loaded));
        }
        let loaded = load(self.folder(), &self.driven.co_simulation.model_identifier, self);
        let loaded = Arc::new(loaded.map_err(|e| e.of(&self.name))?);
        *library = Some(Arc::clone(&loaded));
        Ok(loaded)
    }
}

impl fmt::Debug for Fmu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fmu").field("name", &self.name).field("folder", &self.folder()).finish_non_exhaustive()
    }
}

impl Shared {
    fn unpack(bytes: &[u8], limits: &Limits) -> Result<Shared, Fault> {
        let folder = Unpacked::new().map_err(|e| Fault::file(&std::env::temp_dir(), &e))?;
        let (_, put_up_with) = archive::unpack(Cursor::new(bytes), folder.path(), limits)?;
        // Never absent: its URI is passed whether the FMU has resources or not.
        let resources = folder.path().join("resources");
        fs::create_dir_all(&resources).map_err(|e| Fault::file(&resources, &e))?;
        Shared::read(Folder::Ours(folder), put_up_with)
    }

    fn read(folder: Folder, mut warnings: Vec<Warning>) -> Result<Shared, Fault> {
        // The description stands at the root. Without one, this is most likely no FMU.
        let path = folder.path().join("modelDescription.xml");
        let text = regular::read(&path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => Fault::Entry {
                entry: "modelDescription.xml".to_owned(),
                found: "no such file at the root".to_owned(),
                expected: "the description of the model: is this an FMU?".to_owned(),
            },
            _ => Fault::file(&path, &e),
        })?;
        // The faces it has.
        let mut reading = xml::read(&text)?;
        if let Some(fmi3) = &mut reading.description.fmi3 {
            fmi3.terminals = terminals(folder.path(), &mut warnings);
        }
        let description = Arc::new(reading.description);
        let faces = Face::ALL.into_iter().filter_map(|face| Some((face, Driven::new(&description, face)?)));
        let faces: Vec<(Face, Arc<Driven>)> = faces.collect();
        if faces.is_empty() {
            return Err(match &description.fmi3 {
                Some(fmi3) => Fault::NothingOfferedOf3 {
                    found: if description.model_exchange.is_some() {
                        "model exchange"
                    } else if fmi3.has_scheduled_execution {
                        "scheduled execution"
                    } else {
                        "no interface"
                    },
                },
                None => Fault::NothingOffered,
            });
        }
        // What instances share. The library is loaded with the first one.
        warnings.extend(reading.warnings);
        let resources = folder.path().join("resources");
        Ok(Shared { faces, warnings, resources_uri: file_uri(&resources), resources, folder })
    }
}

/// The terminals of an FMU of FMI 3.0; a file that cannot be read is a warning, because no run needs it.
fn terminals(folder: &Path, warnings: &mut Vec<Warning>) -> Vec<Terminal> {
    const NAME: &str = "terminalsAndIcons/terminalsAndIcons.xml";
    let path = folder.join(NAME);
    if !path.exists() {
        return Vec::new();
    }
    let read = match regular::read(&path) {
        Ok(bytes) => xml::read_terminals(&bytes).map_err(|e| (format!("in line {} {}", e.line, e.found), e.expected)),
        Err(e) => Err((e.to_string(), "a file that can be read".to_owned())),
    };
    read.unwrap_or_else(|(found, expected)| {
        warnings.push(Warning { rule: "terminals", line: 0, found: format!("`{NAME}`: {found}"), expected });
        Vec::new()
    })
}

/// `file:///…` with everything but letters, digits and a few marks as bytes in hexadecimal (RFC 3986, section 2).
fn file_uri(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/");
    // Windows' canonical paths begin with `\\?\`.
    let path = path.strip_prefix("//?/").unwrap_or(&path);
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b':' => {
                uri.push(char::from(byte))
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_hold_only_what_they_may() {
        assert_eq!(file_uri(Path::new("/tmp/a b/ξ/resources")), "file:///tmp/a%20b/%CE%BE/resources");
        assert_eq!(file_uri(Path::new(r"C:\fmus\a")), "file:///C:/fmus/a");
    }
}
