//! From instantiation to freeing, and steps.

use core::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use macrostep_fmi2::*;
use macrostep_slave::{Instance, Model, Outcome, Slave};

use crate::log::{Log, Topic};
use crate::pointers::{list, text};
use crate::shell::{Failure, Guarded, Shell, enter, enter_quickly, panic_text};
use crate::uri;

/// `fmi2Instantiate`: NULL, after a logged error, for an empty name, a wrong GUID, or a type that the model does not declare.
pub unsafe fn instantiate<M: Model>(
    name: Str,
    kind: Type,
    guid: Str,
    resources: Str,
    callbacks: *const CallbackFunctions,
    _visible: Boolean,
    logging_on: Boolean,
) -> Component {
    // SAFETY: NULL or valid, by the contract of this module.
    let (name, guid, resources, callbacks) = unsafe { (text(name), text(guid), text(resources), callbacks.as_ref()) };
    let log = Log::new(callbacks, name.unwrap_or(c""));
    let made = catch_unwind(AssertUnwindSafe(|| make::<M>(name, kind, guid, resources)));
    let problem = match made {
        Ok(Ok(instance)) => return handed_out(instance, log, logging_on != FALSE),
        Ok(Err(problem)) => problem,
        Err(panic) => format!("internal error: {}", panic_text(panic.as_ref())),
    };
    log.write(Topic::Error, ERROR, &format!("fmi2Instantiate: {problem}"));
    core::ptr::null_mut()
}

/// The instance, if the arguments are right.
fn make<M: Model>(
    name: Option<&CStr>,
    kind: Type,
    guid: Option<&CStr>,
    resources: Option<&CStr>,
) -> Result<Instance<M>, String> {
    let name = name.map(CStr::to_string_lossy).unwrap_or_default();
    if name.trim().is_empty() {
        return Err("the instance name is empty".into());
    }
    let folder = resources.and_then(|r| r.to_str().ok()).and_then(uri::path);
    let mut instance = Instance::<M>::new(&name, folder.as_deref()).map_err(|fault| fault.to_string())?;
    // The face, which the model must have.
    if kind == MODEL_EXCHANGE && instance.description().model_exchange.is_some() {
        instance = instance.exchanged().map_err(|fault| fault.to_string())?;
    } else if kind != CO_SIMULATION {
        return Err(format!("fmuType {kind} found, expected {CO_SIMULATION} (co-simulation)"));
    }
    let expected = &instance.description().guid;
    let found = guid.map(CStr::to_string_lossy).unwrap_or_default();
    if found == expected.as_str() { Ok(instance) } else { Err(format!("GUID `{found}` found, expected `{expected}`")) }
}

/// Moves the instance to where the caller's pointer can point.
fn handed_out<M: Model>(instance: Instance<M>, mut log: Log, debug: bool) -> Component {
    log.declare(&instance.description().log_categories, debug);
    log.write(Topic::Event, OK, "instantiated");
    let shell = Shell { instance, log, dead: false, strings: Vec::new() };
    Box::into_raw(Box::new(Guarded::new(shell))).cast()
}

/// `fmi2FreeInstance`; NULL is harmless. An instance that another thread is using is kept.
pub unsafe fn free_instance<M: Model>(c: Component) {
    // SAFETY: made by `handed_out`, not freed before, by the contract of this module.
    if unsafe { c.cast::<Guarded<M>>().as_ref() }.is_some_and(Guarded::occupy) {
        // SAFETY: the same, and no other call has it.
        let shell = unsafe { Box::from_raw(c.cast::<Guarded<M>>()) };
        // A destructor of a model that panics must not cross the C boundary.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(shell))) {
            std::mem::forget(panic);
        }
    }
}

/// Calls a function of the slave and logs the event.
unsafe fn event<M: Model>(
    c: Component,
    name: &'static str,
    what: &str,
    mut body: impl FnMut(&mut Instance<M>) -> Result<(), macrostep_slave::Fault>,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, name, |shell| {
            body(&mut shell.instance)?;
            shell.log.write(Topic::Event, OK, what);
            Ok(())
        })
    }
}

/// `fmi2SetDebugLogging`.
pub unsafe fn set_debug_logging<M: Model>(c: Component, on: Boolean, count: usize, categories: *const Str) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2SetDebugLogging", |shell| {
            let names = list("categories", categories, count)?;
            let names: Option<Vec<&CStr>> = names.iter().map(|name| text(*name)).collect();
            let names = names.ok_or_else(|| "the name of a category is NULL".to_string())?;
            Ok(shell.log.switch(on != FALSE, &names)?)
        })
    }
}

/// `fmi2SetupExperiment`.
pub unsafe fn setup_experiment<M: Model>(
    c: Component,
    tolerance_defined: Boolean,
    tolerance: Real,
    start: Real,
    stop_defined: Boolean,
    stop: Real,
) -> Status {
    let tolerance = (tolerance_defined != FALSE).then_some(tolerance);
    let stop = (stop_defined != FALSE).then_some(stop);
    // SAFETY: the contract of this module.
    unsafe { event::<M>(c, "fmi2SetupExperiment", "set up", |s| s.setup_experiment(start, stop, tolerance)) }
}

/// `fmi2EnterInitializationMode`.
pub unsafe fn enter_initialization_mode<M: Model>(c: Component) -> Status {
    // SAFETY: the contract of this module.
    unsafe { event::<M>(c, "fmi2EnterInitializationMode", "initialization begun", |s| s.enter_initialization()) }
}

/// `fmi2ExitInitializationMode`.
pub unsafe fn exit_initialization_mode<M: Model>(c: Component) -> Status {
    // SAFETY: the contract of this module.
    unsafe { event::<M>(c, "fmi2ExitInitializationMode", "initialized", |s| s.exit_initialization()) }
}

/// `fmi2Terminate`.
pub unsafe fn terminate<M: Model>(c: Component) -> Status {
    // SAFETY: the contract of this module.
    unsafe { event::<M>(c, "fmi2Terminate", "terminated", |s| s.terminate()) }
}

/// `fmi2Reset`.
pub unsafe fn reset<M: Model>(c: Component) -> Status {
    // SAFETY: the contract of this module.
    unsafe { event::<M>(c, "fmi2Reset", "reset", |s| s.reset()) }
}

/// `fmi2DoStep`.
#[inline]
pub unsafe fn do_step<M: Model>(c: Component, t: Real, step: Real, keep: Boolean) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter_quickly::<M>(c, "fmi2DoStep", |shell| match shell.instance.do_step(t, step, keep != FALSE)? {
            Outcome::Done => Ok(()),
            Outcome::Discarded { reached_s, .. } => {
                Err(Failure::Discarded(format!("step to {} s ended at {reached_s} s", t + step)))
            }
        })
    }
}

/// `fmi2CancelStep`: never allowed, because steps are synchronous. While another thread is in a step it is refused at once.
pub unsafe fn cancel_step<M: Model>(c: Component) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter::<M>(c, "fmi2CancelStep", |shell| Ok(shell.instance.cancel_step()?)) }
}
