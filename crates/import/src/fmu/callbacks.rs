//! What an FMU calls back: the logger and the memory functions (FMI 2.0.5, section 2.1.5).
//!
//! A logger is called with a `componentEnvironment`, which should be the one the FMU was given. FMUs of several tools pass
//! NULL or a small number instead. So the pointer is never followed: it is looked up among those that were handed out and
//! whose instance is alive. Where it is none of them, the message belongs to the instance the thread is in, or to the only
//! one there is.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};

use macrostep_fmi2 as abi;

use super::three::Update;
use super::{LogRecord, LogSink, plain};

type Receive = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

unsafe extern "C" {
    fn macrostep_log(
        environment: abi::ComponentEnvironment,
        instance: abi::Str,
        status: abi::Status,
        category: abi::Str,
        message: abi::Str,
        ...
    );
    fn macrostep_log_to(receive: Receive);
    fn macrostep_allocate(count: usize, size: usize) -> *mut c_void;
    fn macrostep_free(memory: *mut c_void);
    fn macrostep_step_finished(environment: abi::ComponentEnvironment, status: abi::Status);
}

/// The environments that were handed out and whose instance is alive, by address.
static ALIVE: Mutex<BTreeMap<usize, Arc<Receiver>>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// Address of the environment whose instance this thread has called last.
    static RUNNING: Cell<usize> = const { Cell::new(0) };
}

/// Gets the messages of one instance, on any thread.
struct Receiver {
    instance: String,
    sink: Option<LogSink>,
    messages: Mutex<Messages>,
    /// Whether there was a message of fmi2Warning since they were asked for last: a look that needs no lock.
    has_warned: AtomicBool,
    /// What gets requests inside a step, for FMI 3.0.
    update: Option<Arc<Update>>,
}

/// Messages since they were asked for last.
#[derive(Default)]
struct Messages {
    /// The first one that says an error, where there is one.
    error: Option<String>,
    /// The first one that warns.
    warning: Option<String>,
    last: String,
    /// How many there were after the first error.
    more: u32,
}

/// Most letters of a message in an error: the first and the last of them, because a traceback ends with its reason.
const HEAD: usize = 120;
const TAIL: usize = 79;

/// What a message says that announces another one.
const ANNOUNCED: &str = "following error";

impl Messages {
    fn hear(&mut self, status: c_int, text: &str) {
        let is_error = matches!(status, abi::ERROR | abi::FATAL);
        if let Some(error) = &mut self.error {
            // A message that only announces one, as those of Dymola, goes together with the next.
            if self.more == 0 && error.contains(ANNOUNCED) && is_error && error.len() <= HEAD {
                error.push_str(": ");
                error.push_str(text.trim_start_matches("Error: "));
                return;
            }
            self.more += 1;
        } else if is_error {
            self.error = Some(text.to_owned());
        } else if status == abi::WARNING && self.warning.is_none() {
            self.warning = Some(text.to_owned());
        }
        self.last.clear();
        self.last.push_str(text);
    }
}

/// What an instance is given: its `componentEnvironment` is the address of the receiver.
pub(super) struct Environment {
    /// Boxed: the FMU may keep the pointer to it although the standard asks it to copy the struct.
    functions: Box<abi::CallbackFunctions>,
    receiver: Arc<Receiver>,
    address: usize,
}

impl Environment {
    /// Known from now on until it is dropped. FMUs whose steps run on beside the caller get a function to call at their end; to others it says that
    /// their steps are to do so, and 20-sim's warn that they cannot.
    pub(super) fn new(instance: &str, sink: Option<LogSink>, is_asynchronous: bool) -> Environment {
        let step_finished = is_asynchronous.then_some(macrostep_step_finished as abi::StepFinished);
        Environment::with(instance, sink, step_finished, None)
    }

    /// The same with this function, for an instance that calls back inside its steps.
    pub(super) fn with(
        instance: &str,
        sink: Option<LogSink>,
        step_finished: Option<abi::StepFinished>,
        update: Option<Arc<Update>>,
    ) -> Environment {
        static CONNECTED: Once = Once::new();
        // SAFETY: stores a function that lives as long as the program, before any FMU can log.
        CONNECTED.call_once(|| unsafe { macrostep_log_to(receive) });
        let receiver = Arc::new(Receiver {
            instance: instance.to_owned(),
            sink,
            messages: Mutex::default(),
            has_warned: AtomicBool::new(false),
            update,
        });
        let pointer = Arc::as_ptr(&receiver);
        let functions = Box::new(abi::CallbackFunctions {
            logger: Some(macrostep_log),
            allocate_memory: Some(macrostep_allocate),
            free_memory: Some(macrostep_free),
            step_finished,
            component_environment: pointer.cast_mut().cast(),
        });
        let address = pointer.addr();
        alive().insert(address, Arc::clone(&receiver));
        Environment { functions, receiver, address }
    }

    /// What `fmi2Instantiate` gets.
    pub(super) fn functions(&self) -> *const abi::CallbackFunctions {
        &raw const *self.functions
    }

    /// `instanceEnvironment` of FMI 3.0.
    pub(super) fn pointer(&self) -> *mut c_void {
        self.functions.component_environment
    }

    /// The instance is called on this thread now.
    #[inline(always)]
    pub(super) fn enter(&self) {
        RUNNING.set(self.address);
    }

    /// Whether the FMU has logged a message of fmi2Warning that nobody was told.
    #[inline(always)]
    pub(super) fn has_warned(&self) -> bool {
        self.receiver.has_warned.load(Ordering::Relaxed)
    }

    /// The first message that said an error, and how many came after it; without one the first that warned, or the last message. All are forgotten. One line of at
    /// most 200 letters (a traceback is whole), and the number.
    pub(super) fn take_said(&self) -> String {
        self.receiver.has_warned.store(false, Ordering::Relaxed);
        let Messages { error, warning, last, more } =
            std::mem::take(&mut *self.receiver.messages.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(error) = error else { return cut(&plain(&warning.unwrap_or(last))) };
        let error = cut(&plain(&error));
        match more {
            0 => error,
            1 => format!("{error} (and 1 more message)"),
            more => format!("{error} (and {more} more messages)"),
        }
    }
}

/// What a traceback of Python begins with: it is told whole.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// A text of at most 200 letters, or one with a traceback.
fn cut(text: &str) -> String {
    let letters = text.chars().count();
    if letters <= HEAD + 1 + TAIL || text.contains(TRACEBACK) {
        return text.to_owned();
    }
    let head: String = text.chars().take(HEAD).collect();
    let tail: String = text.chars().skip(letters - TAIL).collect();
    format!("{head}…{tail}")
}

impl Drop for Environment {
    fn drop(&mut self) {
        alive().remove(&self.address);
    }
}

fn alive() -> std::sync::MutexGuard<'static, BTreeMap<usize, Arc<Receiver>>> {
    ALIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whose message it is that came with this environment.
fn receiver(environment: usize) -> Option<Arc<Receiver>> {
    let alive = alive();
    let here = || alive.get(&RUNNING.get());
    let only = || alive.values().next().filter(|_| alive.len() == 1);
    alive.get(&environment).or_else(here).or_else(only).cloned()
}

/// What gets the requests of the instance that has called back with this environment.
pub(super) fn update_of(environment: *mut c_void) -> Option<Arc<Update>> {
    receiver(environment.addr())?.update.clone()
}

/// `logMessage` of FMI 3.0, whose messages are formatted already.
pub(super) unsafe extern "C" fn log_message(
    environment: *mut c_void,
    status: abi::Status,
    category: abi::Str,
    message: abi::Str,
) {
    let [category, message] = [category, message].map(|text| if text.is_null() { c"".as_ptr() } else { text });
    // SAFETY: not NULL, and zero-terminated as the standard demands of an FMU.
    unsafe { receive(environment, status, category, message) };
}

/// Gets a formatted message from `callbacks.c`, on whatever thread the FMU logs from.
unsafe extern "C" fn receive(environment: *mut c_void, status: c_int, category: *const c_char, text: *const c_char) {
    // SAFETY: both are zero-terminated buffers or literals in `callbacks.c`, or the category of the FMU, which the
    // standard demands to be zero-terminated.
    let (category, text) = unsafe { (CStr::from_ptr(category), CStr::from_ptr(text)) };
    let (category, text) = (category.to_string_lossy(), text.to_string_lossy());
    // A panic of the sink must not travel through frames of C.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let Some(receiver) = receiver(environment.addr()) else { return };
        if let Ok(mut messages) = receiver.messages.lock() {
            messages.hear(status, &text);
        }
        if status == abi::WARNING {
            receiver.has_warned.store(true, Ordering::Relaxed);
        }
        if let Some(sink) = &receiver.sink {
            sink(&LogRecord { instance: &receiver.instance, status, category: &category, text: &text });
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_kept_and_one_that_only_announces_has_the_next() {
        let heard = |texts: &[(c_int, &str)]| {
            let mut messages = Messages::default();
            texts.iter().for_each(|(status, text)| messages.hear(*status, text));
            (messages.error.unwrap_or_default(), messages.more)
        };
        let (error, ok) = (abi::ERROR, abi::OK);
        assert_eq!(heard(&[(ok, "hm"), (error, "dry"), (error, "failed")]), ("dry".to_owned(), 1));
        let announced = [
            (error, "Error: The following error was detected at time: 0"),
            (error, "Error: singular"),
            (ok, "a"),
            (error, "b"),
        ];
        assert_eq!(heard(&announced), ("Error: The following error was detected at time: 0: singular".to_owned(), 2));
        let alone = [(error, "the following error"), (ok, "trying again"), (error, "failed")];
        assert_eq!(heard(&alone), ("the following error".to_owned(), 2));
    }
}
