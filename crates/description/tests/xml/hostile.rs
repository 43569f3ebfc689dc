//! Files made to hurt the reader.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use macrostep_description::rules;
use macrostep_description::xml::{WARNINGS_MAX, read_str};

const HEAD: &str = "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\">";

#[test]
fn there_is_no_document_type() {
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]>\n<x>&b;</x>";
    assert!(read_str(bomb).is_err_and(|e| e.found.contains("<!DOCTYPE") && e.line == 1));
    let reference = format!("{HEAD}\n<ModelVariables>&file;</ModelVariables></fmiModelDescription>");
    assert!(read_str(&reference).is_err_and(|e| e.found.contains("`&file;`") && e.line == 2));
    let attribute = HEAD.replace("\"m\"", "\"&file;\"") + "</fmiModelDescription>";
    assert!(read_str(&attribute).is_err_and(|e| e.found.contains("modelName")));
}

#[test]
fn depth_is_bounded_everywhere() {
    for place in ["<VendorAnnotations><Tool name=\"t\"><x>", "<Extra>", "<CoSimulation modelIdentifier=\"m\">"] {
        let text = format!("{HEAD}{place}{}", "<a>".repeat(100_000));
        assert!(read_str(&text).is_err_and(|e| e.found.contains("nested")), "{place}");
    }
}

#[test]
fn attributes_of_one_element_are_bounded() {
    let mut many = HEAD.replace('>', "");
    (0..100_000).for_each(|i| write!(many, " a{i}=\"\"").expect("a string"));
    assert!(read_str(&(many + "/>")).is_err_and(|e| e.found.contains("attributes")));
}

#[test]
fn warnings_are_bounded() {
    let text = format!("{HEAD}{}</fmiModelDescription>", "<Extra/>\n".repeat(1000));
    let warnings = read_str(&text).expect("only strange").warnings;
    assert_eq!(warnings.len(), WARNINGS_MAX + 1);
    assert_eq!(warnings.last().map(|w| w.found.as_str()), Some("800 further warnings that are not listed"));
}

/// 200 000 variables with a structure that names them all, in time linear in their number: read, and judged.
#[test]
fn two_hundred_thousand_variables_are_read() {
    const COUNT: usize = 200_000;
    let mut text = format!("{HEAD}\n<CoSimulation modelIdentifier=\"m\"/>\n<ModelVariables>\n");
    for i in 0..COUNT {
        let _ = writeln!(
            text,
            "<ScalarVariable name=\"body[{i}].r\" valueReference=\"{i}\" causality=\"output\" description=\"position &amp; more\">\n\
             <Real unit=\"m\" min=\"-1\" max=\"1\" nominal=\"1e-3\"/>\n</ScalarVariable>"
        );
    }
    text.push_str("</ModelVariables>\n<ModelStructure><Outputs>\n");
    (1..=COUNT).for_each(|i| writeln!(text, "<Unknown index=\"{i}\" dependencies=\"\"/>").expect("a string"));
    text.push_str("</Outputs></ModelStructure></fmiModelDescription>");
    let start = Instant::now();
    let reading = read_str(&text).expect("a large file");
    let read = start.elapsed();
    let violations = rules::check(&reading.description);
    let both = start.elapsed();
    println!("{} MB: read in {read:?}, judged in {:?}", text.len() / 1_000_000, both - read);
    assert_eq!(reading.description.variables.len(), COUNT);
    assert_eq!(reading.variable_lines[COUNT - 1] as usize, 1 + 3 * COUNT);
    // Each misses its unit and its place among the initial unknowns.
    assert_eq!(violations.len(), 2 * COUNT);
    // Quadratic time would take minutes, linear time a second where nothing else runs.
    assert!(read < Duration::from_secs(60), "{read:?}");
}
