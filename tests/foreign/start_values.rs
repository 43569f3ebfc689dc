//! Start values reach the run, with any handling of parameters before initialisation by the FMU.

use macrostep_description::Value;
use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::{Start, Unit};
use macrostep_master::{Grid, Method, Simulation, System};

use crate::make;
use crate::run::macrostep;

/// `u` is a parameter: x' = u.
fn xml() -> String {
    make::replaced(
        r#"name="u" valueReference="0" causality="input" variability="continuous""#,
        r#"name="u" valueReference="0" causality="parameter" variability="fixed" initial="exact""#,
    )
}

/// Gives all its parameters the declared values again in `fmi2SetupExperiment`.
const RESETS: (&str, &str) = ("AT_SETUP", "s->u = 1; s->b = 0; strcpy(s->text, \"declared\")");

const SYSTEM: &str = "[experiment]\nstop = 1\nstep = 0.1\n[units.slave]\nfmu = \"slave.fmu\"\n";

#[test]
fn they_are_set_after_an_fmu_has_reset_its_parameters() {
    let folder = make::folder("start_values_reset");
    std::fs::write(folder.join("slave.fmu"), make::fmu(&xml(), &[RESETS])).expect("the FMU");
    std::fs::write(folder.join("s.toml"), format!("{SYSTEM}set = {{ u = 3 }}\n")).expect("the scenario");
    for isolate in [&[][..], &["--isolate"]] {
        let starts = ["--start", "u=3", "--start", "flag=true", "--start", "text=told"];
        let recorded = ["--output-variable", "x", "--output-variable", "flag", "--output-variable", "text"];
        let simulate = [&["simulate", "slave.fmu", "--out", "out"][..], &starts, &recorded, isolate].concat();
        let left = macrostep(&folder, &simulate);
        let rows = left.rows.clone().unwrap_or_default();
        assert_eq!((left.code, rows.len()), (Some(0), 11), "{left:#?}");
        assert_eq!(rows[0], "0,0,1,told", "{left:#?}");
        let x: f64 = rows[10].split(',').nth(1).and_then(|x| x.parse().ok()).expect("x");
        assert!((x - 3.0).abs() < 1e-12, "{left:#?}");

        for (set, slope) in [(&[][..], 3.0), (&["--set", "slave.u=4"], 4.0)] {
            let left =
                macrostep(&folder, &[&["run", "s.toml", "--out", "out", "--no-pictures"][..], set, isolate].concat());
            let rows = left.rows.clone().unwrap_or_default();
            assert_eq!((left.code, rows.len()), (Some(0), 11), "{left:#?}");
            let x: f64 = rows[10].split(',').nth(1).and_then(|x| x.parse().ok()).expect("x");
            assert!((x - slope).abs() < 1e-12, "{left:#?}");
        }
    }
}

/// Section 4.2.4 allows a parameter to be set before initialisation mode only.
#[test]
fn an_fmu_that_is_strict_about_its_states_accepts_them() {
    let folder = make::folder("start_values_strict");
    let strict = [
        ("AT_SETUP", "depth = 1"),
        ("AT_ENTER", "depth = 2"),
        ("AT_SET", "if (n && vr[0] == 0 && depth != 1) return ERROR"),
    ];
    std::fs::write(folder.join("slave.fmu"), make::fmu(&xml(), &strict)).expect("the FMU");
    std::fs::write(folder.join("s.toml"), format!("{SYSTEM}set = {{ u = 3 }}\n")).expect("the scenario");
    let left = macrostep(&folder, &["simulate", "slave.fmu", "--start", "u=3", "--out", "out"]);
    assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(11)), "{left:#?}");
    let left = macrostep(&folder, &["run", "s.toml", "--out", "out", "--no-pictures"]);
    assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(11)), "{left:#?}");
}

#[test]
fn a_value_that_is_refused_is_named_with_where_it_comes_from() {
    let folder = make::folder("start_values_refused");
    let refuses = [("AT_SET", "if (n && vr[0] == 0) return ERROR")];
    std::fs::write(folder.join("slave.fmu"), make::fmu(&xml(), &refuses)).expect("the FMU");
    std::fs::write(folder.join("s.toml"), format!("{SYSTEM}set = {{ u = 3 }}\n")).expect("the scenario");
    let error = macrostep(&folder, &["simulate", "slave.fmu", "--start", "u=3"]).error();
    assert!(
        error.contains("fmi2SetReal returned fmi2Error") && error.contains("start value of `u`, --start"),
        "{error}"
    );
    let error = macrostep(&folder, &["run", "s.toml"]).error();
    assert!(error.contains("unit `slave`: fmi2SetReal") && error.contains("`u`, s.toml:6:"), "{error}");
}

#[test]
fn they_are_set_again_after_a_reset() {
    let fmu = Fmu::from_bytes("slave.fmu", &make::fmu(&xml(), &[RESETS])).expect("an FMU");
    let mut system = System::new();
    let unit = system.add(Box::new(fmu.instantiate("slave", &FmuOptions::default()).expect("an instance")));
    system.start(unit, Start { reference: 0, value: Value::Real(3.0), origin: "`u`".to_owned() });
    let x = system.channel(unit, &["x"]).expect("a channel");
    let grid = Grid { start_s: 0.0, step_s: 0.1, stop_s: Some(1.0), shares: vec![(1, 1)] };
    let mut simulation = Simulation::new(system, &Method::default(), grid).expect("a simulation");
    simulation.initialise().expect("initialised");
    (0..10).for_each(|_| _ = simulation.step().expect("a step"));
    assert!((simulation.latest(x)[0] - 3.0).abs() < 1e-12);
    simulation.restart(|_, _| Ok(())).expect("begun anew");
    (0..10).for_each(|_| _ = simulation.step().expect("a step"));
    assert!((simulation.latest(x)[0] - 3.0).abs() < 1e-12);
    // What is said on beginning anew comes after the start values.
    simulation.restart(|_, slave: &mut dyn Unit| Ok(slave.set_real(&[0], &[5.0])?)).expect("begun anew");
    (0..10).for_each(|_| _ = simulation.step().expect("a step"));
    assert!((simulation.latest(x)[0] - 5.0).abs() < 1e-12);
}

/// NaN as a declared start is told as long as nothing else is set.
#[test]
fn a_declared_start_that_is_no_number_is_told() {
    let folder = make::folder("start_values_nan");
    let xml = xml();
    let at = xml.find(r#"name="u""#).expect("u");
    let start = at + xml[at..].find(r#"start=""#).expect("its start") + 7;
    let end = start + xml[start..].find('"').expect("its end");
    let xml = format!("{}NaN{}", &xml[..start], &xml[end..]);
    std::fs::write(folder.join("slave.fmu"), make::fmu(&xml, &[])).expect("the FMU");
    std::fs::write(folder.join("s.toml"), SYSTEM).expect("the scenario");
    let run = ["run", "s.toml", "--no-pictures", "--out", "out"];
    let simulate = ["simulate", "slave.fmu", "--out", "out"];
    for (arguments, set) in [(&run[..], ["--set", "slave.u=3"]), (&simulate[..], ["--start", "u=3"])] {
        let left = macrostep(&folder, arguments);
        assert!(left.stderr.contains("declared start values are not finite: `u` = NaN"), "{left:#?}");
        let left = macrostep(&folder, &[arguments, &set[..]].concat());
        assert!(left.code == Some(0) && !left.stderr.contains("not finite"), "{left:#?}");
    }
}

/// An enumeration takes the name or the number of an item, and nothing else.
#[test]
fn a_number_that_is_no_item_of_an_enumeration_is_refused() {
    let folder = make::folder("start_values_items");
    let simulate = |value: &str| {
        let start = format!("integrator={value}");
        let fixed = ["simulate", "embedded:oscillator1_force", "--step", "0.25", "--stop", "0.5", "--out", "out"];
        let _ = std::fs::remove_dir_all(folder.join("out"));
        macrostep(&folder, &[&fixed[..], &["--start", &start]].concat())
    };
    for value in ["0", "4", "-1", "1000", "2147483649", "4294967297", "2.5", "nan", "Exact", ""] {
        let left = simulate(value);
        let expected = format!(
            "`integrator` is `{value}`, expected one of `semi_implicit_euler` (1), `runge_kutta_4` (2), `exact` (3)"
        );
        assert!(left.code == Some(2) && left.stderr.contains(&expected) && left.rows.is_none(), "{left:#?}");
    }
    // Name and number of an item are the same, and items differ.
    let rows = |value: &str| simulate(value).rows.expect("rows");
    assert_eq!(rows("exact"), rows("3"));
    assert_ne!(rows("exact"), rows("1"));
}
