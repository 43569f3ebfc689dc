//! The second look at a run, and its instances: what FMUs of others write there is not to take the place of what they have written in the run.

use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_import::Face;
use macrostep_import::isolation::{Isolation, Output, interrupt};
use macrostep_master::correct::Corrector;
use macrostep_master::predict::Predictor;
use macrostep_master::unit::Unit;
use macrostep_master::{Grade, Law, Second};
use macrostep_system::scenario::Source;
use macrostep_system::words::Rollback;
use macrostep_system::{Catalogue, Fmus, Scenario, second_look};

use super::Opened;
use super::outcome::Outcome;
use crate::{print, slaves};

impl Outcome {
    /// After a second look, where one is to decide. Who interrupts it gets the run as it is.
    pub fn look_again(&mut self, scenario: &Scenario, opened: &Opened) {
        if self.verdict.second == Second::Nothing {
            return;
        }
        let before = self.verdict.clone();
        opened.say(format!("note: {}", before.at_first_look()));
        let is_cut = || interrupt::asked() || opened.caller().is_some_and(|caller| caller.cut.is_set());
        self.verdict =
            second_look(before.clone(), (scenario, &Aside::of(opened)), self.statistics.windows, &|| !is_cut());
        if is_cut() {
            let why = "the second look was interrupted: the verdict is that of the first".to_owned();
            // A caller has it among the warnings of the run.
            if opened.caller().is_none() {
                print::remark!("warning: {why}");
            }
            self.warnings.push(why);
        }
        self.warnings.retain(|warning| *warning != before.reason);
        self.warnings.extend((self.verdict.grade == Grade::Doubtful).then(|| self.verdict.reason.clone()));
        self.weigh_errors();
    }
}

/// More units than these have no process each.
const PROCESSES_MAX: usize = 32;

/// The same FMUs, each of those of others in a process of its own, which works in a folder that is thrown away in the end and is not heard.
struct Aside<'a> {
    opened: &'a Opened,
    isolation: Option<Isolation>,
    /// Removed when this ends.
    _folder: Option<tempfile::TempDir>,
}

impl<'a> Aside<'a> {
    /// Beside a run. Where there are no such processes, or too many units, instances are in this process.
    fn of(opened: &'a Opened) -> Self {
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
