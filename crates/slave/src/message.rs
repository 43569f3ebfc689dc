//! Messages of a model beside the status of a call.

/// A message for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What it is about.
    pub topic: Topic,
    /// One line.
    pub text: String,
}

/// The topic of a message; each has a log category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Something happened.
    Event,
    /// Something is to be known that is no failure; a model that has such messages declares the category `logStatusWarning`.
    Warning,
    /// Something was refused and changed nothing.
    Discard,
    /// Something failed.
    Error,
    /// Something failed for good.
    Fatal,
}
