//! An event that a jump carries beyond zero, in a run with step control.

use macrostep_description::{Causality, CoSimulation, Kind, ModelDescription, RealAttributes, Variability, Variable};
use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Unit, UnitError, Values};
use macrostep_master::{Direction, Estimate, Event, Grid, Method, Simulation, StepControl, System};

/// Its output is 0, and 1 from `jump_s` on.
struct Switch {
    name: &'static str,
    description: ModelDescription,
    jump_s: f64,
    t_s: f64,
    saved_s: f64,
    steps: u64,
}

/// Input 0 and output 1.
fn switch(name: &'static str, jump_s: f64) -> Box<dyn Unit> {
    let variable = |(i, name): (usize, &str)| Variable {
        name: name.to_owned(),
        value_reference: i as u32,
        description: None,
        causality: if i == 0 { Causality::Input } else { Causality::Output },
        variability: Variability::Continuous,
        initial: None,
        kind: Kind::Real(RealAttributes::default()),
        start: None,
        declared_type: None,
        can_handle_multiple_set: true,
    };
    let co = CoSimulation {
        can_get_and_set_fmu_state: true,
        can_handle_variable_communication_step_size: true,
        ..CoSimulation::default()
    };
    let variables = ["u", "y"].into_iter().enumerate().map(variable).collect();
    let mut description = ModelDescription { co_simulation: Some(co), variables, ..ModelDescription::default() };
    let dependencies = macrostep_description::Dependencies::Known(Vec::new());
    description.structure.outputs = vec![macrostep_description::Unknown { index: 1, dependencies }];
    Box::new(Switch { name, description, jump_s, t_s: 0.0, saved_s: 0.0, steps: 0 })
}

impl Described for Switch {
    fn name(&self) -> &str {
        self.name
    }
    fn description(&self) -> &ModelDescription {
        &self.description
    }
}

impl Values for Switch {
    fn set_real(&mut self, _: &[u32], _: &[f64]) -> Result<(), UnitError> {
        Ok(())
    }
    fn get_real(&mut self, _: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        values.fill(if self.t_s < self.jump_s { 0.0 } else { 1.0 });
        Ok(())
    }
}

impl Derivatives for Switch {}

impl States for Switch {
    fn save(&mut self, _: usize) -> Result<(), UnitError> {
        self.saved_s = self.t_s;
        Ok(())
    }
    fn restore(&mut self, _: usize) -> Result<(), UnitError> {
        self.t_s = self.saved_s;
        Ok(())
    }
}

impl Steps for Switch {
    fn step(&mut self, t_s: f64, step_s: f64, _: bool) -> Result<Outcome, UnitError> {
        (self.t_s, self.steps) = (t_s + step_s, self.steps + 1);
        Ok(Outcome::Done)
    }
    fn do_steps(&self) -> u64 {
        self.steps
    }
}

impl Unit for Switch {}

/// Points of a run whose signal jumps at `jump_s`, and when its event happened.
fn run(jump_s: f64) -> (Vec<f64>, Vec<f64>) {
    let mut system = System::new();
    let units = ["a", "b"].map(|name| system.add(switch(name, jump_s)));
    let y = system.channel(units[0], &["y"]).expect("an output").component(0);
    system.connect(y, units[1], "u").expect("an input");
    system.event(Event {
        name: "on".to_owned(),
        terms: vec![(y, 1.0)],
        threshold: 0.5,
        direction: Direction::Rising,
        one_sided: false,
        set: Vec::new(),
        most: 10,
        span_s: 1e-6,
    });
    let method = Method { control: Some(StepControl::new(Estimate::Error, 1e-3)), ..Method::default() };
    let mut simulation = Simulation::new(system, &method, Grid::uniform(0.1, 1.0)).expect("a simulation");
    simulation.initialise().expect("initialised");
    let mut points = Vec::new();
    while !simulation.is_over() {
        simulation.step().expect("a step");
        points.push(simulation.time_s());
    }
    let events = simulation.events().0.map(|(_, t_s)| t_s).collect();
    (points, events)
}

/// The jump lies in the first shortest window of a long one: it is in each of the shorter ones that are tried.
#[test]
fn an_event_is_met_where_a_signal_jumps() {
    let (points, none) = run(f64::INFINITY);
    assert!(none.is_empty());
    let long = points.windows(2).find(|w| w[1] - w[0] > 0.05).expect("a long window");
    let jump_s = long[0] + 1.23e-5;
    let (_, events) = run(jump_s);
    assert_eq!(events.len(), 1);
    assert!((events[0] - jump_s).abs() < 1e-9, "{events:?} and {jump_s}");
}
