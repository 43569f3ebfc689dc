//! Options and files of inputs that make no sense.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::make;
use crate::run::{Left, macrostep};

/// A command that is refused.
pub struct Refused {
    /// What follows `macrostep simulate slave.fmu`.
    arguments: &'static [&'static str],
    /// The file `in.csv`.
    input: &'static str,
    code: i32,
    says: &'static [&'static str],
}

const fn option(arguments: &'static [&'static str], says: &'static [&'static str]) -> Refused {
    Refused { arguments, input: "", code: 2, says }
}

const fn run(arguments: &'static [&'static str], says: &'static [&'static str]) -> Refused {
    Refused { arguments, input: "", code: 1, says }
}

const fn input(input: &'static str, says: &'static [&'static str]) -> Refused {
    Refused { arguments: &["--input", "in.csv"], input, code: 1, says }
}

const REFUSED: &[Refused] = &[
    option(&["--step", "0"], &["--step", "'0'", "above 0"]),
    option(&["--step", "-0.1"], &["--step", "'-0.1'", "above 0"]),
    run(&["--step", "1e-12"], &["--step", "choose a step of 1.000e-8 s or more"]),
    run(
        &["--step", "1e-20", "--start-time", "1e9", "--stop", "1000000000.0000001"],
        &["--step", "1.192e13 macro steps"],
    ),
    option(&["--step", "nan"], &["--step", "nan"]),
    option(&["--stop", "inf"], &["--stop", "inf"]),
    option(&["--stop", "-1"], &["--stop", "'-1'", "above 0"]),
    run(&["--start-time", "2", "--stop", "1"], &["--stop", "expected a time after the start at 2 s"]),
    option(&["--solver-tolerance=-1"], &["--solver-tolerance", "-1"]),
    option(&["--start", "y=1"], &["`--start`", "no variable `y`", "nearest are"]),
    option(&["--start", "u"], &["`--start u`", "NAME=VALUE"]),
    option(&["--start", "u=one"], &["`u` is `one`", "a finite number"]),
    option(&["--start", "flag=maybe"], &["`flag` is `maybe`", "true, false, 1 or 0"]),
    option(&["--output-variable", "velocity"], &["`--output-variable`", "no variable `velocity`"]),
    option(&["--isolate", "--call-limit", "0"], &["`--call-limit`", "0.001 s"]),
    option(&["--isolate", "--memory-limit", "1"], &["`--memory-limit`", "16 MiB"]),
    input("", &["in.csv", "line 1", "`time`"]),
    input("t,u\n0,1\n", &["in.csv", "line 1", "`t`", "`time`"]),
    input("time,v\n0,1\n", &["--input", "no variable `v`"]),
    input("time,x\n0,1\n", &["--input", "x` is an output", "expected an input"]),
    input("time,u\n", &["line 2", "no row"]),
    input("time,u\n0,1\n1,\n", &["line 3 of `input.u`: ``", "a number"]),
    input("time,u\n0,1\n1,1,1\n", &["line 3", "in.csv"]),
    input("time,u\n1,1\n0,1\n", &["line 3", "`time` is `0`", "no less than 1"]),
    input("time,u\n0,NaN\n", &["line 2", "`NaN`"]),
    Refused { arguments: &["--input", "none.csv"], input: "", code: 1, says: &["none.csv", "No such file"] },
    Refused { arguments: &["--out", "in.csv"], input: "time,u\n", code: 1, says: &["in.csv", "expected a folder"] },
];

/// A refused command and what the program said.
pub struct Met {
    pub refused: &'static Refused,
    pub left: Left,
}

/// All of them.
pub fn all() -> &'static [Met] {
    static MET: OnceLock<Vec<Met>> = OnceLock::new();
    MET.get_or_init(|| {
        let fmu = make::fmu(make::XML, &[]);
        let meet = |(i, refused): (usize, &'static Refused)| {
            let folder = make::folder(&format!("options/{i}"));
            std::fs::write(folder.join("slave.fmu"), &fmu).expect("the FMU");
            std::fs::write(folder.join("in.csv"), refused.input).expect("the inputs");
            Met { refused, left: macrostep(&folder, &[&["simulate", "slave.fmu"], refused.arguments].concat()) }
        };
        REFUSED.par_iter().enumerate().map(meet).collect()
    })
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_runs() {
    for Met { refused, left } in all() {
        assert_eq!(left.code, Some(refused.code), "{left:#?}");
        let error = left.error();
        refused.says.iter().for_each(|part| assert!(error.contains(part), "`{part}` is not in {error}"));
        assert!(left.rows.is_none(), "{left:#?}");
    }
}

#[test]
fn names_of_another_tool_are_understood() {
    let folder = make::folder("names");
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    std::fs::write(folder.join("in.csv"), "time,u\n0,0\n1,2\n").expect("the inputs");
    let ours = ["--start", "x=3", "--input", "in.csv", "--step", "0.25", "--stop", "0.5"];
    let theirs =
        ["--start-value", "x", "3", "--input-file", "in.csv", "--output-interval", "0.25", "--stop-time", "0.5"];
    let run = |names: &[&str]| {
        let left = macrostep(&folder, &[&["simulate", "slave.fmu", "--out", "out"], names].concat());
        assert_eq!(left.code, Some(0), "{left:#?}");
        left.rows.expect("rows")
    };
    // u = 0, then 0.5, held over steps of 0.25 s.
    assert_eq!(run(&ours), ["0,3,0", "0.25,3,1", "0.5,3.125,2"]);
    assert_eq!(run(&theirs), run(&ours));
}
