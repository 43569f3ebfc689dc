//! The declaration and the page of a multibody model.

use std::marker::PhantomData;

use macrostep_description::{Declared, DependencyKind, ModelDescription, VariableId};
use macrostep_slave::Fault;

use super::{Layout, Multibody};
use crate::plants::Plant;
use crate::prelude::{builder, inputs, outputs, packed, vector};
use crate::tape::Tape;

/// Model and description.
pub(super) fn declare<P: Plant>() -> Result<(Multibody<P>, ModelDescription), Fault> {
    // What the plant declares beside its interface.
    let (own_reals, own_integers, own_outputs) = (P::reals(), P::integers(), P::outputs());
    let layout =
        Layout { r: P::INTERFACE.len(), reals: own_reals.len(), integers: own_integers.len(), own: own_outputs.len() };
    let tape = Tape::new(&*system::<P>(&own_reals, &own_integers)?, layout.dense() - layout.outputs());

    let mut b = builder(P::IDENTIFIER, P::ABOUT, false, true);
    let (step_s, stop_s) = P::EXPERIMENT;
    b.experiment(0.0, stop_s, step_s);
    b.annotate("stepMultipleOf", "communication_step");
    b.log_category("logStatusWarning", "A communication step that ends between two steps of the method");
    // Parameters: all of them are known at the start.
    let about = format!(
        "step H of the method, that W and b are for; communication steps that are no multiple of it see outputs between two of its \
         points; 0 takes the first communication step, until which W and b are those for {step_s} s"
    );
    let step = Declared::parameter("communication_step", 0.0).unit("s").range(0.0, 1.0).about(&about);
    let mut knowns: Vec<VariableId> = vec![b.add(step)];
    knowns.extend(own_reals.into_iter().map(|p| b.add(p)));
    knowns.extend(own_integers.into_iter().map(|p| b.add(p)));
    let about =
        "take the active set of W and b from the step to come, solved with the last forces, instead of the last step";
    knowns.push(b.add(Declared::parameter("look_ahead", false).about(about)));
    // Interface forces.
    let forces: Vec<VariableId> = (0..layout.r)
        .flat_map(|i| {
            inputs(
                &mut b,
                &[format!("lam_i[{}]", i + 1)],
                P::START_N[i],
                ("N", "interface force λ_i, held over a step"),
            )
        })
        .collect();
    knowns.extend(&forces);
    // Outputs; the speeds come right after the positions, and these after all knowns.
    declare_state::<P>(&mut b, &knowns, own_outputs);
    let speeds: Vec<VariableId> = (0..layout.r).map(|i| VariableId(knowns.len() + layout.r + i)).collect();
    declare_model(&mut b, layout.r, (&knowns, &forces, &speeds));

    let description = b.finish().map_err(|e| Fault::Declaration(e.to_string()))?;
    Ok((
        Multibody {
            layout,
            tape,
            cache: None,
            scratch: Default::default(),
            remark: Default::default(),
            plant: PhantomData,
        },
        description,
    ))
}

/// The system with the start values of all parameters.
fn system<P: Plant>(
    reals: &[Declared],
    integers: &[Declared],
) -> Result<std::sync::Arc<macrostep_multibody::System>, Fault> {
    use macrostep_description::Value;
    let reals: Vec<f64> = reals.iter().filter_map(|p| p.start().and_then(Value::as_real)).collect();
    let integer = |p: &Declared| if let Some(Value::Integer(x)) = p.start() { Some(*x) } else { None };
    let integers: Vec<i32> = integers.iter().filter_map(integer).collect();
    P::system(&reals, &integers).map_err(|e| Fault::Declaration(e.to_string()))
}

/// Motion, energies and statistics of the last step.
fn declare_state<P: Plant>(
    b: &mut macrostep_description::Builder,
    knowns: &[VariableId],
    own: Vec<(String, &'static str, String)>,
) {
    let r = P::INTERFACE.len();
    let at = |i: usize, what: &str| format!("{what} of interface coordinate {}: {}", i + 1, P::INTERFACE[i]);
    // Position and speed of the interface, now and after the last step.
    for (i, name) in vector("s", r).into_iter().enumerate() {
        outputs(b, &[name], ("m", &at(i, "value")), knowns);
    }
    for (i, name) in vector("w", r).into_iter().enumerate() {
        outputs(b, &[name], ("m/s", &at(i, "speed")), knowns);
    }
    outputs(
        b,
        &vector("lam_hold", r),
        ("N", "interface force that holds the system at its start, W λ + b = 0"),
        knowns,
    );
    for (i, name) in vector("w_step", r).into_iter().enumerate() {
        let about = at(i, "speed after the last step in the directions of its start, what w + H (W λ + b) predicts");
        outputs(b, &[name], ("m/s", &about), knowns);
    }
    // Energies, work and how well the constraints hold.
    let common = [
        ("e_kin", "J", "kinetic energy"),
        ("e_pot", "J", "potential energy of gravity, 0 at the world origin"),
        ("e_spring", "J", "energy in springs"),
        ("interface_work", "J", "work of the interface forces since the start"),
        ("motor_work", "J", "work of motors and brakes since the start"),
        ("constraint_work", "J", "work of contacts, friction, stops and joints since the start"),
        ("violation", "m", "largest joint violation of the rows that are lengths"),
        ("violation_angle", "rad", "largest joint violation of the rows that are angles"),
        ("solver_residual", "", "natural residual of the last step over all rows"),
        ("contact_force", "N", "sum of the normal forces of all contacts in the last step"),
    ];
    for (name, unit, about) in common {
        outputs(b, &[name.to_owned()], (unit, about), knowns);
    }
    for (name, unit, about) in own {
        outputs(b, &[name], (unit, &about), knowns);
    }
    // What the solver has done, as integers.
    let counts = [
        ("contacts", "contact points that pressed in the last step"),
        ("contact_points", "contact points that were touching or near in the last step"),
        ("solver_pivots", "pivots of the complementarity solver in the last step"),
        ("step_active_count", "bounded rows with the force inside its bounds in the last step"),
        ("step_active_hash", "hash of the active and tight rows of the last step"),
        ("active_count", "bounded rows in the active set of W and b"),
        ("active_hash", "hash of the set of W and b: equal to `step_active_hash` after the step where the set held"),
    ];
    for (name, about) in counts {
        b.add(Declared::discrete_output(name, 0).about(about).depends(&[]).initially(knowns));
    }
    // W may be singular.
    let about = "whether W is regular, so that `mass_eff` and `force_eff` exist";
    b.add(Declared::discrete_output("regular", false).about(about).depends(&[]).initially(knowns));
}

/// The interface model.
fn declare_model(
    b: &mut macrostep_description::Builder,
    r: usize,
    (knowns, forces, speeds): (&[VariableId], &[VariableId], &[VariableId]),
) {
    let on_forces: Vec<_> = forces.iter().map(|f| (*f, DependencyKind::Dependent)).collect();
    for (i, w) in speeds.iter().enumerate() {
        let declared = Declared::output(&format!("der(w[{}])", i + 1)).unit("m/s2").about("W λ_i + b");
        b.add(declared.depends(&on_forces).initially(knowns).state_derivative_of(*w));
    }
    let mut add = |names: Vec<String>, look| {
        outputs(b, &names, look, knowns);
    };
    add(packed("W", r), ("1/kg", "mobility of the interface in the next step"));
    add(vector("b", r), ("m/s2", "acceleration of the interface without forces in the next step"));
    add(packed("mass_eff", r), ("kg", "effective mass, the inverse of W; 0 where there is none"));
    add(vector("force_eff", r), ("N", "effective force, the inverse of W times b; 0 where there is none"));
}

/// The equations as the body of an HTML page.
#[cfg(feature = "list")]
pub(crate) fn page<P: Plant>() -> String {
    let mut rows = String::new();
    for (i, what) in P::INTERFACE.iter().enumerate() {
        rows.push_str(&format!("<li>{}: {what}</li>\n", i + 1));
    }
    format!(
        "<h2>Equations</h2>\n<pre>M v+ - A^T z = M v + H (f_a - c + D^T lam_i)\n\
         w_bar = A v+ + C z + phi/H,   H lo &lt;= z &lt;= H hi, complementary to w_bar\n\
         q+ = q + H v+,   w = D v,   der(w) = W lam_i + b</pre>\n\
         <p>While the active set holds, w after a step is w + H (W lam_i + b) to rounding. W and b hold for the next step \
         of length H: <code>communication_step</code>, or the first communication step where that is 0 (the recommended step where it is not \
         between 1e-6 s and 1 s).</p>\n\
         <p>Communication steps may have any length. The model makes whole steps H, up to the first point of its grid at or beyond the \
         end; a remainder below 1e-6 H is time and no step. Between two points real outputs are on the line through both values (error at \
         most an eighth of H squared times the second derivative), integers are those of the point before; W, b and what is made of them are \
         those of the next step H, and inputs count from it on. Steps that are multiples of H need none of this.</p>\n\
         <p>Interface coordinates:</p>\n<ul>\n{rows}</ul>\n\
         <p>Source: A. Peiret, F. Gonz&aacute;lez, J. K&ouml;vecses, M. Teichmann, Interface models in co-simulation of \
         nonsmooth systems.</p>\n"
    )
}
