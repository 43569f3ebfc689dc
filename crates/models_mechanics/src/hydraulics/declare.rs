//! The declaration and the page of a hydraulic model.

use std::marker::PhantomData;

use macrostep_description::{Declared, DependencyKind, ModelDescription, VariableId};
use macrostep_slave::Fault;

use super::{Hydraulics, Layout};
use crate::circuits::Drive;
use crate::prelude::{builder, inputs, outputs, packed, vector};

/// Model and description.
pub(super) fn declare<D: Drive>() -> Result<(Hydraulics<D>, ModelDescription), Fault> {
    // The experiment, and the choice of predictions.
    let own = D::reals();
    let (r, layout) = (D::START_N.len(), Layout { r: D::START_N.len(), reals: own.len() });
    let mut b = builder(D::IDENTIFIER, D::ABOUT, true, false);
    let (step_s, stop_s) = D::EXPERIMENT;
    b.experiment(0.0, stop_s, step_s);
    b.annotate("stepMultipleOf", "micro_step");
    let items = [
        ("hold", "the last value"),
        ("linear", "the line through the last two values"),
        ("interface_model", "integrated from W and b together with the forces"),
    ];
    b.enumeration("Prediction", "Where the interface speed within a step comes from", &items);

    // Parameters.
    let about = "micro step h_f; steps that are no multiple get slightly shorter ones";
    b.add(Declared::parameter("micro_step", 2e-4).unit("s").range(1e-7, 0.1).about(about));
    let mut knowns: Vec<VariableId> = own.into_iter().map(|p| b.add(p)).collect();
    let about = "force at the start, by which the pressures are set";
    for (name, start) in vector("lam_start", r).iter().zip(D::START_N) {
        knowns.push(b.add(Declared::parameter(name, *start).unit("N").about(about)));
    }
    let prediction = Declared::parameter("prediction", 3).of_type("Prediction").bounds(1, 3);
    b.add(prediction.about("where the interface speed within a step comes from"));

    // Inputs; at the start outputs follow speeds and positions.
    let speeds = inputs(&mut b, &vector("w0", r), 0.0, ("m/s", "interface speed at the step's start"));
    let positions = inputs(&mut b, &vector("s0", r), 0.0, ("m", "interface position at the step's start"));
    inputs(&mut b, &packed("W", r), 0.0, ("1/kg", "mobility of the interface, held in the step"));
    inputs(&mut b, &vector("b", r), 0.0, ("m/s2", "acceleration of the interface without forces, held in the step"));
    knowns.extend(speeds.iter().chain(&positions));

    // Outputs: those of the last step, the force of now, and the states.
    let mut add = |names: Vec<String>, look| {
        outputs(&mut b, &names, look, &knowns);
    };
    add(vector("lam_mean", r), ("N", "mean force over the last step: keeps the impulse"));
    add(vector("lam_end", r), ("N", "force at the end of the last step, with the predicted speed"));
    add(vector("w_pred", r), ("m/s", "predicted speed at the end of the last step"));
    add(vector("s_pred", r), ("m", "predicted position at the end of the last step"));
    // The force of now is the only output that follows an input at once.
    for (i, name) in vector("lam", r).into_iter().enumerate() {
        let declared = Declared::output(&name).unit("N").about("force at the present state with the speed `w0`");
        b.add(declared.depends(&[(speeds[i], DependencyKind::Constant)]).initially(&knowns));
    }
    let mut add = |names: Vec<String>, look| {
        outputs(&mut b, &names, look, &knowns);
    };
    // States, and what the controller and the balance of work say.
    let pressures = (1..=r).flat_map(|i| [format!("p[{i},1]"), format!("p[{i},2]")]).collect();
    add(pressures, ("Pa", "pressure of the bore side (1) and the rod side (2)"));
    add(vector("spool", r), ("", "spool position, -1 to 1"));
    add(vector("s_des", r), ("m", "desired position"));
    add(vec!["work".to_owned()], ("J", "work of the forces on the predicted motion since the start"));
    let description = b.finish().map_err(|e| Fault::Declaration(e.to_string()))?;
    Ok((Hydraulics { layout, cache: None, scratch: super::Scratch::default(), drive: PhantomData }, description))
}

/// The equations as the body of an HTML page.
#[cfg(feature = "list")]
pub(crate) fn page() -> String {
    "<h2>Equations</h2>\n<pre>lam = A1 p1 - A2 p2 - b_f w\n\
     p1' = beta/(V1 + A1 s) (Q1 - A1 w - c_l (p1 - p2))\n\
     p2' = beta/(V2 + A2 (S - s)) (Q2 + A2 w + c_l (p1 - p2))\n\
     x &gt; 0: Q1 = Kv x q(p_P - p1),  Q2 = -Kv x q(p2 - p_T)\n\
     x &lt; 0: Q1 = Kv x q(p1 - p_T),  Q2 = -Kv x q(p_P - p2)\n\
     x' = (u - x)/tau,   u = sat(k_s (s_des - s) + k_v (v_des - w)),   s_des' = v_des\n\
     q(d) = d/(d^2 + dp0^2)^(1/4)</pre>\n\
     <p>A chamber does not fall below the vapour pressure: a cavity opens, and the pressure rises again when it is filled. \
     Above its opening pressure the relief valve of each side lets relief_gain (p - relief_pressure) out to the tank.</p>\n\
     <p>Within a step the speed follows the parameter <code>prediction</code>; with the interface model it is integrated \
     in micro steps, w = w + h_f (W lam + b), each force read before its micro step.</p>\n\
     <p>Handing back <code>lam_mean</code> keeps the impulse; then <code>w_pred</code> is the speed the multibody system will \
     have, as long as its active set holds.</p>\n"
        .to_owned()
}
