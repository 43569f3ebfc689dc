//! Sweeps whose points are the rows of a table, and whose systems are several.

use super::{PAIR, empty, macrostep, rows};

/// A table names a whole system a row, a file or a cut of a system of this program: each row has the bits of a single run, and time is
/// counted. What is wrong with one of the systems, or beside them, is said with its name.
#[test]
fn a_table_names_systems() {
    let out = empty("systems");
    let path = |name: &str| out.join(name).to_str().expect("UTF-8").to_owned();
    // Two files that differ in the start of a mass.
    let files = [path("pair.toml"), path("other.toml")];
    std::fs::write(&files[0], PAIR).expect("a file");
    std::fs::write(&files[1], PAIR.replace("v0 = -1.0", "v0 = 2.0")).expect("a file");
    let rows_of: String = files.iter().flat_map(|f| ["0.005", "0.01"].map(|h| format!("{f},{h}\n"))).collect();
    std::fs::write(path("table.csv"), format!("system,step\n{rows_of}")).expect("a file");
    let measures = ["--measure", "end=last(right.x)", "--measure", "wall=time()", "--no-pictures"];
    let sweep = |words: &[&str], to: &str| {
        let output = macrostep(&[&["sweep", "--out", &path(to)][..], words, &measures].concat());
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (is_done, said) = sweep(&["--table", &path("table.csv")], "table");
    assert!(is_done, "{said}");
    let made = rows(&out.join("table"));
    let mut ends = Vec::new();
    for line in made.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let single = macrostep(&["run", fields[0], "--json", "--step", fields[1]]);
        let single: serde_json::Value = serde_json::from_slice(&single.stdout).expect("JSON");
        let end: f64 = fields[2].parse().expect("a number");
        assert_eq!(single["final"]["right.x"].as_f64(), Some(end), "{line}");
        assert!(fields[3].parse::<f64>().is_ok_and(|s| s > 0.0 && s < 60.0) && fields[4] == "ok", "{line}");
        ends.push(end);
    }
    assert!(ends.len() == 4 && (ends[0] - ends[2]).abs() > 0.1, "{ends:?}");
    // Cuts of a system of this program, many enough that simulations are brought back.
    let cuts = ["--vary", "system=case-1:f-s,case-1:s-f", "--vary", "step=log:1e-3:1e-2:6", "--stop", "0.1"];
    let measure = ["--measure", "x=last(mass1.x)", "--no-pictures"];
    let output = macrostep(&[&["sweep", "--out", &path("cuts")][..], &cuts, &measure].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let made = rows(&out.join("cuts"));
    let single = macrostep(&["run", "case-1:s-f", "--json", "--step", "1e-2", "--stop", "0.1"]);
    let single: serde_json::Value = serde_json::from_slice(&single.stdout).expect("JSON");
    let last: Vec<&str> = made.lines().last().expect("a row").split(',').collect();
    assert_eq!((last[0], single["final"]["mass1.x"].as_f64()), ("case-1:s-f", last[2].parse().ok()), "{made}");
    // What is wrong.
    for (words, why) in [
        (&["--vary", "system=case-1,crane"][..], "system `case-1`:"),
        (&["--vary", "system=no-such"], "no-such"),
        (&[&files[0], "--vary", &format!("system={}", files[1])], "leave it out"),
        (&["--vary", "step=1,2"], "no SYSTEM"),
    ] {
        let (is_done, said) = sweep(words, "wrong");
        assert!(!is_done && said.contains(why), "{said}");
    }
}

/// The rows of a sweep are the table of another one, which gives the same rows; so is a copy whose measures are cut away.
#[test]
fn rows_are_a_table() {
    let out = empty("table");
    let path = |name: &str| out.join(name).to_str().expect("UTF-8").to_owned();
    std::fs::write(path("pair.toml"), PAIR).expect("a file");
    let sweep = |points: &[&str], to: &str| {
        let measures = ["--measure", "end=last(left.x)", "--measure", "most=max(right.x)", "--no-pictures"];
        let output = macrostep(&[&["sweep", &path("pair.toml"), "--out", &path(to)][..], points, &measures].concat());
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (is_done, said) = sweep(&["--vary", "left.k=log:2:50:3", "--vary", "predict=hold,linear"], "first");
    assert!(is_done, "{said}");
    let first = rows(&out.join("first"));
    let cut: String =
        first.lines().map(|line| line.splitn(3, ',').take(2).collect::<Vec<_>>().join(",") + "\n").collect();
    std::fs::write(path("cut.csv"), cut).expect("a file");
    for (table, to) in [("first/runs.csv", "again"), ("cut.csv", "cut")] {
        let (is_done, said) = sweep(&["--table", &path(table)], to);
        assert!(is_done && rows(&out.join(to)) == first, "{said}");
    }
    // What is no name is told where no `status` says that it is a measure, and a name among measures.
    for (head, why) in [("left.k,end", "`end`: expected UNIT.VARIABLE"), ("left.k,end,step,status", "`step` is after")]
    {
        let rest = "1,".repeat(head.matches(',').count()) + "1";
        std::fs::write(path("wrong.csv"), format!("{head}\n{rest}\n")).expect("a file");
        let (is_done, said) = sweep(&["--table", &path("wrong.csv")], "wrong");
        assert!(!is_done && said.contains(why), "{said}");
    }
}

/// A row has the verdict that a single run has, after the second look too: what a weak coupling misses is acquitted, what differs with half the
/// macro step is not, and what grows is seen by its power bond. `oscillator` says the same of the same runs.
#[test]
fn a_row_has_the_verdict_of_its_run() {
    let out = empty("verdicts");
    let weak = ["--predict", "hold", "--stop", "10"];
    for (cut, expected) in [("f-s", ["ok", "ok", "doubtful"]), ("f-f", ["growing"; 3])] {
        let (steps, system) = (["0.005", "0.02", "0.1"], format!("case-1:{cut}"));
        let set = ["--set", "mass1.k_c=1"];
        let set = if cut == "f-s" { &set[..] } else { &[] };
        let folder = out.join(cut);
        let vary = format!("step={}", steps.join(","));
        let asked = ["sweep", &system, "--vary", &vary, "--measure", "m=max(mass1.x)", "--no-pictures", "--out"];
        let made = macrostep(&[&asked[..], &[folder.to_str().expect("UTF-8")], &weak, set].concat());
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let table = rows(&folder);
        for ((step, grade), row) in steps.iter().zip(expected).zip(table.lines().skip(1)) {
            let status = row.splitn(3, ',').nth(2).expect("a status").trim_start_matches('"');
            assert_eq!(status.split(':').next(), Some(grade), "{row}");
            let single = macrostep(&[&["run", &system, "--json", "--step", step][..], &weak, set].concat());
            let single: serde_json::Value = serde_json::from_slice(&single.stdout).expect("JSON");
            assert_eq!(single["verdict"]["grade"], grade, "{system} {step}");
            let (cut, set) = (["--coupling", cut], if set.is_empty() { &[][..] } else { &["--set", "k_c=1"] });
            let alone = macrostep(&[&["oscillator", "--json", "--step", step][..], &cut, &weak, set].concat());
            let alone: serde_json::Value = serde_json::from_slice(&alone.stdout).expect("JSON");
            assert_eq!(alone["verdict"]["grade"], grade, "oscillator {cut:?} {step}");
        }
    }
}

/// The second look at a row is at the system with the values of the row.
#[test]
fn a_second_look_is_at_the_values_of_the_row() {
    let out = empty("values");
    let method = ["--predict", "hold", "--stop", "10", "--step", "0.1", "--set", "mass1.k_c=1"];
    let asked =
        ["sweep", "case-1:f-s", "--vary", "mass2.k=20,1000", "--measure", "m=max(mass1.x)", "--no-pictures", "--out"];
    let made = macrostep(&[&asked[..], &[out.to_str().expect("UTF-8")], &method].concat());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let grades = ["mass2.k=20", "mass2.k=1000"].map(|set| {
        let single = macrostep(&[&["run", "case-1:f-s", "--json", "--set", set][..], &method].concat());
        let single: serde_json::Value = serde_json::from_slice(&single.stdout).expect("JSON");
        single["verdict"]["grade"].as_str().expect("a grade").to_owned()
    });
    assert!(grades[0] == "ok" && grades[1] != "ok", "{grades:?}");
    let table = rows(&out);
    for (row, grade) in table.lines().skip(1).zip(grades) {
        let status = row.splitn(3, ',').nth(2).expect("a status").trim_start_matches('"');
        assert_eq!(status.split(':').next(), Some(&*grade), "{row}");
    }
}
