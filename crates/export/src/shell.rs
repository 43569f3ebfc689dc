//! The instance behind an `fmi2Component`.

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use macrostep_fmi2::{Component, DISCARD, ERROR, FATAL, OK, Status};
use macrostep_slave::{Fault, Instance, Model};

use crate::log::{self, Log, Topic};
use crate::pointers::Problem;

/// An instance with its log.
#[derive(Debug)]
pub(crate) struct Shell<M> {
    pub instance: Instance<M>,
    pub log: Log,
    /// Whether a panic ended it.
    pub dead: bool,
    /// Strings handed out by the last `fmi2GetString`.
    pub strings: Vec<CString>,
}

impl<M: Model> Shell<M> {
    /// Passes the messages of the model to the logger.
    #[inline]
    pub fn pass_messages(&mut self) {
        for message in self.instance.messages() {
            self.log.write(message.topic, log::status(message.topic), &message.text);
        }
    }
}

/// Why a call does not return `fmi2OK`.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An argument is wrong.
    Argument(Problem),
    /// The slave refused or failed.
    Slave(Fault),
    /// The step was done in part.
    Discarded(String),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure::Slave(fault)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure::Argument(problem)
    }
}

/// Runs `body` on the shell behind `c`: NULL and dead instances are answered here, panics end here.
///
/// # Safety
/// `c` is NULL or was returned by `instantiate::<M>` and not freed, and no other call uses it meanwhile.
#[inline]
pub(crate) unsafe fn enter<M: Model>(
    c: Component,
    name: &'static str,
    body: impl FnOnce(&mut Shell<M>) -> Result<(), Failure>,
) -> Status {
    // SAFETY: NULL or a live shell of this model, by this function's contract.
    let Some(shell) = (unsafe { c.cast::<Shell<M>>().as_mut() }) else {
        return ERROR;
    };
    if shell.dead {
        return FATAL;
    }
    let answer = catch_unwind(AssertUnwindSafe(|| {
        let done = body(shell);
        // What slaves inside have said comes before what is said of the call.
        shell.pass_messages();
        done
    }));
    match answer {
        Ok(Ok(())) => OK,
        Ok(Err(failure)) => report(shell, name, &failure),
        Err(panic) => {
            shell.dead = true;
            let text = panic_text(panic.as_ref());
            // A panicking payload must not escape by its destructor either.
            std::mem::forget(panic);
            shell.log.write(Topic::Fatal, FATAL, &format!("{name}: internal error: {text}"));
            FATAL
        }
    }
}

/// Logs a failure and gives its status.
#[cold]
fn report<M>(shell: &Shell<M>, name: &str, failure: &Failure) -> Status {
    let (topic, status) = match failure {
        Failure::Argument(_) => (Topic::Error, ERROR),
        Failure::Slave(fault) if fault.is_discard() => (Topic::Discard, DISCARD),
        Failure::Slave(_) => (Topic::Error, ERROR),
        Failure::Discarded(_) => (Topic::Discard, DISCARD),
    };
    if shell.log.wants(topic) {
        let message = match failure {
            Failure::Slave(fault) => fault.to_string(),
            Failure::Argument(text) | Failure::Discarded(text) => text.clone(),
        };
        let message = if message.starts_with(name) { message } else { format!("{name}: {message}") };
        shell.log.write(topic, status, &message);
    }
    status
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".into())
}
