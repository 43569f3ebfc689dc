//! Containers in containers, many instances, threads.

use super::{Instance, empty, exported, run, succeeds};

const OPTIONS: [&str; 6] = ["--predict", "linear", "--step", "1e-3", "--stop", "0.1"];

/// A container in a container in a container gives the bits of the run.
#[test]
fn three_deep_with_the_same_bits() {
    let folder = empty("deep");
    let (names, rows) = run(&folder, "case-1:f-s", &OPTIONS);
    succeeds(&folder, &[&["export", "case-1:f-s", "--out", "one.fmu"][..], &OPTIONS].concat());
    for (inner, outer) in [("one", "two"), ("two", "three")] {
        let text = format!(
            "name = \"{outer}\"\n[experiment]\nstop = 0.1\nstep = 1e-3\n[units.{inner}]\nfmu = \"{inner}.fmu\"\n"
        );
        std::fs::write(folder.join(format!("{outer}.toml")), text).expect("a scenario");
        succeeds(&folder, &["export", &format!("{outer}.toml"), "--out", &format!("{outer}.fmu")]);
    }
    let fmu = macrostep_import::fmu::Fmu::open(folder.join("three.fmu")).expect("three");
    let deep: Vec<String> = names.iter().map(|name| format!("two.one.{name}")).collect();
    let mut instance = Instance::begun(&fmu, Some(0.1));
    for (k, row) in rows.iter().enumerate() {
        if k > 0 {
            instance.step(1e-3);
        }
        assert_eq!(&instance.row(&deep), row, "row {k}");
    }
}

/// Twenty instances side by side, each stepped by a thread of its own.
#[test]
fn instances_in_threads_do_not_disturb_each_other() {
    let folder = empty("threads");
    let (names, rows) = run(&folder, "case-1:f-s", &OPTIONS);
    let fmu = exported(&folder, "case-1:f-s", &OPTIONS);
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let mut instance = Instance::begun(&fmu, Some(0.1));
                for row in &rows[1..] {
                    instance.step(1e-3);
                    assert_eq!(&instance.row(&names), row);
                }
            });
        }
    });
}
