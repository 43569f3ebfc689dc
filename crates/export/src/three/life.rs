//! From instantiation to freeing.

use core::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use macrostep_fmi3::*;
use macrostep_slave::{Instance as Made, Model, Slave};

use super::handle::{Handle, References, Type, enter, handle};
use super::inside::Inside;
use crate::log::{Log, Topic};
use crate::pointers::{list, text};
use crate::shell::{Failure, Guarded, Shell, panic_text};

/// What `fmi3InstantiateCoSimulation` is given.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // the arguments of FMI 3.0.2, section 4.3.1, under their names there
pub struct Wanted {
    pub name: Str,
    pub token: Str,
    pub resources: Str,
    pub logging_on: Boolean,
    pub event_mode_used: Boolean,
    pub required: *const ValueReference,
    pub required_count: usize,
    pub environment: InstanceEnvironment,
    pub log: Option<LogMessage>,
    pub update: Option<IntermediateUpdate>,
}

/// `fmi3InstantiateCoSimulation`: NULL, after a logged error, for an empty name, a wrong token, event mode, or an unknown variable.
pub unsafe fn instantiate<M: Model>(wanted: Wanted) -> Instance {
    let mut log = Log::new_3(wanted.log, wanted.environment);
    // SAFETY: the contract of this module.
    let made = catch_unwind(AssertUnwindSafe(|| unsafe { make::<M>(&wanted) }));
    let problem = match made {
        Ok(Ok((instance, references, inside))) => {
            log.declare(&instance.description().log_categories, wanted.logging_on != FALSE);
            log.write(Topic::Event, OK, "instantiated");
            let guarded = Guarded::new(Shell { instance, log, dead: false, strings: Vec::new() });
            return Box::into_raw(Box::new(Handle { guarded, references, inside })).cast();
        }
        Ok(Err(problem)) => problem,
        Err(panic) => format!("internal error: {}", panic_text(panic.as_ref())),
    };
    log.write(Topic::Error, ERROR, &format!("fmi3InstantiateCoSimulation: {problem}"));
    core::ptr::null_mut()
}

/// The instance and what belongs to it, if the arguments are right.
unsafe fn make<M: Model>(wanted: &Wanted) -> Result<(Made<M>, References, Inside), String> {
    // SAFETY: NULL or valid, by the contract of this module.
    let (name, token, resources) = unsafe { (text(wanted.name), text(wanted.token), text(wanted.resources)) };
    // SAFETY: the same.
    let required = unsafe { list("requiredIntermediateVariables", wanted.required, wanted.required_count) }?;
    let name = name.map(CStr::to_string_lossy).unwrap_or_default();
    if name.trim().is_empty() {
        return Err("the instance name is empty".into());
    }
    if wanted.event_mode_used != FALSE {
        return Err("eventModeUsed is true, expected false: the FMU has no event mode".into());
    }
    // The folder of resources is a path here, and no URI.
    let folder = resources.and_then(|r| r.to_str().ok()).filter(|r| !r.is_empty()).map(PathBuf::from);
    let instance = Made::<M>::new(&name, folder.as_deref()).map_err(|fault| fault.to_string())?;
    let d = instance.description();
    let found = token.map(CStr::to_string_lossy).unwrap_or_default();
    if found != d.guid.as_str() {
        return Err(format!("instantiation token `{found}` found, expected `{}`", d.guid));
    }
    // Of the variables that the importer wants inside steps, those that it can set; others cannot be got there either.
    let references = References::of(d);
    let mut inputs: Vec<(u32, u32)> = Vec::new();
    for reference in required {
        let local = references.of_type(*reference, Type::Float64)?;
        let is_input = d.variables.get(*reference as usize - 1).is_some_and(|v| d.takes_inside_steps(v));
        if is_input && !inputs.contains(&(*reference, local)) {
            inputs.push((*reference, local));
        }
    }
    Ok((instance, references, Inside::new(wanted.update, wanted.environment, inputs)))
}

/// An instantiation of another kind than co-simulation: NULL after a logged error.
pub unsafe fn instantiate_other(name: &str, environment: InstanceEnvironment, log: Option<LogMessage>) -> Instance {
    let text = format!("{name}: the FMU is for co-simulation: fmi3InstantiateCoSimulation makes an instance of it");
    Log::new_3(log, environment).write(Topic::Error, ERROR, &text);
    core::ptr::null_mut()
}

/// `fmi3FreeInstance`; NULL is harmless. An instance that another call is using is kept.
pub unsafe fn free_instance<M: Model>(instance: Instance) {
    // SAFETY: made by `instantiate`, not freed before, by the contract of this module.
    if unsafe { handle::<M>(instance) }.is_some_and(|handle| handle.guarded.occupy()) {
        // SAFETY: the same, and no other call has it.
        let handle = unsafe { Box::from_raw(instance.cast::<Handle<M>>()) };
        // A destructor of a model that panics must not cross the C boundary.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(handle))) {
            std::mem::forget(panic);
        }
    }
}

/// Calls a function of the slave and logs the event.
unsafe fn event<M: Model>(
    instance: Instance,
    name: &'static str,
    what: &str,
    mut body: impl FnMut(&mut Made<M>) -> Result<(), macrostep_slave::Fault>,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, name, |shell, _| {
            body(&mut shell.instance)?;
            shell.log.write(Topic::Event, OK, what);
            Ok(())
        })
    }
}

/// `fmi3SetDebugLogging`.
pub unsafe fn set_debug_logging<M: Model>(
    instance: Instance,
    on: Boolean,
    count: usize,
    categories: *const Str,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3SetDebugLogging", |shell, _| {
            let names = list("categories", categories, count)?;
            let names: Option<Vec<&CStr>> = names.iter().map(|name| text(*name)).collect();
            let names = names.ok_or_else(|| "the name of a category is NULL".to_string())?;
            Ok(shell.log.switch(on != FALSE, &names)?)
        })
    }
}

/// `fmi3EnterInitializationMode`, which also sets the experiment up.
pub unsafe fn enter_initialization_mode<M: Model>(
    instance: Instance,
    tolerance_defined: Boolean,
    tolerance: f64,
    start: f64,
    stop_defined: Boolean,
    stop: f64,
) -> Status {
    let tolerance = (tolerance_defined != FALSE).then_some(tolerance);
    let stop = (stop_defined != FALSE).then_some(stop);
    // SAFETY: the contract of this module.
    unsafe {
        event::<M>(instance, "fmi3EnterInitializationMode", "initialization begun", |s| {
            s.setup_experiment(start, stop, tolerance)?;
            s.enter_initialization()
        })
    }
}

/// `fmi3ExitInitializationMode`.
pub unsafe fn exit_initialization_mode<M: Model>(instance: Instance) -> Status {
    // SAFETY: the contract of this module.
    unsafe { event::<M>(instance, "fmi3ExitInitializationMode", "initialized", |s| s.exit_initialization()) }
}

/// `fmi3Terminate`.
pub unsafe fn terminate<M: Model>(instance: Instance) -> Status {
    // SAFETY: the contract of this module.
    unsafe { event::<M>(instance, "fmi3Terminate", "terminated", |s| s.terminate()) }
}

/// `fmi3Reset`.
pub unsafe fn reset<M: Model>(instance: Instance) -> Status {
    // SAFETY: the contract of this module.
    unsafe { event::<M>(instance, "fmi3Reset", "reset", |s| s.reset()) }
}

/// A function of what the FMU does not have.
pub unsafe fn refuse<M: Model>(instance: Instance, name: &'static str) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, name, |_, _| {
            Err(Failure::Argument("the FMU does not have what this function is for, as its description says".into()))
        })
    }
}
