//! What an FMU calls back: the logger and the memory functions (FMI 2.0.5, section 2.1.5).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use macrostep_fmi2 as abi;

use super::{LogRecord, LogSink};

unsafe extern "C" {
    fn macrostep_log(
        environment: abi::ComponentEnvironment,
        instance: abi::Str,
        status: abi::Status,
        category: abi::Str,
        message: abi::Str,
        ...
    );
    fn macrostep_allocate(count: usize, size: usize) -> *mut c_void;
    fn macrostep_free(memory: *mut c_void);
    fn macrostep_step_finished(environment: abi::ComponentEnvironment, status: abi::Status);
}

/// What `componentEnvironment` points to. Its address must not change while the instance lives, so it is boxed; the FMU
/// may keep the pointer to `functions` although the standard asks it to copy them.
#[repr(C)]
pub(super) struct Environment {
    /// Read by `callbacks.c`, which knows of this member only.
    receive: unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char),
    functions: abi::CallbackFunctions,
    instance: String,
    sink: Option<LogSink>,
    last: Mutex<String>,
}

impl Environment {
    /// On the heap, with a pointer to itself inside.
    pub(super) fn new(instance: &str, sink: Option<LogSink>) -> Box<Environment> {
        let mut environment = Box::new(Environment {
            receive,
            functions: abi::CallbackFunctions {
                logger: Some(macrostep_log),
                allocate_memory: Some(macrostep_allocate),
                free_memory: Some(macrostep_free),
                step_finished: Some(macrostep_step_finished),
                component_environment: std::ptr::null_mut(),
            },
            instance: instance.to_owned(),
            sink,
            last: Mutex::new(String::new()),
        });
        environment.functions.component_environment = (&raw mut *environment).cast();
        environment
    }

    /// What `fmi2Instantiate` gets.
    pub(super) fn functions(&self) -> *const abi::CallbackFunctions {
        &raw const self.functions
    }

    /// The last message, which is forgotten.
    pub(super) fn take_last(&self) -> String {
        std::mem::take(&mut *self.last.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Gets a formatted message from `callbacks.c`, on whatever thread the FMU logs from.
unsafe extern "C" fn receive(environment: *mut c_void, status: c_int, category: *const c_char, text: *const c_char) {
    // SAFETY: `callbacks.c` hands back the `componentEnvironment` it was called with. It is checked for NULL there, and
    // an FMU that hands back another pointer than it was given breaks the contract of loading it. Shared references
    // only: the sink is `Sync` and the last message is locked.
    let environment = unsafe { &*environment.cast_const().cast::<Environment>() };
    // SAFETY: both are zero-terminated buffers or literals in `callbacks.c`, or the category of the FMU, which the
    // standard demands to be zero-terminated.
    let (category, text) = unsafe { (CStr::from_ptr(category), CStr::from_ptr(text)) };
    let (category, text) = (category.to_string_lossy(), text.to_string_lossy());
    // A panic of the sink must not travel through frames of C.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if let Ok(mut last) = environment.last.lock() {
            last.clear();
            last.push_str(&text);
        }
        if let Some(sink) = &environment.sink {
            sink(&LogRecord { instance: &environment.instance, status, category: &category, text: &text });
        }
    }));
}
