//! A *catalogue* of FMUs: what they declare, and units made of them.

use crate::scenario::Source;
use crate::words::Rollback;
use macrostep_description::ModelDescription;
use macrostep_import::fmu::{Face, Fmu, FmuOptions, regular};
use macrostep_master::Law;
use macrostep_master::correct::Corrector;
use macrostep_master::predict::Predictor;
use macrostep_master::unit::Unit;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Where descriptions and units come from. In this process: [`Fmus`].
pub trait Catalogue {
    /// What the FMU declares.
    ///
    /// # Errors
    /// In words for a user: why it cannot be read.
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String>;

    /// An instance of it.
    ///
    /// # Errors
    /// In words for a user: why there is none.
    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String>;

    /// An instance of it that goes back by fork, and so can get and set its state.
    ///
    /// # Errors
    /// In words for a user: why there is none.
    fn forked(&self, _source: &Source, _name: &str) -> Result<Box<dyn Unit>, String> {
        Err("it has no process of its own that could be forked".to_owned())
    }

    /// An instance that is thrown away after it was tried: not among those that a run counts or times.
    ///
    /// # Errors
    /// As [`Catalogue::unit`].
    fn scratch(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        self.unit(source, name)
    }

    /// The law of kind `given` that has this name in the scenario.
    fn law(&self, _name: &str) -> Option<Box<dyn Law>> {
        None
    }

    /// A predictor in the place of the one that the scenario says.
    fn predictor(&self) -> Option<Arc<dyn Predictor>> {
        None
    }

    /// A corrector in the place of the one that the scenario says, with the scenario's tolerance and number of corrections, where it
    /// says them.
    fn corrector(&self, _tolerance: Option<f64>, _corrections_max: Option<usize>) -> Option<Arc<dyn Corrector>> {
        None
    }

    /// How instances go back where a method repeats steps.
    fn rollback(&self) -> Rollback {
        Rollback::Own
    }

    /// The faces of the FMU, the one that it is driven by first.
    fn faces(&self, _source: &Source) -> Vec<Face> {
        vec![Face::CoSimulation]
    }

    /// Whether instances of an FMU that may be instantiated only once per process run each in one of their own.
    fn isolates(&self) -> bool {
        false
    }
}

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
