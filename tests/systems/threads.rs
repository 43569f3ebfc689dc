//! Steps at the same time, on threads or in processes, leave the same bits.

use crate::make;
use crate::run::macrostep;

/// About 40 µs a step, and what another unit has counted in the state.
const STEP: &str =
    "{ volatile double y = 0; int i; for (i = 0; i < 20000; i++) y = y * 0.5 + 1; s->x += 1e-3 * s->m; }";

/// An integer input beside the real one.
fn description() -> String {
    let known = r#"<ScalarVariable name="flag""#;
    let input = r#"<ScalarVariable name="n" valueReference="1" causality="input" variability="discrete"><Integer start="0"/></ScalarVariable>"#;
    // Behind the outputs, whose positions count.
    make::replaced(known, &format!("{input}{known}"))
}

/// A ring of five units, each driven by the one before it, which also tells how many steps it has made.
fn ring(schedule: &str) -> String {
    let mut text = format!("[experiment]\nstop = 1.0\nstep = 0.01\n[coupling]\nschedule = \"{schedule}\"\n");
    (0..5).for_each(|u| text += &format!("[units.u{u}]\nfmu = \"unit.fmu\"\nset = {{ x = {u}.5 }}\n"));
    text += "[connections]\n";
    for u in 0..5 {
        let before = (u + 4) % 5;
        text += &format!("\"u{u}.u\" = \"u{before}.x\"\n\"u{u}.n\" = \"u{before}.steps\"\n");
    }
    text
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let folder = make::folder("ring");
    std::fs::write(folder.join("unit.fmu"), make::fmu(&description(), &[("AT_EVERY_STEP", STEP)])).expect("the FMU");
    for schedule in ["jacobi", "gauss-seidel"] {
        std::fs::write(folder.join("ring.toml"), ring(schedule)).expect("the system");
        let rows = |more: &[&str]| {
            let run = ["run", "ring.toml", "--out", "out", "--no-pictures"];
            let left = macrostep(&folder, &[&run[..], more].concat());
            assert_eq!(left.code, Some(0), "{left:#?}");
            left.rows.expect("rows")
        };
        let alone = rows(&[]);
        assert_eq!(alone.len(), 101);
        for more in [&["--threads", "1"][..], &["--threads", "2"], &["--threads", "7"], &["--isolate"]] {
            assert!(rows(more) == alone, "{schedule}, {more:?}");
        }
    }
}

#[test]
fn threads_are_for_slaves_in_this_process() {
    let folder = make::folder("refused");
    for more in [&["--threads", "2", "--isolate"][..], &["--threads", "0"], &["--threads", "300"]] {
        let left = macrostep(&folder, &[&["run", "case-1"], more].concat());
        assert_eq!(left.code, Some(2), "{left:#?}");
    }
}
