//! Threads that share an instance: one call at a time, and a second one is refused.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer
#![allow(unsafe_code)]

mod common;

use core::ptr::{null, null_mut};
use std::sync::Barrier;
use std::thread;

use common::*;
use macrostep_export::fmi2::*;
use macrostep_models::{Oscillator1Displacement, find};

macrostep_export::export_fmu!(Oscillator1Displacement);

/// The functions, an instance that logs, and its number, which may go to another thread.
fn made(messages: &Messages) -> (Functions, usize) {
    // SAFETY: the functions of this program.
    let f = unsafe { Functions::load(fmi2_functions::address) }.expect("every required function");
    let guid = find("oscillator1_displacement").expect("a model").describe().guid;
    let c = instantiate(&f, "shared", &guid, messages, true);
    assert!(!c.is_null(), "{:?}", messages.take());
    messages.take();
    (f, c as usize)
}

#[test]
fn a_call_beside_another_one_is_refused_and_told_by_that_one() {
    let halt = Some(("initialization begun", [Barrier::new(2), Barrier::new(2)]));
    let messages = Messages { halt, ..Messages::default() };
    let (f, c) = made(&messages);
    let [inside, leave] = &messages.halt.as_ref().expect("a halt").1;
    let (answers, first) = thread::scope(|scope| {
        // SAFETY: a live component.
        let first = scope.spawn(|| unsafe { (f.enter_initialization_mode)(c as Component) });
        inside.wait();
        let c = c as Component;
        let mut state = null_mut();
        // SAFETY: a live component, lists of no length.
        let answers = unsafe {
            (f.free_instance)(c);
            [
                (f.get_real)(c, null(), 0, null_mut()),
                (f.do_step)(c, 0.0, 0.01, TRUE),
                f.cancel_step.expect("exported")(c),
                f.get_fmu_state.expect("exported")(c, &mut state),
                f.reset.expect("exported")(c),
            ]
        };
        leave.wait();
        (answers, first.join().expect("no panic"))
    });
    assert_eq!((answers, first), ([ERROR; 5], OK));
    // The call that was running tells, after what it has to say itself.
    let logged = messages.take();
    assert_eq!(logged.len(), 2, "{logged:?}");
    assert_eq!((logged[1].1, logged[1].2.as_str()), (ERROR, "logStatusError"));
    assert!(
        logged[1].3.starts_with("6 of the calls were refused: another call of this instance was running"),
        "{logged:?}"
    );
    // The instance is as if there had been no other call.
    let c = c as Component;
    // SAFETY: a live component: it was not freed.
    unsafe {
        assert_eq!((f.exit_initialization_mode)(c), OK);
        assert_eq!((f.do_step)(c, 0.0, 0.01, TRUE), OK);
        (f.free_instance)(c);
    }
    let logged = messages.take();
    assert!(logged.iter().all(|message| message.1 == OK), "{logged:?}");
}

#[test]
fn threads_may_take_turns() {
    let messages = Messages::default();
    let (f, c) = made(&messages);
    let calls: [&(dyn Fn(Component) -> Status + Sync); 4] = [
        // SAFETY: a live component, in one thread at a time.
        &|c| unsafe { (f.enter_initialization_mode)(c) },
        // SAFETY: as above.
        &|c| unsafe { (f.exit_initialization_mode)(c) },
        // SAFETY: as above.
        &|c| unsafe { (f.do_step)(c, 0.0, 0.01, TRUE) },
        // SAFETY: as above.
        &|c| unsafe { (f.do_step)(c, 0.01, 0.01, TRUE) },
    ];
    for call in calls {
        let status = thread::scope(|scope| scope.spawn(|| call(c as Component)).join().expect("no panic"));
        assert_eq!(status, OK, "{:?}", messages.take());
    }
    // SAFETY: a live component, used by this thread only.
    thread::scope(|scope| drop(scope.spawn(|| unsafe { (f.free_instance)(c as Component) })));
    assert!(messages.take().iter().all(|message| message.1 == OK));
}
