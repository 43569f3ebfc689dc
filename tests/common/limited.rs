//! A unit that offers less than the one it is made of.

use macrostep_description::{CoSimulation, ModelDescription};
use macrostep_master::unit::{Outcome, Unit, UnitError};

/// A unit whose description has been cut down.
pub struct Limited {
    unit: Box<dyn Unit>,
    description: ModelDescription,
}

impl Limited {
    /// What `cut` leaves of its attributes.
    pub fn boxed(unit: Box<dyn Unit>, cut: impl Fn(&mut CoSimulation)) -> Box<dyn Unit> {
        let mut description = unit.description().clone();
        cut(description.co_simulation.as_mut().expect("a co-simulation slave"));
        Box::new(Limited { unit, description })
    }
}

/// One line a call: hand it on.
macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(fn $name(&mut self, $($argument: $type),*) -> $result {
            self.unit.$name($($argument),*)
        })*
    };
}

type Done = Result<(), UnitError>;

impl Unit for Limited {
    fn name(&self) -> &str {
        self.unit.name()
    }
    fn description(&self) -> &ModelDescription {
        &self.description
    }
    fn kind(&self) -> &'static str {
        self.unit.kind()
    }
    fn do_steps(&self) -> u64 {
        self.unit.do_steps()
    }
    fn save(&mut self, _: usize) -> Done {
        panic!("fmi2GetFMUstate is not offered")
    }
    fn restore(&mut self, _: usize) -> Done {
        panic!("fmi2SetFMUstate is not offered")
    }
    forward! {
        setup(start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Done;
        enter_initialization() -> Done;
        exit_initialization() -> Done;
        reset() -> Done;
        terminate() -> Done;
        set_real(refs: &[u32], values: &[f64]) -> Done;
        get_real(refs: &[u32], values: &mut [f64]) -> Done;
        set_integer(refs: &[u32], values: &[i32]) -> Done;
        get_integer(refs: &[u32], values: &mut [i32]) -> Done;
        set_boolean(refs: &[u32], values: &[bool]) -> Done;
        get_boolean(refs: &[u32], values: &mut [bool]) -> Done;
        set_string(refs: &[u32], values: &[&str]) -> Done;
        get_string(refs: &[u32]) -> Result<Vec<String>, UnitError>;
        set_input_derivatives(refs: &[u32], orders: &[i32], values: &[f64]) -> Done;
        get_output_derivatives(refs: &[u32], orders: &[i32], values: &mut [f64]) -> Done;
        step(t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError>;
        serialize() -> Result<Vec<u8>, UnitError>;
        deserialize(bytes: &[u8]) -> Done;
        directional(unknown: &[u32], known: &[u32], d_known: &[f64], d_unknown: &mut [f64]) -> Done;
    }
}
