//! Log messages of the FMUs inside, kept until the outer logger can take them.

use std::sync::{Arc, Mutex, PoisonError};

use macrostep_import::fmu::LogRecord;
use macrostep_import::isolation::Output;
use macrostep_slave::{Message, Topic};

/// Messages kept at most; more of one call are left out.
const KEPT_MAX: usize = 1000;

/// Statuses of FMI 2.0: discard, error and fatal.
const DISCARD: i32 = 2;
const ERROR: i32 = 3;
const FATAL: i32 = 4;

/// Messages of all units of an instance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Messages(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    messages: Vec<Message>,
    /// What units in processes of their own write, by their names.
    outputs: Vec<(String, Arc<Output>)>,
}

impl Waiting {
    fn add(&mut self, topic: Topic, text: String) {
        if self.messages.len() < KEPT_MAX {
            self.messages.push(Message { topic, text });
        }
    }

    /// Reads what was written.
    fn read(&mut self) {
        for (unit, output) in std::mem::take(&mut self.outputs) {
            for line in output.lines() {
                // Messages of the FMU name it already.
                let text = line.strip_prefix("log: ").map_or_else(|| format!("`{unit}`: {line}"), str::to_owned);
                self.add(Topic::Event, text);
            }
            self.outputs.push((unit, output));
        }
    }
}

impl Messages {
    fn waiting(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one.
    pub fn say(&self, topic: Topic, text: String) {
        self.waiting().add(topic, text);
    }

    /// Adds a remark about a slave.
    pub fn remark(&self, text: &str) {
        self.say(Topic::Event, text.to_owned());
    }

    /// All since the last call.
    pub fn take(&self) -> Vec<Message> {
        let mut waiting = self.waiting();
        waiting.read();
        std::mem::take(&mut waiting.messages)
    }

    /// Adds a message of an FMU.
    pub fn hear(&self, record: &LogRecord<'_>) {
        let topic = match record.status {
            DISCARD => Topic::Discard,
            ERROR => Topic::Error,
            FATAL => Topic::Fatal,
            _ => Topic::Event,
        };
        self.say(topic, record.plain());
    }

    /// From now on takes the output of the unit of this name too, in place of that of an earlier one.
    pub fn hear_output(&self, unit: &str, output: Arc<Output>) {
        let mut waiting = self.waiting();
        waiting.read();
        waiting.outputs.retain(|(name, _)| name != unit);
        waiting.outputs.push((unit.to_owned(), output));
    }
}
