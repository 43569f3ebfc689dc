//! A native unit: a model of ours in this process, without a library and without C. It runs the very code its FMU does.

use super::{Derivatives, Described, Failure, Outcome, States, Steps, Unit, UnitError, Values};
use macrostep_description::ModelDescription;
use macrostep_slave::{Fault, Slave, Snapshot, Tangent};

/// A [`Slave`] as a unit.
pub struct NativeUnit {
    slave: Box<dyn Slave>,
    slots: Vec<Option<Snapshot>>,
    spare: Snapshot,
    do_steps: u64,
}

impl NativeUnit {
    /// A unit from a freshly instantiated slave.
    pub fn new(slave: Box<dyn Slave>) -> Self {
        NativeUnit { slave, slots: Vec::new(), spare: Snapshot::default(), do_steps: 0 }
    }

    #[cold]
    fn fail(&self, call: &'static str, fault: &Fault) -> UnitError {
        UnitError::from(Failure {
            unit: self.slave.instance_name().to_string(),
            call,
            status: if fault.is_discard() { "fmi2Discard" } else { "fmi2Error" }.to_string(),
            t_s: self.slave.time_s(),
            message: fault.to_string(),
        })
    }
}

/// One line per function: forward and name the call on failure.
macro_rules! forward {
    ($self:ident, $name:literal, $call:expr) => {
        match $call {
            Ok(v) => Ok(v),
            Err(fault) => Err($self.fail($name, &fault)),
        }
    };
}

impl Described for NativeUnit {
    fn name(&self) -> &str {
        self.slave.instance_name()
    }

    fn description(&self) -> &ModelDescription {
        self.slave.description()
    }
}

impl Values for NativeUnit {
    #[inline]
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError> {
        forward!(self, "fmi2SetReal", self.slave.set_real(refs, values))
    }

    #[inline]
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        forward!(self, "fmi2GetReal", self.slave.get_real(refs, values))
    }

    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> {
        forward!(self, "fmi2SetInteger", self.slave.set_integer(refs, values))
    }

    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError> {
        forward!(self, "fmi2GetInteger", self.slave.get_integer(refs, values))
    }

    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError> {
        forward!(self, "fmi2SetBoolean", self.slave.set_boolean(refs, values))
    }

    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError> {
        forward!(self, "fmi2GetBoolean", self.slave.get_boolean(refs, values))
    }

    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError> {
        forward!(self, "fmi2SetString", self.slave.set_string(refs, values))
    }

    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError> {
        match self.slave.get_string(refs) {
            Ok(v) => Ok(v.into_iter().map(str::to_string).collect()),
            Err(fault) => Err(self.fail("fmi2GetString", &fault)),
        }
    }
}

impl Derivatives for NativeUnit {
    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError> {
        let done = self.slave.set_real_input_derivatives(refs, orders, values);
        forward!(self, "fmi2SetRealInputDerivatives", done)
    }

    fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), UnitError> {
        let done = self.slave.get_real_output_derivatives(refs, orders, values);
        forward!(self, "fmi2GetRealOutputDerivatives", done)
    }

    fn directional(&mut self, of: Tangent<'_>) -> Result<(), UnitError> {
        forward!(self, "fmi2GetDirectionalDerivative", self.slave.directional_derivative(of))
    }
}

impl States for NativeUnit {
    fn save(&mut self, slot: usize) -> Result<(), UnitError> {
        while self.slots.len() <= slot {
            self.slots.push(None);
        }
        let snapshot = self.slots[slot].get_or_insert_with(Snapshot::default);
        match self.slave.save(snapshot) {
            Ok(()) => Ok(()),
            Err(fault) => Err(self.fail("fmi2GetFMUstate", &fault)),
        }
    }

    fn restore(&mut self, slot: usize) -> Result<(), UnitError> {
        let done = match self.slots.get(slot) {
            Some(Some(snapshot)) => self.slave.restore(snapshot),
            _ => Err(Fault::Snapshot(format!("nothing was saved in slot {slot}"))),
        };
        forward!(self, "fmi2SetFMUstate", done)
    }

    fn hidden_state(&mut self) -> Option<&mut [f64]> {
        Some(self.slave.hidden_state())
    }

    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        let slave = &mut self.slave;
        let spare = &mut self.spare;
        let done = slave.save(spare).and_then(|()| slave.serialized_size(spare)).and_then(|size| {
            let mut bytes = vec![0; size];
            slave.serialize(spare, &mut bytes).map(|()| bytes)
        });
        forward!(self, "fmi2SerializeFMUstate", done)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        let done = self.slave.deserialize(bytes, &mut self.spare).and_then(|()| self.slave.restore(&self.spare));
        forward!(self, "fmi2DeSerializeFMUstate", done)
    }
}

impl Steps for NativeUnit {
    #[inline]
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.do_steps += 1;
        match self.slave.do_step(t_s, step_s, keep) {
            Ok(macrostep_slave::Outcome::Done) => Ok(Outcome::Done),
            Ok(macrostep_slave::Outcome::Discarded { reached_s, terminated }) => {
                Ok(Outcome::Discarded { reached_s, terminated })
            }
            Err(fault) => Err(self.fail("fmi2DoStep", &fault)),
        }
    }

    fn do_steps(&self) -> u64 {
        self.do_steps
    }
}

impl Unit for NativeUnit {
    fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError> {
        forward!(self, "fmi2SetupExperiment", self.slave.setup_experiment(start_s, stop_s, tolerance))
    }

    fn enter_initialization(&mut self) -> Result<(), UnitError> {
        forward!(self, "fmi2EnterInitializationMode", self.slave.enter_initialization())
    }

    fn exit_initialization(&mut self) -> Result<(), UnitError> {
        forward!(self, "fmi2ExitInitializationMode", self.slave.exit_initialization())
    }

    fn reset(&mut self) -> Result<(), UnitError> {
        forward!(self, "fmi2Reset", self.slave.reset())
    }

    fn terminate(&mut self) -> Result<(), UnitError> {
        forward!(self, "fmi2Terminate", self.slave.terminate())
    }
}
