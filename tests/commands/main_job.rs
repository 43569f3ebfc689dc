//! The main job: its table is that of its scenarios, and its rows are theirs.

use crate::run::{error, json, program as macrostep};

/// Values of a column of a CSV file.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines();
    let place = lines.next().and_then(|names| names.split(',').position(|known| known == name)).expect("a column");
    lines.map(|line| line.split(',').nth(place).and_then(|x| x.parse().ok()).expect("a number")).collect()
}

#[test]
fn its_runs_are_scenarios_that_give_what_it_has_printed() {
    let folder = crate::common::folder(module_path!());
    let file = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let done = macrostep(&["--out", &folder.display().to_string()]);
    assert!(done.status.success() && done.stderr.starts_with(b"wrote 96 runs"), "{done:?}");
    // A row for each run, the heads and a line below them not counted, and two in one piece.
    let table = file("table.md");
    let rows: Vec<Vec<&str>> = table.lines().skip(2).map(|line| line.split('|').map(str::trim).collect()).collect();
    assert_eq!(rows.len(), 98);
    let printed = String::from_utf8(done.stdout).expect("UTF-8");
    let all: Vec<serde_json::Value> = serde_json::from_str(&file("summary.json")).expect("JSON");
    assert_eq!(all.len(), 96);
    // Some of them again: the same object, the error of the table, every tenth row.
    for (found, row) in all.iter().zip(&rows).step_by(13) {
        let name = found["scenario"].as_str().expect("a name");
        let (scenario, out) = (folder.join(format!("runs/{name}.toml")), folder.join("again"));
        let (scenario, out) = (scenario.display().to_string(), out.display().to_string());
        let again = json(&["run", &scenario, "--json", "--accept-growth", "--no-pictures", "--out", &out]);
        let but_time = |mut value: serde_json::Value| {
            value["wall_s"] = serde_json::Value::Null;
            value
        };
        assert_eq!(but_time(found.clone()), but_time(again.clone()), "{name}");
        let worst = error(&again, "mass1.x").max(error(&again, "mass2.x"));
        assert!(row.contains(&format!("{worst:.2e}").as_str()), "{name}: {row:?} {worst:e}");
        assert!(again["verdict"]["grade"].as_str().is_some_and(|grade| row.contains(&grade)), "{name}: {row:?}");
        assert!(printed.contains(&format!("{worst:.2e}")), "{name}");
        let (every, tenth) = (file("again/trace.csv"), file(&format!("runs/{name}.csv")));
        let (names, every) = every.split_once('\n').expect("rows");
        let expected = std::iter::once(names).chain(every.lines().step_by(10));
        assert!(tenth.lines().eq(expected), "{name}");
    }
    // The run in one piece has the errors of a co-simulation that does the same.
    let words = ["--integrator", "sie", "--coupling", "f-f", "--predict", "hold", "--step", "1e-3"];
    for (case, row) in ["1", "2"].into_iter().zip(&rows[96..]) {
        let coupled = json(&[&["oscillator", "--json", "--case", case][..], &words].concat());
        let worst = error(&coupled, "mass1.x").max(error(&coupled, "mass2.x"));
        for (found, expected) in [(row[7], worst), (row[8], error(&coupled, "energy"))] {
            assert_eq!(found, format!("{expected:.2e}"), "case {case}");
        }
        let whole = file(&format!("runs/case{case}_one_piece.csv"));
        let x = column(&whole, "mass1.x");
        assert_eq!(x.len(), 1001);
        let off = x.last().expect("a row") - coupled["final"]["mass1.x"].as_f64().expect("a number");
        assert!(off.abs() < 1e-9, "case {case}: {off:e}");
    }
}
