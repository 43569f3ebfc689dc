//! Crane and actuator as scenarios of two FMUs, `mechanics` and `hydraulics`.
//!
//! With the prediction in the hydraulics the connections are plain ones: the hydraulics take positions, speeds and the
//! interface model at the beginning of a macro step and give a force for all of it. The parameter `prediction` of that FMU says
//! how the speed goes on within the step.

use crate::multirate::{Delivery, Multirate, Order, Place, Prediction};
use crate::parts::{predicted, record, set, system, times, unit, vector, wire};
use macrostep_master::unit::{NativeUnit, Unit, UnitError};
use macrostep_system::scenario::{Scenario, Value};
use macrostep_system::words::{Predict, Schedule};

impl Multirate {
    /// The run as a scenario. The forces that hold the mechanics at their start are worked out here and are start values of
    /// both units.
    ///
    /// # Errors
    /// In words: values that make no system, and a prediction in the master, which connections cannot say.
    pub fn scenario(&self) -> Result<Scenario, String> {
        if self.scheme.place == Place::Master {
            return Err("`--place master`, an interface model that the master integrates".to_owned());
        }
        let name = if self.plant.is_crane() { "hydraulic crane" } else { "hydraulic actuator on a stop" };
        // Whole macro steps up to the end.
        let steps = (self.stop_s / self.step_s + 1e-9).floor();
        let mut s = system(name, &self.scheme.to_string(), times(self.step_s, steps * self.step_s));
        s.coupling = predicted(Predict::classical(0));
        if self.scheme.order == Order::FastFirst {
            s.coupling.schedule = Schedule::GaussSeidel;
            s.coupling.order = ["hydraulics", "mechanics"].map(str::to_owned).to_vec();
        }
        self.add_units(&mut s)?;
        self.connect(&mut s);
        let crane: &[&str] = if self.plant.is_crane() { &["mechanics.log_height"] } else { &[] };
        let energies = ["e_kin", "e_pot", "interface_work", "motor_work", "constraint_work"];
        let solver = ["violation", "solver_residual", "contact_force"];
        let own: Vec<String> = energies.iter().chain(&solver).map(|name| format!("mechanics.{name}")).collect();
        let interface = ["mechanics.s[*]", "mechanics.w[*]", "mechanics.lam_i[*]", "hydraulics.work"];
        let own = own.iter().map(String::as_str);
        s.record = record(&interface.into_iter().chain(own).chain(crane.iter().copied()).collect::<Vec<_>>());
        Ok(s)
    }

    fn add_units(&self, s: &mut Scenario) -> Result<(), String> {
        let [slow_model, fast_model] = self.plant.models();
        let [slow, fast] = self.plant.parameters();
        let holding = self.holding_forces(&[slow, &[("communication_step", self.step_s)]].concat())?;
        let mut mechanics = unit("mechanics", slow_model, slow);
        mechanics.step_parameter = Some("communication_step".to_owned());
        set(&mut mechanics, "look_ahead", Value::Boolean(self.scheme.look_ahead));
        let mut hydraulics = unit("hydraulics", fast_model, &[&[("micro_step", self.micro_s)], fast].concat());
        let prediction = match self.scheme.prediction {
            Prediction::Hold => "hold",
            Prediction::Linear => "linear",
            Prediction::InterfaceModel => "interface_model",
        };
        set(&mut hydraulics, "prediction", Value::Text(prediction.to_owned()));
        for (i, force) in holding.into_iter().enumerate() {
            set(&mut hydraulics, &format!("lam_start[{}]", i + 1), Value::Real(force));
            set(&mut mechanics, &format!("lam_i[{}]", i + 1), Value::Real(force));
        }
        s.units = vec![mechanics, hydraulics];
        Ok(())
    }

    fn connect(&self, s: &mut Scenario) {
        let r = self.plant.rows();
        let inputs = [vector("s0", r), vector("w0", r), packed("W", r), vector("b", r)].concat();
        let outputs = [vector("s", r), vector("w", r), packed("W", r), vector("b", r)].concat();
        let there = inputs.iter().zip(&outputs);
        s.connections.extend(there.map(|(i, o)| wire(&format!("hydraulics.{i}"), &format!("mechanics.{o}"))));
        let force = if self.scheme.delivery == Delivery::End { "lam_end" } else { "lam_mean" };
        let (inputs, outputs) = (vector("lam_i", r), vector(force, r));
        let back = inputs.iter().zip(&outputs);
        s.connections.extend(back.map(|(i, o)| wire(&format!("mechanics.{i}"), &format!("hydraulics.{o}"))));
    }

    /// The forces at which the mechanics start in equilibrium \[N\], asked of the model.
    fn holding_forces(&self, parameters: &[(&str, f64)]) -> Result<Vec<f64>, String> {
        let [model, _] = self.plant.models();
        let entry = macrostep_models_mechanics::find(model).ok_or_else(|| format!("no model `{model}`"))?;
        let mut unit = NativeUnit::new(entry.instantiate("mechanics"));
        let failed = |e: UnitError| e.to_string();
        for (name, value) in parameters {
            let reference = reference(&unit, name)?;
            unit.set_real(&[reference], &[*value]).map_err(failed)?;
        }
        let look_ahead = reference(&unit, "look_ahead")?;
        unit.set_boolean(&[look_ahead], &[self.scheme.look_ahead]).map_err(failed)?;
        unit.setup(0.0, None, None).map_err(failed)?;
        unit.enter_initialization().map_err(failed)?;
        let names = vector("lam_hold", self.plant.rows());
        let references = names.iter().map(|name| reference(&unit, name)).collect::<Result<Vec<_>, _>>()?;
        let mut forces = vec![0.0; references.len()];
        unit.get_real(&references, &mut forces).map_err(failed)?;
        Ok(forces)
    }
}

/// Value reference of a variable.
fn reference(unit: &dyn Unit, name: &str) -> Result<u32, String> {
    let found = unit.description().variable(name).map(|v| v.value_reference);
    found.ok_or_else(|| format!("`{}` has no variable `{name}`", unit.name()))
}

/// The lower triangle by rows.
fn packed(name: &str, r: usize) -> Vec<String> {
    (1..=r).flat_map(|i| (1..=i).map(move |j| format!("{name}[{i},{j}]"))).collect()
}
