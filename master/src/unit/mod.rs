//! A *unit* is one simulator in a coupled system: an imported FMU or a native model, behind the same few calls.
//!
//! The master never looks inside a unit and a unit never sees another. Every call names variables by value reference,
//! resolved once before the run; no call allocates after the first of its kind.
//!
//! A unit of one's own writes what it can do. What it has no code for is refused by name, or does nothing where nothing is right:
//!
//! ```
//! use macrostep_description::{Builder, Declared, ModelDescription};
//! use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Unit, UnitError, Values};
//! use macrostep_master::{Grid, Method, Simulation, System};
//!
//! /// ẋ = u, by Euler's rule.
//! struct Tank {
//!     description: ModelDescription,
//!     u: f64,
//!     x: f64,
//!     steps: u64,
//! }
//!
//! impl Described for Tank {
//!     fn name(&self) -> &str {
//!         "tank"
//!     }
//!     fn description(&self) -> &ModelDescription {
//!         &self.description
//!     }
//! }
//! impl Values for Tank {
//!     fn set_real(&mut self, _: &[u32], values: &[f64]) -> Result<(), UnitError> {
//!         self.u = values[0];
//!         Ok(())
//!     }
//!     fn get_real(&mut self, _: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
//!         values.fill(self.x);
//!         Ok(())
//!     }
//! }
//! impl Derivatives for Tank {}
//! impl States for Tank {}
//! impl Steps for Tank {
//!     fn step(&mut self, _t_s: f64, step_s: f64, _keep: bool) -> Result<Outcome, UnitError> {
//!         self.x += step_s * self.u;
//!         self.steps += 1;
//!         Ok(Outcome::Done)
//!     }
//!     fn do_steps(&self) -> u64 {
//!         self.steps
//!     }
//! }
//! impl Unit for Tank {}
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut declared = Builder::new("tank", "A tank that is filled");
//! declared.add(Declared::input("u", 0.0));
//! declared.add(Declared::output("x").depends(&[]).initially(&[]));
//! let tank = Tank { description: declared.finish()?, u: 0.0, x: 1.0, steps: 0 };
//!
//! // What flows in is what is there: x = 1.1 ** 5 after five steps.
//! let mut system = System::new();
//! let tank = system.add(Box::new(tank));
//! let level = system.channel(tank, &["x"])?;
//! system.connect(level.component(0), tank, "u")?;
//! let mut simulation = Simulation::new(system, &Method::default(), Grid::uniform(0.1, 0.5))?;
//! simulation.initialise()?;
//! for _ in 0..5 {
//!     simulation.step()?;
//! }
//! assert!((simulation.latest(level)[0] - 1.1f64.powi(5)).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```

mod derivatives;
mod native;
mod start;
mod states;
mod steps;
mod threads;
#[cfg(test)]
mod threads_tests;
mod trials;
mod values;
mod warned;

pub use derivatives::Derivatives;
pub use macrostep_slave::Tangent;
pub use native::NativeUnit;
pub use start::{Start, get, proposed_tolerance, set};
pub use states::States;
pub use steps::Steps;
pub use threads::Threads;
pub use trials::{Distance, Trials};
pub use values::Values;
pub use warned::{Warned, Warning};

use macrostep_description::{ModelDescription, shown};
use std::sync::Arc;

/// What a unit is, and which one it is around. The calls that it does not write itself go to that one; of a unit that is around none
/// they are refused, or do nothing where nothing is right.
pub trait Described: Send {
    /// Name of this instance in the system, unique there.
    fn name(&self) -> &str;

    /// What it declares of itself.
    fn description(&self) -> &ModelDescription;

    /// The same, shared with whoever holds it already: instances of one FMU need one copy.
    fn shared_description(&self) -> Arc<ModelDescription> {
        match self.inner() {
            Some(unit) if std::ptr::eq(unit.description(), self.description()) => unit.shared_description(),
            _ => Arc::new(self.description().clone()),
        }
    }

    /// "fmu", "native", "isolated" or "python": what kind of object answers.
    fn kind(&self) -> &'static str {
        self.inner().map_or("native", |unit| unit.kind())
    }

    /// The unit that this one is around, where there is one and it is here.
    fn inner(&self) -> Option<&dyn Unit> {
        None
    }

    /// The same, to be called.
    ///
    /// # Errors
    /// Why it cannot be.
    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(None)
    }
}

/// One simulator, driven through the states of FMI 2.0.5, section 4.2.4: [`Unit::setup`], set start values,
/// [`Unit::enter_initialization`], set and get, [`Unit::exit_initialization`], then steps.
///
/// The calls are in one trait for each thing that a unit can do: [`Values`], [`Derivatives`], [`States`], [`Steps`].
pub trait Unit: Steps {
    /// `fmi2SetupExperiment`: start and stop time in seconds, relative tolerance of the unit's own solver.
    fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError> {
        self.inner_mut()?.map_or(Ok(()), |unit| unit.setup(start_s, stop_s, tolerance))
    }

    /// `fmi2EnterInitializationMode`.
    fn enter_initialization(&mut self) -> Result<(), UnitError> {
        self.inner_mut()?.map_or(Ok(()), |unit| unit.enter_initialization())
    }

    /// `fmi2ExitInitializationMode`.
    fn exit_initialization(&mut self) -> Result<(), UnitError> {
        self.inner_mut()?.map_or(Ok(()), |unit| unit.exit_initialization())
    }

    /// `fmi2Reset`: back to the state after instantiation.
    fn reset(&mut self) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.reset(),
            None => lacks(self, "fmi2Reset"),
        }
    }

    /// `fmi2Terminate`.
    fn terminate(&mut self) -> Result<(), UnitError> {
        self.inner_mut()?.map_or(Ok(()), |unit| unit.terminate())
    }

    /// The calls that returned `fmi2Warning` since the unit was made; `None` where there were none.
    fn warned(&mut self) -> Option<Warned> {
        self.inner_mut().ok()??.warned()
    }
}

/// Refuses a call that a unit has no code for.
#[cold]
fn lacks<T>(unit: &(impl Described + ?Sized), call: &'static str) -> Result<T, UnitError> {
    Err(UnitError::from(Failure {
        unit: unit.name().to_owned(),
        call,
        status: "fmi2Error".to_owned(),
        t_s: f64::NAN,
        message: "the unit does not have this call".to_owned(),
    }))
}

/// How a step ended. Not finishing is an outcome, not an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The whole step was done.
    Done,
    /// `fmi2Discard`: only a part of it.
    Discarded {
        /// Time reached \[s\], `fmi2LastSuccessfulTime`.
        reached_s: f64,
        /// Whether the slave wants the whole run to end, `fmi2Terminated`.
        terminated: bool,
    },
}

/// A call to a unit that failed; [`Failure`] has its values. One word in size, so that a call that succeeds costs
/// nothing for it.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitError(Box<Failure>);

/// The values of a failed call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("unit `{unit}`: {call} returned {status}{}{}", when(*.t_s), detail(.message))]
pub struct Failure {
    /// Name of the unit.
    pub unit: String,
    /// The FMI function.
    pub call: &'static str,
    /// What it returned, in words ("fmi2Error", "fmi2Fatal", "unknown status 42").
    pub status: String,
    /// Time of the unit at the call \[s\]; NaN where it is not known.
    pub t_s: f64,
    /// What the slave logged last, or what to do next.
    pub message: String,
}

impl From<Failure> for UnitError {
    fn from(failure: Failure) -> Self {
        UnitError(Box::new(failure))
    }
}

impl std::ops::Deref for UnitError {
    type Target = Failure;

    fn deref(&self) -> &Failure {
        &self.0
    }
}

impl std::fmt::Display for UnitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for UnitError {}

fn when(t_s: f64) -> String {
    if t_s.is_nan() { String::new() } else { format!(" at t = {} s", shown::time(t_s)) }
}

fn detail(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}
