//! The instance behind an `fmi2Component`, and the way to it: one call at a time.

use std::cell::UnsafeCell;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

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
    /// Strings handed out by the last `fmi2GetString` or `fmi3GetString`.
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

/// A shell that one call at a time may use. FMI forbids several at once; those of a host that does it all the same are refused, but
/// for two that begin within the same nanoseconds where the model leaves the exchange out ([`Model::EXCLUDES_CALLS`]).
#[derive(Debug)]
pub(crate) struct Guarded<M> {
    /// Whether a call is in the shell.
    is_busy: AtomicBool,
    /// Calls refused since the last message about them.
    refused: AtomicU32,
    shell: UnsafeCell<Shell<M>>,
}

impl<M: Model> Guarded<M> {
    pub fn new(shell: Shell<M>) -> Guarded<M> {
        Guarded { is_busy: AtomicBool::new(false), refused: AtomicU32::new(0), shell: UnsafeCell::new(shell) }
    }

    /// Whether the caller may use the shell from now on; where not, the refusal is counted.
    #[inline]
    pub fn occupy(&self) -> bool {
        let is_busy = if M::EXCLUDES_CALLS {
            self.is_busy.swap(true, Ordering::Acquire)
        } else {
            let is_busy = self.is_busy.load(Ordering::Acquire);
            self.is_busy.store(true, Ordering::Relaxed);
            is_busy
        };
        if is_busy {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        !is_busy
    }

    /// Logs how many calls were refused, by the call that has the shell: the host's logger need not bear two threads.
    #[cold]
    #[inline(never)]
    fn tell_refused(&self, log: &Log) {
        let count = self.refused.swap(0, Ordering::Relaxed);
        let text = format!(
            "{count} of the calls were refused: another call of this instance was running, and FMI allows one at a time; let each \
             thread wait for the other, or give each thread an instance of its own"
        );
        log.write(Topic::Error, ERROR, &text);
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

/// What a call does with the shell.
type Body<'a, M> = &'a mut dyn FnMut(&mut Shell<M>) -> Result<(), Failure>;

/// Runs `body` on the shell behind `c`: NULL, a second call at the same time and dead instances are answered here, panics end here.
///
/// # Safety
/// `c` is NULL or was returned by `instantiate::<M>` and not freed. Where the model leaves the exchange out, calls of `c` do not begin at
/// the same instant, as FMI demands.
#[inline]
pub(crate) unsafe fn enter<M: Model>(
    c: Component,
    name: &'static str,
    mut body: impl FnMut(&mut Shell<M>) -> Result<(), Failure>,
) -> Status {
    // One function for all calls but those of a step: what is put into each of them is a fifth of what an FMU takes to compile.
    #[inline(never)]
    unsafe fn one<M: Model>(c: Component, name: &'static str, body: Body<'_, M>) -> Status {
        // SAFETY: by the contract of `enter`.
        unsafe { enter_quickly(c, name, body) }
    }
    // SAFETY: by this function's contract.
    unsafe { one(c, name, &mut body) }
}

/// The same for calls of a step, put into the caller.
///
/// # Safety
/// As [`enter`].
#[inline]
pub(crate) unsafe fn enter_quickly<M: Model>(
    c: Component,
    name: &'static str,
    body: impl FnOnce(&mut Shell<M>) -> Result<(), Failure>,
) -> Status {
    // SAFETY: NULL or a live shell of this model, by this function's contract.
    let Some(guarded) = (unsafe { c.cast::<Guarded<M>>().as_ref() }) else {
        return ERROR;
    };
    // SAFETY: by this function's contract.
    unsafe { inside(guarded, name, body) }
}

/// The same for a shell that is found.
///
/// # Safety
/// As [`enter`].
#[inline(always)]
pub(crate) unsafe fn inside<M: Model>(
    guarded: &Guarded<M>,
    name: &'static str,
    body: impl FnOnce(&mut Shell<M>) -> Result<(), Failure>,
) -> Status {
    if !guarded.occupy() {
        return ERROR;
    }
    // SAFETY: no other call has it until `is_busy` is false again: by the exchange, or, without it, because a call that began before was
    // found and none begins at the same instant, by this function's contract. A host that breaks it has two calls in one memory.
    let shell = unsafe { &mut *guarded.shell.get() };
    let status = call(shell, name, body);
    // What threads were refused meanwhile is told by this one.
    if guarded.refused.load(Ordering::Relaxed) != 0 {
        guarded.tell_refused(&shell.log);
    }
    guarded.is_busy.store(false, Ordering::Release);
    status
}

/// Runs `body` unless an earlier call has panicked.
#[inline]
fn call<M: Model>(
    shell: &mut Shell<M>,
    name: &'static str,
    body: impl FnOnce(&mut Shell<M>) -> Result<(), Failure>,
) -> Status {
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
        Err(panic) => panicked(shell, name, panic),
    }
}

/// Logs a panic and ends the instance.
#[cold]
#[inline(never)]
fn panicked<M>(shell: &mut Shell<M>, name: &str, panic: Box<dyn std::any::Any + Send>) -> Status {
    shell.dead = true;
    let text = panic_text(panic.as_ref());
    // A panicking payload must not escape by its destructor either.
    std::mem::forget(panic);
    shell.log.write(Topic::Fatal, FATAL, &format!("{name}: internal error: {text}"));
    FATAL
}

/// Logs a failure and gives its status.
#[cold]
#[inline(never)]
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
