//! Model exchange (FMI 2.0.5, section 3.2): time, states and inputs are set from outside, and derivatives are read.
//!
//! States and derivatives are variables of the declaration, and are read as these are. There are no events: a model that declares this face is
//! an ordinary differential equation.

use macrostep_description::ModelDescription;

use super::Instance;
use super::values::same_length;
use crate::access::{COMPUTED, Space};
use crate::phase::*;
use crate::{Fault, Model, Phase};

/// The states, in the order of `Derivatives`.
#[derive(Debug)]
pub(super) struct Exchange {
    /// Value references of the states and of their derivatives.
    states: Vec<u32>,
    derivatives: Vec<u32>,
    nominals: Vec<f64>,
}

impl Exchange {
    /// # Errors
    /// [`Fault::Declaration`] where a derivative is that of no variable.
    fn new(d: &ModelDescription) -> Result<Exchange, Fault> {
        let mut exchange = Exchange { states: Vec::new(), derivatives: Vec::new(), nominals: Vec::new() };
        for unknown in &d.structure.derivatives {
            let derivative = d.variables.get(unknown.index);
            let state = derivative.and_then(|v| d.variables.get(v.real()?.derivative?));
            let (Some(derivative), Some(state)) = (derivative, state) else {
                return Err(Fault::Declaration("a derivative without a state".into()));
            };
            exchange.states.push(state.value_reference);
            exchange.derivatives.push(derivative.value_reference);
            exchange.nominals.push(state.real().and_then(|a| a.nominal).unwrap_or(1.0));
        }
        Ok(exchange)
    }
}

impl<M: Model> Instance<M> {
    /// Makes it an instance for model exchange; before any other call.
    ///
    /// # Errors
    /// [`Fault::Declaration`] where the model does not declare this face.
    pub fn exchanged(mut self) -> Result<Instance<M>, Fault> {
        let d = &self.access.description;
        if d.model_exchange.is_none() || d.structure.derivatives.len() != self.model.states().len() {
            return Err(Fault::Declaration("the model is none for model exchange".into()));
        }
        self.exchange = Some(Box::new(Exchange::new(d)?));
        Ok(self)
    }

    /// `fmi2EnterEventMode`.
    ///
    /// # Errors
    /// As all functions here, where the instance is one for co-simulation or its state does not allow the call.
    pub fn enter_event_mode(&mut self) -> Result<(), Fault> {
        self.exchange(ENTER_EVENT_MODE)?;
        self.memory.phase = Phase::EventMode;
        Ok(())
    }

    /// `fmi2NewDiscreteStates`: there are none.
    ///
    /// # Errors
    /// As [`Instance::enter_event_mode`].
    pub fn new_discrete_states(&self) -> Result<(), Fault> {
        self.exchange(NEW_DISCRETE_STATES).map(|_| ())
    }

    /// `fmi2EnterContinuousTimeMode`.
    ///
    /// # Errors
    /// As [`Instance::enter_event_mode`].
    pub fn enter_continuous_time_mode(&mut self) -> Result<(), Fault> {
        self.exchange(ENTER_CONTINUOUS_TIME_MODE)?;
        self.memory.phase = Phase::ContinuousTimeMode;
        Ok(())
    }

    /// `fmi2CompletedIntegratorStep`: nothing follows from it.
    ///
    /// # Errors
    /// As [`Instance::enter_event_mode`].
    pub fn completed_integrator_step(&self) -> Result<(), Fault> {
        self.exchange(COMPLETED_STEP).map(|_| ())
    }

    /// `fmi2SetTime` (s). Solvers look beyond the stop time: it is no limit here.
    ///
    /// # Errors
    /// As [`Instance::enter_event_mode`], and [`Fault::Time`] where it is not finite.
    pub fn set_time(&mut self, t_s: f64) -> Result<(), Fault> {
        self.exchange(SET_TIME)?;
        if !t_s.is_finite() {
            let expected = "a finite number".into();
            return Err(Fault::Time { call: SET_TIME.name, what: "time", found: t_s, expected });
        }
        self.memory.time_s = t_s;
        self.stale |= COMPUTED;
        Ok(())
    }

    /// `fmi2SetContinuousStates`.
    ///
    /// # Errors
    /// As [`Instance::enter_event_mode`], [`Fault::Length`], and [`Fault::NotFinite`].
    pub fn set_continuous_states(&mut self, z: &[f64]) -> Result<(), Fault> {
        let exchange = self.exchange(SET_STATES)?;
        same_length(SET_STATES, exchange.states.len(), z.len())?;
        if let Some(i) = z.iter().position(|value| !value.is_finite()) {
            let name = self.access.name(Space::Real, exchange.states[i]);
            return Err(Fault::NotFinite { call: SET_STATES.name, name, value: z[i] });
        }
        for (place, value) in self.model.states().iter().zip(z) {
            self.memory.hidden_reals[*place] = *value;
        }
        self.stale |= COMPUTED;
        Ok(())
    }

    /// `fmi2GetContinuousStates`.
    ///
    /// # Errors
    /// As [`Instance::get_derivatives`].
    pub fn get_continuous_states(&mut self, z: &mut [f64]) -> Result<(), Fault> {
        self.read(GET_STATES, |exchange| &exchange.states, z)
    }

    /// `fmi2GetDerivatives`.
    ///
    /// # Errors
    /// As [`Instance::enter_event_mode`], and [`Fault::Length`].
    pub fn get_derivatives(&mut self, derivatives: &mut [f64]) -> Result<(), Fault> {
        self.read(GET_DERIVATIVES, |exchange| &exchange.derivatives, derivatives)
    }

    /// `fmi2GetNominalsOfContinuousStates`.
    ///
    /// # Errors
    /// As [`Instance::get_derivatives`].
    pub fn get_nominals(&self, nominals: &mut [f64]) -> Result<(), Fault> {
        let exchange = self.exchange(GET_NOMINALS)?;
        same_length(GET_NOMINALS, exchange.nominals.len(), nominals.len())?;
        nominals.copy_from_slice(&exchange.nominals);
        Ok(())
    }

    /// `fmi2GetEventIndicators`: there are none.
    ///
    /// # Errors
    /// As [`Instance::get_derivatives`].
    pub fn get_event_indicators(&self, indicators: &mut [f64]) -> Result<(), Fault> {
        self.exchange(GET_INDICATORS)?;
        same_length(GET_INDICATORS, 0, indicators.len())
    }

    /// Reads the variables of a list.
    fn read(&mut self, call: Call, of: impl Fn(&Exchange) -> &Vec<u32>, values: &mut [f64]) -> Result<(), Fault> {
        // The list is lent to the instance while it is read.
        same_length(call, of(self.exchange(call)?).len(), values.len())?;
        let Some(exchange) = self.exchange.take() else { return Err(Fault::OtherFace { call: call.name }) };
        let done = self.read_reals(of(&exchange), values);
        self.exchange = Some(exchange);
        done
    }

    /// # Errors
    /// Where it is an instance for co-simulation, or its state does not allow the call.
    fn exchange(&self, call: Call) -> Result<&Exchange, Fault> {
        let Some(exchange) = &self.exchange else { return Err(Fault::OtherFace { call: call.name }) };
        call.check(self.memory.phase)?;
        Ok(exchange)
    }
}
