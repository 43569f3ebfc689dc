//! Units of measurement where values meet without a connection: they are converted, or the scenario is refused.

use crate::make;
use crate::run::{Left, macrostep};
use std::path::Path;

/// Definitions of the units of these tests.
const UNITS: &str = concat!(
    r#"<UnitDefinitions><Unit name="mm"><BaseUnit m="1" factor="0.001"/></Unit>"#,
    r#"<Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit><Unit name="mm/s"><BaseUnit m="1" s="-1" factor="0.001"/></Unit>"#,
    r#"<Unit name="N"><BaseUnit kg="1" m="1" s="-2"/></Unit><Unit name="kN"><BaseUnit kg="1" m="1" s="-2" factor="1000"/></Unit>"#,
    r#"<Unit name="ms"><BaseUnit s="1" factor="0.001"/></Unit><Unit name="K"><BaseUnit K="1"/></Unit>"#,
    r#"<Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit>"#,
);

/// An FMU with a displacement x, its speed v, a force u that it takes and a stiffness k, in these units.
fn write(folder: &Path, file: &str, [x, v, u]: [&str; 3]) {
    let variable = |name: &str, reference: u32, rest: &str| {
        format!(r#"<ScalarVariable name="{name}" valueReference="{reference}" {rest}/></ScalarVariable>"#)
    };
    let output = |unit: &str| {
        format!(r#"causality="output" variability="continuous" initial="exact"><Real start="0" unit="{unit}""#)
    };
    let of_x = output(v).replace("<Real", "<Real derivative=\"2\"");
    let parameter = r#"causality="parameter" variability="fixed"><Real start="5""#;
    let variables = [
        variable("u", 0, &format!(r#"causality="input" variability="continuous"><Real start="1" unit="{u}""#)),
        variable("x", 1, &output(x)),
        variable("v", 2, &of_x),
        variable("k", 3, parameter),
    ];
    let (before, after) = make::XML.split_once("<UnitDefinitions>").expect("units");
    let after = after
        .split_once("<ModelVariables>")
        .and_then(|(units, rest)| Some((units, rest.split_once("</ModelVariables>")?.1)));
    let (units, after) = after.expect("variables");
    let xml = format!("{before}{UNITS}{units}<ModelVariables>{}</ModelVariables>{after}", variables.concat());
    std::fs::write(folder.join(file), make::fmu(&xml, &[])).expect("the FMU");
}

/// `run` of units `a` and `b` with this beside them.
fn run(folder: &Path, rest: &str) -> Left {
    let text =
        format!("[experiment]\nstop = 1.0\nstep = 0.1\n[units.a]\nfmu = \"a.fmu\"\n[units.b]\nfmu = \"b.fmu\"\n{rest}");
    std::fs::write(folder.join("s.toml"), text).expect("the scenario");
    macrostep(folder, &["run", "s.toml", "--json"])
}

const SPRING: &str = "[connections]\n\"a.u\" = { from = \"s.f\", factor = -1.0 }\n\"b.u\" = \"s.f\"\n\
    [laws.s]\nkind = \"spring-damper\"\nstiffness = 5.0\ndamping = 0.0\ninputs = [\"a.x\", \"a.v\", \"b.x\", \"b.v\"]\noutputs = [\"f\"]\n";

const JOINT: &str = "[coupling]\ncorrect = \"newton\"\n[[constraints]]\nname = \"j\"\nkind = \"equal\"\n\
    first = { position = [\"a.x\"], velocity = [\"a.v\"], force = [\"a.u\"] }\n\
    second = { position = [\"b.x\"], velocity = [\"b.v\"], force = [\"b.u\"] }\n";

const GEAR: &str = "[[maps]]\nfrom = [\"a.v\"]\nto = [\"b.u\"]\nmatrix = [[2.0]]\n\
    reaction = { from = [\"b.x\"], to = [\"a.u\"] }\n";

const MODEL: &str = "[coupling]\nschedule = \"gauss-seidel\"\n[[interface_models]]\nforce = [\"b.v\"]\nspeed = [\"a.v\"]\n\
    position = [\"a.x\"]\nmobility = [\"a.x\"]\nbias = [\"a.v\"]\nto = { speed = [\"b.u\"] }\n";

#[test]
fn values_that_meet_without_a_conversion_are_refused_in_different_units() {
    let folder = make::folder("measures");
    let si = ["m", "m/s", "N"];
    let by_parameter = SPRING.replace("stiffness = 5.0", "stiffness = \"a.k\"");
    let motion = "[units.b.set]\n[units.c]\nfmu = \"b.fmu\"\nmotions = [[\"x\", \"v\"]]\n";
    // What is coupled, the units of both, and what is said.
    let cases = [
        (SPRING, si, ["mm", "mm/s", "N"], "law `s`: `a.x` is in `m`, `b.x` is in `mm`"),
        (
            SPRING,
            ["degC", "m/s", "N"],
            ["K", "m/s", "N"],
            "law `s`: `a.x` is in `degC`, `b.x` is in `K`; units of measurement are not converted",
        ),
        (SPRING, si, ["m", "mm/s", "N"], "law `s`: `a.v` is in `m/s`, `b.v` is in `mm/s`"),
        (SPRING, si, ["m", "m/s", "kN"], "law `s`: `a.u` is in `N`, `b.u` is in `kN`"),
        (&by_parameter, ["mm", "mm/s", "N"], ["mm", "mm/s", "N"], "law `s`: `a.x` is in `mm`, and it computes in SI"),
        (JOINT, si, ["mm", "mm/s", "N"], "constraint `j`: `a.x` is in `m`, `b.x` is in `mm`"),
        (JOINT, si, ["m", "m/s", "kN"], "constraint `j`: `a.u` is in `N`, `b.u` is in `kN`"),
        (JOINT, ["m", "mm/s", "N"], ["m", "mm/s", "N"], "constraint `j`: `a.x` is in `m`, its rate `a.v` is in `mm/s`"),
        (GEAR, si, ["m", "m/s", "kN"], "map with a reaction: `a.v` is in `m/s`, `a.u` is in `N`, `b.u` is in `kN`"),
        (MODEL, ["mm", "m/s", "N"], si, "interface model: `a.x` is in `mm`, and it computes in SI"),
        (motion, si, ["m", "mm/s", "N"], "motions: `c.x` is in `m`, its rate `c.v` is in `mm/s`"),
    ];
    for (rest, a, b, says) in cases {
        write(&folder, "a.fmu", a);
        write(&folder, "b.fmu", b);
        let left = run(&folder, rest);
        assert!(left.code == Some(1) && left.stderr.contains(says), "{says}: {left:#?}");
        assert!(left.stderr.contains("units of measurement are not converted here"), "{left:#?}");
    }
    // A factor may be one of units, too.
    write(&folder, "a.fmu", si);
    write(&folder, "b.fmu", ["m", "m/s", "kN"]);
    let left = run(&folder, &SPRING.replace("\"b.u\" = \"s.f\"", "\"b.u\" = { from = \"s.f\", factor = 1e-3 }"));
    assert!(left.code == Some(0) && !left.stderr.contains("not converted"), "{left:#?}");
    // One unit for both, whatever it is, is none of this.
    for unit in [si, ["mm", "mm/s", "kN"]] {
        write(&folder, "a.fmu", unit);
        write(&folder, "b.fmu", unit);
        for rest in [SPRING, JOINT, GEAR, motion] {
            let left = run(&folder, rest);
            assert!(!left.stderr.contains("not converted"), "{left:#?}");
        }
    }
}

/// What a law subtracts is of one quantity, and its speeds are the rates of its displacements.
#[test]
fn a_law_of_different_quantities_is_refused() {
    let folder = make::folder("measures-law");
    for file in ["a.fmu", "b.fmu"] {
        write(&folder, file, ["m", "m/s", "N"]);
    }
    let usual = "\"a.x\", \"a.v\", \"b.x\", \"b.v\"";
    let cases = [
        ("\"a.v\", \"a.x\", \"b.v\", \"b.x\"", "law `s`: `a.v` is in `m/s`, its rate `a.x` is in `m`: different"),
        ("\"a.x\", \"a.v\", \"b.v\", \"b.x\"", "law `s`: `a.x` is in `m`, `b.v` is in `m/s`: different quantities"),
    ];
    for (inputs, says) in cases {
        assert!(SPRING.contains(usual));
        let left = run(&folder, &SPRING.replace(usual, inputs));
        assert!(left.code == Some(1) && left.stderr.contains(says), "{says}: {left:#?}");
    }
    // A parameter in the place of a stiffness, and one output for two quantities.
    let mass = SPRING.replace("stiffness = 5.0", "stiffness = \"a.u\"");
    write(&folder, "b.fmu", ["m", "m/s", "m"]);
    let left = run(&folder, SPRING);
    let says = "law `s`: one output, and `a.u` is in `N`, `b.u` is in `m`: different quantities";
    assert!(left.code == Some(1) && left.stderr.contains(says), "{left:#?}");
    write(&folder, "b.fmu", ["m", "m/s", "N"]);
    let left = run(&folder, &mass);
    let says =
        "law `s`: `a.u` is in `N`, `a.x` is in `m`, `a.u` is in `N`: the product of the first two is not the third";
    assert!(left.code == Some(1) && left.stderr.contains(says), "{left:#?}");
}

#[test]
fn an_event_converts_what_it_subtracts() {
    let folder = make::folder("measures-event");
    write(&folder, "a.fmu", ["m", "m/s", "N"]);
    write(&folder, "b.fmu", ["mm", "mm/s", "N"]);
    // a.x = t, b.x = 430 mm: they meet at 0.43 s, where `a` stops.
    let still = "set = { u = 0.0, x = 430.0 }\n";
    let event =
        "[[events]]\nwhen = \"a.x\"\nminus = \"b.x\"\nset = { \"a.u\" = 0.0 }\n[record]\nvariables = [\"a.x\"]\n";
    let left = run(&folder, &format!("{still}{event}"));
    let result: serde_json::Value = serde_json::from_str(&left.stdout).unwrap_or_default();
    assert!((result["final"]["a.x"].as_f64().unwrap_or(f64::NAN) - 0.43).abs() < 1e-9, "{left:#?}");
    assert!(left.stderr.contains("`b.x` in `mm`: converted by 0.001 · y + 0 before it is subtracted"), "{left:#?}");
    // An offset as well: 0.43 degC are 273.58 K.
    write(&folder, "a.fmu", ["degC", "m/s", "N"]);
    write(&folder, "b.fmu", ["K", "m/s", "N"]);
    let left = run(&folder, &format!("{}{event}", still.replace("430.0", "273.58")));
    let result: serde_json::Value = serde_json::from_str(&left.stdout).unwrap_or_default();
    assert!((result["final"]["a.x"].as_f64().unwrap_or(f64::NAN) - 0.43).abs() < 1e-9, "{left:#?}");
    write(&folder, "a.fmu", ["m", "m/s", "N"]);
    // What is set to an output in another unit is refused without the factor between them, and told with one.
    write(&folder, "b.fmu", ["mm", "mm/s", "mm"]);
    let taken = |factor: &str| event.replace("\"a.u\" = 0.0", &format!("\"b.u\" = {{ from = \"a.x\"{factor} }}"));
    let left = run(&folder, &format!("{still}{}", taken("")));
    assert!(
        left.code == Some(1) && left.stderr.contains("write factor = 1000.0, offset = 0.0, times your own"),
        "{left:#?}"
    );
    let left = run(&folder, &format!("{still}{}", taken(", factor = -800.0")));
    let says = "the factor given has to contain the 1000 · y + 0 between them";
    assert!(left.code == Some(0) && left.stderr.contains(says), "{left:#?}");
}

#[test]
fn an_event_keeps_the_range_that_an_fmu_declares() {
    let folder = make::folder("measures-range");
    write(&folder, "a.fmu", ["m", "m/s", "N\" min=\"-2\" max=\"2"]);
    write(&folder, "b.fmu", ["m", "m/s", "N"]);
    for (when, value) in [("at = 0.5", "3.0"), ("when = \"b.x\"\nthreshold = 0.5", "-3.0")] {
        let left = run(&folder, &format!("[[events]]\n{when}\nset = {{ \"a.u\" = {value} }}\n"));
        let says = format!("`a.u` = {}, expected -2 to 2", value.trim_end_matches(".0"));
        assert!(left.code == Some(1) && left.stderr.contains(&says), "{left:#?}");
        let left = run(&folder, &format!("[[events]]\n{when}\nset = {{ \"a.u\" = -2.0 }}\n"));
        assert_eq!(left.code, Some(0), "{left:#?}");
    }
}

#[test]
fn two_names_of_one_value_are_told() {
    let folder = make::folder("measures-twice");
    write(&folder, "a.fmu", ["m", "m/s", "N"]);
    let xml = make::XML.replace("name=\"x\" valueReference=\"1\"", "name=\"x\" valueReference=\"0\"");
    std::fs::write(folder.join("b.fmu"), make::fmu(&xml, &[])).expect("the FMU");
    let left = run(&folder, "set = { u = 1.0, x = 2.0 }\n");
    assert!(left.stderr.contains("`b.u` = 1.0 and `b.x` = 2.0 are one value in the FMU; 2.0 is used"), "{left:#?}");
    let left = run(&folder, "set = { u = 2.0, x = 2.0 }\n");
    assert!(!left.stderr.contains("are one value"), "{left:#?}");
}

#[test]
fn a_difference_of_temperatures_has_no_offset() {
    let folder = make::folder("measures-relative");
    let celsius = "set = { u = { value = 10.0, unit = \"degC\" } }\n[record]\nvariables = [\"b.u\"]\n";
    for (relative, expected) in [("", 283.15), ("\" relativeQuantity=\"true", 10.0)] {
        write(&folder, "a.fmu", ["m", "m/s", "N"]);
        write(&folder, "b.fmu", ["m", "m/s", &format!("K{relative}")]);
        let left = run(&folder, celsius);
        let result: serde_json::Value = serde_json::from_str(&left.stdout).unwrap_or_default();
        assert_eq!(result["final"]["b.u"].as_f64(), Some(expected), "{left:#?}");
    }
}

#[test]
fn a_unit_is_told_its_step_in_the_unit_of_its_parameter() {
    let folder = make::folder("measures-step");
    for (unit, expected) in [("ms", 50.0), ("N", 0.05)] {
        write(&folder, "a.fmu", ["m", "m/s", "N"]);
        write(&folder, "b.fmu", ["m", "m/s", unit]);
        let left = run(&folder, "step = \"1/2\"\nstep_parameter = \"u\"\n[record]\nvariables = [\"b.u\"]\n");
        let result: serde_json::Value = serde_json::from_str(&left.stdout).unwrap_or_default();
        assert_eq!(result["final"]["b.u"].as_f64(), Some(expected), "{left:#?}");
    }
}

#[test]
fn a_derivative_in_a_unit_that_contradicts_it_is_told() {
    let folder = make::folder("measures-derivative");
    let follow = "[coupling]\npredict = \"ia1\"\n[connections]\n\"a.u\" = \"b.x\"\n[units.b.set]\nx = 1.0\n";
    write(&folder, "a.fmu", ["m", "m/s", "m"]);
    for (rate, is_said) in [("m/s", false), ("mm/s", true)] {
        write(&folder, "b.fmu", ["m", rate, "N"]);
        let left = run(&folder, follow);
        let says = "unit `b`: `v` in `mm/s` is declared as the derivative of `x` in `m`, which has another factor";
        assert!(left.code == Some(0) && left.stderr.contains(says) == is_said, "{left:#?}");
    }
}
