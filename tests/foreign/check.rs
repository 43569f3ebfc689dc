//! `check`: faults are found, legal descriptions have none, and warnings do not fail.

use std::path::Path;

use macrostep_description::rules::ALL;
use serde_json::Value as Json;

use crate::make::{self, XML, fmu};
use crate::run::{Left, macrostep};

fn checked(name: &str, bytes: &[u8], arguments: &[&str]) -> Left {
    let folder = make::folder(&format!("check/{name}"));
    std::fs::write(folder.join("a.fmu"), bytes).expect("the FMU");
    macrostep(&folder, &[&["check", "a.fmu"], arguments].concat())
}

/// Rules and weights of what `check --json` finds.
fn findings(left: &Left) -> Vec<(String, String)> {
    let report: Json = serde_json::from_str(&left.stdout).unwrap_or_else(|e| panic!("{e}: {left:#?}"));
    let word = |finding: &Json, key: &str| finding[key].as_str().expect("a word").to_owned();
    let list = report["findings"].as_array().expect("a list");
    let found: Vec<_> = list.iter().map(|f| (word(f, "rule"), word(f, "severity"))).collect();
    let count = |weight: &str| found.iter().filter(|(_, severity)| severity == weight).count();
    assert_eq!((&report["errors"], &report["warnings"]), (&count("error").into(), &count("warning").into()));
    found
}

fn found(rule: &str, severity: &str) -> (String, String) {
    (rule.to_owned(), severity.to_owned())
}

#[test]
fn a_good_one_keeps_all_rules() {
    let left = checked("good", &fmu(XML, &[]), &[]);
    assert_eq!((left.code, left.stderr.as_str()), (Some(0), ""), "{left:#?}");
    let rules = ALL.iter().filter(|rule| !rule.section.is_empty()).count();
    assert_eq!(left.stdout, format!("`a.fmu` keeps all {rules} rules\n"));
    // What is not looked at is not said to be kept.
    let folder = make::folder("check/left_alone");
    std::fs::write(folder.join("a.fmu"), fmu(XML, &[])).expect("the FMU");
    let left = macrostep(&folder, &["check", "a.fmu", "--no-library", "--junit", "check.xml"]);
    assert_eq!((left.code, left.stderr.as_str()), (Some(0), ""), "{left:#?}");
    assert_eq!(left.stdout, format!("`a.fmu` keeps all {} rules; `library` not looked at\n", rules - 1));
    let xml = std::fs::read_to_string(folder.join("check.xml")).expect("the tests");
    assert!(xml.contains("skipped=\"1\"") && xml.contains("<skipped message="), "{xml}");
}

#[test]
fn nested_elements_of_a_vendor_are_legal() {
    let nested = r#"<VendorAnnotations><Tool name="other"><a b="1"><c>words<d/></c></a></Tool></VendorAnnotations>
  <ModelVariables>"#;
    let left = checked("vendor", &make::with("<ModelVariables>", nested), &["--json"]);
    assert_eq!((left.code, findings(&left)), (Some(0), vec![]), "{left:#?}");
}

/// An alias of `x` in metres that has its unit from a type only.
fn alias(unit: &str) -> Vec<u8> {
    alias_of(unit, "hand")
}

/// The same, written by a tool.
fn alias_of(unit: &str, tool: &str) -> Vec<u8> {
    let types = format!(
        "<TypeDefinitions><SimpleType name=\"Length\"><Real unit=\"{unit}\"/></SimpleType></TypeDefinitions>\n  <DefaultExperiment"
    );
    let variable = r#"    <ScalarVariable name="alias" valueReference="1" causality="local" variability="continuous" initial="calculated"><Real declaredType="Length"/></ScalarVariable>
  </ModelVariables>"#;
    let units = r#"<Unit name="m"><BaseUnit m="1"/></Unit>"#;
    let xml = XML
        .replace("guid=", &format!("generationTool=\"{tool}\" guid="))
        .replace("<DefaultExperiment", &types)
        .replace("  </ModelVariables>", variable)
        .replace(units, &format!("{units}<Unit name=\"s\"><BaseUnit s=\"1\"/></Unit>"));
    fmu(&xml, &[])
}

#[test]
fn aliases_agree_by_their_declared_types() {
    let same = checked("alias", &alias("m"), &["--json"]);
    assert_eq!((same.code, findings(&same)), (Some(0), vec![]), "{same:#?}");
    let other = checked("other_alias", &alias("s"), &["--json"]);
    assert_eq!((other.code, findings(&other)), (Some(1), vec![found("aliases", "error")]), "{other:#?}");
    // Tools whose FMUs run everywhere all the same get a warning.
    for (tool, code, severity) in [
        ("OpenModelica Compiler 1.21", 0, "warning"),
        ("Dymola Version 2023x", 0, "warning"),
        ("JModelica.org", 0, "warning"),
        ("Some other tool", 1, "error"),
    ] {
        let of_tool = alias_of("s", tool);
        let left = checked("alias_of_tool", &of_tool, &["--json"]);
        assert_eq!((left.code, findings(&left)), (Some(code), vec![found("aliases", severity)]), "{left:#?}");
    }
}

#[test]
fn a_variable_that_is_no_real_says_its_variability() {
    let without = make::with(r#"causality="output" variability="discrete""#, r#"causality="output""#);
    let left = checked("variability", &without, &["--json"]);
    assert_eq!((left.code, findings(&left)), (Some(1), vec![found("continuous", "error")]), "{left:#?}");
}

#[test]
fn a_library_that_cannot_be_loaded_is_a_finding_behind_the_others() {
    let xml = make::replaced("unit=\"m\"", "unit=\"parsec\"");
    let archives = [
        ("windows", make::archive(&[("modelDescription.xml", xml.as_bytes()), ("binaries/win64/hostile.dll", b"MZ")])),
        ("damaged", make::archive(&[("modelDescription.xml", xml.as_bytes()), (make::LIBRARY, b"text")])),
        ("lacking", fmu(&xml, &[("AT_LOAD", "undefined_function_of_nobody()")])),
    ];
    for (name, bytes) in archives {
        let left = checked(name, &bytes, &[]);
        let lines: Vec<&str> = left.stdout.lines().collect();
        assert_eq!((left.code, lines.len()), (Some(1), 2), "{left:#?}");
        assert!(lines[0].contains("error: variable `x`") && lines[0].contains("`unit-references`"), "{left:#?}");
        assert!(lines[1].contains("error: ") && lines[1].contains("`library`"), "{left:#?}");
        assert!(left.error().contains("2 errors and 0 warnings"), "{left:#?}");
        let left = checked(name, &bytes, &["--no-library", "--json"]);
        assert_eq!(findings(&left), [found("unit-references", "error")]);
    }
}

#[test]
fn warnings_alone_do_not_fail() {
    let initial =
        make::with(r#"<Outputs>"#, r#"<Outputs><!-- x and steps start at given values: none of them is unknown. -->"#);
    assert_eq!(checked("comment", &initial, &[]).code, Some(0));
    let unknowns = make::with(
        "</Outputs>",
        "</Outputs><InitialUnknowns><Unknown index=\"2\" dependencies=\"\"/></InitialUnknowns>",
    );
    let left = checked("warning", &unknowns, &[]);
    assert_eq!((left.code, left.stderr.as_str()), (Some(0), ""), "{left:#?}");
    assert!(
        left.stdout.starts_with("warning: variable `x`") && left.stdout.ends_with("no error, 1 warning\n"),
        "{left:#?}"
    );
    let left = checked("date", &make::with("guid=", "generationDateAndTime=\"29 Feb 2024\" guid="), &["--json"]);
    assert_eq!(findings(&left), [found("generation-date", "error")]);
}

#[test]
fn derivatives_do_not_count_without_directional_derivatives() {
    let listed = make::with("</Outputs>", "</Outputs><Derivatives><Unknown index=\"2\"/></Derivatives>");
    assert_eq!(findings(&checked("derivatives", &listed, &["--json"])), []);
}

/// The table of rules in `docs/check.md`, which is written anew where `MACROSTEP_WRITE_DOCS` is set.
#[test]
fn the_page_lists_every_rule_with_its_weight() {
    let mut table = String::from(
        "| rule | FMI 2.0.5 | FMI 3.0.2 | weight | what it demands | effect if it is broken |\n|---|---|---|---|---|---|\n",
    );
    for rule in ALL {
        let sections = [rule.section, rule.section_3].map(|section| if section.is_empty() { "–" } else { section });
        let (name, severity, text, why) = (rule.name, rule.severity, rule.text, rule.why);
        table.push_str(&format!("| `{name}` | {} | {severity} | {text} | {why} |\n", sections.join(" | ")));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/check.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, after) = page.split_once("<!-- rules -->\n").expect("the table's begin");
    let (_, after) = after.split_once("<!-- end of rules -->\n").expect("the table's end");
    let wanted = format!("{before}<!-- rules -->\n{table}<!-- end of rules -->\n{after}");
    if std::env::var_os("MACROSTEP_WRITE_DOCS").is_some() {
        std::fs::write(&path, wanted).expect("written");
    } else {
        assert_eq!(page, wanted, "write it anew with MACROSTEP_WRITE_DOCS=1");
    }
}
