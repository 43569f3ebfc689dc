//! After the first steps a macro step allocates nothing, hydraulics and interface model included.

#[path = "../../../tests/kit/counting.rs"]
mod counting;
#[allow(dead_code, reason = "each test looks at a part of it")]
mod coupled;

use counting::allocations;
use macrostep_crane::crane::{self, CraneOptions};

#[test]
fn steps_allocate_only_while_contacts_appear() {
    let mut coupled = coupled::crane(&crane::system(&CraneOptions::default()).expect("valid"), 0.016);
    let mut allocating = Vec::new();
    for k in 0..500 {
        let before = allocations();
        coupled.step();
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
