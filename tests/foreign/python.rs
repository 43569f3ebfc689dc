//! FMUs written in Python: where the interpreter comes from, which packages it needs, and tracebacks. No Python is needed: an interpreter is a script that
//! answers, its library one of a single function. Real ones are in `tests/judges/third-party.sh`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::make;
use crate::run::macrostep;

/// What the slave does in each step; the function is none of its own, as those of Python are in an FMU of PythonFMU. x' = u.
const CALLS: (&str, &str) = ("AT_EVERY_STEP", "extern int Py_IsInitialized(void); s->u = Py_IsInitialized()");

/// A script in the place of an interpreter.
fn script(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the script");
    std::fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("it can be started");
}

/// An interpreter whose library gives `number`.
fn interpreter(folder: &Path, name: &str, number: u32) {
    let source = folder.join(format!("{name}.c"));
    std::fs::write(&source, format!("int Py_IsInitialized(void) {{ return {number}; }}\n")).expect("its source");
    let library = folder.join(format!("lib{name}.so"));
    std::fs::write(&library, make::compiled(source.to_str().expect("UTF-8"), &[])).expect("its library");
    script(folder, &format!("{name}/bin/python"), &format!("echo {}\necho /usr", library.display()));
}

/// The last value of `x` of each unit.
fn last(rows: &[String]) -> Vec<f64> {
    let numbers = rows.last().expect("a row").split(',').skip(1).map(|x| x.parse().expect("a number"));
    numbers.collect()
}

#[test]
fn a_unit_names_the_interpreter_it_runs_in() {
    let folder = make::folder("python_key");
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[CALLS])).expect("the FMU");
    interpreter(&folder, "two", 2);
    interpreter(&folder, "five", 5);
    script(&folder, "broken/python", "echo 'no module named site' >&2; exit 1");
    let system = |units: &[&str]| {
        let unit = |(n, python): (usize, &&str)| {
            format!("[units.u{n}]\nfmu = \"slave.fmu\"\npython = \"{python}\"\nset = {{ u = 1 }}\n")
        };
        let units: String = units.iter().enumerate().map(unit).collect();
        let text = format!("[experiment]\nstop = 1\nstep = 0.1\n{units}[record]\nvariables = [\"*.x\"]\n");
        std::fs::write(folder.join("s.toml"), text).expect("the scenario");
    };
    let run = |file: &str, more: &[&str]| {
        macrostep(&folder, &[&["run", file, "--no-pictures", "--out", "out"], more].concat())
    };
    // A path begins in the folder of the scenario; what others are on the path does not matter.
    for more in [&[][..], &["--isolate"]] {
        system(&["five/bin/python"]);
        let left = run("s.toml", more);
        assert_eq!(left.code, Some(0), "{left:#?}");
        assert!((last(&left.rows.expect("rows"))[0] - 5.0).abs() < 1e-12);
        // One that does not work is named, and no other one is taken.
        system(&["broken/python"]);
        let left = run("s.toml", more);
        assert!(
            left.code == Some(1) && left.stderr.contains("broken/python`: it does not answer: no module named site"),
            "{left:#?}"
        );
        assert!(left.stderr.contains("the key `python` of the unit"), "{left:#?}");
    }
    // A process has one interpreter.
    system(&["two/bin/python", "five/bin/python"]);
    let left = run("s.toml", &[]);
    let named = ["s.toml:", "`u1`", "two/bin/python", "five/bin/python", "`--isolate`"];
    assert!(left.code == Some(1) && named.iter().all(|name| left.stderr.contains(name)), "{left:#?}");
    let left = run("s.toml", &["--isolate"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    let found = last(&left.rows.expect("rows"));
    assert!((found[0] - 2.0).abs() < 1e-12 && (found[1] - 5.0).abs() < 1e-12, "{found:?}");
    // The key goes through SSP and back; the option is for units without it.
    system(&["five/bin/python"]);
    assert_eq!(macrostep(&folder, &["convert", "s.toml", "s.ssp"]).code, Some(0));
    let left = run("s.ssp", &["--python", "broken/python"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    assert!((last(&left.rows.expect("rows"))[0] - 5.0).abs() < 1e-12);
    let explained = macrostep(&folder, &["explain", "s.toml"]);
    assert!(
        explained.stdout.contains("`u0` runs in the Python of `") && explained.stdout.contains("five/bin/python"),
        "{explained:#?}"
    );
}

#[test]
fn an_fmu_of_this_program_takes_no_interpreter() {
    let folder = make::folder("python_embedded");
    let text = include_str!("../cases/foreign/python-key.toml");
    std::fs::write(folder.join("s.toml"), text).expect("the scenario");
    let left = macrostep(&folder, &["run", "s.toml", "--no-pictures", "--out", "out"]);
    assert!(left.code == Some(1) && left.stderr.contains("s.toml:6:10: `python` of unit `a`"), "{left:#?}");
}

/// FMUs of UniFMU start `python3` and would wait for it for ever.
#[test]
fn missing_packages_are_told_before_the_fmu_waits_for_them() {
    let folder = make::folder("python_packages");
    let launch = |backend: &str| {
        let text = format!(
            "backend = \"{backend}\"\n\n[grpc]\nlinux = [\"python3\", \"a.py\"]\n\n[zmq]\nlinux = [\"python3\", \"b.py\"]\n"
        );
        let (xml, library) = (make::XML.as_bytes(), make::library(&[]));
        let entries =
            [("modelDescription.xml", xml), (make::LIBRARY, &library), ("resources/launch.toml", text.as_bytes())];
        std::fs::write(folder.join("slave.fmu"), make::archive(&entries)).expect("the FMU");
    };
    script(
        &folder,
        "without/python3",
        "case \"$2\" in *zmq*) echo \"ModuleNotFoundError: No module named 'zmq'\" >&2; exit 1;; esac",
    );
    script(&folder, "with/python3", "");
    let simulate = |python: &str, more: &[&str]| {
        macrostep(&folder, &[&["simulate", "slave.fmu", "--out", "out", "--python", python], more].concat())
    };
    for more in [&[][..], &["--isolate"]] {
        launch("zmq");
        let left = simulate("without/python3", more);
        let told = ["`pyzmq`", "No module named 'zmq'", "python3 -m pip install pyzmq", "`--python`"];
        assert!(left.code == Some(1) && told.iter().all(|words| left.stderr.contains(words)), "{left:#?}");
        assert_eq!(simulate("with/python3", more).code, Some(0));
        launch("grpc");
        assert_eq!(simulate("without/python3", more).code, Some(0));
    }
}

#[test]
fn a_traceback_is_told_whole() {
    let folder = make::folder("python_traceback");
    let lines: String = (0..20).map(|n| format!("  File step.py, line {n}, in deep{n}@")).collect();
    let text = |head: &str| format!("{head}:@{lines}ValueError: too far");
    // No quotes and line ends in a macro of the command line of a compiler.
    let step = |head: &str| {
        let text = text(head).replace('@', "\\n");
        ("AT_STEP", format!("s->back->log(s->back->environment, \"a\", 3, \"b\", \"%s\", \"{text}\"); return ERROR"))
    };
    for (head, is_whole) in [("Traceback (most recent call last)", true), ("What it says of itself", false)] {
        let (name, code) = step(head);
        std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[(name, &code)])).expect("the FMU");
        let left = macrostep(&folder, &["simulate", "slave.fmu", "--out", "out", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
        let expected = text(head).replace('@', "\\n");
        for said in [left.stderr.as_str(), json["error"].as_str().expect("an error")] {
            assert_eq!(said.contains(&expected), is_whole, "{said}");
            assert!(said.contains("ValueError: too far"), "{said}");
        }
    }
}
