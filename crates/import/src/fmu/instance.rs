//! One instance of an FMU, from `fmi2Instantiate` to `fmi2FreeInstance`.

use std::ffi::CString;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use macrostep_description::{CoSimulation, ModelDescription};
use macrostep_fmi2 as abi;

use super::Face;
use super::callbacks::Environment;
use super::driven::Driven;
use super::library::Loaded;
use super::open::Shared;
use super::state::Slots;
use super::{ContinuousUnit, Fault, Fmu, FmuError, FmuOptions, floating_point, status};
use macrostep_master::unit::{Failure, Unit, UnitError, Warned, Warning};

/// What the instance may be asked (FMI 2.0.5, section 4.2.4), as far as it matters for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Instantiated,
    Initializing,
    Stepping,
    Terminated,
    /// After `fmi2Error`: may be reset, restored or freed.
    Failed,
}

/// An instance of an imported FMU. What a step touches stands first, in one cache line: of many units, lines are what a step costs.
#[repr(C)]
pub struct FmuUnit {
    pub(super) component: abi::Component,
    // The environment goes before the library, after the instance was freed in `drop`.
    pub(super) environment: Environment,
    pub(super) library: Counted,
    pub(super) t_s: f64,
    pub(super) do_steps: u64,
    /// After `fmi2Fatal`: never to be called again.
    pub(super) is_dead: bool,
    pub(super) phase: Phase,
    pub(super) name: String,
    pub(super) slots: Slots,
    pub(super) options: FmuOptions,
    /// Calls that returned `fmi2Warning`.
    pub(super) warned: Warned,
    pub(super) booleans: Vec<abi::Boolean>,
    /// Remarks that were made.
    pub(crate) told: u8,
    // Before the folder, as in `Fmu`.
    pub(super) driven: Arc<Driven>,
    pub(super) shared: Arc<Shared>,
}

// SAFETY: an instance may be called from any thread, by one at a time (FMI 2.0.5, section 2.1.1 asks masters to serialise
// the calls of an instance and says nothing of thread identity); `FmuUnit` is not `Sync`, and every call takes `&mut self`.
// The raw pointers in it are the instance, its states and the environment, all owned by it.
unsafe impl Send for FmuUnit {}

/// Why there is no second instance of some FMUs.
pub(super) const ONLY_ONCE: &str =
    "`canBeInstantiatedOnlyOncePerProcess` and there is another instance: run each in a process of its own";

/// A unit that drives an instance of an FMU.
pub(crate) trait Instance: Unit {
    /// Remarks that were made.
    fn remarks(&mut self) -> &mut u8;

    /// A call that is not made.
    fn refused(&self, call: &'static str, why: String) -> UnitError;
}

impl Instance for FmuUnit {
    fn remarks(&mut self) -> &mut u8 {
        &mut self.told
    }

    fn refused(&self, call: &'static str, why: String) -> UnitError {
        self.refusal(call, why)
    }
}

impl Fmu {
    /// A new instance as a unit, whatever its face.
    ///
    /// # Errors
    /// As [`Fmu::instantiate`].
    pub fn unit(&self, name: &str, options: &FmuOptions) -> Result<Box<dyn Unit>, FmuError> {
        Ok(self.made(name, options)?)
    }

    /// The same, with a way to the instance.
    pub(crate) fn made(&self, name: &str, options: &FmuOptions) -> Result<Box<dyn Instance>, FmuError> {
        Ok(match self.face {
            Face::CoSimulation if self.is_of_3() => Box::new(self.instantiate_3(name, options)?),
            Face::CoSimulation => Box::new(self.instantiate(name, options)?),
            Face::ModelExchange => Box::new(self.instantiate_equations(name, options)?),
        })
    }

    /// A new instance of an FMU that is driven by its equations.
    ///
    /// # Errors
    /// As [`Fmu::instantiate`].
    pub fn instantiate_equations(&self, name: &str, options: &FmuOptions) -> Result<ContinuousUnit, FmuError> {
        Ok(ContinuousUnit::new(self.instantiate(name, options)?))
    }

    /// A new instance, in the state after `fmi2Instantiate`.
    ///
    /// # Errors
    /// Where the library cannot be loaded, the FMU may only be instantiated once, has failed fatally before, or refuses.
    pub fn instantiate(&self, name: &str, options: &FmuOptions) -> Result<FmuUnit, FmuError> {
        let refused = |reason: String| Fault::Refused { instance: name.to_owned(), reason }.of(&self.name);
        let text = |text: &str| CString::new(text).map_err(|_| refused(format!("a zero byte in {text:?}")));
        let library = self.one_more(self.library()?, "fmi2Fatal").map_err(refused)?;
        // What the FMU is told of itself, and how it may call back.
        let (c_name, guid) = (text(name)?, text(&self.driven.description.guid)?);
        let uri = text(&self.shared.resources_uri)?;
        let environment =
            Environment::new(name, options.log.clone(), self.driven.co_simulation.can_run_asynchronuously);
        let functions = library.functions;
        environment.enter();
        // SAFETY: the strings live during the call, which is all the standard grants the FMU; the callbacks live as long
        // as the instance, which is more than it demands.
        let component = unsafe {
            (functions.instantiate)(
                c_name.as_ptr(),
                self.face.kind(),
                guid.as_ptr(),
                uri.as_ptr(),
                environment.functions(),
                i32::from(options.visible),
                // What is written in Python says why it failed only then; where nobody listens it is kept for the error.
                i32::from(options.logging_on || library.stays),
            )
        };
        #[cfg(target_os = "linux")]
        super::python::settle();
        // Some FMUs change rounding or traps at once: noted now, told when there is a unit to tell of.
        let environment_changed = floating_point::changed();
        floating_point::restore();
        // Why it refused stands in its log only.
        if component.is_null() {
            let message = environment.take_said();
            return Err(
                Fault::NotInstantiated { call: "fmi2Instantiate", instance: name.to_owned(), message }.of(&self.name)
            );
        }
        // The unit, before its first call.
        let mut unit = FmuUnit {
            component,
            is_dead: false,
            phase: Phase::Instantiated,
            t_s: 0.0,
            do_steps: 0,
            name: name.to_owned(),
            slots: Slots::default(),
            options: options.clone(),
            warned: Warned::default(),
            booleans: Vec::new(),
            told: 0,
            environment,
            library,
            driven: Arc::clone(&self.driven),
            shared: Arc::clone(&self.shared),
        };
        // What is strange about the library and the call, and the log that is wanted.
        unit.library.remark(&unit.name, &unit.options);
        if environment_changed {
            unit.mended("fmi2Instantiate");
        }
        unit.heard("fmi2Instantiate", abi::OK).map_err(|e| refused(e.to_string()))?;
        unit.choose_log_categories().map_err(|e| refused(e.to_string()))?;
        Ok(unit)
    }

    /// The library, where it may be used for one instance more; else why not. `fatal` is the status after which it may not.
    pub(super) fn one_more<F>(&self, library: Arc<Loaded<F>>, fatal: &str) -> Result<Counted<F>, String> {
        if library.is_corrupted() {
            return Err(format!("another instance returned {fatal}; after that no instance may be used"));
        }
        let only_once = self.driven.co_simulation.can_be_instantiated_only_once_per_process;
        match Counted::one_more(library) {
            (_, alive) if only_once && alive > 0 => Err(ONLY_ONCE.to_owned()),
            (library, _) => Ok(library),
        }
    }
}

/// An instance that is counted among those alive, as long as this lives.
pub(super) struct Counted<F = abi::Functions>(pub(super) Arc<Loaded<F>>);

impl<F> Counted<F> {
    /// Counts one more, and says how many there were.
    pub(super) fn one_more(library: Arc<Loaded<F>>) -> (Counted<F>, usize) {
        let before = library.instances.fetch_add(1, Ordering::AcqRel);
        (Counted(library), before)
    }
}

impl<F> std::ops::Deref for Counted<F> {
    type Target = Loaded<F>;

    fn deref(&self) -> &Loaded<F> {
        &self.0
    }
}

impl<F> Drop for Counted<F> {
    fn drop(&mut self) {
        self.0.instances.fetch_sub(1, Ordering::AcqRel);
    }
}

impl FmuUnit {
    /// The capabilities that the FMU declares.
    pub fn capabilities(&self) -> &CoSimulation {
        &self.driven.co_simulation
    }

    pub(super) fn model(&self) -> &ModelDescription {
        &self.driven.description
    }

    /// How many calls returned `fmi2Warning` and went on.
    pub fn warnings(&self) -> u64 {
        self.warned.count
    }

    fn choose_log_categories(&mut self) -> Result<(), UnitError> {
        const CALL: &str = "fmi2SetDebugLogging";
        if self.options.log_categories.is_empty() {
            return Ok(());
        }
        let Some(set) = self.library.functions.set_debug_logging else { return Err(self.lacks(CALL)) };
        let texts = self.options.categories_of(self.model()).map_err(|why| self.refusal(CALL, why))?;
        let pointers: Vec<abi::Str> = texts.iter().map(|t| t.as_ptr()).collect();
        let on = i32::from(self.options.logging_on);
        self.environment.enter();
        // SAFETY: the instance is alive; as many strings as said, alive during the call.
        let status = unsafe { set(self.component, on, pointers.len(), pointers.as_ptr()) };
        self.answered(CALL, status)
    }

    /// What a status means for the call that returned it. Only the good one is fast.
    #[inline]
    pub(super) fn answered(&mut self, call: &'static str, status: abi::Status) -> Result<(), UnitError> {
        self.mend(call);
        if status == abi::OK { Ok(()) } else { self.not_ok(call, status) }
    }

    /// The same for a call that is made once in a run: an FMU that logs a warning may not return it.
    pub(super) fn heard(&mut self, call: &'static str, status: abi::Status) -> Result<(), UnitError> {
        let is_warning = status == abi::OK && self.environment.has_warned();
        self.answered(call, if is_warning { abi::WARNING } else { status })
    }

    #[cold]
    #[inline(never)]
    pub(super) fn not_ok(&mut self, call: &'static str, status: abi::Status) -> Result<(), UnitError> {
        // What the status means for the instance. After fmi2Fatal no instance of the library may be used.
        match status {
            abi::WARNING => {
                let (t_s, message) = (self.t_s, self.environment.take_said());
                self.warned.add(Warning { t_s, call: call.to_owned(), message });
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
                abi::DISCARD | abi::PENDING => "",
                _ => "expected 0 to 5, fmi2OK to fmi2Pending",
            });
        }
        Err(self.error(call, status::name(status), message))
    }

    pub(super) fn error(&self, call: &'static str, status: String, message: String) -> UnitError {
        UnitError::from(Failure { unit: self.name.clone(), call, status, t_s: self.t_s, message })
    }

    /// A call that returned `fmi2Warning`, where that means that nothing was done.
    #[cold]
    #[inline(never)]
    pub(super) fn not_taken(&self, call: &'static str) -> UnitError {
        let message = match self.warned.last.message.as_str() {
            "" => "it ignores what was sent".to_owned(),
            message => message.to_owned(),
        };
        self.error(call, status::name(abi::WARNING), message)
    }

    /// A call that is not made.
    #[cold]
    #[inline(never)]
    pub(crate) fn refusal(&self, call: &'static str, message: impl Into<String>) -> UnitError {
        self.error(call, "no status, because it was not called".to_owned(), message.into())
    }

    /// A call that succeeded with something that makes no sense.
    #[cold]
    #[inline(never)]
    pub(super) fn nonsense(&self, call: &'static str, message: &str) -> UnitError {
        self.error(call, status::name(abi::OK), message.to_owned())
    }

    /// A call of a function the library does not have.
    #[cold]
    #[inline(never)]
    pub(super) fn lacks(&self, call: &'static str) -> UnitError {
        self.refusal(call, "the library has no such function")
    }

    /// Why a call with lists cannot be made: the instance is dead, or the lists differ in length.
    #[cold]
    #[inline(never)]
    pub(super) fn unusable(&self, call: &'static str, refs: usize, values: usize) -> UnitError {
        if self.is_dead {
            self.refusal(call, "it returned fmi2Fatal before: start a new process")
        } else {
            self.refusal(call, format!("{values} values for {refs} value references, expected as many"))
        }
    }

    /// Refuses calls of a dead instance, or of one whose library another instance has brought down. Else the thread is in
    /// this instance from here on.
    pub(super) fn alive(&self, call: &'static str) -> Result<(), UnitError> {
        if self.is_dead || self.library.is_corrupted() {
            return Err(self.refusal(call, "an instance of this FMU returned fmi2Fatal before: start a new process"));
        }
        self.environment.enter();
        Ok(())
    }
}

impl Drop for FmuUnit {
    fn drop(&mut self) {
        // After fmi2Fatal no function may be called, fmi2FreeInstance included: its memory is lost.
        if !self.is_dead && !self.library.is_corrupted() {
            self.environment.enter();
            self.free_states();
            if self.phase == Phase::Stepping {
                // SAFETY: alive and in step mode; what it returns changes nothing any more.
                unsafe { (self.library.functions.terminate)(self.component) };
            }
            // SAFETY: alive, made by this library, and freed once.
            unsafe { (self.library.functions.free_instance)(self.component) };
            if floating_point::changed() {
                floating_point::restore();
            }
        }
    }
}

impl fmt::Debug for FmuUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FmuUnit")
            .field("name", &self.name)
            .field("phase", &self.phase)
            .field("t_s", &self.t_s)
            .field("do_steps", &self.do_steps)
            .finish_non_exhaustive()
    }
}
