//! Steps, with inputs inside them.

use macrostep_fmi3::*;
use macrostep_slave::{Model, Outcome, Phase, Slave};

use super::handle::{Handle, enter_quickly};
use super::nodes::{FINEST, Fitted, SETS, fitted, node};
use crate::pointers::place;
use crate::shell::{Failure, Shell};

/// Part of a slave's own step that a step of the importer may be longer by rounding.
const WHOLE: f64 = 1e-9;

/// Steps of a slave's own that are counted in one step of the importer; more are one part.
const COUNT_MAX: f64 = 1e15;

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
        enter_quickly::<M>(instance, "fmi3DoStep", |shell, handle| {
            // Where the answers go is known before anything is done.
            let event_needed = place("eventHandlingNeeded", to.event_needed)?;
            let terminate = place("terminateSimulation", to.terminate)?;
            let (early, last_time) = (place("earlyReturn", to.early)?, place("lastSuccessfulTime", to.last_time)?);
            (*event_needed, *terminate, *early, *last_time) = (FALSE, FALSE, FALSE, shell.instance.time_s());
            let outcome = go(shell, handle, (t, step), keep != FALSE);
            *last_time = shell.instance.time_s();
            match outcome? {
                Outcome::Done => Ok(()),
                Outcome::Discarded { reached_s, terminated } => {
                    *terminate = Boolean::from(terminated);
                    Err(Failure::Discarded(format!("step to {} s ended at {reached_s} s", t + step)))
                }
            }
        })
    }
}

/// A step, in parts of whole steps of the slave's own where an input is no polynomial over all of it. Only the parts with a kink, or with many waves, are
/// halved.
fn go<M: Model>(
    shell: &mut Shell<M>,
    handle: &Handle<M>,
    (t, step): (f64, f64),
    keep: bool,
) -> Result<Outcome, Failure> {
    let own_s = shell.instance.own_step_s().filter(|own_s| *own_s > 0.0 && handle.inside.asks());
    // So many steps of its own, the last one cut off where they do not fill the step.
    let count = own_s.map_or(1, |own_s| (step / own_s - WHOLE).ceil().clamp(1.0, COUNT_MAX) as u64);
    let at = |k: u64| if k == count { t + step } else { t + k as f64 * own_s.unwrap_or(step) };
    let mut parts = vec![(0, count)];
    while let Some((from, to)) = parts.pop() {
        let (start, length) = if to - from == count { (t, step) } else { (at(from), at(to) - at(from)) };
        let is_divisible = to - from > 1;
        let is_rough = feed(shell, handle, Part { start, length, end: at(to), is_divisible })?;
        if is_rough && is_divisible {
            let middle = from + (to - from) / 2;
            parts.extend([(middle, to), (from, middle)]);
            continue;
        }
        match shell.instance.do_step(start, length, keep)? {
            Outcome::Done => {}
            ended @ Outcome::Discarded { .. } => return Ok(ended),
        }
    }
    Ok(Outcome::Done)
}

/// Part of a step, in s.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: f64,
    length: f64,
    /// The sum of both, as the end of the step is reckoned.
    end: f64,
    is_divisible: bool,
}

/// Asks the importer for inputs inside a part of the step and hands them to the slave as polynomials. Whether one of them is no polynomial there:
/// nothing is handed over then, where the part can be divided.
fn feed<M: Model>(shell: &mut Shell<M>, handle: &Handle<M>, part: Part) -> Result<bool, Failure> {
    let Part { start: t, length: step, end, is_divisible } = part;
    let (inside, slave) = (&handle.inside, &mut shell.instance);
    // A step that is refused is refused without questions.
    let is_sound = slave.phase() == Phase::StepComplete && step > 0.0 && end.is_finite();
    if !inside.asks() || !is_sound {
        return Ok(false);
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
            let time_s = if i == FINEST { end } else { t + step * node(i) };
            asked[i].get_or_insert_with(|| inside.ask(time_s));
        }
        let values = |input: usize| {
            let of_node = |i: usize| asked[at(i)].as_ref().map_or(0.0, |values| values[input]);
            (0..=n).map(of_node).collect::<Vec<f64>>()
        };
        fits = (0..locals.len()).map(|input| fitted(&values(input))).collect();
        if fits.iter().all(Fitted::is_resolved) {
            break;
        }
    }
    let is_rough = fits.iter().any(Fitted::is_rough);
    if is_rough && is_divisible {
        return Ok(true);
    }
    // Held inputs that have not changed are left as they are.
    let starts: Vec<f64> = fits.iter().map(|fit| fit.powers[0]).collect();
    if starts != present {
        slave.set_real(locals, &starts)?;
    }
    // u⁽ʲ⁾ = j! a_j / Hʲ.
    let (mut references, mut orders, mut derivatives) = (Vec::new(), Vec::new(), Vec::new());
    for (local, Fitted { powers, .. }) in locals.iter().zip(&fits) {
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
    Ok(is_rough)
}
