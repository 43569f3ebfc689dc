//! A model as a slave, driven by the names of its variables.

use macrostep_description::ModelDescription;
use macrostep_models_flexible::find;
use macrostep_slave::{Outcome, Slave};

pub fn slave(model: &str) -> Box<dyn Slave> {
    find(model).expect("a model").instantiate(model)
}

pub fn reference(d: &ModelDescription, name: &str) -> u32 {
    d.variable(name).unwrap_or_else(|| panic!("no `{name}`")).value_reference
}

pub fn set(s: &mut dyn Slave, name: &str, value: f64) {
    let r = reference(s.description(), name);
    s.set_real(&[r], &[value]).expect("set");
}

pub fn choose(s: &mut dyn Slave, name: &str, value: i32) {
    let r = reference(s.description(), name);
    s.set_integer(&[r], &[value]).expect("set");
}

pub fn get(s: &mut dyn Slave, name: &str) -> f64 {
    let r = reference(s.description(), name);
    let mut value = [0.0];
    s.get_real(&[r], &mut value).expect("get");
    value[0]
}

pub fn start(s: &mut dyn Slave) {
    s.setup_experiment(0.0, None, None).expect("set up");
    s.enter_initialization().expect("entered");
    s.exit_initialization().expect("left");
}

pub fn run(s: &mut dyn Slave, steps: u32, step_s: f64) {
    for k in 0..steps {
        let outcome = s.do_step(s.time_s(), step_s, true).unwrap_or_else(|e| panic!("step {k}: {e}"));
        assert_eq!(outcome, Outcome::Done);
    }
}
