//! What the FMUs inside say: kept until the outer log is there to take it.

use std::sync::{Arc, Mutex, PoisonError};

use macrostep_import::fmu::{FmuOptions, LogRecord};
use macrostep_master::unit::Unit;
use macrostep_slave::{Message, Topic};
use macrostep_system::scenario::Source;
use macrostep_system::{Catalogue, Fmus};

use macrostep_description::ModelDescription;

/// Messages kept at most; more of one call are left out.
const KEPT_MAX: usize = 1000;

/// Statuses of FMI 2.0: discard, error and fatal.
const DISCARD: i32 = 2;
const ERROR: i32 = 3;
const FATAL: i32 = 4;

/// Messages of all units of an instance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said(Arc<Mutex<Vec<Message>>>);

impl Said {
    /// Adds one.
    pub fn say(&self, topic: Topic, text: String) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT_MAX {
            kept.push(Message { topic, text });
        }
    }

    /// All since the last call.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn hear(&self, record: &LogRecord<'_>) {
        let topic = match record.status {
            DISCARD => Topic::Discard,
            ERROR => Topic::Error,
            FATAL => Topic::Fatal,
            _ => Topic::Event,
        };
        self.say(topic, record.plain());
    }
}

/// The FMUs of a container, whose messages are heard.
pub(crate) struct Heard<'a> {
    pub fmus: &'a Fmus,
    pub said: &'a Said,
}

impl Catalogue for Heard<'_> {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.fmus.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let (log, remark) = (self.said.clone(), self.said.clone());
        let options = FmuOptions {
            log: Some(Arc::new(move |record: &LogRecord<'_>| log.hear(record))),
            remark: Some(Arc::new(move |text: &str| remark.say(Topic::Event, text.to_owned()))),
            ..FmuOptions::default()
        };
        let unit = self.fmus.fmu(source)?.instantiate(name, &options).map_err(|e| e.to_string())?;
        Ok(Box::new(unit))
    }
}
