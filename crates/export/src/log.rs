//! Messages to the caller's logger.

use core::ffi::CStr;
use std::ffi::CString;

use macrostep_description::LogCategory;
use macrostep_fmi2::{CallbackFunctions, ComponentEnvironment, DISCARD, ERROR, FATAL, Logger, OK, Status, WARNING};
use macrostep_fmi3::LogMessage;
pub(crate) use macrostep_slave::Topic;

const ALL: [Topic; 5] = [Topic::Event, Topic::Warning, Topic::Discard, Topic::Error, Topic::Fatal];

/// Name of a topic's category.
fn category(topic: Topic) -> &'static CStr {
    match topic {
        Topic::Event => c"logEvents",
        Topic::Warning => c"logStatusWarning",
        Topic::Discard => c"logStatusDiscard",
        Topic::Error => c"logStatusError",
        Topic::Fatal => c"logStatusFatal",
    }
}

/// Status that goes with a topic.
pub(crate) fn status(topic: Topic) -> Status {
    match topic {
        Topic::Event => OK,
        Topic::Warning => WARNING,
        Topic::Discard => DISCARD,
        Topic::Error => ERROR,
        Topic::Fatal => FATAL,
    }
}

fn bit(topic: Topic) -> u8 {
    1 << topic as u8
}

/// The caller's logger.
#[derive(Debug, Clone, Copy)]
enum Sink {
    Fmi2(Logger),
    Fmi3(LogMessage),
}

/// The logger and what goes to it.
#[derive(Debug)]
pub(crate) struct Log {
    logger: Option<Sink>,
    environment: ComponentEnvironment,
    instance: CString,
    declared: u8,
    on: u8,
}

impl Log {
    /// Copies what is needed of the callbacks.
    pub fn new(callbacks: Option<&CallbackFunctions>, instance: &CStr) -> Log {
        let environment = callbacks.map_or(core::ptr::null_mut(), |c| c.component_environment);
        Log::to(callbacks.and_then(|c| c.logger).map(Sink::Fmi2), environment, instance)
    }

    /// To the callback of FMI 3.0.
    pub fn new_3(callback: Option<LogMessage>, environment: ComponentEnvironment) -> Log {
        Log::to(callback.map(Sink::Fmi3), environment, c"")
    }

    fn to(logger: Option<Sink>, environment: ComponentEnvironment, instance: &CStr) -> Log {
        Log {
            logger,
            environment,
            instance: instance.into(),
            // Until the declaration is known: errors of instantiation.
            declared: bit(Topic::Error) | bit(Topic::Fatal),
            on: !bit(Topic::Event),
        }
    }

    /// Takes the categories a model declares, and whether debug messages are wanted.
    pub fn declare(&mut self, categories: &[LogCategory], debug: bool) {
        let is_declared = |t: &Topic| categories.iter().any(|c| c.name.as_bytes() == category(*t).to_bytes());
        self.declared = ALL.into_iter().filter(is_declared).map(bit).sum();
        self.on = if debug { u8::MAX } else { !bit(Topic::Event) };
    }

    /// `fmi2SetDebugLogging`: all categories, or exactly the named ones.
    ///
    /// # Errors
    /// The name of a category that is not declared; nothing is changed then.
    pub fn switch(&mut self, on: bool, names: &[&CStr]) -> Result<(), String> {
        let mut named = 0;
        for name in names {
            let found = ALL.into_iter().find(|t| category(*t) == *name && self.declared & bit(*t) != 0);
            let undeclared = || format!("log category `{}` is not declared", name.to_string_lossy());
            named |= bit(found.ok_or_else(undeclared)?);
        }
        self.on = match (on, names.is_empty()) {
            (false, true) => 0,
            (true, true) => u8::MAX,
            (true, false) => named,
            (false, false) => self.on & !named,
        };
        Ok(())
    }

    /// Whether a message of this topic would be passed on.
    pub fn wants(&self, topic: Topic) -> bool {
        self.logger.is_some() && self.on & self.declared & bit(topic) != 0
    }

    /// Passes a message on, as the argument of "%s".
    pub fn write(&self, topic: Topic, status: Status, message: &str) {
        let Some(logger) = self.logger.filter(|_| self.wants(topic)) else {
            return;
        };
        // A zero byte would end the text early: leave it out.
        let message: Vec<u8> = message.bytes().filter(|b| *b != 0).collect();
        let Ok(message) = CString::new(message) else {
            return;
        };
        let (category, message) = (category(topic).as_ptr(), message.as_ptr());
        match logger {
            // SAFETY: the caller's logger, with a format and the one argument the format asks for; all strings live until it
            // returns.
            Sink::Fmi2(logger) => unsafe {
                logger(self.environment, self.instance.as_ptr(), status, category, c"%s".as_ptr(), message);
            },
            // SAFETY: the caller's logger; both strings live until it returns. Statuses are the same numbers in both versions.
            Sink::Fmi3(logger) => unsafe { logger(self.environment, status, category, message) },
        }
    }
}
