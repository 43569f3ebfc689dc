//! An FMU for model exchange as a unit: its equations are integrated here.
//!
//! # Equations
//! The FMU gives ż = f(t, z, u) and event indicators g(t, z, u). Over a step of the master [t₀, t₀ + H] its inputs are polynomials of any degree,
//!
//! ```text
//! u(t) = Σⱼ u⁽ʲ⁾ (t − t₀)ʲ/j!
//! ```
//!
//! set anew at every stage of the integrator ([`macrostep_ode::adaptive`]). So the order of a coupling is that of its polynomials, and its error
//! that of the integrator. A sign change of an indicator inside a step is looked for on the continuous solution to the last bits of time; there the
//! FMU is in event mode, and the integration goes on from the states that it then has. Inputs that are not continuous are set in event mode, too.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | z, n | `integrator`, `z` | continuous states, and how many |
//! | u | `inputs` | continuous inputs |
//! | g | `indicators` | event indicators; a sign is g > 0 |
//!
//! # References
//! FMI 2.0.5, sections 2.1 (common functions) and 3.2 (model exchange).

mod events;
pub(super) mod inputs;
mod memory;
mod steps;
mod variation;

use macrostep_description::ModelDescription;
use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Trials, Unit, UnitError, Values};
use macrostep_ode::adaptive::Integrator;

use crate::INTEGRATOR_TOLERANCE;

use super::FmuUnit;
use super::instance::{Instance, Phase};
use events::{Indicators, Wish};
use inputs::Inputs;
use memory::Memories;

/// An instance of an FMU for model exchange.
#[derive(Debug)]
pub struct ContinuousUnit {
    fmu: FmuUnit,
    integrator: Integrator,
    /// The states, to be handed over.
    z: Vec<f64>,
    inputs: Inputs,
    indicators: Indicators,
    /// When the FMU itself has announced an event \[s\].
    next_event_s: Option<f64>,
    /// Events so far, which copies of the states alone do not take back.
    events: u64,
    memories: Memories,
    tolerance: f64,
    do_steps: u64,
    /// Whether the FMU has said between two steps that the run is to end.
    is_over: bool,
    /// References of the states and of their derivatives, where the FMU gives derivatives of its equations.
    pairs: Option<Pairs>,
}

/// References of states and of their derivatives, in the order of the structure.
#[derive(Debug, Default)]
struct Pairs {
    states: Vec<u32>,
    derivatives: Vec<u32>,
}

impl ContinuousUnit {
    /// Of an instance that was made for model exchange.
    pub(super) fn new(fmu: FmuUnit) -> ContinuousUnit {
        let d = fmu.model();
        let states = d.structure.derivatives.len();
        let pairs = pairs(d);
        let (inputs, indicators) = (Inputs::new(d), Indicators::new(d.event_indicators));
        ContinuousUnit {
            integrator: Integrator::new(&vec![1.0; states], INTEGRATOR_TOLERANCE),
            z: vec![0.0; states],
            inputs,
            indicators,
            next_event_s: None,
            events: 0,
            memories: Memories::default(),
            tolerance: INTEGRATOR_TOLERANCE,
            do_steps: 0,
            is_over: false,
            pairs,
            fmu,
        }
    }

    /// Whether the FMU is past its initialisation.
    fn is_running(&self) -> bool {
        self.fmu.phase == Phase::Stepping
    }

    /// Sets what is no continuous input: in event mode, once the FMU is initialised.
    fn at_event(&mut self, set: impl FnOnce(&mut FmuUnit) -> Result<(), UnitError>) -> Result<(), UnitError> {
        // An FMU that is at its end stays in event mode.
        if !self.is_running() || self.is_over {
            return set(&mut self.fmu);
        }
        self.fmu.enter_event_mode()?;
        set(&mut self.fmu)?;
        self.settle()
    }

    /// Updates the discrete states between two steps. The next step ends at once where the FMU wants the run to end.
    fn settle(&mut self) -> Result<(), UnitError> {
        self.is_over = self.update(self.fmu.t_s)? == Wish::Terminate;
        Ok(())
    }
}

/// The states and their derivatives, where the FMU gives derivatives of its equations and says which variables they are.
fn pairs(d: &ModelDescription) -> Option<Pairs> {
    d.model_exchange.as_ref().filter(|m| m.provides_directional_derivative)?;
    let mut pairs = Pairs::default();
    for unknown in &d.structure.derivatives {
        let derivative = d.variables.get(unknown.index)?;
        let state = d.variables.get(derivative.real()?.derivative?)?;
        pairs.states.push(state.value_reference);
        pairs.derivatives.push(derivative.value_reference);
    }
    Some(pairs)
}

impl Instance for ContinuousUnit {
    fn remarks(&mut self) -> &mut u8 {
        &mut self.fmu.told
    }

    fn refused(&self, call: &'static str, why: String) -> UnitError {
        self.fmu.refusal(call, why)
    }
}

impl Described for ContinuousUnit {
    fn name(&self) -> &str {
        self.fmu.name()
    }

    fn description(&self) -> &ModelDescription {
        self.fmu.description()
    }

    fn inner(&self) -> Option<&dyn Unit> {
        Some(&self.fmu)
    }

    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(Some(&mut self.fmu))
    }
}

impl Values for ContinuousUnit {
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError> {
        if self.inputs.are(refs) || !self.is_running() {
            self.fmu.set_real(refs, values)?;
            self.inputs.set(refs, values);
            return Ok(());
        }
        // Parameters and inputs that jump.
        self.at_event(|fmu| fmu.set_real(refs, values))?;
        self.inputs.set(refs, values);
        Ok(())
    }

    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> {
        self.at_event(|fmu| fmu.set_integer(refs, values))
    }

    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError> {
        self.at_event(|fmu| fmu.set_boolean(refs, values))
    }

    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError> {
        self.at_event(|fmu| fmu.set_string(refs, values))
    }
}

impl Derivatives for ContinuousUnit {
    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError> {
        const CALL: &str = "fmi2SetRealInputDerivatives";
        if refs.len() != orders.len() || refs.len() != values.len() {
            return Err(self.fmu.unusable(CALL, refs.len(), values.len()));
        }
        self.inputs.set_derivatives(refs, orders, values).map_err(|why| self.fmu.refusal(CALL, why))
    }

    fn get_output_derivatives(&mut self, refs: &[u32], _: &[i32], _: &mut [f64]) -> Result<(), UnitError> {
        const CALL: &str = "fmi2GetRealOutputDerivatives";
        match refs {
            [] => Ok(()),
            _ => Err(self.fmu.refusal(CALL, "`maxOutputDerivativeOrder` is 0 of an FMU for model exchange")),
        }
    }
}

impl States for ContinuousUnit {
    fn save(&mut self, slot: usize) -> Result<(), UnitError> {
        self.save_slot(slot)
    }

    fn restore(&mut self, slot: usize) -> Result<(), UnitError> {
        self.restore_slot(slot)
    }

    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        self.write_state()
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        self.read_state(bytes)
    }
}

impl Steps for ContinuousUnit {
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.do_steps += 1;
        self.advance(t_s, step_s, keep)
    }

    fn trials(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        self.try_together(of, values)
    }

    fn gains_by_trials(&self) -> bool {
        true
    }

    fn do_steps(&self) -> u64 {
        self.do_steps
    }
}

impl Unit for ContinuousUnit {
    fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError> {
        // The tolerance is that of the integrator here; the FMU has none to keep.
        self.tolerance = tolerance.unwrap_or(INTEGRATOR_TOLERANCE);
        self.fmu.setup(start_s, stop_s, None)
    }

    fn exit_initialization(&mut self) -> Result<(), UnitError> {
        self.fmu.exit_initialization()?;
        // It is in event mode now, and leaves it for the first time.
        self.begin()?;
        self.settle()
    }

    fn reset(&mut self) -> Result<(), UnitError> {
        self.fmu.reset()?;
        (self.inputs, self.indicators) =
            (Inputs::new(self.fmu.model()), Indicators::new(self.fmu.model().event_indicators));
        self.integrator = Integrator::new(&vec![1.0; self.z.len()], self.tolerance);
        (self.next_event_s, self.events, self.is_over) = (None, 0, false);
        Ok(())
    }
}
