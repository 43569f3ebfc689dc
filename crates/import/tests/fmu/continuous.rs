//! FMUs for model exchange: their equations integrated here, their events, and the way back.
//!
//! The FMUs are C without any code of ours (tests/kit/equations.c); what they should do is known in closed form.

use macrostep_import::fmu::{Face, Fmu, FmuOptions};
use macrostep_master::unit::{Outcome, Unit};

use crate::make::{archive, compiled, library_path};

/// References in it.
pub(super) const INPUT: u32 = 20;
const P: u32 = 21;
pub(super) const Q: u32 = 22;
pub(super) const R: u32 = 23;

/// Its description, for a model with so many states and indicators.
fn description(states: usize, indicators: usize, has_states: bool) -> String {
    let state = |i: usize| {
        format!(
            r#"<ScalarVariable name="z{i}" valueReference="{i}" causality="output" initial="exact"><Real start="0"/></ScalarVariable>"#
        )
    };
    let derivative = |i: usize| {
        let (reference, of) = (10 + i, i + 1);
        format!(
            r#"<ScalarVariable name="dz{i}" valueReference="{reference}"><Real derivative="{of}"/></ScalarVariable>"#
        )
    };
    let variables: String = (0..states).map(state).chain((0..states).map(derivative)).collect();
    let unknowns: String = (1..=states).map(|i| format!(r#"<Unknown index="{}"/>"#, states + i)).collect();
    // Only models with events declare a discrete variable.
    let is_discrete = if indicators > 0 { "discrete" } else { "continuous" };
    let events = match is_discrete {
        "discrete" => {
            r#"<ScalarVariable name="events" valueReference="0" variability="discrete" initial="calculated"><Integer/></ScalarVariable>"#
        }
        _ => "",
    };
    format!(
        r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="equations" guid="{{equations}}" numberOfEventIndicators="{indicators}">
  <ModelExchange modelIdentifier="slave" canGetAndSetFMUstate="{has_states}" canSerializeFMUstate="{has_states}"/>
  <ModelVariables>{variables}
    <ScalarVariable name="u" valueReference="20" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="p" valueReference="21" causality="parameter" variability="tunable"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="q" valueReference="22" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="r" valueReference="23" causality="parameter" variability="fixed"><Real start="0"/></ScalarVariable>
    {events}
  </ModelVariables>
  <ModelStructure><Derivatives>{unknowns}</Derivatives></ModelStructure>
</fmiModelDescription>"#
    )
}

/// The FMU of a model.
pub(super) fn fmu(model: &str, counts: (usize, usize), has_states: bool) -> Fmu {
    let more: &[&str] = if has_states { &["-DSTATES"] } else { &[] };
    fmu_with(model, counts, more)
}

/// The FMU of a model, compiled with more definitions.
pub(super) fn fmu_with(model: &str, (states, indicators): (usize, usize), more: &[&str]) -> Fmu {
    let model = format!("-DMODEL={model}");
    let defines = [&[model.as_str()], more].concat();
    let text = description(states, indicators, more.contains(&"-DSTATES"));
    let text = match more.contains(&"-DDIRECTIONAL") {
        true => text.replace("<ModelExchange", "<ModelExchange providesDirectionalDerivative=\"true\""),
        false => text,
    };
    let library = compiled("equations.c", &defines);
    Fmu::from_bytes("equations", &archive(&[("modelDescription.xml", text.as_bytes()), (&library_path(), &library)]))
        .expect("an FMU")
}

/// An instance with start values that is ready to step.
pub(super) fn ready(fmu: &Fmu, starts: &[(u32, f64)], tolerance: Option<f64>) -> Box<dyn Unit> {
    let mut unit = fmu.unit("one", &FmuOptions::default()).expect("an instance");
    unit.setup(0.0, None, tolerance).expect("set up");
    starts.iter().for_each(|(r, value)| unit.set_real(&[*r], &[*value]).expect("set"));
    unit.enter_initialization().expect("initialising");
    unit.exit_initialization().expect("initialised");
    unit
}

pub(super) fn get(unit: &mut dyn Unit, reference: u32) -> f64 {
    let mut value = [0.0];
    unit.get_real(&[reference], &mut value).expect("a value");
    value[0]
}

pub(super) fn step(unit: &mut dyn Unit, k: u32, h: f64) {
    assert_eq!(unit.step(f64::from(k) * h, h, false), Ok(Outcome::Done));
}

/// m ẍ + k x = u with u = (t/10)⁵ as a polynomial over each step of half a second: a particular solution and the oscillation, to rounding.
#[test]
fn inputs_are_polynomials_of_any_degree() {
    let fmu = fmu("MASS", (2, 0), false);
    assert_eq!((fmu.face(), fmu.faces().count()), (Face::ModelExchange, 1));
    let c = fmu.capabilities();
    assert!(c.can_interpolate_inputs && c.can_get_and_set_fmu_state && c.can_serialize_fmu_state);
    let mut unit = ready(&fmu, &[(0, 1.0), (Q, 4.0)], Some(1e-13));
    // u = t⁵/1e5: derivatives 5 t⁴, 20 t³, 60 t², 120 t, 120, over 1e5.
    let refs = [INPUT; 5];
    for k in 0..20 {
        let t = 0.5 * f64::from(k);
        unit.set_real(&[INPUT], &[t.powi(5) / 1e5]).expect("set");
        let d = [5.0 * t.powi(4), 20.0 * t.powi(3), 60.0 * t * t, 120.0 * t, 120.0].map(|x| x / 1e5);
        unit.set_input_derivatives(&refs, &[1, 2, 3, 4, 5], &d).expect("set");
        step(&mut *unit, k, 0.5);
    }
    // x_p = (t⁵ − 5 t³ + 7.5 t)/4e5 for ω² = 4, and x = x_p + cos 2t − (7.5/4e5)/2 sin 2t.
    let exact = |t: f64| (t.powi(5) - 5.0 * t.powi(3) + 7.5 * t) / 4e5 + (2.0 * t).cos() - 3.75 / 4e5 * (2.0 * t).sin();
    let error = (get(&mut *unit, 0) - exact(10.0)).abs();
    assert!(error < 2e-12, "{error:e}");
}

/// A ball that loses a fifth of its speed at each impact: times and heights of five impacts in steps of 0.3 s.
#[test]
fn a_ball_bounces_at_the_right_times() {
    let fmu = fmu("BALL", (2, 1), true);
    let mut unit = ready(&fmu, &[(0, 1.0), (Q, 0.8)], None);
    (0..10).for_each(|k| step(&mut *unit, k, 0.3));
    let g = 9.81;
    // Time of fall, then flights of 2 v/g with v falling by 0.8.
    let (mut t, mut v) = ((2.0f64 / g).sqrt(), 0.8 * (2.0 * g).sqrt());
    let mut impacts = 1;
    while t + 2.0 * v / g < 3.0 {
        (t, v, impacts) = (t + 2.0 * v / g, 0.8 * v, impacts + 1);
    }
    let s = 3.0 - t;
    let mut events = [0];
    unit.get_integer(&[0], &mut events).expect("a number");
    let error = (get(&mut *unit, 0) - (v * s - 0.5 * g * s * s)).abs();
    // An error of a time of impact is one of height, times the change of speed there.
    assert!(events == [impacts] && impacts >= 5 && error < 1e-12, "{events:?} {impacts} {error:e}");
}

/// With friction the time of the first impact solves an equation that has no closed form: Newton's method does.
#[test]
fn friction_moves_the_impact() {
    let fmu = fmu("BALL", (2, 1), true);
    let (r, g) = (0.7f64, 9.81);
    let mut unit = ready(&fmu, &[(0, 1.0), (Q, 0.8), (R, r)], Some(1e-13));
    step(&mut *unit, 0, 0.6);
    // h = 1 − g/r t + g/r² (1 − e^{−rt}), v = −g/r (1 − e^{−rt}).
    let fall = |t: f64| (1.0 - g / r * t + g / (r * r) * (1.0 - (-r * t).exp()), -g / r * (1.0 - (-r * t).exp()));
    let impact = (0..50).fold(0.45, |t, _| t - fall(t).0 / fall(t).1);
    let (v, s) = (-0.8 * fall(impact).1, 0.6 - impact);
    let e = 1.0 - (-r * s).exp();
    let height = -g / r * s + (v + g / r) / r * e;
    let error = (get(&mut *unit, 0) - height).abs();
    assert!(error < 1e-12, "{error:e}");
}

/// A relay with hysteresis: its period is 2 ln 3, whatever the steps.
#[test]
fn a_relay_switches_at_its_limits() {
    let fmu = fmu("RELAY", (1, 1), true);
    for (n, h) in [(7, 1.0), (700, 0.01)] {
        let mut unit = ready(&fmu, &[(0, 0.5)], Some(1e-12));
        (0..n).for_each(|k| step(&mut *unit, k, h));
        let period = 2.0 * 3f64.ln();
        let s = 7.0 % period;
        let exact = if s < period / 2.0 { 2.0 - 1.5 * (-s).exp() } else { 1.5 * (-(s - period / 2.0)).exp() };
        let error = (get(&mut *unit, 0) - exact).abs();
        assert!(error < 1e-11, "{n}: {error:e}");
    }
}

/// Time events each 0.1 s, which no step of the master is a multiple of: z is the sum of ticks.
#[test]
fn time_events_come_at_their_times() {
    let fmu = fmu("CLOCK", (1, 0), true);
    let mut unit = ready(&fmu, &[(0, 0.0)], None);
    (0..10).for_each(|k| step(&mut *unit, k, 0.123));
    // Ticks 1, 2, … hold from 0, 0.1, …: 12 whole ones, and a part of the 13th.
    let exact = (1..=12).map(|n| 0.1 * f64::from(n)).sum::<f64>() + 13.0 * (1.23 - 1.2);
    let error = (get(&mut *unit, 0) - exact).abs();
    assert!(error < 1e-12, "{error:e}");
}

/// Steps that are taken back are done again to the same bits, with events in them where the FMU can keep its discrete states; without, it says so.
#[test]
fn a_step_is_taken_back() {
    for has_states in [true, false] {
        let mut unit = ready(&fmu("BALL", (2, 1), has_states), &[(0, 1.0), (Q, 0.8)], None);
        step(&mut *unit, 0, 0.3);
        unit.save(0).expect("kept");
        // The second step has an impact in it.
        step(&mut *unit, 1, 0.3);
        let once = (get(&mut *unit, 0), get(&mut *unit, 1));
        let back = unit.restore(0);
        if !has_states {
            let error = back.expect_err("discrete states cannot be brought back").to_string();
            assert!(error.contains("an event since then") && error.contains("isolate"), "{error}");
            continue;
        }
        back.expect("back");
        step(&mut *unit, 1, 0.3);
        assert_eq!((get(&mut *unit, 0), get(&mut *unit, 1)), once);
    }
}

/// An input that was a line stays at its end, also after a step that is taken back.
#[test]
fn inputs_are_taken_back() {
    let mut unit = ready(&fmu("MASS", (2, 0), false), &[(0, 0.0), (Q, 0.0)], None);
    unit.set_real(&[INPUT], &[1.0]).expect("set");
    unit.set_input_derivatives(&[INPUT], &[1], &[-1.0]).expect("set");
    step(&mut *unit, 0, 1.0);
    unit.save(0).expect("kept");
    for _ in 0..2 {
        unit.set_real(&[INPUT], &[7.0]).expect("set");
        unit.restore(0).expect("back");
        step(&mut *unit, 1, 1.0);
        // v = ∫ (1 − t) dt over the first second, and stays from there.
        let speed = get(&mut *unit, 1);
        assert!((speed - 0.5).abs() < 1e-12, "{speed}");
    }
}

/// The next time event is taken back with the step that has passed it.
#[test]
fn time_events_are_taken_back() {
    let mut unit = ready(&fmu("CLOCK", (1, 0), true), &[(0, 0.0)], None);
    step(&mut *unit, 0, 0.07);
    unit.save(0).expect("kept");
    (1..4).for_each(|k| step(&mut *unit, k, 0.07));
    let once = get(&mut *unit, 0);
    unit.restore(0).expect("back");
    (1..4).for_each(|k| step(&mut *unit, k, 0.07));
    assert_eq!(get(&mut *unit, 0), once);
    assert!((once - (0.1 + 0.2 + 3.0 * 0.08)).abs() < 1e-12, "{once}");
}

/// A state in bytes goes on in another instance to the same bits, inputs included.
#[test]
fn a_state_goes_on_elsewhere() {
    for has_states in [true, false] {
        let fmu = fmu("MASS", (2, 0), has_states);
        let starts = [(0, 1.0), (Q, 4.0), (R, 0.5)];
        let mut unit = ready(&fmu, &starts, None);
        unit.set_real(&[INPUT], &[0.25]).expect("set");
        (0..3).for_each(|k| step(&mut *unit, k, 0.4));
        let bytes = unit.serialize().expect("bytes");
        let mut other = ready(&fmu, &starts, None);
        assert!(other.deserialize(&bytes[..bytes.len() - 8]).is_err(), "bytes that are cut");
        other.deserialize(&bytes).expect("the same state");
        (3..6).for_each(|k| [&mut unit, &mut other].into_iter().for_each(|unit| step(&mut **unit, k, 0.4)));
        assert_eq!(get(&mut *unit, 0), get(&mut *other, 0));
        // After a reset it is as new.
        unit.reset().expect("reset");
        unit.setup(0.0, None, None).expect("set up");
        starts.iter().for_each(|(r, value)| unit.set_real(&[*r], &[*value]).expect("set"));
        unit.enter_initialization().expect("initialising");
        unit.exit_initialization().expect("initialised");
        let mut fresh = ready(&fmu, &starts, None);
        [&mut unit, &mut fresh].into_iter().for_each(|unit| step(&mut **unit, 0, 0.4));
        assert_eq!(get(&mut *unit, 0), get(&mut *fresh, 0));
    }
}

/// An input whose jump or whose course inside a step changes a sign is an event at the right time.
#[test]
fn inputs_make_events() {
    let mut unit = ready(&fmu("RAMP", (1, 1), true), &[(0, 0.0)], None);
    let mut events = [0; 4];
    let mut count = |unit: &mut dyn Unit, k: usize| {
        let mut now = [0];
        unit.get_integer(&[0], &mut now).expect("a number");
        events[k] = now[0];
    };
    count(&mut *unit, 0);
    // A jump beyond the limit, a line back below it, a value that stays.
    unit.set_real(&[INPUT], &[1.0]).expect("set");
    step(&mut *unit, 0, 1.0);
    count(&mut *unit, 1);
    unit.set_input_derivatives(&[INPUT], &[1], &[-1.0]).expect("set");
    step(&mut *unit, 1, 1.0);
    count(&mut *unit, 2);
    step(&mut *unit, 2, 1.0);
    count(&mut *unit, 3);
    assert_eq!([1, 2, 3].map(|k| events[k] - events[k - 1]), [1, 1, 0]);
    // ∫ u: 1 + 1/2 + 0.
    assert!((get(&mut *unit, 0) - 1.5).abs() < 1e-12);
}

/// A parameter that is tunable is set in event mode.
#[test]
fn parameters_are_tuned() {
    let mut unit = ready(&fmu("MASS", (2, 0), false), &[(0, 1.0), (Q, 0.0)], None);
    unit.set_real(&[INPUT], &[1.0]).expect("set");
    step(&mut *unit, 0, 1.0);
    unit.set_real(&[P], &[2.0]).expect("set");
    step(&mut *unit, 1, 1.0);
    // v = 1 after a second with mass 1, and 1.5 after another one with mass 2.
    assert!((get(&mut *unit, 1) - 1.5).abs() < 1e-12);
}

/// Van der Pol with μ = 1000 and Robertson's reaction: stiff, and within the tolerance.
#[test]
fn stiff_equations_are_integrated() {
    let mut calls = [[0]; 2];
    for (more, calls) in [&[][..], &["-DDIRECTIONAL"]].into_iter().zip(&mut calls) {
        let mut unit = ready(&fmu_with("VANDERPOL", (2, 0), more), &[(0, 2.0)], Some(1e-8));
        (0..4).for_each(|k| step(&mut *unit, k, 0.5));
        // Hairer and Wanner's test set, t = 2.
        let error = (get(&mut *unit, 0) - 1.706_167_732_170_469).abs();
        assert!(error < 1e-6, "{error:e}");
        unit.get_integer(&[1], calls).expect("a number");
    }
    // Derivatives of the equations save the calls that differences take.
    assert!(calls[1] < calls[0], "{calls:?}");
    let mut unit = ready(&fmu("ROBERTSON", (3, 0), false), &[(0, 1.0)], Some(1e-9));
    (0..4).for_each(|k| step(&mut *unit, k, 10.0));
    let exact = [0.715_827_068_719_31, 9.185_534_765_577e-6, 0.284_163_745_746_2];
    let error = (0..3).map(|i| (get(&mut *unit, i) / exact[i as usize] - 1.0).abs()).fold(0.0, f64::max);
    assert!(error < 1e-6, "{error:e}");
}

/// What cannot be integrated ends with one error that has the time, and does not hang.
#[test]
fn what_cannot_be_integrated_says_when() {
    let mut unit = ready(&fmu("BROKEN", (1, 0), false), &[(0, 0.0)], None);
    let error = unit.step(0.0, 1.0, true).expect_err("NaN").to_string();
    assert!(error.contains("not finite from t = 0.5") || error.contains("not finite from t = 0.49999"), "{error}");
    let mut unit = ready(&fmu("CHATTER", (1, 1), true), &[(0, 0.3)], None);
    let error = unit.step(0.0, 1.0, true).expect_err("it chatters").to_string();
    assert!(error.contains("events in one macro step") && error.contains("0.3"), "{error}");
}

/// A face that an FMU does not have is refused, and so is a library that has none of the functions.
#[test]
fn faces_that_are_not_there_are_refused() {
    let error = fmu("MASS", (2, 0), false).by_face(Some(Face::CoSimulation)).expect_err("no steps").to_string();
    assert!(error.contains("found an FMU for model-exchange alone"), "{error}");
    let bytes = archive(&[
        ("modelDescription.xml", description(2, 0, false).as_bytes()),
        (&library_path(), &compiled("slave.c", &[])),
    ]);
    let steps = Fmu::from_bytes("steps", &bytes).expect("a description").unit("one", &FmuOptions::default());
    let error = steps.map(|_| ()).expect_err("no equations").to_string();
    assert!(error.contains("fmi2GetDerivatives"), "{error}");
}

/// An FMU that wants the run to end when a parameter is set between two steps: the next step ends where it begins, and so it does after the way back.
#[test]
fn an_end_between_steps_is_heard() {
    let fmu = fmu("RAMP", (1, 1), true);
    let mut unit = ready(&fmu, &[], None);
    step(&mut *unit, 0, 0.5);
    unit.save(0).expect("saved");
    unit.set_real(&[P], &[6.0]).expect("set");
    let ended = Ok(Outcome::Discarded { reached_s: 0.5, terminated: true });
    unit.save(1).expect("saved");
    assert_eq!(unit.step(0.5, 0.5, false), ended);
    // Before it was set, there is no end.
    unit.restore(0).expect("restored");
    step(&mut *unit, 1, 0.5);
    unit.restore(1).expect("restored");
    assert_eq!(unit.step(0.5, 0.5, false), ended);
}
