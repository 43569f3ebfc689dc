//! After the first steps a macro step allocates nothing, hydraulics and interface model included.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use macrostep_crane::{
    cosim::Scheme,
    crane::{self, CraneOptions, MICRO_S},
};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on unchanged to the system allocator; counting touches no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the contract is the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the contract is the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steps_allocate_only_while_contacts_appear() {
    let system = crane::system(&CraneOptions::default()).expect("valid");
    let mut cosim = crane::cosim(&system, Scheme::recommended(0.016, MICRO_S)).expect("starts");
    let mut allocating = Vec::new();
    for k in 0..500 {
        let before = COUNT.with(Cell::get);
        cosim.step().expect("stable");
        if COUNT.with(Cell::get) > before {
            allocating.push(k);
        }
    }
    // The first steps, and those in which the grasp brings more rows than ever before.
    println!("{allocating:?}");
    assert!(allocating.len() < 30, "{allocating:?}");
    assert!(allocating.iter().all(|&k| k < 300), "{allocating:?}");
    assert!(allocating.iter().filter(|&&k| (10..150).contains(&k)).count() == 0, "{allocating:?}");
}
