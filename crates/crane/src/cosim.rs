//! Explicit multirate co-simulation of a multibody system (slow) and a fast subsystem.
//!
//! A macro step from `t_n` to `t_n + H`:
//!
//! | order | fast side | slow side |
//! |---|---|---|
//! | Jacobi | predicts from data at `t_n` | force that the fast side delivered at `t_n` |
//! | fast first | predicts from data at `t_n` | force that the fast side delivers for this step |

use std::sync::Arc;

use macrostep_hydraulics::{Delivery, FastSide, Forces, Interface, Prediction, Window, WindowError, window};
use macrostep_multibody::{InterfaceModel, InterfaceOptions, Simulation, State, StateError, StepError, System};
use thiserror::Error;

/// Which side goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Neither: both use what is known at the beginning.
    Jacobi,
    /// The fast side; the slow side uses its force at once.
    FastFirst,
}

/// A coupling scheme; all of it belongs beside every result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// Speed within a macro step as the fast side sees it.
    pub prediction: Prediction,
    /// Who goes first.
    pub order: Order,
    /// Force handed to the slow side.
    pub delivery: Delivery,
    /// Options of the interface model.
    pub interface: InterfaceOptions,
    /// Macro step H, s.
    pub macro_s: f64,
    /// Micro step h_f, s.
    pub micro_s: f64,
}

impl Scheme {
    /// The scheme that is stable at large steps: interface model with look-ahead, fast side first, mean force.
    #[must_use]
    pub fn recommended(macro_s: f64, micro_s: f64) -> Self {
        Self {
            prediction: Prediction::InterfaceModel,
            order: Order::FastFirst,
            delivery: Delivery::Mean,
            interface: InterfaceOptions::default(),
            macro_s,
            micro_s,
        }
    }

    /// The same with another prediction, order and delivery.
    #[must_use]
    pub fn with(self, prediction: Prediction, order: Order, delivery: Delivery) -> Self {
        Self { prediction, order, delivery, ..self }
    }
}

/// Why a coupled step was not made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CosimError {
    /// Micro steps do not divide the macro step.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The multibody side failed; with an unstable scheme it diverges.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A saved state does not fit.
    #[error(transparent)]
    State(#[from] StateError),
    /// The fast side gave a force that is not finite.
    #[error("force {index} of the fast side is {value} at {time_s} s")]
    Force {
        /// Interface coordinate.
        index: usize,
        /// The force.
        value: f64,
        /// Time, s.
        time_s: f64,
    },
}

/// The coupled simulation.
#[derive(Clone, Debug)]
pub struct Cosim<F: FastSide> {
    fast: F,
    fast_state: F::State,
    slow: Simulation,
    scheme: Scheme,
    /// Force the slow side gets, r entries.
    force: Vec<f64>,
    forces: Forces,
    position: Vec<f64>,
    speed: Vec<f64>,
    speed_before: Vec<f64>,
    model: InterfaceModel,
}

/// Everything that changes in a coupled simulation.
#[derive(Clone, Debug)]
pub struct CosimState<S> {
    slow: State,
    fast: S,
    force: Vec<f64>,
    speed_before: Vec<f64>,
}

impl<F: FastSide> Cosim<F> {
    /// Couples a system at rest in its assembly with a fast subsystem that gives `force` (N, r entries) at first.
    ///
    /// # Errors
    /// [`CosimError::Window`] when the micro step does not divide the macro step, [`CosimError::State`] for a wrong
    /// number of forces.
    pub fn new(
        system: Arc<System>,
        fast: F,
        fast_state: F::State,
        force: Vec<f64>,
        scheme: Scheme,
    ) -> Result<Self, CosimError> {
        // Steps must divide before anything is built.
        Window::divide(0.0, scheme.macro_s, scheme.micro_s)?;
        // The slow side holds the first force.
        let mut slow = Simulation::new(system);
        let state = State { interface_forces: force.clone(), ..slow.state().clone() };
        slow.restore(&state)?;
        let (mut position, mut speed) = (Vec::new(), Vec::new());
        slow.interface(&mut position, &mut speed);
        Ok(Self {
            fast,
            fast_state,
            slow,
            scheme,
            force,
            forces: Forces::default(),
            position,
            speed_before: speed.clone(),
            speed,
            model: InterfaceModel::default(),
        })
    }

    /// One macro step.
    ///
    /// # Errors
    /// [`CosimError`]; an unstable scheme ends in one of them or in nonsense, see the limits a caller sets.
    pub fn step(&mut self) -> Result<(), CosimError> {
        // What both sides know at t_n.
        let time_s = self.slow.state().clock.time_s();
        let division = Window::divide(time_s, self.scheme.macro_s, self.scheme.micro_s)?;
        if self.scheme.prediction == Prediction::InterfaceModel {
            self.model.clone_from(self.slow.interface_model(self.scheme.macro_s, &self.scheme.interface)?);
        }
        let interface = Interface {
            prediction: self.scheme.prediction,
            position: &self.position,
            speed: &self.speed,
            speed_before: &self.speed_before,
            mobility: &self.model.mobility,
            bias: &self.model.bias,
        };
        // Jacobi: the slow side goes by the force of the step before.
        if self.scheme.order == Order::Jacobi {
            self.slow.step(self.scheme.macro_s, &self.force)?;
        }
        // The fast side over the window, and the force it delivers.
        window(&self.fast, &mut self.fast_state, &division, &interface, &mut self.forces);
        self.force.clone_from(match self.scheme.delivery {
            Delivery::End => &self.forces.end,
            Delivery::Mean => &self.forces.mean,
        });
        if let Some(index) = self.force.iter().position(|f| !f.is_finite()) {
            return Err(CosimError::Force { index, value: self.force[index], time_s });
        }
        // Fast first: the slow side goes by the force just made.
        if self.scheme.order == Order::FastFirst {
            self.slow.step(self.scheme.macro_s, &self.force)?;
        }
        // Position and speed at t_n + H.
        std::mem::swap(&mut self.speed_before, &mut self.speed);
        self.slow.interface(&mut self.position, &mut self.speed);
        Ok(())
    }

    /// The multibody side.
    #[must_use]
    pub fn slow(&self) -> &Simulation {
        &self.slow
    }

    /// State of the fast side.
    #[must_use]
    pub fn fast_state(&self) -> &F::State {
        &self.fast_state
    }

    /// Time, s.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.slow.state().clock.time_s()
    }

    /// Interface speeds `w = D v` of the multibody side.
    #[must_use]
    pub fn speed(&self) -> &[f64] {
        &self.speed
    }

    /// Interface positions of the multibody side.
    #[must_use]
    pub fn position(&self) -> &[f64] {
        &self.position
    }

    /// Forces the slow side gets.
    #[must_use]
    pub fn force(&self) -> &[f64] {
        &self.force
    }

    /// The forces of the fast side in the last window.
    #[must_use]
    pub fn forces(&self) -> &Forces {
        &self.forces
    }

    /// The interface model of the last window; empty for other predictions.
    #[must_use]
    pub fn model(&self) -> &InterfaceModel {
        &self.model
    }

    /// Everything that changes.
    #[must_use]
    pub fn save(&self) -> CosimState<F::State> {
        CosimState {
            slow: self.slow.state().clone(),
            fast: self.fast_state.clone(),
            force: self.force.clone(),
            speed_before: self.speed_before.clone(),
        }
    }

    /// Continues from a saved state with the same bits.
    ///
    /// # Errors
    /// [`CosimError::State`] when it is of another system.
    pub fn restore(&mut self, state: &CosimState<F::State>) -> Result<(), CosimError> {
        self.slow.restore(&state.slow)?;
        self.fast_state.clone_from(&state.fast);
        self.force.clone_from(&state.force);
        self.speed_before.clone_from(&state.speed_before);
        self.slow.interface(&mut self.position, &mut self.speed);
        Ok(())
    }
}
