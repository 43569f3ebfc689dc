//! After the first steps a macro step allocates nothing, hydraulics and interface model included.

#[path = "../../../tests/kit/counting.rs"]
mod counting;

use counting::allocations;
use macrostep_crane::{
    cosim::Scheme,
    crane::{self, CraneOptions, MICRO_S},
};

#[test]
fn steps_allocate_only_while_contacts_appear() {
    let system = crane::system(&CraneOptions::default()).expect("valid");
    let mut cosim = crane::cosim(&system, Scheme::recommended(0.016, MICRO_S)).expect("starts");
    let mut allocating = Vec::new();
    for k in 0..500 {
        let before = allocations();
        cosim.step().expect("stable");
        if allocations() > before {
            allocating.push(k);
        }
    }
    // The first steps, and those in which the grasp brings more rows than ever before.
    println!("{allocating:?}");
    assert!(allocating.len() < 30, "{allocating:?}");
    assert!(allocating.iter().all(|&k| k < 300), "{allocating:?}");
    assert!(allocating.iter().filter(|&&k| (10..150).contains(&k)).count() == 0, "{allocating:?}");
}
