//! Refuses options that have no effect with the others.

use super::*;

/// Options that say something about what is not there.
pub(super) fn check_meaning(arguments: &OscillatorArguments, options: &OscillatorOptions) -> Result<(), Failure> {
    // Options that need a fast side, a process, chosen steps or a start without forces.
    let coupling = format!("--coupling {}", typed(options.coupling));
    if let Some(fast) = arguments.fast.filter(|_| arguments.rate.over == 1) {
        let reason = "at rate 1 both sides have the same step";
        return Err(Failure::conflict(format!("--fast {}", typed(fast)), "--rate 1", reason));
    }
    if arguments.slaves.isolate && arguments.units == Units::Native {
        return Err(Failure::conflict("--isolate", "--units native", "native units have no process of their own"));
    }
    if let Some(tolerance) = arguments.control_tolerance.filter(|_| options.control == Control::Fixed) {
        let reason = "fixed steps have no tolerance";
        return Err(Failure::conflict(format!("--control-tolerance {tolerance}"), "--control fixed", reason));
    }
    if let Some(forces) = options.force.as_ref().filter(|_| options.start == Start::Exact) {
        let reason = "the exact solution before the start does not contain forces";
        return Err(Failure::conflict(format!("--force {}", forces.file.display()), "--start exact", reason));
    }
    // What the scheme itself cannot be.
    if let Err([one, other, why]) = options.scheme().check() {
        return Err(Failure::conflict(one, other, &why));
    }
    // The Gauss-Seidel variant is for integrated acceleration and for a side that comes second.
    let motion = options.predict.predicts_motion();
    let predict = format!("--predict {}", options.predict);
    if let Some(variant) = arguments.gs_variant {
        let variant = format!("--gs-variant {}", typed(variant));
        if options.predict.family != Family::Integrated {
            return Err(Failure::conflict(
                variant,
                predict,
                "this option is for integrated acceleration (ia0, ia1, …)",
            ));
        }
        if options.schedule == Schedule::Jacobi {
            return Err(Failure::conflict(
                variant,
                "--schedule jacobi",
                "with Jacobi no motion is known at the end of a step",
            ));
        }
    }
    // Derivatives by differences, where the velocity comes with the predicted motion.
    if arguments.derivative == Derivative::Numdiff && motion {
        let reason = "the velocity is already that of the predicted motion";
        return Err(Failure::conflict("--derivative numdiff", predict, reason));
    }
    // Late forces, where no force depends on an input.
    if arguments.sampling == Sampling::Lagged && !motion && !options.coupling.has_feed_through() {
        let reason = "no subsystem sends a force that depends on its input";
        return Err(Failure::conflict("--sampling lagged", coupling, reason));
    }
    // Nor does anything take a derivative where both sides send forces.
    if arguments.derivative == Derivative::Numdiff && options.coupling == Coupling::ForceForce {
        let reason = "no subsystem is driven by a displacement";
        return Err(Failure::conflict("--derivative numdiff", coupling, reason));
    }
    Ok(())
}
