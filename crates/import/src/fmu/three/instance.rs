//! An instance from `fmi3InstantiateCoSimulation` to `fmi3FreeInstance`, and what statuses mean for it.

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use macrostep_fmi3 as abi;
use macrostep_master::unit::{Failure, UnitError, Warned, Warning};

use super::super::callbacks::{Environment, log_message};
use super::super::instance::{Instance, Phase};
use super::super::remark::{ENVIRONMENT, Remark};
use super::super::{Fault, Fmu, FmuError, FmuOptions, floating_point};
use super::FmuUnit3;
use super::access::{Access, Bad};
use super::state::Slots;
use super::table::Table;
use super::update::{Update, intermediate_update};

const INSTANTIATE: &str = "fmi3InstantiateCoSimulation";

/// Why an FMU with clocks does not run here.
const CLOCKS: &str =
    "it has variables of type `Clock`, and clocks are not driven here: export it again without clocks, or as FMI 2.0";

impl Fmu {
    /// A new instance of an FMU of FMI 3.0, in the state after `fmi3InstantiateCoSimulation`.
    ///
    /// # Errors
    /// As [`Fmu::instantiate`], and where it has clocks.
    pub fn instantiate_3(&self, name: &str, options: &FmuOptions) -> Result<FmuUnit3, FmuError> {
        let refused = |reason: String| Fault::Refused { instance: name.to_owned(), reason }.of(&self.name);
        let text = |text: &str| CString::new(text).map_err(|_| refused(format!("a zero byte in {text:?}")));
        let d = &self.driven.description;
        let fmi3 = d.fmi3.clone().unwrap_or_default();
        if fmi3.has_clocks {
            return Err(refused(CLOCKS.to_owned()));
        }
        let library = self.one_more(self.library_3()?, "fmi3Fatal").map_err(refused)?;
        // What the FMU is told of itself, and how it may call back. The path ends with a separator, as that of a folder.
        let (c_name, token) = (text(name)?, text(&d.guid)?);
        let resources = text(&format!("{}/", self.shared.resources.to_string_lossy()))?;
        let table = Arc::new(Table::of(d));
        let update = Arc::new(Update::new(&table.asked));
        let environment = Environment::with(name, options.log.clone(), None, Some(Arc::clone(&update)));
        let functions = library.functions;
        environment.enter();
        let event_mode = u8::from(fmi3.has_event_mode);
        let asks = fmi3.provides_intermediate_update;
        // SAFETY: the strings live during the call, which is all the standard grants the FMU; the callbacks live as long as the program, and
        // the environment as long as the instance.
        let instance = unsafe {
            (functions.instantiate)(
                c_name.as_ptr(),
                token.as_ptr(),
                resources.as_ptr(),
                u8::from(options.visible),
                u8::from(options.logging_on || library.stays),
                event_mode,
                // An FMU that has an event inside of a step returns there; the rest of the step goes on then.
                event_mode,
                if asks { table.required.as_ptr() } else { std::ptr::null() },
                if asks { table.required.len() } else { 0 },
                environment.pointer(),
                Some(log_message),
                asks.then_some(intermediate_update as abi::IntermediateUpdate),
            )
        };
        #[cfg(target_os = "linux")]
        super::super::python::settle();
        let environment_changed = floating_point::changed();
        floating_point::restore();
        if instance.is_null() {
            let message = environment.take_said();
            return Err(Fault::NotInstantiated { call: INSTANTIATE, instance: name.to_owned(), message }.of(&self.name));
        }
        let access = Access { instance, functions, table };
        update.serve(access.clone());
        let mut unit = FmuUnit3 {
            access,
            environment,
            update,
            library,
            t_s: 0.0,
            do_steps: 0,
            is_dead: false,
            phase: Phase::Instantiated,
            setup: (0.0, None, None),
            next_event_s: None,
            name: name.to_owned(),
            slots: Slots::default(),
            options: options.clone(),
            warned: Warned::default(),
            told: 0,
            driven: Arc::clone(&self.driven),
            shared: Arc::clone(&self.shared),
        };
        unit.begin(environment_changed).map_err(|e| refused(e.to_string()))?;
        Ok(unit)
    }
}

impl FmuUnit3 {
    /// What is strange about the library and the call, and the log that is wanted.
    fn begin(&mut self, environment_changed: bool) -> Result<(), UnitError> {
        self.library.remark(&self.name, &self.options);
        if environment_changed {
            self.mended(INSTANTIATE);
        }
        self.heard(INSTANTIATE, abi::OK)?;
        self.choose_log_categories()
    }
}

impl Instance for FmuUnit3 {
    fn remarks(&mut self) -> &mut u8 {
        &mut self.told
    }

    fn refused(&self, call: &'static str, why: String) -> UnitError {
        self.refusal(call, why)
    }
}

impl FmuUnit3 {
    fn choose_log_categories(&mut self) -> Result<(), UnitError> {
        const CALL: &str = "fmi3SetDebugLogging";
        if self.options.log_categories.is_empty() {
            return Ok(());
        }
        let Some(set) = self.access.functions.set_debug_logging else { return Err(self.lacks(CALL)) };
        let texts = self.options.categories_of(self.model()).map_err(|why| self.refusal(CALL, why))?;
        let pointers: Vec<abi::Str> = texts.iter().map(|t| t.as_ptr()).collect();
        self.environment.enter();
        // SAFETY: the instance is alive; as many strings as said, alive during the call.
        let status =
            unsafe { set(self.access.instance, u8::from(self.options.logging_on), pointers.len(), pointers.as_ptr()) };
        self.answered(CALL, status)
    }

    /// Refuses calls of a dead instance, or of one that has called back when it must not. Else the thread is in this instance from here on.
    #[inline]
    pub(super) fn alive(&mut self, call: &'static str) -> Result<(), UnitError> {
        if self.is_dead || self.library.is_corrupted() {
            return Err(self.refusal(call, "an instance of this FMU returned fmi3Fatal before: start a new process"));
        }
        if let Some(fault) = self.update.fault() {
            return Err(self.refusal(call, fault));
        }
        self.environment.enter();
        Ok(())
    }

    /// What a status means for the call that returned it. Only the good one is fast.
    #[inline]
    pub(super) fn answered(&mut self, call: &'static str, status: abi::Status) -> Result<(), UnitError> {
        if floating_point::changed() {
            self.mended(call);
        }
        if status == abi::OK { Ok(()) } else { self.not_ok(call, status) }
    }

    /// The same for a call that is made once in a run: an FMU that logs a warning may not return it.
    pub(super) fn heard(&mut self, call: &'static str, status: abi::Status) -> Result<(), UnitError> {
        let is_warning = status == abi::OK && self.environment.has_warned();
        self.answered(call, if is_warning { abi::WARNING } else { status })
    }

    #[cold]
    #[inline(never)]
    fn not_ok(&mut self, call: &'static str, status: abi::Status) -> Result<(), UnitError> {
        match status {
            abi::WARNING => {
                let message = self.environment.take_said();
                self.warn(call, message);
                return Ok(());
            }
            abi::FATAL => {
                self.is_dead = true;
                self.library.is_corrupted.store(true, Ordering::Relaxed);
            }
            abi::ERROR => self.phase = Phase::Failed,
            _ => {}
        }
        // The reason is the first error that the FMU logged, or what it said last.
        let mut message = self.environment.take_said();
        if message.is_empty() {
            message.push_str(match status {
                abi::ERROR | abi::FATAL => "it logged no reason",
                abi::DISCARD => "",
                _ => "expected 0 to 4, fmi3OK to fmi3Fatal",
            });
        }
        Err(self.error(call, status_name(status), message))
    }

    pub(super) fn warn(&mut self, call: &'static str, message: String) {
        self.warned.add(Warning { t_s: self.t_s, call: call.to_owned(), message });
    }

    /// Values that were handed over, or not.
    #[inline]
    pub(super) fn handed(&mut self, done: Result<(), Bad>) -> Result<(), UnitError> {
        match done {
            Ok(()) => self.answered("fmi3GetFloat64", abi::OK),
            Err(Bad::Status(call, status)) => self.answered(call, status),
            Err(Bad::Lacks(call)) => Err(self.lacks(call)),
            Err(Bad::Refused(call, why)) => Err(self.refusal(call, why)),
        }
    }

    pub(super) fn error(&self, call: &'static str, status: String, message: String) -> UnitError {
        UnitError::from(Failure { unit: self.name.clone(), call, status, t_s: self.t_s, message })
    }

    /// A call that is not made.
    #[cold]
    #[inline(never)]
    pub(super) fn refusal(&self, call: &'static str, message: impl Into<String>) -> UnitError {
        self.error(call, "no status, because it was not called".to_owned(), message.into())
    }

    /// A call that succeeded with something that makes no sense.
    #[cold]
    #[inline(never)]
    pub(super) fn nonsense(&self, call: &'static str, message: String) -> UnitError {
        self.error(call, status_name(abi::OK), message)
    }

    /// A call of a function the library does not have.
    #[cold]
    #[inline(never)]
    pub(super) fn lacks(&self, call: &'static str) -> UnitError {
        self.refusal(call, "the library has no such function")
    }

    /// Makes the floating-point environment the master's own again, and says once that it was another one.
    #[cold]
    #[inline(never)]
    fn mended(&mut self, call: &'static str) {
        floating_point::restore();
        let text = format!("{call} {ENVIRONMENT}");
        Remark::Environment.once(&mut self.told, &self.options, (&self.name, self.t_s), &text);
    }
}

fn status_name(status: abi::Status) -> String {
    abi::status_name(status).map_or_else(|| format!("unknown status {status}"), str::to_owned)
}

impl Drop for FmuUnit3 {
    fn drop(&mut self) {
        // After fmi3Fatal no function may be called, fmi3FreeInstance included: its memory is lost.
        if !self.is_dead && !self.library.is_corrupted() {
            self.environment.enter();
            self.free_states();
            let (functions, instance) = (self.access.functions, self.access.instance);
            if self.phase == Phase::Stepping {
                // SAFETY: alive and in step mode; what it returns changes nothing any more.
                unsafe { (functions.terminate)(instance) };
            }
            // SAFETY: alive, made by this library, and freed once.
            unsafe { (functions.free_instance)(instance) };
            if floating_point::changed() {
                floating_point::restore();
            }
        }
    }
}
