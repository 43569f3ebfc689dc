//! Model exchange.

use macrostep_fmi2::*;
use macrostep_slave::Model;

use crate::pointers::{list, list_mut, place};
use crate::shell::enter;

/// `fmi2EnterEventMode`.
pub unsafe fn enter_event_mode<M: Model>(c: Component) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter::<M>(c, "fmi2EnterEventMode", |shell| Ok(shell.instance.enter_event_mode()?)) }
}

/// `fmi2NewDiscreteStates`: no further call, no event to come, and nothing has changed.
pub unsafe fn new_discrete_states<M: Model>(c: Component, info: *mut EventInfo) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2NewDiscreteStates", |shell| {
            let info = place("fmi2eventInfo", info)?;
            shell.instance.new_discrete_states()?;
            *info = EventInfo::default();
            Ok(())
        })
    }
}

/// `fmi2EnterContinuousTimeMode`.
pub unsafe fn enter_continuous_time_mode<M: Model>(c: Component) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter::<M>(c, "fmi2EnterContinuousTimeMode", |shell| Ok(shell.instance.enter_continuous_time_mode()?)) }
}

/// `fmi2CompletedIntegratorStep`: neither event mode nor the end of the simulation is asked for.
pub unsafe fn completed_integrator_step<M: Model>(
    c: Component,
    _keep: Boolean,
    enter_event_mode: *mut Boolean,
    terminate: *mut Boolean,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2CompletedIntegratorStep", |shell| {
            let flags = [place("enterEventMode", enter_event_mode)?, place("terminateSimulation", terminate)?];
            shell.instance.completed_integrator_step()?;
            flags.into_iter().for_each(|flag| *flag = FALSE);
            Ok(())
        })
    }
}

/// `fmi2SetTime`.
pub unsafe fn set_time<M: Model>(c: Component, t: Real) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter::<M>(c, "fmi2SetTime", |shell| Ok(shell.instance.set_time(t)?)) }
}

/// `fmi2SetContinuousStates`.
pub unsafe fn set_continuous_states<M: Model>(c: Component, states: *const Real, count: usize) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2SetContinuousStates", |shell| {
            Ok(shell.instance.set_continuous_states(list("x", states, count)?)?)
        })
    }
}

/// `fmi2GetDerivatives`.
pub unsafe fn get_derivatives<M: Model>(c: Component, derivatives: *mut Real, count: usize) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2GetDerivatives", |shell| {
            Ok(shell.instance.get_derivatives(list_mut("derivatives", derivatives, count)?)?)
        })
    }
}

/// `fmi2GetEventIndicators`.
pub unsafe fn get_event_indicators<M: Model>(c: Component, indicators: *mut Real, count: usize) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2GetEventIndicators", |shell| {
            Ok(shell.instance.get_event_indicators(list_mut("eventIndicators", indicators, count)?)?)
        })
    }
}

/// `fmi2GetContinuousStates`.
pub unsafe fn get_continuous_states<M: Model>(c: Component, states: *mut Real, count: usize) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2GetContinuousStates", |shell| {
            Ok(shell.instance.get_continuous_states(list_mut("x", states, count)?)?)
        })
    }
}

/// `fmi2GetNominalsOfContinuousStates`.
pub unsafe fn get_nominals_of_continuous_states<M: Model>(c: Component, nominals: *mut Real, count: usize) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2GetNominalsOfContinuousStates", |shell| {
            Ok(shell.instance.get_nominals(list_mut("x_nominal", nominals, count)?)?)
        })
    }
}
