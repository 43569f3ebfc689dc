//! Explicit coupling of a multibody system and a fast subsystem in plain Rust: the fast side first, interface model and mean force unless said otherwise; to
//! look into both sides, and to check the engine by something that shares no code with it.

use std::sync::Arc;

use macrostep_crane::crane::{self, MICRO_S};
use macrostep_hydraulics::{Circuit, FastSide, Forces, Interface, Prediction, Window, window};
use macrostep_multibody::{InterfaceModel, InterfaceOptions, Simulation, State, System};

/// Both sides, and what they exchange.
#[derive(Clone)]
pub struct Coupled<F: FastSide> {
    fast: F,
    pub fast_state: F::State,
    pub slow: Simulation,
    macro_s: f64,
    options: InterfaceOptions,
    /// How the fast side sees the speed in a step, and whether the slow side gets the mean force.
    scheme: (Prediction, bool),
    pub model: InterfaceModel,
    pub forces: Forces,
    pub position: Vec<f64>,
    pub speed: Vec<f64>,
    speed_before: Vec<f64>,
}

impl<F: FastSide> Coupled<F> {
    /// At rest, with a first force in N.
    pub fn new(system: Arc<System>, (fast, fast_state): (F, F::State), force: Vec<f64>, macro_s: f64) -> Self {
        let mut slow = Simulation::new(system);
        let state = State { interface_forces: force, ..slow.state().clone() };
        slow.restore(&state).expect("as many forces as interfaces");
        let (mut position, mut speed) = (Vec::new(), Vec::new());
        slow.interface(&mut position, &mut speed);
        let (options, model, forces) = (InterfaceOptions::default(), InterfaceModel::default(), Forces::default());
        let (scheme, speed_before) = ((Prediction::InterfaceModel, true), speed.clone());
        Coupled { fast, fast_state, slow, macro_s, options, scheme, model, forces, position, speed, speed_before }
    }

    /// With another interface model.
    pub fn with(self, options: InterfaceOptions) -> Self {
        Coupled { options, ..self }
    }

    /// With linear speeds, and the force at the step's end.
    pub fn linear(self) -> Self {
        Coupled { scheme: (Prediction::Linear, false), ..self }
    }

    /// One macro step.
    pub fn step(&mut self) {
        let time_s = self.slow.state().clock.time_s();
        let division = Window::divide(time_s, self.macro_s, MICRO_S).expect("micro steps divide it");
        self.model.clone_from(self.slow.interface_model(self.macro_s, &self.options).expect("a model"));
        let interface = Interface {
            prediction: self.scheme.0,
            position: &self.position,
            speed: &self.speed,
            speed_before: &self.speed_before,
            mobility: &self.model.mobility,
            bias: &self.model.bias,
        };
        window(&self.fast, &mut self.fast_state, &division, &interface, &mut self.forces);
        let force = if self.scheme.1 { &self.forces.mean } else { &self.forces.end };
        self.slow.step(self.macro_s, force).unwrap_or_else(|error| panic!("{time_s} s: {error}"));
        self.speed_before.clone_from(&self.speed);
        self.slow.interface(&mut self.position, &mut self.speed);
    }
}

/// The cylinder forces that hold a crane at the start, W λ + b = 0, in N.
pub fn holding_forces(system: &Arc<System>, step_s: f64) -> Vec<f64> {
    // Without a step behind it the model takes all brakes as holding and all contacts as open.
    let options = InterfaceOptions { look_ahead: false, ..Default::default() };
    let mut simulation = Simulation::new(system.clone());
    simulation.interface_model(step_s, &options).expect("a model").holding_forces().expect("W is regular")
}

/// A crane with its hydraulics.
pub fn crane(system: &Arc<System>, macro_s: f64) -> Coupled<Circuit> {
    let (circuit, forces) = (crane::circuit(), holding_forces(system, macro_s));
    let state = crane::start(&circuit, &forces);
    Coupled::new(system.clone(), (circuit, state), forces, macro_s)
}
