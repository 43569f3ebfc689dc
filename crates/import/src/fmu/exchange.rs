//! The calls of model exchange (FMI 2.0.5, section 3.2), one to one.

use macrostep_fmi2 as abi;

use super::FmuUnit;
use macrostep_master::unit::UnitError;

/// The name of the call for directional derivatives.
pub(super) const DIRECTIONAL: &str = "fmi2GetDirectionalDerivative";

/// What completing a step of the integrator has led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Completed {
    pub(super) enter_event_mode: bool,
    pub(super) terminate: bool,
}

/// Calls a function with a list of reals of the length that the function is told.
macro_rules! of_list {
    ($self:ident, $call:literal, $function:ident, $list:expr, $pointer:ident) => {{
        $self.alive($call)?;
        let Some(function) = $self.library.functions.$function else { return Err($self.lacks($call)) };
        // SAFETY: alive, as checked here; as many numbers as said, alive during the call.
        let status = unsafe { function($self.component, $list.$pointer(), $list.len()) };
        $self.answered($call, status)
    }};
}

/// Calls a function that takes nothing but the instance.
macro_rules! plain {
    ($self:ident, $call:literal, $function:ident) => {{
        $self.alive($call)?;
        let Some(function) = $self.library.functions.$function else { return Err($self.lacks($call)) };
        // SAFETY: alive, as checked here.
        let status = unsafe { function($self.component) };
        $self.answered($call, status)
    }};
}

impl FmuUnit {
    /// `fmi2SetTime`.
    pub(super) fn set_time(&mut self, t_s: f64) -> Result<(), UnitError> {
        const CALL: &str = "fmi2SetTime";
        self.alive(CALL)?;
        let Some(set) = self.library.functions.set_time else { return Err(self.lacks(CALL)) };
        self.t_s = t_s;
        // SAFETY: alive, as checked here; a number only.
        let status = unsafe { set(self.component, t_s) };
        self.answered(CALL, status)
    }

    /// `fmi2SetContinuousStates`; without states it is not called.
    pub(super) fn set_states(&mut self, z: &[f64]) -> Result<(), UnitError> {
        if z.is_empty() {
            return Ok(());
        }
        of_list!(self, "fmi2SetContinuousStates", set_continuous_states, z, as_ptr)
    }

    /// `fmi2GetContinuousStates`.
    pub(super) fn get_states(&mut self, z: &mut [f64]) -> Result<(), UnitError> {
        if z.is_empty() {
            return Ok(());
        }
        of_list!(self, "fmi2GetContinuousStates", get_continuous_states, z, as_mut_ptr)
    }

    /// `fmi2GetNominalsOfContinuousStates`; left as they are where the library does not have it.
    pub(super) fn get_nominals(&mut self, nominal: &mut [f64]) -> Result<(), UnitError> {
        if nominal.is_empty() || self.library.functions.get_nominals_of_continuous_states.is_none() {
            return Ok(());
        }
        of_list!(self, "fmi2GetNominalsOfContinuousStates", get_nominals_of_continuous_states, nominal, as_mut_ptr)
    }

    /// `fmi2SetTime`, `fmi2SetContinuousStates`, `fmi2SetReal` of the inputs, where there are any, and `fmi2GetDerivatives`, in one go. The
    /// floating-point environment is looked at once, behind them: nothing is computed in between. Where the FMU cannot evaluate its derivatives
    /// here and answers fmi2Discard, they are NaN: a shorter step is tried.
    pub(super) fn evaluate(
        &mut self,
        t_s: f64,
        z: &[f64],
        (refs, inputs): (&[u32], &[f64]),
        dz: &mut [f64],
    ) -> Result<(), UnitError> {
        const CALL: &str = "fmi2GetDerivatives";
        self.alive(CALL)?;
        let f = &self.library.functions;
        let set_real = f.set_real;
        let (Some(set_time), Some(set_states), Some(get)) = (f.set_time, f.set_continuous_states, f.get_derivatives)
        else {
            return Err(self.lacks(CALL));
        };
        if refs.len() != inputs.len() {
            return Err(self.unusable("fmi2SetReal", refs.len(), inputs.len()));
        }
        // Where it is.
        self.t_s = t_s;
        // SAFETY: alive, as checked here; a number only.
        let status = unsafe { set_time(self.component, t_s) };
        self.unless_fine("fmi2SetTime", status)?;
        if !z.is_empty() {
            // SAFETY: alive; as many numbers as said, alive during the call.
            let status = unsafe { set_states(self.component, z.as_ptr(), z.len()) };
            self.unless_fine("fmi2SetContinuousStates", status)?;
        }
        if !refs.is_empty() {
            // SAFETY: alive; both lists have the length passed, as checked here, and live during the call.
            let status = unsafe { set_real(self.component, refs.as_ptr(), refs.len(), inputs.as_ptr()) };
            self.unless_fine("fmi2SetReal", status)?;
        }
        // What the equations make of it; without states they are not asked.
        if dz.is_empty() {
            self.mend("fmi2SetReal");
            return Ok(());
        }
        // SAFETY: alive; as many places as said, alive during the call.
        let status = unsafe { get(self.component, dz.as_mut_ptr(), dz.len()) };
        if status == abi::DISCARD {
            self.mend(CALL);
            dz.fill(f64::NAN);
            return Ok(());
        }
        self.answered(CALL, status)
    }

    /// What a status other than fmi2OK means.
    #[inline(always)]
    fn unless_fine(&mut self, call: &'static str, status: abi::Status) -> Result<(), UnitError> {
        if status == abi::OK { Ok(()) } else { self.answered(call, status) }
    }

    /// `fmi2GetEventIndicators`.
    pub(super) fn get_indicators(&mut self, indicators: &mut [f64]) -> Result<(), UnitError> {
        if indicators.is_empty() {
            return Ok(());
        }
        of_list!(self, "fmi2GetEventIndicators", get_event_indicators, indicators, as_mut_ptr)
    }

    /// `fmi2EnterEventMode`.
    pub(super) fn enter_event_mode(&mut self) -> Result<(), UnitError> {
        plain!(self, "fmi2EnterEventMode", enter_event_mode)
    }

    /// `fmi2EnterContinuousTimeMode`.
    pub(super) fn enter_continuous_time_mode(&mut self) -> Result<(), UnitError> {
        plain!(self, "fmi2EnterContinuousTimeMode", enter_continuous_time_mode)
    }

    /// `fmi2NewDiscreteStates`, once.
    pub(super) fn new_discrete_states(&mut self) -> Result<abi::EventInfo, UnitError> {
        const CALL: &str = "fmi2NewDiscreteStates";
        self.alive(CALL)?;
        let Some(update) = self.library.functions.new_discrete_states else { return Err(self.lacks(CALL)) };
        let mut info = abi::EventInfo::default();
        // SAFETY: alive, as checked here; the structure is that of the standard, and lives during the call.
        let status = unsafe { update(self.component, &raw mut info) };
        self.answered(CALL, status)?;
        Ok(info)
    }

    /// `fmi2CompletedIntegratorStep`; `keep` is `noSetFMUStatePriorToCurrentPoint`.
    pub(super) fn completed_step(&mut self, keep: bool) -> Result<Completed, UnitError> {
        const CALL: &str = "fmi2CompletedIntegratorStep";
        self.alive(CALL)?;
        let Some(complete) = self.library.functions.completed_integrator_step else { return Err(self.lacks(CALL)) };
        let (mut enter, mut terminate) = (abi::FALSE, abi::FALSE);
        // SAFETY: alive, as checked here; two flags are written to two places.
        let status = unsafe { complete(self.component, i32::from(keep), &raw mut enter, &raw mut terminate) };
        self.answered(CALL, status)?;
        Ok(Completed { enter_event_mode: enter != abi::FALSE, terminate: terminate != abi::FALSE })
    }

    /// `fmi2GetDirectionalDerivative` of the equations: the square matrix of n unknowns by n knowns, row by row.
    pub(super) fn jacobian(&mut self, unknown: &[u32], known: &[u32], matrix: &mut [f64]) -> Result<(), UnitError> {
        self.columns(unknown, known, matrix)?;
        macrostep_ode::adaptive::transpose(unknown.len(), matrix);
        Ok(())
    }

    /// The same with any number of knowns, column by column.
    pub(super) fn columns(&mut self, unknown: &[u32], known: &[u32], columns: &mut [f64]) -> Result<(), UnitError> {
        const CALL: &str = DIRECTIONAL;
        self.alive(CALL)?;
        let Some(get) = self.library.functions.get_directional_derivative else { return Err(self.lacks(CALL)) };
        let n = unknown.len();
        for (known, column) in known.iter().zip(columns.chunks_exact_mut(n.max(1))) {
            // SAFETY: alive, as checked here; one known with its seed, and as many places as unknowns.
            let status = unsafe { get(self.component, unknown.as_ptr(), n, known, 1, &1.0, column.as_mut_ptr()) };
            self.answered(CALL, status)?;
        }
        Ok(())
    }
}
