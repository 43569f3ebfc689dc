//! A model that panics, and one with strings: what the shell must contain.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer
#![allow(unsafe_code)]

mod common;

use core::ffi::CStr;
use core::ptr::null;
use std::path::Path;

use common::*;
use macrostep_description::{Builder, CoSimulation, Declared, ModelDescription};
use macrostep_export::fmi2::*;
use macrostep_slave::{Fault, Group, Instance, Memory, Model, Outcome, Span, Tangent};

/// Panics in a step longer than 1 s, and when it is dropped afterwards.
#[derive(Debug, Default)]
struct Panicker {
    armed: bool,
}

impl Drop for Panicker {
    fn drop(&mut self) {
        assert!(!self.armed, "a destructor that panics");
    }
}

impl Model for Panicker {
    fn declare(_: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        let mut b = Builder::new("panicker", "Panics");
        b.capabilities(CoSimulation::default());
        b.log_category("logStatusError", "errors");
        b.log_category("logStatusFatal", "the end");
        b.add(Declared::input("text", "first"));
        let description = b.finish().map_err(|e| Fault::Declaration(e.to_string()))?;
        Ok((Panicker::default(), description))
    }
    fn step(&mut self, _: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        if span.step_s > 1.0 {
            self.armed = true;
            panic!("100% of {} s is too long", span.step_s);
        }
        Ok(Outcome::Done)
    }
    fn evaluate(&mut self, _: &mut Memory, _: Group) -> Result<(), Fault> {
        Ok(())
    }
    fn output_derivatives(&mut self, _: &Memory, _: &[u32], _: &[i32], _: &mut [f64]) -> Result<(), Fault> {
        Ok(())
    }
    fn directional_derivative(&mut self, _: &Memory, _: Tangent<'_>) -> Result<(), Fault> {
        Ok(())
    }
}

macrostep_export::export_fmu!(Panicker);

fn ready(messages: &Messages) -> (Functions, Component) {
    // SAFETY: the functions of this program.
    let f = unsafe { Functions::load(fmi2_functions::address) }.expect("every required function");
    let guid = Instance::<Panicker>::describe(None).expect("legal").guid;
    let c = instantiate(&f, "p", &guid, messages, true);
    // SAFETY: a live component.
    unsafe {
        assert_eq!((f.enter_initialization_mode)(c), OK);
        assert_eq!((f.exit_initialization_mode)(c), OK);
    }
    (f, c)
}

#[test]
fn a_panic_kills_the_instance_and_nothing_else() {
    let (messages, other_messages) = (Messages::default(), Messages::default());
    let ((f, c), (_, other)) = (ready(&messages), ready(&other_messages));
    // SAFETY: live components.
    unsafe {
        assert_eq!((f.do_step)(c, 0.0, 0.5, TRUE), OK);
        assert_eq!((f.do_step)(c, 0.5, 2.0, TRUE), FATAL);
        let logged = messages.take();
        assert_eq!(logged.len(), 1, "events are not declared, so not logged: {logged:?}");
        assert_eq!((logged[0].1, logged[0].2.as_str()), (FATAL, "logStatusFatal"));
        assert!(logged[0].3.contains("100% of 2 s"), "{logged:?}");
        assert_eq!((f.do_step)(c, 0.5, 0.5, TRUE), FATAL, "dead for good");
        assert_eq!(f.reset.expect("exported")(c), FATAL);
        assert_eq!((f.get_real)(c, null(), 0, core::ptr::null_mut()), FATAL);
        assert_eq!((f.do_step)(other, 0.0, 0.5, TRUE), OK);
        (f.free_instance)(c);
        (f.free_instance)(other);
    }
}

#[test]
fn strings_are_copied_and_live_until_the_next_call() {
    let messages = Messages::default();
    let (f, c) = ready(&messages);
    let mut pointer = null();
    // SAFETY: a live component, valid places.
    unsafe {
        let (get, set) = (f.get_string.expect("exported"), f.set_string.expect("exported"));
        assert_eq!(get(c, &0, 1, &mut pointer), OK);
        assert_eq!(CStr::from_ptr(pointer), c"first");
        {
            let text = std::ffi::CString::new("zweitö").expect("no zero byte");
            assert_eq!(set(c, &0, 1, &text.as_ptr()), OK);
        }
        assert_eq!((f.do_step)(c, 0.0, 0.5, TRUE), OK);
        assert_eq!(CStr::from_ptr(pointer), c"first", "still there after other calls");
        assert_eq!(get(c, &0, 1, &mut pointer), OK);
        assert_eq!(CStr::from_ptr(pointer).to_str(), Ok("zweitö"));
        assert_eq!(set(c, &0, 1, &null()), ERROR);
        assert_eq!(set(c, &0, 1, &c"\xff".as_ptr()), ERROR, "not UTF-8");
        (f.free_instance)(c);
    }
}
