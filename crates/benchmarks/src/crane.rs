//! Crane and actuator as scenarios of two FMUs, `mechanics` and `hydraulics`.
//!
//! With the prediction in the hydraulics the connections are plain ones: the hydraulics take positions, speeds and the
//! interface model at the beginning of a macro step and give a force for all of it. The parameter `prediction` of that FMU says
//! how the speed goes on within the step. With the prediction in the master the hydraulics are stepped every micro step, and
//! positions and speeds come from an interface model of the scenario.

use crate::multirate::{Delivery, Multirate, Order, Place, Prediction};
use crate::parts::{bond, end, port, predicted, record, rest, set, system, times, unit, vector};
use macrostep_master::unit::{NativeUnit, Unit, UnitError, Values};
use macrostep_system::scenario::{Connection, Endpoint, InterfaceModel, Place as ScenarioPlace, Scenario, Value};
use macrostep_system::words::{Predict, Schedule};

impl Multirate {
    /// The run as a scenario. The forces that hold the mechanics at their start are worked out here and are start values of
    /// both units.
    ///
    /// # Errors
    /// In words: values that make no system.
    pub fn scenario(&self) -> Result<Scenario, String> {
        let name = if self.plant.is_crane() { "hydraulic crane" } else { "hydraulic actuator on a stop" };
        let mut s = system(name, &self.scheme.to_string(), times(self.step_s, self.end_s()));
        s.coupling = predicted(Predict::classical(0));
        if self.scheme.order == Order::FastFirst {
            s.coupling.schedule = Schedule::GaussSeidel;
            s.coupling.order = ["hydraulics", "mechanics"].map(str::to_owned).to_vec();
        }
        self.add_units(&mut s)?;
        self.connect(&mut s);
        let crane: &[&str] = if self.plant.is_crane() { &["mechanics.log_height"] } else { &[] };
        let own = ["e_kin", "e_pot", "interface_work", "motor_work", "constraint_work", "contact_force"];
        let own = own.map(|name| format!("mechanics.{name}"));
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
        if self.is_in_master() {
            hydraulics.share = (1, (self.step_s / self.micro_s).round() as u32);
        }
        let prediction = match self.scheme.prediction {
            // Every step is one micro step with a constant speed.
            _ if self.is_in_master() => "hold",
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

    fn is_in_master(&self) -> bool {
        self.scheme.place == Place::Master
    }

    fn connect(&self, s: &mut Scenario) {
        let r = self.plant.rows();
        // The two sides of the interface.
        let ends = |unit: &str, names: Vec<String>| names.iter().map(|n| end(&format!("{unit}.{n}"))).collect();
        let mechanics = |names| -> Vec<Endpoint> { ends("mechanics", names) };
        let hydraulics = |names| -> Vec<Endpoint> { ends("hydraulics", names) };
        let [position, speed, bias] = ["s", "w", "b"].map(|name| mechanics(vector(name, r)));
        let mobility = mechanics(packed("W", r));
        // The force by which the delivery of the scheme goes.
        let force = match (self.is_in_master(), self.scheme.delivery) {
            (true, _) => "lam",
            (false, Delivery::End) => "lam_end",
            (false, Delivery::Mean) => "lam_mean",
        };
        let force = hydraulics(vector(force, r));
        let is_mean = self.is_in_master() && self.scheme.delivery == Delivery::Mean;
        // Where the master predicts the motion, no output of the mechanics is what the hydraulics get.
        for (i, force) in force.iter().enumerate().filter(|_| !self.is_in_master()) {
            let n = i + 1;
            let of_mechanics = port(&format!("mechanics.w[{n}]"), &[(&format!("lam_i[{n}]"), 1.0)]);
            let of_hydraulics = port(&force.to_string(), &[(&format!("w0[{n}]"), -1.0)]);
            s.bonds.push(bond(&format!("cylinder {n}"), vec![of_mechanics, of_hydraulics]));
        }
        // Vectors are connected component by component.
        let mut connect = |to: Vec<Endpoint>, from: &[Endpoint], is_mean| {
            let wires = to.into_iter().zip(from).map(|(to, from)| Connection {
                is_mean,
                ..Connection::new(from.clone(), to, ScenarioPlace::default())
            });
            s.connections.extend(wires);
        };
        connect(mechanics(vector("lam_i", r)), &force, is_mean);
        // Motion on the hydraulic side, and the speed that a prediction is compared with.
        let [to_position, to_speed] = ["s0", "w0"].map(|name| hydraulics(vector(name, r)));
        let repeat = self.scheme.repeat;
        let arrived = if repeat > 0 { mechanics(vector("w_step", r)) } else { Vec::new() };
        // What the hydraulics get: from the model in the master, or the values it integrates the motion with itself.
        let (predicted, to_speed, to_position) = if self.is_in_master() {
            for input in [packed("W", r), vector("b", r)].iter().flatten() {
                rest(&mut s.units[1], &[input]);
            }
            (Vec::new(), to_speed, to_position)
        } else {
            connect(to_position, &position, false);
            connect(to_speed, &speed, false);
            connect(hydraulics(packed("W", r)), &mobility, false);
            connect(hydraulics(vector("b", r)), &bias, false);
            (hydraulics(vector("w_pred", r)), Vec::new(), Vec::new())
        };
        // The model that predicts in the master, or that says which steps to repeat.
        if self.is_in_master() || repeat > 0 {
            s.interface_models.push(InterfaceModel {
                force,
                speed,
                position,
                mobility,
                bias,
                to_speed,
                to_position,
                repeat,
                predicted,
                arrived,
                place: ScenarioPlace::default(),
            });
        }
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
