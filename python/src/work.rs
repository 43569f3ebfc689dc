//! Work beside the interpreter: on a thread of its own, while this one waits for it and for interrupts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use macrostep_answers::api::Fault;
use macrostep_import::isolation::Cut;
use pyo3::prelude::*;

use crate::error::raised;
use crate::given::Raised;

/// How often an interrupt is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// How long work that was cut may take to its end; after that it goes on by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// Foreign code is used to the stack of a main thread.
const STACK_BYTES: usize = 16 << 20;

/// Does `work` with the interpreter let go. An interrupt sets the cut and is raised once the work has ended.
///
/// # Errors
/// The fault of the work, with the exception of a part in Python as its cause; `KeyboardInterrupt`, or what another signal handler has raised.
pub fn work<T: Send + 'static>(
    py: Python<'_>,
    (cut, raised_by): (&Cut, &Raised),
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> PyResult<T> {
    let (done, result) = channel();
    let thread = std::thread::Builder::new().name("macrostep".to_owned()).stack_size(STACK_BYTES);
    let begun = thread.spawn(move || {
        // Where nobody waits any longer, nobody wants the result.
        let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
    });
    begun.map_err(|e| raised(py, &Fault::failed(format!("no thread: {e}"))))?;
    let result = Mutex::new(result);
    let wait = |at_most| result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(at_most);
    loop {
        match py.detach(|| wait(LOOK)) {
            Ok(Ok(done)) => return done.map_err(|fault| raised_by.raise(py, fault)),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(panicked(py)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals() {
            cut.set();
            let _ = py.detach(|| wait(PATIENCE));
            return Err(interrupt);
        }
    }
}

/// Does `work` at once with the interpreter let go, for what is too short to be interrupted.
///
/// # Errors
/// The fault of the work.
pub fn at_once<T: Send>(
    py: Python<'_>,
    raised_by: &Raised,
    work: impl FnOnce() -> Result<T, Fault> + Send,
) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(Ok(done)) => raised_by.unnoticed(py, None).map_or(Ok(done), Err),
        Ok(Err(fault)) => Err(raised_by.raise(py, fault)),
        Err(_) => Err(panicked(py)),
    }
}

fn panicked(py: Python<'_>) -> PyErr {
    raised(py, &Fault::failed("a fault of macrostep itself, which standard error tells; please report it"))
}
