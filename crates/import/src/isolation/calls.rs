//! The calls of a [`Unit`], one to one: what may wait is put off, what was read ahead is looked up, the rest is one exchange.

use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_master::unit::{
    Derivatives, Described, Distance, Outcome, States, Steps, Tangent, Trials, Unit, UnitError, Values, Warned,
};

use super::call::Call;
use super::server::HEAD;
use super::unit::IsolatedUnit;
use super::warned;
use super::wire::{Put, Take};

impl Described for IsolatedUnit {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &ModelDescription {
        self.by_fork.as_deref().unwrap_or_else(|| self.fmu.description())
    }

    fn shared_description(&self) -> Arc<ModelDescription> {
        self.by_fork.clone().unwrap_or_else(|| self.fmu.shared_description())
    }

    fn kind(&self) -> &'static str {
        "isolated"
    }
}

impl Values for IsolatedUnit {
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError> {
        let message = self.call(Call::SetReal)?;
        message.list(refs, u32::to_le_bytes);
        message.list(values, f64::to_le_bytes);
        self.put_off()
    }

    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        self.begin_request(Call::GetReal, refs);
        let done = Take::new(self.read(Call::GetReal)?).fill(values, f64::from_le_bytes);
        self.filled(Call::GetReal, done)
    }

    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> {
        let message = self.call(Call::SetInteger)?;
        message.list(refs, u32::to_le_bytes);
        message.list(values, i32::to_le_bytes);
        self.put_off()
    }

    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError> {
        self.begin_request(Call::GetInteger, refs);
        let done = Take::new(self.read(Call::GetInteger)?).fill(values, i32::from_le_bytes);
        self.filled(Call::GetInteger, done)
    }

    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError> {
        let message = self.call(Call::SetBoolean)?;
        message.list(refs, u32::to_le_bytes);
        message.list(values, |b| [u8::from(b)]);
        self.put_off()
    }

    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError> {
        self.begin_request(Call::GetBoolean, refs);
        let done = Take::new(self.read(Call::GetBoolean)?).fill(values, |[b]: [u8; 1]| b != 0);
        self.filled(Call::GetBoolean, done)
    }

    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError> {
        if refs.len() != values.len() {
            return self.filled(Call::SetString, None);
        }
        let message = self.call(Call::SetString)?;
        message.list(refs, u32::to_le_bytes);
        values.iter().for_each(|text| message.text(text));
        self.put_off()
    }

    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError> {
        self.begin_request(Call::GetString, refs);
        let mut take = Take::new(self.read(Call::GetString)?);
        let n = take.number();
        let texts: Option<Vec<String>> = refs.iter().map(|_| take.text()).collect();
        match texts.filter(|_| n == Some(refs.len() as u64)) {
            Some(texts) => Ok(texts),
            None => Err(self.garbled()),
        }
    }
}

impl Derivatives for IsolatedUnit {
    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError> {
        let message = self.call(Call::SetInputDerivatives)?;
        message.list(refs, u32::to_le_bytes);
        message.list(orders, i32::to_le_bytes);
        message.list(values, f64::to_le_bytes);
        self.put_off()
    }

    fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), UnitError> {
        self.begin_request(Call::GetOutputDerivatives, refs);
        self.request.list(orders, i32::to_le_bytes);
        let done = Take::new(self.read(Call::GetOutputDerivatives)?).fill(values, f64::from_le_bytes);
        self.filled(Call::GetOutputDerivatives, done)
    }

    fn directional(&mut self, of: Tangent<'_>) -> Result<(), UnitError> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        let message = self.call(Call::Directional)?;
        message.list(unknown, u32::to_le_bytes);
        message.list(known, u32::to_le_bytes);
        message.list(d_known, f64::to_le_bytes);
        self.waiting += 1;
        self.exchange(0)?;
        let done = Take::new(&self.reply[HEAD..]).fill(d_unknown, f64::from_le_bytes);
        self.filled(Call::Directional, done)
    }
}

impl States for IsolatedUnit {
    fn save(&mut self, slot: usize) -> Result<(), UnitError> {
        self.call(Call::Save)?.number(slot as u64);
        self.put_off()
    }

    fn restore(&mut self, slot: usize) -> Result<(), UnitError> {
        self.call(Call::Restore)?.number(slot as u64);
        self.put_off()
    }

    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        self.call(Call::Serialize)?;
        self.waiting += 1;
        self.exchange(0)?;
        match Take::new(&self.reply[HEAD..]).bytes() {
            Some(bytes) => Ok(bytes.to_vec()),
            None => Err(self.garbled()),
        }
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        self.call(Call::Deserialize)?.bytes(bytes);
        self.finish()
    }
}

impl Steps for IsolatedUnit {
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        if self.begun.is_none() {
            self.send_step(t_s, step_s, keep)?;
        }
        self.collect()
    }

    fn is_parallel(&self) -> bool {
        true
    }

    fn gains_by_trials(&self) -> bool {
        self.is_integrated()
    }

    fn distance(&self) -> Option<Distance> {
        self.distance
    }

    fn trials(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        self.try_together(of, values)
    }

    fn begin_step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<(), UnitError> {
        self.send_step(t_s, step_s, keep)
    }

    fn do_steps(&self) -> u64 {
        self.do_steps
    }
}

impl Unit for IsolatedUnit {
    fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError> {
        let message = self.call(Call::Setup)?;
        message.real(start_s);
        message.real(stop_s.unwrap_or(f64::NAN));
        message.real(tolerance.unwrap_or(f64::NAN));
        self.t_s = start_s;
        self.finish()
    }

    fn enter_initialization(&mut self) -> Result<(), UnitError> {
        self.call(Call::EnterInitialization)?;
        self.finish()
    }

    fn exit_initialization(&mut self) -> Result<(), UnitError> {
        self.call(Call::ExitInitialization)?;
        self.finish()
    }

    fn reset(&mut self) -> Result<(), UnitError> {
        self.call(Call::Reset)?;
        self.finish()
    }

    fn terminate(&mut self) -> Result<(), UnitError> {
        self.call(Call::Terminate)?;
        self.finish_now()
    }

    fn warned(&mut self) -> Option<Warned> {
        self.call(Call::Warned).ok()?;
        self.waiting += 1;
        self.exchange(0).ok()?;
        warned::take(&mut Take::new(&self.reply[HEAD..])).filter(|warned| warned.count > 0)
    }
}
