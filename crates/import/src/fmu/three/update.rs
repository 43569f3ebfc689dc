//! Requests of an FMU inside its steps: `intermediateUpdate` (FMI 3.0.2, section 4.2.2).
//!
//! A call gets the inputs at its time. One that comes when it must not, after the step, from another thread, at a time outside of the step, or
//! inside another call, gets nothing, and is an error of the step, or of the next call of the instance.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use macrostep_fmi3 as abi;

use super::super::callbacks::update_of;
use super::super::continuous::inputs::Inputs;
use super::access::{Access, Bad};

/// How far outside of a step a call may be, relative to its length: rounding.
const ROUNDING: f64 = 1e-6;

/// What gets the calls of one instance.
pub(in crate::fmu) struct Update {
    state: Mutex<State>,
    /// Whether there was a call while another one was answered.
    is_nested: AtomicBool,
    /// Whether there is anything to be told: a look that needs no lock.
    is_faulty: AtomicBool,
}

/// What changes with steps and calls.
pub(super) struct State {
    /// The values are set with this.
    access: Option<Access>,
    pub(super) inputs: Inputs,
    step: Option<Step>,
    fault: Option<String>,
}

/// The step that the FMU is in.
struct Step {
    thread: ThreadId,
    /// Start and end \[s\].
    span: (f64, f64),
    /// Inputs that were asked for, so often.
    requests: u64,
}

// SAFETY: the pointer to the instance is followed only by calls inside of a step, on the thread that makes the step, which has the unit.
unsafe impl Send for Update {}
// SAFETY: what it holds is behind a lock.
unsafe impl Sync for Update {}

impl Update {
    pub(super) fn new(asked: &[u32]) -> Update {
        let state = State { access: None, inputs: Inputs::of(asked.to_vec()), step: None, fault: None };
        Update { state: Mutex::new(state), is_nested: AtomicBool::new(false), is_faulty: AtomicBool::new(false) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The instance is there.
    pub(super) fn serve(&self, access: Access) {
        self.lock().access = Some(access);
    }

    /// A step begins.
    pub(super) fn begin(&self, t_s: f64, end_s: f64) {
        let mut state = self.lock();
        state.inputs.begin(t_s);
        state.step = Some(Step { thread: thread::current().id(), span: (t_s, end_s), requests: 0 });
    }

    /// A step has ended, here \[s\]; whether inputs were to change in it and were not asked for.
    pub(super) fn end(&self, t_s: f64) -> bool {
        let mut state = self.lock();
        let requests = state.step.take().map_or(0, |step| step.requests);
        let is_held = state.inputs.change() && requests == 0;
        state.inputs.end(t_s);
        is_held
    }

    /// What an FMU has done that it must not; told once.
    #[inline]
    pub(super) fn fault(&self) -> Option<String> {
        if !self.is_faulty.load(Ordering::Acquire) {
            return None;
        }
        self.is_faulty.store(false, Ordering::Release);
        let nested = self.is_nested.swap(false, Ordering::AcqRel);
        let nested = nested.then(|| "it called intermediateUpdate while another call of it was answered".to_owned());
        self.lock().fault.take().or(nested)
    }

    /// A call of the FMU.
    fn called(&self, t_s: f64, is_set_requested: bool) {
        let Ok(mut state) = self.state.try_lock() else {
            self.is_nested.store(true, Ordering::Release);
            self.is_faulty.store(true, Ordering::Release);
            return;
        };
        if let Err(fault) = state.answer(t_s, is_set_requested) {
            state.fault.get_or_insert(fault);
            self.is_faulty.store(true, Ordering::Release);
        }
    }
}

impl State {
    /// Sets the inputs where they are asked for.
    fn answer(&mut self, t_s: f64, is_set_requested: bool) -> Result<(), String> {
        const OUTSIDE: &str = "it called intermediateUpdate outside of fmi3DoStep";
        let Some(step) = &mut self.step else { return Err(OUTSIDE.to_owned()) };
        if step.thread != thread::current().id() {
            return Err("it called intermediateUpdate from another thread than that of fmi3DoStep".to_owned());
        }
        let (begin_s, end_s) = step.span;
        let slack = ROUNDING * (end_s - begin_s);
        if !(begin_s - slack..=end_s + slack).contains(&t_s) {
            return Err(format!(
                "it called intermediateUpdate for t = {t_s} s in the step from {begin_s} s to {end_s} s, expected a time in it"
            ));
        }
        if !is_set_requested {
            return Ok(());
        }
        step.requests += 1;
        if !self.inputs.change() {
            return Ok(());
        }
        let Some(access) = &self.access else { return Err(OUTSIDE.to_owned()) };
        let (refs, values) = self.inputs.at(t_s);
        access.set_reals(refs, values).or_else(|bad| match bad {
            Bad::Status(_, abi::WARNING) => Ok(()),
            Bad::Status(call, status) => {
                let status = abi::status_name(status).map_or_else(|| format!("status {status}"), str::to_owned);
                Err(format!("it asked for inputs inside the step, and {call} returned {status}"))
            }
            Bad::Lacks(call) => Err(format!("it asked for inputs inside the step, and has no {call}")),
            Bad::Refused(_, why) => Err(why),
        })
    }
}

/// `intermediateUpdate`. Nobody ever asks for an early return.
pub(super) unsafe extern "C" fn intermediate_update(
    environment: *mut c_void,
    t_s: f64,
    is_set_requested: abi::Boolean,
    _is_get_allowed: abi::Boolean,
    _is_step_finished: abi::Boolean,
    _can_return_early: abi::Boolean,
    is_return_requested: *mut abi::Boolean,
    _return_t_s: *mut f64,
) {
    if !is_return_requested.is_null() {
        // SAFETY: not NULL, and by the standard a place for one truth value.
        unsafe { *is_return_requested = abi::FALSE };
    }
    // A panic must not travel through frames of C.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if let Some(update) = update_of(environment) {
            update.called(t_s, is_set_requested != abi::FALSE);
        }
    }));
}
