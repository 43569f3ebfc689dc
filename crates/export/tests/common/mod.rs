//! A caller of C functions, with a logger that keeps what it is told.
#![allow(dead_code)]

use core::ffi::{CStr, c_char, c_void};
use std::ffi::CString;
use std::sync::{Barrier, Mutex};

use macrostep_export::fmi2::*;

/// A message: instance, status, category, text.
pub type Message = (String, Status, String, String);

/// What was logged, behind the component environment.
#[derive(Debug, Default)]
pub struct Messages {
    pub logged: Mutex<Vec<Message>>,
    /// Where the logger waits in the call that logs this text: until another thread has come to the first, and to the second.
    pub halt: Option<(&'static str, [Barrier; 2])>,
}

impl Messages {
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut self.logged.lock().expect("not poisoned"))
    }
}

/// Takes the one argument our libraries pass. A variadic function cannot be defined in Rust; on the platforms tested the
/// first six arguments of a variadic call arrive like those of any other.
unsafe extern "C" fn keep(
    environment: *mut c_void,
    name: *const c_char,
    status: Status,
    category: *const c_char,
    format: *const c_char,
    argument: *const c_char,
) {
    // SAFETY: the environment is the `Messages` the caller made, the strings are those of the library.
    unsafe {
        assert_eq!(CStr::from_ptr(format), c"%s");
        let text = |p| CStr::from_ptr(p).to_string_lossy().into_owned();
        let messages = &*environment.cast::<Messages>();
        messages.logged.lock().expect("not poisoned").push((text(name), status, text(category), text(argument)));
        if let Some((_, barriers)) = messages.halt.as_ref().filter(|(at, _)| *at == text(argument)) {
            barriers.iter().for_each(|barrier| _ = barrier.wait());
        }
    }
}

/// Callbacks that log into `messages`.
pub fn callbacks(messages: &Messages) -> CallbackFunctions {
    type Fixed = unsafe extern "C" fn(*mut c_void, *const c_char, Status, *const c_char, *const c_char, *const c_char);
    // SAFETY: see `keep`.
    let logger = unsafe { core::mem::transmute::<Fixed, Logger>(keep) };
    CallbackFunctions {
        logger: Some(logger),
        allocate_memory: None,
        free_memory: None,
        step_finished: None,
        component_environment: core::ptr::from_ref(messages).cast_mut().cast(),
    }
}

/// Instantiates for co-simulation with a good URI.
pub fn instantiate(f: &Functions, name: &str, guid: &str, messages: &Messages, logging: bool) -> Component {
    instantiate_for(f, CO_SIMULATION, [name, guid], messages, logging)
}

/// The same for a face.
pub fn instantiate_for(
    f: &Functions,
    face: Type,
    [name, guid]: [&str; 2],
    messages: &Messages,
    logging: bool,
) -> Component {
    let [name, guid] = [name, guid].map(|s| CString::new(s).expect("no zero byte"));
    let callbacks = callbacks(messages);
    // SAFETY: valid strings and callbacks, which the library does not keep.
    unsafe {
        (f.instantiate)(
            name.as_ptr(),
            face,
            guid.as_ptr(),
            c"file:///tmp/a%20folder/resources".as_ptr(),
            &callbacks,
            FALSE,
            Boolean::from(logging),
        )
    }
}
