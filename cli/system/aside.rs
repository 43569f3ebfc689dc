//! Instances for runs that nobody has asked for, as those of a second look: what FMUs of others write is not to take the place of what they
//! have written in the run.

use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_import::Face;
use macrostep_import::isolation::{Isolation, Output};
use macrostep_master::Law;
use macrostep_master::correct::Corrector;
use macrostep_master::predict::Predictor;
use macrostep_master::unit::Unit;
use macrostep_system::scenario::Source;
use macrostep_system::words::Rollback;
use macrostep_system::{Catalogue, Fmus};

use super::Opened;
use crate::slaves;

/// More units than these have no process each.
const PROCESSES_MAX: usize = 32;

/// The same FMUs, each of those of others in a process of its own, which works in a folder that is thrown away in the end and is not heard.
pub struct Aside<'a> {
    opened: &'a Opened,
    isolation: Option<Isolation>,
    /// Removed when this ends.
    _folder: Option<tempfile::TempDir>,
}

impl<'a> Aside<'a> {
    /// Beside a run. Where there are no such processes, or too many units, instances are in this process.
    pub fn of(opened: &'a Opened) -> Self {
        let few = opened.document.scenario.units.len() <= PROCESSES_MAX;
        let folder = (few && slaves::ALONE_IN_ITS_PROCESS).then(tempfile::tempdir).and_then(Result::ok);
        let isolation = folder.as_ref().and_then(|folder| {
            let (output, isolation) = (Output::new().ok()?, slaves::isolated(&opened.slaves).ok()?);
            let cut = opened.caller().map(|caller| caller.cut.clone());
            Some(Isolation { output: Some(Arc::new(output)), cut, folder: Some(folder.path().into()), ..isolation })
        });
        Aside { opened, isolation, _folder: folder }
    }

    /// What makes an instance of an FMU of others.
    fn isolation(&self, source: &Source) -> Option<(&Isolation, &Fmus)> {
        let isolation = self.isolation.as_ref().filter(|_| matches!(source, Source::File { .. }))?;
        Some((isolation, &self.opened.fmus))
    }
}

impl Catalogue for Aside<'_> {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.opened.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let Some((isolation, fmus)) = self.isolation(source) else { return self.opened.unit(source, name) };
        let fmu = fmus.fmu(source)?;
        if fmu.is_remote() {
            return self.opened.unit(source, name);
        }
        Ok(Box::new(isolation.instantiate(&fmu, name).map_err(|e| e.to_string())?))
    }

    fn scratch(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        self.unit(source, name)
    }

    fn forked(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let Some((isolation, fmus)) = self.isolation(source) else { return self.opened.forked(source, name) };
        Ok(Box::new(isolation.instantiate_by_fork(&fmus.fmu(source)?, name).map_err(|e| e.to_string())?))
    }

    fn faces(&self, source: &Source) -> Vec<Face> {
        self.opened.faces(source)
    }

    fn law(&self, name: &str) -> Option<Box<dyn Law>> {
        self.opened.law(name)
    }

    fn predictor(&self) -> Option<Arc<dyn Predictor>> {
        self.opened.predictor()
    }

    fn corrector(&self, tolerance: Option<f64>, corrections_max: Option<usize>) -> Option<Arc<dyn Corrector>> {
        self.opened.corrector(tolerance, corrections_max)
    }

    fn rollback(&self) -> Rollback {
        self.opened.rollback()
    }

    fn isolates(&self) -> bool {
        self.opened.isolates() || self.isolation.is_some()
    }
}
