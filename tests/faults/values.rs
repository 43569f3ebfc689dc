//! Values of an FMU that FMI does not allow, and inputs of the user that make no sense: each is reported.

use crate::make;
use crate::run::{Left, macrostep};

/// `simulate` and, where there are no options, `run`; each in this process and in one of the slave's own.
fn ways(name: &str, defines: &[(&str, &str)], options: &[&str]) -> Vec<Left> {
    let folder = make::folder(name);
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, defines)).expect("the FMU");
    let system = "[experiment]\nstop = 1\nstep = 0.1\n[units.slave]\nfmu = \"slave.fmu\"\n";
    std::fs::write(folder.join("s.toml"), system).expect("the scenario");
    let simulate = [&["simulate", "slave.fmu", "--out", "out"][..], options].concat();
    let run = vec!["run", "s.toml", "--out", "out", "--no-pictures"];
    let commands = if options.is_empty() { vec![simulate, run] } else { vec![simulate] };
    let with = |isolate: &'static [&'static str]| {
        let folder = &folder;
        commands.iter().map(move |command| macrostep(folder, &[command.as_slice(), isolate].concat()))
    };
    with(&[]).chain(with(&["--isolate"])).collect()
}

#[test]
fn the_version_of_a_library_is_looked_at_in_every_run() {
    for (name, defines, says) in [
        ("values_version", ("VERSION", "\"1.0\""), "fmi2GetVersion returned `1.0`, expected `2.0`"),
        ("values_no_version", ("VERSION", "NULL"), "fmi2GetVersion returned `NULL`, expected `2.0`"),
        ("values_platform", ("PLATFORM", "\"mine\""), "fmi2GetTypesPlatform returned `mine`, expected `default`"),
        ("values_no_platform", ("PLATFORM", "NULL"), "fmi2GetTypesPlatform returned `NULL`, expected `default`"),
    ] {
        for left in ways(name, &[defines], &[]) {
            assert_eq!(left.code, Some(0), "{left:#?}");
            assert_eq!(left.stderr.matches(says).count(), 1, "{left:#?}");
            assert!(left.stderr.contains("warning: unit `slave`: library `binaries/linux64/hostile.so`"), "{left:#?}");
        }
    }
}

#[test]
fn values_of_no_type_are_told_once() {
    let recorded = ["--output-variable", "flag", "--output-variable", "text"];
    for left in ways("values_odd", &[("AT_SETUP", "s->b = 7; s->text[0] = (char)0xff")], &recorded) {
        assert_eq!(left.code, Some(0), "{left:#?}");
        for says in [
            "unit `slave`: `flag` is 7 by fmi2GetBoolean, expected 0 or 1",
            "unit `slave`: `text` is NULL by fmi2GetString, expected text",
            "unit `slave`: `text` has bytes by fmi2GetString that are no UTF-8",
        ] {
            assert_eq!(left.stderr.matches(says).count(), 1, "{says}: {left:#?}");
        }
    }
}

/// A result with numbers that are none is not ok, and one that ends with them is a failure.
#[test]
fn recorded_numbers_that_are_none_are_in_the_verdict() {
    for (name, value) in [("nan", "NAN"), ("inf", "-1.0 / 0.0")] {
        let spoilt = format!("value[0] = {value}");
        let deed = [("AT_GET", spoilt.as_str())];
        for left in ways(&format!("values_{name}"), &deed, &[]) {
            assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(11)), "{left:#?}");
            let says = format!("x` is {} at t = 0.5 s, and what is recorded is not finite in 1 row\n", value_of(value));
            assert!(left.stderr.contains("warning: doubtful: `") && left.stderr.contains(&says), "{left:#?}");
        }
        for left in ways(&format!("values_{name}_at_end"), &deed, &["--stop", "0.5"]) {
            assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(1), Some(6)), "{left:#?}");
            let says = format!(
                "x` is {} at t = 0.5 s, and what is recorded is not finite in 1 row, the last",
                value_of(value)
            );
            assert!(left.error().contains(&says), "{left:#?}");
        }
    }
}

/// 20-sim's FMUs warn where they are given a function for steps that run on beside the caller: only those that have such steps get it.
#[test]
fn a_function_for_the_end_of_steps_is_for_those_that_run_on() {
    let deed = "if (back->finished != NULL) back->log(back->environment, name, 1, \"all\", \"no such steps here\")";
    for left in ways("values_finished", &[("AT_INSTANTIATE", deed)], &[]) {
        assert!(left.code == Some(0) && !left.stderr.contains("fmi2Warning"), "{left:#?}");
    }
    // What is logged is told with the call that it was logged in.
    let folder = make::folder("values_finished_too");
    let xml = make::XML.replace("canHandle", "canRunAsynchronuously=\"true\" canHandle");
    std::fs::write(folder.join("slave.fmu"), make::fmu(&xml, &[("AT_INSTANTIATE", deed)])).expect("the FMU");
    let left = macrostep(&folder, &["simulate", "slave.fmu", "--step", "0.1", "--stop", "1"]);
    let says = "unit `slave`: fmi2Warning: fmi2Instantiate at t = 0 s: no such steps here";
    assert!(left.code == Some(0) && left.stderr.matches(says).count() == 1, "{left:#?}");
}

/// What was recorded before a checkpoint counts as well.
#[test]
fn a_resumed_run_knows_of_numbers_that_were_none() {
    let folder = make::folder("values_resumed");
    let xml = make::XML.replace("canHandle", "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" canHandle");
    std::fs::write(folder.join("slave.fmu"), make::fmu(&xml, &[("AT_GET", "value[0] = NAN")])).expect("the FMU");
    let run = ["simulate", "slave.fmu", "--out", "out", "--stop", "1", "--step", "0.1"];
    let kept = macrostep(&folder, &[&run[..], &["--checkpoint", "c.ck", "--checkpoint-every", "7"]].concat());
    let again = macrostep(&folder, &[&run[..], &["--resume", "c.ck"]].concat());
    let verdict = |left: &Left| left.stderr.lines().find(|line| line.contains("is not finite")).map(str::to_owned);
    assert_eq!((again.code, verdict(&again)), (Some(0), verdict(&kept)), "{again:#?}");
    assert!(verdict(&kept).is_some_and(|said| said.contains("is NaN at t = 0.5 s")), "{kept:#?}");
}

/// A unit with steps of its own, whose result depends on how they fall into the macro steps and gets no better with smaller ones, is not ok; that of one
/// whose error is halved is.
#[test]
fn what_smaller_macro_steps_do_not_make_better_is_doubtful() {
    for (name, factor, grade) in
        [("stuck", "(lrint(log2(0.1 / h)) % 2 ? 0.9 : 1.0)", "doubtful"), ("halved", "(1.0 + h)", "ok")]
    {
        let folder = make::folder(&format!("values_{name}"));
        let deed = format!("s->x = sin(t + h) * {factor} - h * s->u");
        std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[("AT_EVERY_STEP", &deed)])).expect("the FMU");
        let units = "[units.a]\nfmu = \"slave.fmu\"\n[units.b]\nfmu = \"slave.fmu\"\n";
        let system = format!("[experiment]\nstop = 10\nstep = 0.1\n{units}[connections]\n\"a.u\" = \"b.x\"\n");
        std::fs::write(folder.join("s.toml"), system).expect("the scenario");
        let left = macrostep(&folder, &["run", "s.toml", "--json"]);
        let said: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
        assert_eq!((left.code, said["verdict"]["grade"].as_str()), (Some(0), Some(grade)), "{left:#?}");
        let says = "with a half and a quarter of the macro step differ by 10 % of the signals; smaller macro steps do not make it better";
        assert_eq!(left.stderr.contains(says), grade == "doubtful", "{left:#?}");
    }
}

/// Advice is refused where smaller macro steps change nothing and another schedule does: the error is that of steps which nobody sees.
#[test]
fn no_method_is_advised_for_units_with_longer_steps_of_their_own() {
    let folder = make::folder("values_own_steps");
    let deed = "s->x += (0.1 * (floor((t + h) / 0.1 + 1e-6) - floor(t / 0.1 + 1e-6)) - h) * s->u";
    let deeds = [("AT_SETUP", "s->x = 1"), ("AT_EVERY_STEP", deed)];
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &deeds)).expect("the FMU");
    let units = "[units.a]\nfmu = \"slave.fmu\"\n[units.b]\nfmu = \"slave.fmu\"\n";
    let connections = "[connections]\n\"a.u\" = \"b.x\"\n\"b.u\" = { from = \"a.x\", factor = -1.0 }\n";
    std::fs::write(folder.join("s.toml"), format!("[experiment]\nstop = 2\nstep = 0.1\n{units}{connections}"))
        .expect("the scenario");
    let left = macrostep(&folder, &["advise", "s.toml", "--tolerance", "1e-2", "--limit", "1000"]);
    let says = "smaller macro steps change nothing, and";
    assert!(left.code == Some(1) && left.stderr.contains(says), "{left:#?}");
    assert!(left.stderr.contains("units have longer steps of their own"), "{left:#?}");
}

/// As it is printed.
fn value_of(text: &str) -> &str {
    if text == "NAN" { "NaN" } else { "-inf" }
}

/// A step in parts ends where it should, with the row of a step at once; what does not go on says how far it has come.
#[test]
fn a_step_that_an_fmu_does_a_part_of_is_continued() {
    let half = [("AT_STEP", "s->x += h / 2 * s->u; s->reached = t + h / 2; return DISCARD")];
    let whole = ways("values_whole", &[], &[]).remove(0).rows.expect("rows");
    let number = |row: &String| row.split(',').nth(1).and_then(|x| x.parse::<f64>().ok()).expect("a number");
    for left in ways("values_half", &half, &[]) {
        let rows = left.rows.clone().unwrap_or_default();
        assert_eq!((left.code, rows.len()), (Some(0), 11), "{left:#?}");
        assert!(rows.iter().zip(&whole).all(|(a, b)| (number(a) - number(b)).abs() < 1e-12), "{left:#?}");
    }
}

/// The last row is where the FMU has ended the run, not the communication point before.
#[test]
fn the_row_at_which_an_fmu_ends_the_run_is_recorded() {
    let ends =
        [("AT_STEP", "s->x += h / 2 * s->u; s->reached = t + h / 2; return DISCARD"), ("TERMINATED", "kind == 3")];
    for left in ways("values_terminated", &ends, &["--output-variable", "x"]) {
        assert_eq!(left.code, Some(0), "{left:#?}");
        let rows = left.rows.clone().unwrap_or_default();
        assert_eq!((rows.len(), rows.last().map(String::as_str)), (6, Some("0.45,0.45")), "{left:#?}");
        assert!(left.stderr.contains("warning: unit `slave` has ended the run at t = 0.45 s"), "{left:#?}");
    }
    let at_once = [("AT_STEP", "s->reached = t; return DISCARD"), ("TERMINATED", "kind == 3")];
    for left in ways("values_terminated_at_once", &at_once, &["--output-variable", "x"]) {
        assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(5)), "{left:#?}");
    }
}

#[test]
fn a_column_of_inputs_is_there_once() {
    let folder = make::folder("values_csv");
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    let simulate = |csv: &str| {
        std::fs::write(folder.join("u.csv"), csv).expect("the inputs");
        macrostep(&folder, &["simulate", "slave.fmu", "--input", "u.csv"])
    };
    let left = simulate("time,u,u\n0,1,2\n");
    assert_eq!(left.code, Some(1), "{left:#?}");
    assert!(left.error().contains("inputs `u.csv`: line 1: column `u` is there twice"), "{left:#?}");
    let left = simulate("time,u\n2,1\n3,1\n");
    assert_eq!(left.code, Some(0), "{left:#?}");
    let says = "inputs `u.csv` go from 2 s to 3 s, and the run goes from 0 s to 1 s: no row is within the run";
    assert!(left.stderr.contains(says), "{left:#?}");
    let left = simulate(&format!("time,u\n0,{}\n", "9".repeat(100_000)));
    assert_eq!(left.code, Some(1), "{left:#?}");
    assert!(left.stderr.len() < 500 && left.error().contains("… (100000 bytes)"), "{left:#?}");
}

#[test]
fn a_jump_at_a_communication_point_is_met_whatever_the_rounding() {
    let folder = make::folder("values_jump");
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    // 17 steps of 0.7 ms are 0.011899999999999999 s.
    std::fs::write(folder.join("u.csv"), "time,u\n0,0\n0.0119,0\n0.0119,1\n1,1\n").expect("the inputs");
    let run = ["simulate", "slave.fmu", "--input", "u.csv", "--step", "0.7e-3", "--stop", "0.014", "--out", "out"];
    let left = macrostep(&folder, &[&run[..], &["--output-variable", "x"]].concat());
    let last: Vec<f64> = left
        .rows
        .iter()
        .flatten()
        .map(|row| row.rsplit(',').next().and_then(|x| x.parse().ok()).unwrap_or(f64::NAN))
        .collect();
    assert_eq!((last.len(), last[17]), (21, 0.0), "{left:#?}");
    assert!((last[20] - 0.0021).abs() < 1e-12, "{left:#?}");
}

#[test]
fn a_run_much_shorter_than_its_step_is_refused() {
    let folder = make::folder("values_short");
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    let short = macrostep(&folder, &["simulate", "slave.fmu", "--step", "0.1", "--stop", "1e-12"]);
    let text = "[experiment]\nstop = 1e-12\nstep = 0.1\n[units.a]\nfmu = \"slave.fmu\"\n";
    std::fs::write(folder.join("s.toml"), text).expect("the scenario");
    for left in [short, macrostep(&folder, &["run", "s.toml"])] {
        let says = "less than a millionth of a macro step of 0.1 s";
        assert!(left.code == Some(1) && left.error().contains(says), "{left:#?}");
    }
    // A negative value is one, not an option.
    let negative =
        ["simulate", "slave.fmu", "--step", "0.1", "--stop", "1e-3", "--start-value", "u", "-3", "--out", "out"];
    let left = macrostep(&folder, &negative);
    let rows = left.rows.clone().unwrap_or_default();
    assert_eq!((left.code, rows.len()), (Some(0), 2), "{left:#?}");
    let last: Vec<f64> = rows[1].split(',').take(2).filter_map(|x| x.parse().ok()).collect();
    assert!(last[0] == 1e-3 && (last[1] + 3e-3).abs() < 1e-15, "{left:#?}");
}

#[test]
fn an_error_before_the_first_row_is_all_that_is_said() {
    let folder = make::folder("values_messages");
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[("AT_EXIT", "return ERROR")])).expect("the FMU");
    let left = macrostep(&folder, &["simulate", "slave.fmu"]);
    assert_eq!((left.code, left.stdout.as_str()), (Some(1), ""), "{left:#?}");
    let left = macrostep(&folder, &["simulate", "nofile.fmu"]);
    assert_eq!(left.error().matches("nofile.fmu").count(), 1, "{left:#?}");
    let huge = "7".repeat(10_000);
    let left = macrostep(&folder, &["simulate", "slave.fmu", "--start", &format!("flag={huge}")]);
    assert!(left.code == Some(2) && left.stderr.len() < 500, "{left:#?}");
    let left = macrostep(&folder, &["simulate", "slave.fmu", "--parquet", "x.parquet"]);
    assert!(left.code == Some(2) && left.error().contains("`--parquet` needs `--out`"), "{left:#?}");
}

#[test]
fn a_step_that_stays_pending_names_the_option_that_gives_it_longer() {
    for left in ways("values_pending", &[("AT_STEP", "return PENDING")], &["--call-limit", "0.2"]) {
        assert_eq!(left.code, Some(1), "{left:#?}");
        let error = left.error();
        assert!(error.contains("--call-limit") && !error.contains("was not called"), "{error}");
    }
}
