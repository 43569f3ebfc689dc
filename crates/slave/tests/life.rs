//! Times of steps, inputs as polynomials from step to step, when computed variables are evaluated, and what a model keeps elsewhere.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use std::path::Path;

use macrostep_description::{Builder, CoSimulation, Declared, ModelDescription};
use macrostep_slave::{Fault, Group, Instance, Memory, Model, Outcome, Phase, Shape, Slave, Snapshot, Span, Tangent};

/// ż = u, with the integral also in the model itself; one computed variable of each group shows z, and how often each group was
/// evaluated is counted. A step beyond t = 10 s is discarded there.
struct Counting {
    own: f64,
}

const GAIN: u32 = 0;
const U: u32 = 1;
const W: u32 = 2;
const CHEAP: u32 = 3;
const COSTLY: u32 = 4;
const RATE: u32 = 5;

impl Model for Counting {
    fn declare(_: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        let mut b = Builder::new("counting", "Counts evaluations");
        b.capabilities(CoSimulation {
            can_interpolate_inputs: true,
            max_output_derivative_order: 2,
            ..CoSimulation::default()
        });
        b.add(Declared::parameter("gain", 1.0).tunable().range(-1.0, 2.0));
        b.add(Declared::input("u", 1.0));
        b.add(Declared::input("w", 0.0));
        for name in ["cheap", "costly", "rate"] {
            b.add(Declared::output(name).depends(&[]).initially(&[]));
        }
        b.add(Declared::parameter("level", 2).bounds(1, 3));
        let description = b.finish().map_err(|e| Fault::Declaration(e.to_string()))?;
        Ok((Counting { own: 0.0 }, description))
    }

    fn shape(&self) -> Shape {
        Shape { hidden_reals: 1, hidden_integers: 3 }
    }

    fn group(&self, variable: &macrostep_description::Variable) -> Group {
        match variable.value_reference {
            COSTLY => Group::Dense,
            RATE => Group::Rates,
            _ => Group::Outputs,
        }
    }

    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        let h = span.step_s;
        // Simpson's rule, exact for polynomials up to the third degree.
        let [a, b, c] = [0.0, 0.5 * h, h].map(|tau| memory.last_inputs.value(0, tau));
        memory.hidden_reals[0] += (a + 4.0 * b + c) * h / 6.0;
        self.own = memory.hidden_reals[0];
        let is_beyond = span.start_s + h > 10.0;
        Ok(if is_beyond { Outcome::Discarded { reached_s: 10.0, terminated: false } } else { Outcome::Done })
    }

    fn evaluate(&mut self, memory: &mut Memory, group: Group) -> Result<(), Fault> {
        memory.hidden_integers[group as usize] += 1;
        memory.reals[CHEAP as usize + group as usize] = memory.hidden_reals[0];
        if memory.reals[GAIN as usize] < 0.0 {
            return Err(Fault::Model { t_s: memory.time_s, message: "a negative gain".into() });
        }
        Ok(())
    }

    fn keep_state(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        memory.kept = self.own.to_le_bytes().to_vec();
        Ok(())
    }

    fn recall_state(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        self.own = memory.kept.as_slice().try_into().map_or(0.0, f64::from_le_bytes);
        Ok(())
    }

    fn messages(&mut self) -> Vec<macrostep_slave::Message> {
        let text = format!("the integral is {}", self.own);
        vec![macrostep_slave::Message { topic: macrostep_slave::Topic::Event, text }]
    }

    fn directional_derivative(&mut self, _: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        of.d_unknown.fill(0.0);
        Ok(())
    }
}

fn fresh() -> Instance<Counting> {
    Instance::new("counting", None).unwrap()
}

fn ready(start_s: f64, stop_s: Option<f64>) -> Instance<Counting> {
    let mut s = fresh();
    s.setup_experiment(start_s, stop_s, None).unwrap();
    s.enter_initialization().unwrap();
    s.exit_initialization().unwrap();
    s
}

fn real(s: &mut Instance<Counting>, reference: u32) -> f64 {
    let mut value = [f64::NAN];
    s.get_real(&[reference], &mut value).unwrap();
    value[0]
}

/// The message of a refused step.
fn refused(s: &mut Instance<Counting>, t_s: f64, step_s: f64) -> String {
    match s.do_step(t_s, step_s, true) {
        Err(fault @ Fault::Time { .. }) => fault.to_string(),
        other => panic!("{t_s} {step_s}: {other:?}"),
    }
}

/// A master's time may differ from the slave's by a millionth of the step, and by 1e-12 of the time itself.
#[test]
fn times_may_differ_by_rounding() {
    for (off, is_fine) in [(0.9e-7, true), (-0.9e-7, true), (1.1e-7, false), (-1.1e-7, false)] {
        assert_eq!(ready(0.0, None).do_step(off, 0.1, true).is_ok(), is_fine, "{off}");
        // The end of the step and the stop time.
        assert_eq!(ready(0.0, Some(0.1)).do_step(0.0, 0.1 + off, true).is_ok(), is_fine || off < 0.0, "{off}");
    }
    for start_s in [1e9, -1e9] {
        for (off, is_fine) in [(0.9e-3, true), (1.1e-3, false)] {
            let done = ready(start_s, None).do_step(start_s + off, 1e-3, true);
            // Beyond t = 10 s the step is discarded, which is no refusal.
            assert_eq!(done.is_ok(), is_fine, "{start_s} {off}");
        }
    }
    // The time is the master's from there on, and not a sum of its own.
    let mut s = ready(0.0, None);
    s.do_step(0.5e-7, 0.1, true).unwrap();
    assert_eq!(s.time_s(), 0.5e-7 + 0.1);
}

/// With its value, and what would have been right.
#[test]
fn a_refused_time_is_named() {
    let mut s = ready(1.0, Some(2.0));
    for (t_s, step_s, what) in [
        (1.0, 0.0, "communicationStepSize = 0 s found, expected a finite number above 0"),
        (1.0, f64::INFINITY, "communicationStepSize = inf s found, expected a finite number above 0"),
        (1.25, 0.5, "currentCommunicationPoint = 1.25 s found, expected 1 s"),
        (0.75, 0.5, "currentCommunicationPoint = 0.75 s found, expected 1 s"),
        (f64::NAN, 0.5, "currentCommunicationPoint = NaN s found, expected 1 s"),
        (1.0, 1.5, "end of the step = 2.5 s found, expected at most the stop time 2 s"),
        (1.0, 1e-17, "communicationStepSize = 0.00000000000000001 s found, expected enough to change the time 1 s"),
    ] {
        let found = refused(&mut s, t_s, step_s);
        assert!(found.contains(what), "{found}");
    }
    s.do_step(1.0, 1.0, true).unwrap();
    let found = refused(&mut ready(3.0, Some(3.25)), 3.0, 0.5);
    assert!(found.contains("end of the step = 3.5 s found, expected at most the stop time 3.25 s"), "{found}");
    // An experiment that ends where it starts is one; one that ends before is none, and nor is one that never starts.
    let mut s = fresh();
    for (start_s, stop_s, tolerance, what) in [
        (f64::INFINITY, None, None, "startTime = inf"),
        (3.0, Some(2.5), None, "stopTime = 2.5 s found, expected a finite number from 3 s on"),
        (3.0, Some(f64::INFINITY), None, "stopTime = inf"),
        (3.0, None, Some(-1.0), "tolerance = -1 s found, expected a positive number"),
        (3.0, None, Some(f64::INFINITY), "tolerance = inf"),
    ] {
        let found = s.setup_experiment(start_s, stop_s, tolerance).unwrap_err().to_string();
        assert!(found.contains(what) && s.time_s() == 0.0, "{found}");
    }
    s.setup_experiment(3.0, Some(3.0), Some(1e-6)).unwrap();
    assert_eq!((s.time_s(), s.own_step_s()), (3.0, None));
}

/// An input that is not set goes on along its polynomial; the first Set after a step, of a value or a derivative, begins a new one.
#[test]
fn polynomials_of_inputs_go_on_until_they_are_set() {
    let mut s = ready(0.0, None);
    s.set_real_input_derivatives(&[U, W], &[1, 2], &[2.0, 6.0]).unwrap();
    // A value set after the derivatives leaves them, and so does a parameter.
    s.set_real(&[U, GAIN], &[3.0, 0.5]).unwrap();
    s.do_step(0.0, 0.5, true).unwrap();
    // z = 3 t + t²; u = 3 + 2 t and w = 3 t² at the end.
    assert_eq!([CHEAP, U, W].map(|v| real(&mut s, v)), [1.75, 4.0, 0.75]);
    s.do_step(0.5, 0.5, true).unwrap();
    assert_eq!([CHEAP, U, W].map(|v| real(&mut s, v)), [4.0, 5.0, 3.0]);
    // A constant again from here on; w goes on.
    s.set_real(&[U, GAIN], &[7.0, 1.0]).unwrap();
    s.do_step(1.0, 1.0, true).unwrap();
    assert_eq!([CHEAP, U, W].map(|v| real(&mut s, v)), [11.0, 7.0, 12.0]);
    // A second derivative alone: without the first and the value of before it, w = 12 + 2 τ².
    s.set_real_input_derivatives(&[W], &[2], &[4.0]).unwrap();
    s.do_step(2.0, 0.5, true).unwrap();
    assert_eq!([CHEAP, U, W].map(|v| real(&mut s, v)), [14.5, 7.0, 12.5]);
}

/// A part of a step was made: inputs stand where it ended.
#[test]
fn a_discarded_step_ends_where_it_says() {
    let mut s = ready(9.0, None);
    s.set_real_input_derivatives(&[U], &[1], &[2.0]).unwrap();
    s.do_step(9.0, 0.5, true).unwrap();
    let outcome = s.do_step(9.5, 2.0, true).unwrap();
    assert_eq!(outcome, Outcome::Discarded { reached_s: 10.0, terminated: false });
    assert_eq!((s.time_s(), real(&mut s, U), s.phase()), (10.0, 3.0, Phase::StepFailed));
    assert_eq!((s.last_successful_time_s(), s.wants_termination()), (Ok(10.0), Ok(false)));
}

/// Each group is evaluated when one of its variables is read after something has changed, and not again.
#[test]
fn computed_variables_are_evaluated_when_they_are_read() {
    let mut s = ready(0.0, None);
    let counts = |s: &Instance<Counting>| s.memory().hidden_integers.clone();
    assert_eq!((real(&mut s, U), counts(&s)), (1.0, vec![0, 0, 0]));
    assert_eq!((real(&mut s, COSTLY), counts(&s)), (0.0, vec![0, 1, 0]));
    assert_eq!((real(&mut s, COSTLY), counts(&s)), (0.0, vec![0, 1, 0]));
    let mut all = [f64::NAN; 3];
    s.get_real(&[RATE, CHEAP, COSTLY], &mut all).unwrap();
    assert_eq!(counts(&s), [1, 1, 1]);
    s.do_step(0.0, 2.0, true).unwrap();
    s.get_real(&[RATE, CHEAP, COSTLY], &mut all).unwrap();
    assert_eq!((all, counts(&s)), ([2.0; 3], vec![2, 2, 2]));
    // What was set decides about all of them, and so does the hidden state.
    s.set_real(&[GAIN], &[2.0]).unwrap();
    assert_eq!((real(&mut s, RATE), counts(&s)), (2.0, vec![2, 2, 3]));
    s.hidden_state()[0] = 5.0;
    assert_eq!((real(&mut s, CHEAP), real(&mut s, RATE), counts(&s)), (5.0, 5.0, vec![3, 2, 4]));
    // Group by group during initialisation as well, where the hidden state is made anew at each read.
    let mut s = fresh();
    s.enter_initialization().unwrap();
    assert_eq!((real(&mut s, CHEAP), counts(&s)), (0.0, vec![1, 0, 0]));
    assert_eq!((real(&mut s, COSTLY), counts(&s)), (0.0, vec![1, 1, 0]));
    s.set_integer(&[0], &[3]).unwrap();
    assert_eq!((real(&mut s, CHEAP), counts(&s)), (0.0, vec![2, 1, 0]));
}

/// Bounds themselves may be set, a hair beyond not, and a failed evaluation leaves an instance that can only be reset or restored.
#[test]
fn bounds_are_inclusive_and_failures_end_an_instance() {
    let mut s = fresh();
    for (value, is_fine) in [(1, true), (3, true), (0, false), (4, false)] {
        assert_eq!(s.set_integer(&[0], &[value]).is_ok(), is_fine, "{value}");
    }
    for (value, is_fine) in [(2.0, true), (-1.0, true), (2.0 + 1e-15, false), (-1.0 - 1e-15, false)] {
        assert_eq!(s.set_real(&[GAIN], &[value]).is_ok(), is_fine, "{value}");
    }
    s.enter_initialization().unwrap();
    assert!(matches!(s.get_real(&[CHEAP], &mut [0.0]), Err(Fault::Model { .. })));
    assert_eq!(s.phase(), Phase::Error);
    assert!(matches!(s.set_real(&[GAIN], &[1.0]), Err(Fault::NotAllowed { .. })));
    s.reset().unwrap();
    assert_eq!((s.phase(), s.memory().reals[GAIN as usize]), (Phase::Instantiated, 1.0));
}

/// What the model has of its own is saved with the rest, through bytes, and goes back with it, also at a reset.
#[test]
fn what_a_model_keeps_elsewhere_is_saved() {
    let says = |s: &mut Instance<Counting>| s.messages().remove(0).text;
    let mut s = ready(0.0, None);
    s.do_step(0.0, 2.0, true).unwrap();
    let (mut saved, mut read) = (Snapshot::new(), Snapshot::new());
    assert!(saved.is_empty());
    s.save(&mut saved).unwrap();
    assert!(!saved.is_empty());
    assert_eq!(saved.time_s(), 2.0);
    s.do_step(2.0, 1.0, true).unwrap();
    assert_eq!(says(&mut s), "the integral is 3");
    let mut bytes = vec![0; s.serialized_size(&saved).unwrap()];
    s.serialize(&saved, &mut bytes).unwrap();
    let mut other = fresh();
    other.deserialize(&bytes, &mut read).unwrap();
    for s in [&mut s, &mut other] {
        s.restore(&read).unwrap();
        assert_eq!((says(s), s.time_s(), real(s, CHEAP)), ("the integral is 2".into(), 2.0, 2.0));
    }
    s.reset().unwrap();
    assert_eq!(says(&mut s), "the integral is 0");
}

/// A state comes back in every phase, through bytes.
#[test]
fn every_phase_survives_bytes() {
    let mut phases = [fresh(), fresh(), ready(0.0, None), ready(9.0, None), ready(0.0, None), fresh()];
    phases[1].enter_initialization().unwrap();
    phases[3].do_step(9.0, 2.0, true).unwrap();
    phases[4].terminate().unwrap();
    phases[5].set_real(&[GAIN], &[-1.0]).unwrap();
    phases[5].enter_initialization().unwrap();
    phases[5].get_real(&[CHEAP], &mut [0.0]).unwrap_err();
    use Phase::*;
    let expected = [Instantiated, Initialization, StepComplete, StepFailed, Terminated, Error];
    for (s, phase) in phases.iter_mut().zip(expected) {
        let (mut saved, mut other) = (Snapshot::new(), fresh());
        s.save(&mut saved).unwrap();
        let mut bytes = vec![0; s.serialized_size(&saved).unwrap()];
        s.serialize(&saved, &mut bytes).unwrap();
        other.deserialize(&bytes, &mut saved).unwrap();
        other.restore(&saved).unwrap();
        assert_eq!(other.phase(), phase);
    }
}

/// Derivatives of outputs are zeros unless a model has others; what is none, or of an order that is not offered, is refused by name.
#[test]
fn derivatives_of_outputs_are_checked() {
    let mut s = ready(0.0, None);
    let mut found = [f64::NAN; 2];
    s.get_real_output_derivatives(&[CHEAP, RATE], &[1, 2], &mut found).unwrap();
    assert_eq!(found, [0.0; 2]);
    let mut error = |reference, order| s.get_real_output_derivatives(&[reference], &[order], &mut [0.0]).unwrap_err();
    for (reference, order, what) in [
        (CHEAP, 3, "order 3 of `cheap` found, expected 1 to 2"),
        (CHEAP, 0, "order 0 of `cheap` found, expected 1 to 2"),
        (U, 1, "order 1 of `u` found, expected 1 to 0 (no derivatives)"),
        (6, 1, "value reference 6 found, expected one below 6"),
    ] {
        let found = error(reference, order).to_string();
        assert!(found.contains(what), "{found}");
    }
    assert!(matches!(s.get_real_output_derivatives(&[CHEAP], &[1, 1], &mut [0.0]), Err(Fault::Length { .. })));
    assert!(matches!(s.get_real_output_derivatives(&[CHEAP], &[1], &mut [0.0; 2]), Err(Fault::Length { .. })));
    assert!(matches!(s.exchanged(), Err(Fault::Declaration(_))), "it is none for model exchange");
}

/// Two declarations under one identifier have tables of their own.
#[test]
fn another_declaration_under_the_same_identifier_is_another_model() {
    let (model, description) = Counting::declare(None).unwrap();
    let mut changed = description.clone();
    changed.variables[U as usize].start = Some(macrostep_description::Value::Real(8.0));
    let held = Instance::of("first", (model, description)).unwrap();
    let other = Instance::of("second", (Counting { own: 0.0 }, changed.clone())).unwrap();
    assert_eq!([held.memory().reals[U as usize], other.memory().reals[U as usize]], [1.0, 8.0]);
    // References that do not count from 0 are refused by name.
    changed.variables[W as usize].value_reference = 7;
    let error = Instance::of("third", (Counting { own: 0.0 }, changed)).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("variable `w` has value reference 7, expected 2"), "{error}");
}
