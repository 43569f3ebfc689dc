//! Steps, with inputs inside them.

use macrostep_fmi3::*;
use macrostep_slave::{Model, Outcome, Phase, Slave};

use super::handle::{Handle, enter};
use super::nodes::{FINEST, SETS, fitted, node};
use crate::pointers::place;
use crate::shell::{Failure, Shell};

/// Where `fmi3DoStep` writes its answers.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // the arguments of FMI 3.0.2, section 4.2.1, under their names there
pub struct Answers {
    pub event_needed: *mut Boolean,
    pub terminate: *mut Boolean,
    pub early: *mut Boolean,
    pub last_time: *mut f64,
}

/// `fmi3DoStep`. A step that ends early, because the equations end there, is `fmi3Discard` with the time that was reached.
pub unsafe fn do_step<M: Model>(instance: Instance, t: f64, step: f64, keep: Boolean, to: Answers) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3DoStep", |shell, handle| {
            // Where the answers go is known before anything is done.
            let event_needed = place("eventHandlingNeeded", to.event_needed)?;
            let terminate = place("terminateSimulation", to.terminate)?;
            let (early, last_time) = (place("earlyReturn", to.early)?, place("lastSuccessfulTime", to.last_time)?);
            (*event_needed, *terminate, *early, *last_time) = (FALSE, FALSE, FALSE, shell.instance.time_s());
            feed(shell, handle, t, step)?;
            let outcome = shell.instance.do_step(t, step, keep != FALSE)?;
            *last_time = shell.instance.time_s();
            match outcome {
                Outcome::Done => Ok(()),
                Outcome::Discarded { reached_s, terminated } => {
                    *terminate = Boolean::from(terminated);
                    Err(Failure::Discarded(format!("step to {} s ended at {reached_s} s", t + step)))
                }
            }
        })
    }
}

/// Asks the importer for inputs inside the step and hands them to the slave as polynomials.
fn feed<M: Model>(shell: &mut Shell<M>, handle: &Handle<M>, t: f64, step: f64) -> Result<(), Failure> {
    let (inside, slave) = (&handle.inside, &mut shell.instance);
    // A step that is refused is refused without questions.
    let is_sound = slave.phase() == Phase::StepComplete && step > 0.0 && (t + step).is_finite();
    if !inside.asks() || !is_sound {
        return Ok(());
    }
    // Polynomials of the last step end with it.
    let locals = inside.locals.as_slice();
    let mut present = vec![0.0; locals.len()];
    slave.get_real(locals, &mut present)?;
    if slave.memory().inputs.degree() > 0 {
        slave.set_real(locals, &present)?;
    }
    inside.begin(&present);
    // Each set of nodes holds the one before: only what is new is asked for.
    let mut asked: Vec<Option<Vec<f64>>> = vec![None; FINEST + 1];
    let mut fits = Vec::new();
    for n in SETS {
        let at = |i: usize| i * FINEST / n;
        for i in (0..=n).map(at) {
            let time_s = if i == FINEST { t + step } else { t + step * node(i) };
            asked[i].get_or_insert_with(|| inside.ask(time_s));
        }
        let values = |input: usize| {
            let of_node = |i: usize| asked[at(i)].as_ref().map_or(0.0, |values| values[input]);
            (0..=n).map(of_node).collect::<Vec<f64>>()
        };
        fits = (0..locals.len()).map(|input| fitted(&values(input))).collect();
        if fits.iter().all(|(_, is_resolved)| *is_resolved) {
            break;
        }
    }
    // Held inputs that have not changed are left as they are.
    let starts: Vec<f64> = fits.iter().map(|(powers, _)| powers[0]).collect();
    if starts != present {
        slave.set_real(locals, &starts)?;
    }
    // u⁽ʲ⁾ = j! a_j / Hʲ.
    let (mut references, mut orders, mut derivatives) = (Vec::new(), Vec::new(), Vec::new());
    for (local, (powers, _)) in locals.iter().zip(&fits) {
        let mut scale = 1.0;
        for (order, power) in (1..).zip(&powers[1..]) {
            scale *= f64::from(order) / step;
            references.push(*local);
            orders.push(order);
            derivatives.push(scale * power);
        }
    }
    if !references.is_empty() {
        slave.set_real_input_derivatives(&references, &orders, &derivatives)?;
    }
    Ok(())
}
