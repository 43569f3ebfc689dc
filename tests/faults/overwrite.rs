//! No option makes a run write over a file that it reads, or over the file of another option.

use std::path::PathBuf;

use crate::make;
use crate::run::macrostep;

fn folder(name: &str) -> PathBuf {
    let folder = make::folder(name);
    let fmu = macrostep::embedded::fmu("oscillator1_force").expect("carried");
    std::fs::write(folder.join("mass.fmu"), fmu).expect("the FMU");
    std::fs::write(folder.join("in.csv"), "time,f\n0,1\n").expect("inputs");
    let system = "[experiment]\nstop = 1.0\nstep = 0.1\n[units.a]\nfmu = \"mass.fmu\"\n";
    std::fs::write(folder.join("system.toml"), system).expect("the system");
    std::fs::hard_link(folder.join("mass.fmu"), folder.join("linked")).expect("a link");
    folder
}

#[test]
fn a_file_that_is_read_is_not_written() {
    let folder = folder("overwrite");
    let (fmu, system, input) = ("mass.fmu", "system.toml", "in.csv");
    let read = || [fmu, system, input].map(|name| std::fs::read(folder.join(name)).expect("there"));
    let before = read();
    let simulate = ["simulate", fmu, "--input", input];
    let run = ["run", system, "--no-pictures"];
    let tried: [(&[&str], &[&str], &[&str]); 10] = [
        (&simulate, &["--checkpoint", fmu], &["`--checkpoint ", "the FMU", "mass.fmu"]),
        (&simulate, &["--checkpoint", "linked"], &["`--checkpoint ", "linked` would", "`mass.fmu`"]),
        (&simulate, &["--mat", "./mass.fmu", "--out", "o"], &["`--mat ", "the FMU"]),
        (&simulate, &["--mat", input, "--out", "o"], &["`--mat ", "inputs"]),
        (&simulate, &["--out", "o", "--checkpoint", "o/trace.csv"], &["`--checkpoint ", "`--out`"]),
        (&simulate, &["--out", "o", "--mat", "o/result.json"], &["`--mat ", "`--out`"]),
        (&run, &["--checkpoint", system], &["`--checkpoint ", "the scenario"]),
        (&run, &["--checkpoint", fmu], &["`--checkpoint ", "the FMU"]),
        (&run, &["--out", "o", "--checkpoint", "o/../o/trace.csv"], &["`--checkpoint ", "`--out`"]),
        (
            &["oscillator", "--stop", "0.1"],
            &["--out", "o", "--checkpoint", "o/trace.csv"],
            &["`--checkpoint ", "`--out`", "trace.csv"],
        ),
    ];
    for (command, more, says) in tried {
        let left = macrostep(&folder, &[command, more].concat());
        assert_eq!(left.code, Some(2), "{left:#?}");
        says.iter().for_each(|part| assert!(left.error().contains(part), "`{part}`: {left:#?}"));
        assert!(read() == before && !folder.join("o").exists(), "{left:#?}");
    }
}

/// Every verb that writes, with files of inputs and of measured values.
#[test]
fn files_of_inputs_are_not_written() {
    let folder = folder("overwrite_inputs");
    let inputs = "[inputs]\nforces = \"in.csv\"\n[connections]\n\"a.f\" = \"forces.f\"\n";
    let system = std::fs::read_to_string(folder.join("system.toml")).expect("the system");
    std::fs::write(folder.join("system.toml"), format!("{system}{inputs}")).expect("the system");
    std::fs::write(folder.join("points.csv"), "a.k\n1\n2\n").expect("points");
    std::fs::write(folder.join("data.csv"), "time,a.x\n0,0\n0.5,1\n").expect("data");
    std::fs::create_dir(folder.join("o")).expect("a folder");
    std::fs::hard_link(folder.join("in.csv"), folder.join("o/growth.csv")).expect("a link");
    std::fs::hard_link(folder.join("data.csv"), folder.join("o/fit.json")).expect("a link");
    let names = ["mass.fmu", "system.toml", "in.csv", "points.csv", "data.csv"];
    let read = || names.map(|name| std::fs::read(folder.join(name)).expect("there"));
    let before = read();
    let sweep = ["sweep", "system.toml", "--table", "points.csv", "--measure", "d=distance(a.x, data.csv)"];
    let tried: [(&[&str], &[&str], &[&str]); 8] = [
        (&["verify", "system.toml"], &["--junit", "in.csv"], &["`--junit ", "in.csv`, the inputs"]),
        (&sweep, &["--out", "s", "--parquet", "system.toml"], &["`--parquet ", "the scenario"]),
        (&sweep, &["--out", "s", "--parquet", "points.csv"], &["`--parquet ", "`--table`"]),
        (&sweep, &["--out", "s", "--parquet", "data.csv"], &["`--parquet ", "`--measure`"]),
        (&sweep, &["--out", "s", "--parquet", "s/runs.csv"], &["`--parquet ", "`--out`"]),
        (&["fit", "system.toml", "--data", "data.csv", "--free", "a.k=1:2"], &["--out", "o"], &["`--data`"]),
        (&["stability", "system.toml"], &["--out", "o"], &["growth.csv` would", "in.csv`, the inputs"]),
        (&["export", "system.toml"], &["--out", "in.csv"], &["`--out ", "the inputs"]),
    ];
    for (command, more, says) in tried {
        // Parquet is refused before anything else where the program is built without it.
        if more.contains(&"--parquet") && !cfg!(feature = "parquet") {
            continue;
        }
        let left = macrostep(&folder, &[command, more].concat());
        assert_eq!(left.code, Some(2), "{left:#?}");
        says.iter().for_each(|part| assert!(left.error().contains(part), "`{part}`: {left:#?}"));
        assert!(read() == before, "{left:#?}");
    }
}

#[test]
fn a_checkpoint_needs_no_other_name_of_the_users() {
    let folder = folder("overwrite_beside");
    std::fs::write(folder.join("c.part"), "mine").expect("written");
    let command = ["simulate", "mass.fmu", "--step", "0.1", "--stop", "1", "--checkpoint", "c.ck"];
    let left = macrostep(&folder, &[&command[..], &["--checkpoint-every", "1"]].concat());
    assert_eq!(left.code, Some(0), "{left:#?}");
    assert_eq!(std::fs::read_to_string(folder.join("c.part")).expect("there"), "mine");
    let names = std::fs::read_dir(&folder).expect("a folder").flatten().map(|e| e.file_name());
    assert_eq!(names.filter(|name| name.to_string_lossy().starts_with(".macrostep")).count(), 0);
    assert!(folder.join("c.ck").exists());
}

/// A file of the user that has the name of one of the bundle's stays, and nothing is written then.
#[test]
fn a_bundle_writes_over_no_other_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::create_dir(path("resources")).expect("a folder");
    std::fs::write(path("resources/free_ball.fmu"), "the only copy").expect("a file");
    let system = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/systems/bouncing-ball.toml");
    let bundle = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_macrostep"));
        command.args(["run", system, "--bundle", ".", "--stop", "0.01"]).current_dir(folder.path());
        command.output().expect("started")
    };
    let refused = bundle();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(1) && said.contains("resources/free_ball.fmu`: found other content"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(path("resources/free_ball.fmu")).expect("there"), "the only copy");
    assert!(!folder.path().join("scenario.toml").exists());
    // Nor does a scenario of that name.
    std::fs::remove_file(path("resources/free_ball.fmu")).expect("removed");
    std::fs::write(path("scenario.toml"), "# my own\n").expect("a file");
    let refused = bundle();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && said.contains("scenario.toml`: found other content"), "{said}");
    assert_eq!(std::fs::read_to_string(path("scenario.toml")).expect("there"), "# my own\n");
    assert!(!folder.path().join("resources/free_ball.fmu").exists());
    // Without these files it is written, and again over itself.
    std::fs::remove_file(path("scenario.toml")).expect("removed");
    assert!(bundle().status.success() && bundle().status.success());
}
