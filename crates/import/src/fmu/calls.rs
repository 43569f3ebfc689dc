//! The calls of a [`Unit`], one to one.
//!
//! Setting, stepping and getting is nothing but the call and a comparison: no allocation, no look-up, no text.

use std::ffi::{CStr, CString};
use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_fmi2 as abi;

use super::instance::Phase;
use super::remark::Remark;
use super::{FmuUnit, floating_point};
use macrostep_master::unit::{
    Derivatives, Described, Outcome, States, Steps, Tangent, Unit, UnitError, Values, Warned,
};

/// Makes a call with a list of references and a list of values of the same length.
macro_rules! listed {
    ($self:ident, $call:literal, $function:expr, $refs:ident, $values:expr, $pointer:ident $(, $extra:expr)?) => {{
        if $self.is_dead | ($refs.len() != $values.len()) {
            return Err($self.unusable($call, $refs.len(), $values.len()));
        }
        // Nothing is asked for: FMUs of UniFMU abort where they are called with empty lists.
        if $refs.is_empty() {
            return Ok(());
        }
        $self.environment.enter();
        let status =
            // SAFETY: the instance is alive, as checked here; both lists have the length passed, as checked here, and live
            // during the call.
            unsafe { $function($self.component, $refs.as_ptr(), $refs.len() $(, $extra.as_ptr())?, $values.$pointer()) };
        if floating_point::rounding_changed() {
            $self.mended($call);
        }
        if status == abi::OK { Ok(()) } else { $self.not_ok($call, status) }
    }};
}

impl Described for FmuUnit {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &ModelDescription {
        self.model()
    }

    fn shared_description(&self) -> Arc<ModelDescription> {
        Arc::clone(&self.driven.description)
    }

    fn kind(&self) -> &'static str {
        "fmu"
    }
}

impl Values for FmuUnit {
    #[inline(always)]
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError> {
        listed!(self, "fmi2SetReal", (self.library.functions.set_real), refs, values, as_ptr)
    }

    #[inline(always)]
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        listed!(self, "fmi2GetReal", (self.library.functions.get_real), refs, values, as_mut_ptr)
    }

    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> {
        let Some(set) = self.library.functions.set_integer else { return Err(self.lacks("fmi2SetInteger")) };
        listed!(self, "fmi2SetInteger", set, refs, values, as_ptr)
    }

    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError> {
        let Some(get) = self.library.functions.get_integer else { return Err(self.lacks("fmi2GetInteger")) };
        listed!(self, "fmi2GetInteger", get, refs, values, as_mut_ptr)
    }

    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError> {
        let Some(set) = self.library.functions.set_boolean else { return Err(self.lacks("fmi2SetBoolean")) };
        let mut booleans = std::mem::take(&mut self.booleans);
        booleans.clear();
        booleans.extend(values.iter().map(|b| i32::from(*b)));
        let result = listed!(self, "fmi2SetBoolean", set, refs, booleans, as_ptr);
        self.booleans = booleans;
        result
    }

    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError> {
        let Some(get) = self.library.functions.get_boolean else { return Err(self.lacks("fmi2GetBoolean")) };
        let mut booleans = std::mem::take(&mut self.booleans);
        booleans.clear();
        booleans.resize(values.len(), abi::FALSE);
        let result = listed!(self, "fmi2GetBoolean", get, refs, booleans, as_mut_ptr);
        if result.is_ok() {
            values.iter_mut().zip(&booleans).for_each(|(value, b)| *value = *b != abi::FALSE);
            if let Some(i) = booleans.iter().position(|b| !matches!(*b, abi::FALSE | abi::TRUE)) {
                let what = format!("is {} by fmi2GetBoolean, expected 0 or 1; taken as true", booleans[i]);
                self.odd(Remark::Boolean, refs[i], &what);
            }
        }
        self.booleans = booleans;
        result
    }

    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError> {
        const CALL: &str = "fmi2SetString";
        let Some(set) = self.library.functions.set_string else { return Err(self.lacks(CALL)) };
        let mut texts = Vec::with_capacity(values.len());
        for value in values {
            match CString::new(*value) {
                Ok(text) => texts.push(text),
                Err(_) => return Err(self.refusal(CALL, format!("a zero byte in {value:?}, expected text without"))),
            }
        }
        let pointers: Vec<abi::Str> = texts.iter().map(|t| t.as_ptr()).collect();
        listed!(self, "fmi2SetString", set, refs, pointers, as_ptr)
    }

    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError> {
        let Some(get) = self.library.functions.get_string else { return Err(self.lacks("fmi2GetString")) };
        let mut pointers: Vec<abi::Str> = vec![std::ptr::null(); refs.len()];
        self.fill_strings(get, refs, &mut pointers)?;
        let mut texts = Vec::with_capacity(refs.len());
        for (pointer, reference) in pointers.iter().zip(refs) {
            if pointer.is_null() {
                self.odd(Remark::NoText, *reference, "is NULL by fmi2GetString, expected text; taken as empty");
                texts.push(String::new());
                continue;
            }
            // SAFETY: not NULL, zero-terminated and alive until the next call of this instance (FMI 2.0.5, section
            // 2.1.7), which comes after the copy.
            let text = unsafe { CStr::from_ptr(*pointer) }.to_string_lossy().into_owned();
            if text.contains(char::REPLACEMENT_CHARACTER) {
                let what = "has bytes by fmi2GetString that are no UTF-8, expected UTF-8; each is shown as `\u{fffd}`";
                self.odd(Remark::NotUtf8, *reference, what);
            }
            texts.push(text);
        }
        Ok(texts)
    }
}

impl Derivatives for FmuUnit {
    #[inline]
    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError> {
        const CALL: &str = "fmi2SetRealInputDerivatives";
        let Some(set) = self.library.functions.set_real_input_derivatives else { return Err(self.lacks(CALL)) };
        if orders.len() != refs.len() {
            return Err(self.unusable(CALL, refs.len(), orders.len()));
        }
        let before = self.warnings();
        listed!(self, "fmi2SetRealInputDerivatives", set, refs, values, as_ptr, orders)?;
        // A slave that warns here ignores the derivatives, and would hold its inputs.
        if self.warnings() == before { Ok(()) } else { Err(self.not_taken(CALL)) }
    }

    #[inline]
    fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), UnitError> {
        const CALL: &str = "fmi2GetRealOutputDerivatives";
        let Some(get) = self.library.functions.get_real_output_derivatives else { return Err(self.lacks(CALL)) };
        if orders.len() != refs.len() {
            return Err(self.unusable(CALL, refs.len(), orders.len()));
        }
        listed!(self, "fmi2GetRealOutputDerivatives", get, refs, values, as_mut_ptr, orders)
    }

    fn directional(&mut self, of: Tangent<'_>) -> Result<(), UnitError> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        const CALL: &str = "fmi2GetDirectionalDerivative";
        let Some(get) = self.library.functions.get_directional_derivative else { return Err(self.lacks(CALL)) };
        if !self.capabilities().provides_directional_derivative {
            return Err(self.refusal(CALL, "`providesDirectionalDerivative` is false: use finite differences"));
        }
        if self.is_dead | (known.len() != d_known.len()) {
            return Err(self.unusable(CALL, known.len(), d_known.len()));
        }
        if unknown.len() != d_unknown.len() {
            return Err(self.unusable(CALL, unknown.len(), d_unknown.len()));
        }
        self.environment.enter();
        // SAFETY: alive, and all lists have the lengths passed, as checked here.
        let status = unsafe {
            get(
                self.component,
                unknown.as_ptr(),
                unknown.len(),
                known.as_ptr(),
                known.len(),
                d_known.as_ptr(),
                d_unknown.as_mut_ptr(),
            )
        };
        self.answered(CALL, status)
    }
}

impl States for FmuUnit {
    fn save(&mut self, slot: usize) -> Result<(), UnitError> {
        self.save_slot(slot)
    }

    fn restore(&mut self, slot: usize) -> Result<(), UnitError> {
        self.restore_slot(slot)
    }

    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        self.serialize_state()
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        self.deserialize_state(bytes)
    }
}

impl Steps for FmuUnit {
    #[inline(always)]
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        if self.is_dead | self.library.is_corrupted() {
            self.alive("fmi2DoStep")?;
        }
        self.do_steps += 1;
        self.environment.enter();
        // SAFETY: alive, as checked here; numbers only.
        let status = unsafe { (self.library.functions.do_step)(self.component, t_s, step_s, i32::from(keep)) };
        if floating_point::changed() {
            return self.step_strayed(status, t_s, step_s);
        }
        if status == abi::OK {
            // An FMU that logs a warning may not return it.
            if self.environment.has_warned() {
                self.not_ok("fmi2DoStep", abi::WARNING)?;
            }
            self.t_s = t_s + step_s;
            return Ok(Outcome::Done);
        }
        self.step_ended(status, t_s, step_s)
    }

    fn do_steps(&self) -> u64 {
        self.do_steps
    }
}

impl Unit for FmuUnit {
    fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError> {
        const CALL: &str = "fmi2SetupExperiment";
        self.alive(CALL)?;
        // SAFETY: alive; numbers only.
        let status = unsafe {
            (self.library.functions.setup_experiment)(
                self.component,
                i32::from(tolerance.is_some()),
                tolerance.unwrap_or(0.0),
                start_s,
                i32::from(stop_s.is_some()),
                stop_s.unwrap_or(0.0),
            )
        };
        self.t_s = start_s;
        self.heard(CALL, status)
    }

    fn enter_initialization(&mut self) -> Result<(), UnitError> {
        self.change(
            "fmi2EnterInitializationMode",
            self.library.functions.enter_initialization_mode,
            Phase::Initializing,
        )
    }

    fn exit_initialization(&mut self) -> Result<(), UnitError> {
        self.change("fmi2ExitInitializationMode", self.library.functions.exit_initialization_mode, Phase::Stepping)
    }

    fn reset(&mut self) -> Result<(), UnitError> {
        let Some(reset) = self.library.functions.reset else { return Err(self.lacks("fmi2Reset")) };
        self.warned = Warned::default();
        self.change("fmi2Reset", reset, Phase::Instantiated)
    }

    fn terminate(&mut self) -> Result<(), UnitError> {
        self.change("fmi2Terminate", self.library.functions.terminate, Phase::Terminated)
    }

    fn warned(&mut self) -> Option<Warned> {
        (self.warned.count > 0).then(|| self.warned.clone())
    }
}

impl FmuUnit {
    /// A call without arguments that leads to another state.
    fn change(
        &mut self,
        call: &'static str,
        function: unsafe extern "C" fn(abi::Component) -> abi::Status,
        next: Phase,
    ) -> Result<(), UnitError> {
        self.alive(call)?;
        // SAFETY: alive, and the function takes nothing else.
        let status = unsafe { function(self.component) };
        self.heard(call, status)?;
        self.phase = next;
        Ok(())
    }

    fn fill_strings(
        &mut self,
        get: unsafe extern "C" fn(abi::Component, *const u32, usize, *mut abi::Str) -> abi::Status,
        refs: &[u32],
        pointers: &mut [abi::Str],
    ) -> Result<(), UnitError> {
        listed!(self, "fmi2GetString", get, refs, pointers, as_mut_ptr)
    }
}
