//! FMUs of any tool that run in this process.

use super::Catalogue;
use crate::scenario::Source;
use macrostep_description::ModelDescription;
use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_import::{Face, regular};
use macrostep_master::unit::Unit;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Gives the archive of an FMU carried in the program, by name.
pub type Embedded = fn(&str) -> Option<&'static [u8]>;

/// FMUs that run in this process. Each is unpacked and loaded once.
pub struct Fmus {
    embedded: Embedded,
    open: Mutex<BTreeMap<Source, (Fmu, Arc<ModelDescription>)>>,
}

impl Fmus {
    /// With the FMUs the program carries.
    pub fn new(embedded: Embedded) -> Self {
        Fmus { embedded, open: Mutex::new(BTreeMap::new()) }
    }

    /// The archive as bytes, to put it into another one.
    ///
    /// # Errors
    /// Where it is not there.
    pub fn bytes(&self, source: &Source) -> Result<Vec<u8>, String> {
        match source {
            Source::Embedded(name) => Ok(self.carried(name)?.to_vec()),
            Source::File { path, .. } => regular::read(path).map_err(|e| format!("`{}`: {e}", path.display())),
        }
    }

    fn carried(&self, name: &str) -> Result<&'static [u8], String> {
        (self.embedded)(name)
            .ok_or_else(|| format!("this program has no FMU `{name}`; `macrostep fmus` writes those that it has, and says which others a larger build has"))
    }

    /// The FMU, unpacked; its library is loaded with its first instance.
    ///
    /// # Errors
    /// In words for a user: why it cannot be read.
    pub fn fmu(&self, source: &Source) -> Result<Fmu, String> {
        self.opened(source).map(|(fmu, _)| fmu)
    }

    fn opened(&self, source: &Source) -> Result<(Fmu, Arc<ModelDescription>), String> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((fmu, description)) = open.get(source) {
            return Ok((fmu.clone(), Arc::clone(description)));
        }
        let fmu = match source {
            Source::Embedded(name) => Fmu::carried(name, self.carried(name)?),
            // In the folder of an archive nobody knows the path: what the scenario says is the entry.
            Source::File { path, shown, .. }
                if path.is_absolute() && Path::new(shown).is_relative() && !path.is_dir() =>
            {
                Fmu::from_bytes(shown, &regular::read(path).map_err(|e| format!("FMU `{shown}`: {e}"))?)
            }
            Source::File { path, .. } => Fmu::open(path),
        };
        let fmu = fmu.and_then(|fmu| fmu.by_face(source.face())).map_err(|e| e.to_string())?.in_python(source.python());
        let description = Arc::new(fmu.description().clone());
        open.insert(source.clone(), (fmu.clone(), Arc::clone(&description)));
        Ok((fmu, description))
    }
}

impl Catalogue for Fmus {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.opened(source).map(|(_, description)| description)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let (fmu, _) = self.opened(source)?;
        fmu.unit(name, &FmuOptions::default()).map_err(|e| e.to_string())
    }

    fn faces(&self, source: &Source) -> Vec<Face> {
        let Ok((fmu, _)) = self.opened(source) else { return Vec::new() };
        let others = fmu.faces().filter(|face| *face != fmu.face());
        std::iter::once(fmu.face()).chain(others).collect()
    }
}
