//! Many runs: rows that are those of single runs, whatever the workers; sweeps that were ended, divided, or given nonsense.

mod tables;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use macrostep::embedded;
use macrostep_sweep::{Design, Done, Points, Shard, Sweep, System, Vary, Way, merge};
use macrostep_system::{Fmus, Scenario, toml};

use crate::common::folder;

/// Two masses, the coupling held over the macro step.
const PAIR: &str = include_str!("../cases/sweep/pair.toml");

fn pair() -> Scenario {
    toml::read(PAIR, "pair.toml", Path::new(".")).expect("a scenario")
}

fn macrostep(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).output().expect("the program starts")
}

/// An empty folder of its own.
fn empty(name: &str) -> PathBuf {
    let path = folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

fn rows(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("runs.csv")).expect("the rows")
}

/// Stiffness of both masses, on 5 × 8 points, with measures of every kind of sum.
fn sweep(units: &Fmus, shard: Shard) -> Sweep<'_> {
    let varies = ["left.k=lin:5:15:5", "right.k=log:2:50:8"].map(|t| t.parse::<Vary>().expect("values")).to_vec();
    let measures =
        ["end=last(left.x)", "most=max(right.x)-min(right.x)", "mean=rms(left.v)", "back=crossing(left.v,0)"];
    let measures = measures.map(|t| t.parse().expect("a measure")).to_vec();
    let points = Points::design(varies, Design::Grid).expect("points");
    let system = System { name: "", scenario: &pair(), units };
    Sweep::new(&[system], points, &measures, shard).expect("a sweep").0
}

fn run(sweep: &Sweep<'_>, folder: &Path, workers: usize) -> Done {
    sweep.run(folder, workers, &mut |_, _| {}).expect("rows")
}

/// Each row has the bits of `macrostep run` with the same values, though its FMUs have run before.
#[test]
fn rows_are_those_of_single_runs() {
    let out = empty("single");
    let units = Fmus::new(embedded::fmu);
    let sweep = sweep(&units, Shard::WHOLE);
    let done = run(&sweep, &out, 2);
    assert_eq!((done.rows, done.all), (40, 40));
    assert_eq!(done.ways, [Way::Reset]);
    std::fs::write(out.join("pair.toml"), PAIR).expect("a file");
    let scenario = out.join("pair.toml");
    for line in rows(&out).lines().skip(1).step_by(13) {
        let fields: Vec<&str> = line.split(',').collect();
        let (k1, k2) = (format!("left.k={}", fields[0]), format!("right.k={}", fields[1]));
        let single = macrostep(&["run", scenario.to_str().expect("UTF-8"), "--json", "--set", &k1, "--set", &k2]);
        let single: serde_json::Value = serde_json::from_slice(&single.stdout).expect("JSON");
        assert_eq!(single["final"]["left.x"].as_f64(), fields[2].parse().ok(), "{line}");
        assert_eq!(fields[6], "ok");
    }
}

/// Order and bits do not depend on the number of workers, on an end in the middle of a row, or on a division into parts.
#[test]
fn rows_do_not_depend_on_how_they_are_made() {
    let units = Fmus::new(embedded::fmu);
    let whole = sweep(&units, Shard::WHOLE);
    let [one, many, ended, merged] = ["one", "many", "ended", "merged"].map(empty);
    run(&whole, &one, 1);
    run(&whole, &many, 7);
    assert_eq!(rows(&one), rows(&many));
    // What a killed program leaves: whole rows and a part of one.
    run(&whole, &ended, 1);
    let text = rows(&ended);
    std::fs::write(ended.join("runs.csv"), &text[..text.len() / 2]).expect("written");
    let done = run(&whole, &ended, 2);
    assert!(!done.ways.is_empty());
    assert_eq!(rows(&ended), text);
    assert_eq!(run(&whole, &ended, 2).ways, [], "nothing is left to run");
    // Parts, one of them missing first.
    let parts = ["part1", "part2", "part3"].map(empty).to_vec();
    for (i, part) in parts.iter().enumerate() {
        run(&sweep(&units, Shard { index: i as u64 + 1, of: 3 }), part, 2);
    }
    let error = merge(&parts[..2], &merged).expect_err("a part is missing").to_string();
    assert!(error.contains("parts [1, 2] of 3"), "{error}");
    merge(&[parts[2].clone(), parts[0].clone(), parts[1].clone()], &merged).expect("merged");
    assert_eq!(rows(&merged), text);
}

/// Rows that somebody has changed, doubled or taken away are not taken for those of the points.
#[test]
fn rows_that_were_changed_are_refused() {
    let units = Fmus::new(embedded::fmu);
    let (whole, folder) = (sweep(&units, Shard::WHOLE), empty("changed"));
    run(&whole, &folder, 1);
    let text = rows(&folder);
    let lines: Vec<&str> = text.lines().collect();
    let written = |lines: &[&str]| std::fs::write(folder.join("runs.csv"), lines.join("\n") + "\n").expect("written");
    let refused = || whole.run(&folder, 1, &mut |_, _| ()).expect_err("other rows").to_string();
    // A row is missing, one is there twice, two have changed places, one has another point.
    let without: Vec<&str> = [&lines[..2], &lines[3..]].concat();
    let doubled: Vec<&str> = [&lines[..3], &lines[2..]].concat();
    let mut exchanged = lines.clone();
    exchanged.swap(1, 2);
    let edited = lines[1].split_once(',').expect("fields").1;
    let edited = format!("77,{edited}");
    let other: Vec<&str> = [&lines[..1], &[edited.as_str()], &lines[2..]].concat();
    for (changed, row) in
        [(&without, "row 2: `"), (&doubled, "expected at most"), (&exchanged, "row 1: `"), (&other, "is 77, expected")]
    {
        written(changed);
        let error = refused();
        assert!(error.contains(row) && error.contains("--out"), "{error}");
        // A merge knows as much rows, and no system.
        if changed.len() == lines.len() {
            let error = merge(std::slice::from_ref(&folder), &empty("merged2")).expect_err("other rows").to_string();
            assert!(error.contains("not those of its points"), "{error}");
        }
    }
    // Cut behind whole rows it goes on.
    written(&lines[..3]);
    run(&whole, &folder, 1);
    assert_eq!(rows(&folder), text);
}

#[test]
fn parts_are_merged_without_a_system() {
    let folders = ["part1", "part2", "whole", "together"].map(empty);
    let [part1, part2, whole, together] = folders.each_ref().map(|folder| folder.to_str().expect("UTF-8"));
    for (shard, out) in [("1/2", part1), ("2/2", part2), ("1/1", whole)] {
        let varied =
            ["sweep", "case-1", "--vary", "mass1.k=log:1e-1:1e1:3", "--measure", "top=max(mass1.x)", "--stop", "0.1"];
        let made = macrostep(&[&varied[..], &["--no-pictures", "--shard", shard, "--out", out]].concat());
        assert!(made.status.success(), "{made:?}");
    }
    let merged = macrostep(&["sweep", "--no-pictures", "--merge", part1, part2, "--out", together]);
    assert!(merged.status.success(), "{merged:?}");
    assert_eq!(rows(&folders[3]), rows(&folders[2]));
    let levels: Vec<String> =
        rows(&folders[2]).lines().skip(1).map(|l| l.split(',').next().expect("k").to_owned()).collect();
    assert_eq!(levels, ["0.1", "1", "10"]);
    // Without parts a system is needed.
    let refused = macrostep(&["sweep", "--out", together]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no SYSTEM"), "{refused:?}");
}

/// The macro step and the words of the method are varied like values; a run that diverges is a row, and others go on.
#[test]
fn methods_are_varied_and_divergence_is_a_row() {
    let out = empty("methods");
    let path = out.join("pair.toml");
    std::fs::write(&path, PAIR).expect("a file");
    let (path, result) = (path.to_str().expect("UTF-8"), out.join("out"));
    let result = result.to_str().expect("UTF-8");
    let common =
        ["--vary", "predict=hold,quadratic", "--vary", "step=0.001,0.01", "--stop", "2", "--set", "left.k_c=1e6"];
    let measure =
        ["--measure", "end=last(left.x)", "--measure", "late=crossing(left.x,1e9)", "--out", result, "--no-pictures"];
    let output = macrostep(&[&["sweep", path][..], &common, &measure].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = rows(Path::new(result));
    let statuses: Vec<&str> = text.lines().skip(1).filter_map(|line| line.splitn(5, ',').nth(4)).collect();
    assert_eq!(statuses.len(), 4, "{text}");
    assert!(statuses.iter().any(|status| status.contains("diverged: ")), "{text}");
    assert!(text.lines().all(|line| !line.contains("NaN")), "{text}");
}

/// Distances are in the unit of the variable whatever the file's; work is counted in every run, also of simulations that have run before.
#[test]
fn references_have_units_and_work_is_counted() {
    let out = empty("measures");
    let path = |name: &str| out.join(name).to_str().expect("UTF-8").to_owned();
    std::fs::write(path("pair.toml"), PAIR).expect("a file");
    std::fs::write(path("m.csv"), "time,left.x\n0.1,0.05\n0.2,\n0.35,0.1\n").expect("a file");
    std::fs::write(path("mm.csv"), "time [ms],left.x [mm]\n100,50\n200,\n350,100\n").expect("a file");
    let measures = [
        format!("a=distance(left.x,{})", path("m.csv")),
        format!("b=distance(left.x,{})", path("mm.csv")),
        format!("c=deviation(left.x,{},left.x)", path("mm.csv")),
        "calls=do_steps()".to_owned(),
    ];
    let typed = measures.iter().flat_map(|text| ["--measure", text]);
    let words: Vec<&str> = ["--vary", "left.k=lin:5:15:12", "--no-pictures"].into_iter().chain(typed).collect();
    let output = macrostep(&[&["sweep", &path("pair.toml"), "--out", &path("out")][..], &words].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for line in rows(&out.join("out")).lines().skip(1) {
        let fields: Vec<f64> = line.split(',').take(5).map(|text| text.parse().expect("a number")).collect();
        let [a, b, c] = [fields[1], fields[2], fields[3]];
        assert!((a - b).abs() < 1e-12 && a > 1e-4, "{line}");
        // The largest of two differences lies between their root mean square and √2 times it.
        assert!(c >= a && c <= a * 2.0_f64.sqrt() * (1.0 + 1e-12), "{line}");
        assert_eq!(fields[4], 100.0, "50 macro steps of two FMUs");
    }
    // A unit that is none of the variable's.
    std::fs::write(path("kg.csv"), "time,left.x [kg]\n0.1,0.05\n").expect("a file");
    let measure = format!("a=distance(left.x,{})", path("kg.csv"));
    let output =
        macrostep(&["sweep", &path("pair.toml"), "--vary", "left.k=1,2", "--measure", &measure, "--out", &path("kg")]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && stderr.contains("is in `kg`"), "{stderr}");
}

/// Rows as Parquet where the program can write it; where it cannot, that is said before the first run.
#[test]
fn rows_go_to_parquet_or_it_is_said_before() {
    let out = empty("parquet");
    let path = |name: &str| out.join(name).to_str().expect("UTF-8").to_owned();
    std::fs::write(path("pair.toml"), PAIR).expect("a file");
    let words =
        ["--vary", "left.k=1,2", "--measure", "x=last(left.x)", "--no-pictures", "--parquet", &path("x.parquet")];
    let made = || macrostep(&[&["sweep", &path("pair.toml"), "--out", &path("out")][..], &words].concat());
    let output = made();
    if cfg!(feature = "parquet") {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let read = || std::fs::read(path("x.parquet")).expect("a file");
        let bytes = read();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
        // What a killed program leaves: a part of the rows, and no Parquet file or half of one. The same command makes the same file.
        let text = rows(&out.join("out"));
        std::fs::write(out.join("out/runs.csv"), &text[..text.len() - 5]).expect("written");
        std::fs::write(path("x.parquet"), &bytes[..bytes.len() / 2]).expect("written");
        let output = made();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(rows(&out.join("out")) == text && read() == bytes);
        return;
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && stderr.contains("without the feature `parquet`"), "{stderr}");
    assert!(!out.join("out").exists());
}

/// What makes no sense is said in one sentence before the first run, and nothing is left behind.
#[test]
fn nonsense_is_refused_before_the_first_run() {
    let out = empty("nonsense");
    let path = out.join("pair.toml");
    std::fs::write(&path, PAIR).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let target = out.join("out");
    let target = target.to_str().expect("UTF-8");
    let good = ["--vary", "left.k=1,2", "--measure", "a=last(left.x)"];
    let cases: [(&[&str], &str); 12] = [
        (&["--vary", "left.q=1,2", "--measure", "a=last(left.x)"], "no variable `q`"),
        (&["--vary", "middle.k=1,2", "--measure", "a=last(left.x)"], "no unit `middle`"),
        (&["--vary", "left.k=lin:2:1:3", "--measure", "a=last(left.x)"], "reversed"),
        (&["--vary", "left.k=lin:1:2", "--measure", "a=last(left.x)"], "needs a number of values"),
        (&["--vary", "left.integrator=magic,exact", "--measure", "a=last(left.x)"], "expected one of"),
        (&["--vary", "left.x=1,2", "--measure", "a=last(left.x)"], "cannot be set"),
        (&["--vary", "predict=cubic", "--measure", "a=last(left.x)"], "expected"),
        (&["--vary", "left.k=1,2", "--measure", "a=last(left.y)"], "left.y"),
        (&["--vary", "left.k=1,2"], "nothing is measured"),
        (&["--measure", "a=last(left.x)"], "nothing is varied"),
        (&["--vary", "left.k=1,2", "--design", "sobol", "--measure", "a=last(left.x)"], "--samples"),
        (&["--vary", "left.k=1,2", "--measure", "a=distance(left.x, none.csv)"], "none.csv"),
    ];
    for (arguments, why) in cases {
        let output = macrostep(&[&["sweep", path, "--out", target][..], arguments].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains(why), "{arguments:?}: {stderr}");
        assert!(!Path::new(target).join("runs.csv").exists(), "{arguments:?}");
    }
    // Another sweep does not go into the same folder.
    let other = ["--vary", "left.k=1,3", "--measure", "a=last(left.x)"];
    assert!(macrostep(&[&["sweep", path, "--out", target][..], &good].concat()).status.success());
    let output = macrostep(&[&["sweep", path, "--out", target][..], &other].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("holds another sweep"), "{stderr}");
}

#[cfg(target_os = "linux")]
mod foreign {
    use super::{empty, macrostep, rows};
    use crate::make::{XML, fmu};

    /// One FMU made for the test, alone in a system.
    fn system(name: &str, defines: &[(&str, &str)]) -> (String, String) {
        let folder = empty(name);
        std::fs::write(folder.join("slave.fmu"), fmu(XML, defines)).expect("an FMU");
        let text = include_str!("../cases/sweep/one-slave.toml");
        std::fs::write(folder.join("s.toml"), text).expect("a scenario");
        let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
        (path("s.toml"), path("out"))
    }

    /// `fmi2Reset` of this FMU leaves something behind: it is noticed, and every run has new instances.
    #[test]
    fn a_reset_that_leaves_something_behind_is_noticed() {
        let (path, out) = system("behind", &[("AT_EXIT", "s->m++; s->x = s->m")]);
        let output = macrostep(&[
            "sweep",
            &path,
            "--vary",
            "s.u=lin:1:2:12",
            "--measure",
            "x=last(s.x)",
            "--out",
            &out,
            "--json",
        ]);
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(result["brought_back_by"], "new instances");
        for line in rows(out.as_ref()).lines().skip(1) {
            let [u, x]: [f64; 2] = [0, 1].map(|i| line.split(',').nth(i).expect("a field").parse().expect("a number"));
            assert!((x - (1.0 + u)).abs() < 1e-12, "{line}");
        }
    }

    /// What is a text over time is no measure.
    #[test]
    fn a_text_is_no_measure() {
        let (path, out) = system("text", &[]);
        for (measure, why) in
            [("a=last(s.text)", "`s.text` is a text, expected a number"), ("a=max(s.y)", "`s.y` is no variable")]
        {
            let output = macrostep(&["sweep", &path, "--vary", "s.u=1,2", "--measure", measure, "--out", &out]);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && stderr.contains(why), "{stderr}");
        }
    }

    /// A run that hangs and one that crashes are rows; those after them are made.
    #[test]
    fn what_hangs_or_crashes_is_a_row() {
        let defines = [("AT_EVERY_STEP", "if (s->u > 2.5) for (;;) sleep(1); if (s->u > 1.5) raise(SIGSEGV)")];
        let (path, out) = system("hangs", &defines);
        let output = macrostep(&[
            "sweep",
            &path,
            "--vary",
            "s.u=1,2,3,0.5",
            "--measure",
            "x=last(s.x)",
            "--out",
            &out,
            "--isolate",
            "--call-limit",
            "1",
        ]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = rows(out.as_ref());
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let is = |i: usize, status: &str| lines[i].contains(status);
        assert!(lines.len() == 4 && is(0, ",ok") && is(1, "failed: ") && is(2, "failed: ") && is(3, ",ok"), "{text}");
    }
}
