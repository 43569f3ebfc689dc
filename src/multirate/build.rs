//! From a scheme to a simulation of two units.

use macrostep_master::predict::{InterfaceModel, Lagrange, Predicted};
use macrostep_master::unit::Unit;
use macrostep_master::{ChannelId, Grid, Method, RunError, Schedule, Signal, Simulation, System, SystemError, UnitId};
use std::sync::Arc;

use super::{Delivery, Multirate, Order, Place, Prediction};
use crate::pair::Factory;

/// The coupled units, initialised.
pub struct Coupled {
    /// The run.
    pub simulation: Simulation,
    /// Mechanics and hydraulics.
    pub units: [UnitId; 2],
    /// Interface speeds, interface positions of the mechanics; forces of the hydraulics.
    pub speed: Vec<ChannelId>,
    /// Interface positions.
    pub position: Vec<ChannelId>,
    /// Forces that are handed to the mechanics, as the hydraulics give them at a communication point.
    pub force: Vec<ChannelId>,
}

/// The simulation, initialised in the equilibrium the mechanics ask for.
///
/// # Errors
/// [`RunError::Grid`] where the micro step does not divide the macro step; what a unit refuses.
pub fn build(run: &Multirate, factory: Factory<'_>) -> Result<Coupled, RunError> {
    let micro_steps = divide(run)?;
    let [slow_model, fast_model] = run.plant.models();
    let [slow_parameters, fast_parameters] = run.plant.parameters();
    let (mut slow, mut fast) = (factory(slow_model, "mechanics")?, factory(fast_model, "hydraulics")?);
    let step = [("communication_step", run.step_s)];
    let slow_parameters = [slow_parameters, &step].concat();
    set_parameters(slow.as_mut(), &slow_parameters, run.scheme.look_ahead)?;
    let holding = holding_forces(slow.as_mut(), run.plant.rows())?;
    set_parameters(slow.as_mut(), &slow_parameters, run.scheme.look_ahead)?;
    set(fast.as_mut(), "micro_step", run.micro_s)?;
    for (name, value) in fast_parameters {
        set(fast.as_mut(), name, *value)?;
    }
    for (i, force) in holding.iter().enumerate() {
        set(fast.as_mut(), &format!("lam_start[{}]", i + 1), *force)?;
        set(slow.as_mut(), &format!("lam_i[{}]", i + 1), *force)?;
    }
    // With the prediction in the master every step of the fast unit is one micro step with a constant speed.
    let prediction = if run.scheme.place == Place::Master { Prediction::Hold } else { run.scheme.prediction };
    let code = 1 + [Prediction::Hold, Prediction::Linear, Prediction::InterfaceModel]
        .iter()
        .position(|p| *p == prediction)
        .unwrap_or(0) as i32;
    let reference = variable(fast.as_ref(), "prediction")?;
    fast.set_integer(&[reference], &[code])?;
    couple(run, micro_steps, [slow, fast])
}

fn couple(run: &Multirate, micro_steps: u32, [slow, fast]: [Box<dyn Unit>; 2]) -> Result<Coupled, RunError> {
    let mut system = System::new();
    let units = [system.add(slow), system.add(fast)];
    let r = run.plant.rows();
    let in_master = run.scheme.place == Place::Master;
    let [position, speed] =
        [channels(&mut system, units[0], &vector("s", r))?, channels(&mut system, units[0], &vector("w", r))?];
    let mobility = channels(&mut system, units[0], &packed("W", r))?;
    let bias = channels(&mut system, units[0], &vector("b", r))?;
    let name = match (in_master, run.scheme.delivery) {
        (true, _) => "lam",
        (false, Delivery::End) => "lam_end",
        (false, Delivery::Mean) => "lam_mean",
    };
    let force = channels(&mut system, units[1], &vector(name, r))?;
    let signals = |list: &[ChannelId]| -> Vec<Signal> { list.iter().map(|c| c.component(0)).collect() };
    let repeat = run.scheme.repeat;
    let only_repeats = !in_master && repeat > 0;
    let predicted = if only_repeats { channels(&mut system, units[1], &vector("w_pred", r))? } else { Vec::new() };
    let arrived = if repeat > 0 { channels(&mut system, units[0], &vector("w_step", r))? } else { Vec::new() };
    let model = InterfaceModel {
        force: signals(&force),
        speed: signals(&speed),
        position: signals(&position),
        mobility: signals(&mobility),
        bias: signals(&bias),
        repeat,
        predicted: signals(&predicted),
        arrived: signals(&arrived),
    };
    if only_repeats {
        system.interface(model.clone())?;
    }
    if in_master {
        let model = system.interface(model)?;
        for i in 0..r {
            system.connect_predicted(model, Predicted::Speed(i), units[1], &format!("w0[{}]", i + 1))?;
            system.connect_predicted(model, Predicted::Position(i), units[1], &format!("s0[{}]", i + 1))?;
        }
    } else {
        let wanted = [
            (&position, vector("s0", r)),
            (&speed, vector("w0", r)),
            (&mobility, packed("W", r)),
            (&bias, vector("b", r)),
        ];
        for (list, names) in wanted {
            for (channel, name) in list.iter().zip(names) {
                system.connect(channel.component(0), units[1], &name)?;
            }
        }
    }
    for (channel, input) in force.iter().zip(vector("lam_i", r)) {
        if in_master && run.scheme.delivery == Delivery::Mean {
            system.connect_mean(channel.component(0), units[0], &input)?;
        } else {
            system.connect(channel.component(0), units[0], &input)?;
        }
    }
    let method = Method {
        predictor: Arc::new(Lagrange::new(0)),
        schedule: match run.scheme.order {
            Order::Jacobi => Schedule::Jacobi,
            Order::FastFirst => Schedule::GaussSeidel(vec![1, 0]),
        },
        ..Method::default()
    };
    let shares = if in_master { vec![(1, 1), (1, micro_steps)] } else { Vec::new() };
    let grid = Grid { start_s: 0.0, step_s: run.step_s, stop_s: None, shares };
    let mut simulation = Simulation::new(system, &method, grid)?;
    simulation.initialise()?;
    Ok(Coupled { simulation, units, speed, position, force })
}

/// Micro steps in a macro step.
fn divide(run: &Multirate) -> Result<u32, RunError> {
    let bad = |what, found, expected| RunError::Grid { what, found, expected };
    if run.scheme.place == Place::Master && run.scheme.prediction != Prediction::InterfaceModel {
        let expected = "the interface model, or the prediction in the fast unit".to_owned();
        return Err(bad("prediction in the master", run.scheme.to_string(), expected));
    }
    if run.scheme.repeat > 0 && run.scheme.prediction != Prediction::InterfaceModel {
        return Err(bad("repeated steps", run.scheme.to_string(), "the interface model".to_owned()));
    }
    macrostep_hydraulics::Window::divide(0.0, run.step_s, run.micro_s).map(|w| w.count as u32).map_err(|_| {
        bad("macro step", format!("{} s", run.step_s), format!("a multiple of the micro step {} s", run.micro_s))
    })
}

/// The forces at which the mechanics start in equilibrium, asked of the unit, which is reset.
fn holding_forces(slow: &mut dyn Unit, r: usize) -> Result<Vec<f64>, RunError> {
    slow.setup(0.0, None, None)?;
    slow.enter_initialization()?;
    let references = vector("lam_hold", r).iter().map(|n| variable(slow, n)).collect::<Result<Vec<_>, _>>()?;
    let mut forces = vec![0.0; r];
    slow.get_real(&references, &mut forces)?;
    slow.reset()?;
    Ok(forces)
}

fn set_parameters(unit: &mut dyn Unit, values: &[(&str, f64)], look_ahead: bool) -> Result<(), RunError> {
    for (name, value) in values {
        set(unit, name, *value)?;
    }
    let reference = variable(unit, "look_ahead")?;
    unit.set_boolean(&[reference], &[look_ahead])?;
    Ok(())
}

fn set(unit: &mut dyn Unit, name: &str, value: f64) -> Result<(), RunError> {
    let reference = variable(unit, name)?;
    Ok(unit.set_real(&[reference], &[value])?)
}

/// Value reference of a variable.
pub(super) fn variable(unit: &dyn Unit, name: &str) -> Result<u32, SystemError> {
    let found = unit.description().variable(name).map(|v| v.value_reference);
    found.ok_or_else(|| SystemError::UnknownVariable {
        unit: unit.name().to_string(),
        variable: name.to_string(),
        hint: "is this a multibody system or a hydraulic circuit of macrostep?".to_string(),
    })
}

fn channels(system: &mut System, unit: UnitId, names: &[String]) -> Result<Vec<ChannelId>, SystemError> {
    names.iter().map(|name| system.channel(unit, &[name])).collect()
}

/// `name[1]` … `name[r]`.
pub(super) fn vector(name: &str, r: usize) -> Vec<String> {
    (1..=r).map(|i| format!("{name}[{i}]")).collect()
}

/// The lower triangle by rows.
fn packed(name: &str, r: usize) -> Vec<String> {
    (1..=r).flat_map(|i| (1..=i).map(move |j| format!("{name}[{i},{j}]"))).collect()
}
