//! An FMU before it is packed.

use macrostep_description::{ModelDescription, rules, xml};

use crate::archive::{Compression, DESCRIPTION, Files};
use crate::{Fmi, PackError, Platform, page, picture};

const LICENSE_MIT: &str = include_str!("../LICENSE-MIT");
const LICENSE_APACHE: &str = include_str!("../LICENSE-APACHE");

/// All that goes into an FMU.
#[derive(Debug, Clone, Copy)]
pub struct Package<'a> {
    /// The declaration of the model.
    pub description: &'a ModelDescription,
    /// The equations as the body of an HTML page.
    pub equations_html: &'a str,
    /// Its libraries, at most one a platform.
    pub libraries: &'a [Library],
    /// Reference results: a header row, `time` first.
    pub reference_csv: Option<&'a str>,
    /// Files for `resources/`: name and content.
    pub resources: &'a [(&'a str, &'a [u8])],
}

/// A shared library for one platform.
#[derive(Debug, Clone)]
pub struct Library {
    /// What it was built for.
    pub platform: Platform,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Package<'_> {
    /// The FMU, ready to be written to `NAME.fmu`.
    ///
    /// # Errors
    /// Where the description breaks a rule of FMI 2.0, no library is given, or one is not for its platform.
    pub fn bytes(&self) -> Result<Vec<u8>, PackError> {
        self.bytes_of(Fmi::Two)
    }

    /// The same for a version of FMI: the libraries have the functions of both.
    ///
    /// # Errors
    /// As [`Package::bytes`].
    pub fn bytes_of(&self, fmi: Fmi) -> Result<Vec<u8>, PackError> {
        let mut files = self.run(fmi)?;
        self.document(&mut files, fmi)?;
        files.write(Compression::Deflated)
    }

    /// What a run needs of the FMU, without compression and documentation: made at once, to be loaded by the same program.
    ///
    /// # Errors
    /// As [`Package::bytes`].
    pub fn stored(&self) -> Result<Vec<u8>, PackError> {
        self.run(Fmi::Two)?.write(Compression::Stored)
    }

    /// What a run needs.
    fn run(&self, fmi: Fmi) -> Result<Files, PackError> {
        // What breaks a rule of the standard is not packed, nor what cannot run.
        let d = self.description;
        let violations = rules::check(d);
        if !violations.is_empty() {
            return Err(PackError::Violations { model: d.model_name.clone(), violations });
        }
        let Some(co_simulation) = &d.co_simulation else { return Err(PackError::Lacks("`CoSimulation`")) };
        if self.libraries.is_empty() {
            return Err(PackError::NoLibrary { model: d.model_name.clone() });
        }
        // The description, the libraries, and resources, whose folder is there even if it is empty.
        let mut files = Files::default();
        files.put(DESCRIPTION, if fmi == Fmi::Two { xml::write(d) } else { xml::write_3(d) });
        for library in self.libraries {
            add_library(&mut files, (fmi, &co_simulation.model_identifier), library)?;
        }
        files.put("resources/", "");
        for (name, content) in self.resources {
            files.put(format!("resources/{name}"), *content);
        }
        Ok(files)
    }

    /// Puts in what is for people: the equations, licences, reference results and the picture.
    fn document(&self, files: &mut Files, fmi: Fmi) -> Result<(), PackError> {
        files.put("documentation/index.html", page::html(self.description, self.equations_html, fmi));
        files.put("documentation/licenses/MIT.txt", LICENSE_MIT);
        files.put("documentation/licenses/Apache-2.0.txt", LICENSE_APACHE);
        if let Some(csv) = self.reference_csv {
            files.put("documentation/reference.csv", csv);
        }
        files.put(fmi.picture(), picture::png(self.description)?);
        Ok(())
    }
}

/// The libraries in an FMU of ours, for packing them again with other resources.
///
/// # Errors
/// Where the bytes are no archive.
pub fn libraries(fmu: &[u8]) -> Result<Vec<Library>, PackError> {
    let files = Files::read(fmu)?;
    let of = |platform: Platform| {
        let folder = format!("binaries/{}/", platform.folder());
        let found = files.0.iter().find(|(path, _)| path.starts_with(&folder) && path.ends_with(platform.suffix()));
        found.map(|(_, bytes)| Library { platform, bytes: bytes.clone() })
    };
    Ok(Platform::ALL.into_iter().filter_map(of).collect())
}

/// Puts a library where it belongs; a platform has one.
pub(crate) fn add_library(
    files: &mut Files,
    (fmi, model_identifier): (Fmi, &str),
    library: &Library,
) -> Result<(), PackError> {
    let Library { platform, bytes } = library;
    let path = fmi.path(*platform, model_identifier, bytes);
    if !platform.fits(bytes) {
        let found = bytes.iter().take(4).map(|b| format!("{b:02X}")).collect::<Vec<_>>().join(" ");
        return Err(PackError::NotForPlatform {
            name: path,
            platform: *platform,
            found: if found.is_empty() { "nothing".to_owned() } else { found },
            expected: platform.magic(),
        });
    }
    if files.0.contains_key(&path) {
        return Err(PackError::Twice { platform: *platform });
    }
    files.put(path, bytes.as_slice());
    Ok(())
}
