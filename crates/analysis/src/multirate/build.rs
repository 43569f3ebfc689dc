//! From a scheme to a simulation of two units: the scenario of the run, assembled, and its recorded variables.

use macrostep_master::{RunError, Simulation, SystemError, UnitId};

use super::{Columns, Multirate, Place, Prediction};
use crate::models;
use crate::models::Factory;

/// Quantities of the mechanics after positions, speeds and forces; the last one is of the crane alone.
const QUANTITIES: [&str; 9] = [
    "e_kin",
    "e_pot",
    "interface_work",
    "motor_work",
    "constraint_work",
    "violation",
    "solver_residual",
    "contact_force",
    "log_height",
];

/// The simulation, initialised in the equilibrium the mechanics ask for. Its rows have the columns of a trace, and behind them,
/// where `has_poses` says so, the poses of all bodies.
///
/// # Errors
/// As [`check`]; what a unit refuses.
pub fn build(run: &Multirate, factory: Factory<'_>, has_poses: bool) -> Result<Simulation, RunError> {
    check(run)?;
    let refused = |found| RunError::grid("system", found, "values that make one");
    let scenario = run.scenario().map_err(refused)?;
    let mut assembly = models::assembly(&scenario, factory)?;
    // Columns have names of their own.
    assembly.recorded.clear();
    let (mechanics, hydraulics) = (assembly.units[0], assembly.units[1]);
    let mut simulation = assembly.simulation()?;
    simulation.initialise()?;
    record(&mut simulation, run, [mechanics, hydraulics])?;
    if has_poses {
        let pose = |body: usize| ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|c| format!("body[{body}].{c}"));
        for name in (1..=run.plant.bodies()).flat_map(pose) {
            simulation.record(mechanics, &name, &name)?;
        }
    }
    Ok(simulation)
}

/// Positions, speeds and forces of the interface, what the mechanics say of themselves, and the work of the hydraulics.
fn record(
    simulation: &mut Simulation,
    run: &Multirate,
    [mechanics, hydraulics]: [UnitId; 2],
) -> Result<(), SystemError> {
    let interface = [("s", Columns::position as fn(usize) -> String), ("w", Columns::speed), ("lam_i", Columns::force)];
    for (name, column) in interface {
        for i in 0..run.plant.rows() {
            simulation.record(mechanics, &format!("{name}[{}]", i + 1), &column(i))?;
        }
    }
    for name in &QUANTITIES[..QUANTITIES.len() - usize::from(!run.plant.is_crane())] {
        simulation.record(mechanics, name, name)?;
    }
    simulation.record(hydraulics, "work", "hydraulic_work")
}

/// Whether the step of the run and its scheme are ones it can be made with.
///
/// # Errors
/// [`RunError::Grid`] where the micro step does not divide the macro step, or where there is no model to predict or repeat with.
pub fn check(run: &Multirate) -> Result<(), RunError> {
    let bad = |what, found, expected| Err(RunError::grid(what, found, expected));
    if run.scheme.place == Place::Master && run.scheme.prediction != Prediction::InterfaceModel {
        let expected = "the interface model, or the prediction in the fast unit".to_owned();
        return bad("prediction in the master", run.scheme.to_string(), expected);
    }
    if run.scheme.repeat > 0 && run.scheme.prediction != Prediction::InterfaceModel {
        return bad("repeated steps", run.scheme.to_string(), "the interface model".to_owned());
    }
    if macrostep_hydraulics::Window::divide(0.0, run.step_s, run.micro_s).is_err() {
        let expected = format!("a multiple of the micro step {} s", run.micro_s);
        return bad("macro step", format!("{} s", run.step_s), expected);
    }
    Ok(())
}
