//! Slaves that leave another rounding mode, or denormal numbers flushed to zero: rows are the same to the bit, and right,
//! in this process and in one of their own.

use crate::make;
use crate::run::macrostep;

const SYSTEM: &str = "[experiment]\nstop = 1\nstep = 0.1\n[units.slave]\nfmu = \"slave.fmu\"\n";

/// x' = 0.7, so that every sum is rounded.
const SETUP: (&str, &str) = ("AT_SETUP", "s->u = 0.7");

/// Rows of x in all four ways.
fn rows(name: &str, defines: &[(&str, &str)], says: &str) -> Vec<String> {
    let folder = make::folder(name);
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, defines)).expect("the FMU");
    std::fs::write(folder.join("s.toml"), SYSTEM).expect("the scenario");
    let simulate = ["simulate", "slave.fmu", "--out", "out", "--output-variable", "x"];
    let run = ["run", "s.toml", "--out", "out", "--no-pictures"];
    let mut ways = Vec::new();
    for base in [&simulate[..], &run] {
        for isolate in [&[][..], &["--isolate"]] {
            let left = macrostep(&folder, &[base, isolate].concat());
            assert_eq!(left.code, Some(0), "{left:#?}");
            let told = left.stderr.matches("changed the floating-point environment").count();
            assert_eq!(told, usize::from(!says.is_empty()), "{left:#?}");
            assert!(left.stderr.contains("unit `slave`: ") || says.is_empty(), "{left:#?}");
            assert!(left.stderr.contains(says), "{left:#?}");
            ways.push(left.rows.expect("rows"));
        }
    }
    assert!(ways.iter().all(|way| *way == ways[0]), "{ways:#?}");
    ways.swap_remove(0)
}

#[test]
fn rounding_changed_once_changes_nothing_after_that_call() {
    let plain = rows("floating_plain", &[SETUP], "");
    let once = [SETUP, ("AT_INSTANTIATE", "fesetround(FE_UPWARD)")];
    assert_eq!(rows("floating_once", &once, "fmi2Instantiate changed"), plain);
    let setup = [("AT_SETUP", "s->u = 0.7; fesetround(FE_DOWNWARD)")];
    assert_eq!(rows("floating_setup", &setup, "fmi2SetupExperiment changed"), plain);
}

#[test]
fn rounding_changed_in_every_step_is_the_slaves_own_for_that_step() {
    let plain = rows("floating_plain_step", &[SETUP], "");
    let upward = rows("floating_step", &[SETUP, ("AT_EVERY_STEP", "fesetround(FE_UPWARD)")], "fmi2DoStep changed");
    // Its own sums are rounded up, the master's times are not.
    assert_ne!(upward, plain);
    let time = |row: &String| row.split(',').next().map(str::to_owned);
    assert_eq!(upward.iter().map(time).collect::<Vec<_>>(), plain.iter().map(time).collect::<Vec<_>>());
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_library_that_flushes_denormal_numbers_to_zero_is_told_of() {
    let fast = ("AT_LOAD", "__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040)");
    let tiny = ("AT_SETUP", "s->u = 1e-310");
    let plain = rows("floating_tiny", &[tiny], "");
    assert!(!plain[10].ends_with(",0"), "{plain:?}");
    assert_eq!(rows("floating_flush", &[tiny, fast], "library `binaries/linux64/hostile.so` changed"), plain);
}
