//! An event that a jump carries beyond zero, in a run with macro step control.

use macrostep_description::{Causality, CoSimulation, Kind, ModelDescription, RealAttributes, Variability, Variable};
use macrostep_master::unit::{Outcome, Unit, UnitError};
use macrostep_master::{Direction, Estimate, Event, Grid, Method, Simulation, StepControl, System, idle};

/// When the output jumps \[s\]: no point of a grid.
const JUMP_S: f64 = 0.323_606_797_749_979;

/// Its output is 0, and 1 from [`JUMP_S`] on.
struct Switch {
    name: &'static str,
    description: ModelDescription,
    t_s: f64,
    saved_s: f64,
    steps: u64,
}

/// Input 0 and output 1.
fn switch(name: &'static str) -> Box<dyn Unit> {
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
    Box::new(Switch { name, description, t_s: 0.0, saved_s: 0.0, steps: 0 })
}

impl Unit for Switch {
    fn name(&self) -> &str {
        self.name
    }
    fn description(&self) -> &ModelDescription {
        &self.description
    }
    fn kind(&self) -> &'static str {
        "native"
    }
    fn set_real(&mut self, _: &[u32], _: &[f64]) -> Result<(), UnitError> {
        Ok(())
    }
    fn get_real(&mut self, _: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        values.fill(if self.t_s < JUMP_S { 0.0 } else { 1.0 });
        Ok(())
    }
    fn step(&mut self, t_s: f64, step_s: f64, _: bool) -> Result<Outcome, UnitError> {
        (self.t_s, self.steps) = (t_s + step_s, self.steps + 1);
        Ok(Outcome::Done)
    }
    fn do_steps(&self) -> u64 {
        self.steps
    }
    fn save(&mut self, _: usize) -> Result<(), UnitError> {
        self.saved_s = self.t_s;
        Ok(())
    }
    fn restore(&mut self, _: usize) -> Result<(), UnitError> {
        self.t_s = self.saved_s;
        Ok(())
    }
    idle! { self;
        setup enter_initialization exit_initialization reset terminate set_input_derivatives get_output_derivatives directional
        set_integer get_integer set_boolean get_boolean set_string get_string serialize deserialize
    }
}

/// The window of a jump is the shortest that control has; the event in it is met to a tick of the events all the same.
#[test]
fn an_event_is_met_where_a_signal_jumps() {
    let mut system = System::new();
    let units = ["a", "b"].map(|name| system.add(switch(name)));
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
    let control = Some(StepControl::new(Estimate::Error, 1e-3));
    let mut simulation = Simulation::new(system, &Method { control, ..Method::default() }, Grid::uniform(0.1, 1.0))
        .expect("a simulation");
    simulation.initialise().expect("initialised");
    while !simulation.is_over() {
        simulation.step().expect("a step");
    }
    let (named, count) = simulation.events();
    let times: Vec<f64> = named.map(|(_, t_s)| t_s).collect();
    assert_eq!(count, 1);
    assert!((times[0] - JUMP_S).abs() < 1e-9, "{times:?}");
    assert_eq!(simulation.events_late_s(), None);
}
